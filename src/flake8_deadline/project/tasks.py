"""Which functions are tasks, and where each is declared.

Starts from the files whose bytes can hold a task, follows the project's own decorators and base classes to the files that use them, and
reads no other. A task is what resolves to a queue's decorator or base class, or is put into a queue; spelling alone makes none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from flake8_deadline import queues
from flake8_deadline.facts import Call, Class, Constant, Function, Value
from flake8_deadline.project.enqueues import Enqueues
from flake8_deadline.project.inference import Inference
from flake8_deadline.project.modules import Source, is_test
from flake8_deadline.project.objects import ClassRef, External, FunctionRef, Instance, Maker, Objects, Task
from flake8_deadline.project.time import last_name

_MARKS = frozenset({"task", "queue"})


class Declared(NamedTuple):
    """A task and the place that declares it: the first line of its decorator, the call that makes it, its class, or (enqueued) its own."""

    name: str
    path: str
    line: int
    column: int
    task: Task


class Tasks:
    """Finds the tasks of the project, sorted by place. `words` are further words that a file with a task may hold."""

    def __init__(self, inference: Inference, words: tuple[str, ...] = ()) -> None:
        self._inference = inference
        self._modules = inference.modules
        self._enqueues = Enqueues(inference)
        self._bases = {name: queue for queue in queues.QUEUES for name in queue.bases}
        self._looked: set[str] = set()
        self._found: dict[FunctionRef, Declared] = {}
        self._words = words
        self._registered: set[ClassRef] = set()
        """Classes that an application is told of: `app.register_task(Sift())`."""

    def all(self) -> tuple[Declared, ...]:
        """Those of tests are made to be run by tests: they count, and are looked for, only where there are no others."""
        files = self._modules.files
        marked = [path for path in files.names if not _MARKS.isdisjoint(files.outline(path).marks)]
        marked += files.mentions([word.rpartition(".")[2] for word in self._words])
        self._follow(marked, lambda path: not is_test(path))
        if all(is_test(declared.path) for declared in self._found.values()):
            self._follow(marked, lambda path: True)
        found = sorted(self._found.values(), key=lambda declared: declared[:4])
        return tuple(declared for declared in found if not is_test(declared.path)) or tuple(found)

    def _follow(self, waiting: list[str], counts: Callable[[str], bool]) -> None:
        """Look at these files, and at those that use what they make tasks with, as far as they count."""
        names: set[str] = set()
        while waiting:
            for path in sorted(path for path in set(waiting) - self._looked if counts(path)):
                self._looked.add(path)
                self._look(self._modules.source(path))
            fresh = self._own_makers() - names
            names |= fresh
            waiting = [path for path in self._modules.files.mentions(sorted(fresh)) if path not in self._looked]

    # What uses of its own the project makes of the queue

    def _own_makers(self) -> set[str]:
        """Names of the project's own decorators, factories and base classes of tasks in the files looked at."""
        names: set[str] = set()
        for path in self._looked:
            source = self._modules.source(path)
            for function in source.functions.values():
                name = function.qualname.removesuffix(".__call__") if function.owner else function.qualname
                if name and "." not in name and self._is_factory(function, path):
                    names.add(name)
            names |= {cls.qualname for cls in source.classes.values() if self._base(ClassRef(path, cls.qualname))}
            names.update(self._bound_makers(source))
        return names

    def _bound_makers(self, source: Source) -> Iterator[str]:
        """The names of a file that hold a decorator of tasks made on the spot: `job = partial(rq.decorators.job, connection=redis)`."""
        frame = FunctionRef(source.path, "")
        for name, values in source.body.bindings.items() if source.body else ():
            made = {o for value in values if isinstance(value, Call) for o in self._inference.evaluate(value, frame)}
            if any(self._is_maker(o) for o in made if not isinstance(o, Task)):
                yield name

    def _is_of_a_queue(self, path: str) -> bool:
        """Whether a file speaks of another queue than Celery."""
        return "queue" in self._modules.files.outline(path).marks

    def _is_factory(self, function: Function, path: str) -> bool:
        frame = FunctionRef(path, function.qualname)
        inner = [f for f in self._modules.source(path).functions.values() if f.parent == function.qualname]
        values = [*function.returned, *(value for f in inner for value in f.returned)]
        for value in values:
            if isinstance(value, Call):
                for callee in (value, value.func):
                    if any(self._is_maker(o) for o in self._inference.evaluate(callee, frame)):
                        return True
        return any(self._is_maker(o) for f in inner for d in f.decorators for o in self._inference.evaluate(d.value, frame))

    def _is_maker(self, o: object) -> bool:
        return isinstance(o, (Maker, Task)) or (isinstance(o, External) and self._inference.decorators.queue(o.name) is not None)

    def _base(self, ref: ClassRef) -> queues.Queue | None:
        """The queue whose class of tasks a class derives from."""
        names = (ancestor.name for ancestor in self._inference.classes.ancestors(ref) if isinstance(ancestor, External))
        return next((self._bases[name] for name in names if name in self._bases), None)

    # One file

    def _look(self, source: Source) -> None:
        for function in source.functions.values():
            if function.decorators:
                self._decorated(function, source)
        for frame, call in self._calls(source):
            self._made(self._inference.evaluate(call, frame), call, frame.path)
            if last_name(call.func) in queues.REGISTERING:
                given = self._inference.evaluate(call.args[0], frame)
                self._registered |= {o.cls if isinstance(o, Instance) else o for o in given if isinstance(o, (Instance, ClassRef))}
        for cls in source.classes.values():
            self._class(cls, source)
        if self._is_of_a_queue(source.path):
            for task in self._enqueues.tasks(source):
                function = self._inference.function(task.written)
                self._add(task, task.written.path, function.line, function.column)

    def _decorated(self, function: Function, source: Source) -> None:
        outside = FunctionRef(source.path, function.parent or "")
        found = self._inference.decorators.defined(function, outside)
        if isinstance(found, Task):
            makes = (d for d in function.decorators if any(self._makes(o) for o in self._inference.evaluate(d.value, outside)))
            decorator = next(makes, function.decorators[0])
            self._add(self._informed(found, decorator.value, outside), source.path, decorator.line, decorator.column)

    def _makes(self, o: object) -> bool:
        if isinstance(o, Instance):
            return any(self._makes(method) for method in self._inference.attributes(frozenset({o}), "__call__", FunctionRef(o.cls.path, "")))
        if isinstance(o, FunctionRef):
            return any(self._is_maker(made) for made in self._inference.results.result(o)) or self._is_factory(self._inference.function(o), o.path)
        return self._is_maker(o)

    def _informed(self, task: Task, decorator: Value, outside: FunctionRef) -> Task:
        """The options that a project's own decorator hands on are those it was called with."""
        if not task.maker.open or not isinstance(decorator, Call):
            return task
        return task._replace(maker=self._inference.makers.options(decorator, outside, task.maker._replace(open=False)))

    def _calls(self, source: Source) -> Iterator[tuple[FunctionRef, Call]]:
        """Calls at the top of a file whose first argument may be a function: `app.task(fn)`."""
        for site in source.sites("") if source.body else ():
            if isinstance(site.step, Call) and site.step.args and not isinstance(site.step.args[0], Constant):
                yield FunctionRef(source.path, ""), site.step

    def _made(self, made: Objects, call: Call, path: str) -> None:
        for task in made:
            if isinstance(task, Task):
                self._add(task, path, call.line, call.column + 1)

    def _add(self, task: Task, path: str, line: int, column: int) -> None:
        key = task.written._replace(given=(), receiver=None)
        if key not in self._found or (path, line) < self._found[key][1:3]:
            name = task.written.qualname.replace(".<locals>", "")
            self._found[key] = Declared(f"{self._modules.dotted(task.written.path)}.{name}", path, line, column, task)

    def _class(self, cls: Class, source: Source) -> None:
        ref = ClassRef(source.path, cls.qualname)
        queue = None if self._is_abstract(ref) else self._base(ref)
        runs = self._run(ref, queue.method) if queue else None
        if queue and runs is not None:
            task = Task(runs, runs, Maker((), False, ref, queue.name))
            name = f"{self._modules.dotted(source.path)}.{cls.qualname}"
            self._found.setdefault(runs, Declared(name, source.path, cls.line, cls.column, task))

    def _run(self, ref: ClassRef, method: str) -> FunctionRef | None:
        """The method of a task class that runs: its own, or that of an abstract base whose other methods it fills in; that of any base, if
        the class is registered.
        """
        for ancestor in self._inference.classes.ancestors(ref):
            if isinstance(ancestor, ClassRef) and method in self._inference.cls(ancestor).bindings:
                run = FunctionRef(ancestor.path, f"{ancestor.qualname}.{method}", Instance(ref, True))
                fits = ancestor == ref or ref in self._registered or self._is_abstract(ancestor)
                return run if fits and run.qualname in self._modules.source(ancestor.path).functions else None
        return None

    def _is_abstract(self, ref: ClassRef) -> bool:
        """Whether a class says that it is no task itself, in its body or in its `Meta`."""
        classes = self._modules.source(ref.path).classes
        said = [classes[name] for name in (ref.qualname, f"{ref.qualname}.Meta") if name in classes]
        return any(Constant(True) in cls.bindings.get("abstract", ()) for cls in said)
