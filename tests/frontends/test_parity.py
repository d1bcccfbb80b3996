"""The real flake8, as a process: the plugin and `check` must say the same, however flake8 runs its workers."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[1] / "fixtures" / "example"
SPAWN = """\
import multiprocessing, sys
from flake8.main.cli import main
if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    sys.argv[0] = "flake8"
    sys.exit(main())
"""
WAYS = {
    "one process": ["-m", "flake8", "-j1"],
    "forked workers": ["-m", "flake8", "-j2"],
    "spawned workers": ["spawn.py", "-j2"],
}
LOOP = """\
from celery import shared_task


@shared_task
def sync(rows):
    for row in rows:
        try:
            row.save()
        except Exception:{noqa}
            row.fail()
"""
CALLER = """\
from celery import shared_task
from helper import save


@shared_task(time_limit=9)
def run(rows):
    for row in rows:
        save(row)
"""
PROJECT = {
    ".flake8": "[flake8]\nexclude = build,*/skipped.py\nper-file-ignores =\n    waived.py: LIM301\n    sub/*: LIM101\nextend-ignore = LIM2,W\n",
    "plain.py": LOOP.format(noqa=""),
    "waived.py": LOOP.format(noqa=""),
    "sub/waived.py": LOOP.format(noqa=""),
    "build/lib.py": LOOP.format(noqa=""),
    "deep/skipped.py": LOOP.format(noqa=""),
    "noqa.py": LOOP.format(noqa="  # noqa: LIM101"),
    "other_noqa.py": LOOP.format(noqa="  # noqa: E722"),
    "blanket.py": LOOP.format(noqa="  # NOQA"),
    "whole.py": "# flake8: noqa\n" + LOOP.format(noqa=""),
    "definition.py": LOOP.format(noqa="").replace("def sync(rows):", "def sync(rows):  # noqa: LIM301"),
    "lines.py": LOOP.format(noqa="").replace("@shared_task\n", "@shared_task(\n    bind=True,\n)  # noqa\n"),
    "crlf.py": LOOP.format(noqa="").replace("\n", "\r\n"),
    "mark.py": "\ufeff" + LOOP.format(noqa=""),
    "tabs.py": LOOP.format(noqa="").replace("    ", "\t"),
    "feed.py": LOOP.format(noqa="").replace("\n\n\n", "\n\n\x0c\n"),
    "latin.py": ("# coding: latin-1\nX = 'é'\n" + LOOP.format(noqa="")).encode("latin-1"),
    "wide.py": "X = '日本'; " + LOOP.format(noqa=""),
    "caller.py": CALLER,
    "helper.py": "def save(row):\n    try:\n        row.save()\n    except Exception:\n        return None\n",
    "unreached.py": LOOP.format(noqa="").partition("@shared_task\n")[2],
    "old.py": "print 'x'\n",
    "script": LOOP.format(noqa=""),
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """Two projects and the program that runs flake8 with spawned workers."""
    root = tmp_path_factory.mktemp("parity")
    shutil.copytree(EXAMPLE, root / "example")
    for name, text in PROJECT.items():
        path = root / "mixed" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    for project in ("example", "mixed"):
        (root / project / "spawn.py").write_text(SPAWN)
    return root


def output(command, directory, **more):
    environment = {**os.environ, "PYTHONPATH": ""}
    done = subprocess.run([sys.executable, *command], cwd=directory, capture_output=True, text=True, env=environment, **more)
    assert done.returncode in (0, 1), done.stderr
    assert done.stderr == ""
    return done.stdout


def flake8_lines(way, directory, *arguments):
    return output([*WAYS[way], "--select=LIM,E9", *arguments], directory).splitlines()


def check_lines(directory, *arguments):
    return output(["-m", "flake8_deadline", "check", "--format", "concise", *arguments], directory).splitlines()


def without_errors(lines):
    return [line for line in lines if ": E9" not in line]


def broken(lines):
    return {line.partition(":")[0] for line in lines if ": E9" in line}


@pytest.mark.parametrize("project", ["example", "mixed"])
@pytest.mark.parametrize("way", WAYS)
def test_flake8_and_check_print_the_same_lines_in_the_same_order(tree, project, way):
    printed, checked = flake8_lines(way, tree / project), check_lines(tree / project)
    assert without_errors(printed) == without_errors(checked) != []
    assert broken(printed) == broken(checked)


@pytest.mark.parametrize(
    "arguments",
    [
        ["sub", "plain.py", "./deep"],
        ["build/lib.py", "script"],
        ["--exclude=sub", "."],
        ["--disable-noqa"],
        ["--extend-select=LIM109"],
        ["--deadline-enable=LIM109,LIM307"],
        ["--isolated"],
        ["--extend-ignore=LIM3"],
        ["--per-file-ignores=*.py:LIM101"],
        ["--filename=*l*.py"],
        ["--config=.flake8", "--deadline-scope=everywhere"],
    ],
)
def test_they_agree_for_any_arguments(tree, arguments):
    printed, checked = flake8_lines("one process", tree / "mixed", *arguments), check_lines(tree / "mixed", *arguments)
    assert without_errors(printed) == without_errors(checked)
    assert broken(printed) == broken(checked)


def test_a_project_with_findings_of_every_kind_is_compared(tree):
    codes = {re.search(r": (LIM\d+) ", line)[1] for line in check_lines(tree / "mixed", "--isolated", "--enable=LIM109") if ": LIM" in line}
    assert codes == {"LIM101", "LIM102", "LIM109", "LIM301"}


def test_they_agree_on_a_configuration_in_pyproject_toml(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.flake8]\nextend-ignore = ["LIM301"]\ndeadline-enable = ["LIM109"]\n')
    (tmp_path / "a.py").write_text(PROJECT["plain.py"])
    (tmp_path / "b.py").write_text(PROJECT["unreached.py"])
    printed = flake8_lines("one process", tmp_path)
    assert printed == check_lines(tmp_path)
    assert [line.partition(": ")[2][:6] for line in printed] == ["LIM101", "LIM109"]


@pytest.mark.parametrize("codes", ["LIM102", "LIM1", "LIM101,LIM3", "LIM"])
def test_of_flake8s_lines_for_a_select_check_prints_those_that_it_names(tmp_path, codes):
    for name in ("plain.py", "helper.py", "caller.py", "unreached.py"):
        (tmp_path / name).write_text(PROJECT[name])
    (tmp_path / ".flake8").write_text("[flake8]\nextend-select = LIM,LIM109\n")

    printed = output([*WAYS["one process"], f"--select={codes}"], tmp_path).splitlines()
    checked = check_lines(tmp_path, f"--select={codes}")

    assert {"LIM101", "LIM102", "LIM109"} <= {line.split()[1] for line in printed}
    assert checked == [line for line in printed if line.split()[1].startswith(tuple(codes.split(",")))] != []


def test_json_has_the_same_findings(tree):
    document = json.loads(output(["-m", "flake8_deadline", "check", "--format", "json"], tree / "mixed"))
    found = [f"./{one['path']}:{one['line']}:{one['column']}: {one['code']} {one['message']}" for one in document["findings"]]
    assert found == without_errors(flake8_lines("one process", tree / "mixed"))
    assert document["root"] == os.path.realpath(tree / "mixed")


def test_three_named_files_give_what_the_whole_run_gives_for_them(tree):
    whole = check_lines(tree / "mixed")
    named = ["caller.py", "helper.py", "plain.py"]
    for some in (check_lines(tree / "mixed", *named), flake8_lines("forked workers", tree / "mixed", *named)):
        assert some == [line.removeprefix("./") for line in whole if line.split(":")[0].removeprefix("./") in named]
        assert any(": LIM102 " in line for line in some)


def test_a_buffer_on_standard_input_is_linted_in_place_of_its_file(tree):
    command = ["-m", "flake8", "--select=LIM,E9", "--stdin-display-name=helper.py", "-"]
    directory = tree / "mixed"
    shifted = "\n\n" + PROJECT["helper.py"]
    assert re.match(r"helper.py:6:5: LIM102 ", output(command, directory, input=shifted))
    assert output(command, directory, input=shifted.replace("return None", "raise")) == ""
    assert output(["-m", "flake8", "--select=LIM", "-"], directory, input=PROJECT["plain.py"]).startswith("stdin:4:1: LIM301 ")


def test_flake8_stops_with_one_message_for_a_bad_option(tree):
    command = [sys.executable, "-m", "flake8", "--deadline-scope=all"]
    done = subprocess.run(command, cwd=tree / "mixed", capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ""})
    assert done.returncode == 1
    assert done.stdout.splitlines()[1:] == ["deadline-scope: 'all' is neither 'tasks' nor 'everywhere'"]
    assert done.stderr == ""
