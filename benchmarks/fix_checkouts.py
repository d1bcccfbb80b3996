"""Mend real code and prove that nothing else has changed: `python benchmarks/fix_checkouts.py DIR [DIR…]`, each DIR a checkout.

Every checkout is copied; the commands run on the copy as a user would run them. What they say of themselves is not believed: the proof here
shares no code with the product. A table row for each checkout, then what was refused or left and why; exit code 1 if a proof fails.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

SIGNAL = "SoftTimeLimitExceeded"
LEFT_OUT = ("site-packages", ".git", ".hg", "node_modules", ".flake8_deadline_cache", ".venv", "venv")
FIXED = re.compile(r"^Fixed (\d+) findings? in (\d+) files?(?:.*?, (\d+) of them revealed)?", re.MULTILINE)
LISTED = re.compile(r"^  (?P<path>.+?):(?P<line>\d+): (?P<code>LIM\d+) (?P<reason>.+)$")
SCOPE = ["--enable", "LIM109"]
EVERYWHERE = ["--everywhere", "--enable", "LIM108,LIM109", "--select", "LIM101,LIM102,LIM103,LIM108,LIM109"]
COLUMNS = ("checkout", "files", "found", "fixable", "fixed", "revealed", "refused", "left", "changed", "after", "seconds")

Place = tuple[str, int, str]


class Row(NamedTuple):
    cells: tuple[object, ...]
    """One for each of COLUMNS."""
    notes: list[str]
    faults: list[str]


class Said(NamedTuple):
    """What `fix` says of its own work on standard error."""

    fixed: int
    files: int
    revealed: int
    refused: dict[Place, str]
    left: dict[Place, str]
    """Revealed by the fixes, and not fixed."""


def command(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [Path(sys.executable).with_name("flake8-deadline"), *arguments, *SCOPE, "--deadline-root", "."],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    if done.returncode not in (0, 1) or "Traceback" in done.stderr:
        sys.exit(f"{root.name}: {' '.join(arguments)} ended with {done.returncode}\n{done.stderr}")
    return done


def check(root: Path) -> tuple[int, dict[Place, str | None]]:
    """How many Python files the project has, and each finding with the safety of its fix."""
    report = json.loads(command(root, "check", "--format", "json").stdout)
    return report["statistics"]["files"], {(one["path"], one["line"], one["code"]): one["fix"] for one in report["findings"]}


def fix(root: Path) -> Said:
    text = command(root, "fix", "--write", "--allow-dirty").stderr
    lists: dict[str, dict[Place, str]] = {"refused": {}, "left": {}}
    current: dict[Place, str] = {}
    for line in text.splitlines():
        listed = LISTED.match(line)
        if listed:
            current[listed["path"], int(listed["line"]), listed["code"]] = listed["reason"]
        else:
            current = lists["refused"] if line.startswith("Not fixed:") else lists["left"] if line.endswith("and left:") else {}
    count = FIXED.search(text)
    fixed, files, revealed = (int(group or 0) for group in count.groups()) if count else (0, 0, 0)
    return Said(fixed, files, revealed, lists["refused"], lists["left"])


def texts(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.py") if path.is_file() and not path.is_symlink()}


def stripped(source: bytes) -> str:
    """The tree of a text without any clause that re-raises the signal and without any import of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Try):
            node.handlers = [handler for handler in node.handlers if not is_reraise(handler)]
        if isinstance(node, ast.Module):
            node.body = [one for one in node.body if not (isinstance(one, ast.ImportFrom) and [alias.name for alias in one.names] == [SIGNAL])]
    return ast.dump(tree)


def is_reraise(handler: ast.ExceptHandler) -> bool:
    """Whether it is `except SoftTimeLimitExceeded: raise`, the name dotted or an alias that says as much."""
    name = ast.unparse(handler.type).rpartition(".")[2] if handler.type else ""
    return name == SIGNAL and ast.unparse(handler.body) == "raise"


