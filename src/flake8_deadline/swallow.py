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

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, cast

from flake8_deadline.earlier import known_at
from flake8_deadline.facts import Call, Constant, Handler, Loop, Sequence, Step, Try, Value
from flake8_deadline.flights import SIGNAL, Flight, Told, World
from flake8_deadline.paths import Exit, Paths
from flake8_deadline.places import Place, Site, sites
from flake8_deadline.truth import State, call_key


class Swallow(NamedTuple):
    """A clause that takes the signal and does not let it go on every way out, by the place of its `except`."""

    line: int
    column: int
    catches: Value
    bare: bool
    explicit: bool
    """Whether it names what it takes."""
    takes: Literal["signal", "cancelled", "error"]
    """What it takes: the signal itself, the cancellation an awaiting coroutine sees instead, or what a callee has turned the signal into."""
    sweep: bool
    """Whether what it guards is a loop: what was swallowed then ended one sweep, and another may start."""


class Fate(NamedTuple):
    """Where control ends up after a deadline struck: "escapes" with `flight`, "loops" at `line` again, runs a "later" loop, or "returns".

    `swallow` is the clause answerable for it; None while the flight is what it was when it came out of the call.
    """

    kind: Literal["escapes", "loops", "later", "returns"]
    swallow: Swallow | None = None
    line: int = 0
    flight: Flight = SIGNAL
    returned: Constant | None = None
    """For "returns": the constant given back, where it is one."""


