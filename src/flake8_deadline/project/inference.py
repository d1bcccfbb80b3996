"""What the names and values of a function mean: simple inference over assignments, annotations, constructors, attributes and imports.

Flow-insensitive: a name means everything it is ever given in its scope. What cannot be followed means nothing; nobody guesses here.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable

from flake8_deadline import queues
from flake8_deadline.facts import (
    Arithmetic,
    Attr,
    Both,
    Call,
    Class,
    Constant,
    Defined,
    Each,
    Either,
    Entered,
    Function,
    Hint,
    Imported,
    Item,
    Parameter,
    Part,
    Sequence,
    Table,
    Value,
)  # fmt: skip
from flake8_deadline.project.arguments import Arguments
from flake8_deadline.project.classes import Classes
from flake8_deadline.project.decorators import Decorators
from flake8_deadline.project.hints import Hints
from flake8_deadline.project.makers import Makers
from flake8_deadline.project.modules import Modules
from flake8_deadline.project.objects import (
    NOTHING,
    ClassRef,
    External,
    FunctionRef,
    Instance,
    Many,
    Module,
    Object,
    Objects,
    Rows,
    RowsMethod,
    Super,
    Task,
    instance_of,
)  # fmt: skip
from flake8_deadline.project.receivers import receiver
from flake8_deadline.project.results import Results

_DEEPEST = 24
_MOST = 12
_BUILTINS = frozenset(dir(builtins))


class Inference:
    """Answers "what can this mean?" about any value of any function. `extra_makers` are dotted names of further task decorators."""

    def __init__(self, modules: Modules, extra_makers: Iterable[str] = ()) -> None:
        self.modules = modules
        self.arguments = Arguments(self)
        self.classes = Classes(self)
        self.decorators = Decorators(self, extra_makers)
        self.hints = Hints(self)
        self.makers = Makers(self)
        self.results = Results(self)
        self._known: dict[str, dict[FunctionRef, dict[int | str, tuple[Value, Objects]]]] = {}
        """By path and frame: each value evaluated, by name or identity, kept so that its identity stays its own."""
        self._same: dict[Objects, Objects] = {}
        """One of each set of objects: the same few are meant again and again."""
        self._passed: dict[tuple[str, str, str], Objects] = {}
        self._depth = 0

    # Functions and classes

    def function(self, frame: FunctionRef) -> Function:
        return self.modules.source(frame.path).functions[frame.qualname]

    def cls(self, ref: ClassRef) -> Class:
        return self.modules.source(ref.path).classes[ref.qualname]

    def passes(self, function: FunctionRef, parameter: str, objects: Objects) -> bool:
        """Note what a call passes for a parameter that has no annotation; True if that is news."""
        instances = frozenset(o for o in objects if isinstance(o, (Instance, Rows)))
        key = (function.path, function.qualname, parameter)
        known = self._passed.get(key, NOTHING)
        if instances <= known or len(known | instances) > _MOST:
            return False
        self._passed[key] = known | instances
        self._known.pop(function.path, None)
        return True

    def name(self, name: str, frame: FunctionRef) -> Objects:
        source = self.modules.source(frame.path)
        scope: str | None = frame.qualname
        for given, objects in frame.given:
            if given == name:
                return frozenset({objects})
        while scope:
            function = source.functions[scope]
            for index, parameter in enumerate(function.parameters):
                if parameter.name == name:
                    found = self._parameter(function, index, parameter, frame)
                    return found | self.union(function.bindings.get(name, ()), frame)
            if name in function.bindings:
                return self.union(function.bindings[name], frame._replace(qualname=scope))
            scope = function.parent
        return self.module_name(frame.path, name)

    def module_name(self, path: str, name: str) -> Objects:
        """What a name means at the top of a file."""
        source = self.modules.source(path)
        frame = FunctionRef(path, "")
        body = source.body
        if body and name in body.bindings:
            return self.union(body.bindings[name], frame)
        for star in source.summary.stars:
            module = self.modules.imported(path, star)
            if isinstance(module, Module) and module.path and module.path != path and self._enter():
                found = self.module_name(module.path, name)
                self._depth -= 1
                if found and not any(isinstance(o, External) and o.name.startswith("builtins.") for o in found):
                    return found
        return frozenset({External(f"builtins.{name}")}) if name in _BUILTINS else NOTHING

    def _parameter(self, function: Function, index: int, parameter: Parameter, frame: FunctionRef) -> Objects:
        if index == 0 and function.owner is not None and parameter.kind == "positional" and not self.decorators.is_static(function, frame):
            if frame.receiver is not None and frame.qualname.startswith(function.qualname):
                return frozenset({frame.receiver})
            owner = ClassRef(frame.path, function.owner)
            return frozenset({owner if self.decorators.decorated_by(function, frame, {"builtins.classmethod"}) else Instance(owner)})
        if index == 0 and function.owner is None and function.decorators:
            bound = self.decorators.bound_task(function, frame)
            if bound:
                return frozenset({bound})
        hinted = self.hints.hinted(parameter.hint, frame._replace(qualname=function.parent or "")) if parameter.hint is not None else NOTHING
        source = self.modules.source(frame.path)
        passed = self._passed.get((frame.path, function.qualname, parameter.name), NOTHING)
        kinds = (FunctionRef, ClassRef, Instance, Many) if parameter.name not in source.caught else (FunctionRef, ClassRef, Instance, Many, External)
        default = frozenset(o for o in self.evaluate(parameter.default, frame._replace(qualname="")) if isinstance(o, kinds))
        return hinted or (passed | default)

    def evaluate(self, value: Value, frame: FunctionRef) -> Objects:
        """Everything a value can mean in a function; empty where it cannot be followed."""
        if value is None or isinstance(value, Constant):
            return NOTHING
        known = self._known.setdefault(frame.path, {}).setdefault(frame, {})
        key = value if isinstance(value, str) else id(value)
        if key in known:
            return known[key][1]
        if not self._enter():
            return NOTHING
        known[key] = value, NOTHING
        found = self._evaluate(value, frame)
        found = self._same.setdefault(found, found) if len(found) <= _MOST else NOTHING
        known[key] = value, found
        self._depth -= 1
        return found

    def _enter(self) -> bool:
        if self._depth >= _DEEPEST:
            return False
        self._depth += 1
        return True

    def union(self, values: Iterable[Value], frame: FunctionRef) -> Objects:
        return frozenset().union(*[self.evaluate(value, frame) for value in values])

    def _evaluate(self, value: Value, frame: FunctionRef) -> Objects:
        match value:
            case str():
                first, *rest = value.split(".")
                objects = self.name(first, frame)
                for attribute in rest:
                    objects = self.attributes(objects, attribute, frame)
                return objects
            case Attr():
                return self.attributes(self.evaluate(value.of, frame), value.name, frame)
            case Call():
                return self.results.called(value, frame)
            case Imported():
                return self._imported(value, frame)
            case Defined():
                return self._defined(value, frame)
            case Hint():
                return self.hints.hinted(value.of, frame)
            case Either() | Both():
                return self.union(value.options, frame)
            case Sequence() | Table() | Arithmetic():
                return self._collection(value, frame)
            case Each():
                return self.elements(self.evaluate(value.of, frame))
            case Entered():
                return self.evaluate(value.of, frame)
            case Item():
                return self._item(value, frame)
            case Part():
                return self._part(value, frame)
        return NOTHING

    def _collection(self, value: Sequence | Table | Arithmetic, frame: FunctionRef) -> Objects:
        match value:
            case Sequence():
                return frozenset({Many(self.union(value.items, frame))})
            case Table():
                return frozenset({Many(self.union((part for _, part in value.items), frame))})
            case Arithmetic(operator="+"):
                both = self.union((value.left, value.right), frame)
                return frozenset({Many(both)}) if both else NOTHING
        return NOTHING

    def _imported(self, value: Imported, frame: FunctionRef) -> Objects:
        module = self.modules.imported(frame.path, value)
        if value.name is None:
            return frozenset({module})
        return self.attributes(frozenset({module}), value.name, frame)

    def _item(self, value: Item, frame: FunctionRef) -> Objects:
        of = self.evaluate(value.of, frame)
        rows = frozenset(o for o in of if isinstance(o, Rows))
        if rows:
            return self.elements(rows) if isinstance(value.key, Constant) else rows
        return self.held(value.of, frame)

    def held(self, value: Value, frame: FunctionRef) -> Objects:
        """What a collection of the project's making holds."""
        return self.elements(frozenset(o for o in self.evaluate(value, frame) if isinstance(o, Many)))

    def _part(self, value: Part, frame: FunctionRef) -> Objects:
        of = value.of
        if isinstance(of, Each) and isinstance(of.of, Call):
            function = self.evaluate(of.of.func, frame)
            if External("builtins.enumerate") in function and value.index == 1 and of.of.args:
                return self.elements(self.evaluate(of.of.args[0], frame))
            if External("builtins.zip") in function and value.index < len(of.of.args):
                return self.elements(self.evaluate(of.of.args[value.index], frame))
            owner, name = receiver(of.of.func)
            if name == "items" and value.index == 1:
                return self.held(owner, frame)
        if isinstance(of, Call) and value.index == 0 and receiver(of.func)[1] in ("get_or_create", "update_or_create"):
            return self.evaluate(of, frame)
        if isinstance(of, Sequence) and value.index < len(of.items):
            return self.evaluate(of.items[value.index], frame)
        return NOTHING

    def elements(self, objects: Objects) -> Objects:
        found: set[Object] = set()
        for o in objects:
            if isinstance(o, Rows) and not o.plain:
                found.add(instance_of(o.model, True))
            elif isinstance(o, Many):
                found |= o.of
            elif isinstance(o, External):
                found.add(External(f"{o.name}[]"))
        return frozenset(found)

    def attributes(self, objects: Objects, name: str, frame: FunctionRef) -> Objects:
        return frozenset().union(*[self._attribute(o, name, frame) for o in objects])

    def _attribute(self, of: Object, name: str, frame: FunctionRef) -> Objects:
        match of:
            case External():
                return frozenset({Rows(of) if name == "objects" and "." in of.name else External(f"{of.name}.{name}")})
            case Module():
                return self._member(of, name, frame)
            case ClassRef() | Instance():
                return self.classes.attribute(of, name)
            case Super(receiver=Rows() as rows):
                return self._rows_attribute(rows, self.classes.inherited(of.classes, Instance(rows.manager), name) if rows.manager else NOTHING, name)
            case Super(receiver=(Instance() | ClassRef()) as receiver):
                return self.classes.inherited(of.classes, receiver, name)
            case Rows():
                return self._rows_attribute(of, self.classes.attribute(Instance(of.manager), name) if of.manager else NOTHING, name)
            case Task():
                if name in queues.DIRECT:
                    return frozenset({of.runs})
                return frozenset({External(f"celery.Task().{name}")})
        return NOTHING

    def _rows_attribute(self, of: Rows, found: Objects, name: str) -> Objects:
        """What the project's manager or queryset class has, bound to the rows; otherwise a method of Django's."""
        own = frozenset(o._replace(receiver=of) if isinstance(o, FunctionRef) else o for o in found if not isinstance(o, External))
        return own or frozenset({RowsMethod(of, name)})

    def _member(self, module: Module, name: str, frame: FunctionRef) -> Objects:
        if module.path is not None:
            body = self.modules.source(module.path).body
            if (body and name in body.bindings) or self.modules.source(module.path).summary.stars:
                found = self.module_name(module.path, name)
                if found and not (found == {External(f"builtins.{name}")} and body and name not in body.bindings):
                    return found
        child = self.modules.child(module, name, frame.path)
        return frozenset({child}) if child else NOTHING

    def _defined(self, value: Defined, frame: FunctionRef) -> Objects:
        source = self.modules.source(frame.path)
        if value.qualname in source.classes:
            return frozenset({ClassRef(frame.path, value.qualname)})
        return frozenset({self.decorators.defined(source.functions[value.qualname], frame)})
