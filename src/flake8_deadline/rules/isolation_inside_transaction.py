"""Rows are isolated inside of a transaction without a savepoint each, and the first database error breaks them all.

Why
    Inside of `transaction.atomic()` a database error marks the whole transaction as broken. The clause takes the error and goes on, but every
    query after it fails as well, and at the end of the block all rows are rolled back, also those before. Where the clause takes these further
    errors too, there is not even an exception: the task ends as a success, and nothing is stored.

Bad
    from celery import shared_task
    from django.db import IntegrityError, transaction
    from shop.models import Order


    @shared_task(soft_time_limit=60, time_limit=90)
    def load(rows):
        with transaction.atomic():
            for row in rows:
                try:
                    Order.objects.create(**row)
                except IntegrityError:
                    continue

Good
    from celery import shared_task
    from django.db import IntegrityError, transaction
    from shop.models import Order


    @shared_task(soft_time_limit=60, time_limit=90)
    def load(rows):
        with transaction.atomic():
            for row in rows:
                try:
                    with transaction.atomic():
                        Order.objects.create(**row)
                except IntegrityError:
                    continue

Not reported
    Writes under an `atomic` of their own inside of the loop (but `savepoint=False` makes none); `get_or_create` and `update_or_create`, which
    have one; errors that break nothing, such as `DoesNotExist` and `ValidationError`; a transaction that nobody opens in the code
    (`ATOMIC_REQUESTS`); code that no task reaches.

Fix
    Unsafe, as rows are then stored that were lost before: `fix --unsafe` puts the body of the `try` into `with transaction.atomic():`.
    It leaves alone what stands in a transaction of another database (`using=`).
"""

from __future__ import annotations

from collections.abc import Iterator

from flake8_deadline import chains
from flake8_deadline.project import Project
from flake8_deadline.project.poisoning import Poisoning, Poisonings
from flake8_deadline.rule import Finding, Link, Rule, Savepoint


def check(project: Project) -> Iterator[Finding]:
    best: dict[tuple[str, int], tuple[tuple[int, int, str], Poisoning]] = {}
    for one in Poisonings(project.deadlines).all():
        rank = (len(one.calls), project.reach.length(one.where), repr(one))
        key = (one.frame.path, one.swallow.line)
        if key not in best or rank < best[key][0]:
            best[key] = (rank, one)
    for _, one in best.values():
        yield _finding(project, one)


def _finding(project: Project, one: Poisoning) -> Finding:
    path, line, is_default = one.atomic
    block = f"line {line}" if path == one.frame.path else f"{path}, line {line}"
    message = (
        f"isolation inside a transaction: '{chains.taker(one.swallow)}' goes on, but the error has broken the transaction of {block} for all rows "
        f"({chains.start(project, project.reach, one.where)}); open an atomic block inside of the try"
    )
    callees = [*(frame for frame, _ in one.calls[1:]), one.frame]
    links = (
        *chains.down(project, project.reach, one.where),
        Link(path, line, "this transaction"),
        Link(one.where.path, one.loop, "this loop goes on"),
        *(Link(caller.path, at, f"calls {project.describe(callee)}") for (caller, at), callee in zip(one.calls, callees)),
        Link(one.frame.path, one.write, "this query can fail"),
        Link(one.frame.path, one.swallow.line, f"{chains.taker(one.swallow)} takes the error"),
    )
    fix = Savepoint(one.swallow.line, not is_default)
    return Finding(one.frame.path, one.swallow.line, one.swallow.column, RULE.code, RULE.name, message, links, fix)


RULE = Rule("LIM202", "isolation-inside-transaction", check, default=True, fixable="unsafe")
