"""Every way a deadline is lost, or only looks lost: what the analyser says is what a real worker does.

Each task in `matrix/` is one shape. All of them run on one prefork worker with a soft limit of 1 s and a hard one of 3 s, over work that takes
10 s. A queue without an event loop looks at its limits once a second, so either comes up to a second late, and a little more where several
tasks are killed at once.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import warnings
from collections import defaultdict
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
from celery import Celery

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.live

MATRIX = Path(__file__).parent / "matrix"
CONCURRENCY = 16
PATIENCE = 60
"""Seconds after which something that should long have happened is taken not to happen."""
SILENCE = 6
"""Seconds without a line in the log after which a worker is taken to be stuck: longer than a hard limit, and its delay."""
POLLING = 2
"""Seconds in which a worker looks at its queue at least once."""
ROUNDS = 4
"""Workers that are tried before a task is taken not to end in good order."""

GOES_ON = frozenset({"LIM101", "LIM102", "LIM103", "LIM104", "LIM105", "LIM106"})
RETRIES = frozenset({"LIM105"})
ENDS = frozenset({"LIM108"})
SWALLOWS = GOES_ON | ENDS

NAMES_THE_SIGNAL = "its clause names the signal, and that the task then ends is its author's decision"
NO_CLAUSE = "no code of the project takes the signal: a receiver of Celery's own signals is not the task's code, and Celery logs what it raises"

UNTOLD = "work that does not await, in a coroutine that is gathered: which of the coroutines blocks is not told apart"

SILENT = {
    "matrix.loops.named_and_breaks": NAMES_THE_SIGNAL,
    "matrix.loops.named_and_returns": NAMES_THE_SIGNAL,
    "matrix.retries.autoretry_and_a_return_in_time": NAMES_THE_SIGNAL,
    "matrix.generators.next_in_a_try": "the signal has ended the generator, so the next call ends the loop, and the task is over in time",
    "matrix.receivers.slow_receiver_before_the_task": NO_CLAUSE,
    "matrix.receivers.slow_receiver_after_the_task": NO_CLAUSE,
    "matrix.contexts.sub_test": "that a test case may be run in a task is nobody's concern: the methods of a test are not followed",
    "matrix.coroutines.gather_that_returns_errors_of_work": UNTOLD,
    "matrix.coroutines.gather_that_returns_errors_in_a_loop": UNTOLD,
    "matrix.transactions.robust_callback_on_commit": "what is run once a transaction is committed is not followed: on_commit is no call",
    "matrix.threads.leaves_a_pool_that_waits": "no clause takes the signal: it is on its way out when the pool waits for the rest of its work",
}
"""Shapes of which nothing is said although their task does not leave at the soft limit, and why."""

Outcome = Literal["left", "killed", "success", "retried", "failed"]


@dataclass(frozen=True)
class Shape:
    """One task of the matrix: its lines, and its name for the queue."""

    task: str
    path: str
    first: int
    last: int


@dataclass(frozen=True)
class Run:
    """What became of a task, and what the worker stored of it."""

    outcome: Outcome
    result: str


def shapes() -> list[Shape]:
    return [shape for path in sorted(MATRIX.glob("*.py")) if _can_be_read(path) for shape in _shapes_of(path)]


def _can_be_read(path: Path) -> bool:
    """`except*` is a syntax error before Python 3.11."""
    return path.name != "groups.py" or sys.version_info >= (3, 11)


def _shapes_of(path: Path) -> Iterator[Shape]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # newer Pythons warn of a `return` in `finally`, which is a shape
        tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        name = _task_name(node, path.stem)
        if name:
            yield Shape(name, f"matrix/{path.name}", _first_line(node), node.end_lineno or node.lineno)


def _task_name(node: ast.stmt, module: str) -> str | None:
    """The name of the task that a statement defines: by the decorator, or by a class that gives a name."""
    if isinstance(node, ast.FunctionDef) and any(ast.unparse(decorator).startswith("app.task(") for decorator in node.decorator_list):
        return f"matrix.{module}.{node.name}"
    if isinstance(node, ast.ClassDef):
        return next((step.value.value for step in node.body if isinstance(step, ast.Assign) and ast.unparse(step.targets[0]) == "name"), None)
    return None


def _first_line(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


SHAPES = shapes()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the matrix in a folder of its own, without the modules that this Python cannot read."""
    folder = tmp_path_factory.mktemp("shapes")
    left_out = [path.name for path in MATRIX.glob("*.py") if not _can_be_read(path)]
    shutil.copytree(MATRIX, folder / "matrix", ignore=shutil.ignore_patterns("var", "__pycache__", *left_out))
    return folder


