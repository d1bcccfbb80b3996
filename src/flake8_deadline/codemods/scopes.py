"""What a name means at a place in a file: the functions and the loop around a clause, and the names that are bound there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple, Union

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NAMED = (*_FUNCTIONS, ast.ClassDef)
_INNER = (*_NAMED, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class Around(NamedTuple):
    """What a clause stands in, or will."""

    functions: tuple[Function, ...]
    """Outermost first."""
    loop: ast.stmt | None
    """The innermost loop whose turn it is part of, in the same function."""
    line: int
    tried: ast.Try | None = None
    """The `try` that the clause is one of; None where it will be a new one."""
    turns: str = ""
    """An expression that says how many turns are behind, where the loop will have one without an index."""


def around(tree: ast.Module, handler: ast.ExceptHandler) -> Around:
    """What stands around a clause of this tree."""
    [tried] = [node for node in ast.walk(tree) if isinstance(node, ast.Try) and handler in node.handlers]
    [place] = [Around(functions, loop, handler.lineno, tried) for node, functions, loop in _nodes(tree) if node is handler]
    return place


def _nodes(tree: ast.Module) -> Iterator[tuple[ast.AST, tuple[Function, ...], ast.stmt | None]]:
    """Every node, with the functions and the loop around it."""
    pending: list[tuple[ast.AST, tuple[Function, ...], ast.stmt | None]] = [(tree, (), None)]
    while pending:
        node, functions, loop = pending.pop()
        yield node, functions, loop
        if isinstance(node, _FUNCTIONS):
            functions, loop = (*functions, node), None
        elif isinstance(node, ast.ClassDef):
            loop = None
        otherwise = node.orelse if isinstance(node, _LOOPS) else []
        inside = node if isinstance(node, _LOOPS) else loop
        pending.extend((child, functions, loop if child in otherwise else inside) for child in ast.iter_child_nodes(node))


def visible(tree: ast.Module, place: Around) -> set[str]:
    """The names that code can read at a place: the module's, and those that the functions around it have bound above."""
    found = bound_by(tree.body)
    for function in place.functions:
        found |= bound_in(function, place.line)
    return found


def bound_in(function: Function, line: int | None = None) -> set[str]:
    """The parameters of a function, and what its own code binds, up to a line."""
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *filter(None, (arguments.vararg, arguments.kwarg))]
    return {argument.arg for argument in every} | bound_by(function.body, line)


def bound_by(body: Iterable[ast.AST], line: int | None = None) -> set[str]:
    """What the code of a block binds in its own scope, up to a line."""
    found: set[str] = set()
    pending = list(body)
    while pending:
        node = pending.pop()
        if line is not None and getattr(node, "lineno", 0) > line:
            continue
        found.update(_binds(node))
        if not isinstance(node, _INNER):
            pending.extend(ast.iter_child_nodes(node))
    return found


def _binds(node: ast.AST) -> Iterable[str]:
    if isinstance(node, ast.Name):
        return [node.id] if isinstance(node.ctx, ast.Store) else []
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
    if isinstance(node, _NAMED):
        return [node.name]
    captured = [getattr(node, field, None) for field in ("name", "rest")] if type(node).__name__.startswith("Match") else []
    return [name for name in captured if isinstance(name, str)]
