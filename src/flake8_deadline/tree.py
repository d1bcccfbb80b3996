"""Which Python files a project has, what bytes they hold, and by which module names they can be imported.

Decides what is left out (version control, environments, caches, build output, the caller's patterns), how symbolic links count, and
which directories absolute imports start from. What the bytes mean is decided elsewhere, and so is where the root is.
Nothing outside the root is walked. Paths are relative to the root, with `/`; the root itself is "".
"""

from __future__ import annotations

import errno
import fnmatch
import os
import re
import stat
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

SIZE_LIMIT = 8 * 1024 * 1024
"""Bytes; a larger source file is data, and is reported instead of read."""

_VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr"})
_INSTALLED = frozenset({".venv", ".tox", ".nox", ".direnv", ".eggs", "site-packages", "__pypackages__", "node_modules"})
_CACHES = frozenset({"__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", ".flake8_deadline_cache"})
_SKIPPED = _VERSION_CONTROL | _INSTALLED | _CACHES
_ENVIRONMENT = frozenset({"pyvenv.cfg", "conda-meta"})
_PACKAGING = frozenset({"setup.py", "setup.cfg", "pyproject.toml"})
_STARTS = _PACKAGING | {"manage.py", "requirements.txt", "Pipfile", "Dockerfile"}
_LOCK = ".#"
"""How Emacs names the link, to nowhere, beside a file with unsaved changes."""
_READ_ONLY = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Problem(Struct, frozen=True, order=True):
    """A path that could not be walked or read, and why."""

    path: str
    reason: str


class UnreadableError(Exception):
    """A file's bytes cannot be had."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.problem = Problem(path, reason)


class Tree(Struct, frozen=True):
    """The Python files under a root; everything sorted."""

    files: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    """Symbolic links to a listed file or a walked directory: (link, target). What lies behind them is listed once, under its own path."""
    starts: tuple[str, ...] = ()
    """Directories that hold a file which says that a program or a distribution begins here (`pyproject.toml`, `manage.py`, …)."""


class _Walk:
    """What one walk has gathered so far."""

    def __init__(self, root: str, exclude: Sequence[str]) -> None:
        self.root = root
        self.excluded = _matcher(exclude)
        self.files: set[str] = set()
        self.directories: set[str] = set()
        self.starts: set[str] = set()
        self.problems: list[Problem] = []
        self.links: list[str] = []
        self.aliases: list[tuple[str, str]] = []

    def refuse(self, path: str, reason: str) -> None:
        self.problems.append(Problem(path.encode("utf-8", "backslashreplace").decode(), reason))


def walk(root: str, exclude: Sequence[str] = ()) -> Tree:
    """Find the `.py` files under `root`; what cannot be walked is among the problems, nothing is raised.

    `exclude`: globs relative to the root, where `*` also matches `/`; each matches a path, or a directory with everything in it.
    """
    walk = _Walk(root, exclude)
    pending = [""]
    while pending:
        directory = pending.pop()
        try:
            with os.scandir(os.path.join(root, directory)) as listing:
                entries = list(listing)
        except OSError as error:
            walk.refuse(directory or ".", _reason(error))
            continue
        names = {entry.name for entry in entries}
        if directory and not names.isdisjoint(_ENVIRONMENT):
            continue
        walk.directories.add(directory)
        if not names.isdisjoint(_STARTS):
            walk.starts.add(directory)
        pending.extend(_enter(walk, directory, entries, not names.isdisjoint(_PACKAGING)))
    _follow(walk)
    return Tree(tuple(sorted(walk.files)), tuple(sorted(walk.problems)), tuple(walk.aliases), tuple(sorted(walk.starts)))


def _enter(walk: _Walk, directory: str, entries: Sequence[os.DirEntry[str]], packaging: bool) -> Iterator[str]:
    """Sort a directory's entries into files and links, and yield the directories to walk next."""
    prefix = directory and directory + "/"
    for entry in entries:
        name = entry.name
        is_python = name.endswith(".py")
        is_directory = entry.is_dir(follow_symlinks=False)
        is_link = entry.is_symlink()
        if not (is_python or is_directory or is_link) or name.startswith(_LOCK):
            continue
        path = prefix + name
        if walk.excluded(path) or (is_directory and _left_out(entry, packaging)):
            continue
        if not name.isascii() and not _is_text(name):
            walk.refuse(path, "its name is not valid UTF-8")
        elif is_link:
            walk.links.append(path)
        elif is_directory:
            yield path
        elif entry.is_file(follow_symlinks=False):
            walk.files.add(path)
        else:
            walk.refuse(path, "not a regular file")


def _left_out(entry: os.DirEntry[str], packaging: bool) -> bool:
    name = entry.name
    if name in _SKIPPED or name.endswith(".egg-info"):
        return True
    if name != "build" or not packaging or os.path.exists(os.path.join(entry.path, "__init__.py")):
        return False
    # setuptools copies the sources to build/lib; any other directory called "build" is the project's own.
    return os.path.isdir(os.path.join(entry.path, "lib"))


def _matcher(patterns: Sequence[str]) -> Callable[[str], bool]:
    globs = [pattern.removeprefix("./").rstrip("/") for pattern in patterns]
    globs += [glob[3:] for glob in globs if glob.startswith("**/")]
    if not globs:
        return lambda path: False
    match = re.compile("|".join(map(fnmatch.translate, globs))).match
    return lambda path: match(path) is not None


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


