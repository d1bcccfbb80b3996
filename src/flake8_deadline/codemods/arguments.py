"""Pass keyword arguments to calls and decorators, and set attributes of classes: the limits of a task, the conditions of a retry.

Decides where in the call or the class they go and how they are laid out; which, is given. Only insertions: an argument that is passed
already, or may be by `**`, is left alone. libcst is asked for import lines alone, as it would have to visit every expression.
"""

from __future__ import annotations

import ast
import io
import tokenize
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, cast

from msgspec.structs import replace

from flake8_deadline.codemods.edit import Edit, Refusal, refuse, then
from flake8_deadline.codemods.imports import add_imports
from flake8_deadline.codemods.numbering import moved
from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.spelling import Vocabulary
from flake8_deadline.codemods.splice import Insertion, NewLine, Place, Text, spliced, text_of
from flake8_deadline.codemods.syntax import parse
from flake8_deadline.rule import Declare, Pass, needs_limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flake8_deadline.codemods.wishes import Wishes

Given = tuple[tuple[str, str], ...]
"""Keywords, and expressions as they are written in the file."""

_LAYOUT = frozenset({tokenize.NL, tokenize.COMMENT, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER})
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class _Step(NamedTuple):
    fix: Pass | Declare
    insertions: tuple[Insertion, ...]
    new_lines: tuple[NewLine, ...]
    imports: tuple[tuple[str, str], ...]


def pass_arguments(source: bytes, fixes: Iterable[Pass | Declare], wishes: Wishes, first_party: frozenset[str] = frozenset()) -> Edit:
    """Carry out the fixes on the text of one file. Nothing is raised: what cannot be done is among the refusals."""
    wanted = sorted(set(fixes), key=lambda fix: (fix.line, repr(fix)))
    try:
        tree, text = parse(source), text_of(source)
    except RefusedError as error:
        return Edit(source, refusals=refuse(wanted, error))
    steps: list[_Step] = []
    refusals: list[Refusal] = []
    for fix in wanted:
        try:
            steps.append(_work_out(tree, text, fix, wishes))
        except RefusedError as error:
            refusals.append(Refusal(fix, str(error)))
    done = tuple(step.fix for step in steps)
    try:
        new, added = spliced(text, chain.from_iterable(step.insertions for step in steps), chain.from_iterable(step.new_lines for step in steps))
        edit = Edit(new, done, tuple(refusals), added)
        imports = tuple(dict.fromkeys(chain.from_iterable(step.imports for step in steps)))
        return then(edit, add_imports(new, imports, first_party), {}) if imports else edit
    except RefusedError as error:
        return Edit(source, refusals=(*refusals, *refuse(done, error)))


def without_arguments(before: ast.Module, after: ast.Module, edit: Edit) -> None:
    """Take what was passed and set out of a tree of the new text again; `before` is the tree of the old one."""
    for fix in edit.fixes:
        line = moved(fix.line, edit.added)
        if isinstance(fix, Pass):
            call = cast("ast.Call", _callee(after, replace(fix, line=line)))
            call.keywords = [keyword for keyword in call.keywords if keyword.arg not in dict(fix.arguments)]
            if not isinstance(_callee(before, fix), ast.Call):
                _decorate(after, call)
        else:
            body = _class(after, line).body
            body[:] = [statement for statement in body if statement.lineno not in edit.added]


def _decorate(tree: ast.Module, call: ast.Call) -> None:
    """Make of a decorator that is called one that is not."""
    for node in ast.walk(tree):
        if isinstance(node, _DEFINITIONS) and call in node.decorator_list:
            node.decorator_list[node.decorator_list.index(call)] = call.func


def _work_out(tree: ast.Module, text: Text, fix: Pass | Declare, wishes: Wishes) -> _Step:
    """Raises `RefusedError`."""
    spellings = [Vocabulary(tree, module, name).spell(fix.line, deferred=False) for module, name in fix.names]
    imports = tuple((spelling.module, name) for spelling, (_, name) in zip(spellings, fix.names) if spelling.module is not None)
    limits = wishes.limits if needs_limits(fix) else None
    numbers = {"soft": str(limits.soft), "hard": str(limits.hard)} if limits else {}
    texts = [spelling.text for spelling in spellings]
    given = tuple((keyword, expression.format(*texts, **numbers)) for keyword, expression in fix.arguments)
    reason = limits.reason if limits else ""
    if isinstance(fix, Declare):
        return _Step(fix, (), tuple(_declared(text, _class(tree, fix.line), given, reason)), imports)
    insertions, new_lines = _passed(text, _callee(tree, fix), given, reason)
    return _Step(fix, tuple(insertions), tuple(new_lines), imports)


def _callee(tree: ast.Module, fix: Pass) -> ast.expr:
    """The decorator or the call that begins on the fix's line."""
    if not fix.callee:
        found = [d for node in ast.walk(tree) if isinstance(node, _DEFINITIONS) for d in node.decorator_list if d.lineno == fix.line]
    else:
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.lineno == fix.line]
        found = [node for node in calls if getattr(node.func, "attr", getattr(node.func, "id", "")) == fix.callee]
    if len(found) != 1:
        raise RefusedError(f"{'no' if not found else 'more than one'} {'call of ' + fix.callee if fix.callee else 'decorator'} begins on this line")
    return found[0]


