"""A context takes the deadline signal, and a loop goes on.

Why
    `with suppress(Exception):` is a catch-all on one line. A context manager of the project's own is one in disguise: a generator with a
    broad handler round its `yield`, a class whose `__exit__` returns something true. Nobody sees it at the loop, and the signal comes once.

Bad
    from contextlib import suppress

    from celery import shared_task


    @shared_task(soft_time_limit=60, time_limit=90)
    def send_all(letters):
        for letter in letters:
            with suppress(Exception):
                letter.send()

Good
    from contextlib import suppress

    from celery import shared_task


    @shared_task(soft_time_limit=60, time_limit=90)
    def send_all(letters):
        for letter in letters:
            with suppress(ConnectionError):
                letter.send()

Not reported
    `suppress` of narrower classes; an `__exit__` that returns nothing, or something that is not surely true; a generator that only cleans up,
    or raises again; a context round the whole loop, which ends it (LIM108). Contexts that cannot be followed.

Fix
    Safe where the handler is the project's own: `except SoftTimeLimitExceeded: raise` is inserted before it. None for `suppress` and
    `__exit__`: there is no place for a clause.
"""

from __future__ import annotations

from collections.abc import Iterator

from flake8_deadline import chains
from flake8_deadline.project import Project
from flake8_deadline.rule import Finding, Rule


def check(project: Project) -> Iterator[Finding]:
    for hazard in chains.reached(project):
        if chains.loops(hazard) and hazard.swallow.kind == "context" and not hazard.swallow.explicit:
            message = (
                f"deadline swallowed: '{chains.taker(hazard.swallow)}' takes {chains.taken(hazard.swallow)}{chains.too(hazard.swallow)} "
                f"and {chains.goes_on(project, hazard)} "
                f"({chains.origin(project, project.reach, hazard)}); {_remedy(hazard.swallow.what)}"
            )
            yield chains.finding(RULE, project, project.reach, hazard, message)


def _remedy(what: str) -> str:
    if what == "suppress":
        return "suppress narrower errors"
    return "return None for it" if what else "re-raise it first"


RULE = Rule("LIM103", "deadline-swallowed-by-context-manager", check, default=True, fixable="safe")
