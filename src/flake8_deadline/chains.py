"""How a hazard is told: the chain of links from the task to the clause, and the words for clauses and loops."""

from __future__ import annotations

from collections.abc import Iterable

from flake8_deadline import queues
from flake8_deadline.facts import Sequence, Value
from flake8_deadline.flights import Swallow
from flake8_deadline.project import Hazard, Project
from flake8_deadline.project.deadlines import Deadlines
from flake8_deadline.project.hazards import hazards
from flake8_deadline.project.objects import FunctionRef
from flake8_deadline.project.reach import Reach
from flake8_deadline.rule import Finding, Link, Reraise, Rule

_LOOPS = {"loops": "this loop goes on", "later": "this loop still runs"}
_RANKS = ("loops", "later", "retried", "ends")


def taker(swallow: Swallow) -> str:
    """What takes the signal, as it is written: `except (ValueError, Exception)`, `suppress(Exception)`, `return` in `finally`."""
    match swallow.kind:
        case "finally":
            return f"{swallow.what} in finally"
        case "context" if swallow.catches is not None and swallow.what:
            return f"{swallow.what}{_written(swallow.catches)}"
    if swallow.what:
        return swallow.what
    word = "except*" if swallow.star else "except"
    return word if swallow.bare else f"{word} {_written(swallow.catches)}"


def _written(value: Value) -> str:
    if isinstance(value, Sequence):
        return f"({', '.join(map(_written, value.items))})"
    return value if isinstance(value, str) else "…"


def down(project: Project, reach: Reach, frame: FunctionRef) -> list[Link]:
    """The links from the task to a function."""
    links: list[Link] = []
    chain = reach.chain(frame)
    first = chain[0][0]
    declared = project.task_of.get(first) if project.known else None
    if declared:
        links.append(Link(declared.path, declared.line, f"task {declared.name}"))
    else:
        links.append(Link(first.path, project.inference.function(first).line, f"function {project.describe(first)}"))
    calls = [(caller, site.step.line) for caller, site in chain if site is not None]
    return links + _calls(project, calls, [callee for callee, _ in chain[1:]])


def _calls(project: Project, calls: Iterable[tuple[FunctionRef, int]], callees: Iterable[FunctionRef]) -> list[Link]:
    return [Link(caller.path, line, f"calls {project.describe(callee)}") for (caller, line), callee in zip(calls, callees)]


def chain(project: Project, reach: Reach, hazard: Hazard) -> tuple[Link, ...]:
    """From the task down to the loop that goes on, and on to the clause."""
    loop = [Link(hazard.where.path, hazard.line, _LOOPS[hazard.goes_on])] if hazard.line and hazard.swallow.kind != "retry" else []
    callees = [*(frame for frame, _ in hazard.calls[1:]), hazard.frame]
    under = _calls(project, hazard.calls, callees)
    if hazard.swallow.entered:
        under.append(Link(hazard.frame.path, hazard.swallow.entered, f"enters {project.describe(hazard.at)}"))
    if hazard.swallow.client:
        under.append(Link(*hazard.swallow.client, "makes the client"))
    end = Link(hazard.at.path, hazard.swallow.line, f"{taker(hazard.swallow)} takes the deadline")
    return (*down(project, reach, hazard.where), *loop, *under, end)


def reached(project: Project) -> list[Hazard]:
    """The nearest hazard for each swallow in the code that counts as reached."""
    return project.once(_reached)


def _reached(project: Project) -> list[Hazard]:
    return nearest(project.deadlines)


def nearest(deadlines: Deadlines) -> list[Hazard]:
    """One hazard for each swallow: a loop that goes on before one that merely still runs, and the end of the task last; the function's own before a
    caller's, short chains first.
    """
    best: dict[tuple[str, int], tuple[tuple[object, ...], Hazard]] = {}
    for hazard in hazards(deadlines):
        rank = (
            _RANKS.index(hazard.goes_on),
            hazard.swallow.explicit,
            hazard.swallow.takes == "cancelled",
            len(hazard.calls),
            deadlines.reach.length(hazard.where),
            hazard.where.path,
            hazard.line,
            repr(hazard.frame),
        )
        key = (hazard.at.path, hazard.swallow.line)
        if key not in best or rank < best[key][0]:
            best[key] = (rank, hazard)
    return [hazard for _, hazard in best.values()]


def finding(rule: Rule, project: Project, reach: Reach, hazard: Hazard, message: str) -> Finding:
    """The finding at the hazard's clause, with the fix that lets the signal out."""
    swallow, queue = hazard.swallow, queues.named(hazard.swallow.queue)
    fixable = rule.fixable and not swallow.what and swallow.takes != "cancelled" and queue.signals
    fix = Reraise(swallow.line, queue.module, queue.signal) if fixable else None
    return Finding(hazard.at.path, swallow.line, swallow.column, rule.code, rule.name, message, chain(project, reach, hazard), fix)


def too(swallow: Swallow) -> str:
    """What the swallow does at the hard limit besides: the exit that is asked for then, 0.1 s before the kill."""
    celery = swallow.queue == queues.CELERY.name
    return " (and the SystemExit of the hard limit)" if swallow.hard and swallow.takes == "signal" and celery else ""


def taken(swallow: Swallow) -> str:
    """What the clause takes, by name."""
    return "CancelledError" if swallow.takes == "cancelled" else queues.named(swallow.queue).signal


def goes_on(project: Project, hazard: Hazard) -> str:
    """What goes on, in a message."""
    if hazard.calls or hazard.at != hazard.frame:
        caller = project.describe(hazard.where)
        return f"the loop of {caller} goes on" if hazard.goes_on == "loops" else f"{caller} still runs a loop"
    return "goes on to the next item" if hazard.goes_on == "loops" else f"the loop on line {hazard.line} still runs"


def loops(hazard: Hazard) -> bool:
    """Whether a loop goes on after the swallow, or still runs."""
    return hazard.goes_on in _LOOPS


def remedy(swallow: Swallow) -> str:
    """The end of a message: what to do."""
    if swallow.remedy:
        return swallow.remedy
    return "let CancelledError out" if swallow.takes == "cancelled" else "re-raise it first"


def origin(project: Project, reach: Reach, hazard: Hazard) -> str:
    """The end of a message: where the chain begins."""
    return start(project, reach, hazard.where)


def start(project: Project, reach: Reach, frame: FunctionRef) -> str:
    """Where the chain to a function begins."""
    if project.known:
        return f"reached from task {project.task_of[reach.chain(frame)[0][0]].name}"
    return "all code counts as reached" if project.tasks else "the project defines no task: every loop counts"
