"""What a clause does before it raises again, as the user wrote it: checked once, and written out for each clause.

`{index}` and `{items}` stand for the loop's index and what it loops over, `{error}` for the exception caught; inside of an f-string the
braces are those of the string. Whether the names that a snippet reads mean anything where it goes is decided here too.
"""

from __future__ import annotations

import ast
import builtins
import re
import symtable
import warnings
from typing import TYPE_CHECKING, NamedTuple

from flake8_deadline.codemods.bindings import mentioned
from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.scopes import bound_by, bound_in, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flake8_deadline.codemods.scopes import Around, Function

_PLACEHOLDER = re.compile(r"\{(index|items|error)((?:![rsa])?(?::[^{}]*)?)\}")
_LEAVING = (ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await, ast.Break, ast.Continue)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_ERRORS = ("error", "exc", "deadline")


class SnippetError(Exception):
    """A snippet that cannot go into any clause; the message is for the person who wrote it."""


class UncountedError(RefusedError):
    """The clause's loop has no index, and could be given one."""


class _Part(NamedTuple):
    """A piece of the snippet's text, and the placeholder that follows it, if any."""

    text: str
    name: str = ""
    form: str = "{}"
    """The placeholder as it is written, `{}` standing for the expression."""


class Snippet(NamedTuple):
    parts: tuple[_Part, ...]
    reads: frozenset[str]
    """The names that it takes from around it."""
    binds: frozenset[str]
    """The names that it binds in the function that it goes into."""

    def names(self, name: str) -> bool:
        return any(part.name == name for part in self.parts)


class Words(NamedTuple):
    """A clause as it will be written: `except <exception> as <bound>:`, then `first`, then `raise`."""

    exception: str
    bound: str = ""
    first: str = ""


def read(template: str) -> Snippet:
    """Raises `SnippetError`."""
    parts = tuple(_parts(template.strip("\n")))
    text = "".join(part.text + (part.form.format(_stand_in(number)) if part.name else "") for number, part in enumerate(parts))
    for node, inside in _own(_parsed(text)):
        if isinstance(node, _LEAVING) and not (inside and isinstance(node, (ast.Break, ast.Continue))):
            raise SnippetError(f"{type(node).__name__.lower()} cannot stand in it: the clause raises the exception again behind it")
    return Snippet(parts, *_names_in(text))


def words(snippet: Snippet, exception: str, tree: ast.Module, place: Around) -> Words:
    """The clause with the snippet, at a place. Raises `RefusedError`; `UncountedError` if only an index is missing."""
    missing = sorted(snippet.reads - visible(tree, place) - vars(builtins).keys())
    if missing:
        raise RefusedError(f"the snippet reads {', '.join(missing)}, which {'mean' if len(missing) > 1 else 'means'} nothing here")
    _require_bound(snippet, place)
    _require_no_rebinding(snippet, place.functions)
    meanings: dict[str, str] = {}
    if snippet.names("error"):
        meanings["error"] = _free(place.functions[-1] if place.functions else tree, snippet)
    if snippet.names("items"):
        meanings["items"] = _items(place.loop)
    if snippet.names("index"):
        meanings["index"] = _index(place.loop, place.turns)
    return Words(exception, meanings.get("error", ""), _written(snippet, meanings))


def _require_bound(snippet: Snippet, place: Around) -> None:
    """Raises `RefusedError` where a name may not have a meaning yet, or still that of another turn, when the deadline strikes."""
    if not place.functions or place.tried is None:
        return
    for name in sorted(snippet.reads & bound_by(place.tried.body) - bound_in(place.functions[-1], place.tried.lineno)):
        raise RefusedError(f"the snippet reads {name}, which the try block itself sets: the deadline may strike before it does")


def _require_no_rebinding(snippet: Snippet, functions: tuple[Function, ...]) -> None:
    """Raises `RefusedError` where a name that the function takes from outside would become its own."""
    if functions:
        for name in sorted(snippet.binds & mentioned(functions[-1]).keys() - bound_in(functions[-1])):
            raise RefusedError(f"the snippet sets {name}, which {functions[-1].name} takes from outside of it: use another name")


def _written(snippet: Snippet, meanings: dict[str, str]) -> str:
    """The snippet with what its placeholders stand for, in brackets where these make a difference."""

    def text(opening: str, closing: str) -> str:
        forms = ((part, f"{opening}{meanings[part.name]}{closing}" if part.name else "") for part in snippet.parts)
        return "".join(part.text + (part.form.format(meaning) if part.name else "") for part, meaning in forms)

    plain, bracketed = text("", ""), text("(", ")")
    return plain if ast.dump(_parsed(plain)) == ast.dump(_parsed(bracketed)) else bracketed