def _follow(walk: _Walk) -> None:
    """Decide what each symbolic link stands for, once all real files are known."""
    root = os.path.realpath(walk.root)
    scripts: dict[str, str] = {}
    for link in sorted(walk.links):
        try:
            target = os.path.realpath(os.path.join(walk.root, link), strict=True)
        except OSError as error:
            if error.errno == errno.ELOOP:
                walk.refuse(link, "a loop of symbolic links")
            elif link.endswith(".py"):
                walk.refuse(link, "a broken symbolic link" if error.errno in {errno.ENOENT, errno.ENOTDIR} else _reason(error))
            continue
        inside = _relative(target, root)
        if inside is None:
            if link.endswith(".py"):
                walk.refuse(link, "a symbolic link that leads out of the project")
        elif os.path.isdir(target):
            _follow_directory(walk, link, inside)
        elif link.endswith(".py"):
            _follow_file(walk, link, inside, scripts)


def _relative(target: str, root: str) -> str | None:
    if target == root:
        return ""
    prefix = root.rstrip(os.sep) + os.sep
    return target[len(prefix) :].replace(os.sep, "/") if target.startswith(prefix) else None


def _follow_directory(walk: _Walk, link: str, target: str) -> None:
    if not target or link.startswith(target + "/"):
        walk.refuse(link, "a symbolic link that leads back to a directory above it")
    elif target in walk.directories:
        walk.aliases.append((link, target))


def _follow_file(walk: _Walk, link: str, target: str, scripts: dict[str, str]) -> None:
    """`scripts`: files without `.py` in their own name, and the link that lists them."""
    listed = target if target in walk.files else scripts.get(target)
    if listed is not None:
        walk.aliases.append((link, listed))
    elif not os.path.isfile(os.path.join(walk.root, target)):
        walk.refuse(link, "not a regular file")
    elif not target.endswith(".py"):
        scripts[target] = link
        walk.files.add(link)


def read(root: str, path: str, limit: int = SIZE_LIMIT) -> bytes:
    """The bytes of a file of at most `limit` bytes.

    Raises `UnreadableError` where the system refuses, the path is no regular file (a pipe would never end), or the file is larger.
    """
    try:
        descriptor = os.open(os.path.join(root, path), _READ_ONLY)
    except OSError as error:
        raise UnreadableError(path, _reason(error)) from error
    except ValueError as error:
        raise UnreadableError(path, "no possible name of a file") from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableError(path, "not a regular file")
        if status.st_size > limit:
            raise UnreadableError(path, f"larger than {limit // 1024 // 1024} MB")
        return b"".join(iter(lambda: os.read(descriptor, status.st_size + 1), b""))
    except OSError as error:
        raise UnreadableError(path, _reason(error)) from error
    finally:
        os.close(descriptor)


def is_inside(root: str, path: str) -> bool:
    """Whether a path, links followed, stays under the root."""
    return _relative(os.path.realpath(os.path.join(root, path)), os.path.realpath(root)) is not None


def aliases(path: str, links: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The other paths by which symbolic links reach a file."""
    found = []
    for link, target in links:
        if path == target or path.startswith(target + "/"):
            found.append(link + path[len(target) :])
    return tuple(found)


def source_roots(tree: Tree) -> tuple[str, ...]:
    """The directories that absolute imports can start from, outermost first; always the root itself, "".

    A directory that is neither a package nor inside one is such a start if it directly holds a package, is called `src`, or holds a
    packaging or container file; one with a `manage.py` is one even if it has a stray `__init__.py`, as Django starts there.
    """
    packages = {_parent(path) for path in tree.files if path.endswith("/__init__.py")}
    holders = {directory for path in tree.files for directory in _ancestors(path)}
    starts = {_parent(package) for package in packages}
    starts.update(directory for directory in holders if directory.rpartition("/")[2] == "src")
    starts.update(holders.intersection(tree.starts))
    roots = {start for start in starts if packages.isdisjoint((start, *_ancestors(start)))}
    roots.update(_parent(path) for path in tree.files if path.endswith("/manage.py"))
    return tuple(sorted(roots | {""}, key=lambda root: (root.count("/") + bool(root), root)))


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _ancestors(path: str) -> Iterator[str]:
    while path:
        path = _parent(path)
        yield path


def module_names(path: str, roots: Sequence[str]) -> tuple[str, ...]:
    """The dotted names by which a file can be imported from these roots, shortest (from the deepest root) first.

    Empty for a file whose name is no identifier (`0001_initial.py`) and for an `__init__.py` directly in a root.
    """
    stem = path.removesuffix(".py").removesuffix("/__init__")
    names = []
    for root in sorted(roots, key=len, reverse=True):
        prefix = root and root + "/"
        if not stem.startswith(prefix):
            continue
        parts = stem[len(prefix) :].split("/")
        if all(map(str.isidentifier, parts)) and parts != ["__init__"]:
            names.append(".".join(parts))
    return tuple(names)


def search_path(path: str, roots: Sequence[str], files: Collection[str]) -> tuple[str, ...]:
    """The directories to look for an absolute import of `path` in, in this order.

    Its own directory unless that is a package (Python puts a script's directory first), the roots around it from the inside out, then
    the other roots.
    """
    around = set(_ancestors(path))
    own = _parent(path)
    first = [] if f"{own}/__init__.py".removeprefix("/") in files else [own]
    inner = sorted(around.intersection(roots), key=len, reverse=True)
    return tuple(dict.fromkeys([*first, *inner, *roots]))
