"""The documents say what is so: their commands run, their output is what comes out, their tables list what there is."""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import flake8_deadline
from flake8_deadline.check import analyse
from flake8_deadline.cli.arguments import make_parser
from flake8_deadline.flags import FLAGS
from flake8_deadline.options import Options

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "tests" / "fixtures" / "example"
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
README = DOCUMENTS[0].read_text(encoding="utf-8")
CONTRIBUTING = DOCUMENTS[1].read_text(encoding="utf-8")
PROGRAMS = {"flake8-deadline": "flake8_deadline", "flake8": "flake8"}
LEFT_OUT = "…"
SHOWN = re.findall(r"^```console\n\$ (.+)\n((?:.*\n)+?)```$", README, flags=re.MULTILINE)
SAID = [
    (path.name, line)
    for path in DOCUMENTS
    for line in re.findall(r"(?:`|^ +)(flake8-deadline [a-z][^`|\n]*)", path.read_text(encoding="utf-8"), re.MULTILINE)
]
ADOPTING = (ROOT / "docs" / "adopting.md").read_text(encoding="utf-8")
FOUND = {
    "flake8-deadline check --statistics": 1,
    "flake8-deadline fix kontor/documents": 1,
    "flake8-deadline fix --unsafe kontor/receivables": 1,
}
"""The commands of that page that end with another exit code than 0."""
LINKS = [(path, target) for path in DOCUMENTS for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8"))]

each_document = pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in DOCUMENTS])


def assert_shows(shown: str, output: str) -> None:
    """What is shown is the output, but for lines left out where a line says so."""
    parts = [part.strip("\n") for part in re.split(rf"^{LEFT_OUT}$", shown, flags=re.MULTILINE)]
    place = 0
    for part in parts:
        found = output.find(part, place)
        assert found >= 0, f"not in the output, or not in this order:\n{part}\n\nThe output:\n{output}"
        place = found + len(part)
    assert output.startswith(parts[0])
    assert output.rstrip("\n").endswith(parts[-1])


def readme_command(name: str) -> str:
    found = re.search(rf"^<!-- command: {name} -->\n\n```sh\n(.+)\n```$", README, flags=re.MULTILINE)
    assert found, f"README has no command {name}"
    return found[1]


def commands_of(page: str) -> list[tuple[str, str]]:
    """Each command that a page shows as typed, and what it shows of the output."""
    blocks = re.findall(r"^```console\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    return [(command, shown) for block in blocks for command, shown in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", block, flags=re.MULTILINE)]


def repository(top: Path) -> None:
    """The example under git, with a branch `main` and a place to push to."""
    who = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
    shutil.copytree(EXAMPLE, top, ignore=shutil.ignore_patterns(".*cache", "var", "__pycache__"))
    (top / ".gitignore").write_text(".flake8_deadline_cache/\n__pycache__/\n")
    git = [["init", "-q", "--bare", "../origin"], ["init", "-q", "--initial-branch=main"], ["remote", "add", "origin", "../origin"], ["add", "-A"]]
    for command in [*git, [*who, "commit", "-qm", "first"]]:
        subprocess.run(["git", *command], cwd=top, check=True)


