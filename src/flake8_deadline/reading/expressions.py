"""Expressions to steps: the calls in them, in the order they run, and what their targets are bound to."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flake8_deadline.facts import Access, Assign, Both, Branch, Constant, Each, Either, Item, Loop, Parameter, Part, Return, Step, Value, Yield
from flake8_deadline.reading.scope import Gathered, Scope
from flake8_deadline.reading.values import Values

_LEAVES = (ast.Name, ast.Constant)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_LONGEST_CHAIN = 8


class Expressions:
    def __init__(self, gathered: Gathered) -> None:
        self._gathered = gathered
        self._lambdas: dict[ast.Lambda, str] = {}
        self.values = Values(self._lambda)

    def forget(self) -> None:
        """Let the file's tree go, as soon as it is read and not only when garbage is next collected."""
        self._lambdas.clear()
        self.values.forget()

    def read(self, node: ast.AST, out: list[Step], awaited: bool = False, discarded: bool = False) -> None:
        """Append the calls in an expression to `out`, in the order they run."""
        if isinstance(node, _LEAVES):
            return
        if isinstance(node, ast.Attribute):
            self.read(node.value, out)
            out.append(Access(node.lineno, self.values.value(node)))
        elif isinstance(node, ast.Call):
            self._call(node, out, awaited, discarded)
        elif isinstance(node, ast.Await):
            self.read(node.value, out, True, discarded)
        elif isinstance(node, ast.Lambda):
            self._lambda(node)
        elif isinstance(node, _COMPREHENSIONS):
            self._comprehension(node, out)
        elif isinstance(node, (ast.Yield, ast.YieldFrom)):
            self._yield(node, out)
        elif isinstance(node, ast.BinOp):
            self._operands(node, out)
        elif isinstance(node, ast.IfExp):
            self._either(node, out)
        elif isinstance(node, ast.BoolOp):
            self._boolean(node, out)
        else:
            for child in ast.iter_child_nodes(node):
                self.read(child, out)
            if isinstance(node, ast.NamedExpr):
                self.bind(node.target, self.values.value(node.value), out)
                self.assign(node.target, node.value, out)

    def _call(self, node: ast.Call, out: list[Step], awaited: bool, discarded: bool) -> None:
        self.read(node.func.value if isinstance(node.func, ast.Attribute) else node.func, out)
        for argument in node.args:
            self.read(argument, out)
        for keyword in node.keywords:
            self.read(keyword.value, out)
        out.append(self.values.call(node, awaited, discarded))

    def _yield(self, node: ast.Yield | ast.YieldFrom, out: list[Step]) -> None:
        if node.value is not None:
            self.read(node.value, out)
        self._gathered.scope.generator = True
        out.append(Yield(node.lineno))

    def _operands(self, node: ast.BinOp, out: list[Step]) -> None:
        """From the left, without a call for each: a long text may be joined of a thousand lines."""
        operands = [node.right]
        left = node.left
        while isinstance(left, ast.BinOp):
            operands.append(left.right)
            left = left.left
        for operand in (left, *reversed(operands)):
            self.read(operand, out)

    def _either(self, node: ast.IfExp, out: list[Step]) -> None:
        self.read(node.test, out)
        self._branch(node, self.values.value(node.test), self._steps(node.body), self._steps(node.orelse), out)

    def _boolean(self, node: ast.BoolOp, out: list[Step]) -> None:
        """An operand runs if all before it are true (`and`) or none is (`or`)."""
        self.read(node.values[0], out)
        before: list[Value] = [self.values.value(node.values[0])]
        for operand in node.values[1:]:
            steps = self._steps(operand)
            told = tuple(before) if len(before) <= _LONGEST_CHAIN else (None,)
            if isinstance(node.op, ast.And):
                self._branch(operand, Both(told), steps, (), out)
            else:
                self._branch(operand, Either(told), (), steps, out)
            before.append(self.values.value(operand))

    def _steps(self, node: ast.expr) -> tuple[Step, ...]:
        out: list[Step] = []
        self._gathered.enter()
        self.read(node, out)
        self._gathered.leave()
        return tuple(out)

    def _branch(self, node: ast.expr, test: Value, then: tuple[Step, ...], otherwise: tuple[Step, ...], out: list[Step]) -> None:
        if then or otherwise:
            out.append(Branch(node.lineno, (test,), (then, otherwise)))

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, out: list[Step]) -> None:
        self.read(node.generators[0].iter, out)
        body: list[Step] = []
        self._gathered.enter()
        for index, generator in enumerate(node.generators):
            if index:
                self.read(generator.iter, body)
            self.bind(generator.target, Each(self.values.value(generator.iter)), body)
            for test in generator.ifs:
                self.read(test, body)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self.read(part, body)
        self._gathered.leave()
        if body:
            over = self.values.value(node.generators[0].iter)
            column = self._gathered.column(node.lineno, node.col_offset)
            out.append(Loop(node.lineno, column, "comprehension", over, names(node.generators[0].target), tuple(body)))

    def bind(self, target: ast.expr, value: Value, out: list[Step]) -> None:
        """Bind a target of an assignment, a loop or a context; the calls in the target itself are read as well."""
        if isinstance(target, ast.Name):
            self._gathered.scope.bind(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for index, part in enumerate(target.elts):
                self.bind(part, Part(value, index), out)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, None, out)
        elif isinstance(target, ast.Attribute):
            name = self.values.value(target)
            if isinstance(name, str):
                self._gathered.scope.bind(name, value)
            else:
                self.read(target.value, out)
        else:
            item = self.values.value(target)
            if isinstance(item, Item) and isinstance(item.of, str) and isinstance(item.key, Constant) and isinstance(item.key.value, str):
                self._gathered.scope.bind(f"{item.of}[{item.key.value}]", value)
            self.read(target, out)

    def assign(self, target: ast.expr, source: ast.expr | None, out: list[Step]) -> None:
        """Record what the names in a target hold from here on; `source` is None where it cannot be said."""
        if isinstance(target, (ast.Tuple, ast.List)):
            for part, given in zip(target.elts, _parts(source, len(target.elts))):
                self.assign(part, given, out)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, None, out)
        else:
            name = self.values.value(target)
            if isinstance(name, str):
                out.append(Assign(target.lineno, name, None if source is None else self.values.kept(source)))

    def _lambda(self, node: ast.Lambda) -> str:
        qualname = self._lambdas.get(node)
        if qualname is None:
            outside = self._gathered.scope
            qualname = self._lambdas[node] = outside.inner(f"<lambda:{node.lineno}:{node.col_offset}>")
            parameters = self.parameters(node.args)
            with self._gathered.inside(Scope(qualname, None, outside.qualname)) as scope:
                out: list[Step] = []
                self.read(node.body, out)
                value, column = self.values.value(node.body), self._gathered.column(node.lineno, node.col_offset)
                scope.returned.append(value)
                out.append(Return(node.lineno, value, column))
                self._gathered.function(scope, node.lineno, column, tuple(out), parameters)
        return qualname

    def parameters(self, arguments: ast.arguments) -> tuple[Parameter, ...]:
        value, hint = self.values.value, self.values.hint
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


def _parts(source: ast.expr | None, count: int) -> Sequence[ast.expr | None]:
    """What each of so many targets is given, where a display says it."""
    if isinstance(source, (ast.Tuple, ast.List)) and len(source.elts) == count and not any(isinstance(part, ast.Starred) for part in source.elts):
        return source.elts
    return [None] * count


def names(target: ast.expr) -> tuple[str, ...]:
    """The names that a target binds."""
    if isinstance(target, ast.Name):
        return (target.id,)
    return tuple([node.id for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)])
