"""What number an expression is, as far as it can be read without running anything, and where that number stands.

Follows names, imports, class attributes, arithmetic, `timedelta`, conversions and lookups in the environment, of which the default counts
unless the environment is known. What depends on a condition, or on what only a run knows, is unknown, with the reason: nothing is guessed.
Whether a number is a limit, and which of several wins, is decided elsewhere.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from flake8_deadline.facts import Arithmetic, Attr, Call, Constant, Either, Hint, Imported, Item, Value
from flake8_deadline.project.inference import Inference
from flake8_deadline.project.objects import ClassRef, External, FunctionRef, Instance, Module
from flake8_deadline.project.time import last_name
from flake8_deadline.project.variables import CASTS, Lookup, Scalar, field, lookup

_DEEPEST = 20
_OPERATORS: dict[str, Callable[..., Scalar]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
}
_LARGEST = 2**53
_CHOICES: dict[str, Callable[..., Scalar]] = {"min": min, "max": max}
_SPANS = ("days", "seconds", "microseconds", "milliseconds", "minutes", "hours", "weeks")
SETTINGS_CLASSES = frozenset({"pydantic_settings.BaseSettings", "pydantic.BaseSettings", "pydantic.env_settings.BaseSettings"})
_UNSET = "is set by the environment alone"


class Place(NamedTuple):
    path: str
    line: int


class Quantity(NamedTuple):
    """A value and where it stands: the innermost line that bears it as it is."""

    value: Scalar
    at: Place
    via: tuple[Place, ...] = ()
    """The places by which it is reached, the outermost first."""
    variable: str = ""
    """The variable of the environment that decides it, if one does."""
    is_default: bool = False
    """Whether it is what holds while nobody sets that variable."""
    unknown: str = ""
    """Why it cannot be read; empty where it can."""


class Known(NamedTuple):
    """A variable of the environment that is set, and where."""

    text: str
    at: Place


class Quantities:
    """Reads numbers of one project, in one environment."""

    def __init__(self, inference: Inference, environment: Mapping[str, Known] | None = None) -> None:
        self._inference = inference
        self._modules = inference.modules
        self._environment = environment or {}
        self._asked: list[tuple[str, str, str]] = []
        """The names being looked up: one that leads back to itself has no value."""

    def of(self, value: Value, frame: FunctionRef, line: int) -> Quantity:
        """The value of an expression that stands on `line` of the frame's file."""
        at = Place(frame.path, line)
        if len(self._asked) > _DEEPEST:
            return _unknown(at, "it is defined by too many others")
        match value:
            case Constant():
                return Quantity(value.value, at)
            case str():
                return self._named(value, frame, at)
            case Arithmetic():
                return self._computed(value, frame, at)
            case Call():
                return self._called(value, frame, at)
            case Attr(of=Call() as call, name="seconds" | "days" as name):
                return _attribute(self.of(call, frame, line), name)
            case Item(key=Constant(value=str() as variable)) if self._is_environment(value.of, frame):
                return self._looked_up(Lookup(variable), frame, at)
            case Either():
                return self._either(value, frame, at)
            case Imported(name=str() as name):
                module = self._modules.imported(frame.path, value)
                if isinstance(module, Module) and module.path:
                    return self._module_name(module.path, name, at)
        return _unknown(at, "it cannot be read")

    # Names

    def _named(self, name: str, frame: FunctionRef, at: Place) -> Quantity:
        first, _, rest = name.partition(".")
        if rest:
            return self._member(name, frame, at)
        scope: str | None = frame.qualname
        functions = self._modules.source(frame.path).functions
        while scope and scope in functions:
            function = functions[scope]
            if any(parameter.name == first for parameter in function.parameters):
                return _unknown(at, f"{first} is given by the caller")
            if first in function.bindings:
                return self._bound(function.bindings[first], frame._replace(qualname=scope), (), frozenset(), at)
            scope = function.parent
        return self._module_name(frame.path, name, at)

    def _module_name(self, path: str, name: str, at: Place) -> Quantity:
        key = (path, "", name)
        if key in self._asked:
            return _unknown(at, f"{name} is defined by itself")
        self._asked.append(key)
        try:
            source = self._modules.source(path)
            body = source.body
            if body and name in body.bindings:
                return self._bound(body.bindings[name], FunctionRef(path, ""), body.lines.get(name, ()), body.guarded, at)
            for star in reversed(source.summary.stars):
                module = self._modules.imported(path, star)
                if isinstance(module, Module) and module.path and self.defines(module.path, name, (path,)):
                    return self._module_name(module.path, name, at)
            return _unknown(at, f"{name} is not defined where it can be seen")
        finally:
            self._asked.pop()

    def defines(self, path: str, name: str, asked: tuple[str, ...] = ()) -> bool:
        """Whether a module has a name of its own or by a star import."""
        source = self._modules.source(path)
        if source.body and name in source.body.bindings:
            return True
        modules = [self._modules.imported(path, star) for star in source.summary.stars if path not in asked]
        return any(isinstance(m, Module) and m.path is not None and self.defines(m.path, name, (*asked, path)) for m in modules)

    def _bound(self, values: tuple[Value, ...], frame: FunctionRef, lines: tuple[int, ...], guarded: frozenset[int], at: Place) -> Quantity:
        """What a name holds at the end: its last value that is given in any case, unless a later one may be given instead."""
        found = [
            self._from(value, frame, line, at)
            for value, line in _last(values, lines or (at.line,) * len(values), guarded)
            if not isinstance(value, Hint)
        ]
        if len(found) == 1 or (found and len({one[0] for one in found}) == 1 and not any(one.unknown for one in found)):
            return found[-1]
        where = ", ".join(str(one.at.line) for one in found)
        return _unknown(found[0].at, f"a condition decides it (lines {where})") if found else _unknown(at, "it is declared, not set")

    def _from(self, value: Value, frame: FunctionRef, line: int, at: Place) -> Quantity:
        found = self.of(value, frame, line)
        return found if found.at == at or found.unknown else found._replace(via=(at, *found.via))

    def _member(self, name: str, frame: FunctionRef, at: Place) -> Quantity:
        """An attribute: of a module, of a class or of an instance, whose class says what it holds."""
        owner, _, last = name.rpartition(".")
        for o in sorted(self._inference.evaluate(owner, frame), key=repr):
            if isinstance(o, Module) and o.path:
                return self._module_name(o.path, last, at)
            if isinstance(o, (ClassRef, Instance)):
                return self._attribute_of(o.cls if isinstance(o, Instance) else o, last, at)
        if last in ("seconds", "days"):
            return _attribute(self.of(owner, frame, at.line), last)
        return _unknown(at, f"{name} cannot be followed")

    def _attribute_of(self, ref: ClassRef, name: str, at: Place) -> Quantity:
        ancestors = self._inference.classes.ancestors(ref)
        is_settings = any(isinstance(ancestor, External) and ancestor.name in SETTINGS_CLASSES for ancestor in ancestors)
        for ancestor in ancestors:
            if isinstance(ancestor, ClassRef) and name in (cls := self._inference.cls(ancestor)).bindings:
                frame, values, lines = self._inference.classes.frame(ancestor), cls.bindings[name], cls.lines[name]
                if not is_settings:
                    return self._bound(values, frame, lines, cls.guarded, at)
                hint = next((value.of for value in values if isinstance(value, Hint)), None)
                asked = field(cls, name, None if isinstance(values[-1], Hint) else values[-1], hint)
                return self._looked_up(asked, frame, Place(frame.path, lines[-1]))._replace(via=(at,))
        return _unknown(at, f"{ref.qualname}.{name} is not set in its class")

    # Operations

    def _computed(self, value: Arithmetic, frame: FunctionRef, at: Place) -> Quantity:
        left, right = self.of(value.left, frame, at.line), self.of(value.right, frame, at.line)
        return _applied(_OPERATORS[value.operator], (left, right), at)

    def _either(self, value: Either, frame: FunctionRef, at: Place) -> Quantity:
        """`a or b` and `a if c else b` read alike: certain only if nothing is left to choose."""
        found = [self.of(option, frame, at.line) for option in value.options]
        first, *rest = found
        if len(rest) == 1 and first.variable and not first.is_default and (first.unknown == f"{first.variable} {_UNSET}"):
            return rest[0]._replace(variable=first.variable, is_default=True)
        if len({one.value for one in found}) == 1 and not any(one.unknown for one in found):
            return first
        return first if first.variable and not first.unknown and first.value else _unknown(at, "a condition decides it")

    def _called(self, call: Call, frame: FunctionRef, at: Place) -> Quantity:
        name = last_name(call.func)
        if isinstance(call.func, str) and call.func in CASTS and call.args:
            return _applied(CASTS[call.func], [self.of(call.args[0], frame, at.line)], at, is_cast=True)
        if isinstance(call.func, str) and call.func in _CHOICES and len(call.args) > 1:
            return _applied(_CHOICES[call.func], [self.of(argument, frame, at.line) for argument in call.args], at)
        if name == "timedelta":
            return self._span(call, frame, at)
        if name == "total_seconds" and not call.args:
            owner = call.func.of if isinstance(call.func, Attr) else str(call.func).rpartition(".")[0]
            return _attribute(self.of(owner, frame, at.line), name)
        asked = lookup(call)
        return self._looked_up(asked, frame, at) if asked else self._returned(call, frame, at)

    def _span(self, call: Call, frame: FunctionRef, at: Place) -> Quantity:
        given = [*zip(_SPANS, call.args), *call.keywords]
        found = [self.of(value, frame, at.line) for _, value in given]

        def span(*values: float) -> timedelta:
            return timedelta(**dict(zip((name for name, _ in given), values)))

        return _applied(span, found, at)

    def _returned(self, call: Call, frame: FunctionRef, at: Place) -> Quantity:
        """What a function of the project without arguments returns, if it is always the same."""
        for o in sorted(self._inference.evaluate(call.func, frame), key=repr):
            if isinstance(o, FunctionRef) and not call.args and not call.keywords:
                function = self._inference.function(o)
                if len(function.returned) == 1 and len(self._asked) < _DEEPEST:
                    self._asked.append((o.path, o.qualname, ""))
                    found = self._from(function.returned[0], o, function.line, at)
                    self._asked.pop()
                    return found
        return _unknown(at, f"{call.func}(…) cannot be read" if isinstance(call.func, str) else "it cannot be read")

    # The environment

    def _is_environment(self, value: Value, frame: FunctionRef) -> bool:
        return isinstance(value, str) and (External("os.environ") in self._inference.evaluate(value, frame) or last_name(value) == "environ")

    def _looked_up(self, asked: Lookup, frame: FunctionRef, at: Place) -> Quantity:
        known = self._environment.get(asked.variable)
        if known is not None:
            found = Quantity(known.text, known.at, (at,), asked.variable)
        else:
            default = self.of(asked.default, frame, at.line) if asked.has_default else Quantity(None, at)
            if default.value is None and not default.unknown:
                return Quantity(None, at, (), asked.variable, False, f"{asked.variable} {_UNSET}")
            found = default._replace(variable=asked.variable, is_default=True)
        return _applied(asked.cast, [found], at, is_cast=True) if asked.cast else found


