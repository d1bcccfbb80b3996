"""All files linked: names, tasks, calls, reach, deadlines. Pure and in memory; answers questions, holds no findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TypeVar

from flake8_deadline import libraries
from flake8_deadline.facts import Function
from flake8_deadline.options import Options
from flake8_deadline.project.calls import RUNS, Calls
from flake8_deadline.project.deadlines import Deadlines
from flake8_deadline.project.hazards import Hazard
from flake8_deadline.project.inference import Inference
from flake8_deadline.project.modules import Files, Modules, is_test
from flake8_deadline.project.objects import ClassRef, External, FunctionRef, Instance, Object
from flake8_deadline.project.reach import Reach
from flake8_deadline.project.tasks import Declared, Tasks
from flake8_deadline.project.time import Time

__all__ = ["Declared", "Files", "Hazard", "Project"]

Answer = TypeVar("Answer")


class Project:
    """The linked project. Every question is answered once and kept."""

    def __init__(self, files: Files, options: Options) -> None:
        self.files = files
        self.options = options
        self.modules = Modules(files)
        self.inference = Inference(self.modules, options.task_decorators)
        self.calls = Calls(self.inference)
        self._answers: dict[object, object] = {}

    @cached_property
    def tasks(self) -> tuple[Declared, ...]:
        """The project's tasks. Those of tests are made to be run by tests; they count where there are no others."""
        found = Tasks(self.inference, self.options.task_decorators).all()
        return tuple(declared for declared in found if not is_test(declared.path)) or found

    @cached_property
    def known(self) -> bool:
        """Whether it is known what a task reaches: the project defines a task, and nobody asked to treat all code alike."""
        return bool(self.tasks) and self.options.scope == "tasks"

    @cached_property
    def reach(self) -> Reach:
        """What the tasks reach; in a project without a task, everything that bears a handler and a loop."""
        if self.known:
            return Reach(self.inference, self.calls, self.task_of)
        return Reach(self.inference, self.calls, self._functions(everything=self.options.scope == "everywhere"))

    @cached_property
    def deadlines(self) -> Deadlines:
        return self._deadlines(self.reach, {frame: declared.task.maker.queue for frame, declared in self.task_of.items()} if self.known else {})

    @cached_property
    def unreached(self) -> Deadlines:
        """The deadlines of the code that no task reaches."""
        reached = {frame[:2] for frame in self.reach.resolved}
        rest = [frame for frame in self._functions(everything=False) if frame[:2] not in reached]
        return self._deadlines(Reach(self.inference, self.calls, rest), {})

    @cached_property
    def task_of(self) -> dict[FunctionRef, Declared]:
        """The task that starts with each function: its own, and the `__call__` of its base class."""
        own = {declared.task.runs: declared for declared in self.tasks}
        return own | {call: declared for declared in self.tasks for call in self._called_for(declared)}

    def _called_for(self, declared: Declared) -> list[FunctionRef]:
        base = declared.task.maker.base
        found = self.inference.classes.attribute(Instance(base, True), "__call__") if base else ()
        given = ((RUNS, declared.task.runs),)
        return [method._replace(given=given) for method in sorted(found, key=repr) if isinstance(method, FunctionRef)]

    def once(self, answer: Callable[[Project], Answer]) -> Answer:
        """What a function says of this project, computed once."""
        if answer not in self._answers:
            self._answers[answer] = answer(self)
        return self._answers[answer]  # type: ignore[return-value]

    def _deadlines(self, reach: Reach, queues_of: Mapping[FunctionRef, str]) -> Deadlines:
        time = Time(self.inference, frozenset(self.options.cheap_calls))
        return Deadlines(self.inference, reach, time, frozenset(self.options.signals), dict(self.options.versions), queues_of)

    def _functions(self, everything: bool) -> Iterable[FunctionRef]:
        for path in sorted(self.files.names):
            if is_test(path) and self.known:
                continue
            marks = self.files.outline(path).marks
            if everything or {"handler", "loop"} <= marks or {"rows", "loop"} <= marks:
                for function in self.modules.source(path).functions.values():
                    if everything or self.known or not self._is_entry(path, function):
                        yield FunctionRef(path, function.qualname)

    def _is_entry(self, path: str, function: Function) -> bool:
        """Whether something that is known not to be a task calls this function: a command line, a view, a test."""
        outside = FunctionRef(path, function.parent or "")
        found: set[Object] = {o for d in function.decorators for o in self.inference.evaluate(d.value, outside)}
        if function.owner is not None:
            bases = self.inference.classes.ancestors(ClassRef(path, function.owner))
            if any(isinstance(base, External) and base.name.rpartition(".")[2] in libraries.ENTRY_BASES for base in bases):
                return True
        return any(isinstance(o, External) and o.name.removesuffix("()") in libraries.ENTRY_DECORATORS for o in found)

    def describe(self, frame: FunctionRef) -> str:
        """A function's name as a chain shows it."""
        return f"{self.modules.dotted(frame.path)}.{frame.qualname.replace('.<locals>', '')}" if frame.qualname else self.modules.dotted(frame.path)
