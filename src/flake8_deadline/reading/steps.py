"""Statements to steps: how control runs through each function of a file.

Decides the order of calls and what encloses them. Leaves open what a call reaches, what a clause catches and whether a test can be told:
these need other files.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import ClassVar

from flake8_deadline.facts import (
    Assign,
    Both,
    Branch,
    Break,
    Call,
    Constant,
    Continue,
    Each,
    Either,
    Entered,
    Handler,
    Loop,
    Raise,
    Return,
    Sequence,
    Step,
    Try,
    Value,
    With,
)
from flake8_deadline.reading.definitions import Definitions
from flake8_deadline.reading.expressions import Expressions, names
from flake8_deadline.reading.scope import Gathered

Steps = list[Step]


class Statements:
    """Reads the blocks of one file into `gathered`."""

    def __init__(self, gathered: Gathered) -> None:
        self._gathered = gathered
        self._expressions = Expressions(gathered)
        self._values = self._expressions.values
        self._definitions = Definitions(gathered, self._expressions, self.block)

    def module(self, tree: ast.Module) -> None:
        steps = self.block(tree.body)
        self._gathered.function(self._gathered.scope, 1, 1, steps)
        self._expressions.forget()

    def block(self, statements: Iterable[ast.stmt]) -> tuple[Step, ...]:
        out: Steps = []
        self._gathered.enter()
        scope = self._gathered.scope
        scope.depth += 1
        for statement in statements:
            read = self._readers.get(statement.__class__)
            if read:
                scope.line = statement.lineno
                read(self, statement, out)
        scope.depth -= 1
        self._gathered.leave()
        return tuple(out)

    def _column(self, node: ast.stmt | ast.excepthandler) -> int:
        return self._gathered.column(node.lineno, node.col_offset)

    # Simple statements

    def _assign(self, node: ast.Assign, out: Steps) -> None:
        self._expressions.read(node.value, out)
        value = self._values.value(node.value)
        for target in node.targets:
            self._expressions.bind(target, value, out)
            self._expressions.assign(target, node.value, out)

    def _annotated(self, node: ast.AnnAssign, out: Steps) -> None:
        self._expressions.bind(node.target, self._values.hinted(node.annotation), out)
        if node.value is not None:
            self._expressions.read(node.value, out)
            self._expressions.bind(node.target, self._values.value(node.value), out)
            self._expressions.assign(node.target, node.value, out)

    def _augmented(self, node: ast.AugAssign, out: Steps) -> None:
        """What is added to may have been true already."""
        self._expressions.read(node.target, out)
        self._expressions.read(node.value, out)
        name = self._values.value(node.target)
        if isinstance(name, str):
            both: tuple[Value, ...] = (name, self._values.kept(node.value))
            adds, joins = isinstance(node.op, (ast.Add, ast.BitOr)), isinstance(node.op, ast.BitAnd)
            out.append(Assign(node.lineno, name, Either(both) if adds else Both(both) if joins else None))
            self._gathered.scope.bind(name, None)

    def _assert(self, node: ast.Assert, out: Steps) -> None:
        self._expressions.read(node.test, out)
        if isinstance(node.test, ast.Constant) and not node.test.value:
            out.append(Raise(node.lineno, False, "AssertionError"))

    def _delete(self, node: ast.Delete, out: Steps) -> None:
        for target in node.targets:
            self._expressions.read(target, out)

    def _return(self, node: ast.Return, out: Steps) -> None:
        value: Value = Constant(None)
        if node.value is not None:
            self._expressions.read(node.value, out)
            value = self._values.value(node.value)
            self._gathered.scope.returned.append(value)
        out.append(Return(node.lineno, value, self._column(node)))

    def _raise(self, node: ast.Raise, out: Steps) -> None:
        """What makes the exception is no call in which time passes; what is passed to it may be."""
        if isinstance(node.exc, ast.Call):
            for argument in [*node.exc.args, *(keyword.value for keyword in node.exc.keywords)]:
                self._expressions.read(argument, out)
        elif node.exc is not None:
            self._expressions.read(node.exc, out)
        out.append(Raise(node.lineno, node.exc is None, self._values.value(node.exc)))

    # Branches

    def _if(self, node: ast.If, out: Steps) -> None:
        """An `elif` is one more arm. The calls of all tests come first: which of them run is not told apart."""
        line, tests, arms = node.lineno, list[Value](), list[tuple[Step, ...]]()
        rest: list[ast.stmt] = [node]
        while len(rest) == 1 and isinstance(rest[0], ast.If):
            node = rest[0]
            self._expressions.read(node.test, out)
            tests.append(self._values.value(node.test))
            arms.append(self.block(node.body))
            rest = node.orelse
        arms.append(self.block(rest))
        if any(arms):
            out.append(Branch(line, tuple(tests), tuple(arms)))

    def _match(self, node: ast.Match, out: Steps) -> None:
        self._expressions.read(node.subject, out)
        subject = self._values.value(node.subject)
        tests: list[Value] = []
        arms: list[tuple[Step, ...]] = []
        for case in node.cases:
            self._bind_pattern(case.pattern)
            arms.append(self.block(case.body))
            if case.guard is None and isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None:
                break
            tests.append(None if case.guard else self._class_test(subject, case.pattern))
        else:
            arms.append(())
        if any(arms):
            out.append(Branch(node.lineno, tuple(tests), tuple(arms)))

    def _class_test(self, subject: Value, pattern: ast.pattern) -> Value:
        """`case Cls():` says what `isinstance(subject, Cls)` says."""
        if isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
            return self._class_test(subject, pattern.pattern)
        patterns = pattern.patterns if isinstance(pattern, ast.MatchOr) else [pattern]
        classes = [
            self._values.value(part.cls) for part in patterns if isinstance(part, ast.MatchClass) and not part.patterns and not part.kwd_patterns
        ]
        if len(classes) != len(patterns):
            return None
        return Call(pattern.lineno, pattern.col_offset, "isinstance", (subject, Sequence(tuple(classes))))

    def _bind_pattern(self, pattern: ast.pattern) -> None:
        for part in ast.walk(pattern):
            name = getattr(part, "name", None) or getattr(part, "rest", None)
            if name:
                self._gathered.scope.bind(name, None)

    # Loops

    def _for(self, node: ast.For | ast.AsyncFor, out: Steps) -> None:
        self._expressions.read(node.iter, out)
        over = self._values.value(node.iter)
        self._expressions.bind(node.target, Each(over), out)
        kind = "for" if isinstance(node, ast.For) else "async for"
        out.append(Loop(node.lineno, self._column(node), kind, over, names(node.target), self.block(node.body), self.block(node.orelse)))

    def _while(self, node: ast.While, out: Steps) -> None:
        test: Steps = []
        self._expressions.read(node.test, test)
        kind = "forever" if isinstance(node.test, ast.Constant) and node.test.value else "while"
        body = (*test, *self.block(node.body))
        out.append(Loop(node.lineno, self._column(node), kind, self._values.value(node.test), (), body, self.block(node.orelse)))

    # Guards

    def _try(self, node: ast.Try, out: Steps) -> None:
        body = self.block(node.body)
        handlers = tuple([self._handler(handler) for handler in node.handlers])
        star = not isinstance(node, ast.Try)
        out.append(Try(node.lineno, star, body, handlers, self.block(node.orelse), self.block(node.finalbody)))

    def _handler(self, node: ast.ExceptHandler) -> Handler:
        if node.name:
            self._gathered.scope.bind(node.name, None)
        return Handler(node.lineno, self._column(node), self._values.value(node.type), node.type is None, node.name, self.block(node.body))

    def _with(self, node: ast.With | ast.AsyncWith, out: Steps) -> None:
        items: list[Value] = []
        for item in node.items:
            self._expressions.read(item.context_expr, out)
            value = self._values.value(item.context_expr)
            items.append(value)
            if item.optional_vars is not None:
                self._expressions.bind(item.optional_vars, Entered(value), out)
                self._expressions.assign(item.optional_vars, None, out)
        out.append(With(node.lineno, self._column(node), tuple(items), self.block(node.body), isinstance(node, ast.AsyncWith)))

    _readers: ClassVar[dict[type[ast.stmt], Callable[..., None]]] = {
        ast.Expr: lambda self, node, out: self._expressions.read(node.value, out, discarded=True),
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
        ast.Assert: _assert,
        ast.Delete: _delete,
        ast.Return: _return,
        ast.Raise: _raise,
        ast.If: _if,
        ast.Match: _match,
        ast.For: _for,
        ast.AsyncFor: _for,
        ast.While: _while,
        ast.Try: _try,
        getattr(ast, "TryStar", ast.Try): _try,
        ast.With: _with,
        ast.AsyncWith: _with,
        ast.Break: lambda self, node, out: out.append(Break(node.lineno, self._column(node))),
        ast.Continue: lambda self, node, out: out.append(Continue(node.lineno, self._column(node))),
        ast.FunctionDef: lambda self, node, out: self._definitions.define(node),
        ast.AsyncFunctionDef: lambda self, node, out: self._definitions.define(node),
        ast.ClassDef: lambda self, node, out: self._definitions.classes(node),
        ast.Import: lambda self, node, out: self._definitions.imports(node),
        ast.ImportFrom: lambda self, node, out: self._definitions.imports_from(node),
    }
