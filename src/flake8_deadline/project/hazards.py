"""Hazards: swallows after which something goes on.

Follows each swallow that returns to its caller, or turns the signal into another error, up through the calls until a loop goes on or the
task ends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, Union

from flake8_deadline.facts import Constant, Loop
from flake8_deadline.flights import Flight, Swallow
from flake8_deadline.places import Place
from flake8_deadline.project.deadlines import Deadlines
from flake8_deadline.project.objects import FunctionRef
from flake8_deadline.project.reach import Edge
from flake8_deadline.swallow import Fate

Mode = Union[Flight, Constant, None]
"""How a swallow reaches a caller: as another error, or by a return with a constant or (None) with anything."""

Calls = tuple[tuple[FunctionRef, int], ...]
"""Functions, each with the line on which it calls the next."""


GoesOn = Literal["loops", "later", "ends", "retried"]
"""A loop goes on, or still runs; the task runs to its end in a straight line, or asks to be run again."""


class Hazard(NamedTuple):
    """A swallow after which something goes on."""

    frame: FunctionRef
    """The function with the clause."""
    swallow: Swallow
    goes_on: GoesOn
    where: FunctionRef
    """The function whose loop goes on; for "ends" and "retried", the one that the task runs."""
    line: int
    """The loop's line; 0 where none goes on."""
    calls: Calls
    """From `where` down to `frame`."""

    @property
    def at(self) -> FunctionRef:
        """The function in which what takes the signal stands."""
        at = self.swallow.at
        return at if isinstance(at, FunctionRef) else self.frame


def hazards(deadlines: Deadlines) -> Iterator[Hazard]:
    """The nearest thing that goes on after each swallow, one for each swallow and function frame."""
    for frame, fates in deadlines.fates.items():
        swallows: dict[Swallow, list[Fate]] = {}
        for fate in fates:
            if fate.swallow is not None:
                swallows.setdefault(fate.swallow, []).append(fate)
        for swallow, found in swallows.items():
            hazard = _hazard(deadlines, frame, swallow, found)
            if hazard is not None:
                yield hazard


def _hazard(deadlines: Deadlines, frame: FunctionRef, swallow: Swallow, fates: list[Fate]) -> Hazard | None:
    """A loop that goes on here, or else in a caller; then a loop that merely still runs, and the end of the task last."""
    here = _goes_on(frame, swallow, fates, frame, ())
    if here and here.goes_on == "loops":
        return here
    above = _above(deadlines, frame, swallow, fates)
    if above and above.goes_on == "loops":
        return above
    if not here and any(fate.kind == "retried" for fate in fates):
        return _retried(deadlines, frame, swallow)
    return here or above


def _above(deadlines: Deadlines, frame: FunctionRef, swallow: Swallow, fates: list[Fate]) -> Hazard | None:
    """The nearest caller in which a loop goes on."""
    seen = {(frame, mode) for mode in _modes(fates)}
    waiting: deque[tuple[FunctionRef, Mode, Calls]] = deque((frame, mode, ()) for _, mode in sorted(seen, key=repr))
    later: Hazard | None = None
    ends: Hazard | None = None
    while waiting:
        callee, mode, calls = waiting.popleft()
        if ends is None and callee in deadlines.reach.starts and not isinstance(mode, Flight):
            ends = Hazard(frame, swallow, "ends", callee, 0, calls)
        for edge in deadlines.reach.callers.get(callee, ()):
            down: Calls = ((edge.caller, edge.site.step.line), *calls)
            after = resumed(deadlines, edge, mode)
            hazard = _goes_on(frame, swallow, after, edge.caller, down)
            if hazard and hazard.goes_on == "loops":
                return hazard
            later = later or hazard
            for further in sorted(_modes(after), key=repr):
                if (edge.caller, further) not in seen:
                    seen.add((edge.caller, further))
                    waiting.append((edge.caller, further, down))
    return later or ends


def _retried(deadlines: Deadlines, frame: FunctionRef, swallow: Swallow) -> Hazard:
    """A clause that has the task put back into its queue."""
    chain = deadlines.reach.chain(frame)
    calls = tuple((caller, site.step.line) for caller, site in chain if site is not None)
    return Hazard(frame, swallow, "retried", chain[0][0], 0, calls)


def _goes_on(frame: FunctionRef, swallow: Swallow, fates: Iterable[Fate], where: FunctionRef, calls: Calls) -> Hazard | None:
    """The first loop among these fates that goes on, or that still runs after a sweep was cut short."""
    loops = sorted(fate.line for fate in fates if fate.kind == "loops")
    if loops:
        return Hazard(frame, swallow, "loops", where, loops[0], calls)
    later = sorted(fate.line for fate in fates if fate.kind == "later" and swallow.sweep)
    return Hazard(frame, swallow, "later", where, later[0], calls) if later else None


def resumed(deadlines: Deadlines, edge: Edge, mode: Mode) -> frozenset[Fate]:
    """What happens at a call from which a swallow has come back, or from which another error comes."""
    verdicts, step = deadlines.worlds[edge.caller].verdicts, edge.site.step
    if isinstance(mode, Flight):
        return verdicts.throw(mode, around(edge))
    return verdicts.resume(around(edge), step, mode)


def around(edge: Edge) -> Place | None:
    """What stands around a call; one that is made for each of several items (`map`) stands in a loop."""
    place, line = edge.site.place, edge.site.step.line
    return Place("loop", Loop(line, 0, "comprehension", None, (), ()), place) if edge.iterates else place


def _modes(fates: Iterable[Fate]) -> set[Mode]:
    """How fates reach the caller, where they still belong to the swallow."""
    returned = {fate.returned for fate in fates if fate.kind == "returns"}
    errors = {fate.flight for fate in fates if fate.kind == "escapes" and fate.flight.kind in ("error", "retry")}
    return {*errors, *({None} if None in returned else returned)}
