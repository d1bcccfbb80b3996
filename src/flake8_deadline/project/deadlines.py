"""What becomes of a deadline in the functions reached: who swallows it, and what goes on because of it.

Answers the questions of `swallow` for every function reached (what a call lets out, which class a clause takes), then follows each swallow
that returns to its caller, or turns the signal into another error, up through the calls until a loop goes on or the task ends.
"""

from __future__ import annotations

import builtins
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, Union

from flake8_deadline import libraries, queues
from flake8_deadline.facts import Attr, Call, Constant, Handler, Loop, Raise, Try, Value, With
from flake8_deadline.paths import CANCELLED, SIGNAL, Flight
from flake8_deadline.places import Place, Site
from flake8_deadline.project.calls import Resolution
from flake8_deadline.project.inference import Inference
from flake8_deadline.project.objects import ClassRef, External, FunctionRef, Instance, Many, Objects, Rows, RowsMethod
from flake8_deadline.project.reach import Edge, Reach
from flake8_deadline.swallow import Fate, Swallow, Verdicts

_NOTHING: frozenset[Flight] = frozenset()
_BROAD = frozenset({"builtins.Exception", "builtins.BaseException"})
_MOST_ROUNDS = 8

Mode = Union[Flight, Constant, None]
"""How a swallow reaches a caller: as another error, or by a return with a constant or with anything."""


class Hazard(NamedTuple):
    """A swallow after which something goes on."""

    frame: FunctionRef
    """The function with the clause."""
    swallow: Swallow
    goes_on: Literal["loops", "later"]
    where: FunctionRef
    """The function whose loop goes on."""
    line: int
    """The loop's line."""
    calls: tuple[tuple[FunctionRef, int], ...]
    """From `where` down to `frame`: each function with the line on which it calls the next."""


class _Function:
    """The world of one function reached."""

    def __init__(self, deadlines: Deadlines, frame: FunctionRef) -> None:
        self._deadlines = deadlines
        self._frame = frame
        self._inference = deadlines.inference
        facts = self._inference.function(frame)
        self._asynchronous = facts.asynchronous
        self.steps = facts.steps
        self.sites = deadlines.reach.sites(frame)
        self._resolved = {id(site.step): deadlines.reach.resolved[frame][position] for position, site in enumerate(self.sites)}
        self._taken: dict[tuple[int, Flight], Literal["broad", "explicit", None]] = {}
        self.verdicts = Verdicts(self)

    def resolution(self, step: Call | Loop | With) -> Resolution:
        found = self._resolved.get(id(step))
        if found is None:
            found = self._resolved[id(step)] = self._deadlines.resolve(step, self._frame)
        return found

    # Answers for swallow.World

    def lands(self, step: Call | Loop | With) -> frozenset[Flight]:
        resolution = self.resolution(step)
        if isinstance(step, Loop):
            if step.kind == "async for":
                return frozenset({CANCELLED})
            return frozenset({SIGNAL}) if any(isinstance(o, Rows) for o in resolution.objects) else _NOTHING
        if resolution.targets or isinstance(step, With):
            return frozenset().union(*[self._deadlines.escapes.get(target, _NOTHING) for target in resolution.targets])
        if self._deadlines.is_cheap(step, resolution.objects, self._inference, self._frame):
            return _NOTHING
        if self._asynchronous:
            if step.awaited:
                return frozenset({CANCELLED})
            return frozenset({SIGNAL}) if any(isinstance(o, External) and o.name in libraries.BLOCKING for o in resolution.objects) else _NOTHING
        return frozenset({SIGNAL})

    def returns(self, call: Call) -> bool:
        resolution = self.resolution(call)
        if resolution.targets and not resolution.iterates:
            return any(self._deadlines.returns(target) for target in resolution.targets)
        never = any(isinstance(o, External) and o.name in libraries.NEVER_RETURN for o in resolution.objects)
        if not resolution.objects and isinstance(call.func, str) and call.func.endswith(".retry"):
            never = call.func.split(".")[0] in ("self", "task")
        return not never or ("throw", Constant(False)) in call.keywords

    def sweeps(self, call: Call) -> bool:
        targets = self.resolution(call).targets
        return 0 < len(targets) <= 2 and any(self._deadlines.loops(target) for target in targets)

    def takes(self, handler: Handler, flight: Flight) -> Literal["broad", "explicit", None]:
        key = (id(handler), flight)
        if key not in self._taken:
            self._taken[key] = self._takes(handler, flight)
        return self._taken[key]

    def _takes(self, handler: Handler, flight: Flight) -> Literal["broad", "explicit", None]:
        if handler.bare:
            return "broad"
        names = self._names(handler.catches)
        classes = self._classes(handler.catches)
        if flight.kind == "cancelled":
            if names & queues.CANCELLATIONS:
                return "explicit"
            return "broad" if "builtins.BaseException" in names else None
        if flight.kind == "signal":
            if self._deadlines.is_signal(names) or _spells_signal(handler.catches):
                return "explicit"
            return "broad" if names & _BROAD else None
        if names & _BROAD:
            return "broad"
        return "explicit" if any(self._inference_covers(cls, flight) for cls in classes) else None

    def is_instance(self, flight: Flight, classes: Value) -> bool | None:
        found, names = self._classes(classes), self._names(classes)
        if names & _BROAD:
            return True
        if flight.kind == "signal":
            if self._deadlines.is_signal(names) or _spells_signal(classes):
                return True
            return False if found else None
        if flight.kind == "cancelled":
            return bool(names & queues.CANCELLATIONS) if found else None
        if flight.error is None:
            return None
        return any(self._inference_covers(cls, flight) for cls in found) if found else None

    def raised(self, value: Value) -> Flight:
        objects = self._inference.evaluate(value, self._frame)
        for o in sorted(objects, key=repr):
            if isinstance(o, Instance):
                return Flight("error", o.cls)
            if isinstance(o, ClassRef):
                return Flight("error", o)
            if isinstance(o, External):
                name = o.name.removesuffix("()")
                return SIGNAL if self._deadlines.is_signal({name}) else Flight("error", External(name))
        return Flight("error")

    def _classes(self, value: Value) -> Objects:
        return _flat(self._inference.evaluate(value, self._frame))

    def _names(self, value: Value) -> set[str]:
        return {o.name for o in self._classes(value) if isinstance(o, External)}

    def _inference_covers(self, cls: object, flight: Flight) -> bool:
        """Whether a clause for `cls` takes the error in flight."""
        if cls == flight.error:
            return True
        if isinstance(flight.error, ClassRef):
            ancestors = self._inference.classes.ancestors(flight.error)
            return cls in ancestors or any(isinstance(a, External) and _is_subclass(a, cls) for a in ancestors)
        return isinstance(flight.error, External) and _is_subclass(flight.error, cls)