def _class(tree: ast.Module, line: int) -> ast.ClassDef:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and line in (node.lineno, *(decorator.lineno for decorator in node.decorator_list)):
            return node
    raise RefusedError("no class begins on this line")


def _passed(text: Text, callee: ast.expr, given: Given, reason: str) -> tuple[list[Insertion], list[NewLine]]:
    """Raises `RefusedError` where an argument is passed already, or may be."""
    words = [f"{keyword}={expression}" for keyword, expression in given]
    end = text.end(callee)
    beside, above = _comment(text, callee, reason)
    if not isinstance(callee, ast.Call):
        return [Insertion(end, f"({', '.join(words)}){beside}")], above
    _require_free(callee, given)
    tokens = list(_tokens(text, text.start(callee), end))
    last = tokens[-2]
    at = Place(*last.end)
    if at.line < end.line and last.string != "(":
        indent = _indent(text, tokens, end)
        comments = [f"  # {reason}" if reason else "", *("" for _ in words[1:])]
        new_lines = [NewLine(at.line, f"{indent}{word},{comment}") for word, comment in zip(words, comments)]
        return [] if last.string == "," else [Insertion(at, ",")], new_lines
    before = {"(": "", ",": " "}.get(last.string, ", ")
    return [Insertion(at, before + ", ".join(words)), Insertion(end, beside)], above


def _require_free(call: ast.Call, given: Given) -> None:
    for keyword in call.keywords:
        if keyword.arg is None:
            raise RefusedError("the arguments may be among those passed by **")
        if keyword.arg in dict(given):
            raise RefusedError(f"{keyword.arg} is passed already")
    if len(call.args) == 1 and isinstance(call.args[0], ast.GeneratorExp):
        raise RefusedError("the generator passed would need brackets of its own")


def _comment(text: Text, callee: ast.expr, reason: str) -> tuple[str, list[NewLine]]:
    """The reason as a comment at the end of the line, or where that line says something more, on a line above."""
    if not reason:
        return "", []
    if not text.rest(text.end(callee)).strip():
        return f"  # {reason}", []
    return "", [NewLine(callee.lineno - 1, f"{text.indent(callee.lineno)}# {reason}")]


def _tokens(text: Text, start: Place, end: Place) -> Iterator[tokenize.TokenInfo]:
    """The tokens of an expression that mean something, with their places in the file. Raises `RefusedError`."""
    padding = "\n" * (start.line - 1) + "(" + " " * (start.column - 1) if start.column else "\n" * (start.line - 1)
    try:
        for token in tokenize.generate_tokens(io.StringIO(padding + text.between(start, end)).readline):
            if token.type not in _LAYOUT and token.start >= start:
                yield token
    except (tokenize.TokenError, SyntaxError):
        return


def _indent(text: Text, tokens: list[tokenize.TokenInfo], end: Place) -> str:
    """The indentation of an argument on a line of its own."""
    opening = next(token for token in tokens if token.string == "(")
    first = tokens[tokens.index(opening) + 1]
    if first.start[0] > opening.start[0]:
        return text.indent(first.start[0])
    return text.indent(end.line) + "    "


def _declared(text: Text, class_: ast.ClassDef, given: Given, reason: str) -> Iterator[NewLine]:
    """The lines of the attributes, below the docstring. Raises `RefusedError` where the class has one of them, or no lines of its own."""
    for statement in class_.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        for target in targets:
            if isinstance(target, ast.Name) and target.id in dict(given):
                raise RefusedError(f"the class sets {target.id} already")
    first = class_.body[0]
    line = min([first.lineno, *(decorator.lineno for decorator in getattr(first, "decorator_list", ()))])
    indent = text.indent(line)
    if text.lines[first.lineno - 1][: text.place(first.lineno, first.col_offset).column].strip():
        raise RefusedError("the class has its body on the line of its head")
    after, space = _below_docstring(text, class_, line)
    comments = [f"  # {reason}" if reason else "", *("" for _ in given[1:])]
    if space:
        yield NewLine(after, "")
    for (keyword, expression), comment in zip(given, comments):
        yield NewLine(after, f"{indent}{keyword} = {expression}{comment}")
    if not space and isinstance(first, _DEFINITIONS):
        yield NewLine(after, "")


def _below_docstring(text: Text, class_: ast.ClassDef, line: int) -> tuple[int, bool]:
    """The line below which attributes go, and whether a blank line comes first."""
    if ast.get_docstring(class_, clean=False) is not None:
        end = class_.body[0].end_lineno or line
        return end, end < len(text.lines) and not text.lines[end].strip()
    while line > 1 and (not text.lines[line - 2].strip() or text.lines[line - 2].lstrip().startswith("#")):
        line -= 1
    return line - 1, False
