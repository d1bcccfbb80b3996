from __future__ import annotations

import ast
import multiprocessing

import pytest
from flake8.exceptions import ExecutionError

from flake8_deadline.plugin import Plugin
from flake8_deadline.selection import flake8_options


@pytest.fixture
def lint(engine):
    """Parse options and run the plugin over one file, as flake8 does: rows of (line, column from 0, text)."""

    def run(filename, *arguments, text=None, paths=None):
        Plugin.parse_options(flake8_options(arguments, [filename] if paths is None else paths)[0])
        return again(filename, text)

    def again(filename, text=None):
        if text is None:
            with open(filename, encoding="utf-8-sig") as file:
                text = file.read()
        found = Plugin(ast.parse(text), filename, text.splitlines(keepends=True)).run()
        return [(line, column, code_and_text) for line, column, code_and_text, kind in found if kind is Plugin]

    run.again = again
    return run


def test_the_findings_of_the_file_are_printed(project, lint):
    project({"a.py": "if x:\n    y  #! LIM101\n", "b.py": "x  #! LIM101\n"})
    assert lint("a.py") == [(2, 4, "LIM101 found on line 2; mend it")]


def test_the_project_is_analysed_once_for_all_files(project, lint, engine):
    root = project({"a.py": "x  #! LIM101", "b/c.py": "x  #! LIM201"})
    lint("./a.py", paths=[])
    assert lint.again("./b/c.py") == [(1, 0, "LIM201 found on line 1; mend it")]
    assert lint.again(str(root / "b/c.py")) == [(1, 0, "LIM201 found on line 1; mend it")]
    assert len(engine.runs) == 1


def test_three_files_named_know_the_whole_project(project, lint, engine):
    root = project({".git/HEAD": "", "a.py": "", "b/c.py": "x  #! LIM101"})
    assert lint("b/c.py") == [(1, 0, "LIM101 found on line 1; mend it")]
    assert engine.runs[0].root == str(root)


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        ([], ["LIM101"]),
        (["--deadline-enable=LIM109"], ["LIM101", "LIM109"]),
        (["--deadline-enable=LIM101"], ["LIM101"]),
        (["--select=LIM,LIM109"], ["LIM101", "LIM109"]),
        (["--extend-select=LIM307"], ["LIM101", "LIM307"]),
        (["--select=LIM,LIM10,LIM3"], ["LIM101"]),
        (["--ignore=E501"], ["LIM101"]),
    ],
)
def test_a_rule_that_is_off_is_switched_on_by_name_alone(project, lint, arguments, codes):
    project({"a.py": "x  #! LIM101\nx  #! LIM109\nx  #! LIM307\n"})
    assert [text[:6] for _, _, text in lint("a.py", *arguments)] == codes


def test_a_rule_that_does_not_exist_cannot_be_switched_on(project, lint):
    project({"a.py": ""})
    with pytest.raises(ExecutionError, match=r"^deadline-enable: there is no rule LIM999; the rules are LIM101, "):
        lint("a.py", "--deadline-enable=LIM999")


def test_nothing_is_analysed_where_nothing_could_be_printed(project, lint, engine, capsys):
    project({"a.py": "x  #! LIM101"})
    assert lint("a.py", "--select=E") == []
    assert lint("-", "--select=E", text="x  #! LIM101") == []
    assert engine.runs == []
    assert capsys.readouterr().err == ""


def test_a_plugin_that_is_configured_but_not_selected_says_so_once(project, lint, capsys, monkeypatch):
    project({"a.py": "", ".flake8": "[flake8]\ndeadline-scope = everywhere"})
    lint("a.py", "--select=E")
    assert "extend-select = LIM" in capsys.readouterr().err
    lint("-", "--select=E", text="")  # an editor shows anything on standard error as an error of its own
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: "the process that has said so already")
    lint("a.py", "--select=E")
    assert capsys.readouterr().err == ""


def test_a_buffer_stands_in_for_the_file_it_is_named_after(project, lint, engine):
    project({"a.py": "x  #! LIM101\n", "b.py": ""})
    Plugin.parse_options(flake8_options(["--stdin-display-name=a.py"], ["-"])[0])
    assert engine.runs == []
    assert lint.again("a.py", "\n\nx  #! LIM201\n") == [(3, 0, "LIM201 found on line 3; mend it")]
    assert engine.overrides == [{"a.py": b"\n\nx  #! LIM201\n"}]


