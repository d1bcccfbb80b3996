"""Task decorators and their options: what `shared_task(…)`, `app.task(fn)` and a project's own factory make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flake8_deadline.facts import Call, Constant, Function, Imported, Table, Value
from flake8_deadline.project.objects import ClassRef, External, FunctionRef, Maker, Module, Objects, Task

if TYPE_CHECKING:
    from flake8_deadline.project.inference import Inference

NOT_CONSTANT = External("not a constant")
"""An option that is given, by something that is no constant."""


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
        for name, value in call.keywords:
            if name == "**":
                table = value if isinstance(value, Table) else None
                for key, part in table.items if table else ():
                    if isinstance(key, Constant) and isinstance(part, Constant):
                        options[str(key.value)] = part.value
                open_ = open_ or table is None
            elif name == "base":
                base = next((o for o in sorted(self._inference.evaluate(value, frame), key=repr) if isinstance(o, ClassRef)), base)
            else:
                constant = self.constant(value, frame)
                options[name] = constant.value if constant else NOT_CONSTANT
        return Maker(tuple(options.items()), open_, base)

    def constant(self, value: Value, frame: FunctionRef) -> Constant | None:
        """The constant a value is, through names and imports."""
        if isinstance(value, Constant):
            return value
        if isinstance(value, str) and "." not in value:
            function: Function | None = self._inference.function(frame)
            while function is not None:
                if value in function.bindings:
                    bound = [self._imported_constant(part, frame) for part in function.bindings[value]]
                    return bound[0] if len(bound) == 1 else None
                function = self._inference.modules.source(frame.path).functions[function.parent] if function.parent is not None else None
        return None

    def _imported_constant(self, value: Value, frame: FunctionRef) -> Constant | None:
        if isinstance(value, Imported) and value.name is not None:
            module = self._inference.modules.imported(frame.path, value)
            if isinstance(module, Module) and module.path and module.path != frame.path:
                return self.constant(value.name, FunctionRef(module.path, ""))
            return None
        return value if isinstance(value, Constant) else None
