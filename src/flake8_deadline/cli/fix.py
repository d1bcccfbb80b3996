"""`flake8-deadline fix`: the diff of all safe fixes, or with `--write` the fixes themselves.

Fixes what `check` would report with the same arguments, no more. The diff alone goes to standard output, so that `git apply` can take
it; what is said about it goes to standard error.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from flake8_deadline.check import analyse
from flake8_deadline.cli.output import style
from flake8_deadline.cli.session import Session, analysed
from flake8_deadline.codemods.first_party import first_party
from flake8_deadline.codemods.guard import UnsafeError, require_committed
from flake8_deadline.codemods.mend import Mended, Refused, apply, mend
from flake8_deadline.codemods.patch import unified_diff
from flake8_deadline.configuration import ConfigurationError
from flake8_deadline.report.style import Style, printable
from flake8_deadline.report.text import failure, near, number
from flake8_deadline.selection import select
from flake8_deadline.tree import walk

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from flake8_deadline.selection import Selection

_COLOURS = {b"+": "green", b"-": "red", b"@": "cyan"}


def run(parsed: argparse.Namespace) -> int:
    session = analysed(parsed, parsed.paths)
    if session is None:
        return 2
    selection = select(session.analysis, session.namespace)
    mended = _mended(session, selection)
    changed = [one for one in mended if one.new != one.old]
    refused = [refusal for one in mended for refusal in one.refused]
    root = Path(session.options.root)
    if parsed.write:
        _require_a_way_back(root, changed, allow_dirty=parsed.allow_dirty)
        failed = apply(root, changed)
        changed = [one for one in changed if one.path not in {refusal.path for refusal in failed}]
        refused += failed
    else:
        _show(root, changed, style(parsed.color))
    for path, error in selection.errors:
        _say(failure(path, error))
    for line in _summary(selection, changed, refused, is_written=parsed.write):
        _say(line)
    if not session.is_complete:
        return 2
    return 1 if refused or selection.errors or (changed and not parsed.write) else 0


def _mended(session: Session, selection: Selection) -> list[Mended]:
    options = session.options

    def relint(texts: Mapping[str, bytes]) -> set[tuple[str, int, str]]:
        analysis = analyse(options, texts) if texts else session.analysis
        return {(finding.path, finding.line, finding.code) for finding in analysis.findings}

    findings = [one.finding for one in selection.shown if one.finding.fix is not None and one.finding.fix.safety == "safe"]
    if not findings:
        return []
    return mend(Path(options.root), findings, relint, first_party(walk(options.root, options.exclude_from_index)))


def _require_a_way_back(root: Path, changed: list[Mended], *, allow_dirty: bool) -> None:
    try:
        require_committed(root, [one.path for one in changed], os.environ, allow_dirty)
    except UnsafeError as error:
        raise ConfigurationError(str(error)) from error


def _show(root: Path, changed: list[Mended], look: Style) -> None:
    sys.stdout.flush()
    for one in changed:
        # `git apply` takes names from the directory it is run in.
        path = near(str(root / one.path))
        diff = unified_diff(one.path if os.path.isabs(path) else path, one.old, one.new)
        sys.stdout.buffer.write(_painted(diff, look) if look.colour else diff)
    sys.stdout.buffer.flush()


def _painted(diff: bytes, look: Style) -> bytes:
    return b"".join(_painted_line(line, look) for line in diff.splitlines(keepends=True))


def _painted_line(line: bytes, look: Style) -> bytes:
    colour = _COLOURS.get(line[:1])
    if colour is None:
        return line
    before, after = look.paint(colour, "\0").encode().split(b"\0")
    text = line.rstrip(b"\r\n")
    return before + text + after + line[len(text) :]


def _summary(selection: Selection, changed: list[Mended], refused: list[Refused], *, is_written: bool) -> Iterator[str]:
    fixed = sum(len(one.fixed) for one in changed)
    by_hand = len(selection.shown) - fixed - len(refused)
    if changed:
        done = "Fixed" if is_written else "Would fix"
        yield f"{done} {number(fixed, 'finding')} in {number(len(changed), 'file')}{_imports(changed)}."
    elif not refused:
        yield "Nothing to fix."
    if refused:
        yield f"Not fixed: {len(refused)}"
        yield from (f"  {printable(one.path)}:{one.line}: {one.code} {printable(one.reason)}" for one in sorted(refused))
    if by_hand:
        yield f"{number(by_hand, 'finding')} without a safe fix: see flake8-deadline check."
    if changed and not is_written:
        yield "Apply with --write."


def _imports(changed: list[Mended]) -> str:
    imports = sum(len(one.imports) for one in changed)
    packages = sorted({package for one in changed for package in one.first_imports})
    files = sum(bool(one.first_imports) for one in changed)
    said = [f"{number(imports, 'import')} added"] if imports else []
    if packages:
        said.append(f"{number(files, 'file')} {'imports' if files == 1 else 'import'} {' or '.join(packages)} for the first time")
    return f" ({', '.join(said)})" if said else ""


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
