"""The task queues known: which names make a task, which exception is the deadline signal. A queue is a row, not a subclass.

Names are dotted, as an import gives them, `()` standing for "an instance of" or "the result of". Celery's names: its user guide, "Tasks",
and FACTS of `tests/live`. Old names (`celery.task`, `celery.decorators`) are gone since Celery 5 and still found in old code. Those of the
others were read in their sources: RQ 1.16 and 3.0, django-rq 4.2, Flask-RQ2 18.3, rq-scheduler 0.14, Huey 2.5 and 3.5 (limits: from 3 on),
Dramatiq 1.17 and 2.2, django-q2 1.11, arq 0.28.
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class Queue(NamedTuple):
    name: str
    signals: frozenset[str]
    """Every name of the exception that the soft limit raises. None where the limit only ever cancels what is awaited (`CANCELLATIONS`)."""
    swallowed_by: Literal["Exception", "BaseException"]
    """The narrowest of the broad clauses that takes the signal."""
    makers: frozenset[str]
    """Decorators, and functions called with a function, that make a task."""
    bases: frozenset[str]
    """Classes whose subclasses with a method named `method` are tasks."""
    module: str
    signal: str
    """The import that the fix inserts."""
    parents: frozenset[str] = frozenset()
    """The classes between the signal and the broad one, by every name: a clause for one of them takes the signal as well."""
    default_limit: int | None = None
    """Seconds that a task may run where nobody says otherwise; None: for ever."""
    factories: frozenset[str] = frozenset()
    """The makers that are called to get a decorator: no argument of theirs is the task."""
    enqueues: frozenset[tuple[str, int]] = frozenset()
    """Calls that make a task of a function they are given, or of its dotted name, with its position: from 0, -1 where it is always named."""
    lists: frozenset[tuple[str, str]] = frozenset()
    """Class attributes that list the tasks, by the names of the class and the attribute, where the class is known by its name alone."""
    method: str = "run"
    called_in_place: bool = True
    """Whether a plain call of a task runs it here and now."""
    bounds: frozenset[str] = frozenset()
    """The keywords that bound a task, or all of a queue, where the queue has a limit by default that they can lift."""
    endless: Literal["", "negative", "infinite"] = ""
    """What lifts it."""
    holders: frozenset[str] = frozenset()
    """The objects that are made with a bound for all that is put into them."""


FUNCTION_KEYWORDS = frozenset({"func", "f", "coroutine"})
"""The names under which calls of `Queue.enqueues` take the function, where its position is not filled."""


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
    swallowed_by="Exception",
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

_RQ_QUEUES = ("rq.Queue()", "rq.queue.Queue()", "django_rq.get_queue()", "django_rq.queues.get_queue()", "flask_rq2.RQ().get_queue()")
_RQ_SCHEDULERS = (
    "rq_scheduler.Scheduler()",
    "rq_scheduler.scheduler.Scheduler()",
    "django_rq.get_scheduler()",
    "django_rq.queues.get_scheduler()",
    "flask_rq2.RQ().get_scheduler()",
)

RQ = Queue(
    name="rq",
    signals=frozenset({"rq.timeouts.JobTimeoutException", "rq.job.JobTimeoutException", "rq.worker.JobTimeoutException"}),
    parents=frozenset({"rq.timeouts.BaseTimeoutException"}),
    swallowed_by="Exception",
    default_limit=180,
    makers=frozenset({"rq.decorators.job", "django_rq.job", "django_rq.decorators.job", "flask_rq2.RQ().job"}),
    bases=frozenset(),
    enqueues=frozenset(
        {
            *((f"{queue}.{method}", 0) for queue in _RQ_QUEUES for method in ("enqueue", "enqueue_call", "prepare_data")),
            *((f"{queue}.{method}", 1) for queue in _RQ_QUEUES for method in ("enqueue_in", "enqueue_at")),
            *((f"{scheduler}.{method}", 1) for scheduler in _RQ_SCHEDULERS for method in ("enqueue_in", "enqueue_at", "schedule", "cron")),
            ("rq.Queue.prepare_data", 0),
            ("rq.queue.Queue.prepare_data", 0),
            ("rq.job.Job.create", 0),
            ("rq.cron.register", 0),
            ("rq.cron.CronScheduler().register", 0),
            ("django_rq.enqueue", 0),
            ("django_rq.queues.enqueue", 0),
        }
    ),
    module="rq.timeouts",
    signal="JobTimeoutException",
    bounds=frozenset({"timeout", "job_timeout", "default_timeout"}),
    endless="negative",
    holders=frozenset(_RQ_QUEUES),
)

_HUEY_STORAGES = (
    *("", "BlackHole", "CySqlite", "File", "Memory", "Postgres", "Sqlite"),
    *("Redis", "RedisExpire", "PriorityRedis", "PriorityRedisExpire"),
)
_HUEYS = (
    *(f"{module}.{storage}Huey()" for module in ("huey", "huey.api") for storage in _HUEY_STORAGES),
    "huey.contrib.sql_huey.SqlHuey()",
    "huey.contrib.djhuey.HUEY",
)
_HUEY_MAKERS = frozenset(
    {
        *(f"{huey}.{maker}" for huey in _HUEYS for maker in ("task", "periodic_task", "context_task")),
        *(f"huey.contrib.djhuey.{name}" for name in ("task", "periodic_task", "db_task", "db_periodic_task", "on_commit_task")),
    }
)

HUEY = Queue(
    name="huey",
    signals=frozenset({"huey.exceptions.TaskTimeout", "huey.api.TaskTimeout"}),
    parents=frozenset({"huey.exceptions.HueyException", "huey.api.HueyException"}),
    swallowed_by="Exception",
    makers=_HUEY_MAKERS,
    factories=_HUEY_MAKERS,
    bases=frozenset(),
    called_in_place=False,
    module="huey.exceptions",
    signal="TaskTimeout",
)

DRAMATIQ = Queue(
    name="dramatiq",
    signals=frozenset({"dramatiq.middleware.TimeLimitExceeded", "dramatiq.middleware.time_limit.TimeLimitExceeded"}),
    parents=frozenset({"dramatiq.middleware.Interrupt", "dramatiq.middleware.threading.Interrupt", "dramatiq.threading.Interrupt"}),
    swallowed_by="BaseException",
    default_limit=600,
    makers=frozenset({"dramatiq.actor", "dramatiq.actor.actor"}),
    bases=frozenset({"dramatiq.GenericActor", "dramatiq.generic.GenericActor"}),
    method="perform",
    module="dramatiq.middleware",
    signal="TimeLimitExceeded",
    bounds=frozenset({"time_limit"}),
    endless="infinite",
)

DJANGO_Q = Queue(
    name="django-q2",
    signals=frozenset({"django_q.exceptions.TimeoutException", "django_q.timeout.TimeoutException", "django_q.worker.TimeoutException"}),
    parents=frozenset({"builtins.SystemExit"}),
    swallowed_by="BaseException",
    makers=frozenset(),
    bases=frozenset(),
    enqueues=frozenset(
        {
            *((f"django_q.tasks.{name}", 0) for name in ("async_task", "async_iter", "schedule", "AsyncTask", "Iter", "Chain().append")),
            *((f"django_q.models.Schedule.objects.{name}", -1) for name in ("create", "get_or_create", "update_or_create")),
        }
    ),
    module="django_q.exceptions",
    signal="TimeoutException",
)

ARQ = Queue(
    name="arq",
    signals=frozenset(),
    swallowed_by="BaseException",
    default_limit=300,
    makers=frozenset(),
    bases=frozenset(),
    enqueues=frozenset({("arq.func", 0), ("arq.worker.func", 0), ("arq.cron", 0), ("arq.cron.cron", 0)}),
    lists=frozenset({("WorkerSettings", "functions")}),
    module="asyncio",
    signal="CancelledError",
)

QUEUES = (CELERY, RQ, HUEY, DRAMATIQ, DJANGO_Q, ARQ)
BOUNDS = frozenset().union(*[queue.bounds for queue in QUEUES])
_BY_NAME = {queue.name: queue for queue in QUEUES}


def named(name: str) -> Queue:
    return _BY_NAME[name]


DIRECT = frozenset({"run", "__call__", "__wrapped__", "call_local", "fn", "func"})
"""Attributes of a task by which its function is called in place."""

CANCELLATIONS = frozenset({"asyncio.CancelledError", "asyncio.exceptions.CancelledError", "concurrent.futures.CancelledError"})
"""What an awaiting coroutine sees in place of the signal."""

RETRIED = frozenset({"celery.exceptions.Retry"})
"""The error by which a task asks to be run again."""
RETRYING = frozenset({"celery.Task().retry"})
"""Calls that raise it, unless `throw=False`."""

REGISTERING = frozenset({"register_task", "register"})
"""Methods of an application, and of its registry, that make a task of an instance or class."""

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
