"""How a file spells an exception: by a name it already has, or by one that an import line has to bring.

Only imports that stand directly in the module count: one under `if`, in a `try` or in a function may not have run, or not be seen, where
the clause needs it. A name that anything else in the file binds is not used, whatever the scope.
"""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING, NamedTuple

from flake8_deadline.codemods.bindings import bindings
from flake8_deadline.codemods.refusal import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flake8_deadline.codemods.bindings import Binding

_SOFT_LIMIT = "SoftTimeLimitExceeded"
_SOFT_LIMIT_MODULES = ("celery.exceptions", "billiard.exceptions", "billiard", "billiard.pool")
"""One class under four names: Celery takes it from billiard. `celery` itself does not have it."""


class Spelling(NamedTuple):
    text: str
    """The name, dotted or not, as it goes after `except`."""
    module: str | None
    """The module that an import line has to take it from; None where the file has it already."""


class Vocabulary:
    """The names a file has for one exception."""

    def __init__(self, tree: ast.Module, module: str, name: str) -> None:
        self._name = name
        self._module = module
        self._modules = _SOFT_LIMIT_MODULES if name == _SOFT_LIMIT and module in _SOFT_LIMIT_MODULES else (module,)
        self._imports = [statement for statement in tree.body if isinstance(statement, (ast.Import, ast.ImportFrom))]
        self._known = sorted(self._spellings(), key=lambda known: known[0].count("."))
        self._bindings = bindings(tree, {name, *(text.partition(".")[0] for text, _ in self._known)})

    def spell(self, line: int, deferred: bool) -> Spelling:
        """The spelling for a clause on `line`; `deferred`: it runs in a function, so only after the whole module has.

        Raises `RefusedError`.
        """
        for text, imported in self._known:
            if self._is_sure(text) and (deferred or imported < line):
                return Spelling(text, None)
        taken = self._bindings[self._name]
        if taken:
            raise RefusedError(self._obstacle(taken))
        if hasattr(builtins, self._name):
            raise RefusedError(f"an import of {self._name} would hide the builtin of that name")
        return Spelling(self._name, self._home())

    def means(self, type_: ast.expr | None) -> bool:
        """Whether the type of an `except` clause names the exception, alone or in a tuple."""
        if isinstance(type_, ast.Tuple):
            return any(map(self.means, type_.elts))
        text = _dotted(type_)
        return text == self._name or any(text == known for known, _ in self._known)

    def _spellings(self) -> Iterator[tuple[str, int]]:
        """Each spelling that an import at module level makes possible, and the line of that import."""
        for statement in self._imports:
            for alias in statement.names:
                if isinstance(statement, ast.Import):
                    if alias.name in self._modules:
                        yield f"{alias.asname or alias.name}.{self._name}", statement.lineno
                elif not statement.level:
                    if statement.module in self._modules and alias.name == self._name:
                        yield alias.asname or alias.name, statement.lineno
                    elif f"{statement.module}.{alias.name}" in self._modules:
                        yield f"{alias.asname or alias.name}.{self._name}", statement.lineno

    def _is_sure(self, text: str) -> bool:
        """Whether the first name of a spelling means one thing throughout the file."""
        origins = {self._same(binding.origin) for binding in self._bindings[text.partition(".")[0]]}
        return len(origins) == 1 and None not in origins

    def _same(self, origin: str | None) -> str | None:
        """One name for all names of the exception."""
        return self._name if origin in {f"{module}.{self._name}" for module in self._modules} else origin

    def _obstacle(self, taken: list[Binding]) -> str:
        for binding in taken:
            if self._same(binding.origin) != self._name:
                return f"the name {self._name} is bound elsewhere (line {binding.line}, {binding.what})"
        return f"{self._name} is imported only below this clause, on line {taken[0].line}"

    def _home(self) -> str:
        """The module to import from: billiard's where the file takes other exceptions from there and none from Celery's."""
        used = {module for statement in self._imports for module in _modules(statement)}
        return next((module for module in self._modules[:2] if module in used), self._module)


def _modules(statement: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    return [] if statement.level else [str(statement.module)]


def _dotted(node: ast.expr | None) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None
