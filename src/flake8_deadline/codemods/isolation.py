"""Isolate the turns of a loop: what fails is counted and logged, the loop goes on, and the deadline's signal is let out.

Decides which loops can be rewritten so without a change of what they mean, apart from a failed turn. Everything doubtful is refused with a
reason. libcst makes the edit, as the body is indented anew; what it does not reproduce to the byte it may not touch.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from flake8_deadline.codemods.edit import Edit, Refusal, refuse, then
from flake8_deadline.codemods.imports import add_imports
from flake8_deadline.codemods.insertion import BLOCKS, clause, edited
from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.scopes import Around
from flake8_deadline.codemods.snippet import Words, words
from flake8_deadline.codemods.spelling import Vocabulary
from flake8_deadline.codemods.syntax import parse
from flake8_deadline.codemods.transplant import rebuilt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from flake8_deadline.codemods.snippet import Snippet
    from flake8_deadline.codemods.spelling import Spelling
    from flake8_deadline.rule import Isolate

_COUNTERS = ("processed", "failed")
_LOGGERS = frozenset({"getLogger", "get_task_logger"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.ClassDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_OWN = (ast.Return, ast.Raise, ast.Yield, ast.YieldFrom)
_JUMPS = (ast.Break, ast.Continue)


class Rewrite(NamedTuple):
    """What goes round the body of a loop."""

    clause: Words
    """The one that lets the deadline out."""
    logger: str
    function: str


class _Loop(NamedTuple):
    node: ast.For | ast.AsyncFor
    siblings: list[ast.stmt]
    """The block it stands in."""
    around: tuple[ast.AST, ...]
    """What it stands in, outermost first."""


def isolate(source: bytes, fixes: Iterable[Isolate], first_party: frozenset[str] = frozenset(), snippet: Snippet | None = None) -> Edit:
    """Carry out the fixes on the text of one file. Nothing is raised: what cannot be done is among the refusals."""
    wanted = sorted(set(fixes))
    try:
        tree = parse(source)
    except RefusedError as error:
        return Edit(source, refusals=refuse(wanted, error))
    found = loops(tree)
    plans: dict[int, Rewrite] = {}
    done: list[Isolate] = []
    imports: dict[tuple[str, str], None] = {}
    refusals: list[Refusal] = []
    for fix in wanted:
        try:
            place, rewrite, spelling = _work_out(tree, found, fix, snippet)
        except RefusedError as error:
            refusals.append(Refusal(fix, str(error)))
            continue
        plans[place] = rewrite
        done.append(fix)
        if spelling.module is not None:
            imports[spelling.module, fix.name] = None
    if not plans:
        return Edit(source, refusals=tuple(refusals))
    try:
        edit = _carried_out(source, tree, plans, done, refusals)
        return then(edit, add_imports(edit.source, tuple(imports), first_party), {}) if imports else edit
    except RefusedError as error:
        return Edit(source, refusals=(*refusals, *refuse(done, error)))


def _carried_out(source: bytes, tree: ast.Module, plans: Mapping[int, Rewrite], done: list[Isolate], refusals: list[Refusal]) -> Edit:
    """Raises `RefusedError`."""
    before, after = edited(source, _Isolator(plans))
    new = rebuilt(source, before, after)
    old, now = loops(tree), loops(parse(new))
    added = sorted(line for place in plans for line in _added(now[place], old[place]))
    return Edit(new, tuple(done), tuple(refusals), tuple(added))


def loops(tree: ast.Module) -> list[_Loop]:
    """Every `for` of a file, in the order of the text."""
    found: list[_Loop] = []
    pending: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(tree, ())]
    while pending:
        node, around = pending.pop()
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            for child in getattr(node, field, ()) if isinstance(getattr(node, field, None), list) else ():
                pending.append((child, (*around, node)))
                if isinstance(child, (ast.For, ast.AsyncFor)):
                    found.append(_Loop(child, getattr(node, field), (*around, node)))
    return sorted(found, key=lambda loop: loop.node.lineno)


def _work_out(tree: ast.Module, found: list[_Loop], fix: Isolate, snippet: Snippet | None) -> tuple[int, Rewrite, Spelling]:
    """Raises `RefusedError`."""
    place = next((place for place, loop in enumerate(found) if loop.node.lineno == fix.line), None)
    if place is None:
        raise RefusedError("no for begins on this line")
    loop = found[place]
    function = next((node for node in reversed(loop.around) if isinstance(node, _FUNCTIONS)), None)
    if function is None:
        raise RefusedError("the loop stands in no function: isolate by hand")
    _require_unused(function)
    _require_straight(loop.node)
    _require_no_transaction(loop)
    spelling = Vocabulary(tree, fix.module, fix.name).spell(fix.line, deferred=True)
    functions = tuple(node for node in loop.around if isinstance(node, _FUNCTIONS))
    said = words(snippet, spelling.text, tree, Around(functions, loop.node, loop.node.lineno)) if snippet else Words(spelling.text)
    return place, Rewrite(said, _logger(tree, function), function.name), spelling


def _require_unused(function: ast.AST) -> None:
    """Raises `RefusedError` where the counters mean something in the function already."""
    for node in ast.walk(function):
        for name in (getattr(node, "id", None), getattr(node, "arg", None), getattr(node, "name", None), *getattr(node, "names", ())):
            if name in _COUNTERS:
                raise RefusedError(f"the function uses the name {name} already (line {getattr(node, 'lineno', 1)})")


def _require_straight(loop: ast.For | ast.AsyncFor) -> None:
    """Raises `RefusedError` where the body leaves a turn by a way that the isolation would cut off, or not count."""
    pending: list[tuple[ast.AST, bool]] = [(statement, False) for statement in loop.body]
    while pending:
        node, inside = pending.pop()
        if isinstance(node, _OWN) or (isinstance(node, _JUMPS) and not inside):
            raise RefusedError(f"{type(node).__name__.lower().removesuffix('from')} in the loop (line {node.lineno}): isolate by hand")
        if isinstance(node, ast.Call) and _asks_again(node.func):
            raise RefusedError(f"{ast.unparse(node.func)} in the loop (line {node.lineno}) leaves by an exception: isolate by hand")
        if isinstance(node, _LOOPS):
            pending.extend((child, True) for child in node.body)
            pending.extend((child, inside) for child in node.orelse)
            pending.extend((child, inside) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
        elif not isinstance(node, _SCOPES):
            pending.extend((child, inside) for child in ast.iter_child_nodes(node))


def _asks_again(function: ast.expr) -> bool:
    """Whether a call is of a task's own `retry` or `replace`, which raise what the queue waits for."""
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return False
    return function.attr == "retry" or (function.attr == "replace" and function.value.id in ("self", "task", "current_task"))


