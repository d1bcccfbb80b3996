"""A retry counts the deadline among the errors to try again.

Why
    What ran out of time is begun again. A retrying decorator inside a task, or a client that retries, does so with the signal already spent:
    only the hard limit is left to stop it. `autoretry_for=(Exception,)`, or `self.retry` in a broad handler, puts the whole task back
    into the queue with a fresh budget, and eight minutes of work become six times eight minutes.

Bad
    from celery import shared_task
    from tenacity import retry, stop_after_attempt


    @retry(stop=stop_after_attempt(5))
    def ask(model, text):
        return model.complete(text)


    @shared_task(soft_time_limit=60, time_limit=90)
    def summarise(model, text):
        return ask(model, text)

Good
    from celery import shared_task
    from celery.exceptions import SoftTimeLimitExceeded
    from tenacity import retry, retry_if_not_exception_type, stop_after_attempt


    @retry(retry=retry_if_not_exception_type(SoftTimeLimitExceeded), stop=stop_after_attempt(5))
    def ask(model, text):
        return model.complete(text)


    @shared_task(soft_time_limit=60, time_limit=90)
    def summarise(model, text):
        return ask(model, text)

Not reported
    A retry on narrower errors, with `giveup`, or on results alone; a condition that cannot be followed; retries that no task reaches.
    `autoretry_for` with `dont_autoretry_for=(SoftTimeLimitExceeded,)` (Celery 5.3), with `max_retries=0`, or in a project where no limit is
    seen at all. `self.retry` in a broad handler where the task itself names no soft limit: there the author has not said how long is too long.
    Further calls through a client that one finding names already: one remedy serves them all.

Fix
    Safe for a clause that asks for another run: the deadline is raised again before it. For the rest unsafe, as something is then tried less
    often: `fix --unsafe` passes what the message names (`retry=retry_if_not_exception_type(…)`, `giveup=…`, `dont_autoretry_for=…`,
    `max_retries=0` to a client made in the same file). An argument that is passed already is left to you.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from flake8_deadline import chains, queues, remedies
from flake8_deadline.budget.defaults import default_limit, has_own_soft_limit
from flake8_deadline.facts import Call, Value
from flake8_deadline.flights import SIGNAL
from flake8_deadline.project import Declared, Hazard, Project
from flake8_deadline.project.objects import ClassRef, FunctionRef
from flake8_deadline.rule import Finding, Link, Rule

_LISTS, _SPARES, _MOST = "autoretry_for", "dont_autoretry_for", "max_retries"


class Option(NamedTuple):
    """An option of retries, its place, and the frame in which its value is read."""

    name: str
    value: Value
    path: str
    line: int
    column: int
    frame: FunctionRef
    in_class: int = 0
    """The line of the class whose attribute it is."""


def check(project: Project) -> Iterator[Finding]:
    nearest = chains.reached(project)
    for hazard, more in _one_a_client([hazard for hazard in nearest if hazard.swallow.kind == "retry"]):
        swallow = hazard.swallow
        message = (
            f"deadline retried: '{swallow.what}' takes {chains.taken(swallow)} for an error and tries again "
            f"({chains.origin(project, project.reach, hazard)}{more}); {swallow.remedy}"
        )
        fix = remedies.passed(swallow.argument, hazard.at.path, queues.named(swallow.queue))
        yield replace(chains.finding(RULE, project, project.reach, hazard, message), fix=fix)
    for hazard in nearest:
        swallow = hazard.swallow
        if swallow.kind == "retry":
            continue
        if hazard.goes_on == "retried" and not swallow.explicit and project.known and _has_own_limit(project, hazard):
            message = (
                f"deadline retried: '{chains.taker(swallow)}' takes {chains.taken(swallow)} and the task asks to be run again, with a fresh budget "
                f"({chains.origin(project, project.reach, hazard)}); {chains.remedy(swallow)}"
            )
            yield chains.finding(RULE, project, project.reach, hazard, message)
    if project.known:
        found = sorted(finding for declared in project.tasks for finding in _autoretried(project, declared))
        yield from {(finding.path, finding.line): finding for finding in reversed(found)}.values()


def _one_a_client(hazards: list[Hazard]) -> Iterator[tuple[Hazard, str]]:
    """The hazards, but of those that go through one client, for which one remedy serves, the first alone; and how many more there are."""
    clients = Counter(hazard.swallow.client for hazard in hazards)
    told: set[tuple[str, int]] = set()
    for hazard in sorted(hazards, key=lambda hazard: (hazard.at.path, hazard.swallow.line)):
        client = hazard.swallow.client
        if client is None:
            yield hazard, ""
        elif client not in told:
            told.add(client)
            others = clients[client] - 1
            yield hazard, f", and {others} more call{'s' * (others > 1)} of the same client" if others else ""


def _has_own_limit(project: Project, hazard: Hazard) -> bool:
    return has_own_soft_limit(project, project.task_of[hazard.where])


def _autoretried(project: Project, declared: Declared) -> Iterator[Finding]:
    """The task's `autoretry_for`, where it lists the signal or a class above it."""
    options = {option.name: option for option in _options(project, declared)}
    if _LISTS not in options or SIGNAL not in project.deadlines.escapes.get(declared.task.runs, ()):
        return
    lists, spares = options[_LISTS], options.get(_SPARES)
    taken = project.deadlines.catching.takes(lists.value, SIGNAL, lists.frame)
    spared = spares and project.deadlines.catching.takes(spares.value, SIGNAL, spares.frame)
    never = (_MOST, 0) in declared.task.maker.options
    if taken and not spared and not never and (has_own_soft_limit(project, declared) or default_limit(project, declared)):
        signal = queues.CELERY.signal
        message = f"deadline retried: {_LISTS} of task {declared.name} takes {signal} and runs the task again, with a fresh budget; " + (
            f"take {signal} from the list" if taken == "explicit" else f"add {_SPARES}=({signal},)"
        )
        links = (Link(declared.path, declared.line, f"task {declared.name}"), Link(lists.path, lists.line, f"{_LISTS} takes the deadline"))
        fix = remedies.spared(project, declared, lists.in_class) if taken != "explicit" and not spares else None
        yield Finding(lists.path, lists.line, lists.column, RULE.code, RULE.name, message, links, fix)


def _options(project: Project, declared: Declared) -> Iterator[Option]:
    """The options of retries that a task is given: by its base class, then by its decorator, which comes after and counts."""
    base = declared.task.maker.base
    for ancestor in reversed(project.inference.classes.ancestors(base)) if base else ():
        if isinstance(ancestor, ClassRef):
            cls = project.inference.cls(ancestor)
            for name in (_LISTS, _SPARES):
                for value in cls.bindings.get(name, ()):
                    line = cls.lines.get(name, (cls.line,))[0]
                    yield Option(name, value, ancestor.path, line, cls.column + 4, project.inference.classes.frame(ancestor), cls.line)
    written = declared.task.written
    function = project.inference.function(written)
    for decorator in function.decorators:
        call = decorator.value
        if isinstance(call, Call) and (declared.path, declared.line) == (written.path, decorator.line):
            frame = FunctionRef(written.path, function.parent or "")
            for (name, value), line in zip(call.keywords, call.lines or [call.line] * len(call.keywords)):
                if name in (_LISTS, _SPARES):
                    yield Option(name, value, written.path, line, decorator.column, frame)


RULE = Rule("LIM105", "deadline-retried", check, default=True, fixable="unsafe")
