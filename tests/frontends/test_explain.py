from __future__ import annotations

import runpy

import pytest

from flake8_deadline import cli
from flake8_deadline.rules import RULES


@pytest.fixture
def run(capfd):
    def command(*arguments):
        code = cli.main(["explain", *arguments])
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return command


def test_all_rules_are_listed_without_a_subject(run):
    code, out, _ = run()
    assert code == 0
    assert [line.split()[:2] for line in out.splitlines()] == [[rule.code, rule.name] for rule in RULES]


@pytest.mark.parametrize("subject", ["LIM101", "lim101", "deadline-swallowed-in-loop"])
def test_a_rule_is_explained_by_code_or_name(run, subject):
    code, out, _ = run(subject)
    assert code == 0
    assert out.startswith("LIM101 deadline-swallowed-in-loop (on by default; a safe fix: flake8-deadline fix)\n\n")
    assert out.endswith("# noqa: LIM101\n")


@pytest.mark.parametrize(("subject", "hint"), [("LIM3O1", "; did you mean LIM301?"), ("zzz", "")])
def test_an_unknown_subject_is_refused_with_the_nearest_name(run, subject, hint):
    assert run(subject) == (2, "", f"flake8-deadline: {subject}: no rule has this code or name, and a line is given as PATH:LINE{hint}\n")


@pytest.mark.parametrize(
    ("subject", "reason"),
    [("nowhere.py:1", "nowhere.py: no such file or directory"), ("sub:1", "sub: a directory has no lines"), ("../b.py:1", None)],
)
def test_a_line_that_cannot_be_looked_at_is_said(project, run, tmp_path, subject, reason):
    root = project({"a.py": "x\n", "sub/c.py": "x\n"})
    (tmp_path / "b.py").touch()
    reason = reason or f"../b.py: outside the project root {root}; another root is chosen with --deadline-root"
    assert run(subject, "--deadline-root", ".") == (2, "", f"flake8-deadline: {reason}\n")


def test_a_finding_is_explained_with_its_chain(project, run, engine):
    project({"a.py": "x\nx  #! LIM101\n"})
    code, out, _ = run("a.py:2")
    assert code == 0
    assert out == (
        "LIM101 [*] found on line 2; mend it\n --> a.py:2:1\n  |\n1 | x\n2 | x  #! LIM101\n  | ^\n"
        "  = a.py:1  task billing.sync\n  = a.py:2  handler\n  = help: flake8-deadline fix a.py\nReported by check.\n"
    ).replace("\n -->", "\n  -->")


@pytest.mark.parametrize(
    ("line", "arguments", "verdict"),
    [
        ("x  #! LIM109", [], "Not reported: LIM109 is off by default; --enable LIM109 switches it on."),
        ("x  #! LIM109", ["--enable", "LIM109"], "Reported by check."),
        ("x  #! LIM101  # noqa", [], "Not reported: silenced by noqa, or by the configuration (select, ignore, exclude)."),
        ("x  #! LIM101", ["--ignore", "LIM101"], "Not reported: silenced by noqa, or by the configuration (select, ignore, exclude)."),
    ],
)
def test_it_is_said_why_a_finding_is_not_reported(project, run, engine, line, arguments, verdict):
    project({"a.py": line + "\n"})
    assert run("a.py:1:5", *arguments)[1].endswith(f"\n{verdict}\n")


def test_a_file_that_cannot_be_parsed_is_said(project, run, engine):
    project({"a.py": "def f(:\n", "b.py": "x (\n"})
    assert run("b.py:1")[1] == "b.py:1: SyntaxError: '(' was never closed: nothing is known about this file\n"


TASKS = """\
from celery import shared_task


@shared_task(soft_time_limit=60, time_limit=90)
def sync(rows):
    for row in rows:
        with lock():
            if row:
                try:
                    row.save()
                except Exception:
                    raise
                finally:
                    done()
    helper(rows)


def helper(rows):
    try:
        rows.close()
    except Exception:
        pass


def nobody(rows):
    try:
        rows.close()
    except Exception:
        pass


try:
    import fast
except Exception:
    pass
"""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (6, ["No except clause stands on this line."]),
        (11, ["The except clause on this line stands in function sync, which is reached like this:", "  shop/tasks.py:4  task shop.tasks.sync"]),
        (21, ["The except clause on this line stands in function helper, which is reached like this:", "  shop/tasks.py:4  task shop.tasks.sync"]),
        (28, ["The except clause on this line stands in function nobody, which no task is known to reach."]),
        (34, ["The except clause on this line stands in the module's own body, which no task is known to reach."]),
    ],
)
def test_what_is_known_of_a_line_without_findings_is_said(project, run, line, said):
    project({"shop/__init__.py": "", "shop/tasks.py": TASKS})
    code, out, _ = run(f"shop/tasks.py:{line}", "--deadline-cache-dir", "none")
    assert code == 0
    assert out.splitlines()[: len(said) + 1] == [f"shop/tasks.py:{line}: no rule has a finding here, not even one that is off by default.", *said]


def test_the_findings_nearby_are_listed(project, run, engine):
    project({"a.py": "x\nx  #! LIM101\n", "b.txt": "x\n"})
    assert run("a.py:1")[1].endswith("\nFindings in this file:\n  a.py:2: LIM101 found on line 2; mend it\n")
    assert run("b.txt:1")[1].endswith("\nThe file is not among those that are read.\n")


@pytest.mark.usefixtures("handlers")
def test_the_package_runs_as_the_command(monkeypatch, capfd):
    monkeypatch.setattr("sys.argv", ["__main__.py", "explain"])
    with pytest.raises(SystemExit) as caught:
        runpy.run_module("flake8_deadline", run_name="__main__")
    assert caught.value.code == 0
    assert capfd.readouterr().out.startswith("LIM101  deadline-swallowed-in-loop ")
