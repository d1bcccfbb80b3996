"""A task's limits with their evidence: what its own declaration gives it, and what the project gives every task.

Limits are in seconds. What counts, and under which name, is FACTS 77 to 90 of Celery's behaviour as tested live: `0` and `None` fall
through to the next level; of the old setting names only those that reach the configuration are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Union

from flake8_deadline.facts import Call, Constant, Function, Table, Value
from flake8_deadline.project import Declared, Project
from flake8_deadline.project.modules import is_test
from flake8_deadline.project.objects import ClassRef

OPTIONS = frozenset({"soft_time_limit", "time_limit"})
"""Options of a task decorator, attributes of a task class."""
SETTINGS = frozenset(
    {
        "task_soft_time_limit",
        "task_time_limit",
        "CELERY_TASK_SOFT_TIME_LIMIT",
        "CELERY_TASK_TIME_LIMIT",
        "CELERYD_TASK_SOFT_TIME_LIMIT",
        "CELERYD_TASK_TIME_LIMIT",
    }
)
ANNOTATIONS = frozenset({"task_annotations", "CELERY_TASK_ANNOTATIONS", "CELERY_ANNOTATIONS"})

Number = Union[int, float, None]


class Limit(NamedTuple):
    """A limit and who set it. `seconds` is None where it is given but cannot be read."""

    name: str
    path: str
    line: int
    seconds: Number


def own_limit(project: Project, declared: Declared) -> Limit | None:
    """The first limit that the task's decorator, the project's own decorator or its base class gives it."""
    maker = declared.task.maker
    for name, value in maker.options:
        if name in OPTIONS and not _is_unset(value):
            return Limit(name, declared.path, declared.line, value if isinstance(value, (int, float)) else None)
    if maker.open:
        return Limit("**options", declared.path, declared.line, None)
    return _base_limit(project, maker.base) if maker.base else None


def _is_unset(value: object) -> bool:
    return value is None or value == 0


def _base_limit(project: Project, base: ClassRef) -> Limit | None:
    for ancestor in project.inference.classes.ancestors(base):
        if isinstance(ancestor, ClassRef):
            cls = project.inference.cls(ancestor)
            for name in OPTIONS & cls.bindings.keys():
                for value in cls.bindings[name]:
                    if not (isinstance(value, Constant) and _is_unset(value.value)):
                        return Limit(name, ancestor.path, cls.line, _seconds(value))
    return None


def default_limit(project: Project, declared: Declared) -> Limit | None:
    """The first limit that annotations, `app.conf` or the settings of the project give this task."""
    for limit, pattern in project.once(_find_defaults):
        if pattern in ("*", declared.name) or declared.name.endswith(f".{pattern}"):
            return limit
    return None


def _find_defaults(project: Project) -> tuple[tuple[Limit, str], ...]:
    return tuple(_look_for_defaults(project))


def _look_for_defaults(project: Project) -> Iterator[tuple[Limit, str]]:
    for path in sorted(project.files.names):
        if "limit" in project.files.outline(path).marks and not is_test(path):
            source = project.modules.source(path)
            for function in source.functions.values():
                yield from _in_function(path, function)
            for cls in source.classes.values():
                yield from _in_bindings(path, cls.line, cls.bindings)


def _in_function(path: str, function: Function) -> Iterator[tuple[Limit, str]]:
    yield from _in_bindings(path, function.line, function.bindings)
    for step in function.steps:
        if isinstance(step, Call):
            pairs = [*step.keywords, *(pair for argument in step.args if isinstance(argument, Table) for pair in _pairs(argument))]
            yield from _in_pairs(path, step.line, pairs)


def _in_bindings(path: str, line: int, bindings: dict[str, tuple[Value, ...]]) -> Iterator[tuple[Limit, str]]:
    for name, values in bindings.items():
        last = name.rpartition(".")[2].rpartition("[")[2].removesuffix("]")
        yield from _in_pairs(path, line, [(last, value) for value in values])


def _in_pairs(path: str, line: int, pairs: list[tuple[str, Value]]) -> Iterator[tuple[Limit, str]]:
    for name, value in pairs:
        if name in SETTINGS and not (isinstance(value, Constant) and _is_unset(value.value)):
            yield Limit(name, path, line, _seconds(value)), "*"
        elif name in ANNOTATIONS and isinstance(value, Table):
            for task, options in _pairs(value):
                if isinstance(options, Table) and any(option in OPTIONS for option, _ in _pairs(options)):
                    yield Limit(name, path, line, None), task
        elif isinstance(value, Table) and name.lower() != "task_routes":
            yield from _in_pairs(path, line, list(_pairs(value)))


def _pairs(table: Table) -> Iterator[tuple[str, Value]]:
    for key, value in table.items:
        if isinstance(key, Constant) and isinstance(key.value, str):
            yield key.value, value


def _seconds(value: Value) -> Number:
    return value.value if isinstance(value, Constant) and isinstance(value.value, (int, float)) else None
