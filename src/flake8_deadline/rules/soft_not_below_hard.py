"""The soft limit is not below the hard one: no time is left to clean up.

Why
    The soft limit tells a task to stop; the hard limit, some time later, kills it. Where the hard limit is not the later of the two, the task
    is killed without a word, and its job stays in a running state. With Redis and AMQP the hard limit is even put off until the soft one has
    fired, and from Celery 5.5 on `.delay()` raises `ValueError` where a task itself has its soft limit above its hard one.

    Often each half comes from another place: somebody raised "the limit" of one task above the hard limit of the settings.

Bad
    from celery import shared_task


    @shared_task(soft_time_limit=900, time_limit=600)
    def import_rows(pk):
        print(pk)

Good
    from celery import shared_task


    # 95 files at most, 35 s each at worst
    @shared_task(soft_time_limit=3400, time_limit=3600)
    def import_rows(pk):
        print(pk)

Not reported
    Limits that cannot be read, or that only the environment gives; a default counts, and the message says which variable it stands for. A task
    whose limits the settings modules of the project decide differently, unless the order is wrong under each of them. Tasks in tests, and
    those that an annotation gives a limit.

Fix
    None: which of the numbers is wrong is a decision about the product.
"""

from __future__ import annotations

from collections.abc import Iterator

from flake8_deadline.budget.defaults import is_annotated
from flake8_deadline.budget.limits import HARD, SOFT, Given, Settings, budgeted, own, settings
from flake8_deadline.project import Declared, Project
from flake8_deadline.rule import Finding, Link, Rule

_NOTHING = (Settings(""),)


def check(project: Project) -> Iterator[Finding]:
    for module in settings(project):
        if module.soft and module.hard and _is_wrong(module.soft, module.hard):
            place = module.soft.at if module.soft.at.path == module.path or not module.path else module.hard.at
            yield _finding(place.path, place.line, 1, "every task", module.soft, module.hard, ())
    for declared in budgeted(project):
        if not is_annotated(project, declared):
            yield from _of_task(project, declared)


def _of_task(project: Project, declared: Declared) -> Iterator[Finding]:
    soft, hard = own(project, declared, SOFT), own(project, declared, HARD)
    if soft is None and hard is None:
        return
    pairs = [(soft or module.soft, hard or module.hard) for module in settings(project) or _NOTHING]
    wrong = [(one, other) for one, other in pairs if one and other and _is_wrong(one, other)]
    if len(wrong) == len(pairs):
        chain = (Link(declared.path, declared.line, f"task {declared.name}"),)
        yield _finding(declared.path, declared.line, declared.column, f"task {declared.name}", *wrong[0], chain)


def _is_wrong(soft: Given, hard: Given) -> bool:
    return soft.seconds is not None and hard.seconds is not None and soft.seconds >= hard.seconds


def _finding(path: str, line: int, column: int, of: str, soft: Given, hard: Given, chain: tuple[Link, ...]) -> Finding:
    here = (path, line)
    message = (
        f"soft limit not below the hard one: {_told(soft, 'soft', here)} against {_told(hard, 'hard', here)} leave {of} no time to clean up; "
        f"set time_limit above soft_time_limit"
    )
    links = tuple(Link(given.at.path, given.at.line, f"{given.name} = {given.seconds:g}") for given in (soft, hard) if given.at != here)
    return Finding(path, line, column, RULE.code, RULE.name, message, (*chain, *links))


def _told(given: Given, half: str, here: tuple[str, int]) -> str:
    notes = [f"{given.at.path}:{given.at.line}"] if given.at != here else []
    notes += [f"while {given.while_unset} is not set"] if given.while_unset else []
    return f"{given.seconds:g} s {half}" + (f" ({', '.join(notes)})" if notes else "")


RULE = Rule("LIM302", "soft-not-below-hard", check, default=True)
