"""What the words of a command become once their variables are known, and where each value comes from.

Follows the expansion of parameters as POSIX has it ("Shell Command Language", 2.6), arithmetic, and the splitting of what is not quoted. What
a variable holds is asked of the caller, who knows the surroundings. What cannot be read stays unknown, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from flake8_deadline.launches import Opaque, Piece, Sum, Text, Variable, Word

_DEEPEST = 20
_LONGEST = 4096
_MOST = 200


class Origin(NamedTuple):
    """Where the text of an argument comes from."""

    kind: str
    """"literal" (the author of the command wrote it), "env" (the surroundings set it), "fallback" (nobody set the variable), "unknown"."""
    path: str
    line: int
    variable: str = ""


class Argument(NamedTuple):
    """One word that a program is started with."""

    text: str
    line: int
    """Of the piece that bears the text."""
    origin: Origin
    unknown: str = ""
    """Why it cannot be read; the text is then as far as it can."""


class Bound(NamedTuple):
    """What a variable is bound to, in which file, and by whom: the kind is "literal" or "env" as in `Origin`."""

    word: Word
    path: str
    kind: str


Lookup = Callable[[Variable], "Bound | None"]


class _Part(NamedTuple):
    """A stretch of text that is not split further unless it is `loose`."""

    text: str
    line: int
    origin: Origin
    unknown: str = ""
    loose: bool = False


def expand(word: Word, path: str, lookup: Lookup) -> tuple[Argument, ...]:
    """The arguments that a word of the file at `path` becomes: one as a rule, several or none where what it holds is not quoted."""
    if not word.pieces:
        return (Argument("", word.line, Origin("literal", path, word.line)),)
    counted = _Counted(lookup)
    try:
        parts = [part for piece in word.pieces for part in _parts(piece, path, counted, 0)]
    except _TooManyError:
        parts = []
    found = [_argument(field) for field in _fields(parts)]
    if counted.left < 0 or len(found) > _MOST or sum(len(argument.text) for argument in found) > _LONGEST:
        return (Argument("", word.line, Origin("unknown", path, word.line), "it is too long"),)
    return tuple(found)


class _TooManyError(Exception):
    """More was asked for than anybody writes: variables that hold each other many times over."""


class _Counted:
    """A lookup that ends after many questions."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self.left = _MOST

    def __call__(self, variable: Variable) -> Bound | None:
        self.left -= 1
        if self.left < 0:
            raise _TooManyError
        return self._lookup(variable)


def _parts(piece: Piece, path: str, lookup: Lookup, depth: int) -> Iterator[_Part]:
    origin = Origin("literal", path, piece.line)
    if depth > _DEEPEST:
        yield _Part("", piece.line, origin._replace(kind="unknown"), "it refers to itself")
        return
    match piece:
        case Text():
            yield _Part(piece.text, piece.line, origin, loose=not piece.quoted and depth > 0)
        case Opaque():
            yield _Part(piece.text, piece.line, origin._replace(kind="unknown"), f"it depends on {piece.text}")
        case Sum():
            yield _sum(piece, path, lookup, depth)
        case _:
            found = list(_variable(piece, path, lookup, depth))
            yield from [part._replace(loose=False) for part in found] if piece.quoted else found


def _variable(variable: Variable, path: str, lookup: Lookup, depth: int) -> Iterator[_Part]:
    bound = lookup(variable)
    held = list(_held(bound, variable, lookup, depth)) if bound else []
    is_empty = not any(part.text or part.unknown for part in held)
    is_unset = bound is None or (is_empty and variable.operator.startswith(":"))
    here = Origin("literal", path, variable.line)
    found: list[_Part] = []
    if variable.operator.endswith("+"):
        if not is_unset:
            found = list(_operand(variable, path, lookup, depth, here))
    elif bound and not is_unset:
        found, here = held, Origin(bound.kind, bound.path, bound.word.line, variable.name)
    elif variable.operator and not variable.operator.endswith("?"):
        here = here._replace(kind="fallback", variable=variable.name)
        found = list(_operand(variable, path, lookup, depth, here))
    else:
        unset = here._replace(kind="unknown", variable=variable.name)
        found = [_Part("", variable.line, unset, f"${variable.name} is not set in any file")]
    # Nothing: in quotes it is an empty argument, and somebody chose it.
    yield from found or [_Part("", here.line, here, loose=True)]


