"""The edit itself, made with libcst: clauses before clauses, and import lines.

Decides the layout (indentation, blank lines, which comment stays with what); which names, and before which clauses, is given. Only
statements are visited and no metadata is asked for, as both cost many times the edit.
"""

from __future__ import annotations

import ast
from itertools import islice
from typing import TYPE_CHECKING

import libcst as cst

from flake8_deadline.codemods.placement import late_patch, place
from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.syntax import encoding
from flake8_deadline.codemods.transplant import FORM_FEED, contains, lines, transplant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from flake8_deadline.codemods.placement import Line, Slot
    from flake8_deadline.codemods.snippet import Words

BLOCKS = (
    cst.Module,
    cst.BaseCompoundStatement,
    cst.IndentedBlock,
    cst.Else,
    cst.Finally,
    cst.ExceptHandler,
    cst.ExceptStarHandler,
    cst.MatchCase,
)
_DEFINITIONS = (cst.FunctionDef, cst.ClassDef)
_BLANK = cst.EmptyLine()
_COOKIE_LINES = 2


def insert(
    source: bytes,
    tree: ast.Module,
    clauses: Mapping[int, Iterable[Words]],
    imports: Iterable[tuple[str, str]],
    first_party: frozenset[str],
) -> tuple[bytes, tuple[int, ...]]:
    """Add the clauses given for the place of a clause, and `from module import name` for each pair in `imports`.

    `tree` is the tree of `source`. Returns the new text and the numbers of the added lines in it. Raises `RefusedError`, whatever libcst
    makes of the file.
    """
    inserter = _Inserter(clauses)

    def with_imports(before: cst.Module, after: cst.Module) -> cst.Module:
        lines = _logical_lines(before, tree)
        if inserter.seen != sum(isinstance(node, ast.ExceptHandler) for node in ast.walk(tree)):
            raise RefusedError("libcst finds other except clauses in the file than Python does")
        for module, name in imports:
            after = _add_import(after, lines, module, name, first_party)
        return after

    before, after = edited(source, inserter, with_imports)
    return transplant(source, before, after)


def edited(
    source: bytes, transformer: cst.CSTTransformer, finish: Callable[[cst.Module, cst.Module], cst.Module] = lambda _, after: after
) -> tuple[bytes, bytes]:
    """What libcst makes of a text, without the edit and with it. Raises `RefusedError`, whatever libcst makes of the file."""
    try:
        # libcst looks for the encoding in lines that end at a line feed alone.
        before = cst.parse_module(source, cst.PartialParserConfig(encoding=encoding(source)))
        after = finish(before, before.visit(transformer)).bytes
        # Mostly nothing but lines has come: that says of the text without them, too, that libcst reproduces it. Where it copies a form feed
        # from one line to others, a line that was there may be taken for one that has come.
        return (source if FORM_FEED.encode() not in source and contains(after, source) else before.bytes), after
    except RefusedError:
        raise
    except cst.ParserSyntaxError as error:
        # Where the end of the file surprises it, libcst names a line below the last.
        raise RefusedError(f"libcst cannot parse the file (line {min(error.raw_line, len(lines(source)))})") from error
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of libcst's parser is no Exception
        raise RefusedError(f"libcst cannot edit the file ({type(error).__name__})") from error


class _Inserter(cst.CSTTransformer):
    """Visits statements alone, counts `except` clauses in the order of the text, and puts new ones before those that are named."""

    def __init__(self, clauses: Mapping[int, Iterable[Words]]) -> None:
        super().__init__()
        self.seen = 0
        self._clauses = clauses
        self._chosen: dict[cst.CSTNode, Iterable[Words]] = {}
        self._usual = ""
        self._indents: list[str | None] = [None]

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, (cst.ExceptHandler, cst.ExceptStarHandler)):
            if self.seen in self._clauses:
                self._chosen[node] = self._clauses[self.seen]
            self.seen += 1
        elif isinstance(node, cst.IndentedBlock):
            self._indents.append(node.indent)
        elif isinstance(node, cst.Module):
            self._usual = node.default_indent
        return isinstance(node, BLOCKS)

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode:
        if isinstance(updated_node, cst.IndentedBlock):
            self._indents.pop()
        if not isinstance(original_node, cst.Try) or not isinstance(updated_node, cst.Try):
            return updated_node
        if self._chosen.keys().isdisjoint(original_node.handlers):
            return updated_node
        handlers: list[cst.ExceptHandler] = []
        for original, updated in zip(original_node.handlers, updated_node.handlers):
            indent = self._indent([original, original_node, *original_node.handlers])
            handlers += [clause(words, indent) for words in self._chosen.get(original, ())]
            handlers.append(updated)
        return updated_node.with_changes(handlers=handlers)

    def _indent(self, models: Iterable[cst.ExceptHandler | cst.Try]) -> str:
        """The indentation of the first of these that has a block, else of the block around; where that says none, the file's usual one."""
        found = next((model.body.indent for model in models if isinstance(model.body, cst.IndentedBlock)), self._indents[-1])
        return (found or self._usual).rpartition(FORM_FEED)[2]


