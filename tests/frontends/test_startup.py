"""What a command loads is what it costs before it starts; the figures are in the benchmarks."""

from __future__ import annotations

import subprocess
import sys

import pytest

from flake8_deadline.cli.arguments import make_parser

PROGRAM = """\
import sys
sys.argv = ["flake8-deadline", *{arguments!r}]
from flake8_deadline.cli import main
try:
    main()
except SystemExit:
    pass
print(*sorted(name for name in {heavy!r} if name in sys.modules), file=sys.stderr)
"""


def loaded(directory, arguments, heavy):
    """Which of the modules a command has loaded when it is done."""
    program = PROGRAM.format(arguments=arguments, heavy=heavy)
    done = subprocess.run([sys.executable, "-c", program], cwd=directory, capture_output=True, text=True, check=True)
    assert done.stdout
    return done.stderr.split()


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["check", "--help"], ["fix", "--help"], ["explain", "--help"]])
def test_help_and_version_load_nothing_but_the_argument_parser(tmp_path, arguments):
    assert loaded(tmp_path, arguments, ["ast", "dataclasses", "flake8", "inspect", "libcst", "logging", "msgspec", "typing_extensions"]) == []


@pytest.mark.parametrize(
    ("command", "said"), [("check", "1 findings,"), ("fix", "1 changes in the diff, fixes refused,"), ("explain", "0 explained; 2")]
)
def test_the_help_of_a_command_has_its_own_exit_codes(capsys, command, said):
    with pytest.raises(SystemExit):
        make_parser().parse_args([command, "--help"])
    assert said in " ".join(capsys.readouterr().out.split())


def test_a_rules_page_is_shown_without_flake8_and_libcst(tmp_path):
    assert loaded(tmp_path, ["explain", "LIM101"], ["flake8", "libcst"]) == []


def test_check_loads_neither_libcst_nor_the_other_checkers_of_flake8(tmp_path):
    (tmp_path / "a.py").write_text("for x in y:\n    try:\n        x()\n    except Exception:\n        pass\n")
    assert loaded(tmp_path, ["check", "--deadline-cache-dir", "none"], ["libcst", "pycodestyle", "pyflakes"]) == []


def test_fix_loads_libcst_only_where_there_is_something_to_fix(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\n")
    assert loaded(tmp_path, ["check", "--deadline-cache-dir", "none"], ["libcst"]) == []
    done = subprocess.run([sys.executable, "-X", "importtime", "-m", "flake8_deadline", "fix"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0
    assert "libcst" not in done.stderr


def test_the_plugin_does_not_load_libcst(tmp_path):
    program = "import sys, flake8_deadline.plugin; print('libcst' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
