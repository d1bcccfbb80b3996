"""The same edit through libcst's own tool."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import libcst as cst
import pytest
from libcst.codemod import CodemodContext, SkipFile

from flake8_deadline.codemods import ReraiseDeadline, command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOOP = b"def f(rows):\n    for row in rows:\n        try:\n            row.go()\n        except Exception:\n            pass\n"
CLAUSE = b"        except SoftTimeLimitExceeded:\n            raise\n"
MENDED = b"from celery.exceptions import SoftTimeLimitExceeded\n\n" + LOOP.replace(b"        except", CLAUSE + b"        except")
TASK = b"from celery import shared_task\n\n\n@shared_task(time_limit=9)\ndef job(rows):\n    f(rows)\n\n\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty project, the current directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "setup.cfg").write_text("[flake8]\ndeadline-cache-dir = none\n")
    _forget()
    yield tmp_path
    _forget()


def _forget() -> None:
    command._analysis.cache_clear()
    command._first_party.cache_clear()


def run(path: Path, source: bytes, enable: str = "") -> tuple[bytes, list[str]]:
    """The text after the command, and its warnings."""
    path.write_bytes(source)
    _forget()
    context = CodemodContext(filename=str(path))
    result = ReraiseDeadline(context, enable=enable).transform_module(cst.parse_module(source))
    return result.bytes, context.warnings


def test_the_command_mends_what_the_linter_finds(project: Path) -> None:
    assert run(project / "a.py", LOOP) == (MENDED, [])
    assert run(project / "a.py", MENDED) == (MENDED, [])


def test_what_the_edit_brings_to_light_in_the_file_is_mended_with_it(project: Path) -> None:
    inner = b"            try:\n                row.go()\n            except Exception:\n                row.failed = True\n"
    result, warnings = run(project / "a.py", LOOP.replace(b"            row.go()\n", inner))

    assert result.count(b"except SoftTimeLimitExceeded:") == 2
    assert warnings == []


def test_code_that_no_task_reaches_is_mended_where_its_rule_is_enabled(project: Path) -> None:
    (project / "tasks.py").write_bytes(TASK + LOOP)

    assert run(project / "a.py", LOOP) == (LOOP, [])
    assert run(project / "a.py", LOOP, enable="LIM109") == (MENDED, [])


def test_a_noqa_is_respected(project: Path) -> None:
    text = LOOP.replace(b"Exception:", b"Exception:  # noqa: LIM101")

    assert run(project / "a.py", text) == (text, [])


def test_a_refusal_is_a_warning(project: Path) -> None:
    text = b"SoftTimeLimitExceeded = None\n" + LOOP

    assert run(project / "a.py", text) == (
        text,
        ["a.py:6: LIM101 not fixed: the name SoftTimeLimitExceeded is bound elsewhere (line 1, assignment)"],
    )


@pytest.mark.parametrize("text", [LOOP.replace(b"Exception:", b"Exception :"), b"for a in b:\n    try: a\n    except A :\n        pass\n"])
def test_a_file_that_libcst_would_alter_is_skipped(project: Path, text: bytes) -> None:
    with pytest.raises(SkipFile, match="use flake8-deadline fix"):
        run(project / "a.py", text)


def test_a_file_that_the_linter_cannot_parse_is_skipped_with_its_reason(project: Path) -> None:
    with pytest.raises(SkipFile, match=r"a\.py:7: .*truncated"):
        run(project / "a.py", LOOP + rb"a = '\x1'")


def test_a_broken_configuration_skips_with_its_reason(project: Path) -> None:
    (project / "setup.cfg").write_text("[flake8]\ndeadline-scope = nonsense\n")

    with pytest.raises(SkipFile, match="deadline-scope"):
        run(project / "a.py", LOOP)


def test_standard_input_is_refused(project: Path) -> None:
    with pytest.raises(SkipFile, match="standard input"):
        ReraiseDeadline(CodemodContext()).transform_module(cst.parse_module(LOOP))


def test_arguments_of_the_tool_are_the_command_s() -> None:
    parser = argparse.ArgumentParser()
    ReraiseDeadline.add_args(parser)

    ReraiseDeadline(CodemodContext(), **vars(parser.parse_args(["--enable", "LIM109"])))

    assert vars(parser.parse_args([])) == {"enable": ""}


FILES = {
    "plain.py": LOOP,
    "shop/task.py": TASK.replace(b"f(rows)", b"sweep(rows)") + LOOP.replace(b"def f", b"def sweep"),
    "windows.py": LOOP.replace(b"\n", b"\r\n"),
    "mark.py": b"\xef\xbb\xbf" + LOOP,
    "latin.py": b"# coding: latin-1\n\n\n" + LOOP.replace(b"pass", b"print('\xe4')"),
    "unfinished.py": LOOP.rstrip(b"\n"),
    "clean.py": LOOP.replace(b"pass", b"raise"),
    "taken.py": b"SoftTimeLimitExceeded = None\n" + LOOP,
    "spaced.py": LOOP.replace(b"Exception:", b"Exception :"),
    "old.py": b"print 'a'\n",
}
LEFT = {"clean.py", "taken.py", "old.py"}
"""What neither command changes."""


def plant(project: Path, files: dict[str, bytes]) -> None:
    for name, text in files.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_bytes(text)


def texts(project: Path) -> dict[str, bytes]:
    return {name: (project / name).read_bytes() for name in FILES}


def in_a_process(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *arguments], cwd=project, env=os.environ, capture_output=True, text=True)


def tool(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ("libcst.tool", "codemod", "-x", "flake8_deadline.codemods.ReraiseDeadline", "--no-format", "--enable", "LIM109")
    return in_a_process(project, *command, *arguments)


@pytest.mark.live
@pytest.mark.parametrize("arguments", [["-j", "1", "."], ["-j", "2", "."], ["."]], ids=" ".join)
def test_libcst_s_tool_writes_the_bytes_that_fix_writes_or_says_why_not(project: Path, arguments: list[str]) -> None:
    plant(project, FILES)
    in_a_process(project, "flake8_deadline", "fix", "--write", "--allow-dirty", "--enable", "LIM109")
    fixed = texts(project)
    assert {name for name, text in fixed.items() if text == FILES[name]} == LEFT
    plant(project, FILES)

    done = tool(project, *arguments)

    assert texts(project) == {**fixed, "spaced.py": FILES["spaced.py"]}
    assert done.returncode == 1, "libcst's own word for a file that it cannot parse"
    assert "taken.py:6: LIM109 not fixed: the name SoftTimeLimitExceeded is bound elsewhere (line 1, assignment)" in done.stderr
    assert "libcst does not reproduce this file to the byte: use flake8-deadline fix" in done.stderr
    assert "old.py" in done.stderr


@pytest.mark.live
def test_libcst_s_tool_changes_the_one_file_it_is_given(project: Path) -> None:
    plant(project, FILES)

    done = tool(project, "plain.py")

    assert done.returncode == 0
    assert texts(project) == {**FILES, "plain.py": MENDED}


@pytest.mark.live
def test_libcst_s_tool_shows_the_diff_where_it_is_asked_to(project: Path) -> None:
    plant(project, FILES)

    done = tool(project, "-u", "3", "plain.py")

    assert "+        except SoftTimeLimitExceeded:\n+            raise\n" in done.stdout
    assert texts(project) == FILES


@pytest.mark.live
def test_libcst_s_tool_changes_nothing_in_a_second_run(project: Path) -> None:
    plant(project, FILES)
    tool(project, ".")
    once = texts(project)

    tool(project, ".")

    assert texts(project) == once
