"""What is gathered while a file is read: its functions and classes, and the names bound in the scope being read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain

from flake8_deadline.facts import Class, Decorator, Function, Imported, Parameter, Step, Value

DEEPEST = 150
"""How many blocks may stand in each other. The parser allows a hundred levels of indentation; expressions can go deeper."""

_SETTING = re.compile(r"conf|time_limit", re.IGNORECASE)
"""What the target of an assignment bears where a function configures an application or a task."""

Columns = Callable[[int, int], int]
"""Line and byte offset to a column that counts characters from 1."""


class Scope:
    """What is gathered for one function while its body is read."""

    def __init__(self, qualname: str, owner: str | None, parent: str | None) -> None:
        self.qualname, self.owner, self.parent = qualname, owner, parent
        self.bindings: dict[str, list[Value]] = {}
        self.lines: dict[str, list[int]] = {}
        self.guarded: set[int] = set()
        self.returned: list[Value] = []
        self.generator = False
        self.line = 1
        """Where the statement that is being read begins."""
        self.depth = 0
        """In how many blocks it stands."""

    def bind(self, name: str, value: Value) -> None:
        self.bindings.setdefault(name, []).append(value)
        self.lines.setdefault(name, []).append(self.line)
        if self.depth > 1:
            self.guarded.add(self.line)

    def inner(self, name: str) -> str:
        return f"{self.qualname}.<locals>.{name}" if self.qualname else name


class Gathered:
    """The functions and classes of one file so far, and the scope that statements are read in."""

    def __init__(self, columns: Columns) -> None:
        self.functions: list[Function] = []
        self.classes: list[Class] = []
        self.stars: list[Imported] = []
        self.column = columns
        self.scope = Scope("", None, None)
        self._taken: set[str] = set()
        self._depth = 0

    @contextmanager
    def inside(self, scope: Scope) -> Iterator[Scope]:
        """Read in another scope for a while."""
        outside, self.scope = self.scope, scope
        try:
            yield scope
        finally:
            self.scope = outside

    def enter(self) -> None:
        """Read one block deeper. Raises `RecursionError` where nobody would have written it: what follows the steps has to go as deep."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise RecursionError

    def leave(self) -> None:
        self._depth -= 1

    def unique(self, qualname: str, line: int) -> str:
        """A name for a definition; a second one of the same name is told apart by its line."""
        if qualname in self._taken:
            qualname = f"{qualname}@{line}"
        self._taken.add(qualname)
        return qualname

    def function(
        self,
        scope: Scope,
        line: int,
        column: int,
        steps: tuple[Step, ...],
        parameters: tuple[Parameter, ...] = (),
        decorators: tuple[Decorator, ...] = (),
        hint: Value = None,
        asynchronous: bool = False,
    ) -> None:
        """Record the function whose body was read in a scope."""
        lines = {name: tuple(lines) for name, lines in scope.lines.items() if not scope.qualname or _SETTING.search(name)}
        self.functions.append(
            Function(
                qualname=scope.qualname,
                line=line,
                column=column,
                owner=scope.owner,
                parent=scope.parent,
                parameters=parameters,
                decorators=decorators,
                hint=hint,
                returned=tuple(scope.returned),
                bindings={name: tuple(values) for name, values in scope.bindings.items()},
                steps=steps,
                asynchronous=asynchronous,
                generator=scope.generator,
                lines=lines,
                guarded=frozenset(scope.guarded.intersection(chain.from_iterable(lines.values()))),
            )
        )
