"""The project's files as linking sees them: what is read, recalled, kept, and what counts as unchanged."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from flake8_deadline import cache as cache_module
from flake8_deadline.cache import Cache, content_hash
from flake8_deadline.check import analyse
from flake8_deadline.index import FileError, Index
from flake8_deadline.options import Options
from flake8_deadline.reading.outline import outline
from flake8_deadline.reading.python import read
from flake8_deadline.tree import UnreadableError

if TYPE_CHECKING:
    from pathlib import Path

TASK = """\
from celery import shared_task

from mail import send


@shared_task(soft_time_limit=60, time_limit=90)
def send_all(letters):
    for letter in letters:
        send(letter)
"""
MAIL = """\
def send(letter):
    try:
        letter.post()
    except Exception:
        return
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "office").mkdir()
    (tmp_path / "office" / "tasks.py").write_text(TASK)
    (tmp_path / "office" / "mail.py").write_text(MAIL)
    return tmp_path


def index(root: Path, overrides: dict[str, bytes] | None = None, paths: tuple[str, ...] = (), **options: object) -> Index:
    return Index(Options(root=str(root), **options), overrides or {}, paths)  # type: ignore[arg-type]


def found(root: Path) -> list[tuple[str, int, str]]:
    return [(finding.path, finding.line, finding.code) for finding in analyse(Options(root=str(root))).findings]


def gone(self: Cache, path: str) -> bytes:
    raise UnreadableError(path, "changed while the project was being read")


def test_a_file_has_the_names_by_which_it_can_be_imported(project: Path) -> None:
    assert index(project).names == {"office/mail.py": ("office.mail",), "office/tasks.py": ("office.tasks",)}


def test_a_file_is_what_its_text_says(project: Path) -> None:
    files = index(project)
    assert files.outline("office/mail.py") == outline(MAIL.encode())
    assert files.summary("office/mail.py") == read(MAIL.encode())
    assert files.errors() == ()


def test_a_text_given_for_a_file_stands_in_for_it_and_one_for_no_file_is_one_more(project: Path) -> None:
    files = index(project, {"office/mail.py": b"def post(): ...", "office/new.py": b"def send(): ..."})
    assert files.outline("office/mail.py").definitions == {"post"}
    assert files.summary("office/mail.py") == read(b"def post(): ...")
    assert files.names["office/new.py"] == ("office.new",)
    assert files.hashes["office/new.py"] == content_hash(b"def send(): ...")
    assert list(files.mentions(["send"])) == ["office/new.py", "office/tasks.py"]


def test_what_is_excluded_is_not_there_unless_it_is_named(project: Path) -> None:
    assert list(index(project, exclude_from_index=("office/mail.py",)).names) == ["office/tasks.py"]
    assert list(index(project, paths=("office/mail.py", "notes.txt"), exclude_from_index=("office/*",)).names) == ["office/mail.py"]


def test_a_second_run_asks_the_cache_and_not_the_files(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = index(project)
    expected = first.outline("office/mail.py"), first.summary("office/mail.py")
    first.save()
    monkeypatch.setattr(Cache, "text", gone)
    second = index(project)
    assert (second.outline("office/mail.py"), second.summary("office/mail.py")) == expected
    assert second.errors() == ()


def test_an_error_is_said_once_and_errors_are_sorted(project: Path) -> None:
    (project / "broken.py").write_text("def f(:\n")
    (project / "gone.py").symlink_to("nowhere.py")
    (project / "a.py").write_text("print 'old'\n")
    files = index(project)
    for path in ("broken.py", "a.py", "broken.py"):
        files.summary(path)
    assert [(error.path, error.line) for error in files.errors()] == [("a.py", 1), ("broken.py", 1), ("gone.py", 0)]


def test_a_file_that_is_gone_by_the_time_it_is_read_is_an_error_and_empty(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = index(project)
    monkeypatch.setattr(Cache, "text", gone)
    assert files.outline("office/mail.py") == outline(b"")
    assert files.summary("office/mail.py") == read(b"")
    assert list(files.mentions(["send"])) == []
    reason = "changed while the project was being read"
    assert files.errors() == (FileError("office/mail.py", 0, reason), FileError("office/tasks.py", 0, reason))


def test_nothing_is_kept_about_a_file_that_could_not_be_read(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Cache, "text", gone)
        assert found(project) == []
    (project / "office" / "requirements.txt").write_text("celery\n")
    assert found(project) == [("office/mail.py", 4, "LIM102")]


def test_where_imports_start_counts_for_whether_anything_has_changed(project: Path) -> None:
    assert found(project) == []
    (project / "office" / "requirements.txt").write_text("celery\n")
    assert found(project) == [("office/mail.py", 4, "LIM102")]
    (project / "office" / "requirements.txt").unlink()
    assert found(project) == []


def test_a_recalled_run_keeps_what_it_has_hashed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    original = cache_module.read

    def counting(root: str, path: str, *limit: int) -> bytes:
        reads.append(path)
        return original(root, path, *limit)

    found(project)
    (project / "office" / "mail.py").write_text(MAIL)
    time.sleep(0.05)
    found(project)
    monkeypatch.setattr(cache_module, "read", counting)
    found(project)
    assert "office/mail.py" not in reads
