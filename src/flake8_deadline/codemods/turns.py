"""Whether the turns of a loop can be isolated: that is, whether nothing but a failed turn would mean something else than before.

Everything doubtful is refused with a reason: ways out of a turn that an isolation would cut off, errors that somebody waits for, and code
behind the loop that takes every row for done.
"""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from flake8_deadline.codemods.bindings import mentioned
from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.scopes import Function, bound_by, bound_in
from flake8_deadline.codemods.syntax import last_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flake8_deadline.codemods.spelling import Vocabulary

COUNTERS = ("processed", "failed")

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.ClassDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_OWN = (ast.Return, ast.Raise, ast.Yield, ast.YieldFrom)
_JUMPS = (ast.Break, ast.Continue)
_TASKS = ("self", "task", "current_task")
_WRITES = frozenset({"delete", "adelete", "update", "aupdate", "bulk_update", "abulk_update", "bulk_create", "abulk_create"})
_TELLING = frozenset({"len", "print", "debug", "info", "warning", "error", "exception", "critical", "log"})
"""Calls that only say something of what they are given."""


class Loop(NamedTuple):
    node: ast.For | ast.AsyncFor
    siblings: list[ast.stmt]
    """The block it stands in."""
    around: tuple[ast.AST, ...]
    """What it stands in, outermost first."""

    @property
    def functions(self) -> tuple[Function, ...]:
        return tuple(node for node in self.around if isinstance(node, _FUNCTIONS))


def loops(tree: ast.Module) -> list[Loop]:
    """Every `for` of a file, in the order of the text."""
    found: list[Loop] = []
    pending: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(tree, ())]
    while pending:
        node, around = pending.pop()
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            for child in getattr(node, field, ()) if isinstance(getattr(node, field, None), list) else ():
                pending.append((child, (*around, node)))
                if isinstance(child, (ast.For, ast.AsyncFor)):
                    found.append(Loop(child, getattr(node, field), (*around, node)))
    return sorted(found, key=lambda loop: loop.node.lineno)


def require_isolable(loop: Loop, signal: Vocabulary) -> Function:
    """The function that the loop stands in. Raises `RefusedError` where its turns cannot be isolated."""
    scope = next((node for node in reversed(loop.around) if isinstance(node, _SCOPES)), None)
    if not isinstance(scope, _FUNCTIONS):
        raise RefusedError("the loop stands in no function: catch each row's errors by hand")
    _require_unused(scope)
    _require_straight(loop.node, signal)
    _require_nobody_waits(loop, signal)
    _require_no_transaction(loop)
    _require_nothing_relies(loop.node, scope)
    return scope


def _require_unused(function: Function) -> None:
    """Raises `RefusedError` where the counters mean something in the function already."""
    names = mentioned(function)
    for name in COUNTERS:
        if name in names:
            raise RefusedError(f"the function uses the name {name} already (line {names[name]}), which is to count rows")


