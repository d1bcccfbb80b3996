"""Functions that are tasks because they are put into a queue: `queue.enqueue(fn)`, `async_task("shop.jobs.fn")`, a worker's list of functions.

The call is known by what it resolves to. What a test puts into a queue makes no task.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from flake8_deadline import queues
from flake8_deadline.facts import Call, Class, Constant, Imported, Sequence, Value
from flake8_deadline.project.inference import Inference
from flake8_deadline.project.modules import Source, is_test
from flake8_deadline.project.objects import ClassRef, External, FunctionRef, Maker, Many, Object, Objects, RowsMethod, Task
from flake8_deadline.project.time import last_name

_POSITIONS = {name: (queue.name, position) for queue in queues.QUEUES for name, position in queue.enqueues}
_LAST_NAMES = frozenset(name.rpartition(".")[2] for name in _POSITIONS)
_LISTS = {cls: (queue.name, attribute) for queue in queues.QUEUES for cls, attribute in queue.lists}


class Enqueues:
    def __init__(self, inference: Inference) -> None:
        self._inference = inference

    def tasks(self, source: Source) -> Iterator[Task]:
        """The functions that a file puts into a queue."""
        if is_test(source.path):
            return
        called = _LAST_NAMES | _aliases(source)
        for frame, call in self._calls(source):
            if last_name(call.func) in called:
                yield from self._enqueued(call, frame)
        for cls in source.classes.values():
            yield from self._listed(cls, source.path)

    def _calls(self, source: Source) -> Iterator[tuple[FunctionRef, Call]]:
        """The calls of a file, those in the values of class attributes among them."""
        for qualname in source.functions:
            frame = FunctionRef(source.path, qualname)
            yield from ((frame, site.step) for site in source.sites(qualname) if isinstance(site.step, Call))
        for cls in source.classes.values():
            frame = FunctionRef(source.path, cls.parent)
            yield from ((frame, call) for values in cls.bindings.values() for value in values for call in _calls_in(value))

    def _enqueued(self, call: Call, frame: FunctionRef) -> Iterator[Task]:
        for name in sorted(map(_dotted, self._inference.evaluate(call.func, frame))):
            if name in _POSITIONS:
                queue, position = _POSITIONS[name]
                for value in _functions(call, position):
                    yield from _made(self._inference.evaluate(_by_path(value), frame), queue)

    def _listed(self, cls: Class, path: str) -> Iterator[Task]:
        """The coroutines in the list of a class that the worker is given by name."""
        if cls.qualname in _LISTS:
            queue, attribute = _LISTS[cls.qualname]
            frame = self._inference.classes.frame(ClassRef(path, cls.qualname))
            for task in _made(_flat(self._inference.union(cls.bindings.get(attribute, ()), frame)), queue):
                if self._inference.function(task.written).asynchronous:
                    yield task


def _calls_in(value: Value) -> Iterator[Call]:
    match value:
        case Call():
            yield value
        case Sequence():
            for item in value.items:
                yield from _calls_in(item)


def _aliases(source: Source) -> frozenset[str]:
    """Other names under which a file imports what enqueues."""
    bindings = source.body.bindings if source.body else {}
    return frozenset(name for name, values in bindings.items() for value in values if isinstance(value, Imported) and value.name in _LAST_NAMES)


def _functions(call: Call, position: int) -> list[Value]:
    if 0 <= position < len(call.args):
        return [call.args[position]]
    return [value for name, value in call.keywords if name in queues.FUNCTION_KEYWORDS]


def _by_path(value: Value) -> Value:
    """A function given by its dotted name."""
    if isinstance(value, Constant) and isinstance(value.value, str):
        module, _, name = value.value.rpartition(".")
        return Imported(module, 0, name) if module else None
    return value


def _dotted(o: Object) -> str:
    """The name by which a call is known: of something from elsewhere, or of a manager's method of a model from elsewhere."""
    if isinstance(o, RowsMethod) and isinstance(o.rows.model, External):
        return f"{o.rows.model.name}.objects.{o.name}"
    return o.name if isinstance(o, External) else ""


def _flat(objects: Objects) -> Objects:
    return frozenset().union(*[_flat(o.of) if isinstance(o, Many) else {o} for o in objects])


def _made(objects: Iterable[Object], queue: str) -> Iterator[Task]:
    for o in sorted(objects, key=repr):
        if isinstance(o, FunctionRef):
            yield Task(o, _written(o), Maker(queue=queue))


def _written(function: FunctionRef) -> FunctionRef:
    """The function as written: that which a decorator of the project has wrapped."""
    wrapped = [o for _, o in function.given if isinstance(o, FunctionRef)] if "<locals>" in function.qualname else []
    return _written(wrapped[0]) if wrapped else function
