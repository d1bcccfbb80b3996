"""A loop over a queryset works on each row, and the first row that fails abandons the rest.

Why
    `for invoice in qs.iterator():` with the work inline ends at the first bad row. The rows after it are never looked at, and the next run
    meets the same row first.

Bad
    from celery import shared_task
    from shop.models import Invoice


    @shared_task(soft_time_limit=60, time_limit=90)
    def remind():
        for invoice in Invoice.objects.filter(overdue=True).iterator():
            invoice.send_reminder()

Good
    import logging

    from celery import shared_task
    from celery.exceptions import SoftTimeLimitExceeded
    from shop.models import Invoice

    log = logging.getLogger(__name__)


    @shared_task(soft_time_limit=60, time_limit=90)
    def remind():
        for invoice in Invoice.objects.filter(overdue=True).iterator():
            try:
                invoice.send_reminder()
            except SoftTimeLimitExceeded:
                raise
            except Exception:
                log.exception("no reminder for %s", invoice.pk)

Not reported
    Loops that no task reaches; where the project has no task at all, loops over anything but `.iterator()`; loops that gather in memory,
    `yield`, write an export or only dispatch (`.delay`, `apply_async`, `on_commit`); loops inside `transaction.atomic()`, meant as all or
    nothing; rows isolated here or in the function called.

Fix
    Unsafe, as a failed row then ends nothing: `fix --unsafe` puts the body into a `try`, lets the deadline out, counts and logs what fails,
    and ends with one warning that says how many were processed and how many failed. It needs a logger of the module, and leaves alone what
    leaves a turn by `continue`, `break`, `return` or `raise`, or stands inside of a transaction; loops whose errors somebody waits for (an
    `except` clause around, `autoretry_for`); and loops behind which the code goes on as if every row were done (`rows.delete()`).
"""

from __future__ import annotations

from collections.abc import Iterator

from flake8_deadline import chains, queues
from flake8_deadline.project import Project
from flake8_deadline.project.effects import Effects
from flake8_deadline.project.objects import FunctionRef
from flake8_deadline.project.sweeps import Sweep, is_streamed, sweeps
from flake8_deadline.rule import Finding, Isolate, Link, Rule


def check(project: Project) -> Iterator[Finding]:
    found: dict[tuple[str, int], tuple[int, str, FunctionRef, Sweep]] = {}
    effects = Effects(project.deadlines)
    for frame in project.reach.resolved:
        for sweep in sweeps(project.deadlines, effects, frame):
            if not project.known and not is_streamed(sweep.loop):
                continue
            key = (frame.path, sweep.loop.line)
            candidate = (project.reach.length(frame), repr(frame), frame, sweep)
            if key not in found or candidate[:2] < found[key][:2]:
                found[key] = candidate
    for _, _, frame, sweep in found.values():
        origin = chains.start(project, project.reach, frame)
        message = f"bare sweep: the first row that fails in '{sweep.work}' abandons all rows after it ({origin}); isolate each row"
        chain = (
            *chains.down(project, project.reach, frame),
            Link(frame.path, sweep.loop.line, "this loop"),
            Link(frame.path, sweep.line, f"calls {sweep.work}"),
        )
        queue = _queue(project, frame)
        fix = Isolate(sweep.loop.line, queue.module, queue.signal) if queue.signals else None
        yield Finding(frame.path, sweep.loop.line, sweep.loop.column, RULE.code, RULE.name, message, chain, fix)


def _queue(project: Project, frame: FunctionRef) -> queues.Queue:
    declared = project.task_of.get(project.reach.chain(frame)[0][0]) if project.known else None
    return queues.named(declared.task.maker.queue) if declared else queues.CELERY


RULE = Rule("LIM201", "bare-sweep", check, default=True, fixable="unsafe")
