from __future__ import annotations

import io
import json
import os
import re
import sys

import pytest

from flake8_deadline import cli
from flake8_deadline.cli import check, output

FOUND = "x  #! LIM101\n"


@pytest.fixture
def run(engine, capfd):
    """Run the command; its exit code, standard output and standard error."""

    def command(*arguments):
        code = cli.main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return command


def test_findings_are_exit_code_1_and_none_is_0(project, run):
    root = project({"a.py": FOUND})
    assert run("check")[0] == 1
    (root / "a.py").write_text("x\n")
    code, out, err = run("check")
    assert (code, out, err) == (0, "No findings in a project of 1 file and 2 tasks.\n", "")


def test_concise_is_what_flake8_prints(project, run):
    project({"a.py": FOUND, "b/old.py": "def f(:\n", "b/c.py": "if 1:\n    x  #! LIM201\n"})
    code, out, _ = run("check", "--format", "concise")
    assert code == 1
    assert out.splitlines() == [
        "./a.py:1:1: LIM101 found on line 1; mend it",
        "./b/c.py:2:5: LIM201 found on line 2; mend it",
        "./b/old.py:1:1: E999 SyntaxError: invalid syntax",
    ]


def test_a_file_that_cannot_be_parsed_is_reported_and_the_code_is_at_least_1(project, run):
    project({"a.py": "x\n", "old.py": "print 'x'\n"})
    code, out, _ = run("check")
    assert code == 1
    assert "error: old.py:1: SyntaxError: " in out


def test_a_named_file_gives_what_the_whole_run_gives_for_it(project, run, engine):
    project({".git/HEAD": "", "a.py": FOUND, "b/c.py": FOUND})
    whole = run("check", "--format", "concise")[1]
    assert "".join(run("check", "--format", "concise", f"./{path}")[1] for path in ("a.py", "b/c.py")) == whole
    assert engine.paths[1:] == [["a.py"], ["b/c.py"]]
    assert engine.runs[0] == engine.runs[1]


def test_statistics_are_counted(project, run):
    project({"a.py": FOUND + "x  #! LIM101  # noqa\n" + FOUND})
    out = run("check", "--statistics")[1]
    assert "      2  LIM101 deadline-swallowed-in-loop\n" in out
    assert "      2  tasks, which reach 3 functions\n" in out
    assert "      5  calls in them, of which 7 could not be resolved\n" in out
    assert "      1  findings silenced by noqa\n" in out
    assert run("check", "--statistics", "--format", "concise")[1].endswith("      1  findings silenced by noqa\n")


def test_the_report_can_be_written_to_a_file(project, run):
    root = project({"a.py": FOUND})
    code, out, _ = run("check", "--format", "json", "--output", "out.json")
    assert (code, out) == (1, "")
    assert json.loads((root / "out.json").read_bytes())["findings"][0]["code"] == "LIM101"


def test_a_report_that_cannot_be_written_is_exit_code_2(project, run):
    project({"a.py": FOUND})
    assert run("check", "--output", "no/such/directory.txt") == (2, "", "flake8-deadline: no/such/directory.txt: No such file or directory\n")


def test_a_path_that_does_not_exist_is_said_and_the_rest_is_done(project, run):
    project({"a.py": FOUND})
    code, out, err = run("check", "--format", "concise", "a.py", "nowhere.py")
    assert code == 2
    assert out == "a.py:1:1: LIM101 found on line 1; mend it\n"
    assert err == "flake8-deadline: nowhere.py: no such file or directory\n"


def test_nothing_is_analysed_where_no_path_can_be_read(project, run, engine):
    root = project({"a.py": FOUND})
    (root / "dead.py").symlink_to(root / "gone.py")
    os.mkfifo(root / "pipe.py")
    code, out, err = run("check", "nowhere", "dead.py", "pipe.py", "-")
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        "flake8-deadline: nowhere: no such file or directory",
        "flake8-deadline: dead.py: a symbolic link that leads nowhere",
        "flake8-deadline: pipe.py: neither a file nor a directory",
        "flake8-deadline: -: standard input is not read: name the file",
    ]
    assert engine.runs == []


def test_a_path_that_may_not_be_read_is_said(project, run, monkeypatch):
    project({"a.py": FOUND})
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert run("check", "a.py") == (2, "", "flake8-deadline: a.py: permission denied\n")


def test_a_path_outside_the_root_is_said(project, run, tmp_path):
    root = project({"a.py": FOUND})
    (tmp_path / "b.py").write_text(FOUND)
    code, out, err = run("check", "--format", "concise", "a.py", tmp_path / "b.py")
    assert code == 2
    assert out.startswith("a.py:1:1: LIM101")
    assert err == f"flake8-deadline: {tmp_path}/b.py: outside the project root {root}; another root is chosen with --deadline-root\n"


def test_a_directory_elsewhere_is_a_project_of_its_own(project, run, tmp_path):
    project({"a.py": FOUND})
    (tmp_path / "other").mkdir()
    (tmp_path / "other/b.py").write_text(FOUND)
    code, out, err = run("check", "--format", "concise", tmp_path / "other")
    assert (code, err) == (1, "")
    assert out == f"{tmp_path}/other/b.py:1:1: LIM101 found on line 1; mend it\n"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--enable", "LIM999"], "deadline-enable: there is no rule LIM999"),
        (["--select", "LIM101,LIM998"], "--select: there is no rule LIM998"),
        (["--extend-select", "LIM997"], "--extend-select: there is no rule LIM997"),
        (["--deadline-scope", "all"], "deadline-scope: 'all' is neither"),
        (["--config", "nowhere.cfg"], "The specified config file does not exist: nowhere.cfg"),
        (["--append-config", "nowhere.cfg"], "The specified config file does not exist: nowhere.cfg"),
        (["--per-file-ignores", "nonsense"], "Expected `per-file-ignores` to be a mapping"),
    ],
)
def test_a_bad_option_is_exit_code_2_with_the_reason(project, run, arguments, reason):
    project({"a.py": FOUND})
    code, out, err = run("check", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"flake8-deadline: {reason}")
    assert "Traceback" not in err


