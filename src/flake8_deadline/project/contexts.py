"""What the contexts of a `with` make of an exception: `suppress`, generators and classes of the project, exit stacks, retry attempts.

A context nobody knows lets it out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flake8_deadline.facts import Call, Constant, Sequence, Step, Value, With
from flake8_deadline.flights import HARD, Flight, Passage, Swallow
from flake8_deadline.places import returns
from flake8_deadline.project.catching import externals
from flake8_deadline.project.objects import FunctionRef, Instance, Objects
from flake8_deadline.project.receivers import receiver
from flake8_deadline.project.written import MANAGERS, calls_behind

if TYPE_CHECKING:
    from flake8_deadline.project.deadlines import Deadlines

_SUPPRESS = "contextlib.suppress"
_STACKS = frozenset({"contextlib.ExitStack()", "contextlib.AsyncExitStack()"})
_ENTERING = frozenset({"enter_context", "enter_async_context"})
_PUSHING = frozenset({"push", "push_async_exit"})


class Contexts:
    """The contexts of one function, `frame`."""

    def __init__(self, deadlines: Deadlines, frame: FunctionRef) -> None:
        self._deadlines = deadlines
        self._inference = deadlines.inference
        self._frame = frame

    def passages(self, step: With, flight: Flight) -> frozenset[Passage]:
        """What comes of an exception that leaves the body of a `with`: the last context has the first say."""
        passages = frozenset({Passage(flight)})
        for item in reversed(step.items):
            passages = frozenset(after for passage in passages for after in self._onwards(item, step, passage))
        return passages

    def _onwards(self, item: Value, step: With, passage: Passage) -> Iterator[Passage]:
        if passage.flight is None:
            yield passage
            return
        for after in self._item(item, step, passage.flight):
            yield after._replace(swallow=passage.swallow or after.swallow)

    def _item(self, item: Value, step: With, flight: Flight) -> frozenset[Passage]:
        objects = self._inference.evaluate(item, self._frame)
        if externals(objects) & _STACKS:
            return self._stack(step, flight)
        exits = [exit_ for o in sorted(objects, key=repr) if isinstance(o, Instance) for exit_ in self._exits(o)]
        if exits:
            return frozenset(self._through_exit(exit_, step, flight) for exit_ in exits)
        retry = self._deadlines.retries.policy(item, self._frame, step.line)
        if retry and retry.call and self._deadlines.retries.takes(retry, flight):
            around = self._deadlines.retries.at(retry, retry.call)
            return frozenset({Passage(None, self._deadlines.retries.swallow(around, flight))})
        for call, frame in calls_behind(item, self._frame, self._inference):
            found = self._called(call, frame, step, flight)
            if found is not None:
                return found
        return frozenset({Passage(flight)})

    def _called(self, call: Call, frame: FunctionRef, step: With, flight: Flight) -> frozenset[Passage] | None:
        """What a call that makes a context makes of it; None where it makes none that is known."""
        objects = self._inference.evaluate(call.func, frame)
        if _SUPPRESS in externals(objects):
            return self._suppressed(call, frame, step, flight)
        passages: set[Passage] = set()
        for o in objects:
            if isinstance(o, FunctionRef) and self._inference.decorators.decorated_by(self._inference.function(o), o, MANAGERS):
                generator = self._deadlines.reach.framed(self._inference.arguments.given(o, call, frame))
                passages |= {_entered(passage, step) for passage in self._deadlines.passages(generator, flight)}
        return frozenset(passages) or None

    def _suppressed(self, call: Call, frame: FunctionRef, step: With, flight: Flight) -> frozenset[Passage]:
        classes = Sequence(call.args)
        taken = self._deadlines.catching.takes(classes, flight, frame)
        if taken is None:
            return frozenset({Passage(flight)})
        hard = self._deadlines.catching.takes(classes, HARD, frame) is not None
        explicit = taken == "explicit"
        swallow = Swallow(step.line, step.column, "context", classes, explicit=explicit, takes=flight.kind, hard=hard, what="suppress")
        return frozenset({Passage(None, swallow)})

    # Classes

    def _exits(self, of: Instance) -> list[FunctionRef]:
        found = [o for name in ("__exit__", "__aexit__") for o in self._inference.attributes(frozenset({of}), name, self._frame)]
        return [o for o in found if isinstance(o, FunctionRef)]

    def _through_exit(self, exit_: FunctionRef, step: With, flight: Flight) -> Passage:
        """A `return` of something true in `__exit__` says that all is well."""
        exit_ = self._deadlines.reach.framed(exit_)
        for leave in sorted(self._deadlines.leaves(exit_, flight), key=lambda leave: leave.line):
            if leave.kind == "return" and self._is_true(leave.returned, leave.line, exit_):
                name = exit_.qualname.rpartition(".")[0]
                swallow = Swallow(leave.line, leave.column, "context", takes=flight.kind, hard=True, what=f"{name}.__exit__", at=exit_)
                return _entered(Passage(None, swallow), step)
        return Passage(flight)

    def _is_true(self, constant: Constant | None, line: int, exit_: FunctionRef) -> bool:
        if constant is not None:
            return bool(constant.value)
        values = [step.value for step in returns(self._inference.function(exit_).steps) if step.line == line]
        objects: Objects = self._inference.union(values, exit_)
        return bool(objects) and all(isinstance(o, Instance) and self._is_always_true(o) for o in objects)

    def _is_always_true(self, of: Instance) -> bool:
        return not any(self._inference.attributes(frozenset({of}), name, self._frame) for name in ("__bool__", "__len__"))

    # Exit stacks

    def _stack(self, step: With, flight: Flight) -> frozenset[Passage]:
        """What was entered or pushed last has the first say."""
        for entered, argument in reversed(list(self._entered_on_stack(step.body))):
            passages = self._item(argument, step, flight) if entered else self._pushed(argument, step, flight)
            if passages != {Passage(flight)}:
                return passages
        return frozenset({Passage(flight)})

    def _entered_on_stack(self, steps: tuple[Step, ...]) -> Iterator[tuple[bool, Value]]:
        for step in steps:
            if isinstance(step, Call) and step.args:
                owner, name = receiver(step.func)
                if name in _ENTERING | _PUSHING and externals(self._inference.evaluate(owner, self._frame)) & _STACKS:
                    yield name in _ENTERING, step.args[0]

    def _pushed(self, argument: Value, step: With, flight: Flight) -> frozenset[Passage]:
        functions = [o for o in self._inference.evaluate(argument, self._frame) if isinstance(o, FunctionRef)]
        returned = [value for function in functions for value in self._inference.function(function).returned]
        if returned and all(isinstance(value, Constant) and value.value for value in returned):
            swallow = Swallow(step.line, step.column, "context", takes=flight.kind, hard=True, what="a callback of ExitStack")
            return frozenset({Passage(None, swallow)})
        return frozenset({Passage(flight)})


def _entered(passage: Passage, step: With) -> Passage:
    """The passage, with the line of the `with` that led into the context's own code."""
    return passage._replace(swallow=passage.swallow._replace(entered=step.line)) if passage.swallow else passage
