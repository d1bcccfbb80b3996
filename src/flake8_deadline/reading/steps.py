"""Statements to steps: how control runs through each function of a file, and what every name in it is ever given.

Decides the order of calls and what encloses them. Leaves open what a call reaches, what a clause catches and whether a test can be told:
these need other files.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from flake8_deadline.facts import (
    Assign,
    Branch,
    Break,
    Call,
    Class,
    Constant,
    Continue,
    Decorator,
    Defined,
    Each,
    Entered,
    Function,
    Handler,
    Imported,
    Loop,
    Parameter,
    Part,
    Raise,
    Return,
    Sequence,
    Step,
    Try,
    Value,
    With,
    Yield,
)
from flake8_deadline.reading.values import Values

Columns = Callable[[int, int], int]
"""Line and byte offset to a column that counts characters from 1."""

_LEAVES = (ast.Name, ast.Constant)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


class Scope:
    """What is gathered for one function while its body is read."""

    def __init__(self, qualname: str, owner: str | None, parent: str | None) -> None:
        self.qualname, self.owner, self.parent = qualname, owner, parent
        self.bindings: dict[str, list[Value]] = {}
        self.returned: list[Value] = []
        self.generator = False

    def bind(self, name: str, value: Value) -> None:
        self.bindings.setdefault(name, []).append(value)

    def inner(self, name: str) -> str:
        return f"{self.qualname}.<locals>.{name}" if self.qualname else name


class Reader:
    """Reads one module into functions and classes. `columns` turns byte offsets into columns."""

    def __init__(self, columns: Columns) -> None:
        self.functions: list[Function] = []
        self.classes: list[Class] = []
        self.stars: list[Imported] = []
        self._columns = columns
        self._scope = Scope("", None, None)
        self._lambdas: dict[ast.Lambda, str] = {}
        self._values = Values(self._lambda)
        self._statements: dict[type[ast.stmt], Callable[..., None]] = {
            ast.Expr: lambda node, out: self._expression(node.value, out, discarded=True),
            ast.Assign: self._assign,
            ast.AnnAssign: self._annotated,
            ast.AugAssign: lambda node, out: self._expression(node.value, out),
            ast.Return: self._return,
            ast.Raise: self._raise,
            ast.If: self._if,
            ast.For: self._for,
            ast.AsyncFor: self._for,
            ast.While: self._while,
            ast.Try: self._try,
            ast.With: self._with,
            ast.AsyncWith: self._with,
            ast.Match: self._match,
            ast.FunctionDef: self._define,
            ast.AsyncFunctionDef: self._define,
            ast.ClassDef: self._class,
            ast.Import: self._import,
            ast.ImportFrom: self._import_from,
            ast.Break: lambda node, out: out.append(Break(node.lineno)),
            ast.Continue: lambda node, out: out.append(Continue(node.lineno)),
            ast.Assert: lambda node, out: self._expression(node.test, out),
            ast.Delete: lambda node, out: [self._expression(target, out) for target in node.targets] and None,
        }
        if hasattr(ast, "TryStar"):
            self._statements[ast.TryStar] = self._try

    def module(self, tree: ast.Module) -> None:
        scope = self._scope
        steps = self._block(tree.body)
        self.functions.append(_function(scope, 1, 1, (), (), None, steps))

    # Blocks and statements

    def _block(self, statements: Iterable[ast.stmt]) -> tuple[Step, ...]:
        out: list[Step] = []
        for statement in statements:
            read = self._statements.get(statement.__class__)
            if read:
                read(statement, out)
        return tuple(out)

    def _assign(self, node: ast.Assign, out: list[Step]) -> None:
        self._expression(node.value, out)
        value = self._values.value(node.value)
        for target in node.targets:
            self._bind(target, value, out)
        if isinstance(node.targets[0], ast.Name) and (isinstance(value, (Constant, Call)) or (isinstance(value, str) and "." not in value)):
            out.append(Assign(node.lineno, node.targets[0].id, value))

    def _annotated(self, node: ast.AnnAssign, out: list[Step]) -> None:
        self._bind(node.target, self._values.hinted(node.annotation), out)
        if node.value is not None:
            self._expression(node.value, out)
            self._bind(node.target, self._values.value(node.value), out)

    def _bind(self, target: ast.expr, value: Value, out: list[Step]) -> None:
        if isinstance(target, ast.Name):
            self._scope.bind(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for index, part in enumerate(target.elts):
                self._bind(part, Part(value, index), out)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, None, out)
        elif isinstance(target, ast.Attribute):
            name = self._values.value(target)
            if isinstance(name, str):
                self._scope.bind(name, value)
            else:
                self._expression(target.value, out)
        elif isinstance(target, ast.Subscript):
            of = self._values.value(target.value)
            if isinstance(of, str) and isinstance(target.slice, ast.Constant) and isinstance(target.slice.value, str):
                self._scope.bind(f"{of}[{target.slice.value}]", value)
            self._expression(target, out)

    def _return(self, node: ast.Return, out: list[Step]) -> None:
        if node.value is not None:
            self._expression(node.value, out)
            value = self._values.value(node.value)
            self._scope.returned.append(value)
            out.append(Return(node.lineno, value))
        else:
            out.append(Return(node.lineno))

    def _raise(self, node: ast.Raise, out: list[Step]) -> None:
        value = node.exc
        if isinstance(value, ast.Call):
            for argument in [*value.args, *(keyword.value for keyword in value.keywords)]:
                self._expression(argument, out)
        elif value is not None:
            self._expression(value, out)
        out.append(Raise(node.lineno, value is None, self._values.value(value)))

    def _if(self, node: ast.If, out: list[Step]) -> None:
        self._expression(node.test, out)
        arms = (self._block(node.body), self._block(node.orelse))
        if arms != ((), ()):
            out.append(Branch(node.lineno, (self._values.value(node.test),), arms))

    def _match(self, node: ast.Match, out: list[Step]) -> None:
        self._expression(node.subject, out)
        subject = self._values.value(node.subject)
        tests: list[Value] = []
        arms: list[tuple[Step, ...]] = []
        for case in node.cases:
            self._pattern(case.pattern)
            body = self._block(case.body)
            if case.guard is None and isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None:
                arms.append(body)
                break
            tests.append(None if case.guard else self._class_test(subject, case.pattern))
            arms.append(body)
        else:
            arms.append(())
        if any(arms):
            out.append(Branch(node.lineno, tuple(tests), tuple(arms)))

    def _class_test(self, subject: Value, pattern: ast.pattern) -> Value:
        if isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
            return self._class_test(subject, pattern.pattern)
        patterns = pattern.patterns if isinstance(pattern, ast.MatchOr) else [pattern]
        classes = [self._values.value(part.cls) for part in patterns if isinstance(part, ast.MatchClass) and not part.patterns and not part.kwd_patterns]
        if len(classes) != len(patterns):
            return None
        return Call(pattern.lineno, pattern.col_offset, "isinstance", (subject, Sequence(tuple(classes))))

    def _pattern(self, pattern: ast.pattern) -> None:
        for part in ast.walk(pattern):
            name = getattr(part, "name", None) or getattr(part, "rest", None)
            if name:
                self._scope.bind(name, None)

    def _for(self, node: ast.For | ast.AsyncFor, out: list[Step]) -> None:
        self._expression(node.iter, out)
        over = self._values.value(node.iter)
        self._bind(node.target, Each(over), out)
        kind = "for" if isinstance(node, ast.For) else "async for"
        out.append(self._loop(node, kind, over, _names(node.target), self._block(node.body), self._block(node.orelse)))

    def _while(self, node: ast.While, out: list[Step]) -> None:
        test: list[Step] = []
        self._expression(node.test, test)
        forever = isinstance(node.test, ast.Constant) and bool(node.test.value)
        over = self._values.value(node.test)
        body = (*test, *self._block(node.body))
        out.append(self._loop(node, "forever" if forever else "while", over, (), body, self._block(node.orelse)))

    def _loop(
        self, node: ast.stmt | ast.expr, kind: str, over: Value, targets: tuple[str, ...], body: tuple[Step, ...], otherwise: tuple[Step, ...] = ()
    ) -> Loop:
        return Loop(node.lineno, self._columns(node.lineno, node.col_offset), kind, over, targets, body, otherwise)

    def _try(self, node: ast.Try, out: list[Step]) -> None:
        body = self._block(node.body)
        handlers = tuple([self._handler(handler) for handler in node.handlers])
        star = not isinstance(node, ast.Try)
        out.append(Try(node.lineno, star, body, handlers, self._block(node.orelse), self._block(node.finalbody)))

    def _handler(self, node: ast.ExceptHandler) -> Handler:
        if node.name:
            self._scope.bind(node.name, None)
        column = self._columns(node.lineno, node.col_offset)
        return Handler(node.lineno, column, self._values.value(node.type), node.type is None, node.name, self._block(node.body))

    def _with(self, node: ast.With | ast.AsyncWith, out: list[Step]) -> None:
        items: list[Value] = []
        for item in node.items:
            self._expression(item.context_expr, out)
            value = self._values.value(item.context_expr)
            items.append(value)
            if item.optional_vars is not None:
                self._bind(item.optional_vars, Entered(value), out)
        column = self._columns(node.lineno, node.col_offset)
        out.append(With(node.lineno, column, tuple(items), self._block(node.body), isinstance(node, ast.AsyncWith)))

    # Definitions and imports

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef, out: list[Step]) -> None:
        self._scope.bind(node.name, Defined(self._function(node, self._scope.inner(node.name), None)))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, qualname: str, owner: str | None) -> str:
        qualname = self._unique(qualname, node.lineno)
        outside = self._scope
        decorators = tuple([self._decorator(decorator) for decorator in node.decorator_list])
        parameters, hint = self._parameters(node.args), self._values.hint(node.returns)
        self._scope = Scope(qualname, owner, outside.qualname)
        steps = self._block(node.body)
        column = self._columns(node.lineno, node.col_offset)
        asynchronous = isinstance(node, ast.AsyncFunctionDef)
        self.functions.append(_function(self._scope, node.lineno, column, parameters, decorators, hint, steps, asynchronous))
        self._scope = outside
        return qualname

    def _unique(self, qualname: str, line: int) -> str:
        taken = any(function.qualname == qualname for function in self.functions[-200:])
        return f"{qualname}@{line}" if taken else qualname

    def _decorator(self, node: ast.expr) -> Decorator:
        return Decorator(node.lineno, max(1, self._columns(node.lineno, node.col_offset) - 1), self._values.value(node))

    def _parameters(self, arguments: ast.arguments) -> tuple[Parameter, ...]:
        value, hint = self._values.value, self._values.hint
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
        defaults += arguments.defaults
        found = [Parameter(a.arg, hint(a.annotation), value(d), "positional") for a, d in zip(positional, defaults)]
        if arguments.vararg:
            found.append(Parameter(arguments.vararg.arg, None, None, "*"))
        found += [Parameter(a.arg, hint(a.annotation), value(d), "keyword") for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults)]
        if arguments.kwarg:
            found.append(Parameter(arguments.kwarg.arg, None, None, "**"))
        return tuple(found)

    def _lambda(self, node: ast.Lambda) -> str:
        qualname = self._lambdas.get(node)
        if qualname is None:
            qualname = self._lambdas[node] = self._scope.inner(f"<lambda:{node.lineno}:{node.col_offset}>")
            outside, parameters = self._scope, self._parameters(node.args)
            self._scope = Scope(qualname, None, outside.qualname)
            out: list[Step] = []
            self._expression(node.body, out)
            self._scope.returned.append(self._values.value(node.body))
            column = self._columns(node.lineno, node.col_offset)
            self.functions.append(_function(self._scope, node.lineno, column, parameters, (), None, tuple(out)))
            self._scope = outside
        return qualname

    def _class(self, node: ast.ClassDef, out: list[Step], inside: str | None = None) -> None:
        qualname = f"{inside}.{node.name}" if inside else self._scope.inner(node.name)
        if inside is None:
            self._scope.bind(node.name, Defined(qualname))
        outside = self._scope
        bases = tuple([self._values.value(base) for base in node.bases])
        decorators = tuple([self._decorator(decorator) for decorator in node.decorator_list])
        self._scope = Scope(outside.qualname, qualname, outside.parent)
        self._class_body(node.body, qualname)
        bindings = {name: tuple(values) for name, values in self._scope.bindings.items()}
        self._scope = outside
        column = self._columns(node.lineno, node.col_offset)
        self.classes.append(Class(qualname, node.lineno, column, outside.qualname, bases, decorators, bindings))

    def _class_body(self, statements: Iterable[ast.stmt], qualname: str) -> None:
        for statement in statements:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._scope.bind(statement.name, Defined(self._function(statement, f"{qualname}.{statement.name}", qualname)))
            elif isinstance(statement, ast.ClassDef):
                self._scope.bind(statement.name, Defined(f"{qualname}.{statement.name}"))
                self._class(statement, [], qualname)
            elif isinstance(statement, (ast.If, ast.Try)):
                for part in (statement.body, statement.orelse, *(h.body for h in getattr(statement, "handlers", ()))):
                    self._class_body(part, qualname)
            elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom)):
                self._block([statement])

    def _import(self, node: ast.Import, out: list[Step]) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            self._scope.bind(name, Imported(alias.name if alias.asname else name, 0, None))

    def _import_from(self, node: ast.ImportFrom, out: list[Step]) -> None:
        for alias in node.names:
            imported = Imported(node.module or "", node.level, alias.name)
            if alias.name == "*":
                self.stars.append(imported)
            else:
                self._scope.bind(alias.asname or alias.name, imported)

    # Expressions: the calls in them, in the order they run

    def _expression(self, node: ast.AST, out: list[Step], awaited: bool = False, discarded: bool = False) -> None:
        while isinstance(node, ast.Attribute):
            node = node.value
        if isinstance(node, _LEAVES):
            return
        if isinstance(node, ast.Call):
            self._expression(node.func, out)
            for argument in node.args:
                self._expression(argument, out)
            for keyword in node.keywords:
                self._expression(keyword.value, out)
            out.append(self._values.call(node, awaited, discarded))
        elif isinstance(node, ast.Await):
            self._expression(node.value, out, True, discarded)
        elif isinstance(node, ast.Lambda):
            self._lambda(node)
        elif isinstance(node, _COMPREHENSIONS):
            self._comprehension(node, out)
        elif isinstance(node, (ast.Yield, ast.YieldFrom)):
            if node.value is not None:
                self._expression(node.value, out)
            self._scope.generator = True
            out.append(Yield(node.lineno))
        else:
            if isinstance(node, ast.NamedExpr):
                self._bind(node.target, self._values.value(node.value), out)
            for child in ast.iter_child_nodes(node):
                self._expression(child, out)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, out: list[Step]) -> None:
        self._expression(node.generators[0].iter, out)
        body: list[Step] = []
        for index, generator in enumerate(node.generators):
            if index:
                self._expression(generator.iter, body)
            self._bind(generator.target, Each(self._values.value(generator.iter)), body)
            for test in generator.ifs:
                self._expression(test, body)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self._expression(part, body)
        if body:
            over = self._values.value(node.generators[0].iter)
            out.append(self._loop(node, "comprehension", over, _names(node.generators[0].target), tuple(body)))


def _names(target: ast.expr) -> tuple[str, ...]:
    if isinstance(target, ast.Name):
        return (target.id,)
    return tuple([node.id for node in ast.walk(target) if isinstance(node, ast.Name)])


def _function(
    scope: Scope,
    line: int,
    column: int,
    parameters: tuple[Parameter, ...],
    decorators: tuple[Decorator, ...],
    hint: Value,
    steps: tuple[Step, ...],
    asynchronous: bool = False,
) -> Function:
    bindings = {name: tuple(values) for name, values in scope.bindings.items()}
    return Function(
        scope.qualname, line, column, scope.owner, scope.parent, parameters, decorators, hint,
        tuple(scope.returned), bindings, steps, asynchronous, scope.generator,
    )  # fmt: skip
