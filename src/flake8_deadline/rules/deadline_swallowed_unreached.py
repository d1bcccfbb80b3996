"""A handler would swallow a deadline, in code that no known task reaches.

Why
    Calls that cannot be followed (a registry, a plugin, a framework) hide callers. Switched on, this rule shows every place that would be a
    swallow if a task came by, for a team that wants its shared code safe before the first task calls it.

Bad
    from celery import shared_task


    @shared_task(soft_time_limit=60, time_limit=90)
    def ping():
        return "pong"


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
    def ping():
        return "pong"


    def import_rows(rows):
        for row in rows:
            try:
                row.save()
            except SoftTimeLimitExceeded:
                raise
            except Exception:
                row.mark_failed()

Not reported
    Tests. What LIM101 and LIM102 report. Files that bear no handler and no loop are not looked into. Off by default.

Fix
    Safe: `except SoftTimeLimitExceeded: raise` is inserted before the handler, and an import if the file has none.
"""

from __future__ import annotations

from collections.abc import Iterator

from flake8_deadline import chains
from flake8_deadline.project import Project
from flake8_deadline.rule import Finding, Rule


def check(project: Project) -> Iterator[Finding]:
    if not project.known:
        return
    reached = {frame[:2] for frame in project.reach.resolved}
    reach = project.unreached.reach
    for hazard in chains.nearest(project.unreached):
        if hazard.at[:2] not in reached and chains.loops(hazard) and hazard.swallow.kind in ("clause", "context") and not hazard.swallow.explicit:
            message = (
                f"deadline would be swallowed: '{chains.taker(hazard.swallow)}' takes {chains.taken(hazard.swallow)} and a loop goes on "
                f"(no task known to reach it); {chains.remedy(hazard.swallow)}"
            )
            yield chains.finding(RULE, project, reach, hazard, message)


RULE = Rule("LIM109", "deadline-swallowed-unreached", check, default=False, fixable="safe")
