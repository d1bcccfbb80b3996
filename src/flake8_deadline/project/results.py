"""Calls: what a call can give back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flake8_deadline import libraries, queues
from flake8_deadline.facts import Call, Constant
from flake8_deadline.project.objects import (
    NOTHING,
    ClassRef,
    External,
    FunctionRef,
    Instance,
    Maker,
    Many,
    Object,
    Objects,
    Rows,
    RowsMethod,
    Super,
    Task,
    instance_of,
)  # fmt: skip
from flake8_deadline.project.receivers import receiver

if TYPE_CHECKING:
    from flake8_deadline.project.inference import Inference

_FACTORIES = frozenset().union(*(queue.factories for queue in queues.QUEUES))


class Results:
    def __init__(self, inference: Inference) -> None:
        self._inference = inference

    def result(self, function: FunctionRef) -> Objects:
        """What a call of a function can return."""
        facts = self._inference.function(function)
        returned = self._inference.union(facts.returned, function)
        if facts.hint is None:
            return returned
        hinted = self._inference.hints.hinted(facts.hint, function._replace(qualname=facts.parent or ""))
        own = frozenset(o for o in returned if not isinstance(o, External))
        return hinted | own if own or not returned else hinted or returned

    def called(self, call: Call, frame: FunctionRef) -> Objects:
        found: set[Object] = set()
        special = self._by_method(call, frame)
        if special:
            return special
        for o in self._inference.evaluate(call.func, frame):
            match o:
                case ClassRef():
                    found |= self._made_instance(o)
                case FunctionRef():
                    found |= self.result(self._inference.arguments.given(o, call, frame))
                case Task():
                    found |= self.result(o.runs) if queues.named(o.maker.queue).called_in_place else NOTHING
                case Instance():
                    for method in self._inference.classes.attribute(o, "__call__"):
                        if isinstance(method, FunctionRef):
                            found |= self.result(method)
                case Maker():
                    found |= self._inference.makers.made(o, call, frame)
                case RowsMethod():
                    found |= self._queried(o)
                case Rows():
                    found.add(o)
                case External():
                    found |= self._external(o, call, frame)
        return frozenset(found)

    def _made_instance(self, cls: ClassRef) -> Objects:
        """An instance; or what the class's own `__new__` gives instead (a provider of a single service)."""
        given = [self.result(o) for o in self._inference.classes.attribute(cls, "__new__") if isinstance(o, FunctionRef)]
        return frozenset().union(*given) | {Instance(cls, True)}

    def _by_method(self, call: Call, frame: FunctionRef) -> Objects:
        """`Rows.as_manager()`, `Manager.from_queryset(Rows)`: a manager with the methods of a queryset class; `table.get(key)`, `table.values()`."""
        owner, name = receiver(call.func)
        if name == "as_manager":
            return frozenset(Instance(o, True) for o in self._inference.evaluate(owner, frame) if isinstance(o, ClassRef))
        if name == "from_queryset" and call.args:
            return frozenset(o for o in self._inference.evaluate(call.args[0], frame) if isinstance(o, ClassRef))
        if name in ("get", "pop"):
            return self._inference.held(owner, frame)
        if name == "values":
            return frozenset(o for o in self._inference.evaluate(owner, frame) if isinstance(o, Many))
        return NOTHING

    def _queried(self, method: RowsMethod) -> Objects:
        if method.name in libraries.LAZY_QUERIES:
            return frozenset({method.rows._replace(plain=method.rows.plain or method.name in ("values", "values_list"))})
        if method.name in libraries.ROW_QUERIES or method.name in ("get_or_create", "update_or_create"):
            return frozenset({instance_of(method.rows.model, True)})
        return NOTHING

    def _external(self, o: External, call: Call, frame: FunctionRef) -> Objects:
        name = o.name
        maker = self._inference.decorators.maker(o)
        if maker:
            return frozenset(
                {self._inference.makers.options(call, frame, maker)} if name in _FACTORIES else self._inference.makers.made(maker, call, frame)
            )
        arguments = [self._inference.evaluate(argument, frame) for argument in call.args[:2]]
        if name == "functools.partial" and call.args:
            made = self._inference.makers.partial(call, frame)
            if made:
                return made
        if name in libraries.SAME_FUNCTION and arguments:
            return arguments[0] if arguments[0] else frozenset({External(f"{name}()")})
        if name in libraries.PASS_THROUGH and arguments:
            return arguments[-1] if name == "typing.cast" else arguments[0]
        if name == "builtins.super":
            return self._super(frame)
        if name == "builtins.getattr" and len(call.args) > 1 and isinstance(call.args[1], Constant):
            return self._inference.attributes(arguments[0], str(call.args[1].value), frame)
        if name == "django.apps.apps.get_model" and call.args:
            return self._inference.classes.model(call.args[-1], frame)
        if name == "builtins.next" and arguments:
            return self._inference.elements(arguments[0])
        if name == "builtins.type" and len(arguments) == 1:
            return frozenset(part.cls for part in arguments[0] if isinstance(part, Instance))
        if name in ("django.shortcuts.get_object_or_404", "django.shortcuts.aget_object_or_404") and arguments:
            return frozenset(Instance(part, True) for part in arguments[0] if isinstance(part, ClassRef)) | self._inference.elements(arguments[0])
        return frozenset({External(f"{name}()")})

    def _super(self, frame: FunctionRef) -> Objects:
        function = self._inference.function(frame)
        if function.owner is None:
            return NOTHING
        own = ClassRef(frame.path, function.owner)
        receiver = frame.receiver
        cls = own if receiver is None else _class_of(receiver) or own
        order = self._inference.classes.ancestors(cls)
        after = order[order.index(own) + 1 :] if own in order else self._inference.classes.ancestors(own)[1:]
        return frozenset({Super(tuple(after), receiver or Instance(own))})


def _class_of(receiver: Instance | ClassRef | Rows) -> ClassRef | None:
    match receiver:
        case Instance():
            return receiver.cls
        case Rows():
            return receiver.manager
    return receiver
