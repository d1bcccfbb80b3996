"""What is known on one path after a clause has taken an exception, and which way a test then goes.

Knows the names that hold the exception and those that hold a known constant, so that `if isinstance(exc, …): raise`, `if error: raise error`
and `if not ok: break` go the way they go.
"""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

from flake8_deadline import queues
from flake8_deadline.facts import Assign, Attr, Both, Call, Compare, Constant, Either, Item, Not, Sequence, Value
from flake8_deadline.flights import Flight, World
from flake8_deadline.places import EMPTYING, FILLING


class State(NamedTuple):
    caught: frozenset[str] = frozenset()
    """Names that hold the caught exception."""
    flags: frozenset[tuple[str, object]] = frozenset()
    """Names, and calls already made (by place), that hold a known constant."""
    loop: int = 0
    """Line of the first working loop that ran since."""


class Truth:
    """Answers tests. What a class means is asked of the `World`."""

    def __init__(self, world: World) -> None:
        self._world = world

    def of(self, test: Value, state: State, flight: Flight | None) -> bool | None:
        """Which way a test goes; None if either."""
        match test:
            case str() if test in state.caught:
                return True
            case str() | Call() | Constant() if (known := constant(test, state)) is not None:
                return bool(known.value)
            case Not():
                return _opposite(self.of(test.of, state, flight))
            case Both():
                return _all([self.of(part, state, flight) for part in test.options])
            case Either():
                return _opposite(_all([_opposite(self.of(part, state, flight)) for part in test.options]))
            case Call(func="isinstance" | "issubclass", args=(subject, classes)) if flight is not None and _is_caught(subject, state):
                return self._world.is_instance(flight, classes)
            case Compare():
                return self._compare(test, state, flight)
        return None

    def assigned(self, step: Assign, state: State, flight: Flight | None) -> State:
        """What is known after an assignment."""
        known = constant(step.value, state)
        truth = self.of(step.value, state, flight) if known is None else None
        is_caught = isinstance(step.value, str) and step.value in state.caught
        state = forgotten(state, {step.name})
        if is_caught:
            return state._replace(caught=state.caught | {step.name})
        if known is None and truth is None:
            return state
        return state._replace(flags=state.flags | {(step.name, truth if known is None else known.value)})

    def _compare(self, test: Compare, state: State, flight: Flight | None) -> bool | None:
        match test.operator:
            case "is" | "==":
                return self._equal(test.left, test.right, state, flight)
            case "is not" | "!=":
                return _opposite(self._equal(test.left, test.right, state, flight))
            case "in":
                return self._among(test.left, test.right, state, flight)
            case "not in":
                return _opposite(self._among(test.left, test.right, state, flight))
        return None

    def _among(self, left: Value, right: Value, state: State, flight: Flight | None) -> bool | None:
        if not isinstance(right, Sequence) or not right.whole:
            return self._equal(left, right, state, flight) if isinstance(right, str) else None
        return _opposite(_all([_opposite(self._equal(left, one, state, flight)) for one in right.items]))

    def _equal(self, left: Value, right: Value, state: State, flight: Flight | None) -> bool | None:
        if isinstance(left, str) and left in state.caught:
            return False if isinstance(right, Constant) else None
        if _is_caught(left, state):
            return self._world.is_instance(flight, right) if flight is not None else None
        if _is_name_of_caught(left, state) and isinstance(right, Constant):
            return right.value == queues.named(str(flight.error)).signal if flight is not None and flight.kind == "signal" else None
        known = constant(left, state)
        return _same(known.value, right.value) if known is not None and isinstance(right, Constant) else None


def _same(known: object, other: object) -> bool | None:
    """Whether two constants are equal. What is known to be true may be anything that is true."""
    return None if known is True and other and other is not True else known == other


def _is_caught(value: Value, state: State) -> bool:
    """Whether a value is the caught exception, or its class."""
    match value:
        case str():
            return value.removesuffix(".__class__") in state.caught
        case Call(func="type", args=(str() as name,)):
            return name in state.caught
        case Item(of=Call(func="sys.exc_info"), key=Constant(value=(0 | 1))):
            return True
    return False


def _is_name_of_caught(value: Value, state: State) -> bool:
    """Whether a value is the name of the caught exception's class."""
    match value:
        case str():
            return value.removesuffix(".__class__.__name__") in state.caught
        case Attr(of=Call(func="type", args=(str() as name,)), name="__name__"):
            return name in state.caught
    return False


def forgotten(state: State, names: Set[str]) -> State:
    """The state without what was known of these names."""
    return state._replace(caught=state.caught - names, flags=frozenset(flag for flag in state.flags if flag[0] not in names))


def gathered(call: Call, state: State) -> State:
    """What is known after a call: a list that was given something is not empty (`errors.append(exc)`), one that something was taken from may be."""
    name, _, method = call.func.rpartition(".") if isinstance(call.func, str) else ("", "", "")
    if name and method in FILLING:
        return state._replace(flags=forgotten(state, {name}).flags | {(name, True)})
    return forgotten(state, {name}) if method in EMPTYING else state


def constant(value: Value, state: State) -> Constant | None:
    """The constant that a value is known to be on this path."""
    if isinstance(value, Constant):
        return value
    if isinstance(value, (str, Call)):
        key = call_key(value) if isinstance(value, Call) else value
        return next((Constant(known) for name, known in state.flags if name == key), None)  # type: ignore[arg-type]
    return None


def call_key(call: Call) -> str:
    """The name by which a state knows what a call gave back."""
    return f"{call.line}:{call.column}"


def _all(truths: list[bool | None]) -> bool | None:
    if False in truths:
        return False
    return None if None in truths else True


def _opposite(truth: bool | None) -> bool | None:
    return None if truth is None else not truth
