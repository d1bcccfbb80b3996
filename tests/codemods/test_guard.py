"""Uncommitted work is not overwritten."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from flake8_deadline.codemods import guard
from flake8_deadline.codemods.guard import UnsafeError, require_committed

HOME = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "A"), ("EMAIL", "a@b.c"))},
}


def git(directory: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=directory, env=HOME, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with two committed files, its project in a directory of its own."""
    top = tmp_path / "top"
    project = top / "project"
    project.mkdir(parents=True)
    for name in ("a.py", "b [1].py"):
        (project / name).write_text("old\n")
    (top / ".gitignore").write_text("ignored.py\n")
    git(top, "init", "-q")
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "first")
    return project


def complaint(root: Path, *paths: str) -> str:
    with pytest.raises(UnsafeError) as raised:
        require_committed(root, paths, HOME)
    return str(raised.value)


def test_committed_files_may_be_changed(repository: Path) -> None:
    require_committed(repository, ["a.py", "b [1].py"], HOME)


def test_files_with_uncommitted_edits_are_named_with_the_ways_out(repository: Path) -> None:
    for name in ("a.py", "b [1].py"):
        (repository / name).write_text("new\n")

    assert complaint(repository, "b [1].py", "a.py") == (
        "2 files to change have uncommitted edits: a.py, b [1].py\nCommit or stash them, or pass --allow-dirty."
    )


def test_other_files_do_not_matter(repository: Path) -> None:
    (repository / "a.py").write_text("new\n")
    (repository / "new.py").write_text("new\n")

    require_committed(repository, ["b [1].py"], HOME)


def test_a_pattern_in_a_name_is_no_pattern(repository: Path) -> None:
    (repository / "b 1.py").write_text("new\n")

    require_committed(repository, ["b [1].py"], HOME)


def test_staged_edits_are_uncommitted(repository: Path) -> None:
    (repository / "a.py").write_text("new\n")
    git(repository, "add", "a.py")

    assert complaint(repository, "a.py").startswith("1 file to change has uncommitted edits: a.py\n")


@pytest.mark.parametrize("name", ["new.py", "ignored.py", "new/deep.py"])
def test_a_file_that_git_does_not_have_could_not_be_had_back(repository: Path, name: str) -> None:
    (repository / name).parent.mkdir(exist_ok=True)
    (repository / name).write_text("new\n")

    assert complaint(repository, name).startswith(f"1 file to change has uncommitted edits: {name}\n")


def test_a_file_in_no_repository_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("old\n")

    assert complaint(tmp_path, "a.py") == "a.py is in no git repository: there would be no way back\nPass --allow-dirty to change it all the same."


def test_a_repository_within_a_repository_answers_for_itself(repository: Path) -> None:
    inner = repository / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / "c.py").write_text("old\n")
    git(inner, "add", ".")
    git(inner, "commit", "-q", "-m", "first")

    require_committed(repository, ["a.py", "inner/c.py"], HOME)
    (inner / "c.py").write_text("new\n")

    assert complaint(repository, "a.py", "inner/c.py").startswith("1 file to change has uncommitted edits: inner/c.py\n")


def test_more_paths_than_fit_a_command_line_are_asked_in_turns(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "_CHUNK", 1)
    (repository / "b [1].py").write_text("new\n")

    assert complaint(repository, "a.py", "b [1].py").startswith("1 file to change has uncommitted edits: b [1].py\n")


def test_nothing_is_asked_where_the_caller_or_pre_commit_takes_care(tmp_path: Path) -> None:
    require_committed(tmp_path, ["a.py"], HOME, allow_dirty=True)
    require_committed(tmp_path, ["a.py"], {**HOME, "PRE_COMMIT": "1"})
    with pytest.raises(UnsafeError):
        require_committed(tmp_path, ["a.py"], {**HOME, "PRE_COMMIT": "0"})


def test_the_repository_of_a_hook_that_runs_us_is_not_taken_for_the_file_s(repository: Path, tmp_path: Path) -> None:
    require_committed(repository, ["a.py"], {**HOME, "GIT_DIR": str(tmp_path / "other"), "GIT_INDEX_FILE": str(tmp_path / "index")})


def test_no_program_of_the_repository_is_run(repository: Path, tmp_path: Path) -> None:
    monitor = tmp_path / "monitor"
    monitor.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    monitor.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(monitor))
    git(repository, "status")
    assert (tmp_path / "ran").exists()
    (tmp_path / "ran").unlink()

    require_committed(repository, ["a.py"], HOME)

    assert not (tmp_path / "ran").exists()


def test_a_git_that_is_not_there_is_an_error(repository: Path, tmp_path: Path) -> None:
    with pytest.raises(UnsafeError, match=r"git cannot be asked for uncommitted edits: .*\n.*--allow-dirty"):
        require_committed(repository, ["a.py"], {**HOME, "PATH": str(tmp_path)})


def test_a_git_that_fails_is_an_error_in_its_own_words(repository: Path) -> None:
    (repository.parent / ".git" / "config").write_text("[core\n")

    assert "bad config line 1" in complaint(repository, "a.py")
