"""What becomes of a deadline in each of the functions reached: what a function lets out, whether it returns, whether it loops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Union

from flake8_deadline import queues
from flake8_deadline.facts import Call, Constant, Loop, With, Yield
from flake8_deadline.flights import Flight, Passage, Told
from flake8_deadline.paths import Exit
from flake8_deadline.project.absorption import Absorption
from flake8_deadline.project.catching import Catching
from flake8_deadline.project.contexts import Contexts
from flake8_deadline.project.inference import Inference
from flake8_deadline.project.objects import FunctionRef
from flake8_deadline.project.reach import Edge, Reach
from flake8_deadline.project.retries import Retries
from flake8_deadline.project.time import Time
from flake8_deadline.project.world import FunctionWorld
from flake8_deadline.project.written import MANAGERS
from flake8_deadline.swallow import Fate
from flake8_deadline.truth import State

_MOST_ROUNDS = 8
"""How often a function is followed again because a callee lets more out; recursion could go round longer, and adds nothing then."""


Mode = Union[Flight, Constant, None]
"""How a swallow reaches a caller: as another error, or by a return with a constant or (None) with anything."""


class Deadlines:
    """`signals` are further names of the signal, `versions` those that the project pins, `queues_of` the queue of the tasks that start
    with a function.
    """

    def __init__(
        self,
        inference: Inference,
        reach: Reach,
        time: Time,
        signals: frozenset[str] = frozenset(),
        versions: Mapping[str, str] = MappingProxyType({}),
        queues_of: Mapping[FunctionRef, str] = MappingProxyType({}),
    ) -> None:
        self.inference = inference
        self.reach = reach
        self.time = time
        self.catching = Catching(inference, signals)
        self.escapes: dict[FunctionRef, frozenset[Flight]] = {}
        """In which forms a deadline that strikes in a function comes out of it as itself."""
        self.laundered: dict[FunctionRef, frozenset[Flight]] = {}
        """The other errors that a function turns a deadline into."""
        self._returns: dict[FunctionRef, bool] = {}
        self._told: dict[tuple[FunctionRef, frozenset[str], Flight], Told | None] = {}
        self._loops: dict[FunctionRef, bool] = {}
        self._after: dict[tuple[FunctionRef, int, bool, Mode], frozenset[Fate]] = {}
        self._apart: dict[FunctionRef, FunctionWorld] = {}
        self._passing: set[tuple[FunctionRef, Flight]] = set()
        self.retries = Retries(inference, self)
        self.absorption = Absorption(self, versions)
        self._queues = reach.marked(queues_of)
        self.worlds = {frame: FunctionWorld(self, frame) for frame in reach.resolved}
        self.fates = self._settle()
        self._settled = True

    def signals(self, frame: FunctionRef) -> frozenset[Flight]:
        """The signals that can strike in a function: those of the queues whose tasks reach it. A queue without one only cancels what is awaited."""
        names = self._queues.get(frame) or {queues.CELERY.name}
        return frozenset(Flight("signal", row.name) for row in queues.QUEUES if row.name in names and row.signals)

    def _settle(self) -> dict[FunctionRef, frozenset[Fate]]:
        """The fates of a deadline in each function, until what one lets out no longer changes another."""
        self._settled = False
        fates: dict[FunctionRef, frozenset[Fate]] = {}
        waiting = dict.fromkeys(reversed(list(self.worlds)))
        rounds = dict.fromkeys(self.worlds, 0)
        while waiting:
            frame = next(iter(waiting))
            del waiting[frame]
            rounds[frame] += 1
            world = self.worlds[frame]
            world.settle_again()
            fates[frame] = self._retried(frame, self._entered(frame, world.verdicts.strike(world.sites)))
            if self._lets_out(frame, fates[frame]) and rounds[frame] < _MOST_ROUNDS:
                waiting |= dict.fromkeys(edge.caller for edge in self.reach.callers.get(frame, ()))
        return fates

    def _entered(self, frame: FunctionRef, fates: frozenset[Fate]) -> frozenset[Fate]:
        """The fates once the context managers that decorate a function have had their say."""
        function = self.inference.function(frame)
        outside = frame._replace(qualname=function.parent or "")
        for decorator in reversed(function.decorators):
            if isinstance(decorator.value, Call) and self._makes_context(decorator.value, outside):
                step = With(decorator.line, decorator.column, (decorator.value,), ())
                fates = frozenset(after for fate in fates for after in self._through(step, fate, outside))
        return fates

    def _makes_context(self, call: Call, frame: FunctionRef) -> bool:
        functions = [o for o in self.inference.evaluate(call.func, frame) if isinstance(o, FunctionRef)]
        return any(self.inference.decorators.decorated_by(self.inference.function(o), o, MANAGERS) for o in functions)

    def _through(self, step: With, fate: Fate, frame: FunctionRef) -> Iterator[Fate]:
        if fate.kind != "escapes":
            yield fate
            return
        for passage in Contexts(self, frame).passages(step, fate.flight):
            swallow = fate.swallow or passage.swallow
            if passage.flight is not None:
                yield fate._replace(flight=passage.flight, swallow=swallow)
            else:
                yield Fate("returns", swallow)

    def _retried(self, frame: FunctionRef, fates: frozenset[Fate]) -> frozenset[Fate]:
        """The fates once the retrying decorators around a function have had their say."""
        for around in self.retries.around(frame):
            kept = {fate for fate in fates if fate.kind != "escapes" or not self.retries.takes(around.policy, fate.flight)}
            again = {Fate("loops", fate.swallow or self.retries.swallow(around, fate.flight), around.line) for fate in fates - kept}
            fates = frozenset(kept | again)
        return fates

    def passages(self, frame: FunctionRef, flight: Flight) -> frozenset[Passage]:
        """What a context manager that is a generator makes of an exception that comes out of the block."""
        key = (frame, flight)
        world = self.world(frame)
        if key in self._passing:
            return frozenset({Passage(flight)})
        self._passing.add(key)
        fates = {fate for site in world.sites if isinstance(site.step, Yield) for fate in world.verdicts.throw(flight, site.place)}
        self._passing.discard(key)
        return frozenset(_passage(fate, frame) for fate in fates) or frozenset({Passage(flight)})

    def after(self, edge: Edge, mode: Mode) -> frozenset[Fate]:
        """What happens at a call from which a swallow has come back, or from which another error comes."""
        key = (edge.caller, id(edge.site), edge.iterates, mode)
        if key not in self._after:
            verdicts, place = self.worlds[edge.caller].verdicts, edge.place
            self._after[key] = verdicts.throw(mode, place) if isinstance(mode, Flight) else verdicts.resume(place, edge.site.step, mode)
        return self._after[key]

    def _lets_out(self, frame: FunctionRef, fates: frozenset[Fate]) -> bool:
        """Note what comes out of a function; True if that is news."""
        flights = {fate.flight for fate in fates if fate.kind == "escapes"}
        escapes = frozenset(flight for flight in flights if flight.kind in ("signal", "cancelled"))
        laundered = frozenset(flights - escapes)
        news = (escapes, laundered) != (self.escapes.get(frame, frozenset()), self.laundered.get(frame, frozenset()))
        self.escapes[frame], self.laundered[frame] = escapes, laundered
        return news

    def returns(self, frame: FunctionRef) -> bool:
        """Whether control can come back from a function. One that only raises may be there to be overridden."""
        known = self._returns.get(frame)
        if known is None:
            self._returns[frame] = True
            world = self.worlds.get(frame)
            known = self._returns[frame] = world is None or world.is_abstract or world.verdicts.returns(world.steps)
        return known

    def world(self, frame: FunctionRef) -> FunctionWorld:
        """The world of a function, also of one that nothing reached calls: a decorator does, or a library."""
        if frame not in self.worlds and frame not in self._apart:
            self._apart[frame] = FunctionWorld(self, frame)
        return self.worlds.get(frame) or self._apart[frame]

    def answer(self, frame: FunctionRef, flight: Flight) -> bool | None:
        """What a function says that is told the exception in flight and asked a yes or no; None where that cannot be said."""
        world = self.world(frame)
        told = world.verdicts.told(world.steps, frozenset(self.inference.arguments.positional(frame)[:1]), flight)
        return bool(told.gives.value) if told.gives is not None else None

    def leaves(self, frame: FunctionRef, flight: Flight) -> set[Exit]:
        """How control leaves the `__exit__` of a context that is told of an exception."""
        world = self.world(frame)
        told = frozenset(self.inference.arguments.positional(frame)[:2])
        return world.verdicts.paths.run(world.steps, [State(told)], flight)

    def told(self, frame: FunctionRef, parameters: frozenset[str], flight: Flight) -> Told | None:
        """What a function does whose parameters hold a caught exception."""
        key = (frame, parameters, flight)
        if key not in self._told:
            self._told[key] = None
            world = self.worlds[frame]
            self._told[key] = world.verdicts.told(world.steps, parameters, flight)
        return self._told[key]

    def loops(self, frame: FunctionRef) -> bool:
        """Whether the function's own body has a loop in which time passes."""
        known = self._loops.get(frame)
        if known is None:
            world = self.worlds.get(frame)
            known = world is not None and any(isinstance(site.step, Loop) and world.verdicts.paths.works(site.step) for site in world.sites)
            if self._settled:
                self._loops[frame] = known
        return known


def _passage(fate: Fate, frame: FunctionRef) -> Passage:
    """What the fate of an exception in a context manager's generator is to the block."""
    swallow = fate.swallow
    if swallow is not None and swallow.at is None:
        swallow = swallow._replace(kind="context", at=frame)
    return Passage(None if fate.kind == "returns" and swallow else fate.flight, swallow)