def _require_no_transaction(loop: _Loop) -> None:
    """Raises `RefusedError` inside of `atomic`, where an error caught without a savepoint breaks the transaction for all later rows."""
    for node in loop.around:
        contexts = [item.context_expr for item in node.items] if isinstance(node, (ast.With, ast.AsyncWith)) else getattr(node, "decorator_list", [])
        if any("atomic" in ast.unparse(context) for context in contexts):
            raise RefusedError("the loop stands inside of a transaction: each row would need a savepoint")


def _logger(tree: ast.Module, function: ast.AST) -> str:
    """The module's logger. Raises `RefusedError` where it has none."""
    hidden = {getattr(node, "id", getattr(node, "arg", None)) for node in ast.walk(function) if not isinstance(getattr(node, "ctx", None), ast.Load)}
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call) and isinstance(statement.targets[0], ast.Name):
            maker = statement.value.func
            name = statement.targets[0].id
            if getattr(maker, "attr", getattr(maker, "id", "")) in _LOGGERS and name not in hidden:
                return name
    raise RefusedError("the module has no logger to tell of failed rows")


class _Isolator(cst.CSTTransformer):
    """Visits statements alone, counts loops in the order of the text, and rewrites those that are planned."""

    def __init__(self, plans: Mapping[int, Rewrite]) -> None:
        super().__init__()
        self.seen = 0
        self._plans = plans
        self._chosen: dict[cst.CSTNode, Rewrite] = {}

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.For):
            if self.seen in self._plans:
                self._chosen[node] = self._plans[self.seen]
            self.seen += 1
        return isinstance(node, BLOCKS)

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode | cst.FlattenSentinel[cst.BaseStatement]:
        plan = self._chosen.get(original_node)
        if plan is None or not isinstance(updated_node, cst.For):
            return updated_node
        return cst.FlattenSentinel(_rewritten(updated_node, plan))


