"""The task queues known: which names make a task, which exception is the deadline signal. A queue is a row, not a subclass.

Names are dotted, as an import gives them, `()` standing for "an instance of" or "the result of". Celery's names: its user guide, "Tasks",
and FACTS of `tests/live`. Old names (`celery.task`, `celery.decorators`) are gone since Celery 5 and still found in old code.
"""

from __future__ import annotations

from typing import NamedTuple


class Queue(NamedTuple):
    name: str
    signals: frozenset[str]
    """Every name of the exception that the soft limit raises."""
    makers: frozenset[str]
    """Decorators, and functions called with a function, that make a task."""
    bases: frozenset[str]
    """Classes whose subclasses with a `run` are tasks."""
    module: str
    signal: str
    """The import that the fix inserts."""


_APPS = (
    "celery.Celery()",
    "celery.app.Celery()",
    "celery.app.base.Celery()",
    "celery.current_app",
    "celery._state.current_app",
    "celery.app.app_or_default()",
)

CELERY = Queue(
    name="celery",
    signals=frozenset(
        {
            "celery.exceptions.SoftTimeLimitExceeded",
            "billiard.exceptions.SoftTimeLimitExceeded",
            "billiard.SoftTimeLimitExceeded",
            "billiard.pool.SoftTimeLimitExceeded",
        }
    ),
    makers=frozenset(
        {
            "celery.shared_task",
            "celery.app.shared_task",
            "celery.task",
            "celery.task.task",
            "celery.task.periodic_task",
            "celery.task.base.task",
            "celery.task.base.periodic_task",
            "celery.decorators.task",
            "celery.decorators.periodic_task",
            *(f"{app}.task" for app in _APPS),
        }
    ),
    bases=frozenset(
        {
            "celery.Task",
            "celery.app.Task",
            "celery.app.task.Task",
            "celery.task.Task",
            "celery.task.PeriodicTask",
            "celery.task.base.Task",
            "celery.task.base.PeriodicTask",
            *(f"{app}.Task" for app in _APPS),
        }
    ),
    module="celery.exceptions",
    signal="SoftTimeLimitExceeded",
)

QUEUES = (CELERY,)

CANCELLATIONS = frozenset({"asyncio.CancelledError", "asyncio.exceptions.CancelledError", "concurrent.futures.CancelledError"})
"""What an awaiting coroutine sees in place of the signal."""

RETRIED = frozenset({"celery.exceptions.Retry"})
"""The error by which a task asks to be run again."""
RETRYING = frozenset({"celery.Task().retry"})
"""Calls that raise it, unless `throw=False`."""

HARD = frozenset(
    {
        "celery.exceptions.TimeLimitExceeded",
        "billiard.exceptions.TimeLimitExceeded",
        "billiard.TimeLimitExceeded",
        "billiard.pool.TimeLimitExceeded",
    }
)
"""Names of what a parent process stores for a task that was killed at its hard limit."""

APP_WORDS = ("app", "celery")
"""An object that cannot be followed makes tasks with its `.task` if its own name says that it is an application."""
