"""Where a file binds a name, in any scope.

A clause that names an exception is only right while the name means it. So every binding counts, wherever it stands: assignments,
parameters, definitions, imports, patterns, `global`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_BINDERS = {
    "FunctionDef": ("name", "function"),
    "AsyncFunctionDef": ("name", "function"),
    "ClassDef": ("name", "class"),
    "ExceptHandler": ("name", "except clause"),
    "arg": ("arg", "parameter"),
    "MatchAs": ("name", "pattern"),
    "MatchStar": ("name", "pattern"),
    "MatchMapping": ("rest", "pattern"),
    "TypeVar": ("name", "type parameter"),
    "ParamSpec": ("name", "type parameter"),
    "TypeVarTuple": ("name", "type parameter"),
}
"""By the names of node types, as later ones are unknown to older Pythons: the attribute that holds the name, and a word for it."""


class Binding(NamedTuple):
    line: int
    what: str
    """A word for a message: "assignment", "parameter"."""
    origin: str | None
    """Dotted name of what an import at module level binds; None for everything else."""


def bindings(tree: ast.Module, names: Collection[str]) -> dict[str, list[Binding]]:
    """Every binding of each of the names, each list in the order of lines."""
    found: dict[str, list[Binding]] = {name: [] for name in names}
    top = {id(statement) for statement in tree.body}
    for node in ast.walk(tree):
        for name, binding in _bound(node, id(node) in top):
            if name in found:
                found[name].append(binding)
    for several in found.values():
        several.sort(key=lambda binding: binding.line)
    return found


def mentioned(tree: ast.AST) -> dict[str, int]:
    """Every name that is bound or read anywhere in a tree, functions in it included, and the first line where it is."""
    found: dict[str, int] = {}
    for node in ast.walk(tree):
        names = [(node.id, node.lineno)] if isinstance(node, ast.Name) else [(name, binding.line) for name, binding in _bound(node, False)]
        for name, line in names:
            found[name] = min(line, found.get(name, line))
    return found


def _bound(node: ast.AST, at_top: bool) -> Iterator[tuple[str, Binding]]:
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            yield node.id, Binding(node.lineno, "assignment" if isinstance(node.ctx, ast.Store) else "del", None)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        what = "import" if at_top else "import not at module level"
        for name, origin in _imported(node):
            yield name, Binding(node.lineno, what, origin if at_top else None)
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        for name in node.names:
            yield name, Binding(node.lineno, f"{type(node).__name__.lower()} declaration", None)
    elif type(node).__name__ in _BINDERS:
        attribute, what = _BINDERS[type(node).__name__]
        yield getattr(node, attribute), Binding(getattr(node, "lineno", 1), what, None)


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str | None]]:
    """Each name that an import binds, with the dotted name it stands for; a relative import's is unknown here."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            first = alias.name.partition(".")[0]
            yield (alias.asname, alias.name) if alias.asname else (first, first)
        else:
            yield alias.asname or alias.name, None if node.level else f"{node.module}.{alias.name}"