class Deadlines:
    """Every hazard in what a Reach covers. `signals` are further names of the signal, `cheap` further names of calls that take no time."""

    def __init__(self, inference: Inference, reach: Reach, signals: frozenset[str] = frozenset(), cheap: frozenset[str] = frozenset()) -> None:
        self.inference = inference
        self.reach = reach
        self._signals = frozenset().union(*(queue.signals for queue in queues.QUEUES), signals)
        self._cheap = libraries.CHEAP | cheap
        self.escapes: dict[FunctionRef, frozenset[Flight]] = {}
        self._returns: dict[FunctionRef, bool] = {}
        self._loops: dict[FunctionRef, bool] = {}
        self._fails: dict[FunctionRef, bool] = {}
        self._changes: dict[FunctionRef, bool] = {}
        self._functions = {frame: _Function(self, frame) for frame in reach.resolved}
        self._fates = self._settle()

    # What a function lets out

    def _settle(self) -> dict[FunctionRef, frozenset[Fate]]:
        """The fates of a deadline in each function, until what one lets out no longer changes another."""
        fates: dict[FunctionRef, frozenset[Fate]] = {}
        waiting = dict.fromkeys(reversed(list(self._functions)))
        rounds = dict.fromkeys(self._functions, 0)
        while waiting:
            frame = next(iter(waiting))
            del waiting[frame]
            rounds[frame] += 1
            function = self._functions[frame]
            function.verdicts = Verdicts(function)
            fates[frame] = function.verdicts.strike(function.sites)
            out = frozenset(fate.flight for fate in fates[frame] if fate.kind == "escapes" and fate.swallow is None and fate.flight.kind != "error")
            if out != self.escapes.get(frame, _NOTHING) and rounds[frame] < _MOST_ROUNDS:
                self.escapes[frame] = out
                waiting |= dict.fromkeys(edge.caller for edge in self.reach.callers.get(frame, ()))
        return fates

    # Answers about functions

    def resolve(self, step: Call | Loop | With, frame: FunctionRef) -> Resolution:
        return self.reach.resolve(step, frame)

    def returns(self, frame: FunctionRef) -> bool:
        known = self._returns.get(frame)
        if known is None:
            self._returns[frame] = True
            function = self._functions.get(frame)
            known = function is None or _is_abstract(function) or function.verdicts.returns(function.steps)
            self._returns[frame] = known
        return known

    def loops(self, frame: FunctionRef) -> bool:
        """Whether the function's own body has a loop in which time passes."""
        known = self._loops.get(frame)
        if known is None:
            function = self._functions.get(frame)
            loops = [site.step for site in function.sites if isinstance(site.step, Loop)] if function else []
            known = bool(function) and any(function.verdicts.paths.works(loop) for loop in loops)
            if len(self.escapes) == len(self._functions):
                self._loops[frame] = known
        return known

    def is_signal(self, names: set[str]) -> bool:
        return bool(self._signals & names)

    def is_cheap(self, call: Call, objects: Objects, inference: Inference, frame: FunctionRef) -> bool:
        """Whether no time can pass in a call of something outside of the project."""
        method = _last_name(call.func)
        if objects:
            return all(self._is_cheap_object(o, call, inference, frame) for o in objects)
        if method in libraries.CHEAP_METHODS or method in libraries.LAZY_QUERIES:
            return True
        if method == "update":
            return bool(call.args)
        return method == "get" and (len(call.args) == 2 or (bool(call.args) and isinstance(call.args[0], Constant)))

    def _is_cheap_object(self, o: object, call: Call, inference: Inference, frame: FunctionRef) -> bool:
        if isinstance(o, RowsMethod):
            return o.name in libraries.LAZY_QUERIES
        if isinstance(o, External):
            if any(isinstance(passed, Rows) for argument in call.args[:1] for passed in inference.evaluate(argument, frame)):
                return o.name not in ("builtins.list", "builtins.tuple", "builtins.set", "builtins.sorted", "builtins.sum", "builtins.len")
            owner, _, method = o.name.rpartition(".")
            if method in libraries.CHEAP_METHODS and not (owner.endswith("()") and owner.rpartition(".")[2][:1].isupper()):
                return True
            return any(prefix in self._cheap for prefix in _prefixes(o.name.replace("()", "")))
        return True

    def fails(self, frame: FunctionRef) -> bool:
        """Whether an ordinary error in a call of this function comes out of it."""
        known = self._fails.get(frame)
        if known is None:
            self._fails[frame] = False
            function = self._functions.get(frame)
            known = self._fails[frame] = function is None or any(self.fails_at(frame, site) for site in function.sites)
        return known

    def fails_at(self, frame: FunctionRef, site: Site, within: Loop | None = None) -> bool:
        """Whether an ordinary error can come out of this call and leave the function (or, given a loop around it, the loop's turn)."""
        function = self._functions[frame]
        if not isinstance(site.step, Call):
            return False
        resolution = function.resolution(site.step)
        if resolution.targets:
            if not any(self.fails(target) for target in resolution.targets):
                return False
        elif self.is_cheap(site.step, resolution.objects, self.inference, frame) or libraries.HARMLESS & _externals(resolution.objects):
            return False
        return not _isolated(function, site.place, within)

    def changes(self, frame: FunctionRef) -> bool:
        """Whether a call of this function changes something outside of the process, as far as can be seen."""
        known = self._changes.get(frame)
        if known is None:
            self._changes[frame] = False
            function = self._functions.get(frame)
            calls = [site.step for site in function.sites if isinstance(site.step, Call)] if function else []
            known = self._changes[frame] = any(self.changes_at(frame, call) for call in calls)
        return known

    def changes_at(self, frame: FunctionRef, call: Call) -> bool:
        resolution = self._functions[frame].resolution(call)
        if resolution.targets:
            return any(self.changes(target) for target in resolution.targets)
        if self.is_cheap(call, resolution.objects, self.inference, frame):
            return False
        return _last_name(call.func) in libraries.EFFECTS

    # Hazards

    def hazards(self) -> Iterator[Hazard]:
        """The nearest thing that goes on after each swallow, one for each clause and function frame."""
        for frame, fates in self._fates.items():
            swallows: dict[Swallow, list[Fate]] = {}
            for fate in fates:
                if fate.swallow is not None:
                    swallows.setdefault(fate.swallow, []).append(fate)
            for swallow, found in swallows.items():
                hazard = self._hazard(frame, swallow, found)
                if hazard is not None:
                    yield hazard

    def _hazard(self, frame: FunctionRef, swallow: Swallow, fates: list[Fate]) -> Hazard | None:
        own = sorted((f for f in fates if f.kind in ("loops", "later")), key=lambda f: (f.kind != "loops", f.line))
        here = Hazard(frame, swallow, own[0].kind, frame, own[0].line, ()) if own else None
        if here and here.goes_on == "loops":
            return here
        above = self._above(frame, swallow, fates)
        return above if above and (above.goes_on == "loops" or not here) else here

    def _above(self, frame: FunctionRef, swallow: Swallow, fates: list[Fate]) -> Hazard | None:
        """The nearest caller in which a loop goes on."""
        starts = _modes(fates)
        waiting = deque((frame, mode, ()) for mode in sorted(starts, key=repr))
        seen = {(frame, mode) for mode in starts}
        later: Hazard | None = None
        while waiting:
            callee, mode, calls = waiting.popleft()
            for edge in self.reach.callers.get(callee, ()):
                down = ((edge.caller, edge.site.step.line), *calls)
                after = self._after(edge, mode)
                for fate in sorted(after, key=repr):
                    if fate.kind == "loops" or (fate.kind == "later" and swallow.sweep):
                        hazard = Hazard(frame, swallow, fate.kind, edge.caller, fate.line, down)
                        if fate.kind == "loops":
                            return hazard
                        later = later or hazard
                for further in sorted(_modes(after), key=repr):
                    if (edge.caller, further) not in seen:
                        seen.add((edge.caller, further))
                        waiting.append((edge.caller, further, down))
        return later

    def _after(self, edge: Edge, mode: Mode) -> frozenset[Fate]:
        """What happens at a call from which a swallow has come back, or from which another error comes."""
        function = self._functions[edge.caller]
        place = edge.site.place
        if edge.iterates:
            assert isinstance(edge.site.step, Call)
            place = Place("loop", Loop(edge.site.step.line, edge.site.step.column, "comprehension", None, (), ()), place)
        if isinstance(mode, Flight):
            return function.verdicts.throw(mode, place)
        return function.verdicts.resume(place, edge.site.step, mode)


