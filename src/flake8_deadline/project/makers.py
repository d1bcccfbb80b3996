"""Task decorators and their options: what `shared_task(…)`, `app.task(fn)` and a project's own factory make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from flake8_deadline.facts import Call, Constant, Function, Hint, Imported, Table, Value
from flake8_deadline.project.objects import ClassRef, External, FunctionRef, Maker, Module, Objects, Task

if TYPE_CHECKING:
    from flake8_deadline.project.inference import Inference

NOT_CONSTANT = External("not a constant")
"""An option that is given, by something that is no constant."""
UNSEEN = "**"
"""The name under which options stand that are given as a whole and cannot be read."""

Pair = tuple[str, Value]


class Makers:
    def __init__(self, inference: Inference) -> None:
        self._inference = inference

    def made(self, maker: Maker, call: Call, frame: FunctionRef) -> Objects:
        """What calling a task decorator gives: a task where it is given a function, otherwise a decorator that knows the options."""
        functions = [o for argument in call.args[:1] for o in self._inference.evaluate(argument, frame) if isinstance(o, FunctionRef)]
        informed = self.options(call, frame, maker)
        if functions:
            return frozenset(Task(function, function, informed) for function in functions)
        return frozenset({informed})

    def partial(self, call: Call, frame: FunctionRef) -> Objects:
        """`partial(shared_task, soft_time_limit=60)` is a decorator with options."""
        makers = [self._inference.decorators.maker(o) for o in self._inference.evaluate(call.args[0], frame)]
        return frozenset(self.options(call, frame, maker) for maker in makers if maker)

    def options(self, call: Call, frame: FunctionRef, maker: Maker) -> Maker:
        """The decorator with the options of a call added."""
        options, open_, base = dict(maker.options), maker.open, maker.base
        for name, value in self._given(call.keywords, frame):
            if name == UNSEEN and self._is_handed_on(value, frame):
                open_ = True
            elif name == "base":
                base = next((o for o in sorted(self._inference.evaluate(value, frame), key=repr) if isinstance(o, ClassRef)), base)
            else:
                constant = self.constant(value, frame)
                options[name] = constant.value if constant and name != UNSEEN else NOT_CONSTANT
        return Maker(tuple(options.items()), open_, base, maker.queue)

    def _given(self, pairs: Iterable[Pair], frame: FunctionRef, followed: tuple[str, ...] = ()) -> Iterator[Pair]:
        """Options by name: also those of a table on the spot, and those that a function adds to the options it hands on."""
        for name, value in pairs:
            if name == UNSEEN and isinstance(value, Table):
                yield from self._given(_pairs(value), frame, followed)
            else:
                yield name, value
            if name == UNSEEN and isinstance(value, str) and value not in followed and self._is_handed_on(value, frame):
                yield from self._given(self._added(value, frame), frame, (*followed, value))

    def _is_handed_on(self, value: Value, frame: FunctionRef) -> bool:
        """Whether a value is what the function, one around it or the instance's constructor was given as `**options`."""
        return isinstance(value, str) and any(
            _takes(function, value)
            or any(_takes(method, given) for method in self._methods(function, frame) for given in method.bindings.get(value, ()))
            for function in self._around(frame)
        )

    def _added(self, name: str, frame: FunctionRef) -> Iterator[Pair]:
        """What the functions around a call, and the methods beside it, put into a dict: `name["time_limit"] = 60`, `name.setdefault(…)`."""
        functions = {f.qualname: f for around in self._around(frame) for f in (around, *(self._methods(around, frame) if "." in name else ()))}
        for function in functions.values():
            for target, values in function.bindings.items():
                if target == name:
                    yield from ((UNSEEN, value) for value in values if value != name and not _takes(function, value))
                elif target.startswith(f"{name}["):
                    yield from ((target[len(name) + 1 : -1], value) for value in values)
            for site in self._inference.modules.source(frame.path).sites(function.qualname):
                if isinstance(site.step, Call):
                    yield from _put(name, site.step)

    def _around(self, frame: FunctionRef) -> Iterator[Function]:
        """The function of a frame and those around it, the module's body last."""
        functions = self._inference.modules.source(frame.path).functions
        qualname: str | None = frame.qualname
        while qualname is not None:
            yield functions[qualname]
            qualname = functions[qualname].parent

    def _methods(self, function: Function, frame: FunctionRef) -> list[Function]:
        """The methods of the class that a function stands in."""
        return self._inference.modules.source(frame.path).methods[function.owner] if function.owner is not None else []

    def constant(self, value: Value, frame: FunctionRef, asked: tuple[str, ...] = ()) -> Constant | None:
        """The constant a value is, through names and imports; `asked` are the files whose imports led here."""
        if isinstance(value, Constant):
            return value
        if isinstance(value, str) and "." not in value:
            for function in self._around(frame):
                if value in function.bindings:
                    bound = [self._imported_constant(part, frame, asked) for part in function.bindings[value] if not isinstance(part, Hint)]
                    return bound[0] if len(bound) == 1 else None
        return None

    def _imported_constant(self, value: Value, frame: FunctionRef, asked: tuple[str, ...]) -> Constant | None:
        if isinstance(value, Imported) and value.name is not None:
            module = self._inference.modules.imported(frame.path, value)
            if isinstance(module, Module) and module.path and module.path not in (frame.path, *asked):
                return self.constant(value.name, FunctionRef(module.path, ""), (*asked, frame.path))
            return None
        return value if isinstance(value, Constant) else None


def _takes(function: Function, value: Value) -> bool:
    """Whether a value is what a function is given as `**options`."""
    return any(p.name == value and p.kind == "**" for p in function.parameters)


def _pairs(table: Table) -> Iterator[Pair]:
    for key, value in table.items:
        yield str(key.value) if isinstance(key, Constant) else UNSEEN, value


def _put(name: str, call: Call) -> Iterator[Pair]:
    """What a call puts into a dict."""
    if call.func == f"{name}.setdefault" and len(call.args) == 2 and isinstance(call.args[0], Constant):
        yield str(call.args[0].value), call.args[1]
    elif call.func == f"{name}.update":
        yield from [*((UNSEEN, argument) for argument in call.args), *call.keywords]
    elif name in call.args:
        yield UNSEEN, None