@pytest.mark.parametrize("arguments", [["--nonsense"], ["nonsense"], [], ["check", "--format", "xml"], ["check", "--form", "json"]])
def test_a_command_line_that_cannot_be_understood_is_exit_code_2(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    assert "flake8-deadline" in capsys.readouterr().err


def test_a_configuration_file_that_cannot_be_read_is_said_and_the_rest_is_done(project, run):
    root = project({"a.py": FOUND, "setup.cfg": "[flake8"})
    code, out, err = run("check", "--format", "concise")
    assert code == 2
    assert "LIM101" in out
    assert err.startswith(f"flake8-deadline: {root}/setup.cfg: cannot be read as configuration: ")


def test_a_selection_that_leaves_nothing_to_report_is_said(project, run):
    project({"a.py": FOUND})
    code, out, err = run("check", "--extend-ignore", "LIM")
    assert (code, out[:11]) == (0, "No findings")
    assert err == "flake8-deadline: select and ignore leave no rule to report\n"


def test_options_reach_the_engine(project, run, engine):
    root = project({"sub/a.py": "x  #! LIM109\n", ".flake8": "[flake8]\ndeadline-signals = a.B"})
    assert run("check", "--enable", "LIM109", "--everywhere", "--deadline-root", "sub", "--deadline-cache-dir", "none")[0] == 1
    assert engine.runs[0].root == str(root / "sub")
    assert engine.runs[0].scope == "everywhere"
    assert engine.runs[0].enable == ("LIM109",)
    assert engine.runs[0].signals == ("a.B",)
    assert run("check", "--isolated")[0] == 0
    assert engine.runs[1].signals == ()


def test_flake8s_options_are_handed_on(project, run):
    project({"a.py": FOUND, "b.py": "x  #! LIM101  # noqa\n", "extra.cfg": "[flake8]\nexclude = a.py"})
    assert run("check", "--append-config", "extra.cfg")[0] == 0
    assert run("check", "--append-config", "extra.cfg", "--disable-noqa")[0] == 1
    assert run("check", "--ignore", "LIM101")[0] == 0


def test_an_internal_error_is_one_line_and_exit_code_2(project, run, engine):
    project({"a.py": FOUND})
    engine.failure = ZeroDivisionError("division by zero")
    code, out, err = run("check")
    assert (code, out) == (2, "")
    assert err.startswith("flake8-deadline: internal error, please report it: ZeroDivisionError: division by zero (conftest.py, line ")
    assert err.count("\n") == 1


def test_a_file_that_vanishes_is_said_by_name(project, run, engine):
    project({"a.py": FOUND})
    engine.failure = FileNotFoundError(2, "No such file or directory", b"a.py")
    assert run("check") == (2, "", "flake8-deadline: a.py: No such file or directory\n")


def test_a_failure_of_the_system_without_a_file_is_said_as_it_is(project, run, engine):
    project({"a.py": FOUND})
    engine.failure = OSError(28, "No space left on device")
    assert run("check") == (2, "", "flake8-deadline: [Errno 28] No space left on device\n")


def test_a_name_that_is_no_text_is_refused(project, run):
    root = project({"a.py": FOUND})
    odd = os.fsdecode(b"caf\xe9.py")
    (root / odd).write_text(FOUND)
    code, out, err = run("check", "--format", "concise", "a.py", odd)
    assert (code, out) == (2, "a.py:1:1: LIM101 found on line 1; mend it\n")
    assert re.fullmatch(r"flake8-deadline: caf\S+py: its name is not valid UTF-8\n", err)


def test_an_interrupt_is_exit_code_130(project, run, engine):
    project({"a.py": FOUND})
    engine.failure = KeyboardInterrupt()
    assert run("check") == (130, "", "")


def test_a_reader_that_goes_away_is_no_error(project, run, monkeypatch):
    project({"a.py": FOUND})
    replaced = []
    monkeypatch.setattr(os, "dup2", lambda source, target: replaced.append(target))

    def gone(*arguments, **more):
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(check, "write", gone)
    code, out, err = run("check")
    assert (code, out, err) == (141, "", "")
    assert len(replaced) == 1


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("colour", "environment", "is_terminal", "expected"),
    [
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": ""}, True, True),
        ("auto", {"TERM": "dumb"}, True, False),
        ("never", {}, True, False),
        ("always", {"NO_COLOR": "1"}, False, True),
    ],
)
def test_colour_is_for_terminals_and_no_color_is_honoured(monkeypatch, colour, environment, is_terminal, expected):
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", Terminal() if is_terminal else io.StringIO())
    assert output.style(colour).colour is expected


def test_a_file_has_neither_colour_nor_the_terminals_width(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("COLUMNS", "60")
    assert output.style("auto").width == 60
    assert output.style("auto", is_file=True) == output.Style(colour=False, width=120)


def test_text_is_written_in_any_encoding_and_data_in_utf_8(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    output.write("é\n")
    output.write("é\n", is_data=True)
    assert stream.buffer.getvalue() == b"\\xe9\n\xc3\xa9\n"
