"""What one function must be told about everything outside of it: the answers to the questions of `flights.World`."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Literal

from flake8_deadline import libraries, queues
from flake8_deadline.facts import Access, Call, Constant, Handler, Loop, Raise, Sequence, Value, With
from flake8_deadline.flights import CANCELLED, SIGNAL, Flight, Told
from flake8_deadline.places import Timed
from flake8_deadline.project.calls import Resolution
from flake8_deadline.project.objects import ClassRef, External, FunctionRef, Instance, Many, Objects, Rows
from flake8_deadline.swallow import Verdicts

if TYPE_CHECKING:
    from flake8_deadline.project.deadlines import Deadlines

Taken = Literal["broad", "explicit", None]

_NOTHING: frozenset[Flight] = frozenset()
_BROAD = frozenset({"builtins.Exception", "builtins.BaseException"})


class FunctionWorld:
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
        self._taken: dict[tuple[int, Flight], Taken] = {}
        self.verdicts = Verdicts(self)

    def settle_again(self) -> None:
        """Forget what was followed: a callee has turned out to let more out."""
        self.verdicts = Verdicts(self)

    @property
    def is_abstract(self) -> bool:
        return len(self.steps) == 1 and isinstance(self.steps[0], Raise)

    def resolution(self, step: Timed) -> Resolution:
        found = self._resolved.get(id(step))
        if found is None:
            found = self._resolved[id(step)] = self._deadlines.reach.resolve(step, self._frame)
        return found

    # What a call does

    def lands(self, step: Timed) -> frozenset[Flight]:
        resolution = self.resolution(step)
        if isinstance(step, Loop):
            if step.kind == "async for":
                return frozenset({CANCELLED})
            return frozenset({SIGNAL}) if any(isinstance(o, Rows) for o in resolution.objects) else _NOTHING
        if resolution.targets or isinstance(step, With):
            return frozenset().union(*[self._deadlines.escapes.get(target, _NOTHING) for target in resolution.targets])
        if isinstance(step, Access) or not self._deadlines.time.passes(step, resolution.objects, self._frame):
            return _NOTHING
        if not self._asynchronous:
            return frozenset({SIGNAL})
        if step.awaited:
            return frozenset({CANCELLED})
        return frozenset({SIGNAL}) if libraries.BLOCKING & externals(resolution.objects) else _NOTHING

    def launders(self, step: Timed) -> frozenset[Flight]:
        return frozenset().union(*[self._deadlines.laundered.get(target, _NOTHING) for target in self.resolution(step).targets])

    def returns(self, call: Call) -> bool:
        resolution = self.resolution(call)
        if resolution.targets and not resolution.iterates:
            return any(self._deadlines.returns(target) for target in resolution.targets)
        if ("throw", Constant(False)) in call.keywords:
            return True
        if not resolution.objects and isinstance(call.func, str):
            return call.func not in libraries.NEVER_RETURN_AS_WRITTEN
        return not libraries.NEVER_RETURN & externals(resolution.objects)

    def told(self, call: Call, caught: frozenset[str], flight: Flight) -> Told | None:
        targets = self.resolution(call).targets
        if len(targets) != 1:
            return None
        passed = (*zip(self._inference.arguments.positional(targets[0]), call.args), *call.keywords)
        parameters = frozenset(name for name, value in passed if isinstance(value, str) and value in caught)
        return self._deadlines.told(targets[0], parameters, flight) if parameters else None

    def suppresses(self, step: With) -> bool:
        """Whether a context swallows every ordinary error: `contextlib.suppress(Exception)`."""
        for item in step.items:
            if isinstance(item, Call) and "contextlib.suppress" in externals(self._inference.evaluate(item.func, self._frame)):
                names = frozenset().union(*[externals(self._classes(argument)) for argument in item.args])
                return bool(names & _BROAD)
        return False

    def sweeps(self, call: Call) -> bool:
        targets = self.resolution(call).targets
        return 0 < len(targets) <= 2 and any(self._deadlines.loops(target) for target in targets)

    # What a clause takes

    def takes(self, handler: Handler, flight: Flight) -> Taken:
        key = (id(handler), flight)
        if key not in self._taken:
            self._taken[key] = "broad" if handler.bare else self._takes(handler.catches, flight)
        return self._taken[key]

    def _takes(self, catches: Value, flight: Flight) -> Taken:
        classes = self._classes(catches)
        names = externals(classes)
        match flight.kind:
            case "cancelled":
                named, broad = bool(names & queues.CANCELLATIONS), "builtins.BaseException" in names
            case "signal":
                named, broad = self._names_signal(catches, names), bool(names & _BROAD)
            case _:
                broad = bool(names & _BROAD)
                named = not broad and any(self._covers(cls, flight) for cls in classes)
        return "explicit" if named else "broad" if broad else None

    def is_instance(self, flight: Flight, classes: Value) -> bool | None:
        found = self._classes(classes)
        names = externals(found)
        if "builtins.BaseException" in names or ("builtins.Exception" in names and flight.kind != "cancelled"):
            return True
        if flight.kind == "signal" and self._names_signal(classes, names):
            return True
        if not found or (flight.kind == "error" and flight.error is None):
            return None
        if flight.kind == "error":
            return any(self._covers(cls, flight) for cls in found)
        return flight.kind == "cancelled" and bool(names & queues.CANCELLATIONS)

    def raised(self, value: Value) -> Flight:
        for o in sorted(self._inference.evaluate(value, self._frame), key=repr):
            match o:
                case Instance():
                    return Flight("error", o.cls)
                case ClassRef():
                    return Flight("error", o)
                case External():
                    name = o.name.removesuffix("()")
                    return SIGNAL if name in self._deadlines.signals else Flight("error", External(name))
        return Flight("error")

    def _names_signal(self, value: Value, names: frozenset[str]) -> bool:
        return bool(self._deadlines.signals & names) or _spells_signal(value)

    def _classes(self, value: Value) -> Objects:
        return _flat(self._inference.evaluate(value, self._frame))

    def _covers(self, cls: object, flight: Flight) -> bool:
        """Whether a clause for `cls` takes the error in flight."""
        if isinstance(flight.error, ClassRef):
            ancestors = self._inference.classes.ancestors(flight.error)
            return cls in ancestors or any(isinstance(a, External) and _is_subclass(a, cls) for a in ancestors)
        return isinstance(flight.error, External) and _is_subclass(flight.error, cls)


def externals(objects: Objects) -> frozenset[str]:
    """The names among these that lie outside of the project."""
    return frozenset(o.name for o in objects if isinstance(o, External))


def _flat(objects: Objects) -> Objects:
    return frozenset(part for o in objects for part in (_flat(o.of) if isinstance(o, Many) else (o,)))


def _spells_signal(value: Value) -> bool:
    """A name that cannot be followed but is spelt like the signal: taken for it, since that only ever silences."""
    if isinstance(value, Sequence):
        return any(_spells_signal(item) for item in value.items)
    return isinstance(value, str) and value.rpartition(".")[2] == queues.CELERY.signal


def _is_subclass(one: External, other: object) -> bool:
    if not isinstance(other, External):
        return False
    if one == other:
        return True
    first, second = (getattr(builtins, o.name.removeprefix("builtins."), None) for o in (one, other))
    return isinstance(first, type) and isinstance(second, type) and issubclass(first, second)
