"""Compose files: services, what they run and what stands in their environment.

Decides what compose itself replaces (`${NAME:-operand}`, and `$$` for a `$`) and what a service takes over from one that it extends. Who gives
those variables a value, what an image runs by itself, and what another file says is left to those who know the surroundings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import structs

from flake8_deadline.launches import Assignment, Command, Launches, Opaque, Reference, Step, Unit, Variable, Word
from flake8_deadline.reading.launchers.marked import (
    Listing,
    Mapping,
    Marked,
    Node,
    Scalar,
    documents,
    entries,
    exec_form,
    is_null,
    items,
    joined,
    letters_of,
    pairs,
    text,
    word,
)
from flake8_deadline.reading.shell import Letter, argv

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OPERATOR = re.compile(r":?[-+?]")
DEPTH = 20
EXTENDED = 10

Services = dict[str, tuple[Scalar, Node]]


def read(text: bytes) -> Launches:
    file = documents(text)
    units = [
        unit for root in file.roots for services in (_services(root),) for name in services if (unit := _service(file, services, name)) is not None
    ]
    return Launches("compose", tuple(units), faults=tuple(file.faults))


def _services(root: Node) -> Services:
    """Those under `services`; where there is no such key, as in the first version of the format, what has an image or is built."""
    listed = entries(root)
    if "services" in listed:
        return {text(key): (key, node) for key, node in pairs(listed["services"])}
    return {text(key): (key, node) for key, node in pairs(root) if {"image", "build"} & entries(node).keys()}


def _service(file: Marked, services: Services, name: str, above: int = 0) -> Unit | None:
    key, node = services[name]
    if not isinstance(node, Mapping):
        return None
    said = entries(node)
    unit = Unit(
        name,
        key.line,
        _steps(said.get("entrypoint")),
        _steps(said.get("command")),
        _environment(said.get("environment")),
        _env_files(said.get("env_file")),
        _build(said.get("build")),
        text(entries(said.get("build")).get("dockerfile")),
        text(said.get("image")),
        text(said.get("working_dir")),
    )
    extends = said.get("extends")
    target = text(extends) or text(entries(extends).get("service"))
    if not target:
        return unit
    if "file" in entries(extends) or target not in services or above >= EXTENDED:
        file.fault(key.line, f"{name[:60]!r} extends what is not in this file, or too many")
        return unit
    base = _service(file, services, target, above + 1)
    return _extended(unit, base) if base is not None else unit


def _extended(unit: Unit, base: Unit) -> Unit:
    return structs.replace(
        unit,
        entrypoint=base.entrypoint if unit.entrypoint is None else unit.entrypoint,
        command=base.command if unit.command is None else unit.command,
        environment=base.environment + unit.environment,
        env_files=base.env_files + unit.env_files,
        build=unit.build or base.build,
        dockerfile=unit.dockerfile or base.dockerfile,
        image=unit.image or base.image,
        directory=unit.directory or base.directory,
    )


def _steps(node: Node | None) -> tuple[Step, ...] | None:
    """No shell reads it: a string is split into words, a list is the words."""
    if isinstance(node, Listing):
        return exec_form(node, interpolated)
    if is_null(node):
        return None
    words = argv(interpolated(letters_of(node)), variables=False)
    return (Command(words[0].line, words),) if words else ()


def _environment(node: Node | None) -> tuple[Assignment, ...]:
    return tuple(
        [_assignment(text(key), key, value) for key, value in pairs(node)] + [_entry(item) for item in items(node) if isinstance(item, Scalar)]
    )


def _assignment(name: str, key: Scalar, value: Node) -> Assignment:
    return Assignment(name, _from_outside(name, key.line) if is_null(value) else word(value, interpolated), key.line)


def _from_outside(name: str, line: int) -> Word:
    return Word(line, (Variable(name, line, by="compose"),))


def _entry(item: Scalar) -> Assignment:
    """`NAME=value` in a list; `NAME` alone takes its value from where compose runs."""
    letters = letters_of(item)
    name, equals, _ = text(item).partition("=")
    place = next((index for index, (letter, _) in enumerate(letters) if letter == "="), len(letters))
    if not equals:
        return Assignment(name, _from_outside(name, item.line), item.line)
    value = interpolated(letters[place + 1 :])
    return Assignment(name, Word(value[0][1] if value else item.line, joined(value)), item.line)


def _env_files(node: Node | None) -> tuple[Reference, ...]:
    named = [*items(node)] if isinstance(node, Listing) else [node]
    both = [(text(item) or text(entries(item).get("path")), item) for item in named]
    return tuple(Reference(path, item.line) for path, item in both if path and item is not None)


def _build(node: Node | None) -> Reference | None:
    if is_null(node) or node is None:
        return None
    said = entries(node)
    return Reference(text(node) or text(said.get("context")) or ".", node.line, text(said.get("target")))


def interpolated(letters: Sequence[Letter]) -> list[Letter]:
    """Letters with what compose replaces as Pieces."""
    return _replaced(letters, 0, len(letters), _closings(letters), 0)


def _closings(letters: Sequence[Letter]) -> dict[int, int]:
    """For each `${` the place of its `}`."""
    found: dict[int, int] = {}
    opened: list[int] = []
    place = 0
    while place < len(letters):
        two = _at(letters, place) + _at(letters, place + 1)
        if two == "${":
            opened.append(place)
        elif two[:1] == "}" and opened:
            found[opened.pop()] = place
        place += 2 if two in ("${", "$$") else 1
    return found


def _at(letters: Sequence[Letter], place: int) -> str:
    letter = letters[place][0] if place < len(letters) else ""
    return letter if isinstance(letter, str) else "\0"


def _replaced(letters: Sequence[Letter], place: int, stop: int, closings: dict[int, int], depth: int) -> list[Letter]:
    out: list[Letter] = []
    while place < stop:
        line = letters[place][1]
        two = _at(letters, place) + (_at(letters, place + 1) if place + 1 < stop else "")
        if two == "${" and place in closings:
            out.append((_braced(letters, place, closings, depth), line))
            place = closings[place] + 1
        elif two == "$$":
            out.append(("$", line))
            place += 2
        elif two[:1] == "$" and (name := _name(letters, place + 1, stop)):
            out.append((Variable(name, line, by="compose"), line))
            place += len(name) + 1
        else:
            out.append(letters[place])
            place += 1
    return out


def _braced(letters: Sequence[Letter], place: int, closings: dict[int, int], depth: int) -> Variable | Opaque:
    end, line = closings[place], letters[place][1]
    name = _name(letters, place + 2, end)
    after = place + 2 + len(name)
    operator = OPERATOR.match("".join(_at(letters, index) for index in range(after, min(after + 2, end))))
    if not name or (not operator and after < end) or depth >= DEPTH:
        return Opaque("".join(_at(letters, index) for index in range(place, end + 1)), line)
    if not operator:
        return Variable(name, line, by="compose")
    operand = _replaced(letters, after + len(operator[0]), end, closings, depth + 1)
    return Variable(name, line, operator[0], joined(operand), by="compose")


def _name(letters: Sequence[Letter], place: int, stop: int) -> str:
    end = place
    while end < stop and NAME.fullmatch("_" + _at(letters, end)):
        end += 1
    found = NAME.match("".join(_at(letters, index) for index in range(place, end)))
    return found[0] if found else ""
