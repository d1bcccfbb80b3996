"""An environment file: `NAME=value`, as python-dotenv, compose, systemd and a shell that sources it agree to read it.

Single quotes hold literal letters, double quotes escapes and variables; a quoted value may go over lines; a `#` after a blank ends an unquoted one.
Who reads the file, and which of its variables are known then, is decided elsewhere.
"""

from __future__ import annotations

import re

from flake8_deadline.launches import Assignment, Launches, Piece, Text, Word
from flake8_deadline.reading.launchers.kinds import decoded
from flake8_deadline.reading.shell import Letter, letters, pieces

_NAME = re.compile(r"[ \t]*(export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*(?:=|$)")
_ENTRY = re.compile(r"([A-Za-z_][\w.-]*)=")
_COMMENT = re.compile(r"[ \t]#")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def read(text: bytes) -> Launches:
    return decoded("env", text, _read)


def _read(text: str) -> Launches:
    lines = text.split("\n")
    entries: list[Assignment] = []
    faults: list[tuple[int, str]] = []
    at = 0
    while at < len(lines):
        line, number = lines[at], at + 1
        at += 1
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name = _NAME.match(line)
        if not name:
            faults.append((number, "no NAME=value"))
        elif "=" not in name[0]:
            if not name[1]:
                faults.append((number, "a name without a value"))
        else:
            value, at, closed = _value(lines, at - 1, name.end())
            entries.append(Assignment(name[2], Word(number, value), number, exported=bool(name[1])))
            if not closed:
                faults.append((number, "a quote that is never closed"))
    return Launches("env", variables=tuple(entries), faults=tuple(faults))


def _value(lines: list[str], at: int, start: int) -> tuple[tuple[Piece, ...], int, bool]:
    """The pieces of a value, the index of the line after it, and whether its quotes are closed."""
    rest = lines[at][start:].lstrip()
    quote = rest[:1]
    if quote not in ("'", '"'):
        plain = _COMMENT.split(lines[at][start:], maxsplit=1)[0].strip()
        return pieces(letters(plain, at + 1)), at + 1, True
    inside: list[Letter] = []
    end, text = at, rest[1:]
    while not _until(text, quote, end + 1, inside):
        end += 1
        if end == len(lines):  # only this line is lost: the quote may be a slip
            return pieces(letters(rest.strip(), at + 1), variables=False), at + 1, False
        inside.append(("\n", end))
        text = lines[end]
    return pieces(inside, variables=quote == '"'), end + 1, True


def _until(text: str, quote: str, line: int, into: list[Letter]) -> bool:
    """Put the letters up to the closing quote into a list; whether there is one."""
    escaped = False
    for letter in text:
        if escaped:
            into.append((Text("$", line) if letter == "$" else _ESCAPES.get(letter, letter), line))
            escaped = False
        elif letter == "\\" and quote == '"':
            escaped = True
        elif letter == quote:
            return True
        else:
            into.append((letter, line))
    return False


def entry(word: Word) -> Assignment | None:
    """The assignment that a word `NAME=value` is, in a list of them; None if it is none."""
    first = word.pieces[0] if word.pieces else None
    name = _ENTRY.match(first.text) if isinstance(first, Text) else None
    if not name or not isinstance(first, Text):
        return None
    rest = first.text[name.end() :]
    left: tuple[Piece, ...] = (Text(rest, first.line, first.quoted),) if rest else ()
    value = left + word.pieces[1:]
    return Assignment(name[1], Word(value[0].line if value else word.line, value), word.line)