def _parts(template: str) -> Iterator[_Part]:
    """Raises `SnippetError` for a placeholder that stands where nothing is evaluated."""
    start = 0
    for number, found in enumerate(_PLACEHOLDER.finditer(template)):
        name, more = found.groups()
        head, tail = template[: found.start()], _PLACEHOLDER.sub("{0}", template[found.end() :])
        for form in ("{}", "{{{}" + more.replace("{", "{{").replace("}", "}}") + "}}"):
            candidate = _PLACEHOLDER.sub("{0}", head) + form.format(_stand_in(number)) + tail
            if not (form == "{}" and more) and _evaluates(candidate, _stand_in(number)):
                yield _Part(template[start : found.start()], name, form)
                break
        else:
            _parsed(_PLACEHOLDER.sub("{0}", template))
            raise SnippetError(f"{found[0]} stands in a plain string: write f before its quotes")
        start = found.end()
    yield _Part(template[start:])


def _stand_in(number: int) -> str:
    return f"__deadline_{number}__"


def _evaluates(text: str, name: str) -> bool:
    """Whether a text parses, and a name in it is one."""
    try:
        return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(_parsed(text)))
    except SnippetError:
        return False


def _parsed(text: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise SnippetError(f"it is not Python: {getattr(error, 'msg', error)}") from error
    if not tree.body:
        raise SnippetError("it says nothing")
    return tree


def _own(tree: ast.Module) -> Iterator[tuple[ast.AST, bool]]:
    """The nodes outside of inner functions, and whether a loop of the snippet is around."""
    pending: list[tuple[ast.AST, bool]] = [(tree, False)]
    while pending:
        node, inside = pending.pop()
        yield node, inside
        if not isinstance(node, _SCOPES):
            pending.extend((child, inside or isinstance(node, _LOOPS)) for child in ast.iter_child_nodes(node))


def _names_in(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The names that a function with this body would take from outside, and those that it would bind itself."""
    body = "".join(f" {line}" for line in text.splitlines(keepends=True))
    try:
        table = symtable.symtable(f"def clause():\n{body}\n", "<snippet>", "exec")
    except SyntaxError as error:
        raise SnippetError(f"it is not Python: {error.msg}") from error
    reads: set[str] = set()
    pending = list(table.get_children())
    binds = frozenset(symbol.get_name() for symbol in pending[0].get_symbols() if symbol.is_local())
    while pending:
        inner = pending.pop()
        pending.extend(inner.get_children())
        reads.update(symbol.get_name() for symbol in inner.get_symbols() if symbol.is_global() and not symbol.get_name().startswith("__deadline_"))
    return frozenset(reads), binds


def _free(scope: ast.AST, snippet: Snippet) -> str:
    """A name for the exception that means nothing in a function or module yet."""
    taken = {*mentioned(scope), *snippet.reads, *snippet.binds}
    for name in _ERRORS:
        if name not in taken:
            return name
    raise RefusedError(f"the names {', '.join(_ERRORS)} are all taken here")


def _index(loop: ast.stmt | None, turns: str) -> str:
    """The index that the loop around counts with, else what says how many `turns` are behind. Raises `RefusedError`."""
    counted = isinstance(loop, ast.For) and counts(loop)
    if isinstance(loop, ast.For) and counted and isinstance(loop.target, ast.Tuple) and isinstance(loop.target.elts[0], ast.Name):
        return loop.target.elts[0].id
    if turns:
        return turns
    if not isinstance(loop, ast.For):
        raise RefusedError("no for loop around the clause has an {index}")
    if counted:
        raise RefusedError("the loop's index has no name of its own: {index} cannot stand for it")
    raise UncountedError("the loop has no index")


def counts(loop: ast.For | ast.AsyncFor) -> bool:
    """Whether a loop is over `enumerate(…)`."""
    return isinstance(loop.iter, ast.Call) and isinstance(loop.iter.func, ast.Name) and loop.iter.func.id == "enumerate" and bool(loop.iter.args)


def _items(loop: ast.stmt | None) -> str:
    """What the loop around goes over, where it can be named again. Raises `RefusedError`."""
    if not isinstance(loop, (ast.For, ast.AsyncFor)):
        raise RefusedError("no for loop around the clause has {items}")
    over = loop.iter.args[0] if counts(loop) and isinstance(loop.iter, ast.Call) else loop.iter
    inner = over
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    if isinstance(inner, ast.Name):
        return ast.unparse(over)
    raise RefusedError("what the loop goes over has no name: {items} cannot stand for it")
