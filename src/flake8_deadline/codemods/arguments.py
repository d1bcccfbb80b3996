"""Pass keyword arguments to calls and decorators, and set attributes of classes: the limits of a task, the conditions of a retry.

Decides where in the call or the class they go and how they are laid out; which, is given. Only insertions: an argument that is passed
already, or may be by `**`, is left alone. libcst is asked for import lines alone, as it would have to visit every expression.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, cast

from msgspec.structs import replace

from flake8_deadline.codemods.edit import Edit, Refusal, refuse
from flake8_deadline.codemods.imports import with_imports
from flake8_deadline.codemods.numbering import moved
from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.scopes import bound_by
from flake8_deadline.codemods.spelling import Vocabulary
from flake8_deadline.codemods.splice import Insertion, NewLine, Place, Text, spliced, text_of
from flake8_deadline.codemods.syntax import last_name, parse_written
from flake8_deadline.codemods.transplant import FORM_FEED
from flake8_deadline.rule import Declare, Pass, needs_limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flake8_deadline.codemods.wishes import Wishes

_LAYOUT = frozenset({tokenize.NL, tokenize.COMMENT, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER})
_UNIFORM = re.compile(r"\r\n|\r")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Word(NamedTuple):
    """An argument to pass, or an attribute to set."""

    keyword: str
    expression: str
    """As it is written in the file."""
    comment: str = ""

    def __str__(self) -> str:
        return f"{self.keyword}={self.expression}"


class _Asked(NamedTuple):
    fix: Pass | Declare
    node: ast.expr | ast.ClassDef
    """The call, decorator or class."""
    words: tuple[Word, ...]
    imports: tuple[tuple[str, str], ...]


def pass_arguments(source: bytes, fixes: Iterable[Pass | Declare], wishes: Wishes, first_party: frozenset[str] = frozenset()) -> Edit:
    """Carry out the fixes on the text of one file. Nothing is raised: what cannot be done is among the refusals."""
    wanted = sorted(set(fixes), key=lambda fix: (fix.line, repr(fix)))
    try:
        tree, text = parse_written(source), text_of(source)
    except RefusedError as error:
        return Edit(source, refusals=refuse(wanted, error))
    groups: dict[int, list[_Asked]] = {}
    refusals: list[Refusal] = []
    for fix in wanted:
        try:
            asked = _work_out(tree, fix, wishes)
            _require_free(asked, groups.get(id(asked.node), ()))
        except RefusedError as error:
            refusals.append(Refusal(fix, str(error)))
        else:
            groups.setdefault(id(asked.node), []).append(asked)
    return _carried_out(text, list(groups.values()), refusals, first_party)


def _carried_out(text: Text, groups: Iterable[list[_Asked]], refusals: list[Refusal], first_party: frozenset[str]) -> Edit:
    insertions: list[Insertion] = []
    new_lines: list[NewLine] = []
    done: list[_Asked] = []
    for group in groups:
        try:
            inserted, added = _laid_out(text, group[0].node, tuple(chain.from_iterable(asked.words for asked in group)))
        except RefusedError as error:
            refusals += refuse([asked.fix for asked in group], error)
        else:
            insertions += inserted
            new_lines += added
            done += group
    fixes = tuple(asked.fix for asked in done)
    try:
        new, numbers = spliced(text, insertions, new_lines)
        edit = Edit(new, fixes, tuple(refusals), numbers)
        imports = tuple(dict.fromkeys(chain.from_iterable(asked.imports for asked in done)))
        return with_imports(edit, imports, first_party) if imports else edit
    except RefusedError as error:
        return Edit(text.source, refusals=(*refusals, *refuse(fixes, error)))


def without_arguments(before: ast.Module, after: ast.Module, edit: Edit) -> None:
    """Take what was passed and set out of a tree of the new text again; `before` is the tree of the old one."""
    decorators: set[ast.Call] = set()
    for fix in edit.fixes:
        line = moved(fix.line, edit.added)
        if isinstance(fix, Pass):
            call = cast("ast.Call", _callee(after, replace(fix, line=line)))
            call.keywords = [keyword for keyword in call.keywords if keyword.arg not in dict(fix.arguments)]
            if not isinstance(_callee(before, fix), ast.Call):
                decorators.add(call)
        else:
            body = _class(after, line).body
            body[:] = [statement for statement in body if statement.lineno not in edit.added]
    for call in decorators:
        _decorate(after, call)


def _decorate(tree: ast.Module, call: ast.Call) -> None:
    """Make of a decorator that is called one that is not."""
    for node in ast.walk(tree):
        if isinstance(node, _DEFINITIONS) and call in node.decorator_list:
            node.decorator_list[node.decorator_list.index(call)] = call.func


def _work_out(tree: ast.Module, fix: Pass | Declare, wishes: Wishes) -> _Asked:
    """Raises `RefusedError`."""
    node = _class(tree, fix.line) if isinstance(fix, Declare) else _callee(tree, fix)
    spellings = [Vocabulary(tree, module, name).spell(fix.line, deferred=False) for module, name in fix.names]
    imports = tuple((spelling.module, name) for spelling, (_, name) in zip(spellings, fix.names) if spelling.module is not None)
    limits = wishes.limits if needs_limits(fix) else None
    numbers = {"soft": str(limits.soft), "hard": str(limits.hard)} if limits else {}
    texts = [spelling.text for spelling in spellings]
    comments = [limits.reason if limits else "", *("" for _ in fix.arguments[1:])]
    words = tuple(Word(keyword, expression.format(*texts, **numbers), comment) for (keyword, expression), comment in zip(fix.arguments, comments))
    return _Asked(fix, node, words, imports)


def _callee(tree: ast.Module, fix: Pass) -> ast.expr:
    """The decorator or the call that begins on the fix's line."""
    if not fix.callee:
        found = [d for node in ast.walk(tree) if isinstance(node, _DEFINITIONS) for d in node.decorator_list if d.lineno == fix.line]
    else:
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.lineno == fix.line]
        found = [node for node in calls if last_name(node.func) == fix.callee]
    if len(found) != 1:
        raise RefusedError(f"{'no' if not found else 'more than one'} {'call of ' + fix.callee if fix.callee else 'decorator'} begins on this line")
    if not isinstance(found[0], (ast.Call, ast.Name, ast.Attribute)):
        raise RefusedError("the decorator is neither a name nor a call: pass the arguments by hand")
    return found[0]


