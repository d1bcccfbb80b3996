"""Shell text to the steps that it takes: assignments and commands, in order, each with the conditions it stands under.

Follows the grammar as far as it says what may be run: branches become conditions, as written; nothing is decided about them. Never raises.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Union

from flake8_deadline.launches import Assignment, Command, Launches, Step, Text, Unit, Variable, Word
from flake8_deadline.reading.shell_words import BLANKS, Letter, Scanner, argv, letters, pieces

__all__ = ["Letter", "argv", "letters", "pieces", "read", "steps"]

_LARGEST = 1024 * 1024
_SHELLS = re.compile(r"#!.*\b(sh|bash|dash|ash|zsh|ksh|execlineb|with-contenv)\b")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)(\+?)=")
_DECLARING = frozenset({"export", "declare", "local", "readonly", "typeset"})
_TESTING = frozenset({"if", "elif", "while", "until", "for", "select"})
_HERE = re.compile(r"<<-?(?!<)")


def read(text: bytes) -> Launches:
    """A script file."""
    if len(text) > _LARGEST:
        return Launches("shell", faults=((1, "it is too large to be read"),))
    decoded = text.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    if decoded.startswith("#!") and not _SHELLS.match(decoded.partition("\n")[0]):
        return Launches("shell")
    found, faults = steps(letters(decoded))
    return Launches("shell", (Unit("", 1, command=found),), faults=faults)


def steps(found: Sequence[Letter]) -> tuple[tuple[Step, ...], tuple[tuple[int, str], ...]]:
    """The steps of a shell text, and what could not be read of it."""
    script = _Script(found)
    while script.scanner.at < len(found):
        script.advance()
    script.end()
    return tuple(script.steps), tuple(script.scanner.faults)


class _Script:
    """What has been read so far."""

    def __init__(self, found: Sequence[Letter]) -> None:
        self.scanner = Scanner(found)
        self.steps: list[Step] = []
        self._words: list[Word] = []
        self._began = 0
        """Where the statement begins."""
        self._around: list[str] = []
        """The conditions; "" for a group without one, "case" for a `case` between its branches."""
        self._test: int | None = None
        """Where the test began that is being read."""
        self._unless = ""
        self._heredocs: list[str] = []

    def advance(self) -> None:
        """Read one word or one operator."""
        scanner = self.scanner
        letter = scanner.peek()[0]
        if isinstance(letter, str) and letter in BLANKS:
            scanner.at += 1
        elif letter == "#":
            while scanner.peek()[0] not in ("\n", ""):
                scanner.at += 1
        elif letter in ("<", ">") and not scanner.starts("<%"):
            self._redirection()
        elif scanner.starts("&>"):
            scanner.at += 1
            self._redirection()
        elif isinstance(letter, str) and letter in ";&|()\n":
            self._operator(letter)
        else:
            self._read_word()

    def _read_word(self) -> None:
        start = self.scanner.at
        word = self.scanner.word()
        if word is None:
            return  # a backslash at the end of a line
        if not self._words:
            self._began = start
        text = _plain(word)
        if text.isdigit() and self.scanner.peek()[0] in ("<", ">"):
            return
        if self._around and self._around[-1] == "case" and self._test is None:
            self._branch(text)
        elif text == "in" and self._test is not None and len(self._words) == 2 and self.scanner.written(self._test, self._test + 4) == "case":
            self._test, self._words = None, []
            self._around.append("case")
        elif self._words or not self._reserved(text, start):
            self._words.append(word)

    # Operators

    def _operator(self, letter: str) -> None:
        scanner = self.scanner
        if self._around and self._around[-1] == "case" and letter in "(|)":
            scanner.at += 1
            return
        if scanner.starts("()") and len(self._words) == 1:
            scanner.at += 2
            self._around.append(f"function {_plain(self._words.pop())}")
            self._skip_brace()
            return
        after = scanner.written(self._began, scanner.at).strip() if scanner.starts("||") and self._words else ""
        closes = scanner.starts(";;") or scanner.starts(";&")
        scanner.at += 2 if closes or scanner.starts("&&") or scanner.starts("||") else 1
        self.end()
        self._unless = f"unless {after}" if after else ""
        if closes:
            self._close_branch()
        if letter == "\n":
            self._skip_heredocs()

    def _skip_brace(self) -> None:
        """The brace that opens a function's body."""
        while (letter := self.scanner.peek()[0]) and isinstance(letter, str) and letter in BLANKS + "\n":
            self.scanner.at += 1
        if self.scanner.peek()[0] == "{":
            self.scanner.at += 1

    def _redirection(self) -> None:
        scanner = self.scanner
        here = _HERE.match(scanner.written(scanner.at, scanner.at + 4))
        while scanner.peek()[0] in ("<", ">", "&", "|"):
            scanner.at += 1
        if here and scanner.peek()[0] == "-":
            scanner.at += 1
        while scanner.peek()[0] in (" ", "\t"):
            scanner.at += 1
        target = scanner.word(breaks=";&|)\n")
        if here and target is not None:
            self._heredocs.append(_bare(target))

    def _skip_heredocs(self) -> None:
        scanner, ends = self.scanner, self._heredocs
        while ends and scanner.at < len(scanner.letters):
            start = scanner.at
            while scanner.peek()[0] not in ("\n", ""):
                scanner.at += 1
            scanner.at += 1
            if scanner.written(start, scanner.at).strip() == ends[0]:
                del ends[0]

    # Reserved words

    def _reserved(self, text: str, start: int) -> bool:
        """Take a word that shapes the script; False for any other."""
        if text in _TESTING or text == "case":
            self._test = start
            self._words = [Word(0)] if text in ("for", "select", "case") else []
            self._began = start
        elif text in ("then", "do"):
            self._opened(start)
        elif text == "else":
            self._around[-1:] = ["else"]
        elif text in ("fi", "done", "}"):
            del self._around[-1:]
        elif text == "esac":
            del self._around[-2:]  # the branch that nothing has closed, and the case around it
        elif text == "{":
            self._around.append("")
        elif text == "function":
            name = self._next_word()
            self._around.append(f"function {name.removesuffix('()')}")
            self._skip_brace()
        else:
            return text in ("!", "time")
        return True

    def _next_word(self) -> str:
        while self.scanner.peek()[0] in (" ", "\t"):
            self.scanner.at += 1
        word = self.scanner.word(breaks=";&|<>\n")
        return _plain(word) if word else ""

    def _opened(self, start: int) -> None:
        """The end of a test: what follows stands under it."""
        test = self.scanner.written(self._test, start).strip().rstrip(";").strip() if self._test is not None else ""
        self._test = None
        if test.startswith("elif"):
            del self._around[-1:]
        self._around.append(" ".join(test.split()))

    def _branch(self, text: str) -> None:
        """The pattern of a branch of `case`; `esac` ends it."""
        if text == "esac":
            del self._around[-1:]
            return
        while self.scanner.peek()[0] not in (")", "\n", ""):
            text += str(self.scanner.peek()[0])
            self.scanner.at += 1
        self.scanner.at += 1
        self._around.append(f"case {text})")

    def _close_branch(self) -> None:
        if self._around and self._around[-1].startswith("case "):
            self._around.pop()

    # Statements

    def end(self) -> None:
        """A statement is over."""
        words, self._words = self._words, []
        if self._test is not None:
            return
        conditions = tuple(condition for condition in self._around if condition not in ("", "case"))
        if self._unless:
            conditions, self._unless = (*conditions, self._unless), ""
        self.steps += _statement(words, conditions)


