"""Put the body of a `try` into a transaction of its own, so that a database error caught there breaks nothing around it.

Which `try` is given, by the line of one of its clauses. libcst makes the edit, as the body is indented anew; what it does not reproduce to
the byte it may not touch.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import libcst as cst

from flake8_deadline.codemods.edit import Edit, Refusal, refuse
from flake8_deadline.codemods.handlers import clauses
from flake8_deadline.codemods.imports import with_imports
from flake8_deadline.codemods.insertion import BLOCKS, edited
from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.spelling import Vocabulary
from flake8_deadline.codemods.syntax import parse_result, parse_written
from flake8_deadline.codemods.transplant import rebuilt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flake8_deadline.codemods.spelling import Spelling
    from flake8_deadline.rule import Savepoint

_HOME = ("django.db", "transaction")
_NO_LINES = "the body of the try stands on its line: open an atomic block by hand"


def add_savepoints(source: bytes, fixes: Iterable[Savepoint], first_party: frozenset[str] = frozenset()) -> Edit:
    """Carry out the fixes on the text of one file. Nothing is raised: what cannot be done is among the refusals."""
    wanted = sorted(set(fixes))
    try:
        tree = parse_written(source)
    except RefusedError as error:
        return Edit(source, refusals=refuse(wanted, error))
    names: dict[int, Spelling] = {}
    done: list[Savepoint] = []
    refusals: list[Refusal] = []
    for fix in wanted:
        try:
            first, spelling = _work_out(tree, fix)
        except RefusedError as error:
            refusals.append(Refusal(fix, str(error)))
            continue
        names[first] = spelling
        done.append(fix)
    if not names:
        return Edit(source, refusals=tuple(refusals))
    try:
        edit = _carried_out(source, names, done, refusals)
        missing = any(spelling.module is not None for spelling in names.values())
        return with_imports(edit, (_HOME,), first_party) if missing else edit
    except RefusedError as error:
        return Edit(source, refusals=(*refusals, *refuse(done, error)))


def without_savepoints(before: ast.Module, after: ast.Module, edit: Edit) -> None:
    """Take the transactions out of a tree of the new text again; `before` is the tree of the old one."""
    for place in _places(before, edit):
        guard = _tries(after)[place]
        if len(guard.body) == 1 and isinstance(guard.body[0], ast.With):
            guard.body = guard.body[0].body


def _work_out(tree: ast.Module, fix: Savepoint) -> tuple[int, Spelling]:
    """The place of the `try` among all of the file. Raises `RefusedError`."""
    if fix.elsewhere:
        raise RefusedError("the transaction around names its database: open an atomic block of the same one by hand")
    clause = clauses(tree).get(fix.line)
    if clause is None:
        raise RefusedError("no except clause begins on this line")
    if clause.starred:
        raise RefusedError("except* takes groups apart: open an atomic block by hand")
    [(place, guard)] = [(place, guard) for place, guard in enumerate(_tries(tree)) if clause.handler in guard.handlers]
    if guard.body[0].lineno == guard.lineno:
        raise RefusedError(_NO_LINES)
    if any(isinstance(node, (ast.Await, ast.AsyncFor, ast.AsyncWith)) for statement in guard.body for node in ast.walk(statement)):
        raise RefusedError("a transaction cannot be opened round what is awaited: open one where the query is made")
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for statement in guard.body for node in ast.walk(statement)):
        raise RefusedError("a transaction would stay open for as long as the caller likes at the yield: open one where the query is made")
    spelling = Vocabulary(tree, *_HOME).spell(fix.line, clause.deferred)
    if len(guard.body) == 1 and isinstance(guard.body[0], ast.With) and ast.unparse(guard.body[0].items[0]) == f"{spelling.text}.atomic()":
        raise RefusedError("the body of the try is a transaction of its own already")
    return place, spelling


def _carried_out(source: bytes, names: dict[int, Spelling], done: list[Savepoint], refusals: list[Refusal]) -> Edit:
    """Raises `RefusedError`."""
    before, after = edited(source, _Opener({place: spelling.text for place, spelling in names.items()}))
    new = rebuilt(source, before, after)
    tries = _tries(parse_result(new))
    return Edit(new, tuple(done), tuple(refusals), tuple(sorted(tries[place].body[0].lineno for place in names)))


def _places(tree: ast.Module, edit: Edit) -> list[int]:
    lines = {fix.line for fix in edit.fixes}
    return [place for place, guard in enumerate(_tries(tree)) if any(handler.lineno in lines for handler in guard.handlers)]


def _tries(tree: ast.Module) -> list[ast.Try]:
    """Every `try` of a file, in the order of the text; `except*` has a node of its own."""
    return sorted((node for node in ast.walk(tree) if isinstance(node, ast.Try)), key=lambda node: node.lineno)


class _Opener(cst.CSTTransformer):
    """Visits statements alone, counts `try` in the order of the text, and opens a block in those that are named."""

    def __init__(self, names: dict[int, str]) -> None:
        super().__init__()
        self._names = names
        self._seen = 0
        self._chosen: dict[cst.CSTNode, str] = {}

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.Try):
            if self._seen in self._names:
                self._chosen[node] = self._names[self._seen]
            self._seen += 1
        return isinstance(node, BLOCKS)

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode:
        name = self._chosen.get(original_node)
        if name is None or not isinstance(updated_node, cst.Try):
            return updated_node
        body = updated_node.body
        if not isinstance(body, cst.IndentedBlock):
            raise RefusedError(_NO_LINES)
        call = cst.parse_expression(f"{name}.atomic()")
        block = cst.With([cst.WithItem(call)], body.with_changes(header=cst.TrailingWhitespace()))
        return updated_node.with_changes(body=cst.IndentedBlock([block], header=body.header, indent=body.indent))
