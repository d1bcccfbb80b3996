"""The words of shell text: quotes, expansions, continuations, a template's holes. Never raises; each piece keeps its line.

What the words of a statement mean, and which statements there are, is decided in `shell`. What a variable holds is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from string import ascii_letters, digits

from msgspec.structs import replace

from flake8_deadline.launches import Opaque, Piece, Sum, Text, Variable, Word
from flake8_deadline.reading.shell_letters import SPACE, Cursor, Letter, Made

BREAKS = frozenset(";&|()<>")
_DEEPEST = 40
_INITIAL = frozenset(ascii_letters + "_")
_INNER = _INITIAL | frozenset(digits)
_NUMBER = _INNER | {"#"}
_OPERATORS = (":-", ":=", ":+", ":?", "-", "=", "+", "?")
_SPECIAL = frozenset("@*#?!-$" + digits)
_ESCAPED = frozenset('$`"\\\n')
_ANSI = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"'}


def argv(found: Sequence[Letter], variables: bool = True) -> tuple[Word, ...]:
    """One command line, split into words by the shell's quoting; operators are letters."""
    scanner = Scanner(found, variables)
    words = []
    while scanner.here():
        word = scanner.word(frozenset())
        if word is None:
            scanner.at += 1
        else:
            words.append(word)
    return tuple(words)


def pieces(found: Sequence[Letter], variables: bool = True) -> tuple[Piece, ...]:
    """A value that is not split and whose quotes are letters."""
    scanner = Scanner(found, variables)
    made = Made()
    while scanner.here():
        scanner.part(made)
    return made.pieces()


