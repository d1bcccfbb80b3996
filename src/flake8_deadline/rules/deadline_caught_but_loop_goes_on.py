"""A clause that names the deadline signal takes it, and the loop goes on.

Why
    Whoever writes `except SoftTimeLimitExceeded` wants the work to end. But the signal comes once: if the loop around the clause, or that of a
    caller who never hears of it, starts the next item, nothing stops it before the hard limit kills the process.

Bad
    from celery import shared_task
    from celery.exceptions import SoftTimeLimitExceeded


    @shared_task(soft_time_limit=60, time_limit=90)
    def fetch_all(feeds):
        for feed in feeds:
            try:
                feed.fetch()
            except SoftTimeLimitExceeded:
                feed.mark_slow()

Good
    from celery import shared_task
    from celery.exceptions import SoftTimeLimitExceeded


    @shared_task(soft_time_limit=60, time_limit=90)
    def fetch_all(feeds):
        for feed in feeds:
            try:
                feed.fetch()
            except SoftTimeLimitExceeded:
                feed.mark_slow()
                break

Not reported
    A clause that leaves every loop around it, those of callers included: what is done about a deadline is the author's decision.

Fix
    None: whether to `break`, to `raise` or to put the rest off is that decision.
"""

from __future__ import annotations

from collections.abc import Iterator

from flake8_deadline import chains
from flake8_deadline.project import Project
from flake8_deadline.rule import Finding, Rule


def check(project: Project) -> Iterator[Finding]:
    for hazard in chains.reached(project):
        swallow = hazard.swallow
        if hazard.goes_on == "loops" and swallow.explicit and swallow.takes == "signal" and swallow.kind in ("clause", "context"):
            message = (
                f"deadline caught, but not heeded: '{chains.taker(swallow)}' takes the signal, which comes once, "
                f"and {chains.goes_on(project, hazard)} "
                f"({chains.origin(project, project.reach, hazard)}); leave the loop, or raise again"
            )
            yield chains.finding(RULE, project, project.reach, hazard, message)


RULE = Rule("LIM106", "deadline-caught-but-loop-goes-on", check, default=True)
