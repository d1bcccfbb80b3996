"""THE definition of a swallow: how control leaves a block, and which clause of a try takes the signal.

A deadline strikes inside a call. The signal then travels outwards through the blocks around the call. The first clause of a `try` that
matches it by class takes it, and its body decides:

- it leaves on every way out (`raise`, a call that never returns): the signal, or what it was turned into, travels on;
- on some way out it does not: control goes on after the `try`. That way is followed too, through the rest of the function, tests on the
  caught exception and flags set in the clause included, until it reaches the next turn of a loop (the loop goes on), the end of the
  function (it returns to a caller who knows nothing), or a `raise` that was only put off.

`raise Other(…)` lets control out as far as the clause that takes the new type; what happens there is charged to the clause that raised it.

Three things besides a clause take the signal on its way: a `finally` that leaves by `return`, `break` or `continue`; a context whose
`__exit__` says that all is well, or whose generator does not raise again; and a call that swallows, retries or retypes by itself. Control goes
on from there as it does from a clause.

Everything is said in terms of steps (`facts`). What a name means, what a call does and which class catches which is asked of a `World`;
this module never looks beyond one function.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, cast

from flake8_deadline.earlier import known_at
from flake8_deadline.facts import Call, Constant, Handler, Loop, Sequence, Step, Try, With
from flake8_deadline.flights import GROUP, HARD, RETRIED, SIGNAL, Flight, Swallow, Told, World
from flake8_deadline.paths import Exit, Paths
from flake8_deadline.places import Place, Site, sites
from flake8_deadline.truth import State, call_key


class Fate(NamedTuple):
    """Where control ends up after a deadline struck: "escapes" with `flight`, "loops" at `line` again, runs a "later" loop, or "returns"; on its
    way it may have put the task back into its queue ("retried").

    `swallow` is the clause answerable for it; None while the flight is what it was when it came out of the call.
    """

    kind: Literal["escapes", "loops", "later", "returns", "retried"]
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
                fates.update(self._struck(flight, site))
        return frozenset(fates)

    def _struck(self, flight: Flight, site: Site) -> Iterable[Fate]:
        """A deadline that comes out of a call, or that the call itself deals with."""
        absorbed = self._world.absorbs(site.step, flight)
        if absorbed is None:
            return self.throw(flight, site.place)
        if absorbed.flight == RETRIED:
            return (Fate("loops", absorbed.swallow, absorbed.swallow.line),)
        if absorbed.flight is not None:
            return self._throw(absorbed.flight, site.place, absorbed.swallow)
        return self._resume({Exit("next", State())}, site.place, flight, absorbed.swallow)

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
        while place is not None and not _guards(place):
            place = place.outer
        key = (flight, id(place), swallow)
        if key not in self._thrown:
            self._thrown[key] = frozenset(self._thrown_at(flight, place, swallow))
        return self._thrown[key]

    def _thrown_at(self, flight: Flight, place: Place | None, swallow: Swallow | None) -> Iterator[Fate]:
        if place is None:
            yield Fate("escapes", swallow, 0, flight)
            return
        if isinstance(place.node, With):
            yield from self._through_context(place.node, flight, place, swallow)
            return
        guard = cast("Try", place.node)
        handler = next((handler for handler in guard.handlers if self._world.takes(handler, flight)), None) if place.kind == "body" else None
        if handler is None:
            yield from self._through_finally(guard, flight, place, swallow)
            return
        for answerable in self._answerable(handler, guard, flight, swallow):
            yield from self._handle(handler, flight, place, answerable)

    def _through_context(self, step: With, flight: Flight, place: Place, swallow: Swallow | None) -> Iterator[Fate]:
        for passage in self._world.contexts(step, flight):
            if passage.flight is not None:
                yield from self._throw(passage.flight, place.outer, swallow or passage.swallow)
            else:
                word = passage.swallow and passage.swallow._replace(sweep=self._sweeps(step.body), queue=_queue(flight))
                yield from self._resume({Exit("next", State())}, place.outer, flight, swallow or word)

    def _through_finally(self, guard: Try, flight: Flight, place: Place, swallow: Swallow | None) -> Iterator[Fate]:
        """What a `finally` makes of an exception in flight; one that it raises itself counts for the one it takes the place of."""
        state = self._known_at(place) if place.kind == "body" else State()
        leaves = self.paths.run(guard.final, [state], None)
        dropping = {leave for leave in leaves if leave.kind in ("return", "break", "continue")}
        if leaves - dropping:
            yield from self._throw(flight, place.outer, swallow)
        for leave in dropping:
            word = Swallow(leave.line, leave.column, "finally", takes=flight.kind, what=leave.kind, hard=True, queue=_queue(flight))
            yield from self._resume({leave}, place.outer, flight, swallow or word._replace(sweep=self._sweeps(guard.body)))

    def _sweeps(self, body: tuple[Step, ...]) -> bool:
        """Whether a guarded body is a loop in which time passes."""
        return any(isinstance(site.step, Loop) and self.paths.works(site.step) for site in sites(body))

    def _known_at(self, place: Place) -> State:
        return known_at(place, self.paths.truth, lambda step: bool(self._world.lands(step) | self._world.launders(step)))

    def _answerable(self, handler: Handler, around: Try, flight: Flight, swallow: Swallow | None) -> Iterator[Swallow]:
        """Who answers for what this clause takes: the clause that turned the signal into it, and this one too where it would take the signal
        just as well (mending one of them alone would not let the signal out).
        """
        if swallow is not None:
            yield swallow
            if swallow.kind == "call":
                return
        if swallow is None or self._world.takes(handler, Flight("signal", swallow.queue)) == "broad":
            yield Swallow(
                handler.line,
                handler.column,
                "clause",
                handler.catches,
                bare=handler.bare,
                star=around.star,
                explicit=self._world.takes(handler, flight) == "explicit",
                takes=flight.kind,
                sweep=self._sweeps(around.body),
                hard=self._world.takes(handler, HARD) is not None,
                queue=_queue(flight),
            )

    def _handle(self, handler: Handler, flight: Flight, place: Place, swallow: Swallow) -> Iterator[Fate]:
        leaves = self._leaves.get((flight, id(handler)))
        if leaves is None:
            state = self._known_at(place)._replace(caught=frozenset({handler.name} if handler.name else ()))
            leaves = self.paths.run(handler.body, [state], flight)
            if cast("Try", place.node).star:
                leaves = {leave._replace(kind="raise", flight=GROUP) if leave.kind == "reraise" else leave for leave in leaves}
            self._leaves[flight, id(handler)] = leaves
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
                if leave.flight == RETRIED:
                    yield Fate("retried", swallow)
                yield from self._throw(leave.flight, place, swallow)
            case "reraise":
                yield from self._throw(flight, place, swallow if flight.kind in ("error", "retry") else None)
            case _:
                if leave.state.loop and (swallow is None or swallow.sweep):
                    yield Fate("later", swallow, leave.state.loop)
                yield Fate("returns", swallow, returned=leave.returned if leave.kind == "return" else Constant(None))

    def _turns(self, loop: Loop, state: State, flight: Flight) -> bool:
        """Whether a loop may run again: not over a literal of one element, and not where its test is known to fail by now.

        An empty literal is a stand-in for what is to come.
        """
        if isinstance(loop.over, Sequence) and loop.over.whole and len(loop.over.items) == 1:
            return False
        return loop.kind != "while" or self.paths.truth.of(loop.over, state, flight) is not False


def _queue(flight: Flight) -> str:
    """The name of the queue whose signal is in flight."""
    return flight.error if flight.kind == "signal" and isinstance(flight.error, str) else "celery"


def _guards(place: Place) -> bool:
    """Whether something at a place can stand in the way of an exception."""
    match place.node:
        case Try():
            return place.kind == "body" or bool(place.node.final)
        case With():
            return True
    return False
