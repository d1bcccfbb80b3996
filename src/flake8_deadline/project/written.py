"""What stands behind a name as it is written: the call that gave it its value, and the frame in which that call stands."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_deadline.facts import Call, Each, Entered, Imported, Value
from flake8_deadline.project.inference import Inference
from flake8_deadline.project.objects import FunctionRef, Module

Written = tuple[Call, FunctionRef]

_DEEPEST = 6


def calls_behind(value: Value, frame: FunctionRef, inference: Inference, depth: int = 0) -> Iterator[Written]:
    """The calls that a value can come from: itself, what a name is given in its scope, in those around it or where it is imported from, and
    what a function of the project returns.
    """
    if depth > _DEEPEST:
        return
    match value:
        case Call():
            yield value, frame
            for o in sorted(inference.evaluate(value.func, frame), key=repr):
                if isinstance(o, FunctionRef) and not inference.decorators.decorated_by(inference.function(o), o, MANAGERS):
                    bound = inference.arguments.given(o, value, frame)
                    for returned in inference.function(o).returned:
                        yield from calls_behind(returned, bound, inference, depth + 1)
        case Each() | Entered():
            yield from calls_behind(value.of, frame, inference, depth + 1)
        case Imported(name=str() as name):
            module = inference.modules.imported(frame.path, value)
            if isinstance(module, Module) and module.path and module.path != frame.path:
                yield from calls_behind(name, FunctionRef(module.path, ""), inference, depth + 1)
        case str():
            for bound_value, scope in _bound(value, frame, inference):
                yield from calls_behind(bound_value, scope, inference, depth + 1)


MANAGERS = frozenset({"contextlib.contextmanager", "contextlib.asynccontextmanager"})
"""Decorators that make a context manager of a generator."""


def _bound(name: str, frame: FunctionRef, inference: Inference) -> list[tuple[Value, FunctionRef]]:
    """What a name is given in the nearest scope that gives it anything."""
    source = inference.modules.source(frame.path)
    functions = source.functions
    if name.startswith("self.") and frame.qualname in functions and (owner := functions[frame.qualname].owner) is not None:
        methods = [(method, frame._replace(qualname=method.qualname)) for method in source.methods[owner]]
        return [(value, inside) for method, inside in methods for value in method.bindings.get(name, ()) if value != name]
    scope: str | None = frame.qualname
    while scope is not None and scope in functions:
        values = functions[scope].bindings.get(name)
        if values:
            around = frame if scope == frame.qualname else frame._replace(qualname=scope)
            return [(value, around) for value in values if value != name]
        scope = functions[scope].parent
    return []