def _isolated(function: _Function, place: Place | None, within: Loop | None) -> bool:
    """Whether a clause between a place and its function (or the loop) takes any error there and does not raise it again.

    What a clause itself does about a failed row is not held against it.
    """
    error = Flight("error")
    while place is not None and place.node is not within:
        if place.kind == "handler":
            return True
        if place.kind == "body" and isinstance(place.node, Try):
            for handler in place.node.handlers:
                if function.takes(handler, error):
                    return function.verdicts.returns(handler.body)
        place = place.outer
    return False


def _modes(fates: Iterable[Fate]) -> set[Mode]:
    """How fates reach the caller, where they still belong to the swallow: as another error, or with what the function returns."""
    returned = {fate.returned for fate in fates if fate.kind == "returns"}
    errors = {fate.flight for fate in fates if fate.kind == "escapes" and fate.flight.kind == "error"}
    return {*errors, *({None} if None in returned else returned)}


def _is_abstract(function: _Function) -> bool:
    return len(function.steps) == 1 and isinstance(function.steps[0], Raise)


def _externals(objects: Objects) -> frozenset[str]:
    return frozenset(o.name for o in objects if isinstance(o, External))


def _flat(objects: Objects) -> Objects:
    return frozenset(part for o in objects for part in (_flat(o.of) if isinstance(o, Many) else (o,)))


def _spells_signal(value: Value) -> bool:
    """A name that cannot be followed but is spelt like the signal: taken for it, since that only ever silences."""
    if isinstance(value, str):
        return value.rpartition(".")[2] == "SoftTimeLimitExceeded"
    items = getattr(value, "items", ())
    return any(_spells_signal(item) for item in items if isinstance(item, str))


def _last_name(value: Value) -> str:
    if isinstance(value, Attr):
        return value.name
    return value.rpartition(".")[2] if isinstance(value, str) else ""


def _prefixes(name: str) -> Iterator[str]:
    yield name
    while "." in name:
        name = name.rpartition(".")[0]
        yield f"{name}."


def _is_subclass(one: External, other: object) -> bool:
    if not isinstance(other, External):
        return False
    if one == other:
        return True
    first, second = (getattr(builtins, o.name.removeprefix("builtins."), None) for o in (one, other))
    return isinstance(first, type) and isinstance(second, type) and issubclass(first, second)
