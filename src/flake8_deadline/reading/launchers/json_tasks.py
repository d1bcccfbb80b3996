"""JSON files that start programs: package.json's scripts, VS Code's launch and task files, ECS task definitions.

Comments and trailing commas are read over, as VS Code does; each value keeps its line. A file of another shape says nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple, Union

from flake8_deadline.launches import Assignment, Command, Launches, Opaque, Piece, Reference, Step, Text, Unit, Variable, Word
from flake8_deadline.reading.launchers.kinds import decoded
from flake8_deadline.reading.launchers.supervisor import substituted
from flake8_deadline.reading.shell import Letter, argv, pieces, steps

_TOKEN = re.compile(
    r'(?P<gap>\s+|//[^\n]*|/\*.*?\*/)|(?P<string>"(?:[^"\\\n]|\\[^\n])*")|(?P<hole>\$\{[^{}\n]*\}|\{\{[^{}\n]*\}\})'
    r'|(?P<mark>[\[\]{},:])|(?P<other>[^\s\[\]{},:"/$]+|\$)',
    re.DOTALL,
)
_HELD = re.compile(r"\$\{(env:)?([^{}\n]*)\}")
_DEEPEST = 60


class Value(NamedTuple):
    line: int
    held: Union[str, list[Value], dict[str, Value], None] = None
    """None: a number, a word, a hole."""


class _UnreadError(Exception):
    """What cannot be read: the line, the reason."""


class _Tokens(NamedTuple):
    tokens: list[tuple[str, int]]

    def take(self) -> tuple[str, int]:
        if len(self.tokens) == 1:
            raise _UnreadError(self.tokens[0][1], "the end comes too early")
        return self.tokens.pop()


def read(text: bytes) -> Launches:
    return decoded("json", text, _read)


def _read(text: str) -> Launches:
    try:
        root = _value(_Tokens(_tokens(text)), 0)
    except _UnreadError as unread:
        return Launches("json", faults=((unread.args[0], unread.args[1]),))
    faults: list[tuple[int, str]] = []
    units = [unit for shape in (_scripts, _launches, _tasks, _containers) for unit in shape(root, faults)]
    return Launches("json", tuple(units), faults=tuple(faults))


def _tokens(text: str) -> list[tuple[str, int]]:
    """From the last to the first, below them a mark for the end."""
    result: list[tuple[str, int]] = []
    at, line = 0, 1
    while at < len(text):
        found = _TOKEN.match(text, at)
        if not found:
            raise _UnreadError(line, "no JSON")
        if not found["gap"]:
            result.append((found[0], line))
        line += found[0].count("\n")
        at = found.end()
    return [("", line), *reversed(result)]


def _value(tokens: _Tokens, depth: int) -> Value:
    text, line = tokens.take()
    if depth > _DEEPEST:
        raise _UnreadError(line, "nested too deeply")
    if text == "[":
        return Value(line, [item for _, item in _items(tokens, "]", depth)])
    if text == "{":
        return Value(line, dict(_items(tokens, "}", depth)))
    if text in ("]", "}", ",", ":"):
        raise _UnreadError(line, f"an unexpected {text}")
    return Value(line, _string(text) if text[0] == '"' else None)


def _items(tokens: _Tokens, end: str, depth: int) -> Iterator[tuple[str, Value]]:
    while tokens.tokens[-1][0] != end:
        if tokens.tokens[-1][0] == ",":
            tokens.take()
            continue
        key = ""
        if end == "}":
            token, line = tokens.take()
            key = _string(token)
            if tokens.take()[0] != ":":
                raise _UnreadError(line, "a key without a value")
        yield key, _value(tokens, depth + 1)
    tokens.take()


def _string(token: str) -> str:
    try:
        return str(json.loads(token, strict=False))
    except ValueError:
        return token.strip('"')


def _get(value: Value | None, *keys: str) -> Value | None:
    for key in keys:
        value = value.held.get(key) if value and isinstance(value.held, dict) else None
    return value


def _list(value: Value | None) -> list[Value]:
    return value.held if value and isinstance(value.held, list) else []


def _pairs(value: Value | None) -> list[tuple[str, Value]]:
    return list(value.held.items()) if value and isinstance(value.held, dict) else []


def _text(value: Value | None) -> str:
    """A string, also where VS Code says how to quote it."""
    found = _get(value, "value") or value
    return found.held if found and isinstance(found.held, str) else ""


def _letters(value: Value) -> list[Letter]:
    return [(letter, value.line) for letter in _text(value)]


def _filled(value: Value) -> list[Letter]:
    return substituted(_text(value).replace("\n", " "), value.line, _HELD, _piece)


def _piece(found: re.Match[str], line: int) -> Piece:
    return Variable(found[2], line) if found[1] else Opaque(found[0], line)


def _literal(value: Value) -> Word:
    found = pieces(_filled(value), variables=False)
    return Word(value.line, tuple(Text(piece.text, piece.line, quoted=True) if isinstance(piece, Text) else piece for piece in found))


def _entries(pairs: list[tuple[str, Value]]) -> tuple[Assignment, ...]:
    return tuple(Assignment(name, Word(value.line, pieces(_filled(value), variables=False)), value.line) for name, value in pairs)


def _scripts(root: Value, faults: list[tuple[int, str]]) -> Iterator[Unit]:
    for name, script in _pairs(_get(root, "scripts")):
        command, unread = steps(_letters(script))
        faults += unread
        yield Unit(name, script.line, command=command)


def _launches(root: Value, faults: list[tuple[int, str]]) -> Iterator[Unit]:
    for one in _list(_get(root, "configurations")):
        module, program = _get(one, "module"), _get(one, "program")
        started = module or program
        if not started:
            continue
        words = [_literal(started)]
        if module or _text(program).endswith(".py"):
            before = ("python", "-m") if module else ("python",)
            words = [*(Word(started.line, (Text(word, started.line, quoted=True),)) for word in before), *words]
        arguments = _get(one, "args")
        words += argv(_filled(arguments), variables=False) if arguments and _text(arguments) else map(_literal, _list(arguments))
        file = _get(one, "envFile")
        yield Unit(
            _text(_get(one, "name")),
            started.line,
            command=(Command(started.line, tuple(words)),),
            environment=_entries(_pairs(_get(one, "env"))),
            env_files=(Reference(_text(file), file.line),) if file else (),
            directory=_text(_get(one, "cwd")),
        )


def _tasks(root: Value, faults: list[tuple[int, str]]) -> Iterator[Unit]:
    for one in _list(_get(root, "tasks")):
        command = _get(one, "command")
        if not command:
            continue
        found: tuple[Step, ...]
        if _text(_get(one, "type")) == "shell":
            found, unread = steps(_line(command, _list(_get(one, "args"))))
            faults += unread
        else:
            words = (*argv(_filled(command), variables=False), *map(_literal, _list(_get(one, "args"))))
            found = (Command(command.line, words),)
        yield Unit(
            _text(_get(one, "label") or _get(one, "taskName")),
            command.line,
            command=found,
            environment=_entries(_pairs(_get(one, "options", "env"))),
            directory=_text(_get(one, "options", "cwd")),
        )


def _line(command: Value, arguments: list[Value]) -> list[Letter]:
    """The text that VS Code gives to the shell: it quotes an argument that has blanks."""
    result = _filled(command)
    for argument in arguments:
        quote: list[Letter] = [("'", argument.line)] if " " in _text(argument) else []
        result += [(" ", argument.line), *quote, *_filled(argument), *quote]
    return result


def _containers(root: Value, faults: list[tuple[int, str]]) -> Iterator[Unit]:
    found = _get(root, "containerDefinitions") or _get(root, "taskDefinition", "containerDefinitions") or root
    for one in _list(found):
        name, said = _get(one, "name"), _pairs(one)
        if not name or not said:
            continue
        environment = [(_text(_get(item, "name")), _get(item, "value")) for item in _list(_get(one, "environment"))]
        secret = [(_text(_get(item, "name")), item.line) for item in _list(_get(one, "secrets"))]
        yield Unit(
            _text(name),
            name.line,
            _words(_get(one, "entryPoint")),
            _words(_get(one, "command")),
            _entries([(key, value) for key, value in environment if value])
            + tuple(Assignment(key, Word(line, (Opaque("secret", line),)), line) for key, line in secret),
            image=_text(_get(one, "image")),
            directory=_text(_get(one, "workingDirectory")),
        )


def _words(value: Value | None) -> tuple[Step, ...] | None:
    words = tuple(map(_literal, _list(value)))
    return (Command(words[0].line, words),) if words else None
