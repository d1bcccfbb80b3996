"""TOML files that start programs: pyproject.toml's task tables (poe, PDM, Rye, Hatch, taskipy) and fly.toml.

Reads the part of TOML that such tables are written in: strings, lists, inline tables, dotted keys. What is no string has no value here. Tasks that
only name others are left out, and so is what a task runner does besides starting a command.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple, Union

from flake8_deadline.launches import Assignment, Command, Launches, Opaque, Piece, Reference, Step, Text, Unit, Variable, Word
from flake8_deadline.reading.launchers.kinds import decoded
from flake8_deadline.reading.launchers.supervisor import substituted
from flake8_deadline.reading.shell import Letter, argv, letters, pieces, steps

_TOKEN = re.compile(
    r"(?P<gap>[^\S\n]+|#[^\n]*)|(?P<long>\"{3}(?:[^\\]|\\.)*?\"{3,5}|'{3}.*?'{3,5})|(?P<open>\"{3}|'{3})"
    r"|(?P<string>\"(?:[^\"\\\n]|\\[^\n])*\"|'[^'\n]*')|(?P<mark>[\[\]{}=,\n])|(?P<other>[^\s\[\]{}=,#\"']+)",
    re.DOTALL,
)
_FIELD = re.compile(r"(?<!\$)\{(?:env:(\w+)(?::([^{}\n]*))?|[^{}\n]*)\}")
_ESCAPED = re.compile(r"\\([\"\\])")
_DEEPEST = 60

Faults = list[tuple[int, str]]


class Value(NamedTuple):
    line: int
    held: Union[str, list[Value], dict[str, Value], None] = None
    long: bool = False
    """Whether it is a string that may go over lines."""


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


class _UnreadError(Exception):
    """What cannot be read: the line, the reason."""


def read(text: bytes) -> Launches:
    return decoded("toml", text, _read)


def _read(text: str) -> Launches:
    root = Value(1, {})
    faults: Faults = []
    try:
        _fill(root, _Tokens(text))
    except _UnreadError as unread:
        faults.append((unread.args[0], unread.args[1]))
    units = [unit for shape in (_poe, _scripts, _hatch, _taskipy, _fly) for unit in shape(root, faults)]
    variables = _environment(_get(root, "tool", "poe", "env")) + _environment(_get(root, "env"))
    return Launches("toml", tuple(units), variables, tuple(faults))


class _Tokens:
    """The tokens of a text, the next one first."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._line = text, 0, 1
        self.next = self._read()

    def take(self) -> _Token:
        taken, self.next = self.next, self._read()
        return taken

    def skip(self, *marks: str) -> None:
        while self.next.kind == "mark" and self.next.text in marks:
            self.take()

    def _read(self) -> _Token:
        while found := _TOKEN.match(self._text, self._at):
            token = _Token(found.lastgroup or "", found[0], self._line)
            self._at = found.end()
            self._line += found[0].count("\n")
            if token.kind == "open":
                break
            if token.kind != "gap":
                return token
        if self._at < len(self._text):
            raise _UnreadError(self._line, "no TOML")
        return _Token("end", "", self._line)


def _fill(root: Value, tokens: _Tokens) -> None:
    table = root
    while tokens.next.kind != "end":
        if tokens.next.text == "\n":
            tokens.take()
        elif tokens.next.text == "[":
            line = tokens.next.line
            tokens.skip("[")
            table = _under(root, _key(tokens), line)
            tokens.skip("]")
        else:
            _pair(table, tokens, 0)


def _key(tokens: _Tokens) -> list[str]:
    parts: list[str] = []
    while tokens.next.kind in ("string", "other"):
        token = tokens.take()
        parts += [_string(token)] if token.kind == "string" else [part for part in token.text.split(".") if part]
    return parts


def _pair(table: Value, tokens: _Tokens, depth: int) -> None:
    line = tokens.next.line
    key = _key(tokens)
    if not key or tokens.take().text != "=":
        raise _UnreadError(line, "no key with a value")
    within, value = _under(table, key[:-1], line), _value(tokens, depth + 1)
    if isinstance(within.held, dict):
        within.held[key[-1]] = value


def _value(tokens: _Tokens, depth: int) -> Value:
    token = tokens.take()
    if depth > _DEEPEST:
        raise _UnreadError(token.line, "nested too deeply")
    if token.text == "[":
        items: list[Value] = []
        tokens.skip("\n", ",")
        while tokens.next.text != "]":
            items.append(_value(tokens, depth + 1))
            tokens.skip("\n", ",")
        tokens.take()
        return Value(token.line, items)
    if token.text == "{":
        table = Value(token.line, {})
        tokens.skip("\n", ",")
        while tokens.next.text != "}":
            _pair(table, tokens, depth + 1)
            tokens.skip("\n", ",")
        tokens.take()
        return table
    if token.kind in ("mark", "end"):
        raise _UnreadError(token.line, "a value is missing")
    if token.kind == "long":
        return _long(token)
    while token.kind == "other" and tokens.next.kind == "other":  # a date and its time
        tokens.take()
    return Value(token.line, _string(token) if token.kind == "string" else None)


def _string(token: _Token) -> str:
    if token.text[0] == "'":
        return token.text[1:-1]
    try:
        return str(json.loads(token.text, strict=False))
    except ValueError:
        return token.text[1:-1]


