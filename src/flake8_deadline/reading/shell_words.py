"""The words of shell text: quotes, expansions, continuations, a template's holes. Never raises; each piece keeps its line.

What the words of a statement mean, and which statements there are, is decided in `shell`. What a variable holds is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Union

from flake8_deadline.launches import Opaque, Piece, Sum, Text, Variable, Word

Letter = tuple[Union[str, Piece], int]
"""One character, or a piece that an outer level has read already, and its line."""

END: Letter = ("", 0)
BLANKS = " \t\r"
BREAKS = ";&|()<>\n"
_DEEPEST = 40
_NAME = re.compile(r"[A-Za-z_]\w*")
_OPERATORS = (":-", ":=", ":+", ":?", "-", "=", "+", "?")
_SPECIAL = "@*#?!-$0123456789"
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"'}
_HOLES = {"{{": "}}", "{%": "%}", "<%": "%>"}
_ARRAY = re.compile(r"[A-Za-z_]\w*\+?=")


def letters(text: str, line: int = 1) -> list[Letter]:
    """The letters of a text that begins on `line`."""
    found: list[Letter] = []
    for letter in text:
        found.append((letter, line))
        line += letter == "\n"
    return found


class Pieces:
    """Pieces in the making: letters of one line that are quoted alike become one Text."""

    def __init__(self) -> None:
        self.found: list[Piece] = []
        self.began = False
        """Whether there is a word at all, be it an empty one in quotes."""

    def put(self, letter: Union[str, Piece], line: int, quoted: bool = False) -> None:
        self.began = True
        last = self.found[-1] if self.found else None
        if not isinstance(letter, str):
            self.found.append(letter)
        elif isinstance(last, Text) and last.line == line and last.quoted == quoted:
            self.found[-1] = Text(last.text + letter, line, quoted)
        else:
            self.found.append(Text(letter, line, quoted))

    @property
    def plain(self) -> str | None:
        """The text, where there is nothing else and no quote."""
        if any(not isinstance(piece, Text) or piece.quoted for piece in self.found):
            return None
        return "".join(piece.text for piece in self.found if isinstance(piece, Text))


class Scanner:
    """Reads words from letters. With `variables` false, `$` and backquotes are letters like others."""

    def __init__(self, found: Sequence[Letter], variables: bool = True) -> None:
        self.letters = found
        self.at = 0
        self.faults: list[tuple[int, str]] = []
        self._variables = variables
        self._depth = 0

    def peek(self, ahead: int = 0) -> Letter:
        return self.letters[self.at + ahead] if self.at + ahead < len(self.letters) else END

    def starts(self, text: str) -> bool:
        return all(self.peek(index)[0] == letter for index, letter in enumerate(text))

    def written(self, start: int, end: int) -> str:
        """The text between two positions; a piece of an outer level as a variable is written."""
        shown = (
            letter if isinstance(letter, str) else f"${letter.name}" if isinstance(letter, Variable) else "…" for letter, _ in self.letters[start:end]
        )
        return "".join(shown)

    # Words

    def word(self, breaks: str = BREAKS) -> Word | None:
        """The next word; None where none begins here."""
        line = self.peek()[1]
        made = Pieces()
        while self.at < len(self.letters):
            letter, _ = self.peek()
            if isinstance(letter, str) and letter in BLANKS + breaks and not self.starts("<%"):
                if not (letter == "(" and self._is_array(made)):
                    break
                self._array(made)
            else:
                self._unit(made)
        return Word(line, tuple(made.found)) if made.began else None

    def _is_array(self, made: Pieces) -> bool:
        return bool(made.plain and _ARRAY.fullmatch(made.plain))

    def _array(self, made: Pieces) -> None:
        """`(--soft 60 --hard 90)`: the words, with blanks between them."""
        self.at += 1
        while self.at < len(self.letters) and self.peek()[0] != ")":
            item = self.word()
            if item is None:
                self.at += 1
                continue
            made.put(" ", item.line)
            for piece in item.pieces:
                made.put(piece, item.line)
        self.at += 1

    def _unit(self, made: Pieces) -> None:
        """One letter, quote, expansion or hole outside of quotes."""
        letter, line = self.peek()
        if letter == "'":
            self._single(made)
        elif letter == '"':
            self._double(made)
        elif letter == "\\":
            following, _ = self.peek(1)
            self.at += 2
            if following not in ("\n", ""):
                made.put(following, line, True)
        elif not self._expanded(made, quoted=False):
            self.at += 1
            made.put(letter, line)

    def _single(self, made: Pieces) -> None:
        start = self.peek()[1]
        self.at += 1
        made.began = True
        while self.peek()[0] != "'":
            if not self._kept(made, start):
                return
        self.at += 1

    def _kept(self, made: Pieces, start: int) -> bool:
        """Take one letter as it is; False, and a fault, at the end of the text."""
        if self.at >= len(self.letters):
            self.faults.append((start, "a quote that begins here is not ended"))
            return False
        letter, line = self.peek()
        self.at += 1
        made.put(letter, line, True)
        return True

    def _double(self, made: Pieces) -> None:
        start = self.peek()[1]
        self.at += 1
        made.began = True
        while self.peek()[0] != '"':
            following = self.peek(1)[0]
            if self.peek()[0] == "\\" and isinstance(following, str) and following in '$`"\\\n' and following:
                line = self.peek()[1]
                self.at += 2
                if following != "\n":
                    made.put(following, line, True)
            elif not self._expanded(made, quoted=True) and not self._kept(made, start):
                return
        self.at += 1

    # Expansions

    def _expanded(self, made: Pieces, quoted: bool) -> bool:
        """Read an expansion or a template's hole, if one begins here."""
        letter, line = self.peek()
        hole = next((end for begin, end in _HOLES.items() if self.starts(begin)), None)
        if hole:
            made.put(Opaque(self._through(hole), line), line)
        elif letter == "`" and self._variables:
            self.at += 1
            made.put(Opaque("`" + self._through("`"), line), line)
        elif letter == "$" and self._variables and self._depth < _DEEPEST:
            self._depth += 1
            piece = self._dollar(line, quoted, made)
            self._depth -= 1
            if piece is None:
                return False
            if not isinstance(piece, bool):
                made.put(piece, line)
        else:
            return False
        return True

    def _through(self, end: str) -> str:
        """The text up to and with `end`, or to the end of all."""
        start = self.at
        while self.at < len(self.letters) and not self.starts(end):
            self.at += 1
        self.at = min(self.at + len(end), len(self.letters))
        return self.written(start, self.at)

    def _dollar(self, line: int, quoted: bool, made: Pieces) -> Piece | bool | None:
        """What `$` begins; True where it was put already, None where it is a letter."""
        following = self.peek(1)[0]
        if self.starts("$(("):
            return self._sum(line)
        if following == "(":
            return self._substitution(line)
        if following == "{":
            return self._parameter(line, quoted)
        if following == "'" and not quoted:
            self._ansi(made)
            return True
        if isinstance(following, str) and following and following in _SPECIAL:
            self.at += 2
            return Opaque(f"${following}", line)
        self.at += 1
        name = self._name()
        if name:
            return Variable(name, line, quoted=quoted)
        self.at -= 1
        return None

    def _name(self) -> str:
        start = self.at
        while isinstance(self.peek()[0], str) and _NAME.fullmatch(self.written(start, self.at + 1)) and self.peek() != END:
            self.at += 1
        return self.written(start, self.at)

    def _ansi(self, made: Pieces) -> None:
        start = self.peek()[1]
        self.at += 2
        made.began = True
        while self.peek()[0] != "'":
            following = self.peek(1)[0]
            if self.peek()[0] == "\\" and isinstance(following, str) and following in _ESCAPES:
                made.put(_ESCAPES[following], self.peek()[1], True)
                self.at += 2
            elif not self._kept(made, start):
                return
        self.at += 1

    def _substitution(self, line: int) -> Opaque:
        """`$(…)`, with the brackets and quotes in it."""
        start = self.at
        self.at += 1
        self._balanced("(", ")")
        return Opaque(self.written(start, self.at), line)

    def _balanced(self, begin: str, end: str) -> None:
        depth = 0
        while self.at < len(self.letters):
            letter = self.peek()[0]
            if letter == "'":
                self._single(Pieces())
                continue
            self.at += 2 if letter == "\\" else 1
            depth += (letter == begin) - (letter == end)
            if not depth:
                break
        self.at = min(self.at, len(self.letters))

    def _parameter(self, line: int, quoted: bool) -> Piece:
        """`${NAME}`, `${NAME:-operand}`, `${NAME[@]}`; what else there is cannot be read."""
        start = self.at
        self.at += 2
        name = self._name()
        if self.starts("[@]") or self.starts("[*]"):
            self.at += 3
            quoted = False
        operator = next((operator for operator in _OPERATORS if self.starts(operator)), "")
        self.at += len(operator)
        if name and (operator or self.peek()[0] == "}"):
            operand = Pieces()
            while self.at < len(self.letters) and self.peek()[0] != "}":
                self._unit(operand)
            self.at = min(self.at + 1, len(self.letters))
            return Variable(name, line, operator, tuple(operand.found), quoted)
        self.at = start + 1
        self._balanced("{", "}")
        return Opaque(self.written(start, self.at), line)

    def _sum(self, line: int) -> Sum:
        """`$((…))`: names in it are variables."""
        self.at += 3
        made, depth = Pieces(), 0
        while self.at < len(self.letters) and (depth or not self.starts("))")):
            letter, here = self.peek()
            name = self._name()
            if name:
                made.put(Variable(name, here), here)
            elif not self._expanded(made, quoted=True):
                depth += (letter == "(") - (letter == ")")
                self.at += 1
                made.put(letter, here)
        self.at = min(self.at + 2, len(self.letters))
        return Sum(tuple(made.found), line)

    def value(self) -> tuple[Piece, ...]:
        """All letters as one value: expansions are read, quotes are letters."""
        made = Pieces()
        while self.at < len(self.letters):
            letter, line = self.peek()
            if not self._expanded(made, quoted=False):
                self.at += 1
                made.put(letter, line)
        return tuple(made.found)


def argv(found: Sequence[Letter], variables: bool = True) -> tuple[Word, ...]:
    """One command line, split into words by the shell's quoting; operators are letters."""
    scanner = Scanner(found, variables)
    words = []
    while scanner.at < len(found):
        word = scanner.word(breaks="\n")
        if word is None:
            scanner.at += 1
        else:
            words.append(word)
    return tuple(words)


def pieces(found: Sequence[Letter], variables: bool = True) -> tuple[Piece, ...]:
    """A value that is not split and whose quotes are letters."""
    return Scanner(found, variables).value()
