"""Rows isolated inside of a transaction without a savepoint each.

Inside of Django's `atomic` a database error breaks the whole transaction: every query after it fails, and at the end of the block what came
before is rolled back as well, without an exception. Catching the error helps only outside of a savepoint, which an inner `atomic` makes.
Decides which calls can break the transaction, where their errors are caught, and whether a savepoint lies between the call and the loop.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from flake8_deadline import libraries
from flake8_deadline.facts import Call, Constant, Loop, Value, With
from flake8_deadline.flights import Flight, Swallow
from flake8_deadline.places import Place, Site
from flake8_deadline.project.catching import externals
from flake8_deadline.project.deadlines import Deadlines
from flake8_deadline.project.hazards import Calls
from flake8_deadline.project.objects import External, FunctionRef, Objects, RowsMethod
from flake8_deadline.project.time import last_name
from flake8_deadline.swallow import Fate

_ERRORS = tuple(Flight("error", External(name)) for name in sorted(libraries.DATABASE_ERRORS))


class Transaction(NamedTuple):
    path: str
    line: int
    """Of the block, or of the function that is one."""
    is_default: bool
    """Whether it is of the default database, as no other is named."""


class Poisoning(NamedTuple):
    """A clause that goes on in a transaction that the error it takes has broken."""

    frame: FunctionRef
    """The function with the clause."""
    swallow: Swallow
    write: int
    """The line of the call that can fail."""
    where: FunctionRef
    """The function whose loop goes on."""
    loop: int
    atomic: Transaction
    calls: Calls
    """From `where` down to `frame`."""


class Poisonings:
    def __init__(self, deadlines: Deadlines) -> None:
        self._deadlines = deadlines
        self._inference = deadlines.inference
        self._breaking: dict[FunctionRef, bool] = {}

    def all(self) -> Iterator[Poisoning]:
        for frame, world in self._deadlines.worlds.items():
            for site in world.sites:
                if isinstance(site.step, Call) and _is_tried(site.place) and self._breaks(frame, site.step):
                    yield from self._from(frame, site)

    def _breaks(self, frame: FunctionRef, call: Call) -> bool:
        """Whether an error of the database that breaks the transaction around can come out of a call."""
        resolution = self._deadlines.worlds[frame].resolution(call)
        if resolution.targets:
            return any(self._breaks_in(target) for target in resolution.targets)
        return _writes(call, resolution.objects)

    def _breaks_in(self, frame: FunctionRef) -> bool:
        known = self._breaking.get(frame)
        if known is None:
            self._breaking[frame] = False
            world = self._deadlines.worlds[frame]
            known = self._breaking[frame] = any(
                isinstance(site.step, Call)
                and self._breaks(frame, site.step)
                and not self._has_savepoint(frame, site.place, None)
                and any(fate.kind == "escapes" for error in _ERRORS for fate in world.verdicts.throw(error, site.place))
                for site in world.sites
            )
        return known

    def _from(self, frame: FunctionRef, site: Site) -> Iterator[Poisoning]:
        verdicts = self._deadlines.worlds[frame].verdicts
        fates = {fate for error in _ERRORS for fate in verdicts.throw(error, site.place)}
        for swallow in sorted({fate.swallow for fate in fates if fate.swallow is not None and fate.swallow.kind == "clause"}, key=repr):
            own = [fate for fate in fates if fate.swallow == swallow]
            found = self._in_loop(frame, site.place, own) or self._in_callers(frame, site.place, own)
            if found:
                where, loop, atomic, calls = found
                yield Poisoning(frame, swallow, site.step.line, where, loop, atomic, calls)

    def _in_callers(self, frame: FunctionRef, place: Place | None, fates: list[Fate]) -> tuple[FunctionRef, int, Transaction, Calls] | None:
        """The nearest caller in whose loop it goes on."""
        waiting: deque[tuple[FunctionRef, Place | None, list[Fate], Calls]] = deque([(frame, place, fates, ())])
        seen = {frame}
        while waiting:
            callee, place, fates, calls = waiting.popleft()
            modes = {fate.returned for fate in fates if fate.kind == "returns"}
            if not modes or self._has_savepoint(callee, place, None):
                continue
            for edge in self._deadlines.reach.callers.get(callee, ()):
                down: Calls = ((edge.caller, edge.site.step.line), *calls)
                after = [fate for mode in modes for fate in self._deadlines.after(edge, mode)]
                found = self._in_loop(edge.caller, edge.place, after)
                if found:
                    return (*found[:3], down)
                if edge.caller not in seen:
                    seen.add(edge.caller)
                    waiting.append((edge.caller, edge.place, after, down))
        return None

    def _in_loop(self, frame: FunctionRef, place: Place | None, fates: list[Fate]) -> tuple[FunctionRef, int, Transaction, Calls] | None:
        """The loop around a place that goes on inside of a transaction, where no savepoint lies between."""
        lines = {fate.line for fate in fates if fate.kind == "loops"}
        outer = place
        while outer is not None:
            if outer.kind == "loop" and isinstance(outer.node, Loop) and outer.node.line in lines:
                atomic = None if self._has_savepoint(frame, place, outer) else self._atomic(frame, outer.outer, set())
                return (frame, outer.node.line, atomic, ()) if atomic else None
            outer = outer.outer
        return None

    def _has_savepoint(self, frame: FunctionRef, place: Place | None, end: Place | None) -> bool:
        """Whether an `atomic` that makes a savepoint stands between a place and one around it, or (None) the caller of the function."""
        while place is not None and place is not end:
            if place.kind == "with" and isinstance(place.node, With) and any(self._saves(item, frame) for item in place.node.items):
                return True
            place = place.outer
        function = self._inference.function(frame)
        outside = frame._replace(qualname=function.parent or "")
        return end is None and any(self._saves(decorator.value, outside) for decorator in function.decorators)

    def _saves(self, value: Value, frame: FunctionRef) -> bool:
        return self._is_atomic(value, frame) and not (isinstance(value, Call) and ("savepoint", Constant(False)) in value.keywords)

    def _atomic(self, frame: FunctionRef, place: Place | None, seen: set[FunctionRef]) -> Transaction | None:
        """The transaction around a place: a block, the function's decorator, or one around a call of the function."""
        while place is not None:
            if place.kind == "with" and isinstance(place.node, With):
                opened = [item for item in place.node.items if self._is_atomic(item, frame)]
                if opened:
                    return Transaction(frame.path, place.node.line, all(map(_is_default, opened)))
            place = place.outer
        function = self._inference.function(frame)
        outside = frame._replace(qualname=function.parent or "")
        made = [decorator.value for decorator in function.decorators if self._is_atomic(decorator.value, outside)]
        if made:
            return Transaction(frame.path, function.line, all(map(_is_default, made)))
        seen.add(frame)
        for edge in self._deadlines.reach.callers.get(frame, ()):
            found = self._atomic(edge.caller, edge.site.place, seen) if edge.caller not in seen else None
            if found:
                return found
        return None

    def _is_atomic(self, value: Value, frame: FunctionRef) -> bool:
        made = value.func if isinstance(value, Call) else value
        return bool(externals(self._inference.evaluate(made, frame)) & libraries.ATOMIC)


def _is_default(atomic: Value) -> bool:
    """Whether `atomic` is given no database."""
    return not (isinstance(atomic, Call) and (atomic.args or any(keyword == "using" for keyword, _ in atomic.keywords)))


def _is_tried(place: Place | None) -> bool:
    while place is not None:
        if place.kind == "body":
            return True
        place = place.outer
    return False


def _writes(call: Call, objects: Objects) -> bool:
    """Whether a call writes to the database by one query, which can fail."""
    name = last_name(call.func)
    if name not in libraries.WRITES or ("ignore_conflicts", Constant(True)) in call.keywords:
        return False
    if objects:
        return any(isinstance(o, RowsMethod) or (isinstance(o, External) and o.name.startswith("django.db.")) for o in objects)
    return name not in libraries.CHEAP_METHODS and name != "update"
