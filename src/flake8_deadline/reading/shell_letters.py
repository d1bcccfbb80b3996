"""The letters of shell text and a cursor on them: what is read over without a look at what is in it.

Knows brackets, quotes and a template's holes only as far as it must to find where they end. Never raises.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Union

from flake8_deadline.launches import Opaque, Piece, Sum, Text, Variable

Letter = tuple[Union[str, Piece], int]
"""One character, or a piece that an outer level has read already, and its line."""

BLANKS = frozenset(" \t\r")
SPACE = BLANKS | {"\n"}
_PIECE = "\0"
_HOLES = {"{{": "}}", "{%": "%}", "<%": "%>"}
_CLOSING = {"(": ")", "{": "}", "'": "'", '"': '"', "`": "`"}
_ARRAY = re.compile(r"[A-Za-z_]\w*\+?=")


def letters(text: str, line: int = 1) -> list[Letter]:
    """The letters of a text that begins on `line`."""
    found: list[Letter] = []
    for letter in text:
        found.append((letter, line))
        line += letter == "\n"
    return found


class Made:
    """A word in the making: letters of one line that are quoted alike become one Text."""

    def __init__(self) -> None:
        self.line: int | None = None
        """Where it begins; None: nothing yet, not even an empty pair of quotes."""
        self._found: list[Piece] = []
        self._run: list[str] = []
        self._like = (0, False)
        self._empty: int | None = None
        """The line of a pair of quotes with nothing in it."""

    def put(self, letter: str | Piece, line: int, quoted: bool = False) -> None:
        self.begin(line)
        if not isinstance(letter, str):
            self._close()
            self._found.append(letter)
            return
        if self._like != (line, quoted):
            self._close()
            self._like = (line, quoted)
        self._run.append(letter)

    def begin(self, line: int) -> None:
        self.line = line if self.line is None else self.line

    def _close(self) -> None:
        if self._run:
            self._found.append(Text("".join(self._run), *self._like))
            self._run = []

    def begins_array(self) -> bool:
        return not self._found and not self._like[1] and bool(_ARRAY.fullmatch("".join(self._run)))

    def size(self) -> tuple[int, int]:
        return len(self._found), len(self._run)

    def empty(self, line: int) -> None:
        """A pair of quotes with nothing in it."""
        self._empty = line

    def pieces(self) -> tuple[Piece, ...]:
        """The pieces. An empty pair of quotes keeps a word whose variables may hold nothing."""
        self._close()
        if self._empty is not None and self._found and all(isinstance(piece, Variable) and not piece.quoted for piece in self._found):
            self._found.append(Text("", self._empty, True))
        return tuple(self._found)


class Cursor:
    """A place among letters."""

    def __init__(self, found: Sequence[Letter]) -> None:
        self.letters = found
        self.at = 0
        self.faults: list[tuple[int, str]] = []
        self._ends: dict[str, int] = {}
        """Where the next end of each kind of hole is."""

    def here(self, ahead: int = 0) -> str:
        """The letter; "" at the end, and a NUL for a piece."""
        if self.at + ahead >= len(self.letters):
            return ""
        letter = self.letters[self.at + ahead][0]
        return letter if isinstance(letter, str) else _PIECE

    def starts(self, text: str) -> bool:
        return all(self.here(index) == letter for index, letter in enumerate(text))

    def written(self, start: int, end: int) -> str:
        """The text between two positions, pieces of an outer level as they may be written."""
        return "".join(letter if isinstance(letter, str) else _shown(letter) for letter, _ in self.letters[start:end])

    def skip_blanks(self) -> None:
        """To the next word of the line; a continued line is one."""
        while self.here() in BLANKS or self.starts("\\\n"):
            self.at += 1 if self.here() in BLANKS else 2

    def skip_line(self) -> None:
        """To the end of the line."""
        while self.here() not in ("\n", ""):
            self.at += 1

    def line(self) -> int:
        return self.letters[self.at][1]

    def hole(self) -> int:
        """Where a template's hole that begins here ends; 0 for none."""
        first = self.at + (self.here() == "$")
        end = _HOLES.get(self.here(first - self.at) + self.here(first - self.at + 1))
        if not end:
            return 0
        # Remembered, so that many beginnings without an end do not cost a search each.
        if self._ends.get(end, -1) < first + 2:
            rest = range(first + 2, len(self.letters) - 1)
            found = (at for at in rest if self.letters[at][0] == end[0] and self.letters[at + 1][0] == end[1])
            self._ends[end] = next(found, len(self.letters))
        return self._ends[end] + 2 if self._ends[end] < len(self.letters) else 0

    def opaque(self) -> Opaque:
        """What is not read, from what opens it to what closes it; only brackets and quotes count in it."""
        start, line = self.at, self.line()
        closing: list[str] = []
        while letter := self.here():
            before = self.here(-1) if self.at > start else ""
            self.at += 1
            top = closing[-1] if closing else ""
            if letter == "\\" and top != "'":
                self.at += 1
            elif letter == top:
                closing.pop()
                if not closing:
                    break
            elif letter == "#" and top == ")" and before in SPACE:
                self.skip_line()
            elif letter in _CLOSING and _opens_in(top, letter, before):
                closing.append(_CLOSING[letter])
        else:
            self.faults.append((line, "a substitution that begins here is not ended"))
        self.at = min(self.at, len(self.letters))
        return Opaque(self.written(start, self.at), line)


def _opens_in(top: str, letter: str, before: str) -> bool:
    """Whether a bracket or quote opens something within what `top` closes."""
    if top == "'":
        return False
    if letter == "(":
        return before == "$" or top in (")", "")
    if letter == "{":
        return before == "$"
    return letter != "'" or top != '"'


def _shown(piece: Piece) -> str:
    if isinstance(piece, Variable):
        return f"${{{piece.name}}}"
    return "".join(map(_shown, piece.pieces)) if isinstance(piece, Sum) else piece.text