def typed(commands: list[str], top: Path, programs: Path) -> list[tuple[int, str]]:
    """The exit code and the output of each command, all typed into one bash."""
    script = [f"{{ {command}\n}} >'{top}.{number}' 2>&1; echo $? >>'{top}.codes'" for number, command in enumerate(commands)]
    who = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "A"), ("EMAIL", "a@b.c"))}
    environment = {**os.environ, **who, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PRE_COMMIT_HOME": f"{top}.pre-commit"}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "PYTHONIOENCODING": "utf-8"}
    environment.pop("PRE_COMMIT", None)
    subprocess.run(["bash", "-c", "\n".join(script)], cwd=top, env=environment, stdin=subprocess.DEVNULL, check=True)
    codes = Path(f"{top}.codes").read_text().split()
    return [(int(code), Path(f"{top}.{number}").read_text(encoding="utf-8")) for number, code in enumerate(codes)]


def assert_page_shows(commands: list[tuple[str, str]], ran: list[tuple[int, str]]) -> None:
    for (command, shown), (code, output) in zip(commands, ran, strict=True):
        assert code == FOUND.get(command, 0), f"{command}\n{output}"
        if shown:
            assert_shows(shown, output)
        else:
            assert output == "" or command.startswith("pip "), f"{command}\n{output}"


def module_rows() -> dict[str, str]:
    """CONTRIBUTING's table: what stands beside each module or package."""
    return dict(re.findall(r"^\| `([a-z0-9_/]+(?:\.py|/))` \| (.+) \|$", CONTRIBUTING, flags=re.MULTILINE))


@pytest.mark.parametrize(("command", "shown"), [pytest.param(*block, id=block[0]) for block in SHOWN])
def test_what_readme_shows_of_the_example_is_what_comes_out(command, shown, tmp_path):
    project = shutil.copytree(EXAMPLE, tmp_path / "example", ignore=shutil.ignore_patterns(".*cache", "var"))
    program, *arguments = shlex.split(command)
    run = subprocess.run(
        [sys.executable, "-m", PROGRAMS[program], *arguments],
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    assert run.returncode == 1
    assert_shows(shown, run.stdout)


def test_the_path_from_preview_to_pull_request_is_as_the_page_shows_it(tmp_path):
    """All commands, one after the other, but those that need a package index."""
    commands = [one for one in commands_of(ADOPTING) if not re.search(r"\bpip\b|pre-commit", one[0])]
    assert len(commands) == len(re.findall(r"^ *\$ ", ADOPTING, re.MULTILINE)) - 4
    repository(tmp_path / "shop")
    assert_page_shows(commands, typed([command for command, _ in commands], tmp_path / "shop", Path(sys.executable).parent))


@pytest.mark.live
def test_the_whole_page_from_pip_install_on_is_as_it_shows_it(tmp_path):
    repository(tmp_path / "shop")
    hooks = shutil.copytree(ROOT, tmp_path / "hooks", ignore=shutil.ignore_patterns(".git", ".*cache", ".venv", "tests", "__pycache__"))
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=hooks, check=True)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=hooks, capture_output=True, text=True, check=True).stdout.strip()
    configuration = re.search(r"```yaml\n# (\.pre-commit-config\.yaml)\n(.*?)```", ADOPTING, re.DOTALL)
    text = configuration[2].replace("<URL of this repository>", str(hooks)).replace("<tag or commit>", commit)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    commands = commands_of(ADOPTING)
    lines = [command.replace("<path or URL of flake8-deadline>", str(ROOT)) for command, _ in commands]
    place = next(number for number, command in enumerate(lines) if command.startswith("git add .pre-commit"))
    lines[place] = f"cat >{configuration[1]} <<'E'\n{text}E\n{lines[place]}"
    assert_page_shows(commands, typed(lines, tmp_path / "shop", tmp_path / "venv" / "bin"))


def test_readme_shows_a_report_and_a_diff():
    assert [command for command, _ in SHOWN] == ["flake8-deadline check", "flake8-deadline fix"]


def test_readmes_first_command_lints_the_example():
    command = readme_command("example")
    assert command.startswith("python3 -m venv .venv && . .venv/bin/activate && pip install . && ")
    assert command.endswith(f"cd {EXAMPLE.relative_to(ROOT).as_posix()} && flake8-deadline check")


def test_readmes_other_command_makes_its_environment_where_it_is_told_to_and_runs_all_tests():
    command = readme_command("tests")
    assert command.startswith("(redis-server -v || ")
    assert ' && python3 -m venv "${VENV:=.venv}" && "$VENV/bin/pip" install -e \'.[dev]\' && ' in command
    assert command.endswith('"$VENV/bin/pytest" --cov')


