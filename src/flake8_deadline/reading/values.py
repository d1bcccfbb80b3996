"""Expressions to values: what an expression says, as far as linking may ask.

Leaves out what nobody asks for (`None`): operators over non-constants, formatted strings, comparisons in chains, what is nested so deeply
that nobody wrote it. Which object a name means is not decided here.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import ClassVar

from flake8_deadline.facts import (
    Arithmetic,
    Attr,
    Both,
    Call,
    Compare,
    Constant,
    Defined,
    Either,
    Hint,
    Item,
    Joined,
    Not,
    Sequence,
    Table,
    Value,
)  # fmt: skip

_ARITHMETIC: dict[type[ast.operator], tuple[str, Callable[[float, float], float]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
}
_LONGEST_TEXT = 200
_LONGEST_DISPLAY = 64
_DEEPEST = 60
_WORKER = ("worker", "celery")
"""A list that holds one of these words may be the command that starts a worker."""


class Values:
    """Turns the expressions of one file into values. `define_lambda` records a lambda as a function and gives its qualified name."""

    def __init__(self, define_lambda: Callable[[ast.Lambda], str]) -> None:
        self._define_lambda = define_lambda
        self._depth = 0
        self._calls: dict[ast.Call, Call] = {}

    def forget(self) -> None:
        """Let the nodes of the calls go."""
        self._calls.clear()

    def value(self, node: ast.expr | None) -> Value:
        maker = self._makers.get(node.__class__)  # type: ignore[arg-type]
        if maker is None or self._depth == _DEEPEST:
            return None
        self._depth += 1
        made = maker(self, node)
        self._depth -= 1
        return made

    def call(self, node: ast.Call, awaited: bool = False, discarded: bool = False) -> Call:
        made = self._calls.get(node)
        if made is None:
            value = self.value
            made = self._calls[node] = Call(
                node.lineno,
                node.col_offset,
                value(node.func) if _links(node.func) <= _DEEPEST else None,
                tuple([value(argument) for argument in node.args]),
                tuple([(keyword.arg or "**", value(keyword.value)) for keyword in node.keywords]),
                awaited,
                discarded,
                _lines(node),
            )
        return made

    def hint(self, node: ast.expr | None) -> Value:
        """The class an annotation names; a quoted annotation is parsed."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = ast.parse(" ".join(node.value.split()), mode="eval").body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return Either((self.hint(node.left), self.hint(node.right)))
        if isinstance(node, ast.Subscript):
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return Item(self.value(node.value), Sequence(tuple([self.hint(part) for part in parts])))
        return self.value(node)

    def kept(self, node: ast.expr) -> Value:
        """What control flow may depend on once a name holds this."""
        if _is_true(node):
            return Constant(True)
        value = self.value(node)
        return value if isinstance(value, (str, Constant, Call, Either, Both, Not, Compare)) else None

    def hinted(self, node: ast.expr | None) -> Value:
        hint = self.hint(node)
        return None if hint is None else Hint(hint)

    def _attribute(self, node: ast.Attribute) -> Value:
        of = self.value(node.value)
        if isinstance(of, str):
            return f"{of}.{node.attr}"
        return Attr(of, node.attr)

    def _constant(self, node: ast.Constant) -> Value:
        value = node.value
        if isinstance(value, str):
            return Constant(value.encode("utf-8", "replace").decode()) if len(value) <= _LONGEST_TEXT else None
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            return None
        return Constant(value) if value is None or isinstance(value, (bool, int, float)) else None

    def _display(self, node: ast.Tuple | ast.List | ast.Set) -> Value:
        items = node.elts[:_LONGEST_DISPLAY]
        whole = len(node.elts) <= _LONGEST_DISPLAY and not any(isinstance(item, ast.Starred) for item in items)
        if any(isinstance(item, ast.Constant) and item.value in _WORKER for item in items):
            return Sequence(tuple([self._joined(item) for item in items]), whole, tuple([item.lineno for item in items]))
        return Sequence(tuple([self.value(item) for item in items]), whole)

    def _joined(self, node: ast.expr) -> Value:
        """An argument of a command."""
        if isinstance(node, ast.JoinedStr):
            return Joined(tuple([self.value(part.value if isinstance(part, ast.FormattedValue) else part) for part in node.values]))
        return self.value(node)

    def _table(self, node: ast.Dict) -> Value:
        pairs = list(zip(node.keys, node.values))[:_LONGEST_DISPLAY]
        lines = tuple([value.lineno if key is None else key.lineno for key, value in pairs])
        return Table(tuple([(self.value(key), self.value(value)) for key, value in pairs]), lines)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Value:
        return Sequence((self.value(node.elt),), whole=False)

    def _boolean(self, node: ast.BoolOp) -> Value:
        options = tuple([self.value(option) for option in node.values])
        return Both(options) if isinstance(node.op, ast.And) else Either(options)

    def _unary(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return Not(self.value(node.operand))
        operand = self.value(node.operand)
        if isinstance(node.op, ast.USub) and isinstance(operand, Constant) and isinstance(operand.value, (int, float)):
            return Constant(-operand.value)
        return None

    def _binary(self, node: ast.BinOp) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        written, compute = _ARITHMETIC.get(type(node.op), ("", None))
        if isinstance(left, Constant) and isinstance(right, Constant):
            if compute and isinstance(left.value, (int, float)) and isinstance(right.value, (int, float)):
                try:
                    result = compute(left.value, right.value)
                except (ArithmeticError, ValueError):
                    return None
                return Constant(result) if abs(result) < 2**53 else None
            return None
        if written == "+" and (isinstance(left, Sequence) or isinstance(right, Sequence)):
            return Sequence((left, right))
        return Arithmetic(left, written, right) if written and _counts(left) and _counts(right) else None

    def _compare(self, node: ast.Compare) -> Value:
        if len(node.ops) != 1:
            return None
        return Compare(self.value(node.left), _COMPARISONS.get(type(node.ops[0]), "<"), self.value(node.comparators[0]))

    _makers: ClassVar[dict[type[ast.expr], Callable[..., Value]]] = {
        ast.Name: lambda self, node: node.id,
        ast.Attribute: _attribute,
        ast.Call: call,
        ast.Constant: _constant,
        ast.Tuple: _display,
        ast.List: _display,
        ast.Set: _display,
        ast.Dict: _table,
        ast.Subscript: lambda self, node: Item(self.value(node.value), self.value(node.slice)),
        ast.BoolOp: _boolean,
        ast.IfExp: lambda self, node: Either((self.value(node.body), self.value(node.orelse))),
        ast.UnaryOp: _unary,
        ast.BinOp: _binary,
        ast.Compare: _compare,
        ast.Lambda: lambda self, node: Defined(self._define_lambda(node)),
        ast.Await: lambda self, node: self.value(node.value),
        ast.NamedExpr: lambda self, node: self.value(node.value),
        ast.ListComp: _comprehension,
        ast.SetComp: _comprehension,
        ast.GeneratorExp: _comprehension,
        ast.Starred: lambda self, node: self.value(node.value),
    }


def _links(node: ast.expr) -> int:
    """How many calls, attributes and subscripts a chain has."""
    links = 0
    while isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
        links += 1
    return links


def _counts(value: Value) -> bool:
    """Whether a value may be a number."""
    return isinstance(value, (str, Call, Attr, Item, Arithmetic)) or (isinstance(value, Constant) and isinstance(value.value, (int, float)))


def _is_true(node: ast.expr) -> bool:
    """Whether this makes something that is not empty."""
    match node:
        case ast.Tuple() | ast.List() | ast.Set():
            return any(not isinstance(item, ast.Starred) for item in node.elts)
        case ast.Dict():
            return any(key is not None for key in node.keys)
        case ast.JoinedStr():
            return any(isinstance(part, ast.Constant) for part in node.values)
    return False


def _lines(node: ast.Call) -> tuple[int, ...]:
    """The lines of a call's keywords; none where all stand on the line of the call."""
    if not node.keywords or node.keywords[-1].value.lineno == node.lineno:
        return ()
    return tuple([keyword.value.lineno for keyword in node.keywords])
