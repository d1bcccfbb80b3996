"""Which files a project has: what is left out, what is reported, where imports start."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

from flake8_deadline import tree
from flake8_deadline.tree import Problem, Tree, UnreadableError, aliases, module_names, read, search_path, source_roots, walk

if TYPE_CHECKING:
    from pathlib import Path


def plant(root: Path, *paths: str) -> None:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"")


def link(root: Path, path: str, target: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).symlink_to(target)


def files(root: Path, *exclude: str) -> list[str]:
    found = walk(str(root), exclude)
    assert found.problems == ()
    return list(found.files)


def problems(root: Path) -> dict[str, str]:
    return {problem.path: problem.reason for problem in walk(str(root)).problems}


# What is listed


def test_python_files_are_listed_sorted_with_slashes(tmp_path: Path) -> None:
    plant(tmp_path, "b.py", "a/tasks.py", "a/b/c.py", "a-b.py", "stub.pyi", "README.md", ".hidden/x.py")
    assert files(tmp_path) == [".hidden/x.py", "a-b.py", "a/b/c.py", "a/tasks.py", "b.py"]


def test_an_empty_project_has_no_files_and_no_problems(tmp_path: Path) -> None:
    assert walk(str(tmp_path)) == Tree()


def test_a_directory_whose_name_looks_like_a_file_is_a_directory(tmp_path: Path) -> None:
    plant(tmp_path, "package.py/inside.py")
    assert files(tmp_path) == ["package.py/inside.py"]


@pytest.mark.parametrize(
    "directory",
    [
        *(".git", ".hg", ".svn", ".tox", ".nox", ".venv", ".eggs", "node_modules", "lib/site-packages", "app.egg-info"),
        *("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".flake8_deadline_cache"),
    ],
)
def test_directories_that_never_hold_the_projects_own_source_are_left_out(tmp_path: Path, directory: str) -> None:
    plant(tmp_path, f"{directory}/x.py", f"deep/{directory}/x.py", "own.py")
    assert files(tmp_path) == ["own.py"]


@pytest.mark.parametrize("name", ["venv", "env", "virtual", "venv-3.12"])
@pytest.mark.parametrize("mark", ["pyvenv.cfg", "conda-meta/history"])
def test_a_directory_is_an_environment_by_what_it_holds_not_by_its_name(tmp_path: Path, name: str, mark: str) -> None:
    plant(tmp_path, f"{name}/lib/x.py")
    assert files(tmp_path) == [f"{name}/lib/x.py"]
    plant(tmp_path, f"{name}/{mark}")
    assert files(tmp_path) == []


def test_an_environment_made_in_the_root_itself_does_not_hide_the_project(tmp_path: Path) -> None:
    plant(tmp_path, "pyvenv.cfg", "lib/site-packages/x.py", "own.py")
    assert files(tmp_path) == ["own.py"]


def test_packages_called_build_or_dist_are_source(tmp_path: Path) -> None:
    plant(tmp_path, "setup.py", "build/__init__.py", "build/lib/x.py", "dist/x.py", "app/build/lib/x.py")
    assert files(tmp_path) == ["app/build/lib/x.py", "build/__init__.py", "build/lib/x.py", "dist/x.py", "setup.py"]


def test_what_setuptools_has_built_is_left_out(tmp_path: Path) -> None:
    plant(tmp_path, "setup.cfg", "build/lib/app/x.py", "app/x.py")
    assert files(tmp_path) == ["app/x.py"]


def test_a_build_directory_without_a_copy_of_the_sources_is_source(tmp_path: Path) -> None:
    plant(tmp_path, "pyproject.toml", "build/release.py")
    assert files(tmp_path) == ["build/release.py"]


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("app/migrations", ["app/x.py", "migrations/y.py"]),
        ("app/migrations/", ["app/x.py", "migrations/y.py"]),
        ("./app/migrations/*", ["app/x.py", "migrations/y.py"]),
        ("**/migrations/*", ["app/x.py"]),
        ("*/migrations", ["app/x.py", "migrations/y.py"]),
        ("*/x.py", ["app/migrations/0001.py", "migrations/y.py"]),
        ("a[p]p", ["migrations/y.py"]),
        ("APP", ["app/migrations/0001.py", "app/x.py", "migrations/y.py"]),
    ],
)
def test_an_exclude_pattern_matches_a_path_or_a_directory_with_all_in_it(tmp_path: Path, pattern: str, left: list[str]) -> None:
    plant(tmp_path, "app/x.py", "app/migrations/0001.py", "migrations/y.py")
    assert files(tmp_path, pattern) == left


def test_several_exclude_patterns_are_alternatives(tmp_path: Path) -> None:
    plant(tmp_path, "a/x.py", "b/x.py", "c/x.py")
    assert files(tmp_path, "a", "c") == ["b/x.py"]


# What is reported


def test_a_root_that_does_not_exist_is_a_problem(tmp_path: Path) -> None:
    assert problems(tmp_path / "nowhere") == {".": "No such file or directory"}


def test_an_unreadable_directory_is_a_problem_and_the_rest_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, "a/x.py", "locked/y.py")
    scandir = os.scandir

    def refusing(path: str) -> object:
        if path.endswith("locked"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    found = walk(str(tmp_path))
    assert found.files == ("a/x.py",)
    assert found.problems == (Problem("locked", "Permission denied"),)


def test_a_broken_link_is_a_problem_if_it_is_called_like_a_python_file(tmp_path: Path) -> None:
    link(tmp_path, "gone.py", "nowhere.py")
    link(tmp_path, "through.py", "x.py/inside.py")
    link(tmp_path, "notes", "nowhere")
    plant(tmp_path, "x.py")
    assert problems(tmp_path) == {"gone.py": "a broken symbolic link", "through.py": "a broken symbolic link"}


def test_the_lock_of_an_editor_is_no_problem(tmp_path: Path) -> None:
    link(tmp_path, ".#tasks.py", "someone@host.4711:1764")
    assert files(tmp_path) == []


def test_loops_of_links_are_problems_and_the_walk_ends(tmp_path: Path) -> None:
    link(tmp_path, "itself", "itself")
    link(tmp_path, "a.py", "b.py")
    link(tmp_path, "b.py", "a.py")
    link(tmp_path, "app/back", "..")
    link(tmp_path, "app/here", ".")
    plant(tmp_path, "app/x.py")
    found = walk(str(tmp_path))
    assert found.files == ("app/x.py",)
    assert found.links == ()
    back = "a symbolic link that leads back to a directory above it"
    loop = "a loop of symbolic links"
    assert problems(tmp_path) == {"itself": loop, "a.py": loop, "b.py": loop, "app/back": back, "app/here": back}


def test_links_that_lead_into_each_other_are_followed_once(tmp_path: Path) -> None:
    plant(tmp_path, "one/x.py", "two/y.py")
    link(tmp_path, "one/other", "../two")
    link(tmp_path, "two/other", "../one")
    found = walk(str(tmp_path))
    assert found.files == ("one/x.py", "two/y.py")
    assert found.links == (("one/other", "two"), ("two/other", "one"))
    assert found.problems == ()


def test_a_link_whose_name_merely_begins_like_its_target_is_followed(tmp_path: Path) -> None:
    plant(tmp_path, "app/x.py")
    link(tmp_path, "application", "app")
    assert walk(str(tmp_path)) == Tree(files=("app/x.py",), links=(("application", "app"),))


def test_a_link_never_leads_out_of_the_project(tmp_path: Path) -> None:
    plant(tmp_path, "outside/secret.py", "outside-too/secret.py", "project-not/secret.py", "project/x.py")
    link(tmp_path, "project/secret.py", "../outside/secret.py")
    link(tmp_path, "project/sibling.py", "../project-not/secret.py")
    link(tmp_path, "project/library", "../outside")
    found = walk(str(tmp_path / "project"))
    assert found.files == ("x.py",)
    assert found.links == ()
    out = "a symbolic link that leads out of the project"
    assert problems(tmp_path / "project") == {"secret.py": out, "sibling.py": out}


def test_a_root_that_is_itself_a_link_is_walked(tmp_path: Path) -> None:
    plant(tmp_path, "real/a/x.py")
    link(tmp_path, "real/also.py", "a/x.py")
    link(tmp_path, "root", "real")
    found = walk(str(tmp_path / "root"))
    assert found == Tree(files=("a/x.py",), links=(("also.py", "a/x.py"),))


def test_a_linked_file_is_listed_once_under_its_own_path(tmp_path: Path) -> None:
    plant(tmp_path, "libs/shared.py")
    link(tmp_path, "app/shared.py", "../libs/shared.py")
    link(tmp_path, "again.py", "app/shared.py")
    found = walk(str(tmp_path))
    assert found.files == ("libs/shared.py",)
    assert found.links == (("again.py", "libs/shared.py"), ("app/shared.py", "libs/shared.py"))


def test_a_script_without_a_suffix_is_listed_by_the_first_link_that_has_one(tmp_path: Path) -> None:
    plant(tmp_path, "bin/serve")
    link(tmp_path, "serve.py", "bin/serve")
    link(tmp_path, "serve_too.py", "bin/serve")
    found = walk(str(tmp_path))
    assert found.files == ("serve.py",)
    assert found.links == (("serve_too.py", "serve.py"),)


def test_a_link_brings_nothing_back_that_was_left_out(tmp_path: Path) -> None:
    plant(tmp_path, ".venv/x.py", "generated/y.py", "own.py")
    link(tmp_path, "environment", ".venv")
    link(tmp_path, "y.py", "generated/y.py")
    link(tmp_path, "generated/z.py", "../own.py")
    link(tmp_path, "data", "own.py")
    found = walk(str(tmp_path), ["generated"])
    assert found == Tree(files=("own.py",))


@pytest.fixture
def crooked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a pipe and a socket called like Python files."""
    os.mkfifo(tmp_path / "pipe.py")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.py")
    os.mkfifo(tmp_path / "pipe")
    link(tmp_path, "linked.py", "pipe")
    return tmp_path