@pytest.fixture(scope="module")
def runs(project: Path) -> dict[str, Run]:
    """What a worker made of each task.

    Processes of a pool without an event loop share one queue of results, and one that is killed while it holds that queue's lock leaves the
    whole pool mute: tasks that have ended seem to run on, and are killed. What such a worker tells is no measurement, and is made again. A new
    process for each task keeps what one shape leaves behind from the next.
    """
    measured: dict[str, Run] = {}
    for _ in range(ROUNDS):
        missing = [shape for shape in SHAPES if shape.task not in measured]
        measured |= run_all(project, missing) if missing else {}
    return measured


def run_all(project: Path, shapes: list[Shape]) -> dict[str, Run]:
    """Queue tasks, each under its own name as its id, to a new worker, and return what became of those that have ended in good order.

    A task of which more is told while the worker stops was not at its end: its result may be one of the stop.
    """
    folders = [project / "matrix" / "var" / name for name in ("queue", "results", "control")]
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    client = queue(project)
    with worker(project) as log:
        for shape in shapes:
            client.send_task(shape.task, task_id=shape.task)
        await_ends(log, shapes, folders[0])
        told = told_of(shapes, log)
    last = told_of(shapes, log)
    ended = [task for task in told if told[task].in_order and told[task] == last[task]]
    return {task: _run(told[task], client.backend.get_task_meta(task)) for task in ended}


@contextmanager
def worker(project: Path) -> Iterator[Path]:
    """A worker that is ready, as the path of its log. The log is printed in the end, for pytest to show where a test fails."""
    log = project / "worker.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "celery", "--app", "matrix.app", "worker", "--loglevel", "INFO"),
                *(
                    "--concurrency",
                    str(CONCURRENCY),
                    "--max-tasks-per-child",
                    "1",
                    "--include",
                    ",".join(sorted({_module(shape) for shape in SHAPES})),
                ),
                *("--without-gossip", "--without-mingle", "--without-heartbeat"),
            ],
            cwd=project,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        await_that(lambda: "ready." in log.read_text() or process.poll() is not None, "the worker is ready")
        assert process.poll() is None, f"the worker did not start\n{log.read_text()}"
        yield log
    finally:
        stop(process)
        sys.stdout.write(log.read_text())


def environment() -> dict[str, str]:
    """What a worker is given; a developer's own settings stay out."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("CELERY", "DJANGO", "PYTHON"))}
    return own | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1", "PYTHONPATH": ".", "DJANGO_SETTINGS_MODULE": "matrix.settings"}


def queue(project: Path) -> Celery:
    var = project / "matrix" / "var"
    client = Celery("client", broker="filesystem://", backend=f"file://{var / 'results'}")
    client.conf.broker_transport_options = {
        "data_folder_in": str(var / "queue"),
        "data_folder_out": str(var / "queue"),
        "control_folder": str(var / "control"),
    }
    return client


def await_ends(log: Path, shapes: list[Shape], messages: Path) -> None:
    """Wait until all have ended and no retry is on its way, or until what the worker says is no measurement any more, or is nothing."""
    length, quiet_since = 0, time.monotonic()
    while time.monotonic() < quiet_since + SILENCE:
        time.sleep(0.5)
        told = told_of(shapes, log).values()
        if any(one.contradicts_itself for one in told):
            return
        if log.stat().st_size != length:
            length, quiet_since = log.stat().st_size, time.monotonic()
        elif time.monotonic() > quiet_since + POLLING and not any(messages.iterdir()) and all(one.in_order for one in told):
            return


def await_that(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"not within {PATIENCE} s: {what}"
        time.sleep(0.2)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End the worker politely, then whatever is left of its process group; it was started as the leader of one."""
    process.send_signal(signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=10)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=10)


def _module(shape: Shape) -> str:
    return shape.path.removesuffix(".py").replace("/", ".")


