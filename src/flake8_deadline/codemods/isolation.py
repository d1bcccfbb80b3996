"""Isolate the turns of a loop: what fails is counted and logged, the loop goes on, and the deadline's signal is let out.

Decides what goes round the body, and which words; whether the loop can be rewritten so at all is decided in `turns`. libcst makes the edit,
as the body is indented anew; what it does not reproduce to the byte it may not touch.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from flake8_deadline.codemods.edit import Edit, Refusal, refuse
from flake8_deadline.codemods.imports import with_imports
from flake8_deadline.codemods.insertion import BLOCKS, clause, edited
from flake8_deadline.codemods.loggers import logger
from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.scopes import Around
from flake8_deadline.codemods.snippet import Words, words
from flake8_deadline.codemods.spelling import Vocabulary
from flake8_deadline.codemods.syntax import parse_result, parse_written
from flake8_deadline.codemods.transplant import FORM_FEED, rebuilt
from flake8_deadline.codemods.turns import COUNTERS, Loop, loops, require_isolable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from flake8_deadline.codemods.snippet import Snippet
    from flake8_deadline.codemods.spelling import Spelling
    from flake8_deadline.rule import Isolate


class Rewrite(NamedTuple):
    """What goes round the body of a loop."""

    clause: Words
    """The one that lets the deadline out."""
    logger: str
    function: str


def isolate(source: bytes, fixes: Iterable[Isolate], first_party: frozenset[str] = frozenset(), snippet: Snippet | None = None) -> Edit:
    """Carry out the fixes on the text of one file. Nothing is raised: what cannot be done is among the refusals."""
    wanted = sorted(set(fixes))
    try:
        tree = parse_written(source)
    except RefusedError as error:
        return Edit(source, refusals=refuse(wanted, error))
    found = loops(tree)
    plans: dict[int, Rewrite] = {}
    done: list[Isolate] = []
    imports: dict[tuple[str, str], None] = {}
    refusals: list[Refusal] = []
    for fix in wanted:
        try:
            place, rewrite, spelling = _work_out(tree, found, plans, fix, snippet)
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
        return with_imports(edit, imports, first_party) if imports else edit
    except RefusedError as error:
        return Edit(source, refusals=(*refusals, *refuse(done, error)))


def _carried_out(source: bytes, tree: ast.Module, plans: Mapping[int, Rewrite], done: list[Isolate], refusals: list[Refusal]) -> Edit:
    """Raises `RefusedError`."""
    before, after = edited(source, _Isolator(plans))
    new = rebuilt(source, before, after)
    old, now = loops(tree), loops(parse_result(new))
    added = sorted(line for place in plans for line in _added(now[place], old[place]))
    return Edit(new, tuple(done), tuple(refusals), tuple(added))


def _work_out(tree: ast.Module, found: list[Loop], chosen: Iterable[int], fix: Isolate, snippet: Snippet | None) -> tuple[int, Rewrite, Spelling]:
    """Raises `RefusedError`."""
    place = next((place for place, loop in enumerate(found) if loop.node.lineno == fix.line), None)
    if place is None:
        raise RefusedError("no for loop begins on this line")
    loop = found[place]
    for other in chosen:
        if found[other].node in (*loop.around, loop.node) and found[other].functions == loop.functions:
            raise RefusedError(f"the loop on line {found[other].node.lineno} is given counters already: catch each row's errors by hand")
    signal = Vocabulary(tree, fix.module, fix.name)
    function = require_isolable(loop, signal)
    spelling = signal.spell(fix.line, deferred=True)
    where = Around(loop.functions, loop.node, loop.node.lineno, turns=" + ".join(COUNTERS))
    said = words(snippet, spelling.text, tree, where) if snippet else Words(spelling.text)
    return place, Rewrite(said, logger(tree, function), function.name), spelling


class _Isolator(cst.CSTTransformer):
    """Visits statements alone, counts loops in the order of the text, and rewrites those that are planned."""

    def __init__(self, plans: Mapping[int, Rewrite]) -> None:
        super().__init__()
        self.seen = 0
        self._plans = plans
        self._chosen: dict[cst.CSTNode, Rewrite] = {}
        self._indents: list[str | None] = [None]
        self._usual = ""

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.For):
            if self.seen in self._plans:
                self._chosen[node] = self._plans[self.seen]
            self.seen += 1
        elif isinstance(node, cst.IndentedBlock):
            self._indents.append(node.indent)
        elif isinstance(node, cst.Module):
            self._usual = node.default_indent
        return isinstance(node, BLOCKS)

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode | cst.FlattenSentinel[cst.BaseStatement]:
        if isinstance(original_node, cst.IndentedBlock):
            self._indents.pop()
        plan = self._chosen.get(original_node)
        if plan is None or not isinstance(updated_node, cst.For):
            return updated_node
        return cst.FlattenSentinel(_rewritten(updated_node, plan, self._indents[-1] or self._usual))


def _rewritten(loop: cst.For, plan: Rewrite, usual: str) -> Iterator[cst.BaseStatement]:
    """`usual`: the indentation of the block around, or of the file, for a loop that has none of its own."""
    lead = list(loop.leading_lines)
    glued = next((index + 1 for index in reversed(range(len(lead))) if lead[index].comment is None), 0)
    indent = loop.body.indent if isinstance(loop.body, cst.IndentedBlock) else None
    indent = (indent or usual).rpartition(FORM_FEED)[2]
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
    return cst.IndentedBlock([_guard(cst.IndentedBlock([line], indent=indent), plan, indent)], indent=indent)


def _guard(body: cst.IndentedBlock, plan: Rewrite, indent: str | None) -> cst.Try:
    failed = _block(indent, "failed += 1", f'{plan.logger}.exception("{plan.function}: row failed")')
    handlers = [clause(plan.clause, indent), cst.ExceptHandler(failed, cst.Name("Exception"))]
    return cst.Try(body, handlers, cst.Else(_block(indent, "processed += 1")))


def _block(indent: str | None, *statements: str) -> cst.IndentedBlock:
    return cst.IndentedBlock([cst.SimpleStatementLine([_small(statement)]) for statement in statements], indent=indent)


def _small(text: str) -> cst.BaseSmallStatement:
    return cst.ensure_type(cst.parse_statement(text), cst.SimpleStatementLine).body[0]


def _added(now: Loop, old: Loop) -> Iterator[int]:
    """The lines of the new text that isolate a loop."""
    counters, summary, try_ = _parts(now)
    yield counters.lineno
    yield try_.lineno
    head = try_.lineno - now.node.lineno
    if old.node.body[0].lineno - old.node.lineno < head:
        # The body stood on the last line of the head.
        yield from range(try_.body[0].lineno, (try_.body[-1].end_lineno or 0) + 1)
    yield from range(try_.handlers[0].lineno, (try_.orelse[-1].end_lineno or 0) + 1)
    yield from range(summary.lineno, (summary.end_lineno or 0) + 1)


def _parts(loop: Loop) -> tuple[ast.stmt, ast.stmt, ast.Try]:
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
