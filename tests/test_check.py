"""Whole runs: what is recalled, what is read, and what is said where a file cannot be."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from flake8_deadline import index as index_module
from flake8_deadline.cache import Cache
from flake8_deadline.check import analyse
from flake8_deadline.options import Options
from flake8_deadline.tree import UnreadableError

if TYPE_CHECKING:
    from pathlib import Path

TASK = """\
from celery import shared_task


@shared_task(soft_time_limit=60, time_limit=90)
def import_rows(rows):
    for row in rows:
        try:
            row.push()
        except Exception:
            row.skip()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "tasks.py").write_text(TASK)
    return tmp_path


def codes(root: Path, **options: object) -> list[tuple[str, int, str]]:
    return [(f.path, f.line, f.code) for f in analyse(Options(root=str(root), **options)).findings]  # type: ignore[arg-type]


def test_a_run_of_unchanged_files_is_recalled_whole(project: Path) -> None:
    first = analyse(Options(root=str(project)))
    assert analyse(Options(root=str(project))) == first
    assert [finding.code for finding in first.findings] == ["LIM101"]


def test_a_recalled_result_that_cannot_be_read_counts_as_none(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = codes(project)
    monkeypatch.setattr(Cache, "recall", lambda self, key: b"not a result")
    assert codes(project) == expected


def test_a_new_problem_of_the_tree_is_no_unchanged_run(project: Path) -> None:
    assert analyse(Options(root=str(project))).errors == ()
    (project / "gone.py").symlink_to("nowhere.py")
    assert [error.path for error in analyse(Options(root=str(project))).errors] == ["gone.py"]


def test_a_file_that_goes_away_during_the_run_is_an_error_and_the_rest_is_done(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "other.py").write_text("print 'old'\n")

    def text(self: Cache, path: str) -> bytes:
        if path == "other.py":
            raise UnreadableError(path, "changed while the project was being read")
        return (project / path).read_bytes()

    monkeypatch.setattr(Cache, "text", text)
    analysis = analyse(Options(root=str(project), cache_dir="none"))
    assert [(error.path, error.message) for error in analysis.errors] == [("other.py", "changed while the project was being read")]
    assert [finding.code for finding in analysis.findings] == ["LIM101"]


def test_in_a_large_project_only_files_named_or_odd_are_parsed_for_syntax(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "_SMALL", 1)
    (project / "named.py").write_text("def broken(:\n")
    (project / "odd.py").write_text("print 'old'\n")
    (project / "unseen.py").write_text("def broken(:\n")
    analysis = analyse(Options(root=str(project)), paths=["named.py"])
    assert [(error.path, error.line) for error in analysis.errors] == [("named.py", 1), ("odd.py", 1)]


def test_a_named_link_that_leads_out_of_the_project_is_not_read(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.py"
    outside.write_text(TASK)
    (project / "link.py").symlink_to(outside)
    analysis = analyse(Options(root=str(project)), paths=["link.py"])
    assert "link.py" in {error.path for error in analysis.errors}
    assert {finding.path for finding in analysis.findings} == {"tasks.py"}


def test_a_project_without_a_task_counts_every_loop_but_those_of_a_command_line(tmp_path: Path) -> None:
    loop = "    for row in rows:\n        try:\n            row.push()\n        except Exception:\n            pass\n"
    (tmp_path / "library.py").write_text(f"def push_all(rows):\n{loop}")
    (tmp_path / "commands.py").write_text(
        "from django.core.management.base import BaseCommand\nfrom invoke import task\n\n\n"
        f"class Command(BaseCommand):\n    def handle(self, rows):\n{loop.replace('    ', '        ', 1)}\n\n@task\ndef push(rows):\n{loop}".replace(
            "        for row in rows:\n        try:\n            row.push()\n        except Exception:\n            pass\n",
            "        for row in rows:\n            try:\n                row.push()\n            except Exception:\n                pass\n",
        )
    )
    analysis = analyse(Options(root=str(tmp_path), cache_dir="none"))
    assert [(f.path, f.line, f.code) for f in analysis.findings] == [("library.py", 5, "LIM101")]
    assert "the project defines no task" in analysis.findings[0].message
    assert analysis.errors == ()


@pytest.mark.parametrize("enabled", [True, False])
def test_garbage_is_collected_after_a_run_if_it_was_before(enabled: bool, tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text("def work(): pass\n")
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        analyse(Options(root=str(tmp_path), cache_dir="none"))
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()


def test_a_run_in_a_directory_without_python_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    assert analyse(Options(root=str(tmp_path))).statistics.files == 0
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
