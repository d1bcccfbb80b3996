"""Shell text to the steps that it takes: assignments and commands, in order, each with the conditions it stands under.

Follows the grammar as far as it says what may be run: branches become conditions, as written; nothing is decided about them. What a test runs stands
under what is around it; `a && b` adds no condition. Here-documents, redirections and what a substitution runs are left out. Never raises.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from flake8_deadline.launches import Assignment, Launches, Step, Unit, Word
from flake8_deadline.reading.shell_letters import SPACE, Letter, letters
from flake8_deadline.reading.shell_statements import bare, plain, statement
from flake8_deadline.reading.shell_words import Scanner, argv, pieces

__all__ = ["Letter", "argv", "letters", "pieces", "read", "steps"]

_LARGEST = 1024 * 1024
_DEEPEST = 40
_LONGEST = 300
"""Letters of a condition that are kept."""
_SHELLS = re.compile(r"#!.*(?:(?:^|[!/\s])(?:sh|[bd]?ash|zsh|m?ksh|with-contenv)(?:\s|$)|\{\{)")
_OPERATOR = re.compile(r"\|\||&&|\|&|;;&|;;|;&|[;&|()\n]")
_JOINING = frozenset({"||", "&&", "|", "|&"})
_REDIRECTION = re.compile(r"<<<|<<-|<<|<&|<>|<|>>|>&|>\||>")
_PATTERN_BREAKS = frozenset(")|")
_TEST_BREAKS = frozenset(";")
_COMPOUND = {"if": "if", "while": "loop", "until": "loop", "for": "loop", "select": "loop", "case": "case", "{": "{"}
_ENDING = {"fi": "if", "done": "loop", "esac": "case", "}": "{"}


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
    while script.scanner.here():
        script.advance()
    script.end()
    exported = script.exported
    taken = (replace(step, exported=True) if isinstance(step, Assignment) and step.name in exported else step for step in script.steps)
    return tuple(taken), tuple(script.scanner.faults)


@dataclass
class _Frame:
    """A compound command that has not ended yet."""

    kind: str
    """"if", "loop", "case", "branch" (of a case), "{" or "("."""
    list_start: int
    """Where the list of commands begins in which it stands."""
    test: int
    """Where its test begins."""
    before: str = ""
    """The condition it stands under as a whole."""
    condition: str = ""
    """The one that what comes next in it stands under."""


class _Script:
    """What has been read so far."""

    def __init__(self, found: Sequence[Letter]) -> None:
        self.scanner = Scanner(found)
        self.steps: list[Step] = []
        self.exported: set[str] = set()
        self._words: list[Word] = []
        self._frames: list[_Frame] = []
        self._start = -1
        """Where the list of commands (`a && b || c`) begins; -1: at the next word."""
        self._joined = False
        """Whether the list goes on, be it on the next line."""
        self._unless = ""
        self._function = ""
        self._heredocs: list[tuple[str, bool]] = []

    def advance(self) -> None:
        """Read one word or one operator."""
        scanner = self.scanner
        scanner.skip_blanks()
        letter = scanner.here()
        if letter == "#":
            scanner.skip_line()
        elif self._frames and self._frames[-1].kind == "case":
            self._branch(letter)
        elif letter in ("<", ">") and not scanner.hole():
            self._redirection()
        elif scanner.starts("&>"):
            scanner.at += 1
            self._redirection()
        elif letter in (";", "&", "|", "(", ")", "\n"):
            self._operator()
        elif letter:
            self._word()

    def _word(self) -> None:
        start = self.scanner.at
        self._start = start if self._start < 0 else self._start
        word = self.scanner.word()
        if word is None or (plain(word).isdecimal() and self.scanner.here() in ("<", ">")):
            return
        if self._words or not self._reserved(plain(word), start):
            self._words.append(word)
            if len(self._words) == 1 and plain(word) == "[[":
                self._skip_test()

    def _skip_test(self) -> None:
        """To the end of `[[ … ]]`, in which operators are words."""
        scanner = self.scanner
        while scanner.here() not in (";", ""):
            word = scanner.word(_TEST_BREAKS)
            if word is None:
                scanner.at += scanner.here() not in (";", "")
            elif plain(word) == "]]":
                break

    # Operators

    def _operator(self) -> None:
        scanner = self.scanner
        found = _OPERATOR.match(scanner.written(scanner.at, scanner.at + 3))
        operator = found[0] if found else ""
        if operator == "(":
            self._bracket()
            return
        joined = operator in _JOINING or (operator == "\n" and not self._words and self._joined)
        before = self._text(self._start, scanner.at) if operator == "||" and self._start >= 0 else ""
        self.end()
        scanner.at += len(operator)
        self._joined = joined
        if operator == "||":
            self._unless = f"unless {before}" if before else ""
        elif operator == "&&" or not joined:
            self._unless = ""
        if not joined:
            self._start = -1
        if operator.startswith(";") and len(operator) > 1:
            self._close("branch")
        elif operator == ")":
            self._close("(")
        elif operator == "\n":
            self._skip_heredocs()

    def _bracket(self) -> None:
        scanner = self.scanner
        if scanner.starts("(("):
            scanner.opaque()
        elif len(self._words) == 1 and scanner.starts("()"):
            scanner.at += 2
            self._function = plain(self._words.pop())
        else:
            if not self._words:
                self._open("(", scanner.at)
            scanner.at += 1

    def _redirection(self) -> None:
        scanner = self.scanner
        if scanner.here(1) == "(":  # `<(…)` is a word
            line = scanner.line()
            self._words.append(Word(line, (scanner.opaque(),)))
            return
        found = _REDIRECTION.match(scanner.written(scanner.at, scanner.at + 3))
        operator = found[0] if found else ""
        scanner.at += len(operator)
        scanner.skip_blanks()
        if scanner.here() in ("<", ">") and scanner.here(1) == "(":
            scanner.opaque()
            return
        target = scanner.word()
        if target is not None and operator in ("<<", "<<-"):
            self._heredocs.append((bare(target), operator == "<<-"))

    def _skip_heredocs(self) -> None:
        scanner = self.scanner
        for end, indented in self._heredocs:
            line = ""
            while scanner.here() and line != end:
                start = scanner.at
                scanner.skip_line()
                line = scanner.written(start, scanner.at)
                line = (line.lstrip("\t") if indented else line).rstrip()
                scanner.at = min(scanner.at + 1, len(scanner.letters))
        self._heredocs = []

    # Compound commands

    def _reserved(self, text: str, start: int) -> bool:
        """Take a word that shapes the script; False for any other."""
        frame = self._frames[-1] if self._frames else None
        if text in _COMPOUND:
            self._open(_COMPOUND[text], start)
            if text == "case":
                self._skip_subject()
            return text not in ("for", "select")  # their head is a statement, which says what the variable is
        if text in _ENDING:
            self._close(_ENDING[text])
        elif text in ("then", "do", "else", "elif"):
            if frame and frame.kind in ("if", "loop"):
                frame.condition = "else" if text == "else" else "" if text == "elif" else self._text(frame.test, start)
                frame.test = start
            self._start, self._unless = -1, ""
        elif text == "function":
            self.scanner.skip_blanks()
            name = self.scanner.word()
            self._function = plain(name) if name else ""
            self.scanner.skip_blanks()
            self.scanner.at += 2 * self.scanner.starts("()")
        else:
            return text in ("!", "time")
        return True

    def _skip_subject(self) -> None:
        """`WORD in`."""
        for _ in range(2):
            while self.scanner.here() in SPACE or self.scanner.starts("\\\n"):
                self.scanner.at += 1 if self.scanner.here() in SPACE else 2
            self.scanner.word()

    def _branch(self, letter: str) -> None:
        """The pattern of a branch of `case`; `esac` ends it."""
        scanner = self.scanner
        start = scanner.at
        if letter in ("\n", ";", "(", "&", ""):
            scanner.at += letter != ""
            return
        first = scanner.word(_PATTERN_BREAKS | {";"})
        if first is not None and plain(first) == "esac":
            self._close("case")
            return
        while scanner.here() not in (")", "\n", ""):
            if scanner.word(_PATTERN_BREAKS) is None:
                scanner.at += 1
        pattern = self._text(start, scanner.at)
        scanner.at += 1
        self._open("branch", start)
        self._frames[-1].condition = f"case {pattern})"

    def _open(self, kind: str, start: int) -> None:
        before = self._unless
        if self._function and kind in ("{", "("):
            before, self._function = f"function {self._function}", ""
        self._frames.append(_Frame(kind, self._start if self._start >= 0 else start, start, before))
        self._start, self._unless = -1, ""

    def _close(self, kind: str) -> None:
        """Leave the innermost of a kind, with a branch in it that nothing has closed."""
        frames = self._frames
        if kind == "case" and len(frames) > 1 and frames[-1].kind == "branch":
            frames.pop()
        if frames and frames[-1].kind == kind:
            self._start = frames.pop().list_start

    def _text(self, start: int, end: int) -> str:
        """A condition, on one line."""
        written = self.scanner.written(start, min(end, start + _LONGEST)).replace("\\\n", " ")
        return " ".join(written.split()).rstrip("; ") + "…" * (end > start + _LONGEST)

    # Statements

    def end(self) -> None:
        """A statement is over."""
        words, self._words = self._words, []
        if words:
            around = [condition for frame in self._frames[:_DEEPEST] for condition in (frame.before, frame.condition) if condition]
            self.steps += statement(words, (*around, self._unless) if self._unless else tuple(around), self.exported)
