"""A systemd unit: what its `[Service]` starts, with which environment.

systemd's own expansion: `${X}` anywhere, a whole word `$X` (which it splits); it knows no fallbacks, `${X:-y}` reaches the program as it is written.
No shell runs the command unless it names one. What stands in an environment file, and what runs before or after the start, is left to others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flake8_deadline.launches import Assignment, Command, Launches, Opaque, Piece, Reference, Text, Unit, Variable, Word
from flake8_deadline.reading.launchers.dotenv import entry
from flake8_deadline.reading.launchers.kinds import decoded
from flake8_deadline.reading.launchers.supervisor import HOLE, Lines, substituted
from flake8_deadline.reading.shell import Letter, argv

_SETTING = re.compile(r"[ \t]*(\w+)[ \t]*=(.*)", re.DOTALL)
_SPECIFIER = rf"%[%a-zA-Z]|{HOLE}"
_HELD = re.compile(_SPECIFIER)
_EXPANDED = re.compile(rf"\$\$|\$\{{(\w+)\}}|{_SPECIFIER}")
_DOLLAR = "\0"
"""Stands for `$$` until the words are known: what it makes is no variable."""
_WHOLE = re.compile(r"\$(\w+)")


def read(text: bytes) -> Launches:
    return decoded("systemd", text, _read)


def _read(text: str) -> Launches:
    start = 0
    commands: list[Command] = []
    environment: list[Assignment] = []
    files: list[Reference] = []
    directory = ""
    faults: list[tuple[int, str]] = []
    for section, value in _settings(text):
        start = start or section
        name, line = value[0]
        rest = _trimmed(value[1:])
        if name == "ExecStart":
            commands.append(_command(rest)) if rest else commands.clear()
        elif name == "Environment":
            found, unread = _entries(rest)
            environment.extend(found) if rest else environment.clear()
            faults += unread
        elif name == "EnvironmentFile":
            path = _text(rest).removeprefix("-")
            files.append(Reference(path, line)) if path else files.clear()
        elif name == "WorkingDirectory":
            directory = _text(rest).removeprefix("-")
    if not start:
        return Launches("systemd")
    unit = Unit("", start, command=tuple(commands) or None, environment=tuple(environment), env_files=tuple(files), directory=directory)
    return Launches("systemd", (unit,), faults=tuple(faults))


def _settings(text: str) -> Iterator[tuple[int, Lines]]:
    """The settings of `[Service]`: the section's line, and the name and the lines of the value."""
    section = 0
    parts: Lines = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith(("#", ";", "{%", "{#")):
            continue
        plain = line.rstrip()
        setting = None if parts else _SETTING.fullmatch(plain)
        if not parts and plain.lstrip().startswith("["):
            section = number if plain.strip() == "[Service]" else 0
        elif section and setting:
            parts = [(setting[1], number), (setting[2], number)]
        elif parts:
            parts.append((plain, number))
        if parts and plain.endswith("\\"):
            parts[-1] = (parts[-1][0][:-1], number)
        elif parts:
            yield section, parts
            parts = []
    if parts:
        yield section, parts


def _entries(value: Lines) -> tuple[list[Assignment], list[tuple[int, str]]]:
    words = argv(_filled(value, _HELD), variables=False)
    found = [(word.line, entry(word)) for word in words]
    return [one for _, one in found if one], [(line, "no NAME=value in Environment=") for line, one in found if not one]


def _trimmed(value: Lines) -> Lines:
    return [(text.strip(), line) for text, line in value if text.strip()]


def _text(value: Lines) -> str:
    return " ".join(text for text, _ in value)


def _filled(value: Lines, pattern: re.Pattern[str]) -> list[Letter]:
    result: list[Letter] = []
    for text, line in value:
        result += substituted(text, line, pattern, _piece)
        result.append((" ", line))
    return result[:-1]


def _piece(found: re.Match[str], line: int) -> str | Piece:
    if found[0] == "%%":
        return "%"
    if found[0] == "$$":
        return _DOLLAR
    return Variable(found[1], line, quoted=True) if found[0][0] == "$" else Opaque(found[0], line)


def _command(value: Lines) -> Command:
    first, line = value[0]
    program = first.lstrip("-@:+!|")
    marks = first[: len(first) - len(program)]
    letters = _filled([(program, line), *value[1:]], _HELD if ":" in marks else _EXPANDED)
    words = argv(letters, variables=False)
    if ":" not in marks:
        words = tuple(_expanded(word) for word in words)
    if "@" in marks:  # the second word is the name that the program sees
        words = words[:1] + words[2:]
    return Command(line, words)


def _expanded(word: Word) -> Word:
    """A word that is a variable and nothing else is split, in quotes or not."""
    only = word.pieces[0] if len(word.pieces) == 1 else None
    name = _WHOLE.fullmatch(only.text) if isinstance(only, Text) else None
    if name:
        return Word(word.line, (Variable(name[1], word.line),))
    return Word(word.line, tuple(_dollars(piece) for piece in word.pieces))


def _dollars(piece: Piece) -> Piece:
    return Text(piece.text.replace(_DOLLAR, "$"), piece.line, piece.quoted) if isinstance(piece, Text) else piece