def test_pipes_and_sockets_are_problems(crooked: Path) -> None:
    assert problems(crooked) == dict.fromkeys(["linked.py", "pipe.py", "socket.py"], "not a regular file")


def test_names_that_are_not_utf_8_are_problems_that_can_be_printed(tmp_path: Path) -> None:
    for name in (b"\xff.py", b"d\xfe"):
        path = os.path.join(os.fsencode(tmp_path), name)
        if name.endswith(b".py"):
            os.close(os.open(path, os.O_CREAT))
        else:
            os.mkdir(path)
    plant(tmp_path, "größe.py")
    found = walk(str(tmp_path))
    assert found.files == ("größe.py",)
    assert [problem.reason for problem in found.problems] == ["its name is not valid UTF-8"] * 2
    assert [problem.path for problem in found.problems] == ["\\udcff.py", "d\\udcfe"]


def test_a_link_that_cannot_be_followed_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, "x.py")
    link(tmp_path, "y.py", "x.py")
    link(tmp_path, "z", "x.py")
    realpath = os.path.realpath

    def refusing(path: str, *, strict: bool = False) -> str:
        if strict:
            raise PermissionError(13, "Permission denied", path)
        return realpath(path)

    monkeypatch.setattr(os.path, "realpath", refusing)
    assert problems(tmp_path) == {"y.py": "Permission denied"}