def _rewritten(loop: cst.For, plan: Rewrite) -> Iterator[cst.BaseStatement]:
    lead = list(loop.leading_lines)
    glued = next((index + 1 for index in reversed(range(len(lead))) if lead[index].comment is None), 0)
    indent = loop.body.indent if isinstance(loop.body, cst.IndentedBlock) else None
    summary = f'{plan.logger}.warning("{plan.function}: %d processed, %d failed", processed, failed)'
    yield cst.SimpleStatementLine([_small("processed = failed = 0")], lead[:glued])
    yield loop.with_changes(leading_lines=lead[glued:], body=_nested(loop.body, plan, indent))
    yield cst.If(cst.Name("failed"), _block(indent, summary))


def _nested(body: cst.BaseSuite, plan: Rewrite, indent: str | None) -> cst.IndentedBlock:
    """The body of a loop, inside of a `try`."""
    if isinstance(body, cst.IndentedBlock):
        return cst.IndentedBlock([_guard(body.with_changes(header=cst.TrailingWhitespace()), plan, indent)], header=body.header, indent=indent)
    suite = cst.ensure_type(body, cst.SimpleStatementSuite)
    line = cst.SimpleStatementLine(suite.body, trailing_whitespace=suite.trailing_whitespace)
    return cst.IndentedBlock([_guard(cst.IndentedBlock([line]), plan, indent)])


def _guard(body: cst.IndentedBlock, plan: Rewrite, indent: str | None) -> cst.Try:
    failed = _block(indent, "failed += 1", f'{plan.logger}.exception("{plan.function}: row failed")')
    handlers = [clause(plan.clause, indent), cst.ExceptHandler(failed, cst.Name("Exception"))]
    return cst.Try(body, handlers, cst.Else(_block(indent, "processed += 1")))


def _block(indent: str | None, *statements: str) -> cst.IndentedBlock:
    return cst.IndentedBlock([cst.SimpleStatementLine([_small(statement)]) for statement in statements], indent=indent)


def _small(text: str) -> cst.BaseSmallStatement:
    return cst.ensure_type(cst.parse_statement(text), cst.SimpleStatementLine).body[0]


def _added(now: _Loop, old: _Loop) -> Iterator[int]:
    """The lines of the new text that isolate a loop."""
    counters, summary, try_ = _parts(now)
    yield counters.lineno
    yield try_.lineno
    if old.node.body[0].lineno == old.node.lineno:
        yield from range(try_.body[0].lineno, (try_.body[-1].end_lineno or 0) + 1)
    yield from range(try_.handlers[0].lineno, (try_.orelse[-1].end_lineno or 0) + 1)
    yield from range(summary.lineno, (summary.end_lineno or 0) + 1)


def _parts(loop: _Loop) -> tuple[ast.stmt, ast.stmt, ast.Try]:
    """The counters before a loop, the summary behind it, and the `try` in it. Raises `RefusedError` where they are not there."""
    index = loop.siblings.index(loop.node)
    around = loop.siblings[max(index - 1, 0) : index + 2]
    if len(around) == len(("counters", "loop", "summary")) and isinstance(loop.node.body[0], ast.Try):
        return around[0], around[2], loop.node.body[0]
    raise RefusedError("libcst made something else of the loop than planned")


def without_isolation(before: ast.Module, after: ast.Module, edit: Edit) -> None:
    """Take what isolates the loops out of a tree of the new text again; `before` is the tree of the old one."""
    lines = {fix.line for fix in edit.fixes}
    places = [place for place, loop in enumerate(loops(before)) if loop.node.lineno in lines]
    now = loops(after)
    for place in places:
        counters, summary, try_ = _parts(now[place])
        now[place].node.body[:] = try_.body
        now[place].siblings.remove(counters)
        now[place].siblings.remove(summary)
