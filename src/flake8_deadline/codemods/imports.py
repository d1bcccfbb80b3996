"""Import lines alone, and what packages they bring into a file for the first time."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from flake8_deadline.codemods.edit import Edit, in_old_lines, then
from flake8_deadline.codemods.insertion import insert
from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.syntax import parse_result

if TYPE_CHECKING:
    from collections.abc import Iterable


def add_imports(source: bytes, imports: tuple[tuple[str, str], ...], first_party: frozenset[str]) -> Edit:
    """Add `from module import name` for each pair, where it belongs. Raises `RefusedError`."""
    tree = parse_result(source)
    text, added = insert(source, tree, {}, imports, first_party)
    modules = tuple(module for module, _ in imports)
    return Edit(text, (), (), added, modules, newcomers(tree, modules))


def with_imports(edit: Edit, imports: Iterable[tuple[str, str]], first_party: frozenset[str]) -> Edit:
    """An edit, and the import lines that its result needs. Raises `RefusedError`, with the lines of the text before the edit."""
    try:
        return then(edit, add_imports(edit.source, tuple(imports), first_party), {})
    except RefusedError as error:
        raise RefusedError(in_old_lines(str(error), edit)) from error


def newcomers(tree: ast.Module, modules: Iterable[str]) -> tuple[str, ...]:
    """The top-level packages of these modules that no import of the file names, at whatever level it stands."""
    known: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            known.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            known.add(str(node.module).partition(".")[0])
    packages = (module.partition(".")[0] for module in modules)
    return tuple(dict.fromkeys(package for package in packages if package not in known))
