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
from flake8_deadline.codemods.syntax import compiles, parse, same_tree
from flake8_deadline.codemods.transplant import lines, with_mark_of

if TYPE_CHECKING:
    from flake8_deadline.codemods.reraise import Edit


def verify(old: bytes, edit: Edit) -> None:
    """Raises `RefusedError` unless the new text is the old one and the announced clauses and imports, and nothing more."""
    _require(_without(edit.source, edit.added) == old, "lines that were there would change")
    before, after = parse(old), parse(edit.source)
    objection = compiles(after)
    _require(objection is None, f"the result would not compile: {objection}")
    _require(ast.get_docstring(before, clean=False) == ast.get_docstring(after, clean=False), "the module's docstring would change")
    spoken, followers = _strip(after, frozenset(edit.added))
    _require(followers == {moved(fix.line, edit.added) for fix in edit.fixes}, "clauses would be added elsewhere than planned")
    _require(spoken == _spoken(edit), "other lines than clauses and imports would be added")
    _require(same_tree(before, after), "the result would mean something else than the old text and the added clauses")
    again = insert_reraise(edit.source, [replace(fix, line=moved(fix.line, edit.added)) for fix in edit.fixes])
    _require(again.source == edit.source, "a second run would change the file again")


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise RefusedError(f"the edit did not pass its check: {otherwise}")


def _without(source: bytes, added: tuple[int, ...]) -> bytes:
    return with_mark_of(source, (line for number, line in enumerate(lines(source), start=1) if number not in added))


def _spoken(edit: Edit) -> set[int]:
    """The added lines that are not blank."""
    text = lines(edit.source)
    return {number for number in edit.added if text[number - 1].strip()}


def _strip(tree: ast.Module, added: frozenset[int]) -> tuple[set[int], set[int]]:
    """Take re-raise clauses and imports that stand on added lines out of the tree; their lines, and those of the clauses after them."""
    stripped: set[int] = set()
    followers: set[int] = set()
    for node in ast.walk(tree):
        handlers: list[ast.ExceptHandler] = getattr(node, "handlers", [])
        news = [handler for handler in handlers if handler.lineno in added and _is_reraise(handler)]
        stripped.update(line for handler in news for line in (handler.lineno, handler.body[0].lineno))
        followers.update(after.lineno for handler, after in pairwise(handlers) if handler in news and after not in news)
        handlers[:] = [handler for handler in handlers if handler not in news]
    imports = [statement for statement in tree.body if isinstance(statement, ast.ImportFrom) and statement.lineno in added]
    tree.body = [statement for statement in tree.body if statement not in imports]
    return stripped | {statement.lineno for statement in imports}, followers


def _is_reraise(handler: ast.ExceptHandler) -> bool:
    body = handler.body
    return handler.name is None and len(body) == 1 and isinstance(body[0], ast.Raise) and body[0].exc is None
