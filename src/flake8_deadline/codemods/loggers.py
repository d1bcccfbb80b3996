"""Which name of a file is a logger of Python's `logging`, as the file's own text shows; what only looks like one may take other arguments."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from flake8_deadline.codemods.bindings import bindings
from flake8_deadline.codemods.refusal import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAKERS = frozenset({"logging.getLogger", "celery.utils.log.get_task_logger", "celery.utils.log.get_logger"})
_MODULE = "logging"


def logger(tree: ast.Module, function: ast.AST) -> str:
    """The module's logger that a function can use: the one that it uses already, else the first. Raises `RefusedError` where there is none."""
    found = [name for name in dict.fromkeys(_loggers(tree)) if len(bindings(tree, {name})[name]) == 1]
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    for name in sorted(found, key=lambda name: name not in used):
        return name
    raise RefusedError("the module has no logger to tell of failed rows: add logger = logging.getLogger(__name__)")


def _loggers(tree: ast.Module) -> Iterator[str]:
    imported = dict(_imported(tree))
    for statement in tree.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and isinstance(statement.value, ast.Call):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            first, _, rest = ast.unparse(statement.value.func).partition(".")
            maker = f"{imported.get(first)}.{rest}".rstrip(".")
            # In a class, Python would read a name that begins with two underscores as another.
            if maker in _MAKERS and isinstance(target, ast.Name) and not target.id.startswith("__"):
                yield target.id
    yield from (name for name, origin in imported.items() if origin == _MODULE and _is_told(tree, name))


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Each name that an import at module level binds, and what it stands for."""
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            yield from ((alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0],) * 2 for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom) and not statement.level:
            yield from ((alias.asname or alias.name, f"{statement.module}.{alias.name}") for alias in statement.names)


def _is_told(tree: ast.Module, name: str) -> bool:
    """Whether the file tells `logging` itself of what happens, without a logger of its own."""
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    levels = ("debug", "info", "warning", "error", "exception", "critical")
    return any(isinstance(call, ast.Attribute) and call.attr in levels and ast.unparse(call.value) == name for call in calls)