# Reading


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_bytes(b"\xef\xbb\xbfx = 1\r\n\0")
    assert read(str(tmp_path), "x.py") == b"\xef\xbb\xbfx = 1\r\n\0"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("nowhere.py", "No such file or directory"),
        ("folder", "not a regular file"),
        ("pipe", "not a regular file"),
        ("nul\0.py", "no possible name of a file"),
        ("large.py", "larger than 8 MB"),
    ],
)
def test_what_cannot_be_read_says_why(tmp_path: Path, path: str, reason: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "large.py").open("wb") as large:
        large.truncate(tree.SIZE_LIMIT + 1)
    with pytest.raises(UnreadableError) as caught:
        read(str(tmp_path), path)
    assert caught.value.problem == Problem(path, reason)
    assert str(caught.value) == f"{path}: {reason}"


def test_a_file_of_just_the_largest_size_is_read(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_bytes(b"1234")
    assert read(str(tmp_path), "x.py", limit=4) == b"1234"


def test_a_failing_disk_is_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, "x.py")

    def failing(descriptor: int, size: int) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "read", failing)
    with pytest.raises(UnreadableError, match=r"x\.py: Input/output error"):
        read(str(tmp_path), "x.py")


# Where imports start


def roots(*paths: str, starts: tuple[str, ...] = ()) -> tuple[str, ...]:
    return source_roots(Tree(files=tuple(sorted(paths)), starts=starts))