def _require_straight(loop: ast.For | ast.AsyncFor, signal: Vocabulary) -> None:
    """Raises `RefusedError` where the body leaves a turn by a way that the isolation would cut off, or not count."""
    own = bound_by([loop])
    pending: list[tuple[ast.AST, bool]] = [(statement, False) for statement in loop.body]
    while pending:
        node, inside = pending.pop()
        if isinstance(node, _OWN) or (isinstance(node, _JUMPS) and not inside):
            raise RefusedError(
                f"{type(node).__name__.lower().removesuffix('from')} in the loop (line {node.lineno}): catch each row's errors by hand"
            )
        if isinstance(node, ast.Call) and _asks_again(node.func, own):
            call = f"{ast.unparse(node.func)} in the loop (line {node.lineno})"
            raise RefusedError(f"{call} works by an exception, which would be caught: catch each row's errors by hand")
        if isinstance(node, _LOOPS):
            pending.extend((child, True) for child in node.body)
            pending.extend((child, inside) for child in node.orelse)
            pending.extend((child, inside) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
        elif isinstance(node, ast.ExceptHandler) and _lets_out(node, signal):
            pending.extend((child, inside) for child in node.body[:-1])
        elif not isinstance(node, _SCOPES):
            pending.extend((child, inside) for child in ast.iter_child_nodes(node))


def _lets_out(handler: ast.ExceptHandler, signal: Vocabulary) -> bool:
    """Whether a clause is the signal's alone and ends by raising it again, as that of the isolation does."""
    last = handler.body[-1]
    return _is_signals(handler, signal) and isinstance(last, ast.Raise) and last.exc is None


def _is_signals(handler: ast.ExceptHandler, signal: Vocabulary) -> bool:
    return not isinstance(handler.type, ast.Tuple) and signal.means(handler.type)


def _notes_whatever_comes(handler: ast.ExceptHandler) -> bool:
    """Whether a broad clause does nothing but write a line or two; one that names its errors has been meant to end the loop."""
    broad = handler.type is None or ast.unparse(handler.type) in ("Exception", "BaseException")
    return broad and all(map(_only_tells, handler.body))


def _only_tells(statement: ast.stmt) -> bool:
    """Whether a statement does no more than a line in a log."""
    call = getattr(statement, "value", None) if isinstance(statement, ast.Expr) else None
    return isinstance(statement, ast.Pass) or (isinstance(call, ast.Call) and last_name(call.func) in _TELLING)


def _asks_again(function: ast.expr, own: set[str]) -> bool:
    """Whether a call is of a task's own `retry` or `replace`, which raise what the queue waits for; what the loop binds itself is no task."""
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return False
    return (function.attr == "retry" and function.value.id not in own) or (function.attr == "replace" and function.value.id in _TASKS)


def _require_nobody_waits(loop: Loop, signal: Vocabulary) -> None:
    """Raises `RefusedError` where a row's error means something further out, as it would come there no more."""
    for outer, inner in pairwise((*loop.around, loop.node)):
        if isinstance(outer, _FUNCTIONS):
            _require_not_retried(outer)
        elif inner in getattr(outer, "body", ()):
            for handler in getattr(outer, "handlers", ()):
                if getattr(outer, "orelse", ()) or not (_is_signals(handler, signal) or _notes_whatever_comes(handler)):
                    raise RefusedError(
                        f"a row's error would reach the except clause on line {handler.lineno} no more: catch each row's errors by hand"
                    )


def _require_not_retried(function: Function) -> None:
    for decorator in function.decorator_list:
        maker = decorator.func if isinstance(decorator, ast.Call) else decorator
        keywords = [keyword.arg for keyword in getattr(decorator, "keywords", ())]
        if "autoretry_for" in keywords or "retry" in last_name(maker):
            raise RefusedError(
                f"a row's error would no longer make {function.name} be tried again (line {decorator.lineno}): catch each row's errors by hand"
            )


def _require_no_transaction(loop: Loop) -> None:
    """Raises `RefusedError` inside of `atomic`, where an error caught without a savepoint breaks the transaction for all later rows."""
    for node in loop.around:
        contexts = [item.context_expr for item in node.items] if isinstance(node, (ast.With, ast.AsyncWith)) else getattr(node, "decorator_list", [])
        if any("atomic" in ast.unparse(context) for context in contexts):
            raise RefusedError("the loop stands inside of a transaction: each row would need a savepoint")


def _require_nothing_relies(loop: ast.For | ast.AsyncFor, function: Function) -> None:
    """Raises `RefusedError` where code behind the loop takes every row for done."""
    after = [node for node in ast.walk(function) if isinstance(node, ast.expr) and node.lineno > (loop.end_lineno or 0)]
    before = bound_in(function, loop.lineno)
    made = bound_by(loop.body) - before
    for name, line in sorted(_read_first(after, made).items(), key=lambda read: read[1]):
        raise RefusedError(f"line {line} reads {name}, which a failed row would not set: catch each row's errors by hand")
    rows = _sources(loop, function, before)
    for name, line in _worked_on(after, rows):
        raise RefusedError(f"line {line} goes on with {name} as if no row had failed: catch each row's errors by hand")


def _read_first(nodes: list[ast.expr], names: set[str]) -> dict[str, int]:
    """Those of the names that are read before they are bound again, and where."""
    found: dict[str, int] = {}
    own = {id(inner) for node in nodes for inner in _in_comprehension(node)}
    mentions = [node for node in nodes if isinstance(node, ast.Name) and node.id in names and id(node) not in own]
    bound: set[str] = set()
    for node in sorted(mentions, key=lambda node: (node.lineno, isinstance(node.ctx, ast.Store))):
        if isinstance(node.ctx, ast.Load) and node.id not in bound:
            found.setdefault(node.id, node.lineno)
        bound.add(node.id)
    return found


def _in_comprehension(node: ast.expr) -> Iterator[ast.Name]:
    """The names in a comprehension that it binds itself."""
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        own = {inner.id for part in node.generators for inner in ast.walk(part.target) if isinstance(inner, ast.Name)}
        yield from (inner for inner in ast.walk(node) if isinstance(inner, ast.Name) and inner.id in own)


def _sources(loop: ast.For | ast.AsyncFor, function: Function, local: set[str]) -> set[str]:
    """The local names that the rows come from: those that the loop goes over, and those that these were made of above it."""
    made: dict[str, set[str]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and node.lineno < loop.lineno:
            for target in node.targets:
                if isinstance(target, ast.Name):
                    made.setdefault(target.id, set()).update(_names(node.value) & local)
    pending = _names(loop.iter) & local
    found: set[str] = set()
    while pending:
        name = pending.pop()
        found.add(name)
        pending |= made.get(name, set()) - found
    return found - {"self", "cls"}


def _names(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _worked_on(nodes: list[ast.expr], rows: set[str]) -> Iterator[tuple[str, int]]:
    """Where rows are written together, or passed to a call that does more than tell of them."""
    for node in sorted((node for node in nodes if isinstance(node, ast.Call)), key=lambda node: node.lineno):
        called = last_name(node.func)
        given = [*node.args, *(keyword.value for keyword in node.keywords)] if called not in _TELLING else []
        if isinstance(node.func, ast.Attribute) and called in _WRITES:
            given.append(node.func.value)
        for name in sorted(set().union(*map(_names, given)) & rows):
            yield name, node.lineno
