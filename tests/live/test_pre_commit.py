"""The hooks of this repository, run by the real pre-commit, which builds an environment for them as it does for anybody."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.live

ROOT = Path(__file__).parents[2]
LOOP = """\
from celery import shared_task


@shared_task(soft_time_limit=60, time_limit=90)
def sync(rows):
    for row in rows:
        try:
            row.save()
        except Exception:
            row.fail()
"""
CLAUSE = "        except SoftTimeLimitExceeded:\n            raise\n"
FAR_BELOW = "\n" * 20 + "LAST = 1\n"


class Repository:
    """A directory under git; what a command says, and how it ends."""

    def __init__(self, top: Path, home: Path) -> None:
        self.top = top
        who = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "A"), ("EMAIL", "a@b.c"))}
        path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
        self._environment = {**os.environ, **who, "PATH": path, "PRE_COMMIT_HOME": str(home), "GIT_CONFIG_GLOBAL": os.devnull}
        top.mkdir(exist_ok=True)
        self.run("git", "init", "-q")

    def run(self, *command: str, code: int | None = 0) -> str:
        done = subprocess.run(command, cwd=self.top, env=self._environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert code is None or done.returncode == code, done.stdout
        return done.stdout

    def commit_all(self) -> str:
        self.run("git", "add", "-A")
        self.run("git", "commit", "-qm", "x")
        return self.run("git", "rev-parse", "HEAD").strip()


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("pre-commit")


@pytest.fixture(scope="module")
def hooks(tmp_path_factory, home):
    """This repository as it is now, committed; its path and commit."""
    top = tmp_path_factory.mktemp("hooks")
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, top)
    shutil.copytree(ROOT / "src", top / "src", ignore=shutil.ignore_patterns("__pycache__"))
    return top, Repository(top, home).commit_all()


@pytest.fixture
def shop(tmp_path, hooks, home):
    """A project that uses them, with some work committed."""
    repository = Repository(tmp_path / "shop", home)
    configuration = f"repos:\n- repo: {hooks[0]}\n  rev: {hooks[1]}\n  hooks:\n  - id: flake8-deadline-fix\n  - id: flake8-deadline\n"
    (repository.top / ".pre-commit-config.yaml").write_text(configuration)
    (repository.top / "other.py").write_text("OTHER = 1\n")
    repository.commit_all()
    repository.run("pre-commit", "install")
    return repository


def test_a_commit_is_stopped_while_the_hook_mends_it_and_passes_once_that_is_added(shop):
    (shop.top / "tasks.py").write_text(LOOP)
    shop.run("git", "add", "tasks.py")
    (shop.top / "other.py").write_text("OTHER = 2  # not yet\n")
    (shop.top / "untracked.py").write_text(LOOP)

    said = shop.run("git", "commit", "-m", "tasks", code=1)
    assert "files were modified by this hook" in said
    assert "Fixed 1 finding in 1 file (1 import added)." in said
    assert CLAUSE in (shop.top / "tasks.py").read_text()

    shop.run("git", "add", "tasks.py")
    said = shop.run("git", "commit", "-m", "tasks")
    assert said.count("Passed") == 2
    assert CLAUSE in shop.run("git", "show", "HEAD:tasks.py")
    assert shop.run("git", "status", "--porcelain").splitlines() == [" M other.py", "?? untracked.py"]
    assert (shop.top / "other.py").read_text() == "OTHER = 2  # not yet\n"
    assert (shop.top / "untracked.py").read_text() == LOOP


def test_unstaged_work_in_the_very_file_is_kept_beside_the_fix(shop):
    (shop.top / "tasks.py").write_text(LOOP + FAR_BELOW)
    shop.run("git", "add", "tasks.py")
    (shop.top / "tasks.py").write_text(LOOP + FAR_BELOW + "MORE = 2  # not yet\n")

    shop.run("git", "commit", "-m", "tasks", code=1)
    text = (shop.top / "tasks.py").read_text()
    assert CLAUSE in text
    assert text.endswith("LAST = 1\nMORE = 2  # not yet\n")


def test_what_is_refused_stops_the_commit_with_the_reason(shop):
    text = LOOP + "\n\nSoftTimeLimitExceeded = None\n"
    (shop.top / "tasks.py").write_text(text)
    shop.run("git", "add", "tasks.py")
    said = shop.run("git", "commit", "-m", "tasks", code=1)
    assert "Not fixed: 1\n  tasks.py:9: LIM101 the name SoftTimeLimitExceeded is bound elsewhere" in said
    assert "tasks.py:9:9: LIM101" in said
    assert (shop.top / "tasks.py").read_text() == text