def test_ci_runs_the_commands_of_readme_outside_of_the_tree_and_names_what_failed(tmp_path):
    tree, programs = tmp_path / "tree", tmp_path / "programs"
    (tree / ".ci").mkdir(parents=True)
    programs.mkdir()
    shutil.copy(ROOT / ".ci" / "run", tree / ".ci" / "run")
    text = README.replace(readme_command("tests"), 'echo "tests in $VENV"').replace(readme_command("example"), "pwd; echo Found 2 findings; exit 1")
    (tree / "README.md").write_text(text, encoding="utf-8")
    for name, code in {"python3": 0, "git": 0, **{f"python3.{minor}": 1 for minor in range(10, 20)}, "sudo": 1, "apt-get": 1}.items():
        (programs / name).write_text(f"#!/bin/sh\nexit {code}\n")
        (programs / name).chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    run = subprocess.run([tree / ".ci" / "run"], env={"PATH": path, "TMPDIR": str(tmp_path)}, cwd=tmp_path, capture_output=True, text=True)
    lines = run.stdout.splitlines()
    assert re.search(r"^--- passed: README's test command \(\d+ s\)$", run.stdout, re.MULTILINE)
    assert re.search(r"^--- passed: README's first command \(\d+ s\)$", run.stdout, re.MULTILINE)
    place = next(Path(line.removeprefix("tests in ")) for line in lines if line.startswith("tests in "))
    assert (place.name, place.parents[1]) == ("venv", tmp_path)
    assert lines[lines.index("FAILED:") + 1 :] == ["  ruff check", "  ruff format", "  mypy, strict", "  the layers", "  README's rule table"]
    assert run.returncode == 1
    assert sorted(path.name for path in tree.iterdir()) == [".ci", "README.md"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["programs", "tree"]


@pytest.mark.parametrize("flag", [pytest.param(flag, id=flag.name) for flag in FLAGS])
def test_readme_has_every_option(flag):
    assert f"| `{flag.name}` | " in README


@pytest.mark.parametrize(("document", "command"), [pytest.param(*said, id=f"{said[0]}: {said[1]}") for said in SAID])
def test_every_command_in_the_documents_can_be_parsed(document, command):
    make_parser().parse_args(shlex.split(command)[1:])


@pytest.mark.parametrize(("path", "target"), [pytest.param(*link, id=f"{link[0].name}: {link[1]}") for link in LINKS])
def test_every_link_inside_the_repository_leads_somewhere(path, target):
    assert (path.parent / target).exists()


@each_document
def test_no_line_is_longer_than_a_line_of_code_unless_it_cannot_be_broken(path):
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert [line for line in text.splitlines() if len(line) > 150 and not line.startswith("|")] == []


def test_ruffs_rule_against_broad_handlers_says_of_the_example_what_readme_says():
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select=BLE001", "--output-format=concise", "--exit-zero"]
    run = subprocess.run([*command, "."], cwd=EXAMPLE, capture_output=True, text=True, check=True)
    flagged = {(path.replace(os.sep, "/"), int(line)) for path, line in re.findall(r"^(\S+):(\d+):\d+: BLE001", run.stdout, re.MULTILINE)}
    findings = analyse(Options(root=str(EXAMPLE), cache_dir="none")).findings
    swallows = {(finding.path, finding.line) for finding in findings if finding.code in ("LIM101", "LIM102")}
    assert (len(flagged), len(flagged - swallows), len(swallows - flagged), len(swallows)) == (5, 3, 2, 4)
    assert "BLE001 reports five handlers. Three of them harm no deadline; two of the\nfour that do" in README


def test_contributings_table_has_every_module_and_no_other():
    package = Path(flake8_deadline.__file__).parent
    listed = {name for name in module_rows() if name.endswith(".py")}
    for name, text in module_rows().items():
        if name.endswith("/"):
            listed |= {name, *(f"{name}{word}.py" for word in re.findall(r"`([a-z_]+)`", text))}
    found = {path.relative_to(package).as_posix() for path in package.rglob("*.py")} - {"__init__.py"}
    assert listed == {name.removesuffix("__init__.py") for name in found}


def test_contributings_table_has_the_order_of_the_layers():
    configuration = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    layers = ast.literal_eval(re.search(r"^layers = (\[.+?^\])", configuration, flags=re.MULTILINE | re.DOTALL)[1])
    level = {name: number for number, layer in enumerate(layers) for name in layer.split(" | ")}
    levels = [level[name.partition("/")[0].removesuffix(".py")] for name in module_rows()]
    assert levels == sorted(levels)


def test_the_changelog_has_the_current_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## \[(.+?)\]", text, flags=re.MULTILINE)
    assert versions[:2] == ["Unreleased", flake8_deadline.__version__]
    assert all(f"\n[{version}]: " in text for version in versions)
