"""Odd input gets a message, never a traceback: in the reader, in whole runs, and through the command as a process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from flake8_deadline import tree
from flake8_deadline.check import Analysis, analyse
from flake8_deadline.cli import main
from flake8_deadline.facts import Summary
from flake8_deadline.options import Options
from flake8_deadline.reading.outline import outline
from flake8_deadline.reading.python import read
from flake8_deadline.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable

LIBRARY = sorted(path for path in Path(sysconfig.get_path("stdlib")).rglob("*.py") if "site-packages" not in path.parts)
FIXTURES = Path(__file__).parent / "fixtures"
SOURCES = sorted(path.read_bytes() for path in FIXTURES.glob("rules/*/bad.py"))
EVERY_CODE = tuple(rule.code for rule in RULES)

TASK = b"""\
from celery import shared_task


@shared_task(soft_time_limit=60, time_limit=90)
def import_rows(rows):
    for row in rows:
        try:
            row.push()
        except Exception:
            row.skip()
"""


def check_reading(source: bytes) -> Summary:
    """Read a file, and keep it as the cache does."""
    outline(source)
    found = read(source)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=Summary) == found
    if found.fault is not None:
        assert found.fault.line > 0
        assert found.fault.message
    return found


def check_library(paths: Iterable[Path]) -> None:
    for path in paths:
        try:
            check_reading(path.read_bytes())
        except BaseException as error:
            raise AssertionError(path) from error


# The reader


def test_every_twelfth_file_of_the_standard_library_is_read() -> None:
    check_library(LIBRARY[::12])


@pytest.mark.live
def test_the_whole_standard_library_is_read() -> None:
    check_library(LIBRARY)


@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
@settings(deadline=None)
def test_any_bytes_are_read(source: bytes) -> None:
    check_reading(source)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A source that somebody has cut, doubled, overwritten or joined with another."""
    source = draw(st.sampled_from(SOURCES))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(source)))
        end = draw(st.integers(start, min(start + 200, len(source))))
        match draw(st.sampled_from(["cut", "truncate", "double", "overwrite", "lines"])):
            case "cut":
                source = source[:start] + source[end:]
            case "truncate":
                source = source[:start]
            case "double":
                source = source[:end] + source[start:]
            case "overwrite":
                source = (
                    source[:start] + draw(st.binary(max_size=4) | st.sampled_from([b"\0", b"\r", b"\f", b"\xef\xbb\xbf", b"\\\n"])) + source[end:]
                )
            case "lines":
                lines = source.splitlines(keepends=True)
                source = b"".join(draw(st.permutations(lines[:12]))) + b"".join(lines[12:])
    return source


@given(mutated())
@settings(deadline=None, max_examples=150)
def test_a_mutilated_source_is_read(source: bytes) -> None:
    check_reading(source)


ENCODINGS = sorted(
    {*("utf-8-sig", "latin-1", "cp1252", "shift_jis", "utf-7", "utf-16", "utf-32", "idna", "punycode", "unicode_escape"), "rot13", "hex"}
)


@pytest.mark.parametrize("encoding", [*ENCODINGS, "raw_unicode_escape", "undefined", "mbcs", "utf-8-unix", "klingon"])
@pytest.mark.parametrize(
    "line",
    [b"a = '\xe9'", b"a = '\\ud800\xe9'", b"a = '\\n\xe9'", b"a = '+AGE-'", "a = 'ü€'".encode(), b"# \xe9"],
    ids=["byte", "surrogate", "newline", "shifted", "utf-8", "comment"],
)
def test_any_encoding_may_be_claimed(encoding: str, line: bytes) -> None:
    check_reading(b"# coding: " + encoding.encode() + b"\n" + line + b"\nfor b in a: c(b)\n")
    check_reading(b"# \xe9\n# coding: " + encoding.encode() + b"\n" + line + b"\n[c(b) for b in a]\n")
    check_reading(b"\xef\xbb\xbf# coding: " + encoding.encode() + b"\n" + line + b"\n[c(b) for b in a]\n")


NUMBERS = [
    str(2**63),
    str(-(2**63)),
    str(2**64),
    f"-{2**64}",
    "1" + "0" * 4000,
    "0x" + "f" * 5000,
    "1e999",
    "-1e999",
    "1e999 - 1e999",
    "9" * 19,
    "1e308 * 10",
]
TEXTS = ["'\\ud800'", "'a\\udfff'", "'\\x00'", "f'\\ud800{a}'", "'\\ud800' '\\udc00'", "b'\\xff'", "'\\N{BULLET}'"]
DEEP = [
    "(" * 150 + "a" + ")" * 150,
    "[" * 150 + "]" * 150,
    "f(" * 150 + ")" * 150,
    "-" * 900 + "1",
    "not " * 900 + "a",
    "a" + ".b()" * 300,
    "a" + "[0]" * 500,
]
WIDE = [" + ".join(["'x'"] * 2000), " or ".join(["a.b()"] * 2000), "[" + "a," * 5000 + "]", "f(" + "a," * 5000 + ")", "a" * 100_000]


