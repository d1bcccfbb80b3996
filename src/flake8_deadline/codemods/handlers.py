"""The `except` clauses of a file: where each stands, and why one cannot be given a clause before it.

A clause is known by the line of its `except`, which is never shared, and by its place among all clauses in the order of the text: that
place is the same in every parser's tree, whatever it makes of columns and form feeds.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from flake8_deadline.codemods.refusal import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flake8_deadline.codemods.spelling import Vocabulary

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.ClassDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_TRIES = (ast.Try, getattr(ast, "TryStar", ast.Try))


class Clause(NamedTuple):
    place: int
    """From 0, among all `except` clauses of the file."""
    handler: ast.ExceptHandler
    siblings: tuple[ast.ExceptHandler, ...]
    """All clauses of its `try`, itself among them."""
    starred: bool
    """Whether it is an `except*`."""
    finals: tuple[ast.Try, ...]
    """The `try` statements whose `finally` an exception passes on its way from here out of the function, innermost first."""
    deferred: bool
    """Whether it stands in a function, so that it runs only after the whole module has."""


def clauses(tree: ast.Module) -> dict[int, Clause]:
    """Every `except` clause of a file by the line of its `except`."""
    found = sorted(_clauses(tree), key=lambda clause: clause.handler.lineno)
    return {clause.handler.lineno: clause._replace(place=place) for place, clause in enumerate(found)}


def require_editable(clause: Clause, vocabulary: Vocabulary) -> None:
    """Raises `RefusedError` where a re-raise before this clause would be wrong or of no use."""
    if clause.starred:
        raise RefusedError("except* takes groups apart: re-raise by hand")
    for handler in clause.siblings:
        if vocabulary.means(handler.type):
            if handler.lineno < clause.handler.lineno:
                raise RefusedError(f"the clause on line {handler.lineno} names the exception already")
            raise RefusedError(f"the clause on line {handler.lineno} names the exception too: move or change it by hand")
    for final in clause.finals:
        for last in _leaving(final.finalbody):
            raise RefusedError(f"{type(last).__name__.lower()} in the finally block (line {last.lineno}) would swallow the re-raise")


def _clauses(tree: ast.Module) -> Iterator[Clause]:
    pending: list[tuple[ast.AST, tuple[ast.Try, ...], bool]] = [(tree, (), False)]
    while pending:
        node, finals, deferred = pending.pop()
        if isinstance(node, _FUNCTIONS):
            finals, deferred = (), True
        if isinstance(node, _TRIES):
            pending.extend((child, finals, deferred) for child in node.finalbody)
            finals = (node, *finals)
            for handler in node.handlers:
                yield Clause(0, handler, tuple(node.handlers), type(node) is not ast.Try, finals, deferred)
            pending.extend((child, finals, deferred) for child in (*node.body, *node.handlers, *node.orelse))
        else:
            pending.extend((child, finals, deferred) for child in _blocks(node))


def _blocks(node: ast.AST) -> Iterator[ast.AST]:
    """The statements directly in a statement's blocks; a `match` has its cases between."""
    for field in ("body", "orelse", "cases"):
        children = getattr(node, field, None)
        if isinstance(children, list):
            yield from children


def _leaving(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block by which control leaves it and drops the exception: `return`, and `break` or `continue` of a loop outside."""
    pending: list[tuple[ast.AST, bool]] = [(statement, False) for statement in block]
    while pending:
        node, looping = pending.pop()
        if isinstance(node, ast.Return) or (isinstance(node, (ast.Break, ast.Continue)) and not looping):
            yield node
        elif isinstance(node, _LOOPS):
            pending.extend((child, True) for child in node.body)
            pending.extend((child, looping) for child in node.orelse)
        elif not isinstance(node, _SCOPES):
            pending.extend((child, looping) for child in (*_blocks(node), *getattr(node, "handlers", ()), *getattr(node, "finalbody", ())))