def _class(tree: ast.Module, line: int) -> ast.ClassDef:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and line in (node.lineno, *(decorator.lineno for decorator in node.decorator_list)):
            return node
    raise RefusedError("no class begins on this line")


def _require_free(asked: _Asked, others: Iterable[_Asked]) -> None:
    """Raises `RefusedError` where an argument is passed or set already, or may be, or will be by one of the others."""
    taken = {word.keyword for other in others for word in other.words}
    what = "the class sets {} already" if isinstance(asked.node, ast.ClassDef) else "{} is passed already"
    if isinstance(asked.node, ast.ClassDef):
        taken |= bound_by(asked.node.body)
    elif isinstance(asked.node, ast.Call):
        if any(keyword.arg is None for keyword in asked.node.keywords):
            raise RefusedError("the arguments may be among those passed by **")
        taken |= {keyword.arg for keyword in asked.node.keywords if keyword.arg}
        if len(asked.node.args) == 1 and isinstance(asked.node.args[0], ast.GeneratorExp):
            raise RefusedError("the generator passed would need brackets of its own")
    for word in asked.words:
        if word.keyword in taken:
            raise RefusedError(what.format(word.keyword))


def _laid_out(text: Text, node: ast.expr | ast.ClassDef, words: tuple[Word, ...]) -> tuple[list[Insertion], list[NewLine]]:
    """Raises `RefusedError`."""
    return ([], list(_declared(text, node, words))) if isinstance(node, ast.ClassDef) else _passed(text, node, words)


def _passed(text: Text, callee: ast.expr, words: tuple[Word, ...]) -> tuple[list[Insertion], list[NewLine]]:
    end = text.end(callee)
    beside, above = _comment(text, callee, next((word.comment for word in words if word.comment), ""))
    passed = ", ".join(map(str, words))
    if not isinstance(callee, ast.Call):
        return [Insertion(end, f"({passed}){beside}")], above
    tokens = list(_tokens(text, text.start(callee), end))
    last = tokens[-2]
    at = Place(*last.end)
    if at.line < end.line and last.string != "(":
        indent = _indent(text, tokens, end)
        new_lines = [NewLine(at.line, f"{indent}{word},{_beside(word)}") for word in words]
        return [] if last.string == "," else [Insertion(at, ",")], new_lines
    before = {"(": "", ",": " "}.get(last.string, ", ")
    return [Insertion(at, before + passed), Insertion(end, beside)], above


def _beside(word: Word) -> str:
    return f"  # {word.comment}" if word.comment else ""


def _comment(text: Text, callee: ast.expr, reason: str) -> tuple[str, list[NewLine]]:
    """The reason as a comment at the end of the line, or where that line says something more, on a line above."""
    if not reason:
        return "", []
    if not text.rest(text.end(callee)).strip():
        return f"  # {reason}", []
    return "", [NewLine(callee.lineno - 1, f"{text.indent(callee.lineno)}# {reason}")]


def _tokens(text: Text, start: Place, end: Place) -> Iterator[tokenize.TokenInfo]:
    """The tokens of an expression that mean something, with their places in the file."""
    padding = "\n" * (start.line - 1) + "(" + " " * (start.column - 1) if start.column else "\n" * (start.line - 1)
    try:
        for token in tokenize.generate_tokens(io.StringIO(padding + _UNIFORM.sub("\n", text.between(start, end))).readline):
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


def _declared(text: Text, class_: ast.ClassDef, words: tuple[Word, ...]) -> Iterator[NewLine]:
    """The lines of the attributes, below the docstring. Raises `RefusedError` where the class has no lines of its own."""
    first = class_.body[0]
    line = min([first.lineno, *(decorator.lineno for decorator in getattr(first, "decorator_list", ()))])
    indent = text.indent(line).rpartition(FORM_FEED)[2]
    joined = text.lines[line - 2].rstrip().endswith("\\")
    if joined or text.lines[first.lineno - 1][: text.place(first.lineno, first.col_offset).column].strip():
        raise RefusedError("the class has its body on the line of its head")
    after, space = _below_docstring(text, class_, line)
    if space:
        yield NewLine(after, "")
    for word in words:
        yield NewLine(after, f"{indent}{word.keyword} = {word.expression}{_beside(word)}")
    if not space and isinstance(first, _DEFINITIONS):
        yield NewLine(after, "")


def _below_docstring(text: Text, class_: ast.ClassDef, line: int) -> tuple[int, bool]:
    """The line below which attributes go, and whether a blank line comes first."""
    if ast.get_docstring(class_, clean=False) is not None:
        end = line
        for statement in class_.body:
            # What a semicolon joins to the docstring may end on a later line.
            end = max(end, statement.end_lineno or line) if statement.lineno <= end else end
        return end, end < len(text.lines) and not text.lines[end].strip()
    while line > 1 and (not text.lines[line - 2].strip() or text.lines[line - 2].lstrip().startswith("#")):
        line -= 1
    return line - 1, False