@pytest.mark.parametrize("expression", [*NUMBERS, *TEXTS, *DEEP, *WIDE], ids=lambda text: text[:12])
def test_whatever_a_source_holds_the_cache_can_keep(expression: str) -> None:
    places = """\
x = {0}
a[{0}] = {0}
y: {0} = f(k={0}, **{{{0}: 1}})
def f(a: {0} = {0}) -> {0}: return {0}
@g({0})
class A(h({0})): x = {0}
if a == {0}: raise b({0})
for c in {0}: d({0})
"""
    for template in places.splitlines():
        check_reading(template.format(expression).encode())
    check_reading(f"try: a()\nexcept {expression}: b()\nmatch a:\n    case b if {expression}: c()".encode())


# Whole runs


def run(source: bytes, root: str, **options: object) -> Analysis:
    return analyse(Options(root=root, cache_dir="none", enable=EVERY_CODE, **options), {"tasks.py": source})  # type: ignore[arg-type]


@given(mutated())
@settings(deadline=None, max_examples=60)
def test_a_mutilated_project_is_analysed(source: bytes) -> None:
    with TemporaryDirectory() as root:
        found = run(source, root)
    assert all(error.path == "tasks.py" for error in found.errors)
    assert (read(source).fault is None) == (found.errors == ())


@pytest.mark.parametrize("expression", [*DEEP, *WIDE], ids=lambda text: text[:12])
def test_what_is_nested_deeply_or_very_long_does_not_hide_a_finding(expression: str, tmp_path: Path) -> None:
    inside = TASK.replace(b"row.skip()", f"x = {expression}\n            if {expression}: row.skip(x)".encode())
    found = run(inside, str(tmp_path))
    assert found.errors == ()
    assert "LIM101" in {finding.code for finding in found.findings}


Edit = tuple[str, int, int]


def edit(root: Path, edits: Iterable[Edit]) -> None:
    """Change files of a project: what a person, a merge or an editor might do."""
    paths = sorted(root.rglob("*.py"))
    for kind, first, second in edits:
        path, other = paths[first % len(paths)], paths[second % len(paths)]
        lines = path.read_bytes().splitlines(keepends=True) if path.is_file() else []
        copied = other.read_bytes() if other.is_file() else b""
        if kind != "move":
            path.unlink(missing_ok=True)
        match kind:
            case "delete line":
                path.write_bytes(b"".join(lines[:second] + lines[second + 1 :]))
            case "append":
                path.write_bytes(b"".join(lines) + (TASK if second % 2 else b"def broken(:\n"))
            case "copy":
                path.write_bytes(copied)
            case "move" if path.is_file():
                path.rename(path.with_name(f"moved{second % 3}.py"))
            case "link":
                path.symlink_to(os.path.relpath(other, path.parent))


KINDS = ["delete line", "append", "remove", "copy", "move", "link"]
EDITS = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 80), st.integers(0, 80)), min_size=1, max_size=4)


@given(st.lists(EDITS, min_size=1, max_size=3))
@example([[("link", 3, 3)], [("append", 7, 0)], [("remove", 7, 0), ("copy", 3, 9)]])
@settings(deadline=None, max_examples=8)
def test_a_warm_run_of_the_example_says_what_a_cold_one_does(rounds: list[list[Edit]]) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder, "example")
        shutil.copytree(FIXTURES / "example", root)
        warm, cold = (Options(root=str(root), enable=EVERY_CODE, cache_dir=cache) for cache in ("", "none"))
        analyse(warm)
        for edits in rounds:
            edit(root, edits)
            expected = analyse(cold)
            assert analyse(warm) == expected
            assert analyse(warm) == expected


# The command as a process


def check(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONWARNINGS": "error", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "flake8_deadline", "check", *arguments]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert "Traceback" not in done.stdout + done.stderr
    assert "internal error" not in done.stderr
    return done


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "setup.cfg").write_text("[flake8]\n")
    (root / "tasks.py").write_bytes(TASK)
    return root


