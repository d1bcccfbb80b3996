"""What one file can say.

Two kinds of facts, both pure functions of a file's bytes: an `Outline`, taken from the bytes by pattern before anything is parsed, and a
`Summary`, taken from the syntax tree. Neither holds a verdict: which exception a name means, what a call reaches and whether a clause
swallows is decided where all files are known. Everything here is frozen and turns into msgpack and back.
"""

from __future__ import annotations

from typing import Union

from msgspec import Struct


class Outline(Struct, frozen=True, array_like=True, gc=False):
    """What the bytes say before the file is parsed; never less than the truth, sometimes more (a word in a string)."""

    marks: frozenset[str] = frozenset()
    """Which of `reading.outline.MARKS` the file bears: "task", "queue", "handler", "loop", "rows", "limit"."""
    suspect: bool = False
    """Whether it holds syntax that the running Python may not know: worth a parse to say so."""
    classes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Class name and the words of its base list."""
    definitions: frozenset[str] = frozenset()
    """Names of all functions and methods."""
    properties: frozenset[str] = frozenset()
    """Names of the methods that are read like attributes."""


# Values: what an expression says, as far as linking may ask. `None` is "an expression nobody needs to know".


class Attr(Struct, tag="a", frozen=True, array_like=True, gc=False):
    """An attribute of something that is not itself a dotted name: `Foo().name`."""

    of: Value
    name: str


class Call(Struct, tag="c", frozen=True, array_like=True, gc=False):
    """A call, as a step of a block and as a value."""

    line: int
    column: int
    func: Value
    args: tuple[Value, ...] = ()
    keywords: tuple[tuple[str, Value], ...] = ()
    awaited: bool = False
    discarded: bool = False
    """Whether it is a statement of its own: called for what it does, not for what it gives."""
    lines: tuple[int, ...] = ()
    """The line of each keyword, where one stands on another line than the call."""


class Item(Struct, tag="i", frozen=True, array_like=True, gc=False):
    """A subscript: `of[key]`."""

    of: Value
    key: Value


class Each(Struct, tag="e", frozen=True, array_like=True, gc=False):
    """One element of an iterable: the target of a `for`."""

    of: Value


class Entered(Struct, tag="w", frozen=True, array_like=True, gc=False):
    """What `with of as name` binds."""

    of: Value


class Part(Struct, tag="p", frozen=True, array_like=True, gc=False):
    """The part at `index` of an unpacked value."""

    of: Value
    index: int


class Sequence(Struct, tag="s", frozen=True, array_like=True, gc=False):
    """A tuple, list or set display; or a comprehension (`whole` is False), by the one value it repeats."""

    items: tuple[Value, ...]
    whole: bool = True
    lines: tuple[int, ...] = ()
    """The line of each item of a list that reads like a command."""


class Table(Struct, tag="d", frozen=True, array_like=True, gc=False):
    """A dict display."""

    items: tuple[tuple[Value, Value], ...]
    lines: tuple[int, ...] = ()
    """The line of each item."""


class Constant(Struct, tag="k", frozen=True, array_like=True, gc=False):
    """A literal, or arithmetic over literals already done."""

    value: Union[int, float, str, bool, None]


class Arithmetic(Struct, tag="t", frozen=True, array_like=True, gc=False):
    """An operation on two values that are not both literals. `operator` is "+", "-", "*", "/" or "//"."""

    left: Value
    operator: str
    right: Value


class Joined(Struct, tag="j", frozen=True, array_like=True, gc=False):
    """A formatted string in a list that reads like a command, by its parts."""

    parts: tuple[Value, ...]


class Either(Struct, tag="o", frozen=True, array_like=True, gc=False):
    """`a or b`, or `a if … else b`."""

    options: tuple[Value, ...]


class Both(Struct, tag="b", frozen=True, array_like=True, gc=False):
    """`a and b`."""

    options: tuple[Value, ...]


class Not(Struct, tag="n", frozen=True, array_like=True, gc=False):
    """`not of`."""

    of: Value


class Compare(Struct, tag="q", frozen=True, array_like=True, gc=False):
    """A comparison with one operator: "is", "is not", "==", "!=", "in", "not in" or "<" for the rest."""

    left: Value
    operator: str
    right: Value


class Imported(Struct, tag="m", frozen=True, array_like=True, gc=False):
    """What an import binds: the module itself, or `name` of it."""

    module: str
    level: int
    name: Union[str, None]


class Defined(Struct, tag="f", frozen=True, array_like=True, gc=False):
    """A function (also a lambda) or class of this file, by qualified name."""

    qualname: str


class Hint(Struct, tag="h", frozen=True, array_like=True, gc=False):
    """A value known by its annotation alone."""

    of: Value


Value = Union[
    str, Attr, Call, Item, Each, Entered, Part, Sequence, Table, Constant, Arithmetic, Joined, Either, Both, Not, Compare, Imported, Defined, Hint,
    None,
]  # fmt: skip


# Steps: how control runs through a function. Only what a deadline can land in, or what decides where control goes, is a step.


class Branch(Struct, tag="B", frozen=True, array_like=True, gc=False):
    """`if`, `match` or a conditional expression: one of the arms runs. `tests[i]` guards `arms[i]`; the last arm may have none."""

    line: int
    tests: tuple[Value, ...]
    arms: tuple[tuple[Step, ...], ...]


class Loop(Struct, tag="L", frozen=True, array_like=True, gc=False):
    """A `for`, `while` or comprehension. Calls of the iterable stand before it, calls of a `while` test inside."""

    line: int
    column: int
    kind: str
    """"for", "async for", "while", "forever" or "comprehension"."""
    over: Value
    """The iterable, or the test of a `while`."""
    targets: tuple[str, ...]
    body: tuple[Step, ...]
    otherwise: tuple[Step, ...] = ()


class Handler(Struct, frozen=True, array_like=True, gc=False):
    """An `except` clause. `catches` is None for a bare one."""

    line: int
    column: int
    catches: Value
    bare: bool
    name: Union[str, None]
    body: tuple[Step, ...]


class Try(Struct, tag="T", frozen=True, array_like=True, gc=False):
    line: int
    star: bool
    body: tuple[Step, ...]
    handlers: tuple[Handler, ...]
    otherwise: tuple[Step, ...]
    final: tuple[Step, ...]


class With(Struct, tag="W", frozen=True, array_like=True, gc=False):
    """Calls of the items stand before it."""

    line: int
    column: int
    items: tuple[Value, ...]
    body: tuple[Step, ...]
    asynchronous: bool = False


class Return(Struct, tag="R", frozen=True, array_like=True, gc=False):
    line: int
    value: Value = Constant(None)
    column: int = 1


class Raise(Struct, tag="X", frozen=True, array_like=True, gc=False):
    """`raise`, `raise value`; `value` is None for the bare one or where it cannot be said (then `bare` is False)."""

    line: int
    bare: bool
    value: Value


class Break(Struct, tag="K", frozen=True, array_like=True, gc=False):
    line: int
    column: int = 1


class Continue(Struct, tag="C", frozen=True, array_like=True, gc=False):
    line: int
    column: int = 1


class Yield(Struct, tag="Y", frozen=True, array_like=True, gc=False):
    line: int


class Access(Struct, tag="P", frozen=True, array_like=True, gc=False):
    """An attribute is read: a call, if it is a property."""

    line: int
    value: Value


class Assign(Struct, tag="A", frozen=True, array_like=True, gc=False):
    """A name, or an attribute of one, takes a value that control flow may depend on later (`error = exc`, `ok = send(item)`); None: any other."""

    line: int
    name: str
    value: Value


Step = Union[Call, Access, Branch, Loop, Try, With, Return, Raise, Break, Continue, Yield, Assign]


class Parameter(Struct, frozen=True, array_like=True, gc=False):
    name: str
    hint: Value
    default: Value
    kind: str
    """"positional", "keyword", "*" or "**"."""


class Decorator(Struct, frozen=True, array_like=True, gc=False):
    line: int
    column: int
    value: Value


class Function(Struct, frozen=True, array_like=True, gc=False):
    """A function, a lambda, or (qualname "") the module's own body; a class body is folded into the scope around it."""

    qualname: str
    line: int
    column: int
    owner: Union[str, None]
    """Qualified name of the class whose body it stands in."""
    parent: Union[str, None]
    """Qualified name of the function around it; "" for the module, None for the module itself."""
    parameters: tuple[Parameter, ...]
    decorators: tuple[Decorator, ...]
    hint: Value
    """The return annotation."""
    returned: tuple[Value, ...]
    bindings: dict[str, tuple[Value, ...]]
    """Every value that a name, or a dotted target such as `self.client`, is ever given in it."""
    steps: tuple[Step, ...]
    asynchronous: bool = False
    generator: bool = False
    lines: dict[str, tuple[int, ...]] = {}
    """The line of each of the bindings: all of a module's body, elsewhere those that may be settings."""
    guarded: frozenset[int] = frozenset()
    """Those of the lines that may not be run: they stand in a block of an `if`, a `try` or their like."""


class Class(Struct, frozen=True, array_like=True, gc=False):
    qualname: str
    line: int
    column: int
    parent: str
    """Qualified name of the function around it, "" for the module."""
    bases: tuple[Value, ...]
    decorators: tuple[Decorator, ...]
    bindings: dict[str, tuple[Value, ...]]
    """Class attributes, methods among them (as Defined)."""
    lines: dict[str, tuple[int, ...]] = {}
    """The line of each of the bindings."""
    guarded: frozenset[int] = frozenset()
    """As in `Function`."""


class Fault(Struct, frozen=True, array_like=True, gc=False):
    """Why a file could not be parsed."""

    line: int
    message: str


class Summary(Struct, frozen=True, array_like=True, gc=False):
    fault: Union[Fault, None] = None
    functions: tuple[Function, ...] = ()
    classes: tuple[Class, ...] = ()
    stars: tuple[Imported, ...] = ()
    """Star imports of the module's own body."""
