"""Which functions of the project a call runs, in this thread and before it comes back.

`.delay()` and its kin, functions handed to threads, executors and `on_commit` are no calls. A method of a receiver that nobody knows is
resolved by its name only where the project has one or two methods of that name and the name is not a common one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from flake8_deadline import libraries, queues
from flake8_deadline.facts import Access, Call, Value, With, Yield
from flake8_deadline.places import Timed
from flake8_deadline.project.inference import Inference
from flake8_deadline.project.modules import is_test
from flake8_deadline.project.objects import NOTHING, ClassRef, External, FunctionRef, Instance, Objects, Task
from flake8_deadline.project.receivers import receiver

RUNS = "task.run"
"""The name under which the `__call__` of a task's base class is given the task's function."""
_MOST_NAMESAKES = 2
_MOST_OVERRIDES = 12


class Resolution(NamedTuple):
    """What a call means: the functions of the project it runs, and everything it may be a call of."""

    targets: tuple[FunctionRef, ...] = ()
    objects: Objects = NOTHING
    iterates: bool = False
    """Whether it runs its targets once for each of many elements (`map`)."""

    @property
    def known(self) -> bool:
        return bool(self.targets or self.objects)


_UNKNOWN = Resolution()


class Calls:
    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._modules = inference.modules
        self._derived: dict[str, dict[tuple[str, str], None]] | None = None
        self._below: dict[str, set[str]] = {}
        self._by_ancestor: dict[str, dict[ClassRef, list[ClassRef]]] = {}
        self._overriding: dict[tuple[ClassRef, str], list[Instance]] = {}
        self._property_names: frozenset[str] | None = None
        self._namesakes: dict[str, tuple[FunctionRef, ...]] = {}
        self._definitions: dict[str, list[str]] | None = None

    def resolve(self, step: Timed, frame: FunctionRef) -> Resolution:
        if isinstance(step, Call):
            return self._call(step, frame)
        if isinstance(step, Access):
            return self._access(step.value, frame)
        if isinstance(step, With):
            objects: Objects = frozenset().union(*[self._inference.evaluate(item, frame) for item in step.items])
            found = [self._method(o, name, frame) for o in objects if isinstance(o, Instance) for name in ("__enter__", "__exit__")]
            return Resolution(_sorted(target for targets in found for target in targets), NOTHING)
        if isinstance(step, Yield):
            return _UNKNOWN
        return Resolution(objects=self._looped(step.over, frame))

    def _access(self, value: Value, frame: FunctionRef) -> Resolution:
        """The property that reading an attribute runs."""
        owner, name = receiver(value)
        if name not in self._properties():
            return _UNKNOWN
        found = [
            self._inference.classes.getter(instance, name)
            for o in self._inference.evaluate(owner, frame)
            if isinstance(o, Instance)
            for instance in (self._stand_ins(o, name) if self._may_be_property_below(o.cls, name) else [o])
        ]
        return Resolution(_sorted(getter for getter in found if getter is not None))

    def _may_be_property_below(self, ref: ClassRef, name: str) -> bool:
        """Whether a file that may hold a subclass has a property of this name, as far as the bytes tell: then it is worth reading."""
        return any(name in self._modules.files.outline(path).properties for path in self._files_below(ref))

    def _files_below(self, ref: ClassRef) -> set[str]:
        """The files with classes that have this class's word among their bases, or that of such a class, and so on."""
        word = ref.qualname.rpartition(".")[2]
        known = self._below.get(word)
        if known is None:
            words, waiting = {word}, [word]
            known = self._below[word] = set()
            while waiting:
                for path, name in self._classes_with(waiting.pop()):
                    known.add(path)
                    if name not in words:
                        words.add(name)
                        waiting.append(name)
        return known

    def _properties(self) -> frozenset[str]:
        if self._property_names is None:
            files = self._modules.files
            self._property_names = frozenset().union(*[files.outline(path).properties for path in files.names])
        return self._property_names

    def _looped(self, over: Value, frame: FunctionRef) -> Objects:
        """What is looped over, through `enumerate` and its kin."""
        objects = self._inference.evaluate(over, frame)
        if isinstance(over, Call) and over.args and any(isinstance(o, External) and o.name in libraries.NUMBERING for o in objects):
            return frozenset().union(*[self._looped(argument, frame) for argument in over.args])
        return objects

    def _call(self, call: Call, frame: FunctionRef) -> Resolution:
        objects = self._inference.evaluate(call.func, frame)
        targets: set[FunctionRef] = set()
        for o in objects:
            match o:
                case FunctionRef():
                    targets |= self._overridden(o, frame)
                case Task() if queues.named(o.maker.queue).called_in_place:
                    targets.add(o.runs)
                case ClassRef():
                    targets.update(self._method(Instance(o, True), "__init__", frame))
                case Instance():
                    targets.update(self._method(o, "__call__", frame))
        targets |= self._run_of_task(call, frame)
        iterated = self._iterated(call, objects, frame)
        if not objects:
            targets |= set(self._by_name(call.func))
        given = {self._inference.arguments.given(target, call, frame) for target in targets}
        return Resolution(_sorted(given | iterated), objects, bool(iterated))

    def _run_of_task(self, call: Call, frame: FunctionRef) -> set[FunctionRef]:
        """What `self.run()` and `super().__call__()` run in the `__call__` of a task's base class."""
        runs = dict(frame.given).get(RUNS)
        return {runs} if isinstance(runs, FunctionRef) and receiver(call.func)[1] in ("run", "__call__") else set()

    def _iterated(self, call: Call, objects: Objects, frame: FunctionRef) -> set[FunctionRef]:
        if not any(isinstance(o, External) and o.name in libraries.ITERATING for o in objects):
            return set()
        passed: list[Value] = [*call.args[:1], *(value for name, value in call.keywords if name == "key")]
        found = {o for value in passed for o in self._inference.evaluate(value, frame)}
        return {o.runs if isinstance(o, Task) else o for o in found if isinstance(o, (FunctionRef, Task))}

    def _method(self, of: Instance, name: str, frame: FunctionRef) -> tuple[FunctionRef, ...]:
        found = self._inference.attributes(frozenset({of}), name, frame)
        return tuple(o for o in found if isinstance(o, FunctionRef))

    # Subclasses

    def _overridden(self, target: FunctionRef, frame: FunctionRef) -> set[FunctionRef]:
        """The method, and what subclasses put in its place where the receiver may be one of them."""
        name = target.qualname.rpartition(".")[2]
        if not isinstance(target.receiver, Instance) or name == "__init__":
            return {target}
        return {target, *(method for instance in self._stand_ins(target.receiver, name)[1:] for method in self._method(instance, name, frame))}

    def _stand_ins(self, receiver: Instance, name: str) -> list[Instance]:
        """The receiver, and the instances of subclasses that have an attribute of this name of their own, if it may be one of them."""
        if receiver.exact:
            return [receiver]
        key = (receiver.cls, name)
        overriding = self._overriding.get(key)
        if overriding is None:
            below = self.subclasses(receiver.cls) if self._may_stand_below(receiver.cls, name) else []
            overriding = [Instance(cls) for cls in below if name in self._inference.cls(cls).bindings]
            self._overriding[key] = overriding = overriding if len(overriding) < _MOST_OVERRIDES else []
        return [receiver, *overriding]

    def _may_stand_below(self, ref: ClassRef, name: str) -> bool:
        """Whether a file that may hold a subclass has this word at all; not worth asking where all these files are read."""
        below = self._files_below(ref)
        return below <= self._modules.read.keys() or any(self._modules.files.mentions([name], below))

    def subclasses(self, ref: ClassRef) -> list[ClassRef]:
        """Every class of the project below this one."""
        found: dict[ClassRef, None] = {}
        waiting = [ref]
        while waiting:
            for candidate in self._heirs(waiting.pop().qualname.rpartition(".")[2]).get(ref, ()):
                if candidate != ref and candidate not in found:
                    found[candidate] = None
                    waiting.append(candidate)
        return list(found)

    def _heirs(self, word: str) -> dict[ClassRef, list[ClassRef]]:
        """The classes that have this word among their bases, by each of their ancestors."""
        known = self._by_ancestor.get(word)
        if known is None:
            known = self._by_ancestor[word] = {}
            for path, name in self._classes_with(word):
                for cls in self._modules.source(path).classes_named(name):
                    heir = ClassRef(path, cls.qualname)
                    for ancestor in self._inference.classes.ancestors(heir):
                        if isinstance(ancestor, ClassRef):
                            known.setdefault(ancestor, []).append(heir)
        return known

    def _classes_with(self, word: str) -> Iterable[tuple[str, str]]:
        """Path and name of the classes that have a word among their bases."""
        if self._derived is None:
            self._derived = {}
            for path in self._modules.files.names:
                for name, words in self._modules.files.outline(path).classes:
                    for base in words:
                        self._derived.setdefault(base, {})[path, name] = None
        return self._derived.get(word, ())

    # Receivers nobody knows

    def _by_name(self, function: Value) -> tuple[FunctionRef, ...]:
        _, name = receiver(function)
        if not name or name in libraries.COMMON_METHODS or name in libraries.CHEAP_METHODS or name in libraries.LAZY_QUERIES:
            return ()
        known = self._namesakes.get(name)
        if known is None:
            known = self._namesakes[name] = self._find_namesakes(name)
        return known

    def _find_namesakes(self, name: str) -> tuple[FunctionRef, ...]:
        if self._definitions is None:
            self._definitions = {}
            for path in self._modules.files.names:
                for definition in self._modules.files.outline(path).definitions:
                    self._definitions.setdefault(definition, []).append(path)
        paths = [path for path in self._definitions.get(name, ()) if not is_test(path)]
        if len(paths) > _MOST_NAMESAKES:
            return ()
        found = []
        for path in paths:
            source = self._modules.source(path)
            for methods in source.methods.values():
                found += [
                    FunctionRef(path, m.qualname, Instance(ClassRef(path, m.owner or ""))) for m in methods if m.qualname.rpartition(".")[2] == name
                ]
        return tuple(found) if len(found) <= _MOST_NAMESAKES else ()


def _sorted(targets: Iterable[FunctionRef]) -> tuple[FunctionRef, ...]:
    return tuple(sorted(set(targets), key=repr))
