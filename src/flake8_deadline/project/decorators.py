"""Decorators: what the name of a decorated function means, and which decorators make a task.

A project's own decorator is called, so to speak: what it returns for the function takes the function's place. One from elsewhere is taken to
leave the function as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from flake8_deadline import queues
from flake8_deadline.facts import Function
from flake8_deadline.project.objects import ClassRef, External, FunctionRef, Instance, Maker, Object, Objects, Task

if TYPE_CHECKING:
    from flake8_deadline.project.inference import Inference


class Decorators:
    """`extra_makers` are dotted names of further task decorators."""

    def __init__(self, inference: Inference, extra_makers: Iterable[str]) -> None:
        self._inference = inference
        self._makers = {name: queue.name for queue in queues.QUEUES for name in queue.makers} | dict.fromkeys(extra_makers, queues.CELERY.name)

    def is_static(self, function: Function, frame: FunctionRef) -> bool:
        """Whether a method has no receiver."""
        return self.decorated_by(function, frame, {"builtins.staticmethod"})

    def decorated_by(self, function: Function, frame: FunctionRef, names: Iterable[str]) -> bool:
        """Whether one of a function's decorators is one of these, by dotted name."""
        wanted = {External(name) for name in names}
        outside = FunctionRef(frame.path, function.parent or "")
        return any(wanted & self._inference.evaluate(decorator.value, outside) for decorator in function.decorators)

    def bound_task(self, function: Function, frame: FunctionRef) -> Object | None:
        """What the first parameter of a task with `bind=True` is: the task, of its base class if it has one."""
        outside = FunctionRef(frame.path, function.parent or "")
        for decorator in function.decorators:
            for made in self._inference.evaluate(decorator.value, outside):
                if isinstance(made, Maker) and ("bind", True) in made.options:
                    return Instance(made.base, True) if made.base else External("celery.Task()")
        return None

    def defined(self, function: Function, frame: FunctionRef) -> FunctionRef | Task:
        """What the name of a function means once its decorators have had their say."""
        written = FunctionRef(frame.path, function.qualname, frame.receiver if function.owner is None else None, frame.given)
        found: FunctionRef | Task = written
        outside = frame._replace(qualname=function.parent or "")
        for decorator in reversed(function.decorators):
            if isinstance(found, FunctionRef):
                found = self._decorate(found, self._inference.evaluate(decorator.value, outside), written)
        return found

    def _decorate(self, found: FunctionRef, by: Objects, written: FunctionRef) -> FunctionRef | Task:
        for decorator in sorted(by, key=repr):
            maker = self.maker(decorator)
            if maker:
                return Task(found, written, maker)
            called = self._inference.classes.attribute(decorator, "__call__") if isinstance(decorator, Instance) else frozenset({decorator})
            for function in [o for o in called if isinstance(o, FunctionRef)]:
                made = self._made(function, found, written)
                if made is not None:
                    return made
        return found

    def _made(self, decorator: FunctionRef, found: FunctionRef, written: FunctionRef) -> FunctionRef | Task | None:
        """What the project's own decorator gives back for a function. A decorator that returns itself, to be called again, says nothing."""
        made = sorted(self._inference.results.result(self._inference.arguments.bind(decorator, [found])), key=repr)
        for o in made:
            if isinstance(o, Task):
                return o._replace(written=written)
            if isinstance(o, Maker):
                return Task(found, written, o)
        functions = [o for o in made if isinstance(o, FunctionRef) and o[:2] != decorator[:2]]
        return functions[0] if len(functions) == 1 else None

    def maker(self, o: Object) -> Maker | None:
        """The task decorator that something is, if it is one: also a class derived from one of a queue's, and an instance of it."""
        if isinstance(o, Maker):
            return o
        names = [o.name] if isinstance(o, External) else self._derived(o)
        queue = next((queue for name in names if (queue := self.queue(name))), None)
        return Maker(queue=queue) if queue else None

    def _derived(self, o: Object) -> list[str]:
        """The names outside of the project that a class is derived from."""
        cls = o.cls if isinstance(o, Instance) else o
        ancestors = self._inference.classes.ancestors(cls) if isinstance(cls, ClassRef) else ()
        return [ancestor.name for ancestor in ancestors if isinstance(ancestor, External)]

    def queue(self, name: str) -> str | None:
        """The queue whose tasks a dotted name makes as a decorator. An application that cannot be followed is known by its own name."""
        known = self._makers.get(name)
        if known is not None:
            return known
        owner, _, last = name.rpartition(".")
        return queues.CELERY.name if last == "task" and owner.rpartition(".")[2].removesuffix("_app") in queues.APP_WORDS else None
