"""What becomes of a deadline in each of the functions reached: what a function lets out, whether it returns, whether it loops."""

from __future__ import annotations

from flake8_deadline import queues
from flake8_deadline.facts import Loop
from flake8_deadline.flights import Flight, Told
from flake8_deadline.project.inference import Inference
from flake8_deadline.project.objects import FunctionRef
from flake8_deadline.project.reach import Reach
from flake8_deadline.project.time import Time
from flake8_deadline.project.world import FunctionWorld
from flake8_deadline.swallow import Fate

_MOST_ROUNDS = 8
"""How often a function is followed again because a callee lets more out; recursion could go round longer, and adds nothing then."""


class Deadlines:
    """`signals` are further names of the signal."""

    def __init__(self, inference: Inference, reach: Reach, time: Time, signals: frozenset[str] = frozenset()) -> None:
        self.inference = inference
        self.reach = reach
        self.time = time
        self.signals = frozenset().union(*(queue.signals for queue in queues.QUEUES), signals)
        self.escapes: dict[FunctionRef, frozenset[Flight]] = {}
        """In which forms a deadline that strikes in a function comes out of it as itself."""
        self.laundered: dict[FunctionRef, frozenset[Flight]] = {}
        """The other errors that a function turns a deadline into."""
        self._returns: dict[FunctionRef, bool] = {}
        self._told: dict[tuple[FunctionRef, frozenset[str], Flight], Told | None] = {}
        self._loops: dict[FunctionRef, bool] = {}
        self.worlds = {frame: FunctionWorld(self, frame) for frame in reach.resolved}
        self.fates = self._settle()
        self._settled = True

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
            fates[frame] = world.verdicts.strike(world.sites)
            if self._lets_out(frame, fates[frame]) and rounds[frame] < _MOST_ROUNDS:
                waiting |= dict.fromkeys(edge.caller for edge in self.reach.callers.get(frame, ()))
        return fates

    def _lets_out(self, frame: FunctionRef, fates: frozenset[Fate]) -> bool:
        """Note what comes out of a function; True if that is news."""
        flights = {fate.flight for fate in fates if fate.kind == "escapes"}
        escapes = frozenset(flight for flight in flights if flight.kind != "error")
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