class Scanner(Cursor):
    """Reads words from letters. With `variables` false, `$` and backquotes are letters like others."""

    def __init__(self, found: Sequence[Letter], variables: bool = True) -> None:
        super().__init__(found)
        self._variables = variables
        self._depth = 0

    # Words

    def word(self, breaks: Set[str] = BREAKS, arrays: bool = True) -> Word | None:
        """The next word; None where none begins here."""
        made = Made()
        while (letter := self.here()) and letter not in SPACE:
            if letter in breaks and not self.hole():
                if not (arrays and letter == "(" and made.begins_array()):
                    break
                self._array(made)
            else:
                self._unit(made)
        return None if made.line is None else Word(made.line, made.pieces())

    def _array(self, made: Made) -> None:
        """`(--soft 60 --hard 90)`: the words, a blank in front of each."""
        start = self.line()
        self.at += 1
        while (letter := self.here()) != ")":
            if not letter:
                self.faults.append((start, "an array that begins here is not ended"))
                return
            item = None if letter == "#" else self.word(arrays=False)
            if letter == "#":
                self.skip_line()
            elif item is None:
                self.at += self.here() != ")"
            else:
                made.put(Text(" ", item.line), item.line)
                for piece in item.pieces:
                    made.put(piece, piece.line)
        self.at += 1

    def part(self, made: Made) -> None:
        """One letter or expansion of a value in which quotes are letters."""
        if (self.here() == "$" and self.here(1) in ("'", '"')) or not self._expanded(made, False):
            self._keep(made, False)

    def _unit(self, made: Made) -> None:
        """One letter, quote, expansion or hole outside of quotes."""
        letter = self.here()
        if letter == "'":
            self._quote(made, "'", self._literal)
        elif letter == '"':
            self._quote(made, '"', self._inner)
        elif letter == "\\":
            self._unescape(made)
        elif not self._expanded(made, False):
            self._keep(made, False)

    def _unescape(self, made: Made) -> None:
        """A backslash and what it protects; with a newline, nothing."""
        self.at += 1
        if self.here() == "\n":
            self.at += 1
        elif self.here():
            self._keep(made, True)

    def _keep(self, made: Made, quoted: bool) -> None:
        letter, line = self.letters[self.at]
        self.at += 1
        made.put(replace(letter, quoted=True) if quoted and isinstance(letter, (Text, Variable)) else letter, line, quoted)

    def _quote(self, made: Made, opening: str, step: Callable[[Made], None]) -> None:
        """What stands in quotes, step by step."""
        line, size = self.line(), made.size()
        made.begin(line)
        self.at += len(opening)
        while (letter := self.here()) != opening[-1]:
            if not letter:
                self.faults.append((line, "a quote that begins here is not ended"))
                return
            step(made)
        if made.size() == size:
            made.empty(line)
        self.at += 1

    def _literal(self, made: Made) -> None:
        """One letter within single quotes."""
        if not self._holed(made):
            self._keep(made, True)

    def _inner(self, made: Made, escaped: Set[str] = _ESCAPED) -> None:
        """One letter or expansion within double quotes."""
        if self.here() == "\\" and self.here(1) in escaped:
            self._unescape(made)
        elif not self._expanded(made, True):
            self._keep(made, True)

    def _ansi(self, made: Made) -> None:
        """One letter within `$'…'`."""
        if self.here() == "\\" and self.here(1) in _ANSI:
            made.put(_ANSI[self.here(1)], self.line(), True)
            self.at += 2
        else:
            self._keep(made, True)

    # Expansions

    def _holed(self, made: Made) -> bool:
        end = self.hole()
        if end:
            made.put(Opaque(self.written(self.at, end), self.line()), self.line())
            self.at = end
        return bool(end)

    def _expanded(self, made: Made, quoted: bool) -> bool:
        """Read an expansion or a template's hole, if one begins here."""
        if self._holed(made):
            return True
        letter, line = self.here(), self.line()
        if not self._variables or letter not in ("$", "`"):
            return False
        following = self.here(1)
        if letter == "`":
            made.put(self.opaque(), line)
        elif following in ("(", "{"):
            made.put(self._bracketed(following, quoted), line)
        elif following == "'" and not quoted:
            self._quote(made, "$'", self._ansi)
        elif following == '"' and not quoted:
            self._quote(made, '$"', self._inner)
        elif following in _SPECIAL:
            self.at += 2
            made.put(Opaque(f"${following}", line), line)
        elif following in _INITIAL:
            self.at += 1
            made.put(Variable(self._run(_INNER), line, quoted=quoted), line)
        else:
            return False
        return True

    def _run(self, allowed: Set[str]) -> str:
        """The letters from here on that are allowed."""
        start = self.at
        while self.here() in allowed:
            self.at += 1
        return self.written(start, self.at)

    def _bracketed(self, bracket: str, quoted: bool) -> Piece:
        """`$(`, `$((` or `${`; read again without a look at what is in it where it is none of what is known, or too deep."""
        start, faults, line = self.at, len(self.faults), self.line()
        found: Piece | None = None
        if self._depth < _DEEPEST and (bracket == "{" or self.starts("$((")):
            self._depth += 1
            found = self._parameter(quoted) if bracket == "{" else self._sum()
            self._depth -= 1
        if found:
            return found
        if not self.here() and self.at > start:  # no other reading ends sooner
            self.faults.append((line, "a substitution that begins here is not ended"))
            return Opaque(self.written(start, self.at), line)
        self.at = start
        del self.faults[faults:]
        return self.opaque()

    def _parameter(self, quoted: bool) -> Variable | None:
        """`${NAME}`, `${NAME:-operand}`, `${NAME[@]}`."""
        line = self.line()
        self.at += 2
        name = self._run(_INNER) if self.here() in _INITIAL else ""
        all_items = self.starts("[@]") or self.starts("[*]")
        self.at += 3 * all_items
        operator = next((operator for operator in _OPERATORS if self.starts(operator)), "")
        if not name or not (operator or self.here() == "}"):
            return None
        self.at += len(operator)
        made = Made()
        while (letter := self.here()) != "}":
            if not letter:
                self.faults.append((line, "a `${` that begins here is not ended"))
                break
            if quoted and letter != '"':
                self._inner(made, _ESCAPED | {"}"})
            else:
                self._unit(made)
        self.at += 1
        return Variable(name, line, operator, made.pieces(), quoted and not all_items)

    def _sum(self) -> Sum | None:
        """`$((…))`: names in it are variables."""
        line = self.line()
        self.at += 3
        made, depth = Made(), 0
        while (letter := self.here()) and (depth or letter != ")"):
            depth += (letter == "(") - (letter == ")")
            here = self.line()
            if letter in _INITIAL:
                made.put(Variable(self._run(_INNER), here), here)
            elif letter in _INNER:
                for digit in self._run(_NUMBER):
                    made.put(digit, here)
            elif letter == '"':
                self.at += 1
            elif not self._expanded(made, False):
                self._keep(made, False)
        if not self.starts("))"):
            return None
        self.at += 2
        return Sum(made.pieces(), line)
