"""What a rule returns, and what a rule is.

A `Finding` is the product's one unit of output: every front end prints it and the codemod carries out its `Fix`. Nothing here decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal, Union

from msgspec import Struct

if TYPE_CHECKING:
    from flake8_deadline.project import Project

Safety = Literal["safe", "unsafe"]


class Link(Struct, frozen=True, order=True):
    """One link of a chain: where, and what stands there ("task billing.tasks.import_csv", "calls load_rows", "loop")."""

    path: str
    line: int
    what: str


class Reraise(Struct, frozen=True, order=True, tag=True):
    """Insert `except <name>: raise` before the clause whose `except` stands on `line`.

    `module` and `name` say which exception ("celery.exceptions", "SoftTimeLimitExceeded"); how the file already spells it, or where an
    import goes, is found in the file's own text by the codemod.
    """

    line: int
    module: str
    name: str
    safety: Safety = "safe"


class Isolate(Struct, frozen=True, order=True, tag=True):
    """Isolate each turn of the loop whose `for` stands on `line`: count what fails, log it, go on; the signal is let out."""

    line: int
    module: str
    name: str
    safety: Safety = "unsafe"


class Pass(Struct, frozen=True, order=True, tag=True):
    """Pass keyword arguments to a call, or to a decorator, called or not.

    The decorator that begins on `line`, or the innermost call of `callee` (its last name) that does. `arguments` are keywords and
    expressions, in which `{0}`, `{1}`, … stand for `names` (module and name), and `{soft}` and `{hard}` for limits that the user gives.
    """

    line: int
    arguments: tuple[tuple[str, str], ...]
    names: tuple[tuple[str, str], ...] = ()
    callee: str = ""
    safety: Safety = "unsafe"


class Declare(Struct, frozen=True, order=True, tag=True):
    """Set attributes in the body of the class whose `class`, or first decorator, stands on `line`; `arguments` and `names` as in `Pass`."""

    line: int
    arguments: tuple[tuple[str, str], ...]
    names: tuple[tuple[str, str], ...] = ()
    safety: Safety = "unsafe"


class Savepoint(Struct, frozen=True, order=True, tag=True):
    """Put the body of the `try`, one of whose clauses begins on `line`, into Django's `with transaction.atomic():`."""

    line: int
    elsewhere: bool = False
    """Whether the transaction around is of another database than the default one."""
    safety: Safety = "unsafe"


Fix = Union[Reraise, Isolate, Savepoint, Pass, Declare]


def needs_limits(fix: Fix) -> bool:
    """Whether a fix needs limits that only a person can give."""
    return isinstance(fix, (Pass, Declare)) and any("{soft}" in expression or "{hard}" in expression for _, expression in fix.arguments)


class Finding(Struct, frozen=True, order=True):
    """One fault at one place. `line` and `column` count from 1, the column in characters; `path` is relative to the root, with `/`."""

    path: str
    line: int
    column: int
    code: str
    name: str
    message: str
    chain: tuple[Link, ...] = ()
    fix: Union[Fix, None] = None


Check = Callable[["Project"], Iterable[Finding]]


class Rule(Struct, frozen=True):
    """A rule: its code, the name that states the fault, and the function that finds it. The function's module docstring is its page."""

    code: str
    name: str
    check: Check
    default: bool
    """Whether it is reported when nobody asks for it by code."""
    fixable: Union[Safety, None] = None