def _long(token: _Token) -> Value:
    text = token.text[3:-3]
    if token.text[0] == '"':
        text = _ESCAPED.sub(r"\1", text)
    after = text.removeprefix("\n")
    return Value(token.line + (after != text), after, long=True)


def _under(value: Value, path: list[str], line: int) -> Value:
    """The table of this name, made where there is none."""
    for key in path:
        if not isinstance(value.held, dict):
            break
        value = value.held.setdefault(key, Value(line, {}))
    return value


def _get(value: Value | None, *keys: str) -> Value | None:
    for key in keys:
        value = value.held.get(key) if value and isinstance(value.held, dict) else None
    return value


def _pairs(value: Value | None) -> list[tuple[str, Value]]:
    return list(value.held.items()) if value and isinstance(value.held, dict) else []


def _text(value: Value | None) -> str:
    return value.held if value and isinstance(value.held, str) else ""


def _letters(value: Value) -> list[Letter]:
    return letters(_text(value), value.line) if value.long else [(letter, value.line) for letter in _text(value)]


def _environment(table: Value | None) -> tuple[Assignment, ...]:
    found = ((name, _get(value, "default") or value, _get(value, "default")) for name, value in _pairs(table))
    return tuple(
        Assignment(name, Word(value.line, pieces(_letters(value))), value.line, if_unset=bool(default))
        for name, value, default in found
        if isinstance(value.held, str)
    )


def _shell(value: Value, faults: Faults) -> tuple[Step, ...]:
    found, unread = steps(_letters(value))
    faults += unread
    return found


def _plain(value: Value, variables: bool = True) -> tuple[Step, ...]:
    """A command that no shell runs: a text, or its words."""
    if isinstance(value.held, list):
        words = tuple(Word(item.line, (Text(_text(item), item.line, quoted=True),)) for item in value.held if _text(item))
    else:
        words = argv([(" " if letter == "\n" else letter, line) for letter, line in _letters(value)], variables)
    return (Command(words[0].line, words),) if words else ()


def _task(name: str, task: Value, faults: Faults, files: tuple[Reference, ...]) -> Iterator[Unit]:
    """A task of poe, PDM or Rye: a command, a table that has one, or several of them."""
    several = _tables(_get(task, "sequence") or task)
    for item in several:
        yield from _task(name, item, faults, files)
    command, script = _get(task, "cmd"), _get(task, "shell")
    file, directory = _get(task, "envfile") or _get(task, "env_file"), _get(task, "cwd") or _get(task, "working_dir")
    started = script or command or (None if several or isinstance(task.held, dict) else task)
    found = _shell(script, faults) if script else _plain(started) if started else ()
    if started and found:
        references = files + ((Reference(_text(file), file.line),) if file and _text(file) else ())
        yield Unit(name, started.line, command=found, environment=_environment(_get(task, "env")), env_files=references, directory=_text(directory))


def _tables(value: Value) -> list[Value]:
    return [item for item in value.held if isinstance(item.held, dict)] if isinstance(value.held, list) else []


def _poe(root: Value, faults: Faults) -> Iterator[Unit]:
    file = _get(root, "tool", "poe", "envfile")
    files = (Reference(_text(file), file.line),) if file and _text(file) else ()
    for name, task in _pairs(_get(root, "tool", "poe", "tasks")):
        if _tables(task) or not isinstance(task.held, list):  # a list of names is of other tasks
            yield from _task(name, task, faults, files)


def _scripts(root: Value, faults: Faults) -> Iterator[Unit]:
    for runner in ("pdm", "rye"):
        for name, task in _pairs(_get(root, "tool", runner, "scripts")):
            yield from _task(name, task, faults, ())


def _hatch(root: Value, faults: Faults) -> Iterator[Unit]:
    for _, table in _pairs(_get(root, "tool", "hatch", "envs")):
        environment = _environment(_get(table, "env-vars"))
        for name, script in _pairs(_get(table, "scripts")):
            lines = script.held if isinstance(script.held, list) else [script]
            found: list[Step] = []
            for line in lines:
                taken, unread = steps(substituted(_text(line), line.line, _FIELD, _field))
                found += taken
                faults += unread
            if found:
                yield Unit(name, lines[0].line, command=tuple(found), environment=environment)


def _field(found: re.Match[str], line: int) -> Piece:
    if not found[1]:
        return Opaque(found[0], line)
    return Variable(found[1], line, "-", (Text(found[2], line),)) if found[2] is not None else Variable(found[1], line)


def _taskipy(root: Value, faults: Faults) -> Iterator[Unit]:
    for name, task in _pairs(_get(root, "tool", "taskipy", "tasks")):
        command = _get(task, "cmd") or task
        if _text(command):
            yield Unit(name, command.line, command=_shell(command, faults))


def _fly(root: Value, faults: Faults) -> Iterator[Unit]:
    image, file = _get(root, "build", "image"), _get(root, "build", "dockerfile")
    for name, command in _pairs(_get(root, "processes")):
        if _text(command):
            build = None if image else Reference(".", command.line)
            yield Unit(name, command.line, command=_plain(command, variables=False), build=build, dockerfile=_text(file), image=_text(image))
