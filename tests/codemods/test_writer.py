"""Files are replaced whole or not at all, and never outside the root."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from flake8_deadline.codemods import writer
from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.writer import read, write


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "root" / "shop" / "tasks.py"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"old\r\n")
    return path


@pytest.fixture
def root(file: Path) -> Path:
    return file.parent.parent


def refusal(root: Path, path: str) -> str:
    with pytest.raises(RefusedError) as raised:
        write(root, path, b"old\r\n", b"new")
    return str(raised.value)


def test_a_file_is_read_and_replaced_to_the_byte(root: Path, file: Path) -> None:
    assert read(root, "shop/tasks.py") == b"old\r\n"

    write(root, "shop/tasks.py", b"old\r\n", b"new\r")

    assert file.read_bytes() == b"new\r"
    assert os.listdir(file.parent) == ["tasks.py"]


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o664])
def test_the_mode_is_kept(root: Path, file: Path, mode: int) -> None:
    file.chmod(mode)

    write(root, "shop/tasks.py", b"old\r\n", b"new")

    assert stat.S_IMODE(file.stat().st_mode) == mode


def test_a_file_that_has_changed_meanwhile_is_left(root: Path, file: Path) -> None:
    file.write_bytes(b"newer")

    assert refusal(root, "shop/tasks.py") == "the file has changed since it was read"
    assert file.read_bytes() == b"newer"


def test_a_file_that_may_not_be_written_is_left_though_its_directory_may(root: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.chmod(0o444)
    monkeypatch.setattr(writer.os, "access", lambda path, mode: mode & os.W_OK == 0)  # as for anybody but root

    assert refusal(root, "shop/tasks.py") == "the file is read-only"
    assert file.read_bytes() == b"old\r\n"


def test_a_link_out_of_the_root_is_not_followed(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_bytes(b"old\r\n")
    (root / "link.py").symlink_to(outside)
    (root / "up").symlink_to(tmp_path)

    for path in ("link.py", "up/outside.py", "../outside.py", str(outside)):
        assert refusal(root, path) == "the file lies outside the project's root"
        with pytest.raises(RefusedError, match="outside the project"):
            read(root, path)
    assert outside.read_bytes() == b"old\r\n"


def test_a_link_within_the_root_stays_a_link(root: Path, file: Path) -> None:
    link = root / "link.py"
    link.symlink_to(file)

    write(root, "link.py", b"old\r\n", b"new")

    assert link.is_symlink()
    assert file.read_bytes() == b"new"


def test_a_root_that_is_itself_reached_by_a_link_is_no_obstacle(root: Path, file: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)

    write(tmp_path / "alias", "shop/tasks.py", b"old\r\n", b"new")

    assert file.read_bytes() == b"new"


@pytest.mark.parametrize("path", ["none.py", "shop/tasks.py/x", "a\0b", "loop.py"])
def test_a_path_that_leads_nowhere_is_refused(root: Path, path: str) -> None:
    (root / "loop.py").symlink_to("loop.py")

    assert refusal(root, path).startswith("cannot be found: ")


def test_what_is_no_file_is_refused(root: Path) -> None:
    os.mkfifo(root / "pipe.py")

    assert refusal(root, "shop") == "not a regular file"
    assert refusal(root, "pipe.py") == "not a regular file"


def test_a_refusal_of_the_system_leaves_the_file_and_nothing_else(root: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(source: str, target: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(writer.os, "replace", fail)

    assert refusal(root, "shop/tasks.py") == "cannot be written: Permission denied"
    assert file.read_bytes() == b"old\r\n"
    assert os.listdir(file.parent) == ["tasks.py"]


def test_an_interrupt_leaves_the_file_and_nothing_else(root: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(writer.os, "fsync", interrupt)

    with pytest.raises(KeyboardInterrupt):
        write(root, "shop/tasks.py", b"old\r\n", b"new")
    assert file.read_bytes() == b"old\r\n"
    assert os.listdir(file.parent) == ["tasks.py"]


def test_an_owner_that_cannot_be_kept_is_no_obstacle(root: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: str, user: int, group: int) -> None:
        raise PermissionError

    monkeypatch.setattr(writer.os, "chown", fail)

    write(root, "shop/tasks.py", b"old\r\n", b"new")

    assert file.read_bytes() == b"new"


def test_a_file_that_cannot_be_read_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", fail)

    with pytest.raises(RefusedError, match=r"^cannot be read: Permission denied$"):
        read(root, "shop/tasks.py")
