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


@pytest.mark.live
def test_libcst_s_tool_runs_the_command(project: Path) -> None:
    (project / "a.py").write_bytes(LOOP)
    (project / "b.py").write_bytes(b"SoftTimeLimitExceeded = None\n" + LOOP)
    arguments = ["-m", "libcst.tool", "codemod", "-x", "flake8_deadline.codemods.ReraiseDeadline", "--no-format", "--enable", "LIM109", "."]

    done = subprocess.run([sys.executable, *arguments], cwd=project, env=os.environ, capture_output=True, text=True, check=True)

    assert (project / "a.py").read_bytes() == MENDED
    assert "WARNING: b.py:6: LIM101 not fixed: the name SoftTimeLimitExceeded" in done.stderr