def _held(bound: Bound, variable: Variable, lookup: Lookup, depth: int) -> Iterator[_Part]:
    """What a binding holds; what decides within it decides, and else the binding. A blank of its own, without quotes, is an array's."""
    is_array = any(piece == Text(" ", piece.line) for piece in bound.word.pieces)
    for piece in bound.word.pieces:
        for part in _parts(piece, bound.path, lookup, depth + 1):
            plain = part.origin.kind == "literal" and bound.kind != "literal"
            origin = Origin(bound.kind, bound.path, part.line, variable.name) if plain else part.origin
            # Quotes of an assignment end with it, but for an array's words: a value is split where its use is not quoted.
            yield part._replace(origin=origin, loose=part.loose or not is_array)


def _operand(variable: Variable, path: str, lookup: Lookup, depth: int, origin: Origin) -> Iterator[_Part]:
    for piece in variable.operand:
        for part in _parts(piece, path, lookup, depth + 1):
            plain = part.origin.kind == "literal"
            yield part._replace(origin=origin._replace(line=part.line) if plain else part.origin)


# Arithmetic


_TOKEN = re.compile(r"\s*(\d+|[-+*/%()])")


def _sum(piece: Sum, path: str, lookup: Lookup, depth: int) -> _Part:
    parts = [part for inner in piece.pieces for part in _parts(inner, path, lookup, depth + 1)]
    decisive = next((part.origin for part in parts if part.origin.kind in ("fallback", "env")), Origin("literal", path, piece.line))
    failed = next((part.unknown for part in parts if part.unknown), "")
    value = None if failed else _computed("".join(part.text for part in parts))
    if value is None:
        return _Part("", piece.line, Origin("unknown", path, piece.line), failed or "it cannot be computed")
    return _Part(str(value), piece.line, decisive)


def _computed(text: str) -> int | None:
    """The value of integer arithmetic, as a shell has it; None for what it is not."""
    tokens = _TOKEN.findall(text)
    if len(text) > _MOST or _TOKEN.sub("", text).strip():
        return None
    try:
        value = _added(tokens)
    except (IndexError, ValueError, ZeroDivisionError):
        return None
    return value if not tokens and abs(value) < 2**63 else None


def _added(tokens: list[str]) -> int:
    value = _multiplied(tokens)
    while tokens and tokens[0] in "+-":
        value = value + _multiplied(tokens) if tokens.pop(0) == "+" else value - _multiplied(tokens)
    return value


def _multiplied(tokens: list[str]) -> int:
    value = _factor(tokens)
    while tokens and tokens[0] in "*/%":
        operator, other = tokens.pop(0), _factor(tokens)
        # A shell rounds towards zero.
        quotient = abs(value) // abs(other) * (1 if (value < 0) == (other < 0) else -1) if operator != "*" else 0
        value = value * other if operator == "*" else quotient if operator == "/" else value - quotient * other
    return value


def _factor(tokens: list[str]) -> int:
    first = tokens.pop(0)
    if first in "+-":
        return -_factor(tokens) if first == "-" else _factor(tokens)
    if first == "(":
        value = _added(tokens)
        if tokens.pop(0) != ")":
            raise ValueError
        return value
    return int(first)


# Splitting


def _fields(parts: Sequence[_Part]) -> Iterator[list[_Part]]:
    """The parts of each argument: loose ones are split at blanks."""
    field: list[_Part] = []
    for part in parts:
        if not part.loose or part.unknown:
            field.append(part)
            continue
        words = re.split(r"[ \t\n]+", part.text)
        for index, text in enumerate(words):
            if index and field:
                yield field
                field = []
            if text:
                field.append(part._replace(text=text))
    if field:
        yield field


def _argument(field: Sequence[_Part]) -> Argument:
    """One argument of its parts; of `--option=value`, the value's origin."""
    text = "".join(part.text for part in field)
    unknown = next((part.unknown for part in field if part.unknown), "")
    first = field[0]
    decisive = next((part for part in field if part.origin.kind != "literal"), None)
    bearer = decisive or next((part for part in field if part.origin != first.origin), first)
    return Argument(text, bearer.origin.line if bearer.origin.path == first.origin.path else first.line, bearer.origin, unknown)