def _last(values: tuple[Value, ...], lines: tuple[int, ...], guarded: frozenset[int]) -> Iterator[tuple[Value, int]]:
    """The bindings among which the last one that is run is."""
    pairs = [(value, line) for value, line in zip(values, lines) if not isinstance(value, Hint)]
    certain = [index for index, (_, line) in enumerate(pairs) if line not in guarded]
    return iter(pairs[certain[-1] if certain else 0 :])


def _attribute(of: Quantity, name: str) -> Quantity:
    if of.unknown:
        return of
    if not isinstance(of.value, timedelta):
        return _unknown(of.at, "it is no span of time")
    value = of.value.total_seconds() if name == "total_seconds" else of.value.seconds if name == "seconds" else of.value.days
    return of._replace(value=int(value) if value == int(value) else value)


def _applied(compute: Callable[..., Scalar], operands: Sequence[Quantity], at: Place, is_cast: bool = False) -> Quantity:
    """What an operation makes of these. A cast of one value leaves it where it stands."""
    failed = next((operand for operand in operands if operand.unknown), None)
    if failed is not None:
        return failed
    decided = next((operand for operand in operands if operand.variable), None)
    try:
        value = compute(*[operand.value for operand in operands])
    except (ArithmeticError, ValueError, TypeError):
        return _unknown(at, "it cannot be computed")
    if isinstance(value, (int, float)) and abs(value) > _LARGEST:
        return _unknown(at, "it is too large")
    if isinstance(value, str) and len(value) > 200:
        return _unknown(at, "it cannot be computed")
    if is_cast:
        return operands[0]._replace(value=value)
    via = tuple(place for operand in operands for place in (*operand.via, operand.at) if place != at)
    return Quantity(value, at, via, decided.variable if decided else "", decided.is_default if decided else False)


def _unknown(at: Place, reason: str) -> Quantity:
    return Quantity(None, at, (), "", False, reason)
