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


class Fix(Struct, frozen=True, order=True):
    """Insert `except <name>: raise` before the clause whose `except` stands on `line`.

    `module` and `name` say which exception ("celery.exceptions", "SoftTimeLimitExceeded"); how the file already spells it, or where an
    import goes, is found in the file's own text by the codemod.
    """

    line: int
    module: str
    name: str
    safety: Safety


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