def test_a_buffer_like_its_file_changes_nothing(project, lint, engine):
    project({"a.py": b"\xef\xbb\xbfx  #! LIM101\r\n"})
    Plugin.parse_options(flake8_options(["--stdin-display-name=a.py"], ["-"])[0])
    assert len(lint.again("a.py", "x  #! LIM101\n")) == 1
    assert engine.overrides == [{}]


@pytest.mark.parametrize("on_disk", [None, b"# coding: nonsense\n", b"\xff\xff"])
def test_a_buffer_is_used_where_its_file_is_new_or_cannot_be_read(project, lint, engine, on_disk):
    project({"b.py": "", **({} if on_disk is None else {"new.py": on_disk})})
    Plugin.parse_options(flake8_options(["--stdin-display-name=new.py"], ["-"])[0])
    assert len(lint.again("new.py", "x  #! LIM101\n")) == 1


def test_a_buffer_without_a_name_is_one_more_file(project, lint, engine):
    project({"a.py": "x  #! LIM101\n"})
    assert lint("stdin", text="\nx  #! LIM201\n", paths=["-"]) == [(2, 0, "LIM201 found on line 2; mend it")]
    assert list(engine.overrides[0]) == ["stdin.py"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# coding: latin-1\ns = 'é'\n", b"# coding: latin-1\ns = '\xe9'\n"),
        ("s = 'é'\n", b"s = '\xc3\xa9'\n"),
        ("# coding: ascii\ns = 'é'\n", b"# coding: ascii\ns = '\xc3\xa9'\n"),
        ("# coding: nonsense\ns = 'é'\n", b"# coding: nonsense\ns = '\xc3\xa9'\n"),
    ],
)
def test_a_buffer_is_given_in_the_encoding_it_declares(project, lint, engine, text, expected):
    project({"a.py": ""})
    Plugin.parse_options(flake8_options(["--stdin-display-name=a.py"], ["-"])[0])
    list(Plugin(ast.Module([], []), "a.py", text.splitlines(keepends=True)).run())
    assert engine.overrides == [{"a.py": expected}]


def test_a_file_outside_the_root_is_passed_over_in_silence(project, lint, tmp_path, capsys):
    project({"a.py": "x  #! LIM101"})
    (tmp_path / "elsewhere.py").write_text("x  #! LIM101")
    lint("a.py", paths=["a.py", str(tmp_path / "elsewhere.py")])
    assert lint.again(str(tmp_path / "elsewhere.py")) == []
    assert capsys.readouterr().err == ""


def test_a_noqa_on_the_definition_counts_unless_noqa_is_off(project, lint):
    project({"a.py": "@job  #! LIM301\ndef f(): ...  # noqa: LIM301\nx  #! LIM101\n"})
    assert [text[:6] for _, _, text in lint("a.py")] == ["LIM101"]
    assert [text[:6] for _, _, text in lint("a.py", "--disable-noqa")] == ["LIM301", "LIM101"]


def test_a_failure_in_a_file_is_a_finding_and_not_a_traceback(project, lint, monkeypatch):
    project({"a.py": "x  #! LIM101\n"})
    lint("a.py")
    monkeypatch.setattr("flake8_deadline.plugin.findings", lambda *_: 1 / 0)
    assert lint.again("a.py") == [(1, 0, "LIM900 internal error, please report it: ZeroDivisionError: division by zero")]


@pytest.mark.parametrize(
    ("failure", "text"),
    [
        (PermissionError(13, "Permission denied", "/root/x"), "flake8-deadline: /root/x: Permission denied"),
        (ZeroDivisionError("division by zero"), "flake8-deadline: internal error, please report it: ZeroDivisionError: division by zero"),
    ],
)
def test_a_failure_of_the_analysis_is_one_message(project, lint, engine, failure, text):
    project({"a.py": ""})
    engine.failure = failure
    with pytest.raises(ExecutionError) as caught:
        lint("a.py")
    assert str(caught.value) == text


def test_the_plugin_declares_its_options_to_flake8():
    declared = []

    class Manager:
        def add_option(self, name, **details):
            declared.append((name, details["parse_from_config"]))

    Plugin.add_options(Manager())
    assert ("--deadline-root", True) in declared
    assert len(declared) == 9