class Verdicts:
    """Follows deadlines through one function. `world` answers for everything outside of it."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.paths = Paths(world)
        self._thrown: dict[tuple[Flight, int, Swallow | None], frozenset[Fate]] = {}
        self._leaves: dict[tuple[Flight, int], set[Exit]] = {}

    def strike(self, struck: Iterable[Site]) -> frozenset[Fate]:
        """The fates of a deadline that strikes in any of these sites."""
        fates: set[Fate] = set()
        for site in struck:
            for flight in self._world.lands(site.step) | self._world.launders(site.step):
                fates |= self.throw(flight, site.place)
        return frozenset(fates)

    def throw(self, flight: Flight, place: Place | None) -> frozenset[Fate]:
        """The fates of an exception that comes out of a call at this place."""
        return self._throw(flight, place, None)

    def resume(self, place: Place | None, step: Step, returned: Constant | None) -> frozenset[Fate]:
        """The fates of control that comes back from a call at this place as if nothing had happened, with this constant if it is one."""
        flags = frozenset({(call_key(step), returned.value)} if returned and isinstance(step, Call) else ())
        return frozenset(self._resume({Exit("next", State(flags=flags))}, place, SIGNAL, None))

    def returns(self, steps: tuple[Step, ...]) -> bool:
        """Whether a function with this body can return at all."""
        return any(leave.kind in ("next", "return") for leave in self.paths.run(steps, [State()], None))

    def told(self, steps: tuple[Step, ...], parameters: frozenset[str], flight: Flight) -> Told:
        """What a function with this body does whose parameters hold an exception in flight."""
        ways = [leave for leave in self.paths.run(steps, [State(parameters)], flight) if leave.kind in ("next", "return")]
        given = {leave.returned if leave.kind == "return" else Constant(None) for leave in ways}
        return Told(bool(ways), given.pop() if len(given) == 1 else None)

    # In flight

    def _throw(self, flight: Flight, place: Place | None, swallow: Swallow | None) -> frozenset[Fate]:
        while place is not None and place.kind != "body":
            place = place.outer
        key = (flight, id(place), swallow)
        if key not in self._thrown:
            self._thrown[key] = frozenset(self._thrown_at(flight, place, swallow))
        return self._thrown[key]

    def _thrown_at(self, flight: Flight, place: Place | None, swallow: Swallow | None) -> Iterator[Fate]:
        if place is None:
            yield Fate("escapes", swallow, 0, flight)
            return
        guard = cast("Try", place.node)
        for handler in guard.handlers:
            if self._world.takes(handler, flight):
                for answerable in self._answerable(handler, guard, flight, swallow):
                    yield from self._handle(handler, flight, place, answerable)
                return
        yield from self._throw(flight, place.outer, swallow)

    def _answerable(self, handler: Handler, around: Try, flight: Flight, swallow: Swallow | None) -> Iterator[Swallow]:
        """Who answers for what this clause takes: the clause that turned the signal into it, and this one too where it would take the signal
        just as well (mending one of them alone would not let the signal out).
        """
        if swallow is not None:
            yield swallow
        if swallow is None or self._world.takes(handler, SIGNAL) == "broad":
            sweep = any(isinstance(site.step, Loop) and self.paths.works(site.step) for site in sites(around.body))
            explicit = self._world.takes(handler, flight) == "explicit"
            yield Swallow(handler.line, handler.column, handler.catches, handler.bare, explicit, flight.kind, sweep)

    def _handle(self, handler: Handler, flight: Flight, place: Place, swallow: Swallow) -> Iterator[Fate]:
        leaves = self._leaves.get((flight, id(handler)))
        if leaves is None:
            known = known_at(place, self.paths.truth, lambda step: bool(self._world.lands(step) | self._world.launders(step)))
            state = known._replace(caught=frozenset({handler.name} if handler.name else ()))
            leaves = self._leaves[flight, id(handler)] = self.paths.run(handler.body, [state], flight)
        yield from self._resume(leaves, Place("part", place.node, place.outer), flight, swallow)

    # Going on

    def _resume(self, leaves: set[Exit], place: Place | None, flight: Flight, swallow: Swallow | None) -> Iterator[Fate]:
        """Follow control from a place outwards, by every exit that got it there."""
        while place is not None and leaves:
            ended = {leave for leave in leaves if leave.kind in ("reraise", "raise", "never")}
            for leave in ended:
                yield from self._end(leave, place, flight, swallow)
            leaves = leaves - ended
            if isinstance(place.node, Loop):
                turns = {leave for leave in leaves if leave.kind in ("next", "continue") and self._turns(place.node, leave.state, flight)}
                if turns:
                    yield Fate("loops", swallow, place.node.line)
                leaves = {leave if leave.kind == "return" else Exit("next", leave.state) for leave in leaves - turns}
            else:
                leaves = self._onwards(place, leaves, flight)
            place = place.outer
        for leave in leaves:
            yield from self._end(leave, place, flight, swallow)

    def _onwards(self, place: Place, leaves: set[Exit], flight: Flight) -> set[Exit]:
        """The exits from what still runs of this place."""
        run, through = self.paths.run, self.paths.through
        nexts, others = {leave for leave in leaves if leave.kind == "next"}, {leave for leave in leaves if leave.kind != "next"}
        if isinstance(place.node, Try):
            if place.kind == "body":
                nexts = run(place.node.otherwise, [leave.state for leave in nexts], flight)
            return through(place.node.final, nexts | others, flight)
        if isinstance(place.node, tuple):
            nexts = run(place.node, [leave.state for leave in nexts], flight)
        return nexts | others

    def _end(self, leave: Exit, place: Place | None, flight: Flight, swallow: Swallow | None) -> Iterator[Fate]:
        """Control leaves by a `raise` at this place, or has come to the end of the function."""
        match leave.kind:
            case "never":
                return
            case "raise":
                yield from self._throw(leave.flight, place, swallow)
            case "reraise":
                yield from self._throw(flight, place, swallow if flight.kind == "error" else None)
            case _:
                if leave.state.loop and (swallow is None or swallow.sweep):
                    yield Fate("later", swallow, leave.state.loop)
                yield Fate("returns", swallow, returned=leave.returned if leave.kind == "return" else Constant(None))

    def _turns(self, loop: Loop, state: State, flight: Flight) -> bool:
        """Whether a loop may run again: not over a literal of one element, and not where its test is known to fail by now."""
        if isinstance(loop.over, Sequence) and loop.over.whole and len(loop.over.items) <= 1:
            return False
        return loop.kind != "while" or self.paths.truth.of(loop.over, state, flight) is not False
