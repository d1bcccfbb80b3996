"""What the words of one statement of shell text do: assign, export, set a default, start a program.

An array's value has an unquoted blank in front of each of its words, the first too. Tests start nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from flake8_deadline.launches import Assignment, Command, Opaque, Piece, Step, Text, Variable, Word

_ASSIGNED = re.compile(r"([A-Za-z_]\w*)(\+?)=")
_NAME = re.compile(r"[A-Za-z_]\w*")
_DECLARING = frozenset({"export", "declare", "local", "readonly", "typeset"})
_TESTS = frozenset({"[", "[[", "test"})


def statement(words: Sequence[Word], conditions: tuple[str, ...], exported: set[str]) -> list[Step]:
    """The steps that a statement takes; the names that it exports are put into the set."""
    count = next((index for index, word in enumerate(words) if not _ASSIGNED.match(_beginning(word))), len(words))
    assigned = [_assignment(word, conditions) for word in words[:count]]
    rest = words[count:]
    if not rest:
        return [*assigned]
    name = plain(rest[0])
    if name in _TESTS:
        return []
    if name in _DECLARING:
        if name == "export" or any(plain(word).startswith("-") and "x" in plain(word) for word in rest):
            exported.update(_NAME.findall(bare(word))[0] for word in rest[1:] if _NAME.match(bare(word)))
        return [_assignment(word, conditions) for word in rest[1:] if _ASSIGNED.match(_beginning(word, quoted=True))]
    if name == ":":
        return [step for word in rest[1:] for step in _defaults(word, conditions)]
    if name in ("for", "select"):
        return [_loop(word, conditions) for word in rest[1:2] if _NAME.fullmatch(plain(word))]
    return [Command(rest[0].line, tuple(rest), tuple(assigned), conditions)]


def _assignment(word: Word, conditions: tuple[str, ...]) -> Assignment:
    text = _beginning(word, quoted=True)
    match = _ASSIGNED.match(text)
    name, more = (match[1], match[2]) if match else (text, "")
    value: tuple[Piece, ...] = word.pieces[1:]
    left = text[match.end() if match else 0 :]
    if left:
        first = word.pieces[0]
        value = (Text(left, first.line, isinstance(first, Text) and first.quoted), *value)
    if more:
        value = (Variable(name, word.line), *value)
    return Assignment(name, Word(value[0].line if value else word.line, value), word.line, conditions=conditions)


def _defaults(word: Word, conditions: tuple[str, ...]) -> list[Assignment]:
    """`: "${NAME:=value}"`."""
    return [
        Assignment(piece.name, Word(piece.operand[0].line if piece.operand else piece.line, piece.operand), piece.line, False, True, conditions)
        for piece in word.pieces
        if isinstance(piece, Variable) and piece.operator.endswith("=")
    ]


def _loop(word: Word, conditions: tuple[str, ...]) -> Assignment:
    """What a loop puts into its variable differs from turn to turn."""
    name = plain(word)
    return Assignment(name, Word(word.line, (Opaque(f"for {name} in …", word.line),)), word.line, conditions=conditions)


def _beginning(word: Word, quoted: bool = False) -> str:
    """The text that a word begins with, outside of quotes as a rule."""
    first = word.pieces[0] if word.pieces else None
    return first.text if isinstance(first, Text) and (quoted or not first.quoted) else ""


def plain(word: Word) -> str:
    """A word that is text without quotes; "" for any other."""
    is_plain = all(isinstance(piece, Text) and not piece.quoted for piece in word.pieces)
    return bare(word) if is_plain else ""


def bare(word: Word) -> str:
    """A word's text, quotes or not."""
    return "".join(piece.text for piece in word.pieces if isinstance(piece, Text))
