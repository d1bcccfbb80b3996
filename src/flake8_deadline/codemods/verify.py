"""Proof that an edit did what it says and nothing else, from the two texts alone.

Whether the findings are gone is asked of the linter by `mend`; here is what can be said without it.
"""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec.structs import replace

from flake8_deadline.codemods.numbering import moved
from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.reraise import insert_reraise
from flake8_deadline.codemods.syntax import compiles, parse, parse_result, same_tree
from flake8_deadline.codemods.transplant import lines, with_mark_of
from flake8_deadline.rule import Reraise

if TYPE_CHECKING:
    from collections.abc import Callable

    from flake8_deadline.codemods.edit import Edit
    from flake8_deadline.codemods.snippet import Snippet


def verify(old: bytes, edit: Edit, snippet: Snippet | None = None) -> None:
    """Raises `RefusedError` unless the new text is the old one and the announced clauses and imports, and nothing more."""
    _require(_without(edit.source, edit.added) == old, "lines that were there would change")
    before, after = parse(old), _result(edit)
    _require(ast.get_docstring(before, clean=False) == ast.get_docstring(after, clean=False), "the module's docstring would change")
    spoken, followers = _strip(after, frozenset(edit.added), plain=snippet is None)
    _require(followers == {moved(fix.line, edit.added) for fix in edit.fixes}, "clauses would be added elsewhere than planned")
    _require(spoken == _spoken(edit), "other lines than clauses and imports would be added")
    _require(same_tree(before, after), "the result would mean something else than the old text and the added clauses")
    again = insert_reraise(
        edit.source, [replace(fix, line=moved(fix.line, edit.added)) for fix in edit.fixes if isinstance(fix, Reraise)], snippet=snippet
    )
    _require(again.source == edit.source, "a second run would change the file again")


def prove(old: bytes, edit: Edit, undo: Callable[[ast.Module, ast.Module, Edit], None]) -> None:
    """Raises `RefusedError` unless the new text, with its import lines and what `undo` takes out of its tree gone, means what the old one did.

    `undo` is given the trees of the old and of the new text, and the edit.
    """
    before, after = parse(old), _result(edit)
    _require(ast.get_docstring(before, clean=False) == ast.get_docstring(after, clean=False), "the module's docstring would change")
    undo(before, after, edit)
    _strip(after, frozenset(edit.added))
    _require(same_tree(before, after), "the result would mean something else than the old text and what was added")


def _result(edit: Edit) -> ast.Module:
    """The tree of the new text. Raises `RefusedError`."""
    after = parse_result(edit.source)
    objection = compiles(after)
    _require(objection is None, f"the result would not compile: {objection}")
    return after


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise RefusedError(f"the edit did not pass its check: {otherwise}")


def _without(source: bytes, added: tuple[int, ...]) -> bytes:
    return with_mark_of(source, (line for number, line in enumerate(lines(source), start=1) if number not in added))


def _spoken(edit: Edit) -> set[int]:
    """The added lines that are not blank."""
    text = lines(edit.source)
    return {number for number in edit.added if text[number - 1].strip()}


def _strip(tree: ast.Module, added: frozenset[int], *, plain: bool = True) -> tuple[set[int], set[int]]:
    """Take re-raise clauses and imports that stand on added lines out of the tree; their lines, and those of the clauses after them."""
    stripped: set[int] = set()
    followers: set[int] = set()
    for node in ast.walk(tree):
        handlers: list[ast.ExceptHandler] = getattr(node, "handlers", [])
        news = [handler for handler in handlers if handler.lineno in added and _raises_again(handler, plain)]
        stripped.update(line for handler in news for line in range(handler.lineno, (handler.body[-1].end_lineno or 0) + 1))
        followers.update(after.lineno for handler, after in pairwise(handlers) if handler in news and after not in news)
        handlers[:] = [handler for handler in handlers if handler not in news]
    imports = [statement for statement in tree.body if isinstance(statement, ast.ImportFrom) and statement.lineno in added]
    tree.body = [statement for statement in tree.body if statement not in imports]
    return stripped | {statement.lineno for statement in imports}, followers


def _raises_again(handler: ast.ExceptHandler, plain: bool) -> bool:
    """Whether a clause ends in `raise`; `plain`: and does nothing else."""
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None and not (plain and (handler.name or len(handler.body) > 1))
