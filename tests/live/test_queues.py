"""RQ and Huey on real workers: a loop that catches everything outlives its deadline, one that re-raises the queue's signal does not.

The verdict on the same file is what the worker shows. RQ needs a `redis-server` on the path, started here on a free port; Huey's queue is a
folder.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest
from huey import FileHuey
from huey.exceptions import TaskException
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from rq import Queue

from flake8_deadline.check import analyse
from flake8_deadline.options import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

pytestmark = pytest.mark.live

LIMIT = 1
"""Seconds; each loop below sleeps twice as long."""
PATIENCE = 20
LOOPS = """
{decorator}
def careless():
    for _ in range(20):
        try:
            time.sleep(0.1)
        except Exception:
            continue
    return "to the end"


{decorator}
def careful():
    for _ in range(20):
        try:
            time.sleep(0.1)
        except {signal}:
            raise
        except Exception:
            continue
    return "to the end"
"""


def await_that(condition: Callable[[], object], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"not within {PATIENCE} s: {what}"
        time.sleep(0.05)


@contextmanager
def process(command: Sequence[str], folder: Path) -> Iterator[None]:
    """A process in a folder, ended in the end. Its output is printed, for pytest to show where a test fails."""
    log = folder / "process.log"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("RQ", "PYTHON"))}
    with log.open("ab") as output:
        started = subprocess.Popen(
            command,
            cwd=folder,
            env={**environment, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield
    finally:
        started.terminate()
        try:
            started.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()
        sys.stdout.write(log.read_text())


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[int]:
    """The port of a server of our own that keeps nothing."""
    server = shutil.which("redis-server")
    assert server, "install redis-server"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tmp_path / "redis"
    folder.mkdir()
    with process([server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"], folder):
        with Redis(port=port) as client:
            await_that(lambda: answers(client), "redis answers")
        yield port


def answers(client: Redis) -> bool:
    try:
        return bool(client.ping())
    except RedisConnectionError:
        return False


def reported(folder: Path) -> list[str]:
    """The functions of `jobs.py` in which a swallowed deadline is reported."""
    lines = (folder / "jobs.py").read_text().splitlines()
    findings = analyse(Options(root=str(folder)), paths=["jobs.py"]).findings
    found = [[line for line in lines[: finding.line] if line.startswith("def ")][-1] for finding in findings if finding.code == "LIM101"]
    return [line.removeprefix("def ").partition("(")[0] for line in found]


def stand_in(huey: FileHuey, name: str) -> Callable[[], Any]:
    """A task of `jobs.py`, to be put into the queue by a process that does not import it."""

    def function() -> None: ...

    function.__module__ = "jobs"
    return huey.task(name=name, timeout=LIMIT)(function)


def test_rq_runs_a_careless_job_past_its_timeout_and_ends_a_careful_one(tmp_path: Path, redis: int) -> None:
    head = f"""
        import time

        from redis import Redis
        from rq.decorators import job
        from rq.timeouts import JobTimeoutException

        connection = Redis(port={redis})
    """
    decorator = f"@job('default', connection=connection, timeout={LIMIT}, failure_ttl=60)"
    (tmp_path / "jobs.py").write_text(dedent(head).lstrip() + LOOPS.format(decorator=decorator, signal="JobTimeoutException"))
    with Redis(port=redis) as connection:
        queue = Queue(connection=connection)
        careless, careful = (queue.enqueue(f"jobs.{name}", job_timeout=LIMIT) for name in ("careless", "careful"))
        with process([sys.executable, "-m", "rq.cli", "worker", "--burst", "--url", f"redis://127.0.0.1:{redis}"], tmp_path):
            await_that(lambda: careless.is_finished or careless.is_failed, "the careless job ends")
            await_that(lambda: careful.is_finished or careful.is_failed, "the careful job ends")
        assert careless.is_finished
        assert careless.return_value() == "to the end"
        assert careful.is_failed
        assert "JobTimeoutException" in careful.latest_result().exc_string
    assert reported(tmp_path) == ["careless"]


def test_huey_runs_a_careless_task_past_its_timeout_and_ends_a_careful_one(tmp_path: Path) -> None:
    head = f"""
        import time

        from huey import FileHuey
        from huey.exceptions import TaskTimeout

        huey = FileHuey("live", path={str(tmp_path / "queue")!r})
    """
    (tmp_path / "jobs.py").write_text(dedent(head).lstrip() + LOOPS.format(decorator=f"@huey.task(timeout={LIMIT})", signal="TaskTimeout"))
    huey = FileHuey("live", path=str(tmp_path / "queue"))
    careless, careful = (stand_in(huey, name)() for name in ("careless", "careful"))
    with process([sys.executable, "-m", "huey.bin.huey_consumer", "jobs.huey", "-k", "process", "-w", "1", "-n"], tmp_path):
        assert careless.get(blocking=True, timeout=PATIENCE) == "to the end"
        with pytest.raises(TaskException) as raised:
            careful.get(blocking=True, timeout=PATIENCE)
        assert "TaskTimeout" in raised.value.metadata["error"]
    assert reported(tmp_path) == ["careless"]
