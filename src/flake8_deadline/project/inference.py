"""What the names and values of a function mean: simple inference over assignments, annotations, constructors, attributes and imports.

Flow-insensitive: a name means everything it is ever given in its scope. What cannot be followed means nothing; nobody guesses here.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator

from flake8_deadline import libraries, queues
from flake8_deadline.facts import (
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
from flake8_deadline.project.modules import Modules
from flake8_deadline.project.objects import (
    NOTHING,
    ClassRef,
    External,
    FunctionRef,
    Instance,
    Maker,
    Many,
    Module,
    Object,
    Objects,
    Rows,
    RowsMethod,
    Super,
    Task,
)  # fmt: skip

_DEEPEST = 24
_MOST = 12
_DEEPEST_GIVEN = 3
_BUILTINS = frozenset(dir(builtins))
_MANAGERS = frozenset({"objects", "_default_manager", "_base_manager", "all_objects"})
_PROPERTIES = frozenset({"builtins.property", "functools.cached_property", "django.utils.functional.cached_property"})
_FIELDS = ("Field()", "ForeignKey()")
_OPTIONAL = frozenset({"typing.Optional", "typing.Union", "typing.Annotated", "typing.Final", "typing.ClassVar"})
_COLLECTIONS = frozenset(
    f"{module}.{name}"
    for module in ("typing", "builtins", "collections.abc")
    for name in ("List", "Set", "Tuple", "Sequence", "Iterable", "Iterator", "Generator", "Collection", "FrozenSet", "list", "set", "tuple", "frozenset")
)


class Inference:
    """Answers "what can this mean?" about any value of any function. `extra_makers` are dotted names of further task decorators."""

    def __init__(self, modules: Modules, extra_makers: Iterable[str] = ()) -> None:
        self.modules = modules
        self._makers = frozenset().union(*(queue.makers for queue in queues.QUEUES), extra_makers)
        self._known: dict[FunctionRef, dict[int | str, Objects]] = {}
        self._passed: dict[tuple[str, str, str], Objects] = {}
        self._ancestors: dict[ClassRef, tuple[ClassRef | External, ...]] = {}
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
        for frame in [frame for frame in self._known if frame.path == function.path]:
            del self._known[frame]
        return True

    def ancestors(self, ref: ClassRef) -> tuple[ClassRef | External, ...]:
        """The class and its bases, nearest first, each once."""
        known = self._ancestors.get(ref)
        if known is None:
            self._ancestors[ref] = (ref,)
            order: list[ClassRef | External] = [ref]
            frame = self._class_frame(ref)
            for base in self.cls(ref).bases:
                of = base.of if isinstance(base, Item) else base
                for found in sorted(self.evaluate(of, frame), key=repr):
                    if isinstance(found, ClassRef):
                        order += [ancestor for ancestor in self.ancestors(found) if ancestor not in order]
                    elif isinstance(found, External) and found not in order:
                        order.append(found)
            known = self._ancestors[ref] = tuple(order)
        return known

    def _class_frame(self, ref: ClassRef) -> FunctionRef:
        return FunctionRef(ref.path, self.cls(ref).parent)

    # Names

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
                    return found | self._union(function.bindings.get(name, ()), frame)
            if name in function.bindings:
                return self._union(function.bindings[name], frame._replace(qualname=scope))
            scope = function.parent
        return self.module_name(frame.path, name)

    def module_name(self, path: str, name: str) -> Objects:
        """What a name means at the top of a file."""
        source = self.modules.source(path)
        frame = FunctionRef(path, "")
        body = source.body
        if body and name in body.bindings:
            return self._union(body.bindings[name], frame)
        for star in source.summary.stars:
            module = self.modules.imported(path, star)
            if isinstance(module, Module) and module.path and module.path != path and self._enter():
                found = self.module_name(module.path, name)
                self._depth -= 1
                if found and not any(isinstance(o, External) and o.name.startswith("builtins.") for o in found):
                    return found
        return frozenset({External(f"builtins.{name}")}) if name in _BUILTINS else NOTHING

    def _parameter(self, function: Function, index: int, parameter: Parameter, frame: FunctionRef) -> Objects:
        if index == 0 and function.owner is not None and parameter.kind == "positional" and not self._is_static(function, frame):
            if frame.receiver is not None and frame.qualname.startswith(function.qualname):
                return frozenset({frame.receiver})
            owner = ClassRef(frame.path, function.owner)
            return frozenset({owner if self._decorated_by(function, frame, {"builtins.classmethod"}) else Instance(owner)})
        if index == 0 and function.owner is None and function.decorators and self._is_bound_task(function, frame):
            return frozenset({External("celery.Task()")})
        hinted = self.hinted(parameter.hint, frame._replace(qualname=function.parent or "")) if parameter.hint is not None else NOTHING
        passed = self._passed.get((frame.path, function.qualname, parameter.name), NOTHING)
        default = frozenset(o for o in self.evaluate(parameter.default, frame._replace(qualname="")) if isinstance(o, (FunctionRef, ClassRef, Instance)))
        return hinted or (passed | default)

    def _is_static(self, function: Function, frame: FunctionRef) -> bool:
        return self._decorated_by(function, frame, {"builtins.staticmethod"})

    def _decorated_by(self, function: Function, frame: FunctionRef, names: Iterable[str]) -> bool:
        wanted = {External(name) for name in names}
        outside = FunctionRef(frame.path, function.parent or "")
        return any(wanted & self.evaluate(decorator.value, outside) for decorator in function.decorators)

    def _is_bound_task(self, function: Function, frame: FunctionRef) -> bool:
        outside = FunctionRef(frame.path, function.parent or "")
        return any(
            ("bind", True) in made.options
            for decorator in function.decorators
            for made in self.evaluate(decorator.value, outside)
            if isinstance(made, Maker)
        )

    # Values

    def evaluate(self, value: Value, frame: FunctionRef) -> Objects:
        """Everything a value can mean in a function; empty where it cannot be followed."""
        if value is None or isinstance(value, Constant):
            return NOTHING
        known = self._known.setdefault(frame, {})
        key = value if isinstance(value, str) else id(value)
        found = known.get(key)
        if found is None:
            if not self._enter():
                return NOTHING
            known[key] = NOTHING
            found = self._evaluate(value, frame)
            if len(found) > _MOST:
                found = NOTHING
            self._known.setdefault(frame, {})[key] = found
            self._depth -= 1
        return found

    def _enter(self) -> bool:
        if self._depth >= _DEEPEST:
            return False
        self._depth += 1
        return True

    def _union(self, values: Iterable[Value], frame: FunctionRef) -> Objects:
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
                return self._called(value, frame)
            case Imported():
                return self._imported(value, frame)
            case Defined():
                return self._defined(value, frame)
            case Hint():
                return self.hinted(value.of, frame)
            case Either() | Both():
                return self._union(value.options, frame)
            case Sequence():
                return frozenset({Many(self._union(value.items, frame))})
            case Table():
                return frozenset({Many(self._union((part for _, part in value.items), frame))})
            case Each():
                return self._elements(self.evaluate(value.of, frame))
            case Entered():
                return self.evaluate(value.of, frame)
            case Item():
                return self._item(value, frame)
            case Part():
                return self._part(value, frame)
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
            return self._elements(rows) if isinstance(value.key, Constant) else rows
        return self._elements(frozenset(o for o in of if isinstance(o, Many)))

    def _part(self, value: Part, frame: FunctionRef) -> Objects:
        of = value.of
        if isinstance(of, Each) and isinstance(of.of, Call):
            function = self.evaluate(of.of.func, frame)
            if External("builtins.enumerate") in function and value.index == 1 and of.of.args:
                return self._elements(self.evaluate(of.of.args[0], frame))
            if External("builtins.zip") in function and value.index < len(of.of.args):
                return self._elements(self.evaluate(of.of.args[value.index], frame))
        if isinstance(of, Call) and value.index == 0 and isinstance(of.func, str) and of.func.endswith(("get_or_create", "update_or_create")):
            return self.evaluate(of, frame)
        if isinstance(of, Sequence) and value.index < len(of.items):
            return self.evaluate(of.items[value.index], frame)
        return NOTHING

    def _elements(self, objects: Objects) -> Objects:
        found: set[Object] = set()
        for o in objects:
            if isinstance(o, Rows) and not o.plain:
                found.add(self._instance(o.model, True))
            elif isinstance(o, Many):
                found |= o.of
        return frozenset(found)

    # Annotations

    def hinted(self, hint: Value, frame: FunctionRef) -> Objects:
        """What a value with this annotation can be."""
        if isinstance(hint, Either):
            return frozenset().union(*[self.hinted(option, frame) for option in hint.options])
        if isinstance(hint, Item) and isinstance(hint.key, Sequence):
            return self._generic(hint, hint.key, frame)
        return frozenset(self._instance(o) for o in self.evaluate(hint, frame) if isinstance(o, (ClassRef, External)))

    def _generic(self, hint: Item, parts: Sequence, frame: FunctionRef) -> Objects:
        names = {o.name for o in self.evaluate(hint.of, frame) if isinstance(o, External)}
        if names & _OPTIONAL:
            return frozenset().union(*[self.hinted(part, frame) for part in parts.items])
        if names & {"typing.Type", "builtins.type"}:
            return self._union(parts.items, frame)
        inner = frozenset().union(*[self.hinted(part, frame) for part in parts.items[:1]])
        if any(name.endswith(("QuerySet", "Manager")) for name in names):
            return frozenset(Rows(o.cls) for o in inner if isinstance(o, Instance))
        if names & _COLLECTIONS:
            return frozenset({Many(inner)}) if inner else NOTHING
        return frozenset(self._instance(o) for o in self.evaluate(hint.of, frame) if isinstance(o, (ClassRef, External)))

    def _instance(self, cls: ClassRef | External, exact: bool = False) -> Object:
        return Instance(cls, exact) if isinstance(cls, ClassRef) else External(f"{cls.name}()")

    # Attributes

    def attributes(self, objects: Objects, name: str, frame: FunctionRef) -> Objects:
        return frozenset().union(*[self._attribute(o, name, frame) for o in objects])

    def _attribute(self, of: Object, name: str, frame: FunctionRef) -> Objects:
        match of:
            case External():
                return frozenset({Rows(of) if name == "objects" and "." in of.name else External(f"{of.name}.{name}")})
            case Module():
                return self._member(of, name, frame)
            case ClassRef() | Instance():
                return self._class_attribute(of, name)
            case Super():
                return self._inherited(of.classes, of.receiver, name)
            case Rows():
                found = self._class_attribute(Instance(of.manager), name) if of.manager else NOTHING
                found = frozenset(o for o in found if not isinstance(o, External))
                return found or frozenset({RowsMethod(of, name)})
            case Task():
                if name in ("run", "__call__", "__wrapped__"):
                    return frozenset({of.runs})
                return frozenset({External(f"celery.Task().{name}")})
        return NOTHING

    def _member(self, module: Module, name: str, frame: FunctionRef) -> Objects:
        if module.path is not None:
            body = self.modules.source(module.path).body
            if (body and name in body.bindings) or self.modules.source(module.path).summary.stars:
                found = self.module_name(module.path, name)
                if found and not (found == {External(f"builtins.{name}")} and body and name not in body.bindings):
                    return found
        child = self.modules.child(module, name, frame.path)
        return frozenset({child}) if child else NOTHING

    def _class_attribute(self, of: ClassRef | Instance, name: str) -> Objects:
        return self._inherited(self.ancestors(of.cls if isinstance(of, Instance) else of), of, name)

    def _inherited(self, classes: Iterable[ClassRef | External], of: ClassRef | Instance, name: str) -> Objects:
        for ancestor in classes:
            if isinstance(ancestor, External):
                if name in _MANAGERS:
                    return frozenset({Rows(of.cls if isinstance(of, Instance) else of)})
                suffix = "()" if isinstance(of, Instance) else ""
                return frozenset({External(f"{ancestor.name}{suffix}.{name}")})
            found = self._own_attribute(ancestor, of, name)
            if found is not None:
                return found
        return NOTHING

    def _own_attribute(self, ancestor: ClassRef, of: ClassRef | Instance, name: str) -> Objects | None:
        """What a class's own body, or a method's `self.name = …`, gives the name; None where it says nothing of it."""
        bindings = self.cls(ancestor).bindings
        if name in bindings:
            frame = self._class_frame(ancestor)
            objects = self._union(bindings[name], frame)
            if isinstance(of, Instance) and any(isinstance(o, External) and o.name.endswith(_FIELDS) for o in objects):
                return self._related(bindings[name], frame)
            return frozenset().union(*[self._bound(o, of) for o in objects])
        if isinstance(of, ClassRef):
            return None
        values: set[Object] = set()
        said = False
        for method in self.modules.source(ancestor.path).methods.get(ancestor.qualname, ()):
            key = f"{method.parameters[0].name}.{name}" if method.parameters else ""
            if key in method.bindings:
                said = True
                values |= self._union(method.bindings[key], FunctionRef(ancestor.path, method.qualname, of))
        return frozenset(values) if said else None

    def _related(self, values: Iterable[Value], frame: FunctionRef) -> Objects:
        """What a Django field holds on a row: the row it points to, or something nobody needs to know."""
        targets = [self.evaluate(v.args[0], frame) for v in values if isinstance(v, Call) and v.args]
        return frozenset(Instance(o) for objects in targets for o in objects if isinstance(o, ClassRef))

    def _bound(self, found: Object, of: ClassRef | Instance) -> Objects:
        """A class attribute seen through an instance or the class."""
        cls = of.cls if isinstance(of, Instance) else of
        if isinstance(found, FunctionRef):
            function = self.function(found)
            if function.owner is None or self._is_static(function, found):
                return frozenset({found})
            if self._decorated_by(function, found, {"builtins.classmethod"}):
                return frozenset({found._replace(receiver=cls)})
            bound = found._replace(receiver=of if isinstance(of, Instance) else None)
            if isinstance(of, Instance) and self._decorated_by(function, found, _PROPERTIES):
                return self.result(bound)
            return frozenset({bound})
        if isinstance(found, Instance) and self._is_manager(found.cls):
            return frozenset({Rows(cls, found.cls)})
        if isinstance(found, External) and found.name.endswith(("Manager()", "Manager.from_queryset()()")):
            return frozenset({Rows(cls)})
        return frozenset({found})

    def _is_manager(self, ref: ClassRef) -> bool:
        return any(isinstance(a, External) and a.name.startswith("django.db.models") and a.name.endswith(("Manager", "QuerySet")) for a in self.ancestors(ref))

    # Definitions and calls

    def _defined(self, value: Defined, frame: FunctionRef) -> Objects:
        source = self.modules.source(frame.path)
        if value.qualname in source.classes:
            return frozenset({ClassRef(frame.path, value.qualname)})
        return frozenset({self.defined(source.functions[value.qualname], frame)})

    def defined(self, function: Function, frame: FunctionRef) -> Object:
        """What the name of a function means once its decorators have had their say."""
        written = FunctionRef(frame.path, function.qualname, frame.receiver if function.owner is None else None, frame.given)
        found: Object = written
        outside = frame._replace(qualname=function.parent or "")
        for decorator in reversed(function.decorators):
            found = self._decorate(found, self.evaluate(decorator.value, outside), written)
        return found

    def _decorate(self, found: Object, by: Objects, written: FunctionRef) -> Object:
        if isinstance(found, Task):
            return found
        for decorator in sorted(by, key=repr):
            maker = self._maker(decorator)
            if maker and isinstance(found, FunctionRef):
                return Task(found, written, maker)
            called = self._class_attribute(decorator, "__call__") if isinstance(decorator, Instance) else frozenset({decorator})
            for function in [o for o in called if isinstance(o, FunctionRef)]:
                made = self.result(self._with(function, [found]))
                functions = [o for o in made if isinstance(o, (FunctionRef, Task))]
                if len(functions) == 1:
                    task = functions[0]
                    return task._replace(written=written) if isinstance(task, Task) else task
        return found

    def _maker(self, o: Object) -> Maker | None:
        if isinstance(o, Maker):
            return o
        return Maker() if isinstance(o, External) and self.makes_tasks(o.name) else None

    def makes_tasks(self, name: str) -> bool:
        """Whether a dotted name is a task decorator. An application that cannot be followed is known by its own name."""
        if name in self._makers:
            return True
        owner, _, last = name.rpartition(".")
        return last == "task" and owner.rpartition(".")[2].removesuffix("_app") in queues.APP_WORDS

    def result(self, function: FunctionRef) -> Objects:
        """What a call of a function can return."""
        facts = self.function(function)
        if facts.hint is not None:
            hinted = self.hinted(facts.hint, function._replace(qualname=facts.parent or ""))
            if hinted and not all(isinstance(o, External) for o in hinted):
                return hinted
        return self._union(facts.returned, function)

    def _with(self, function: FunctionRef, arguments: Iterable[Object]) -> FunctionRef:
        facts = self.function(function)
        names = [p.name for p in facts.parameters if p.kind == "positional"]
        if facts.owner is not None and function.receiver is not None:
            names = names[1:]
        return give(function, zip(names, arguments))

    def _called(self, call: Call, frame: FunctionRef) -> Objects:
        found: set[Object] = set()
        for o in self.evaluate(call.func, frame):
            match o:
                case ClassRef():
                    found.add(Instance(o, True))
                case FunctionRef():
                    found |= self.result(self.given(o, call, frame))
                case Task():
                    found |= self.result(o.runs)
                case Instance():
                    for method in self._class_attribute(o, "__call__"):
                        found |= self.result(method) if isinstance(method, FunctionRef) else ()
                case Maker():
                    found |= self._made(o, call, frame)
                case RowsMethod():
                    found |= self._queried(o)
                case External():
                    found |= self._external(o, call, frame)
        return frozenset(found)

    def _made(self, maker: Maker, call: Call, frame: FunctionRef) -> Objects:
        functions = [o for argument in call.args[:1] for o in self.evaluate(argument, frame) if isinstance(o, FunctionRef)]
        if functions:
            return frozenset(Task(function, function, maker) for function in functions)
        return frozenset({self.options(call, frame, maker)})

    def options(self, call: Call, frame: FunctionRef, maker: Maker) -> Maker:
        options, open_, base = dict(maker.options), maker.open, maker.base
        for name, value in call.keywords:
            if name == "**":
                table = value if isinstance(value, Table) else None
                for key, part in table.items if table else ():
                    if isinstance(key, Constant) and isinstance(part, Constant):
                        options[str(key.value)] = part.value
                open_ = open_ or table is None
            elif name == "base":
                base = next((o for o in sorted(self.evaluate(value, frame), key=repr) if isinstance(o, ClassRef)), base)
            else:
                constant = self.constant(value, frame)
                options[name] = constant.value if constant else NOT_CONSTANT
        return Maker(tuple(options.items()), open_, base)

    def constant(self, value: Value, frame: FunctionRef) -> Constant | None:
        """The constant a value is, through names and imports."""
        if isinstance(value, Constant):
            return value
        if isinstance(value, str) and "." not in value:
            function: Function | None = self.function(frame)
            while function is not None:
                if value in function.bindings:
                    bound = [self._imported_constant(part, frame) for part in function.bindings[value]]
                    return bound[0] if len(bound) == 1 else None
                function = self.modules.source(frame.path).functions[function.parent] if function.parent is not None else None
        return None

    def _imported_constant(self, value: Value, frame: FunctionRef) -> Constant | None:
        if isinstance(value, Imported) and value.name is not None:
            module = self.modules.imported(frame.path, value)
            if isinstance(module, Module) and module.path and module.path != frame.path:
                return self.constant(value.name, FunctionRef(module.path, ""))
            return None
        return value if isinstance(value, Constant) else None

    def _queried(self, method: RowsMethod) -> Objects:
        if method.name in libraries.LAZY_QUERIES:
            return frozenset({method.rows._replace(plain=method.rows.plain or method.name in ("values", "values_list"))})
        if method.name in libraries.ROW_QUERIES or method.name in ("get_or_create", "update_or_create"):
            return frozenset({self._instance(method.rows.model, True)})
        return NOTHING

    def _external(self, o: External, call: Call, frame: FunctionRef) -> Objects:
        name = o.name
        if self.makes_tasks(name):
            return self._made(Maker(), call, frame)
        arguments = [self.evaluate(argument, frame) for argument in call.args[:2]]
        if name in libraries.SAME_FUNCTION and arguments:
            return arguments[0] if arguments[0] else frozenset({External(f"{name}()")})
        if name in libraries.PASS_THROUGH and arguments:
            return arguments[-1] if name == "typing.cast" else arguments[0]
        if name == "builtins.super":
            return self._super(frame)
        if name == "builtins.getattr" and len(call.args) > 1 and isinstance(call.args[1], Constant):
            return self.attributes(arguments[0], str(call.args[1].value), frame)
        if name == "builtins.next" and arguments:
            return self._elements(arguments[0])
        if name == "builtins.type" and len(arguments) == 1:
            return frozenset(part.cls for part in arguments[0] if isinstance(part, Instance))
        if name in ("django.shortcuts.get_object_or_404", "django.shortcuts.aget_object_or_404") and arguments:
            return frozenset(Instance(part, True) for part in arguments[0] if isinstance(part, ClassRef)) | self._elements(arguments[0])
        return frozenset({External(f"{name}()")})

    def _super(self, frame: FunctionRef) -> Objects:
        function = self.function(frame)
        if function.owner is None:
            return NOTHING
        own = ClassRef(frame.path, function.owner)
        receiver = frame.receiver
        cls = receiver.cls if isinstance(receiver, Instance) else receiver or own
        order = self.ancestors(cls)
        after = order[order.index(own) + 1 :] if own in order else self.ancestors(own)[1:]
        return frozenset({Super(tuple(after), receiver or Instance(own))})

    def given(self, function: FunctionRef, call: Call, frame: FunctionRef) -> FunctionRef:
        """The function with the functions and classes that a call passes to it."""
        return give(function, ((name, next(iter(objects))) for name, objects in self.arguments(function, call, frame) if len(objects) == 1))

    def arguments(self, function: FunctionRef, call: Call, frame: FunctionRef) -> Iterator[tuple[str, Objects]]:
        """Parameter names of a function with what a call passes for them."""
        facts = self.function(function)
        names = [p.name for p in facts.parameters if p.kind == "positional"]
        if facts.owner is not None and function.receiver is not None:
            names = names[1:]
        accepted = {p.name for p in facts.parameters}
        for name, value in [*zip(names, call.args), *((n, v) for n, v in call.keywords if n in accepted)]:
            if value is not None and not isinstance(value, Constant):
                yield name, self.evaluate(value, frame)


NOT_CONSTANT = External("not a constant")
"""An option that is given, by something that is no constant."""


def give(function: FunctionRef, pairs: Iterable[tuple[str, Object]]) -> FunctionRef:
    """The function with further names given; what is nested too deeply is forgotten."""
    given = dict(function.given)
    given |= {name: o for name, o in pairs if isinstance(o, (FunctionRef, ClassRef, Task))}
    made = function._replace(given=tuple(sorted(given.items(), key=lambda item: item[0])))
    return made if _nesting(made) <= _DEEPEST_GIVEN else function


def _nesting(o: Object) -> int:
    if isinstance(o, Task):
        return _nesting(o.runs)
    if not isinstance(o, FunctionRef) or not o.given:
        return 0
    return 1 + max(_nesting(inner) for _, inner in o.given)
