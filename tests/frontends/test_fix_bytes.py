"""From the files on disk to the files on disk: what `fix` shows is what it writes, to the byte, whatever the layout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from flake8_deadline import cli

LOOP = b"""import os


def sync(rows):
    for row in rows:
        try:
            row.save()
        except Exception:
            row.fail('NAME')
"""
CLAUSE = b"        except SoftTimeLimitExceeded:\n            raise\n"
LAYOUTS = {
    "line feeds": LOOP,
    "carriage returns and line feeds": LOOP.replace(b"\n", b"\r\n"),
    "carriage returns": LOOP.replace(b"\n", b"\r"),
    "mixed endings": LOOP.replace(b":\n", b":\r\n").replace(b")\n", b")\r"),
    "no newline at the end": LOOP.rstrip(b"\n"),
    "no newline at the end, carriage returns and line feeds": LOOP.replace(b"\n", b"\r\n").rstrip(b"\r\n"),
    "byte order mark": b"\xef\xbb\xbf" + LOOP,
    "byte order mark and no import": b"\xef\xbb\xbf" + LOOP[11:],
    "UTF-8": LOOP.replace(b"NAME", "größe \u2028".encode()),
    "latin-1": b"# coding: latin-1\n" + LOOP.replace(b"NAME", b"gr\xf6\xdfe \x85"),
    "cp1252": b"#!/usr/bin/python\n# -*- coding: cp1252 -*-\n" + LOOP.replace(b"NAME", b"\x80 5"),
    "latin-1 and carriage returns": (b"# coding: latin-1\n" + LOOP.replace(b"NAME", b"gr\xf6\xdfe")).replace(b"\n", b"\r"),
    "shift_jis": b"# coding: shift_jis\n" + LOOP.replace(b"NAME", "ソート".encode("shift_jis")),
    "tabs": LOOP.replace(b"    ", b"\t"),
    "form feeds": LOOP.replace(b"def", b"\x0c\ndef").replace(b"        except", b"\x0c        except"),
    "blanks at the ends of lines": LOOP.replace(b"\n", b"  \n"),
    "backslashes": LOOP.replace(b"except Exception", b"except \\\n  Exception"),
}


@pytest.fixture
def fix(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)

    def command(*arguments):
        code = cli.main(["fix", "--deadline-cache-dir", "none", *arguments])
        return code, capfdbinary.readouterr().out

    return command


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_git_makes_of_the_diff_what_is_written(tmp_path, fix, text):
    file = tmp_path / "jobs.py"
    file.write_bytes(text)
    code, diff = fix()
    assert (code, file.read_bytes()) == (1, text)
    subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], input=diff, check=True, cwd=tmp_path)
    applied = file.read_bytes()
    file.write_bytes(text)

    assert fix("--write", "--allow-dirty") == (0, b"")

    assert file.read_bytes() == applied
    assert applied.count(b"except SoftTimeLimitExceeded:") == 1


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_nothing_is_lost_and_a_second_run_finds_nothing(tmp_path, fix, text):
    file = tmp_path / "jobs.py"
    file.write_bytes(text)
    fix("--write", "--allow-dirty")
    added = file.read_bytes()
    for line in (b"from celery.exceptions import SoftTimeLimitExceeded", *CLAUSE.strip().split(b"\n            ")):
        assert line in added
    rest = iter(added)
    assert all(byte in rest for byte in text)

    assert fix("--write", "--allow-dirty") == (0, b"")
    assert file.read_bytes() == added


def test_a_file_without_an_edit_is_not_touched(tmp_path, fix):
    for name, text in (("clean.py", LOOP.replace(b"row.fail('NAME')", b"raise")), ("taken.py", b"SoftTimeLimitExceeded = 1\n" + LOOP)):
        (tmp_path / name).write_bytes(text)
    before = {path: path.stat() for path in tmp_path.iterdir()}

    assert fix("--write", "--allow-dirty")[0] == 1

    assert {path: path.stat() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    "reason",
    [
        pytest.param(
            ("except* takes groups apart", LOOP.replace(b"except E", b"except* E")),
            id="except*",
            marks=pytest.mark.skipif(sys.version_info < (3, 11), reason="except* is new in Python 3.11"),
        ),
        pytest.param(("libcst cannot parse the file (line 10)", LOOP + b"(a): int = 1\n"), id="libcst cannot parse it"),
        pytest.param(
            ("libcst, which makes the edit, would not write the other lines of the file back as they are", b"\\\n" + LOOP), id="libcst loses a line"
        ),
        pytest.param(("would swallow the re-raise", LOOP + b"        finally:\n            continue\n"), id="finally"),
        pytest.param(("the file is generated", b"# @generated\n" + LOOP), id="generated"),
        pytest.param(("is bound elsewhere (line 1, assignment)", b"SoftTimeLimitExceeded = 1\n" + LOOP), id="the name is taken"),
    ],
)
def test_each_refusal_is_told_with_its_place_and_counted_and_stops_no_other_file(tmp_path, monkeypatch, capsys, reason):
    why, text = reason
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_bytes(text)
    Path("b.py").write_bytes(LOOP)
    line = next(number for number, line in enumerate(text.split(b"\n"), start=1) if line.lstrip().startswith(b"except"))

    assert cli.main(["fix", "--deadline-cache-dir", "none", "--write", "--allow-dirty"]) == 1

    fixed, count, refused, *_ = capsys.readouterr().err.splitlines()
    assert (fixed, count) == ("Fixed 1 finding in 1 file (1 import added, 1 file imports celery for the first time).", "Not fixed: 1")
    assert refused.startswith(f"  a.py:{line}: LIM101 ")
    assert why in refused
    assert Path("a.py").read_bytes() == text
    assert CLAUSE in Path("b.py").read_bytes()
