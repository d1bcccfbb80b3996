"""Give loops an index, so that a clause can say how far they have come: `for row in rows` becomes `for index, row in enumerate(rows)`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, cast

from flake8_deadline.codemods.bindings import bindings, mentioned
from flake8_deadline.codemods.edit import Edit, Refusal, refuse
from flake8_deadline.codemods.handlers import clauses
from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.scopes import around
from flake8_deadline.codemods.snippet import counts
from flake8_deadline.codemods.splice import Insertion, spliced, text_of
from flake8_deadline.codemods.syntax import parse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flake8_deadline.codemods.splice import Text
    from flake8_deadline.rule import Reraise

_INDEX = "index"


def count(source: bytes, fixes: Iterable[Reraise]) -> Edit:
    """Count the turns of the loops around the clauses of these fixes. Nothing is raised: what cannot be done is among the refusals."""
    wanted = sorted(set(fixes))
    try:
        tree, text = parse(source), text_of(source)
    except RefusedError as error:
        return Edit(source, refusals=refuse(wanted, error))
    found = clauses(tree)
    names = bindings(tree, {"enumerate"})["enumerate"]
    insertions: dict[int, list[Insertion]] = {}
    counted: list[ast.For] = []
    done: list[Reraise] = []
    refusals: list[Refusal] = []
    for fix in wanted:
        try:
            place = around(tree, found[fix.line].handler)
            loop = cast("ast.For", place.loop)
            if _INDEX in mentioned(place.functions[0] if place.functions else tree):
                raise RefusedError(f"the loop has no index, and the name {_INDEX} is taken")
            if names:
                raise RefusedError(f"the loop has no index, and enumerate is bound in the file (line {names[0].line})")
            if any(_overlap(loop, other) for other in counted):
                raise RefusedError("the loop has no index, and one around it or in it is given the name index")
            counted.append(loop)
            insertions[loop.lineno] = _counted(text, loop)
            done.append(fix)
        except RefusedError as error:
            refusals.append(Refusal(fix, str(error)))
    new, _ = spliced(text, [insertion for several in insertions.values() for insertion in several], ())
    return Edit(new, tuple(done), tuple(refusals))


def uncount(before: ast.Module, after: ast.Module, edit: Edit) -> None:
    """Take the index out of a tree of the new text again; `before` is the tree of the old one."""
    counted = {node.lineno for node in ast.walk(before) if isinstance(node, ast.For) and counts(node)}
    loops = [around(before, clauses(before)[fix.line].handler).loop for fix in edit.fixes]
    new = {loop.lineno for loop in loops if loop is not None} - counted
    for node in ast.walk(after):
        if isinstance(node, ast.For) and node.lineno in new and isinstance(node.iter, ast.Call) and isinstance(node.target, ast.Tuple):
            node.iter, node.target = node.iter.args[0], node.target.elts[1]


def _overlap(one: ast.For, other: ast.For) -> bool:
    """Whether one of two loops stands in the other; a loop and itself share an index."""
    return one is not other and one.lineno <= (other.end_lineno or 0) and other.lineno <= (one.end_lineno or 0)


def _counted(text: Text, loop: ast.For) -> list[Insertion]:
    target, over = loop.target, loop.iter
    open_target, close_target = ("(", ")") if _is_bare(text, target) else ("", "")
    needs_brackets = _is_bare(text, over) or isinstance(over, (ast.Yield, ast.YieldFrom))
    open_over, close_over = ("((", "))") if needs_brackets else ("(", ")")
    edges = (
        (text.start(target), f"{_apart(text, target)}{_INDEX}, {open_target}"),
        (text.end(target), close_target),
        (text.start(over), f"{_apart(text, over)}enumerate{open_over}"),
        (text.end(over), close_over),
    )
    return [Insertion(at, added) for at, added in edges if added]


def _apart(text: Text, node: ast.expr) -> str:
    """A blank, where a word before the expression would run into one that is put there."""
    start = text.start(node)
    return " " if text.lines[start.line - 1][: start.column][-1:].isalnum() else ""


def _is_bare(text: Text, node: ast.expr) -> bool:
    """Whether a tuple is written without brackets of its own."""
    if not isinstance(node, ast.Tuple):
        return False
    written = text.between(text.start(node), text.end(node))
    if len(node.elts) == 1:
        return not written.endswith(")")
    call = ast.parse(f"_({written})", mode="eval").body
    return isinstance(call, ast.Call) and len(call.args) == len(node.elts)
