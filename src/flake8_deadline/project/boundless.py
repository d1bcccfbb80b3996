"""Which calls of the queues other than Celery lift the limit that a task would have: `timeout=-1`, `time_limit=float("inf")`.

Their defaults are limits, so that only who lifts them has none; Huey cannot bound a task, and is never told to. Who is told is decided by a rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from flake8_deadline import queues
from flake8_deadline.facts import Call, Constant, Value
from flake8_deadline.project.inference import Inference
from flake8_deadline.project.modules import Source, is_test
from flake8_deadline.project.objects import External, FunctionRef, Object

_INFINITE = frozenset({"math.inf", "numpy.inf"})


class Lifted(NamedTuple):
    """A call that lifts the limit, by which keyword; `column` counts from 1."""

    queue: queues.Queue
    path: str
    line: int
    column: int
    keyword: str
    scope: str
    """What it holds for: "this task", "every job of this queue", "this job"."""


def lifted(inference: Inference) -> Iterator[Lifted]:
    """The calls that lift a limit, in files that are no tests'."""
    files = inference.modules.files
    for path in sorted(files.names):
        if "queue" in files.outline(path).marks and not is_test(path):
            source = inference.modules.source(path)
            for call, frame, column, is_decorator in _calls(source):
                yield from _of(call, frame, column, is_decorator, inference)


def _calls(source: Source) -> Iterator[tuple[Call, FunctionRef, int, bool]]:
    for qualname, function in source.functions.items():
        outside = FunctionRef(source.path, function.parent or "")
        yield from ((d.value, outside, d.column, True) for d in function.decorators if isinstance(d.value, Call))
        for site in source.sites(qualname):
            if isinstance(site.step, Call):
                yield site.step, FunctionRef(source.path, qualname), site.step.column + 1, False


def _of(call: Call, frame: FunctionRef, column: int, is_decorator: bool, inference: Inference) -> Iterator[Lifted]:
    given = [(name, value) for name, value in call.keywords if name in queues.BOUNDS]
    if not given:
        return
    for o in sorted(inference.evaluate(call.func, frame), key=repr):
        found = _queue(o)
        for queue, scope in [found] if found else []:
            for name, value in given:
                if name in queue.bounds and _is_endless(value, queue, frame, inference):
                    yield Lifted(queue, frame.path, call.line, column, name, "this task" if is_decorator else scope)


def _queue(o: Object) -> tuple[queues.Queue, str] | None:
    """The queue whose call something is, and what the call bounds."""
    if not isinstance(o, External):
        return None
    for queue in queues.QUEUES:
        if o.name in queue.makers:
            return queue, "this task"
        if o.name in {name for name, _ in queue.enqueues}:
            return queue, "this job"
        if f"{o.name}()" in queue.holders:
            return queue, "every job of this queue"
    return None


def _is_endless(value: Value, queue: queues.Queue, frame: FunctionRef, inference: Inference) -> bool:
    if queue.endless == "negative":
        return isinstance(value, Constant) and isinstance(value.value, (int, float)) and value.value < 0
    if isinstance(value, Call):
        return value.func == "float" and value.args == (Constant("inf"),)
    return any(isinstance(o, External) and o.name in _INFINITE for o in inference.evaluate(value, frame))
