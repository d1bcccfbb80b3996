"""A handler in a loop takes the deadline signal, and the loop goes on.

Why
    The soft time limit of a task arrives as `SoftTimeLimitExceeded`, a plain `Exception`, once. A broad handler around one item charges it
    to that item and the loop goes on to the next, until the hard limit kills the process: code after the loop never runs, the row stays
    in its running state, nobody is told.

Bad
    from celery import shared_task


    @shared_task(soft_time_limit=60, time_limit=90)
    def import_rows(rows):
        for row in rows:
            try:
                row.save()
            except Exception:
                row.mark_failed()

Good
    from celery import shared_task
    from celery.exceptions import SoftTimeLimitExceeded


    @shared_task(soft_time_limit=60, time_limit=90)
    def import_rows(rows):
        for row in rows:
            try:
                row.save()
            except SoftTimeLimitExceeded:
                raise
            except Exception:
                row.mark_failed()

Not reported
    A handler that leaves on every way out (`raise`, `raise self.retry(…)`, `sys.exit()`), that ends every loop around it, that re-raises
    after `isinstance(exc, SoftTimeLimitExceeded)`, or that names the signal (LIM106 if the loop goes on). A `try` body in which no time
    can pass (`int(cell)`). Code that no task reaches (LIM109), code that only runs in threads.

Fix
    Safe: `except SoftTimeLimitExceeded: raise` is inserted before the handler, and an import if the file has none.
"""

from __future__ import annotations

from collections.abc import Iterator

from flake8_deadline import chains
from flake8_deadline.project import Project
from flake8_deadline.rule import Finding, Rule


def check(project: Project) -> Iterator[Finding]:
    for hazard in chains.reached(project):
        if chains.loops(hazard) and not hazard.calls and hazard.swallow.kind == "clause" and not hazard.swallow.explicit:
            place = "in this loop " if hazard.goes_on == "loops" else ""
            message = (
                f"deadline swallowed: '{chains.taker(hazard.swallow)}' {place}takes {chains.taken(hazard.swallow)}{chains.too(hazard.swallow)} "
                f"and {chains.goes_on(project, hazard)} "
                f"({chains.origin(project, project.reach, hazard)}); {chains.remedy(hazard.swallow)}"
            )
            yield chains.finding(RULE, project, project.reach, hazard, message)


RULE = Rule("LIM101", "deadline-swallowed-in-loop", check, default=True, fixable="safe")