def is_subsequence(old: bytes, new: bytes) -> bool:
    lines = iter(new.splitlines(keepends=True))
    return all(line in lines for line in old.splitlines(keepends=True))


def objections(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    """What is wrong with the files as they are after the fix."""
    faults = [f"{path}: came or went" for path in before.keys() ^ after.keys()]
    for path in sorted(before.keys() & after.keys()):
        old, new = before[path], after[path]
        if old == new:
            continue
        if not is_subsequence(old, new):
            faults.append(f"{path}: a line that was there is not there any more")
        try:
            if stripped(old) != stripped(new):
                faults.append(f"{path}: the tree without the insertions is another one")
        except (SyntaxError, ValueError) as error:
            faults.append(f"{path}: does not parse: {error}")
    return faults


def measure(root: Path) -> Row:
    """Lint, mend, lint, mend again. The checkout's files are changed."""
    files, found = check(root)
    before = texts(root)
    start = time.perf_counter()
    said = fix(root)
    seconds = time.perf_counter() - start
    after = texts(root)
    still = safe(check(root)[1])
    again = fix(root)
    changed = sum(after.get(path) != text for path, text in before.items())
    asked = safe(found)
    faults = [*objections(before, after), *disagreements(said, still)]
    faults += [f"{path}: changed by a second run" for path, text in texts(root).items() if after.get(path) != text]
    if again.refused != said.refused:
        faults.append("a second run refuses something else")
    if said.files != changed:
        faults.append(f"said to have changed {said.files} files, changed {changed}")
    if len(asked) > said.fixed + len(said.refused):
        faults.append(f"{len(asked)} to fix, but {said.fixed} fixed and {len(said.refused)} refused")
    counts = (files, len(found), len(asked), said.fixed, said.revealed, len(said.refused), len(said.left), changed, len(still))
    return Row((root.name, *counts, f"{seconds:.1f}"), list(notes(said)), faults)


def safe(found: dict[Place, str | None]) -> set[Place]:
    return {place for place, safety in found.items() if safety == "safe"}


def disagreements(said: Said, still: set[Place]) -> Iterator[str]:
    """Where `check` afterwards does not say what `fix` said. The places are those after the fix."""
    for path, line, code in sorted(still - said.refused.keys() - said.left.keys()):
        yield f"{path}:{line}: {code} is still found"
    for path, line, code in sorted(said.refused.keys() - still):
        yield f"{path}:{line}: {code} was refused and is not found"


def notes(said: Said) -> Iterator[str]:
    for (path, line, code), reason in said.refused.items():
        yield f"{path}:{line}: {code} not fixed: {reason}"
    for (path, line, code), reason in said.left.items():
        yield f"{path}:{line}: {code} revealed and left: {reason}"


def table(rows: list[tuple[object, ...]]) -> str:
    """Names to the left, numbers to the right."""
    cells = [[str(cell) for cell in row] for row in (COLUMNS, *rows)]
    first, *others = (max(map(len, column)) for column in zip(*cells))
    return "\n".join("  ".join([row[0].ljust(first), *map(str.rjust, row[1:], others)]) for row in cells)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--everywhere", action="store_true", help="treat all code as reached by a task, and ask for LIM108 as well")
    rows: list[Row] = []
    parsed = parser.parse_args()
    if parsed.everywhere:
        SCOPE[:] = EVERYWHERE
    for checkout in parsed.checkouts:
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch, checkout.resolve().name)
            shutil.copytree(checkout, root, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
            rows.append(measure(root))
        sys.stderr.write(f"{root.name}: {'failed' if rows[-1].faults else 'done'}\n")
    print(table([row.cells for row in rows]))
    for row in rows:
        if row.notes or row.faults:
            print(f"\n{row.cells[0]}", *row.notes, *(f"FAILED {fault}" for fault in row.faults), sep="\n  ")
    return 1 if any(row.faults for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
