"""Where each call of a function stands: what is around it, from the inside out, and what would run after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, Union

from flake8_deadline.facts import Access, Assign, Branch, Call, Loop, Return, Step, Try, With, Yield

Timed = Union[Call, Access, Loop, With, Yield]
"""Steps in which time may pass, or from which an exception may come."""

FILLING = frozenset({"append", "add", "appendleft", "insert"})
EMPTYING = frozenset({"clear", "pop", "popleft", "popitem", "remove", "discard"})
"""Methods after which a container is not empty, or may be."""


class Place(NamedTuple):
    """What stands around a point of a function, from the inside out.

    "rest": the steps that follow in the same block; "loop"; "body": the guarded body of a `try`; "handler" and "part": a clause or the
    `else` of a `try`, whose `finally` still runs; "with".
    """

    kind: Literal["rest", "loop", "body", "handler", "part", "with"]
    node: Union[tuple[Step, ...], Loop, Try, With]
    """For "rest": the whole block."""
    outer: Place | None
    ran: int = 0
    """For "rest": how many steps of the block came before."""
    next: int = 0
    """For "rest": where in the block the steps begin that follow."""

    @property
    def before(self) -> tuple[Step, ...]:
        """The steps of the block that came before."""
        return self.node[: self.ran] if isinstance(self.node, tuple) else ()

    @property
    def rest(self) -> tuple[Step, ...]:
        """The steps of the block that follow."""
        return self.node[self.next :] if isinstance(self.node, tuple) else ()


class Site(NamedTuple):
    """A call (or the reading of an attribute, a loop's own iteration, the entering of a context, a `yield`) and its place."""

    step: Timed
    place: Place | None


def sites(steps: tuple[Step, ...], outer: Place | None = None) -> Iterator[Site]:
    """Every call of a body, in order, each with its place."""
    for index, step in enumerate(steps):
        place = Place("rest", steps, outer, index, index + 1)
        match step:
            case Call() | Access() | Yield():
                yield Site(step, place)
            case Branch():
                for arm in step.arms:
                    yield from sites(arm, place)
            case Loop():
                yield Site(step, place)
                yield from sites(step.body, Place("loop", step, place))
                yield from sites(step.otherwise, place._replace(ran=place.next))
            case Try():
                yield from sites(step.body, Place("body", step, place))
                part = Place("part", step, place)
                for handler in step.handlers:
                    yield from sites(handler.body, Place("handler", step, place))
                yield from sites(step.otherwise, part)
                yield from sites(step.final, place._replace(ran=place.next))
            case With():
                yield Site(step, place)
                yield from sites(step.body, Place("with", step, place))


def returns(steps: Iterable[Step]) -> Iterator[Return]:
    """Every `return` of a body."""
    for step in steps:
        if isinstance(step, Return):
            yield step
        else:
            for block in _blocks(step):
                yield from returns(block)


def tries(steps: Iterable[Step]) -> Iterator[Try]:
    """Every `try` of a body."""
    for step in steps:
        if isinstance(step, Try):
            yield step
        for block in _blocks(step):
            yield from tries(block)


def _blocks(step: Step) -> Iterable[tuple[Step, ...]]:
    match step:
        case Branch():
            return step.arms
        case Loop():
            return (step.body, step.otherwise)
        case Try():
            return (step.body, *(handler.body for handler in step.handlers), step.otherwise, step.final)
        case With():
            return (step.body,)
    return ()


def assigned(steps: Iterable[Step]) -> set[str]:
    """The names that these steps may give another value."""
    names: set[str] = set()
    for step in steps:
        match step:
            case Assign():
                names.add(step.name)
            case Call(func=str() as func) if func.rpartition(".")[2] in FILLING | EMPTYING:
                names.add(func.rpartition(".")[0])
            case Branch():
                names.update(*map(assigned, step.arms))
            case Loop():
                names.update(step.targets, assigned(step.body), assigned(step.otherwise))
            case Try():
                names.update(*map(assigned, (step.body, *(handler.body for handler in step.handlers), step.otherwise, step.final)))
            case With():
                names |= assigned(step.body)
    return names


def enclosing_loop(place: Place | None) -> Loop | None:
    """The innermost loop around a place."""
    while place is not None:
        if isinstance(place.node, Loop):
            return place.node
        place = place.outer
    return None
