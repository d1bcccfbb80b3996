"""Which classes take what is in flight: the hierarchy of exceptions, of the project and of what it imports."""

from __future__ import annotations

import builtins
from typing import Literal

from flake8_deadline import queues
from flake8_deadline.facts import Sequence, Value
from flake8_deadline.flights import RETRIED, SIGNAL, Flight
from flake8_deadline.project.inference import Inference
from flake8_deadline.project.objects import ClassRef, External, FunctionRef, Instance, Many, Objects

Taken = Literal["broad", "explicit", None]

_EXCEPTION, _EVERYTHING = "builtins.Exception", "builtins.BaseException"
_BROAD = frozenset({_EXCEPTION, _EVERYTHING})
_EXITS = frozenset({"builtins.SystemExit"})


class Catching:
    """`signals` are further names of the signal."""

    def __init__(self, inference: Inference, signals: frozenset[str]) -> None:
        self._inference = inference
        self._signals = frozenset().union(*(row.signals for row in queues.QUEUES), signals)
        self._extra = signals

    def takes(self, catches: Value, flight: Flight, frame: FunctionRef) -> Taken:
        """Whether a clause for these classes takes what is in flight, and whether it names it."""
        classes = self.classes(catches, frame)
        names = externals(classes)
        match flight.kind:
            case "cancelled":
                named, broad = bool(names & queues.CANCELLATIONS), _EVERYTHING in names
            case "hard":
                named, broad = bool(names & _EXITS), _EVERYTHING in names
            case "signal":
                named, broad = self._names_signal(flight, catches, names), bool(names & self._takers(flight))
            case "retry":
                named, broad = bool(names & queues.RETRIED), bool(names & _BROAD)
            case _:
                broad = bool(names & _BROAD)
                named = not broad and any(self._covers(cls, flight) for cls in classes)
        return "explicit" if named else "broad" if broad else None

    def is_instance(self, flight: Flight, classes: Value, frame: FunctionRef) -> bool | None:
        """The answer of `isinstance(caught, classes)`; None where it cannot be said."""
        found = self.classes(classes, frame)
        names = externals(found)
        if _EVERYTHING in names or (_EXCEPTION in names and self.is_ordinary(flight)):
            return True
        if flight.kind == "signal" and (self._names_signal(flight, classes, names) or names & self._takers(flight)):
            return True
        if not found or (flight.kind == "error" and flight.error is None):
            return None
        if flight.kind == "error":
            return any(self._covers(cls, flight) for cls in found)
        return bool(names & {"cancelled": queues.CANCELLATIONS, "retry": queues.RETRIED, "hard": _EXITS}.get(flight.kind, frozenset()))

    def raised(self, value: Value, frame: FunctionRef) -> Flight:
        """What `raise value` puts in flight."""
        for o in sorted(self._inference.evaluate(value, frame), key=repr):
            match o:
                case Instance():
                    return Flight("error", o.cls)
                case ClassRef():
                    return Flight("error", o)
                case External():
                    return self._raised_external(o.name.removesuffix("()"))
        return Flight("error")

    def _raised_external(self, name: str) -> Flight:
        if name in self._signals:
            return next((Flight("signal", row.name) for row in queues.QUEUES if name in row.signals), SIGNAL)
        return RETRIED if name in queues.RETRIED or name in queues.RETRYING else Flight("error", External(name))

    def classes(self, value: Value, frame: FunctionRef) -> Objects:
        """The classes that a clause names, tuples taken apart."""
        return _flat(self._inference.evaluate(value, frame))

    def is_ordinary(self, flight: Flight) -> bool:
        """Whether it is an `Exception`."""
        return flight.kind in ("error", "retry") or (flight.kind == "signal" and queues.named(str(flight.error)).swallowed_by == "Exception")

    def _takers(self, flight: Flight) -> frozenset[str]:
        """The classes above the signal."""
        row = queues.named(str(flight.error))
        return row.parents | (_BROAD if row.swallowed_by == "Exception" else {_EVERYTHING})

    def _names_signal(self, flight: Flight, value: Value, names: frozenset[str]) -> bool:
        return bool((queues.named(str(flight.error)).signals | self._extra) & names) or _spells(value, queues.named(str(flight.error)).signal)

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


def _spells(value: Value, signal: str) -> bool:
    """A name that cannot be followed but is spelt like the signal: taken for it, since that only ever silences."""
    if isinstance(value, Sequence):
        return any(_spells(item, signal) for item in value.items)
    return isinstance(value, str) and value.rpartition(".")[2] == signal


def _is_subclass(one: External, other: object) -> bool:
    if not isinstance(other, External):
        return False
    if one == other:
        return True
    first, second = (getattr(builtins, o.name.removeprefix("builtins."), None) for o in (one, other))
    return isinstance(first, type) and isinstance(second, type) and issubclass(first, second)
