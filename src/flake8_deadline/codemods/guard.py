"""Whether files may be changed without losing work that git does not have yet.

Asked of git, for the files about to change alone: one with uncommitted edits, or one that git does not know at all, could not be had
back. Which repository a file belongs to is found from the directories around it, so that submodules answer for themselves.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_CHUNK = 200
"""Paths to a command line; Windows takes 32,767 characters."""
_OF_ANOTHER_REPOSITORY = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_NAMESPACE"})


class UnsafeError(Exception):
    """Files must not be changed as things are; the message is for the person who runs the command."""


def require_committed(root: Path, paths: Iterable[str], environment: Mapping[str, str], allow_dirty: bool = False) -> None:
    """Raises `UnsafeError` if any of these files (relative to `root`) could not be restored from git.

    pre-commit sets `PRE_COMMIT=1` and keeps unstaged work safe itself; then, and with `allow_dirty`, nothing is asked.
    """
    if allow_dirty or environment.get("PRE_COMMIT") == "1":
        return
    dirty: list[str] = []
    for top, members in _by_repository(root, paths).items():
        uncommitted = _uncommitted(top, list(members), environment)
        dirty += [path for inner, path in members.items() if inner in uncommitted]
    if dirty:
        count = "1 file to change has" if len(dirty) == 1 else f"{len(dirty)} files to change have"
        raise UnsafeError(f"{count} uncommitted edits: {', '.join(sorted(dirty))}\nCommit or stash them, or pass --allow-dirty.")


def _by_repository(root: Path, paths: Iterable[str]) -> dict[Path, dict[str, str]]:
    """For each repository, the paths in it and the paths that they were given as."""
    found: dict[Path, dict[str, str]] = {}
    for path in paths:
        real = (root / path).resolve()
        top = next((parent for parent in real.parents if (parent / ".git").exists()), None)
        if top is None:
            raise UnsafeError(f"{path} is in no git repository: there would be no way back\nPass --allow-dirty to change it all the same.")
        found.setdefault(top, {})[real.relative_to(top).as_posix()] = path
    return found


def _uncommitted(top: Path, paths: list[str], environment: Mapping[str, str]) -> set[str]:
    """Those of the paths that git reports as changed, staged, untracked or ignored."""
    found: set[str] = set()
    for start in range(0, len(paths), _CHUNK):
        entries = _status(top, paths[start : start + _CHUNK], environment).split("\0")
        found.update(entry[3:] for entry in entries if entry)
    return found


def _status(top: Path, paths: list[str], environment: Mapping[str, str]) -> str:
    # A repository's own configuration may name a program to run as its file system monitor: not on our account.
    command = ["git", "--literal-pathspecs", "-c", "core.fsmonitor=false", "status", "--porcelain=v1", "-z", "--no-renames"]
    command += ["--untracked-files=all", "--ignored=traditional", "--", *paths]
    clean = {name: value for name, value in environment.items() if name not in _OF_ANOTHER_REPOSITORY}
    try:
        done = subprocess.run(command, cwd=top, env={**clean, "GIT_OPTIONAL_LOCKS": "0"}, capture_output=True, check=True)  # noqa: S603 - a fixed command; paths follow --
    except OSError as error:
        raise UnsafeError(f"git cannot be asked for uncommitted edits: {error.strerror}\nPass --allow-dirty to do without.") from error
    except subprocess.CalledProcessError as error:
        said = os.fsdecode(error.stderr).strip().partition("\n")[0]
        raise UnsafeError(f"git cannot be asked for uncommitted edits: {said}\nPass --allow-dirty to do without.") from error
    return os.fsdecode(done.stdout)
