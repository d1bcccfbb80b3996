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
    Loops that no task reaches; loops that gather in memory, `yield`, write an export or only dispatch (`.delay`, `apply_async`,
    `on_commit`); loops inside `transaction.atomic()`, meant as all or nothing; rows isolated here or in the function called.

Fix
    None yet: isolating a row needs a decision on what a failed row means.
"""

from __future__ import annotations

from collections.abc import Iterator

from flake8_deadline import chains
from flake8_deadline.project import Project
from flake8_deadline.project.effects import Effects
from flake8_deadline.project.objects import FunctionRef
from flake8_deadline.project.sweeps import Sweep, sweeps
from flake8_deadline.rule import Finding, Link, Rule


def check(project: Project) -> Iterator[Finding]:
    if not project.known:
        return
    found: dict[tuple[str, int], tuple[int, str, FunctionRef, Sweep]] = {}
    effects = Effects(project.deadlines)
    for frame in project.reach.resolved:
        for sweep in sweeps(project.deadlines, effects, frame):
            key = (frame.path, sweep.loop.line)
            candidate = (project.reach.length(frame), repr(frame), frame, sweep)
            if key not in found or candidate[:2] < found[key][:2]:
                found[key] = candidate
    for _, _, frame, sweep in found.values():
        task = project.task_of[project.reach.chain(frame)[0][0]].name
        message = f"bare sweep: the first row that fails in '{sweep.work}' abandons all rows after it (reached from task {task}); isolate each row"
        chain = (
            *chains.down(project, project.reach, frame),
            Link(frame.path, sweep.loop.line, "this loop"),
            Link(frame.path, sweep.line, f"calls {sweep.work}"),
        )
        yield Finding(frame.path, sweep.loop.line, sweep.loop.column, RULE.code, RULE.name, message, chain)


RULE = Rule("LIM201", "bare-sweep", check, default=True)
