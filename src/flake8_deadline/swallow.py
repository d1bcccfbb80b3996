"""THE definition of a swallow: how control leaves a block, and which clause of a try takes the signal.

A deadline strikes inside a call. The signal then travels outwards through the blocks around the call. The first clause of a `try` that
matches it by class takes it, and its body decides:

- it leaves on every way out (`raise`, a call that never returns): the signal, or what it was turned into, travels on;
- on some way out it does not: control goes on after the `try`. That way is followed too, through the rest of the function, tests on the
  caught exception and flags set in the clause included, until it reaches the next turn of a loop (the loop goes on), the end of the
  function (it returns to a caller who knows nothing), or a `raise` that was only put off.

`raise Other(…)` lets control out as far as the clause that takes the new type; what happens there is charged to the clause that raised it.

Everything is said in terms of steps (`facts`). What a name means, what a call does and which class catches which is asked of a `World`;
this module never looks beyond one function.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Literal, NamedTuple, Protocol, Union

from flake8_deadline.facts import Assign, Branch, Both, Break, Call, Compare, Constant, Continue, Either, Handler, Loop, Not, Raise, Return, Step, Try, Value, With


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


class Place(NamedTuple):
    """What stands around a point of a function, from the inside out.

    "rest": the steps that follow in the same block; "loop"; "body": the guarded body of a `try`; "handler" and "part": a clause or the
    `else` of a `try`, whose `finally` still runs; "with".
    """

    kind: Literal["rest", "loop", "body", "handler", "part", "with"]
    node: Union[tuple[Step, ...], Loop, Try, With]
    outer: Place | None


class Site(NamedTuple):
    """A call (or a loop's own iteration, or the entering of a context) and its place."""

    step: Union[Call, Loop, With]
    place: Place | None


class Swallow(NamedTuple):
    """A clause that takes the signal and does not let it go on every way out, by the place of its `except`."""

    line: int
    column: int
    catches: Value
    bare: bool
    explicit: bool
    sweep: bool
    """Whether what it guards is a loop: what was swallowed then ended one sweep, and another may start."""


class Fate(NamedTuple):
    """Where control ends up after a deadline struck: "escapes" with `flight`, "loops" at `line` again, runs a "later" loop, or "returns".

    `swallow` is the clause answerable for it; None while the flight is still the signal itself, or for one that a callee answers for.
    """

    kind: Literal["escapes", "loops", "later", "returns"]
    swallow: Swallow | None = None
    line: int = 0
    flight: Flight = SIGNAL
    returned: Constant | None = None
    """For "returns": the constant given back, where it is one."""


class _State(NamedTuple):
    caught: frozenset[str] = frozenset()
    """Names that hold the caught exception."""
    flags: frozenset[tuple[str, object]] = frozenset()
    """Names, and calls already made (by place), that hold a known constant."""
    loop: int = 0
    """Line of the first working loop that ran since."""


class _Exit(NamedTuple):
    kind: Literal["next", "break", "continue", "return", "reraise", "raise", "never"]
    state: _State
    flight: Flight = SIGNAL
    returned: Constant | None = None


def sites(steps: tuple[Step, ...], outer: Place | None = None) -> Iterator[Site]:
    """Every call of a body, in order, each with its place."""
    for index, step in enumerate(steps):
        place = Place("rest", steps[index + 1 :], outer)
        match step:
            case Call():
                yield Site(step, place)
            case Branch():
                for arm in step.arms:
                    yield from sites(arm, place)
            case Loop():
                yield Site(step, place)
                yield from sites(step.body, Place("loop", step, place))
                yield from sites(step.otherwise, place)
            case Try():
                yield from sites(step.body, Place("body", step, place))
                part = Place("part", step, place)
                for handler in step.handlers:
                    yield from sites(handler.body, Place("handler", step, place))
                yield from sites(step.otherwise, part)
                yield from sites(step.final, place)
            case With():
                yield Site(step, place)
                yield from sites(step.body, Place("with", step, place))


def enclosing_loop(place: Place | None) -> Loop | None:
    """The innermost loop around a place."""
    while place is not None:
        if isinstance(place.node, Loop):
            return place.node
        place = place.outer
    return None


class Verdicts:
    """Follows deadlines through one function. `world` answers for everything outside of it."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._thrown: dict[tuple[Flight, int], frozenset[Fate]] = {}

    def strike(self, struck: Iterable[Site]) -> frozenset[Fate]:
        """The fates of a deadline that strikes in any of these sites."""
        fates: set[Fate] = set()
        for site in struck:
            for flight in self._world.lands(site.step):
                fates |= self.throw(flight, site.place)
        return frozenset(fates)

    def throw(self, flight: Flight, place: Place | None) -> frozenset[Fate]:
        """The fates of an exception that comes out of a call at this place."""
        while place is not None and place.kind != "body":
            place = place.outer
        known = self._thrown.get((flight, id(place)))
        if known is None:
            known = self._thrown[flight, id(place)] = frozenset(self._throw(flight, place, None))
        return known

    def resume(self, place: Place | None, step: Step, returned: Constant | None) -> frozenset[Fate]:
        """The fates of control that comes back from a call at this place as if nothing had happened, with this constant if it is one."""
        flags = frozenset({(_key(step), returned.value)} if returned and isinstance(step, Call) else ())
        return frozenset(self._resume(_Exit("next", _State(flags=flags)), place, SIGNAL, None))

    def returns(self, steps: tuple[Step, ...]) -> bool:
        """Whether a function with this body can return at all."""
        return any(leave.kind in ("next", "return") for leave in self._run(steps, _State(), None))

    # In flight

    def _throw(self, flight: Flight, place: Place | None, swallow: Swallow | None) -> Iterator[Fate]:
        while place is not None:
            if place.kind == "body":
                assert isinstance(place.node, Try)
                for handler in place.node.handlers:
                    taken = self._world.takes(handler, flight)
                    if taken:
                        for answerable in self._answerable(handler, place.node, taken == "explicit", swallow):
                            yield from self._handle(handler, flight, place, answerable)
                        return
            place = place.outer
        yield Fate("escapes", swallow, 0, flight)

    def _answerable(self, handler: Handler, around: Try, explicit: bool, swallow: Swallow | None) -> Iterator[Swallow]:
        """Who answers for what this clause takes: the clause that turned the signal into it, and this one too where it would take the signal
        just as well (mending one of them alone would not let the signal out)."""
        if swallow is not None:
            yield swallow
        if swallow is None or self._world.takes(handler, SIGNAL) == "broad":
            sweep = any(isinstance(site.step, Loop) and self.works(site.step) for site in sites(around.body))
            yield Swallow(handler.line, handler.column, handler.catches, handler.bare, explicit, sweep)

    def _handle(self, handler: Handler, flight: Flight, place: Place, swallow: Swallow) -> Iterator[Fate]:
        caught = frozenset({handler.name} if handler.name else ())
        for leave in self._run(handler.body, _State(caught), flight):
            yield from self._resume(leave, Place("part", place.node, place.outer), flight, swallow)

    # Going on

    def _resume(self, leave: _Exit, place: Place | None, flight: Flight, swallow: Swallow | None) -> Iterator[Fate]:
        """Follow control from a place outwards, with the exit that got it there."""
        while place is not None:
            if leave.kind == "never":
                return
            if leave.kind in ("reraise", "raise"):
                yield from self._rethrow(leave, place, flight, swallow)
                return
            if isinstance(place.node, Loop):
                if leave.kind in ("next", "continue") and self._turns(place.node, leave.state, flight):
                    yield Fate("loops", swallow, place.node.line)
                    return
                if leave.kind != "return":
                    leave = _Exit("next", leave.state)
            following = _following(place, leave)
            place = place.outer
            if following:
                for further in self._run(following, leave.state, flight):
                    yield from self._resume(further if further.kind != "next" else leave._replace(state=further.state), place, flight, swallow)
                return
        if leave.kind in ("reraise", "raise"):
            yield from self._rethrow(leave, None, flight, swallow)
        elif leave.kind != "never":
            if leave.state.loop and (swallow is None or swallow.sweep):
                yield Fate("later", swallow, leave.state.loop)
            yield Fate("returns", swallow, returned=leave.returned if leave.kind == "return" else Constant(None))

    def _rethrow(self, leave: _Exit, place: Place | None, flight: Flight, swallow: Swallow | None) -> Iterator[Fate]:
        if leave.kind == "raise":
            yield from self._throw(leave.flight, place, swallow)
        else:
            yield from self._throw(flight, place, swallow if flight.kind == "error" else None)

    def _turns(self, loop: Loop, state: _State, flight: Flight) -> bool:
        return loop.kind != "while" or self._truth(loop.over, state, flight) is not False

    # Running: how control leaves steps in which no deadline strikes (it comes once)

    def _run(self, steps: tuple[Step, ...], state: _State, flight: Flight | None) -> set[_Exit]:
        states, exits = {state}, set[_Exit]()
        for step in steps:
            leaves = {leave for before in states for leave in self._step(step, before, flight)}
            states = _bounded({leave.state for leave in leaves if leave.kind == "next"})
            exits |= {leave for leave in leaves if leave.kind != "next"}
        return exits | {_Exit("next", after) for after in states}

    def _step(self, step: Step, state: _State, flight: Flight | None) -> Iterable[_Exit]:
        match step:
            case Call():
                if not self._world.returns(step):
                    return [_Exit("never", state)]
                return [_Exit("next", state._replace(loop=step.line) if not state.loop and self._world.sweeps(step) else state)]
            case Assign():
                return [_Exit("next", _assigned(step, state))]
            case Branch():
                return self._branch(step, state, flight)
            case Loop():
                return self._loop(step, state, flight)
            case Try():
                return self._try(step, state, flight)
            case With():
                return self._run(step.body, state, flight)
            case Return():
                return [_Exit("return", state, returned=_constant(step.value, state))]
            case Raise():
                return [self._raise(step, state, flight)]
            case Break():
                return [_Exit("break", state)]
            case Continue():
                return [_Exit("continue", state)]
        return [_Exit("next", state)]

    def _raise(self, step: Raise, state: _State, flight: Flight | None) -> _Exit:
        value = step.value.func if isinstance(step.value, Call) else step.value
        root = value.partition(".")[0] if isinstance(value, str) else None
        if flight is not None and (step.bare or root in state.caught):
            return _Exit("reraise", state)
        if isinstance(step.value, Call) and not self._world.returns(step.value):
            return _Exit("never", state)
        return _Exit("raise", state, self._world.raised(step.value))

    def _branch(self, step: Branch, state: _State, flight: Flight | None) -> set[_Exit]:
        exits: set[_Exit] = set()
        for test, arm in zip(step.tests, step.arms):
            truth = self._truth(test, state, flight)
            if truth is not False:
                exits |= self._run(arm, state, flight)
            if truth is True:
                return exits
        return exits | self._run(step.arms[-1], state, flight)

    def _loop(self, step: Loop, state: _State, flight: Flight | None) -> set[_Exit]:
        if not state.loop and self.works(step):
            state = state._replace(loop=step.line)
        inside = self._run(step.body, state, flight)
        exits = {leave for leave in inside if leave.kind in ("return", "raise", "reraise", "never")}
        exits |= {_Exit("next", leave.state) for leave in inside if leave.kind == "break"}
        if step.kind != "forever":
            after = {leave.state for leave in inside if leave.kind in ("next", "continue")} | {state}
            exits |= {leave for before in after for leave in self._run(step.otherwise, before, flight)}
        return exits

    def works(self, loop: Loop) -> bool:
        """Whether time passes in the turns of a loop; a comprehension counts for nothing."""
        return loop.kind != "comprehension" and any(self._world.lands(site.step) for site in sites(loop.body))

    def _try(self, step: Try, state: _State, flight: Flight | None) -> set[_Exit]:
        exits: set[_Exit] = set()
        for leave in self._run(step.body, state, flight):
            exits |= self._run(step.otherwise, leave.state, flight) if leave.kind == "next" else {leave}
        for handler in step.handlers:
            inner = self._run(handler.body, state, None)
            exits |= {leave for leave in inner if leave.kind not in ("raise", "reraise")}
        if not step.final:
            return exits
        through: set[_Exit] = set()
        for leave in exits:
            for last in self._run(step.final, leave.state, flight):
                through.add(leave._replace(state=last.state) if last.kind == "next" else last)
        return through

    # Tests on what was caught

    def _truth(self, test: Value, state: _State, flight: Flight | None) -> bool | None:
        match test:
            case str() if test in state.caught:
                return True
            case str() | Call() | Constant() if (known := _constant(test, state)) is not None:
                return bool(known.value)
            case Not():
                truth = self._truth(test.of, state, flight)
                return None if truth is None else not truth
            case Both():
                return _all([self._truth(part, state, flight) for part in test.options])
            case Either():
                truth = _all([_opposite(self._truth(part, state, flight)) for part in test.options])
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


def _following(place: Place, leave: _Exit) -> tuple[Step, ...]:
    """The steps of this place that still run when control comes by with this exit."""
    if isinstance(place.node, (Loop, With)):
        return ()
    if isinstance(place.node, Try):
        ran_through = place.kind == "body" and leave.kind == "next"
        return (*place.node.otherwise, *place.node.final) if ran_through else place.node.final
    return place.node if leave.kind == "next" else ()


def _assigned(step: Assign, state: _State) -> _State:
    known = _constant(step.value, state)
    caught, flags = state.caught - {step.name}, frozenset(flag for flag in state.flags if flag[0] != step.name)
    if isinstance(step.value, str) and step.value in state.caught:
        caught |= {step.name}
    elif known is not None:
        flags |= {(step.name, known.value)}
    return state._replace(caught=caught, flags=flags)


def _constant(value: Value, state: _State) -> Constant | None:
    """The constant that a value is known to be on this path."""
    if isinstance(value, Constant):
        return value
    if isinstance(value, (str, Call)):
        key = _key(value) if isinstance(value, Call) else value
        return next((Constant(known) for name, known in state.flags if name == key), None)  # type: ignore[arg-type]
    return None


def _key(call: Call) -> str:
    return f"{call.line}:{call.column}"


def _bounded(states: set[_State]) -> set[_State]:
    """Forget what only some paths know once there are too many of them to follow."""
    if len(states) <= _MOST_STATES:
        return states
    caught, flags = (frozenset.intersection(*parts) for parts in zip(*[(state.caught, state.flags) for state in states]))
    return {_State(caught, flags, max(state.loop for state in states))}


def _all(truths: list[bool | None]) -> bool | None:
    if False in truths:
        return False
    return None if None in truths else True


def _opposite(truth: bool | None) -> bool | None:
    return None if truth is None else not truth
