"""A broad handler takes the deadline signal, and the task runs to its end as if nothing had happened.

Why
    No loop goes on, so nothing runs away. But the task is recorded as a success, monitoring and `on_failure` hear nothing, and what the rest
    of the task does with half the work done is anybody's guess.

Bad
    from celery import shared_task


    @shared_task(soft_time_limit=60, time_limit=90)
    def rebuild(index):
        try:
            index.rebuild()
        except Exception as exc:
            index.note(exc)

Good
    from celery import shared_task
    from celery.exceptions import SoftTimeLimitExceeded


    @shared_task(soft_time_limit=60, time_limit=90)
    def rebuild(index):
        try:
            index.rebuild()
        except SoftTimeLimitExceeded:
            raise
        except Exception as exc:
            index.note(exc)

Not reported
    Clauses that name the signal: that the task ends in good order is what they are for. What LIM101 to LIM106 report. Off by default, since
    many tasks record a failure and end on purpose.

Fix
    Safe: `except SoftTimeLimitExceeded: raise` is inserted before the handler. None for `suppress`, `__exit__` and `finally`.
"""

from __future__ import annotations

from collections.abc import Iterator

from flake8_deadline import chains
from flake8_deadline.project import Project
from flake8_deadline.rule import Finding, Rule


def check(project: Project) -> Iterator[Finding]:
    for hazard in chains.reached(project):
        if project.known and hazard.goes_on == "ends" and not hazard.swallow.explicit:
            message = (
                f"deadline ends as success: '{chains.taker(hazard.swallow)}' takes {chains.taken(hazard.swallow)}{chains.too(hazard.swallow)} "
                f"and the task runs to its end ({chains.origin(project, project.reach, hazard)}); {chains.remedy(hazard.swallow)}"
            )
            yield chains.finding(RULE, project, project.reach, hazard, message)


RULE = Rule("LIM108", "task-ends-as-success", check, default=False, fixable="safe")