def _statement(words: list[Word], conditions: tuple[str, ...]) -> list[Step]:
    count = next((index for index, word in enumerate(words) if not _ASSIGNED.match(_beginning(word))), len(words))
    assigned = [_assignment(word, conditions) for word in words[:count]]
    rest = words[count:]
    if not rest:
        return [*assigned]
    name = _plain(rest[0])
    if name in _DECLARING:
        exported = name == "export" or any(_plain(word) == "-x" for word in rest)
        return [_assignment(word, conditions, exported) for word in rest[1:] if _ASSIGNED.match(_beginning(word))]
    if name == ":":
        return [step for word in rest[1:] for step in _defaults(word, conditions)]
    return [Command(rest[0].line, tuple(rest), tuple(assigned), conditions)]


def _assignment(word: Word, conditions: tuple[str, ...], exported: bool = False) -> Assignment:
    first = word.pieces[0]
    text = _beginning(word)
    match = _ASSIGNED.match(text)
    name, more = (match[1], match[2]) if match else (text, "")
    left = text[match.end() :] if match else ""
    value: list[Union[Text, Variable]] = [Variable(name, word.line)] if more else []
    value += [Text(left, word.line)] if left and isinstance(first, Text) else []
    return Assignment(name, Word(word.line, (*value, *word.pieces[1:])), word.line, exported, conditions=conditions)


def _defaults(word: Word, conditions: tuple[str, ...]) -> list[Assignment]:
    """`: "${NAME:=value}"`."""
    return [
        Assignment(piece.name, Word(piece.line, piece.operand), piece.line, if_unset=True, conditions=conditions)
        for piece in word.pieces
        if isinstance(piece, Variable) and piece.operator.endswith("=")
    ]


def _beginning(word: Word) -> str:
    """The text that a word begins with outside of quotes."""
    first = word.pieces[0] if word.pieces else None
    return first.text if isinstance(first, Text) and not first.quoted else ""


def _plain(word: Word) -> str:
    """A word that is text without quotes; "" for any other."""
    return (
        "".join(piece.text for piece in word.pieces if isinstance(piece, Text))
        if all(isinstance(piece, Text) and not piece.quoted for piece in word.pieces)
        else ""
    )


def _bare(word: Word) -> str:
    """A word's text, quotes or not."""
    return "".join(piece.text for piece in word.pieces if isinstance(piece, Text))
