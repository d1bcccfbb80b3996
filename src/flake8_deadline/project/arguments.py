"""Arguments: what a call passes to a function of the project, and the functions among it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from flake8_deadline.facts import Call, Constant
from flake8_deadline.project.objects import ClassRef, External, FunctionRef, Many, Object, Objects, Rows, Task

if TYPE_CHECKING:
    from flake8_deadline.project.inference import Inference

_DEEPEST_GIVEN = 3


class Arguments:
    def __init__(self, inference: Inference) -> None:
        self._inference = inference

    def bind(self, function: FunctionRef, arguments: Iterable[Object]) -> FunctionRef:
        """The function with its first parameters given."""
        return give(function, zip(self.positional(function), arguments))

    def positional(self, function: FunctionRef) -> list[str]:
        """The names of the parameters that a call's positional arguments go to."""
        facts = self._inference.function(function)
        names = [p.name for p in facts.parameters if p.kind == "positional"]
        return names[1:] if facts.owner is not None and function.receiver is not None else names

    def given(self, function: FunctionRef, call: Call, frame: FunctionRef) -> FunctionRef:
        """The function with the functions and classes that a call passes to it."""
        caught = self._inference.modules.source(function.path).caught
        passed = ((name, objects) for name, objects in self.passed(function, call, frame) if len(objects) == 1 or name in caught)
        return give(function, ((name, _one(objects)) for name, objects in passed if objects), caught)

    def passed(self, function: FunctionRef, call: Call, frame: FunctionRef) -> Iterator[tuple[str, Objects]]:
        """Parameter names of a function with what a call passes for them."""
        facts = self._inference.function(function)
        accepted = {p.name for p in facts.parameters}
        for name, value in [*zip(self.positional(function), call.args), *((n, v) for n, v in call.keywords if n in accepted)]:
            if value is not None and not isinstance(value, Constant):
                yield name, self._inference.evaluate(value, frame)
        rest = next((p.name for p in facts.parameters if p.kind == "*"), None)
        if rest:
            taken = len(self.positional(function))
            yield rest, frozenset({Many(self._inference.union(call.args[taken:], frame))})


def _one(objects: Objects) -> Object:
    return next(iter(objects)) if len(objects) == 1 else Many(objects)


def give(function: FunctionRef, pairs: Iterable[tuple[str, Object]], caught: frozenset[str] = frozenset()) -> FunctionRef:
    """The function with further names given: functions and classes, and the exceptions that its clauses catch (`caught`) by a parameter's name;
    what is nested too deeply is forgotten.
    """
    given = dict(function.given)
    given |= {
        name: o for name, o in pairs if isinstance(o, (FunctionRef, ClassRef, Task, Rows)) or (name in caught and isinstance(o, (External, Many)))
    }
    made = function._replace(given=tuple(sorted(given.items(), key=lambda item: item[0])))
    return made if _nesting(made) <= _DEEPEST_GIVEN else function


def _nesting(o: Object) -> int:
    if isinstance(o, Task):
        return _nesting(o.runs)
    if not isinstance(o, FunctionRef) or not o.given:
        return 0
    return 1 + max(_nesting(inner) for _, inner in o.given)