@dataclass(frozen=True)
class Told:
    """What the log of a worker tells of one task: how often it was received, was sent the signal, ended by itself, was killed."""

    received: int
    signals: int
    ended: int
    killed: int

    @classmethod
    def by(cls, log: str, task: str) -> Told:
        told = f"{task}[{task}]"
        ends = ("succeeded in", "raised unexpected:", "retry:")
        return cls(
            received=log.count(f"Task {told} received"),
            signals=log.count(f"Soft time limit (1s) exceeded for {told}"),
            ended=sum(log.count(f"Task {told} {end}") for end in ends),
            killed=log.count(f"Hard time limit (3s) exceeded for {told}"),
        )

    @property
    def in_order(self) -> bool:
        """The signal was sent, and each run has ended, in one way."""
        return self.signals > 0 and self.received == self.ended + self.killed

    @property
    def contradicts_itself(self) -> bool:
        """A run that had ended was killed: the pool has not heard of its end."""
        return self.received < self.ended + self.killed


def told_of(shapes: list[Shape], log: Path) -> dict[str, Told]:
    text = log.read_text(encoding="utf-8")
    return {shape.task: Told.by(text, shape.task) for shape in shapes}


def _run(told: Told, meta: dict[str, Any]) -> Run:
    return Run(_outcome(told, meta), f"{meta['status']} {meta['result']!r}")


def _outcome(told: Told, meta: dict[str, Any]) -> Outcome:
    """A run that goes on past the signal is the worse fault, so a kill comes before a retry. To fail for another reason is a fault of the matrix."""
    if told.killed:
        return "killed"
    if told.received > 1:
        return "retried"
    if meta["status"] == "SUCCESS":
        return "success"
    return "left" if "SoftTimeLimitExceeded" in str(meta["traceback"]) else "failed"


@pytest.fixture(scope="module")
def codes(project: Path) -> dict[str, frozenset[str]]:
    """The codes that are said of each task: in its lines, or elsewhere on a chain that starts at it."""
    done = subprocess.run(
        [sys.executable, "-m", "flake8_deadline", "check", "matrix", "--isolated", "--enable", "LIM108", "--format", "json"],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 1, f"check ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    found: dict[str, set[str]] = defaultdict(set)
    for finding in json.loads(done.stdout)["findings"]:
        for shape in SHAPES:
            if finding["code"] in SWALLOWS and concerns(finding, shape):
                found[shape.task].add(finding["code"])
    return {shape.task: frozenset(found[shape.task]) for shape in SHAPES}


def concerns(finding: dict[str, Any], shape: Shape) -> bool:
    started = [link["what"] for link in finding["chain"][:1]]
    return started == [f"task {shape.task}"] or (finding["path"] == shape.path and shape.first <= finding["line"] <= shape.last)


def agree(shape: Shape, outcome: Outcome, codes: frozenset[str]) -> bool:
    """What must be said of a task with this outcome, for all shapes alike but the silent ones."""
    if outcome == "left" or shape.task in SILENT:
        return not codes
    if outcome == "retried":
        return RETRIES <= codes <= RETRIES | ENDS
    if outcome == "success":
        return codes == ENDS
    return outcome == "killed" and bool(codes) and codes <= GOES_ON


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.task.removeprefix("matrix."))
def test_the_verdict_equals_what_the_worker_does(shape: Shape, runs: dict[str, Run], codes: dict[str, frozenset[str]]) -> None:
    assert shape.task in runs, f"{shape.task} was not sent the signal, or did not end, in {ROUNDS} rounds"
    run = runs[shape.task]
    said = ", ".join(sorted(codes[shape.task])) or "nothing"
    assert agree(shape, run.outcome, codes[shape.task]), f"{shape.task} ({shape.path}:{shape.first}): {run.outcome} ({run.result}); said is {said}"


def test_every_task_of_the_folder_is_a_shape(project: Path) -> None:
    modules = sorted({_module(shape) for shape in SHAPES})
    code = f"import importlib\nfor name in {modules!r}: importlib.import_module(name)\nfrom matrix.app import app\nprint(*app.tasks, sep='\\n')"
    known = subprocess.run([sys.executable, "-c", code], cwd=project, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert {name for name in known.stdout.split() if not name.startswith("celery.")} == {shape.task for shape in SHAPES}


def test_each_silence_is_about_a_task_that_does_not_leave(runs: dict[str, Run]) -> None:
    assert {task: runs[task].outcome for task in SILENT if runs[task].outcome == "left"} == {}
