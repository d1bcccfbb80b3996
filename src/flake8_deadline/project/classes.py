"""Classes of the project: their bases, and what an attribute of a class or an instance is.

Knows methods, properties, class attributes, `self.name = …`, Django managers and the row that a foreign key points to. Related managers
(`invoice.lines`) are left alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from flake8_deadline.facts import Call, Constant, Defined, Imported, Item, Value
from flake8_deadline.project.objects import NOTHING, ClassRef, External, FunctionRef, Instance, Object, Objects, Rows

if TYPE_CHECKING:
    from flake8_deadline.project.inference import Inference

_MANAGERS = frozenset({"objects", "_default_manager", "_base_manager", "all_objects"})
_BARE = frozenset({"abc.ABC", "builtins.object", "typing.Generic", "typing.Protocol"})
"""Bases that bring no attributes."""
_FIELDS = ("Field()", "ForeignKey()")
_PROPERTIES = frozenset({"builtins.property", "functools.cached_property", "django.utils.functional.cached_property"})


class Classes:
    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._ancestors: dict[ClassRef, tuple[ClassRef | External, ...]] = {}

    def ancestors(self, ref: ClassRef) -> tuple[ClassRef | External, ...]:
        """The class and its bases, nearest first, each once."""
        known = self._ancestors.get(ref)
        if known is None:
            self._ancestors[ref] = (ref,)
            order: list[ClassRef | External] = [ref]
            frame = self.frame(ref)
            for base in self._inference.cls(ref).bases:
                of = base.of if isinstance(base, Item) else base
                for found in sorted(self._inference.evaluate(of, frame), key=repr):
                    if isinstance(found, ClassRef):
                        order += [ancestor for ancestor in self.ancestors(found) if ancestor not in order]
                    elif isinstance(found, External) and found not in order:
                        order.append(found)
            known = self._ancestors[ref] = tuple(order)
        return known

    def frame(self, ref: ClassRef) -> FunctionRef:
        """Where the values of a class body are evaluated."""
        cls = self._inference.cls(ref)
        outside = FunctionRef(ref.path, cls.parent)
        imported = [(name, values) for name, values in cls.bindings.items() if isinstance(values[0], Imported)]
        if not imported:
            return outside
        found = {name: sorted(self._inference.union(values, outside), key=repr) for name, values in imported}
        return outside._replace(given=tuple((name, objects[0]) for name, objects in found.items() if objects))

    def attribute(self, of: ClassRef | Instance, name: str) -> Objects:
        """What an attribute of a class or an instance can be."""
        return self.inherited(self.ancestors(of.cls if isinstance(of, Instance) else of), of, name)

    def inherited(self, classes: Iterable[ClassRef | External], of: ClassRef | Instance, name: str) -> Objects:
        """The attribute as the first of these classes that is known to have it gives it; failing that, the first from elsewhere."""
        outside = [ancestor for ancestor in classes if isinstance(ancestor, External)]
        for ancestor in classes:
            found = self._own_attribute(ancestor, of, name) if isinstance(ancestor, ClassRef) else None
            if found is not None:
                return found
        for base in outside:
            if name in _MANAGERS:
                return frozenset({Rows(of.cls if isinstance(of, Instance) else of)})
            if base.name not in _BARE:
                return frozenset({External(f"{base.name}{'()' if isinstance(of, Instance) else ''}.{name}")})
        return NOTHING

    def _own_attribute(self, ancestor: ClassRef, of: ClassRef | Instance, name: str) -> Objects | None:
        """What a class's own body, or a method's `self.name = …`, gives the name; None where it says nothing of it."""
        bindings = self._inference.cls(ancestor).bindings
        if name in bindings:
            frame = self.frame(ancestor)
            objects = self._inference.union(bindings[name], frame)
            if isinstance(of, Instance) and any(isinstance(o, External) and o.name.endswith(_FIELDS) for o in objects):
                return self._related(bindings[name], frame, of.cls)
            return frozenset().union(*[self._bound(o, of) for o in objects])
        methods = self._inference.modules.source(ancestor.path).attributes.get(ancestor.qualname, {}).get(name)
        if methods is None:
            return None
        given = [
            self._inference.union(method.bindings[f"{method.parameters[0].name}.{name}"], FunctionRef(ancestor.path, method.qualname, of))
            for method in methods
        ]
        return frozenset().union(*given)

    def getter(self, of: Instance, name: str) -> FunctionRef | None:
        """The method that runs when an attribute of an instance is read, if it is a property of the project."""
        for ancestor in self.ancestors(of.cls):
            if isinstance(ancestor, ClassRef) and name in self._inference.cls(ancestor).bindings:
                for value in self._inference.cls(ancestor).bindings[name]:
                    if isinstance(value, Defined):
                        return self._property(FunctionRef(ancestor.path, value.qualname, of))
        return None

    def _property(self, method: FunctionRef) -> FunctionRef | None:
        function = self._inference.modules.source(method.path).functions.get(method.qualname)
        return method if function and self._inference.decorators.decorated_by(function, method, _PROPERTIES) else None

    def _related(self, values: Iterable[Value], frame: FunctionRef, own: ClassRef) -> Objects:
        """What a Django field holds on a row: the row it points to ("self": one of the same model), or something nobody needs to know."""
        models: set[Object] = set()
        for value in values:
            if isinstance(value, Call) and value.args:
                models |= {own} if value.args[0] == Constant("self") else self.model(value.args[0], frame)
        return frozenset(Instance(o) for o in models if isinstance(o, ClassRef))

    def model(self, value: Value, frame: FunctionRef) -> Objects:
        """The model that a class or its name ("Invoice", "billing.Invoice") says."""
        if isinstance(value, Constant) and isinstance(value.value, str):
            found = self._inference.modules.class_named(value.value.rpartition(".")[2])
            return frozenset({ClassRef(*found)} if found else ())
        return self._inference.evaluate(value, frame)

    def _bound(self, found: Object, of: ClassRef | Instance) -> Objects:
        """A class attribute seen through an instance or the class."""
        cls = of.cls if isinstance(of, Instance) else of
        if isinstance(found, FunctionRef):
            function = self._inference.function(found)
            if function.owner is None or self._inference.decorators.is_static(function, found):
                return frozenset({found})
            if self._inference.decorators.decorated_by(function, found, {"builtins.classmethod"}):
                return frozenset({found._replace(receiver=cls)})
            bound = found._replace(receiver=of if isinstance(of, Instance) else None)
            if isinstance(of, Instance) and self._inference.decorators.decorated_by(function, found, _PROPERTIES):
                return self._inference.results.result(bound)
            return frozenset({bound})
        if isinstance(found, Instance) and self._is_manager(found.cls):
            return frozenset({Rows(cls, found.cls)})
        if isinstance(found, External) and found.name.endswith(("Manager()", "Manager.from_queryset()()")):
            return frozenset({Rows(cls)})
        return frozenset({found})

    def _is_manager(self, ref: ClassRef) -> bool:
        return any(isinstance(a, External) and a.name.endswith(("Manager", "QuerySet")) for a in self.ancestors(ref))
