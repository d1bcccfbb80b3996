"""How control leaves steps in which no deadline strikes (it comes once): every way out, with what is known on that way.

Knows which names hold the caught exception and which hold a known constant, so that `if isinstance(exc, …): raise`, `if error: raise error`
and `if not ok: break` go the way they go. What a name means and what a call does is asked of a `World`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Literal, NamedTuple, Protocol

from flake8_deadline.facts import (
    Assign,
    Both,
    Branch,
    Break,
    Call,
    Compare,
    Constant,
    Continue,
    Either,
    Handler,
    Loop,
    Not,
    Raise,
    Return,
    Step,
    Try,
    Value,
    With,
)  # fmt: skip
from flake8_deadline.places import sites


class Flight(NamedTuple):
    """An exception on its way out: the deadline signal itself, the cancellation an awaiting coroutine sees, or another error."""

    kind: Literal["signal", "cancelled", "error"]
    error: Hashable = None
    """For "error": the class, as the World names classes; None where nobody can say."""


SIGNAL = Flight("signal")
CANCELLED = Flight("cancelled")
_MOST_STATES = 32


class World(Protocol):
    """What one function must be told about everything outside of it."""

    def lands(self, step: Call | Loop | With) -> frozenset[Flight]:
        """In which forms a deadline that strikes in this call (iteration, context) comes out of it; none: no time can pass."""

    def launders(self, step: Call | Loop | With) -> frozenset[Flight]:
        """The other errors that functions called here turn a deadline into."""

    def returns(self, call: Call) -> bool:
        """Whether control can come back from this call."""

    def sweeps(self, call: Call) -> bool:
        """Whether this call runs a loop of its own in which time passes."""

    def takes(self, handler: Handler, flight: Flight) -> Literal["broad", "explicit", None]:
        """Whether the clause takes what is in flight, and whether it names it."""

    def is_instance(self, flight: Flight, classes: Value) -> bool | None:
        """The answer of `isinstance(caught, classes)`; None where it cannot be said."""

    def raised(self, value: Value) -> Flight:
        """What `raise value` puts in flight."""


class State(NamedTuple):
    caught: frozenset[str] = frozenset()
    """Names that hold the caught exception."""
    flags: frozenset[tuple[str, object]] = frozenset()
    """Names, and calls already made (by place), that hold a known constant."""
    loop: int = 0
    """Line of the first working loop that ran since."""


class Exit(NamedTuple):
    kind: Literal["next", "break", "continue", "return", "reraise", "raise", "never"]
    state: State
    flight: Flight = SIGNAL
    returned: Constant | None = None


class Paths:
    """Runs steps of one function. `flight` is what a clause around them has caught, None where none has."""

    def __init__(self, world: World) -> None:
        self._world = world

    def run(self, steps: tuple[Step, ...], state: State, flight: Flight | None) -> set[Exit]:
        states, exits = {state}, set[Exit]()
        for step in steps:
            leaves = {leave for before in states for leave in self._step(step, before, flight)}
            states = _bounded({leave.state for leave in leaves if leave.kind == "next"})
            exits |= {leave for leave in leaves if leave.kind != "next"}
        return exits | {Exit("next", after) for after in states}

    def _step(self, step: Step, state: State, flight: Flight | None) -> Iterable[Exit]:
        match step:
            case Call():
                if not self._world.returns(step):
                    return [Exit("never", state)]
                return [Exit("next", state._replace(loop=step.line) if not state.loop and self._world.sweeps(step) else state)]
            case Assign():
                return [Exit("next", _assigned(step, state))]
            case Branch():
                return self._branch(step, state, flight)
            case Loop():
                return self._loop(step, state, flight)
            case Try():
                return self._try(step, state, flight)
            case With():
                return self.run(step.body, state, flight)
            case Return():
                return [Exit("return", state, returned=_constant(step.value, state))]
            case Raise():
                return [self._raise(step, state, flight)]
            case Break():
                return [Exit("break", state)]
            case Continue():
                return [Exit("continue", state)]
        return [Exit("next", state)]

    def _raise(self, step: Raise, state: State, flight: Flight | None) -> Exit:
        value = step.value.func if isinstance(step.value, Call) else step.value
        root = value.partition(".")[0] if isinstance(value, str) else None
        if flight is not None and (step.bare or root in state.caught):
            return Exit("reraise", state)
        if isinstance(step.value, Call) and not self._world.returns(step.value):
            return Exit("never", state)
        return Exit("raise", state, self._world.raised(step.value))

    def _branch(self, step: Branch, state: State, flight: Flight | None) -> set[Exit]:
        exits: set[Exit] = set()
        for test, arm in zip(step.tests, step.arms):
            truth = self.truth(test, state, flight)
            if truth is not False:
                exits |= self.run(arm, state, flight)
            if truth is True:
                return exits
        return exits | self.run(step.arms[-1], state, flight)

    def _loop(self, step: Loop, state: State, flight: Flight | None) -> set[Exit]:
        if not state.loop and self.works(step):
            state = state._replace(loop=step.line)
        inside = self.run(step.body, state, flight)
        exits = {leave for leave in inside if leave.kind in ("return", "raise", "reraise", "never")}
        exits |= {Exit("next", leave.state) for leave in inside if leave.kind == "break"}
        if step.kind != "forever":
            after = {leave.state for leave in inside if leave.kind in ("next", "continue")} | {state}
            exits |= {leave for before in after for leave in self.run(step.otherwise, before, flight)}
        return exits

    def works(self, loop: Loop) -> bool:
        """Whether time passes in the turns of a loop; a comprehension counts for nothing."""
        return loop.kind != "comprehension" and any(self._world.lands(site.step) for site in sites(loop.body))

    def _try(self, step: Try, state: State, flight: Flight | None) -> set[Exit]:
        exits: set[Exit] = set()
        for leave in self.run(step.body, state, flight):
            exits |= self.run(step.otherwise, leave.state, flight) if leave.kind == "next" else {leave}
        for handler in step.handlers:
            inner = self.run(handler.body, state, None)
            exits |= {leave for leave in inner if leave.kind not in ("raise", "reraise")}
        if not step.final:
            return exits
        through: set[Exit] = set()
        for leave in exits:
            for last in self.run(step.final, leave.state, flight):
                through.add(leave._replace(state=last.state) if last.kind == "next" else last)
        return through

    # Tests on what was caught

    def truth(self, test: Value, state: State, flight: Flight | None) -> bool | None:
        match test:
            case str() if test in state.caught:
                return True
            case str() | Call() | Constant() if (known := _constant(test, state)) is not None:
                return bool(known.value)
            case Not():
                truth = self.truth(test.of, state, flight)
                return None if truth is None else not truth
            case Both():
                return _all([self.truth(part, state, flight) for part in test.options])
            case Either():
                truth = _all([_opposite(self.truth(part, state, flight)) for part in test.options])
                return _opposite(truth)
            case Call(func="isinstance", args=(str() as name, classes)) if flight is not None and name in state.caught:
                return self._world.is_instance(flight, classes)
            case Compare(operator=("is" | "is not" | "==" | "!=") as operator, right=Constant() as right):
                if isinstance(test.left, str) and test.left in state.caught:
                    return operator in ("is not", "!=")
                left = _constant(test.left, state)
                if left is not None:
                    return (left.value == right.value) == (operator in ("is", "=="))
        return None


def _assigned(step: Assign, state: State) -> State:
    known = _constant(step.value, state)
    caught, flags = state.caught - {step.name}, frozenset(flag for flag in state.flags if flag[0] != step.name)
    if isinstance(step.value, str) and step.value in state.caught:
        caught |= {step.name}
    elif known is not None:
        flags |= {(step.name, known.value)}
    return state._replace(caught=caught, flags=flags)


def _constant(value: Value, state: State) -> Constant | None:
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


def _bounded(states: set[State]) -> set[State]:
    """Forget what only some paths know once there are too many of them to follow."""
    if len(states) <= _MOST_STATES:
        return states
    caught, flags = (frozenset.intersection(*parts) for parts in zip(*[(state.caught, state.flags) for state in states]))
    return {State(caught, flags, max(state.loop for state in states))}


def _all(truths: list[bool | None]) -> bool | None:
    if False in truths:
        return False
    return None if None in truths else True


def _opposite(truth: bool | None) -> bool | None:
    return None if truth is None else not truth