def test_the_root_is_always_a_root() -> None:
    assert roots() == ("",)
    assert roots("tasks.py") == ("",)
    assert roots("app/__init__.py", "app/tasks.py") == ("",)


def test_a_directory_that_holds_a_package_is_a_root() -> None:
    assert roots("src/app/__init__.py", "python/lib/__init__.py") == ("", "python", "src")
    assert roots("apps/api/plane/__init__.py", "apps/api/plane/db/__init__.py") == ("", "apps/api")


def test_a_src_directory_is_a_root_even_if_it_holds_no_package() -> None:
    assert roots("src/tasks.py", "web/src/namespace/app/x.py", "source/x.py") == ("", "src", "web/src")


def test_a_directory_where_a_program_starts_is_a_root_if_it_holds_python() -> None:
    assert roots("worker/tasks.py", "docs/x.py", starts=("worker", "frontend")) == ("", "worker")
    assert roots("worker/jobs/tasks.py", starts=("worker",)) == ("", "worker")


def test_what_lies_inside_a_package_is_no_root() -> None:
    assert roots("app/__init__.py", "app/vendor/requests/__init__.py", "app/src/x.py", starts=("app", "app/vendor")) == ("",)


def test_a_stray_init_file_in_the_root_hides_nothing() -> None:
    assert roots("__init__.py", "backend/app/__init__.py") == ("", "backend")


def test_django_starts_where_manage_py_is() -> None:
    assert roots("site/__init__.py", "site/manage.py", "site/shop/__init__.py") == ("", "site")
    assert roots("manage.py", "shop/__init__.py") == ("",)


def test_the_outermost_root_comes_first() -> None:
    assert roots("b/c/src/x.py", "a/p/__init__.py", "z/y/x/p/__init__.py") == ("", "a", "b/c/src", "z/y/x")


def test_the_walk_notes_where_programs_start(tmp_path: Path) -> None:
    plant(tmp_path, "pyproject.toml", "worker/Dockerfile", "worker/tasks.py", "web/package.json", "web/x.py")
    found = walk(str(tmp_path))
    assert found.starts == ("", "worker")
    assert source_roots(found) == ("", "worker")


# Names


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("manage.py", ("manage",)),
        ("a/b/__init__.py", ("a.b",)),
        ("a/b/c.py", ("a.b.c",)),
        ("apps/api/plane/db.py", ("plane.db", "apps.api.plane.db")),
        ("apps/api/plane/__init__.py", ("plane", "apps.api.plane")),
        ("apps/api/__init__.py", ("apps.api",)),
        ("apps/apiary/x.py", ("apps.apiary.x",)),
        ("__init__.py", ()),
        ("a/__init__/b.py", ("a.__init__.b",)),
        ("my-app/x.py", ()),
        ("a/0001_initial.py", ()),
        ("src/größe.py", ("größe", "src.größe")),
    ],
)
def test_a_file_has_a_name_under_each_root_around_it(path: str, names: tuple[str, ...]) -> None:
    assert module_names(path, ("", "src", "apps/api")) == names


def test_a_hyphenated_directory_is_no_hindrance_below_it() -> None:
    assert module_names("my-app/app/x.py", ("", "my-app")) == ("app.x",)


def test_imports_are_looked_up_from_the_inside_out() -> None:
    everywhere = ("", "apps/api", "apps/web", "libs")
    files = {"apps/api/app/__init__.py", "apps/api/app/x.py", "apps/api/run.py", "tools/x.py"}
    assert search_path("apps/api/app/x.py", everywhere, files) == ("apps/api", "", "apps/web", "libs")
    assert search_path("apps/api/run.py", everywhere, files) == ("apps/api", "", "apps/web", "libs")
    assert search_path("tools/x.py", everywhere, files) == ("tools", "", "apps/api", "apps/web", "libs")
    assert search_path("x.py", ("", "src"), {"__init__.py", "x.py"}) == ("", "src")


def test_links_give_a_file_further_paths() -> None:
    links = (("app/shared", "libs/shared"), ("one.py", "libs/shared/one.py"), ("other", "libs/share"))
    assert aliases("libs/shared/one.py", links) == ("app/shared/one.py", "one.py")
    assert aliases("libs/shared.py", links) == ()
