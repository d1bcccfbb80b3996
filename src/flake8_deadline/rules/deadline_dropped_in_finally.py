"""A `return` or `continue` in `finally` drops the deadline signal, and a loop goes on.

Why
    What leaves a `finally` by `return`, `break` or `continue` takes the place of the exception that was on its way out. Of the signal nothing
    is left, nor of the exit that the hard limit asks for: the process is killed with no clean-up run.

Bad
    from celery import shared_task


    @shared_task(soft_time_limit=60, time_limit=90)
    def unload(ships):
        for ship in ships:
            try:
                ship.unload()
            finally:
                ship.release()
                continue

Good
    from celery import shared_task


    @shared_task(soft_time_limit=60, time_limit=90)
    def unload(ships):
        for ship in ships:
            try:
                ship.unload()
            finally:
                ship.release()

Not reported
    `break` and a `return` that end every loop (LIM108). A `return` that only the undisturbed way can come to (`if done: return`, with `done`
    set last in the `try`).

Fix
    None: what the statement was meant to do is not known.
"""

from __future__ import annotations

from collections.abc import Iterator

from flake8_deadline import chains
from flake8_deadline.project import Project
from flake8_deadline.rule import Finding, Rule


def check(project: Project) -> Iterator[Finding]:
    for hazard in chains.reached(project):
        if chains.loops(hazard) and hazard.swallow.kind == "finally":
            message = (
                f"deadline dropped: '{chains.taker(hazard.swallow)}' drops {chains.taken(hazard.swallow)}{chains.too(hazard.swallow)} "
                f"and {chains.goes_on(project, hazard)} "
                f"({chains.origin(project, project.reach, hazard)}); move it behind the try"
            )
            yield chains.finding(RULE, project, project.reach, hazard, message)


RULE = Rule("LIM104", "deadline-dropped-in-finally", check, default=True)