BAD_FILES = {
    "python2.py": (b"try:\n    a()\nexcept A, e:\n    print e\n", 3, "multiple exception types must be parenthesized"),
    "newer.py": (b"x = 1\ntype X[T: int] = list[T] = 5\n", 2, "invalid syntax"),
    "nul.py": (b"x = 1\n\0\n", None, "null byte"),
    "klingon.py": (b"# coding: klingon\n", None, "unknown encoding: klingon"),
    "liar.py": (b"# coding: ascii\nx = '\xc3\xa9'\n", None, "can't decode byte 0xc3"),
    "latin.py": (b"x = 1\ny = '\xe9'\n", None, "can't decode byte 0xe9"),
    "merge.py": (b"<<<<<<< ours\nx = 1\n", 1, "invalid syntax"),
    "tabs.py": (b"if a:\n        b()\n\tc()\n", 3, "inconsistent use of tabs"),
    "deep.py": (b"x = " + b"(" * 500 + b")" * 500, 1, "too many nested parentheses"),
    "deeper.py": (b"x = " + b"-" * 100_000 + b"1", 1, "nested too deeply"),
    "number.py": (b"x = 1" + b"0" * 5000, 1, "Exceeds the limit"),
    "noise.py": (bytes(range(256)) * 4, None, ""),
}


def test_every_file_that_cannot_be_parsed_is_named_with_the_reason_and_the_rest_is_done(project: Path) -> None:
    for name, (source, _, _) in BAD_FILES.items():
        (project / name).write_bytes(source)
    done = check(project)
    assert done.returncode == 1
    assert "LIM101" in done.stdout
    said = {line.split(":")[1].strip(): line for line in done.stdout.splitlines() if line.startswith("error: ")}
    assert set(said) == set(BAD_FILES)
    for name, (_, line, reason) in BAD_FILES.items():
        assert reason in said[name]
        assert line is None or said[name].startswith(f"error: {name}:{line}: ")


def test_without_a_finding_a_file_that_cannot_be_parsed_is_exit_code_1(project: Path) -> None:
    (project / "tasks.py").write_bytes(b"print 'old'\n")
    done = check(project)
    assert done.returncode == 1
    assert "error: tasks.py:1: " in done.stdout


def test_paths_that_are_no_files_of_the_project_are_named_with_the_reason(project: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_bytes(TASK)
    (project / "package").mkdir()
    (project / "package" / "up").symlink_to("..")
    (project / "broken.py").symlink_to("nowhere.py")
    (project / "first.py").symlink_to("second.py")
    (project / "second.py").symlink_to("first.py")
    (project / "out.py").symlink_to(tmp_path / "secret.py")
    (project / "folder.py").mkdir()
    (project / "large.py").write_bytes(b"#" * (tree.SIZE_LIMIT + 1))
    os.mkfifo(project / "pipe.py")
    done = check(project)
    assert done.returncode == 1
    assert [line for line in done.stdout.splitlines() if line.startswith("error: ")] == [
        "error: broken.py: a broken symbolic link",
        "error: first.py: a loop of symbolic links",
        "error: large.py: larger than 8 MB",
        "error: out.py: a symbolic link that leads out of the project",
        "error: package/up: a symbolic link that leads back to a directory above it",
        "error: pipe.py: not a regular file",
        "error: second.py: a loop of symbolic links",
    ]
    assert done.stdout.count("LIM101") == 1


def test_a_directory_that_may_not_be_read_is_named_with_the_reason(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "closed").mkdir()
    scandir = os.scandir

    def refusing(path: str) -> object:
        if path.endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.chdir(project)
    monkeypatch.setattr(tree.os, "scandir", refusing)
    assert main(["check"]) == 1
    printed = capsys.readouterr()
    assert "error: closed: Permission denied" in printed.out
    assert "LIM101" in printed.out


def test_a_path_that_does_not_exist_is_exit_code_2_and_the_rest_is_done(project: Path) -> None:
    done = check(project, "tasks.py", "gone.py", "gone/")
    assert done.returncode == 2
    assert done.stderr.splitlines() == ["flake8-deadline: gone.py: no such file or directory", "flake8-deadline: gone/: no such file or directory"]
    assert "LIM101" in done.stdout


def test_an_unknown_option_is_exit_code_2_and_named(project: Path) -> None:
    done = check(project, "--nonsense")
    assert done.returncode == 2
    assert "unrecognized arguments: --nonsense" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("arguments", [[], ["."]])
def test_an_empty_project_has_nothing_to_say_and_says_so(tmp_path: Path, arguments: list[str]) -> None:
    done = check(tmp_path, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("No findings in a project of 0 files")


def test_a_project_of_empty_files_has_no_findings(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_bytes(b"")
    (tmp_path / "bom.py").write_bytes(b"\xef\xbb\xbf")
    (tmp_path / "feed.py").write_bytes(b"\f")
    (tmp_path / "return.py").write_bytes(b"\r")
    done = check(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("No findings in a project of 4 files")


def test_a_root_that_goes_away_is_said(project: Path) -> None:
    done = check(project, "--deadline-root", "gone")
    assert done.returncode == 2
    assert "gone" in done.stderr
