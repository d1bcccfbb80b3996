"""Insertions into a text by line and column, for edits that need no layout of their own: arguments of a call, lines of a class body.

Nothing of the text is ever taken out. Positions are Python's own, so a file is read as Python reads it: in its own encoding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.syntax import encoding
from flake8_deadline.codemods.transplant import lines, with_mark_of

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable

_BLANKS = " \t\f"


class Place(NamedTuple):
    line: int
    """From 1."""
    column: int
    """Characters before it, from 0."""


class Insertion(NamedTuple):
    at: Place
    text: str


class NewLine(NamedTuple):
    after: int
    """The number of the line that it goes below."""
    text: str
    """Without an ending: it gets the one of the line above."""


class Text(NamedTuple):
    """A file as characters, line by line, with the endings."""

    source: bytes
    lines: tuple[str, ...]
    encoding: str

    def place(self, line: int, offset: int) -> Place:
        """A place that Python's parser tells in bytes of UTF-8."""
        return Place(line, len(self.lines[line - 1].encode()[:offset].decode()))

    def start(self, node: ast.expr) -> Place:
        return self.place(node.lineno, node.col_offset)

    def end(self, node: ast.expr) -> Place:
        return self.place(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def between(self, start: Place, end: Place) -> str:
        if start.line == end.line:
            return self.lines[start.line - 1][start.column : end.column]
        inner = self.lines[start.line : end.line - 1]
        return "".join([self.lines[start.line - 1][start.column :], *inner, self.lines[end.line - 1][: end.column]])

    def indent(self, line: int) -> str:
        """The blanks that a line begins with."""
        text = self.lines[line - 1]
        return text[: len(text) - len(text.lstrip(_BLANKS))]

    def rest(self, place: Place) -> str:
        """What follows a place on its line, without the ending."""
        return self.lines[place.line - 1][place.column :].rstrip("\r\n")


def text_of(source: bytes) -> Text:
    """Raises `RefusedError` where the lines are not to be had in characters and back."""
    try:
        name = encoding(source).removesuffix("-sig")
        found = tuple(line.decode(name) for line in lines(source))
        if tuple(line.encode(name) for line in found) == tuple(lines(source)):
            return Text(source, found, name)
    except (SyntaxError, UnicodeError, LookupError):
        pass
    raise RefusedError("the file's encoding does not allow an edit by characters")


def spliced(text: Text, insertions: Iterable[Insertion], new_lines: Iterable[NewLine]) -> tuple[bytes, tuple[int, ...]]:
    """The new text, and the numbers of the added lines in it. Raises `RefusedError` where the encoding lacks a character."""
    own = list(text.lines)
    for at, added in sorted(insertions, reverse=True):
        line = own[at.line - 1]
        own[at.line - 1] = line[: at.column] + added + line[at.column :]
    below: dict[int, list[str]] = {}
    for after, added in new_lines:
        below.setdefault(after, []).append(added)
    result: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(["", *own]):
        result.append(line)
        for added in below.get(number, ()):
            ending = _ending(own, number)
            if not result[-1].endswith(("\r", "\n")) and number:
                result[-1], ending = result[-1] + ending, ""
            result.append(added + ending)
            numbers.append(len(result) - 1)
    try:
        return with_mark_of(text.source, (line.encode(text.encoding) for line in result)), tuple(numbers)
    except UnicodeError as error:
        raise RefusedError(f"the file's encoding, {text.encoding}, lacks a character of what would be inserted") from error


def _ending(own: list[str], number: int) -> str:
    """The ending of the line, else of the one above it."""
    for line in own[max(number - 2, 0) : max(number, 1)][::-1]:
        ending = line[len(line.rstrip("\r\n")) :]
        if ending:
            return ending
    return "\n"