def clause(words: Words, indent: str | None) -> cst.ExceptHandler:
    """The `except` clause that raises again, its block as deep as `indent`; None is the file's usual depth."""
    first = cst.parse_module(words.first).body if words.first else ()
    body = cst.IndentedBlock([*first, cst.SimpleStatementLine([cst.Raise()])], indent=indent)
    return cst.ExceptHandler(body, cst.parse_expression(words.exception), cst.AsName(cst.Name(words.bound)) if words.bound else None)


def _logical_lines(module: cst.Module, tree: ast.Module) -> list[Line]:
    """The statements of each logical line at module level; libcst knows which `;` joins, Python's tree what they are."""
    statements = iter(tree.body)
    lines = [tuple(islice(statements, len(node.body) if isinstance(node, cst.SimpleStatementLine) else 1)) for node in module.body]
    if not all(lines) or next(statements, None) is not None:
        raise RefusedError("libcst finds other statements in the file than Python does")
    return lines


def _add_import(after: cst.Module, lines: list[Line], module: str, name: str, first_party: frozenset[str]) -> cst.Module:
    """Put an import in its place, and a stand-in for it into `lines`."""
    slot = place(lines, module, name, first_party)
    patch = late_patch(lines, slot.following, module)
    if patch is not None:
        raise RefusedError(f"an import of {module} would run before the patch on line {patch}: add it by hand")
    body = list(after.body)
    following = body[slot.following]
    opening = slot.following == 0
    above = list(after.header if opening else following.leading_lines)
    crowded = opening and not above and not any(map(_stands_apart, body))
    own, kept = _share(above, slot, 2 if isinstance(following, _DEFINITIONS) and not crowded else 1)
    if slot.beside and not above and not all(isinstance(statement, (ast.Import, ast.ImportFrom)) for statement in lines[slot.following]):
        kept = [_BLANK]
    lines.insert(slot.following, (ast.ImportFrom(module, [ast.alias(name)], 0),))
    import_ = cst.ImportFrom(cst.parse_expression(module), [cst.ImportAlias(cst.Name(name))])  # type: ignore[arg-type]
    body[slot.following] = following.with_changes(leading_lines=kept)
    body.insert(slot.following, cst.SimpleStatementLine([import_], leading_lines=[] if opening else own))
    return after.with_changes(header=own if opening else after.header, body=body)


def _stands_apart(node: cst.CSTNode) -> bool:
    """Whether a function or class has two blank lines above it."""
    return isinstance(node, _DEFINITIONS) and sum(line.comment is None for line in node.leading_lines) >= 2


def _share(above: list[cst.EmptyLine], slot: Slot, distance: int) -> tuple[list[cst.EmptyLine], list[cst.EmptyLine]]:
    """Deal the comments and blank lines above a statement out to the import that goes before it and to the statement.

    `distance`: how many blank lines go between the first import of a file and the statement.
    """
    if slot.beside:
        return [], above
    glued = _last(above, blank=False, end=len(above))
    if slot.following == 0 and glued < _COOKIE_LINES:
        # The comments that open a file are about the file, and its encoding is read from the first two lines.
        glued = len(above)
    if not slot.apart:
        return above[:glued], [_BLANK, *above[glued:]] if above[glued:] else []
    start = _last(above, blank=True, end=glued) if slot.following == 0 else 0
    own, kept = above[:start], above[start:]
    blanks = next((index for index, line in enumerate(kept) if line.comment is not None), len(kept))
    if any(line.comment is None for line in kept[blanks:]):
        distance = 1
    wanted = distance if slot.opens else max(blanks, 1)
    if blanks > wanted:
        own += kept[: blanks - wanted]
    elif slot.following or (own and start < glued):
        own.append(_BLANK)
    return own, [*[_BLANK] * (wanted - blanks), *kept[max(blanks - wanted, 0) :]]


def _last(above: list[cst.EmptyLine], blank: bool, end: int) -> int:
    """Where the last run of blank lines, or of comments, that reaches up to `end` begins."""
    while end and (above[end - 1].comment is None) is blank:
        end -= 1
    return end
