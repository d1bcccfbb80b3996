"""The example on a real worker: what its swallowed deadline does, and what `fix` makes of it.

The worker is started as the example's containers start it, by `entrypoint.sh worker`, with the limits given in the environment. Queues
are folders and the database is SQLite, so no server is needed. A queue without an event loop looks at its limits once a second: a limit
comes up to a second late, and the two limits here lie further apart than that.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from celery import Celery
from celery.exceptions import SoftTimeLimitExceeded, TimeLimitExceeded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.live

EXAMPLE = Path(__file__).parents[1] / "fixtures" / "example"
SOFT = 2
HARD = 6
ROWS = 100
SECONDS_PER_ROW = 0.2
PATIENCE = 40
"""Seconds after which something that should long have happened is taken not to happen."""


@dataclass(frozen=True)
class Kontor:
    """A copy of the example in a folder of its own, with its database migrated."""

    folder: Path

    @property
    def var(self) -> Path:
        return self.folder / "var"

    @property
    def environment(self) -> dict[str, str]:
        """What a container sets; a developer's own settings for Django and Celery stay out."""
        own = {name: value for name, value in os.environ.items() if not name.startswith(("CELERY", "DJANGO", "KONTOR", "MODEL", "PYTHON"))}
        return own | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUNBUFFERED": "1",
            "QUEUE": "imports",
            "CONCURRENCY": "1",
            "SOFT_TIME_LIMIT": str(SOFT),
            "HARD_TIME_LIMIT": str(HARD),
            "MODEL_CANNED_DELAY": str(SECONDS_PER_ROW),
        }

    def python(self, *arguments: str) -> str:
        """What a Python command run in the copy prints; it must succeed."""
        done = subprocess.run(
            [sys.executable, *arguments], cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        assert done.returncode == 0, f"{' '.join(arguments)} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def queue_statement(self) -> str:
        """Upload a bank statement in which every row asks the slow model, queue its import, and return the task's id."""
        rows = (f"{day % 28 + 1:02}.03.2026;Lieferant {day};Rechnung {day};-{day},50" for day in range(ROWS))
        statement = self.folder / "march.csv"
        statement.write_text("\n".join(["Buchungstag;Auftraggeber;Verwendungszweck;Betrag", *rows]), encoding="utf-8")
        printed = self.python("manage.py", "queue_statements", "Muster GmbH", statement.name)
        return printed.split()[-1]

    def query(self, sql: str) -> Any:
        """The first row of a query."""
        with closing(sqlite3.connect(self.var / "kontor.sqlite3")) as database:
            return database.execute(sql).fetchone()

    def outcome(self, task_id: str) -> tuple[str, Any]:
        """State and result of a task, as soon as it has ended."""
        result = Celery(backend=f"file://{self.var / 'results'}").AsyncResult(task_id)
        await_that(result.ready, "the task ends")
        return result.state, result.result


def await_that(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"not within {PATIENCE} s: {what}"
        time.sleep(0.1)


@contextmanager
def worker(kontor: Kontor) -> Iterator[Path]:
    """A worker that is ready, as the path of its log. The log is printed in the end, for pytest to show where a test fails."""
    log = kontor.folder / "worker.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["/bin/sh", "entrypoint.sh", "worker"],
            cwd=kontor.folder,
            env=kontor.environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        await_that(lambda: "ready." in log.read_text() or process.poll() is not None, "the worker is ready")
        assert process.poll() is None, "the worker did not start"
        yield log
    finally:
        stop(process)
        sys.stdout.write(log.read_text())


def stop(process: subprocess.Popen[bytes]) -> None:
    """End the worker politely, then whatever is left of its process group; it was started as the leader of one."""
    process.send_signal(signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=10)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=10)


@pytest.fixture
def kontor(tmp_path: Path) -> Kontor:
    folder = tmp_path / "example"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("var", "__pycache__", ".flake8_deadline_cache"))
    copy = Kontor(folder)
    copy.python("manage.py", "migrate", "--verbosity", "0")
    return copy


def test_the_example_is_a_sound_django_project(kontor: Kontor) -> None:
    kontor.python("manage.py", "check", "--fail-level", "WARNING")
    kontor.python("manage.py", "makemigrations", "--check", "--dry-run")


def test_every_module_of_the_example_can_be_imported(kontor: Kontor) -> None:
    modules = sorted(
        ".".join(path.relative_to(kontor.folder).with_suffix("").parts)
        for path in kontor.folder.glob("kontor/**/*.py")
        if path.name not in ("__init__.py", "production.py", "wsgi.py")
    )
    assert "kontor.banking.tasks" in modules
    kontor.python("-c", f"import importlib, kontor, django; django.setup()\nfor name in {modules!r}: importlib.import_module(name)")


def test_the_swallowed_deadline_strands_the_import_until_the_worker_kills_it(kontor: Kontor) -> None:
    task_id = kontor.queue_statement()
    with worker(kontor) as log:
        state, result = kontor.outcome(task_id)
        await_that(lambda: "Hard time limit" in log.read_text(), "the worker reports the kill")

    charged = re.search(r"march\.csv, row (\d+): SoftTimeLimitExceeded\(\)", log.read_text())
    assert charged, "the deadline was not charged to the row in flight"
    (postings,) = kontor.query("select count(*) from ledger_posting")
    assert (state, type(result)) == ("FAILURE", TimeLimitExceeded)
    assert int(charged[1]) < postings < ROWS, "the loop did not go on after the deadline"
    assert kontor.query("select status, message, finished_at from banking_csvimport") == ("importing", "", None)


def test_after_fix_the_same_import_leaves_at_the_soft_limit_and_its_row_says_so(kontor: Kontor) -> None:
    kontor.python("-m", "flake8_deadline", "fix", "--write", "--allow-dirty")
    task_id = kontor.queue_statement()
    with worker(kontor) as log:
        state, result = kontor.outcome(task_id)

    assert (state, type(result)) == ("FAILURE", SoftTimeLimitExceeded)
    assert "Soft time limit (2.0s) exceeded" in log.read_text()
    assert "Hard time limit" not in log.read_text()
    (postings,) = kontor.query("select count(*) from ledger_posting")
    status, message, finished_at = kontor.query("select status, message, finished_at from banking_csvimport")
    assert status == "timed_out"
    assert re.fullmatch(rf"timed out after \d+ of {ROWS} rows", message)
    assert postings < HARD / SECONDS_PER_ROW, "the import ran on to the hard limit"
    assert finished_at is not None
