"""A function that a task reaches takes the deadline signal, and returns to a caller whose loop goes on.

Why
    The work for one item is put into a function with its own catch-all. When the soft limit strikes in there, the function returns as if
    the item had merely failed; the loop in the caller, however careful its own handlers are, never sees the signal and starts the next
    item. The same happens when the function turns the signal into an error of its own, which the loop's narrow handler takes. The function may
    be a library's: `send_robust`, `task.apply()`, or a client that raises an error of its own for whatever strikes in it.

Bad
    from celery import shared_task


    def fetch(url, client):
        try:
            return client.download(url)
        except Exception:
            return None


    @shared_task(soft_time_limit=60, time_limit=90)
    def fetch_all(urls, client):
        for url in urls:
            fetch(url, client)

Good
    from celery import shared_task
    from celery.exceptions import SoftTimeLimitExceeded


    def fetch(url, client):
        try:
            return client.download(url)
        except SoftTimeLimitExceeded:
            raise
        except Exception:
            return None


    @shared_task(soft_time_limit=60, time_limit=90)
    def fetch_all(urls, client):
        for url in urls:
            fetch(url, client)

Not reported
    A function that a task calls once and after which no loop runs. A caller that leaves its loop on the constant the function then returns
    (`if not send(row): break`). Calls through `.delay()`, threads and executors are no calls. Libraries that nobody has measured.

Fix
    Safe: `except SoftTimeLimitExceeded: raise` is inserted before the handler, and an import if the file has none. None for a library's call.
"""

from __future__ import annotations

from collections.abc import Iterator

from flake8_deadline import chains
from flake8_deadline.project import Hazard, Project
from flake8_deadline.rule import Finding, Rule


def check(project: Project) -> Iterator[Finding]:
    for hazard in chains.reached(project):
        if chains.loops(hazard) and _is_helper(hazard) and not hazard.swallow.explicit:
            message = (
                f"deadline swallowed: '{chains.taker(hazard.swallow)}' takes {chains.taken(hazard.swallow)}{chains.too(hazard.swallow)} "
                f"and {chains.goes_on(project, hazard)} "
                f"({chains.origin(project, project.reach, hazard)}); {chains.remedy(hazard.swallow)}"
            )
            yield chains.finding(RULE, project, project.reach, hazard, message)


def _is_helper(hazard: Hazard) -> bool:
    """Whether the swallow is that of a function called: the project's, or a library's."""
    return hazard.swallow.kind == "call" or (hazard.swallow.kind == "clause" and bool(hazard.calls))


RULE = Rule("LIM102", "deadline-swallowed-in-helper", check, default=True, fixable="safe")
