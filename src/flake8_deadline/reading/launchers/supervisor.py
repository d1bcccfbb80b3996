"""A supervisor configuration: the command, environment and directory of each `[program:…]`.

No shell runs the command: supervisor fills in `%(ENV_X)s` and splits the text at blanks. How many copies of a program run, groups and event
listeners are left out. A template's holes stay opaque.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from flake8_deadline.launches import Assignment, Command, Launches, Opaque, Piece, Unit, Variable, Word
from flake8_deadline.reading.launchers.kinds import decoded
from flake8_deadline.reading.shell import Letter, argv, letters, pieces

HOLE = r"\{\{[^{}\n]*\}\}|\{%[^%\n]*%\}"
_CONTROL = re.compile(r"[ \t]*\{[%#]")
_SECTION = re.compile(r"\[([^\]\n]+)\]")
_PROGRAM = re.compile(r"(?:fcgi-)?program:(.*)")
_COMMENT = re.compile(r"(?:^|[ \t])[;#]")
_HELD = re.compile(rf"%%|%\((\w+)\)\d*[sd]|{HOLE}|<[A-Z][A-Z0-9_]*>")

Lines = list[tuple[str, int]]
"""A value, line by line."""


class _Section(NamedTuple):
    name: str
    line: int
    values: dict[str, Lines]


def read(text: bytes) -> Launches:
    return decoded("supervisor", text, _read)


def _read(text: str) -> Launches:
    units: list[Unit] = []
    variables: list[Assignment] = []
    faults: list[tuple[int, str]] = []
    for section in _sections(text):
        program = _PROGRAM.fullmatch(section.name)
        environment, unread = _environment(_filled(section.values.get("environment", [])))
        if section.name == "supervisord":
            variables += environment
            faults += unread
        elif program:
            units.append(_unit(program[1].strip(), section, environment))
            faults += unread
            if not section.values.get("command"):
                faults.append((section.line, "a program without a command"))
    return Launches("supervisor", tuple(units), tuple(variables), tuple(faults))


def _sections(text: str) -> Iterator[_Section]:
    section = _Section("", 1, {})
    value: Lines | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if _CONTROL.match(line):
            continue
        plain = _COMMENT.split(line, maxsplit=1)[0].rstrip()
        header = _SECTION.match(plain)
        if header:
            yield section
            section, value = _Section(header[1].strip(), number, {}), None
        elif plain[:1] in (" ", "\t"):
            if value is not None:
                value.append((plain.strip(), number))
        elif plain:
            value = _option(plain, number, section)
    yield section


def _option(line: str, number: int, section: _Section) -> Lines | None:
    """The lines of the value that begins here."""
    key = re.split("[=:]", line, maxsplit=1)
    if len(key) == 1:
        return None
    value = [(key[1].strip(), number)] if key[1].strip() else []
    section.values[key[0].strip().lower()] = value
    return value


def _unit(name: str, section: _Section, environment: tuple[Assignment, ...]) -> Unit:
    command = section.values.get("command")
    directory = "".join(text for text, _ in section.values.get("directory", []))
    steps = None
    if command:
        steps = (Command(command[0][1], argv(_filled(command), variables=False)),)
    return Unit(name, section.line, command=steps, environment=environment, directory=directory)


def _filled(value: Lines) -> list[Letter]:
    result: list[Letter] = []
    for text, line in value:
        result += substituted(text, line, _HELD, _piece)
        result.append((" ", line))
    return result[:-1]


def _piece(found: re.Match[str], line: int) -> str | Piece:
    if found[0] == "%%":
        return "%"
    name = found[1] or ""
    return Variable(name[4:], line) if name.startswith("ENV_") else Opaque(found[0], line)


def substituted(text: str, line: int, pattern: re.Pattern[str], piece: Callable[[re.Match[str], int], str | Piece]) -> list[Letter]:
    """The letters of a text, with one piece or letter in the place of each match."""
    result: list[Letter] = []
    end = 0
    for found in pattern.finditer(text):
        result += letters(text[end : found.start()], line)
        result.append((piece(found, line), line))
        end = found.end()
    return result + letters(text[end:], line)


def _environment(text: list[Letter]) -> tuple[tuple[Assignment, ...], list[tuple[int, str]]]:
    """`KEY="value",OTHER='x'`: the entries, and what is none."""
    entries: list[Assignment] = []
    faults: list[tuple[int, str]] = []
    at = 0
    while at < len(text):
        letter, line = text[at]
        if letter in (" ", "\t", ","):
            at += 1
            continue
        name, at = _until(text, at, "=,")
        if at == len(text) or text[at][0] == ",":
            faults.append((line, "no NAME=value in an environment"))
            continue
        key = "".join(letter for letter, _ in name if isinstance(letter, str)).strip()
        value, at = _value(text, at + 1)
        entries.append(Assignment(key, Word(value[0][1] if value else line, pieces(value, variables=False)), line))
    return tuple(entries), faults


def _value(text: list[Letter], at: int) -> tuple[list[Letter], int]:
    while at < len(text) and text[at][0] == " ":
        at += 1
    quote = text[at][0] if at < len(text) else ""
    if quote not in ("'", '"'):
        value, at = _until(text, at, ",")
        while value and value[-1][0] == " ":
            value.pop()
        return value, at
    value, at = _until(text, at + 1, str(quote))
    return value, _until(text, at, ",")[1]


def _until(text: list[Letter], at: int, ends: str) -> tuple[list[Letter], int]:
    start = at
    while at < len(text) and text[at][0] not in tuple(ends):
        at += 1
    return text[start:at], at
