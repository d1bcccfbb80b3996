"""Definitions and imports: the functions and classes of a file, and the names that imports bind."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from flake8_deadline.facts import Class, Decorator, Defined, Imported, Step
from flake8_deadline.reading.expressions import Expressions
from flake8_deadline.reading.scope import Gathered, Scope

Block = Callable[[Iterable[ast.stmt]], tuple[Step, ...]]


class Definitions:
    """`block` reads a body in the scope that is being read."""

    def __init__(self, gathered: Gathered, expressions: Expressions, block: Block) -> None:
        self._gathered = gathered
        self._expressions = expressions
        self._values = expressions.values
        self._block = block

    def define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        scope = self._gathered.scope
        scope.bind(node.name, Defined(self._function(node, scope.inner(node.name), None)))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, qualname: str, owner: str | None) -> str:
        qualname = self._gathered.unique(qualname, node.lineno)
        decorators = self._decorators(node)
        parameters, hint = self._expressions.parameters(node.args), self._values.hint(node.returns)
        column = self._gathered.column(node.lineno, node.col_offset)
        with self._gathered.inside(Scope(qualname, owner, self._gathered.scope.qualname)) as scope:
            steps = self._block(node.body)
        asynchronous = isinstance(node, ast.AsyncFunctionDef)
        self._gathered.function(scope, node.lineno, column, steps, parameters, decorators, hint, asynchronous)
        return qualname

    def _decorators(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> tuple[Decorator, ...]:
        """Each with the column of its `@`."""
        column = self._gathered.column
        return tuple([Decorator(d.lineno, max(1, column(d.lineno, d.col_offset) - 1), self._values.value(d)) for d in node.decorator_list])

    def classes(self, node: ast.ClassDef) -> None:
        scope = self._gathered.scope
        qualname = scope.inner(node.name)
        scope.bind(node.name, Defined(qualname))
        self._class(node, qualname)

    def _class(self, node: ast.ClassDef, qualname: str) -> None:
        outside = self._gathered.scope
        bases = tuple([self._values.value(base) for base in node.bases])
        decorators = self._decorators(node)
        with self._gathered.inside(Scope(outside.qualname, qualname, outside.parent)) as scope:
            self._class_body(node.body, qualname)
        column = self._gathered.column(node.lineno, node.col_offset)
        bindings = {name: tuple(values) for name, values in scope.bindings.items()}
        lines = {name: tuple(lines) for name, lines in scope.lines.items()}
        guarded = frozenset(scope.guarded)
        self._gathered.classes.append(Class(qualname, node.lineno, column, outside.qualname, bases, decorators, bindings, lines, guarded))

    def _class_body(self, statements: Iterable[ast.stmt], qualname: str) -> None:
        scope = self._gathered.scope
        for statement in statements:
            scope.line = statement.lineno
            match statement:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    scope.bind(statement.name, Defined(self._function(statement, f"{qualname}.{statement.name}", qualname)))
                case ast.ClassDef():
                    scope.bind(statement.name, Defined(f"{qualname}.{statement.name}"))
                    self._class(statement, f"{qualname}.{statement.name}")
                case ast.If():
                    self._guarded([*statement.body, *statement.orelse], qualname)
                case ast.Try():
                    handled = [inner for handler in statement.handlers for inner in handler.body]
                    self._guarded([*statement.body, *handled, *statement.orelse, *statement.finalbody], qualname)
                case ast.Assign() | ast.AnnAssign() | ast.Import() | ast.ImportFrom():
                    self._block([statement])

    def _guarded(self, statements: Iterable[ast.stmt], qualname: str) -> None:
        """A block of a class body that may not be run."""
        scope = self._gathered.scope
        scope.depth += 1
        self._class_body(statements, qualname)
        scope.depth -= 1

    def imports(self, node: ast.Import) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            self._gathered.scope.bind(name, Imported(alias.name if alias.asname else name, 0, None))

    def imports_from(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            imported = Imported(node.module or "", node.level, alias.name)
            if alias.name == "*":
                self._gathered.stars.append(imported)
            else:
                self._gathered.scope.bind(alias.asname or alias.name, imported)
