"""Kubernetes manifests, charts' templates among them: containers, what they run and what stands in their environment; and a chart's values.

Decides what a container takes from the ConfigMaps of its own file and where `$(NAME)` stands. What an image runs by itself, what other files
and secrets hold, and what a chart's values make of a template is left to those who know the surroundings.
"""

from __future__ import annotations

from collections.abc import Sequence

from flake8_deadline.launches import Assignment, Launches, Opaque, Piece, Step, Unit, Variable, Word
from flake8_deadline.reading.launchers.marked import (
    DEPTH,
    Listing,
    Mapping,
    Node,
    Scalar,
    documents,
    entries,
    exec_form,
    items,
    pairs,
    text,
    word,
)
from flake8_deadline.reading.shell import Letter

NAME = 300
Maps = dict[str, dict[str, tuple[Scalar, Node]]]
"""By the name of a ConfigMap: its keys and values."""


def read(text: bytes) -> Launches:
    file = documents(text)
    maps: Maps = {}
    containers: list[Node] = []
    for root in file.roots:
        _gather(root, maps, containers, False, 0)
    return Launches("kubernetes", tuple(_unit(container, maps) for container in containers), faults=tuple(file.faults))


def values(text: bytes) -> Launches:
    """A chart's values.yaml: each scalar by its dotted name."""
    file = documents(text)
    variables: list[Assignment] = []
    for root in file.roots:
        _name_all(root, "", variables, 0)
    return Launches("values", variables=tuple(variables), faults=tuple(file.faults))


def _name_all(node: Node, above: str, variables: list[Assignment], depth: int) -> None:
    for key, value in pairs(node):
        name = above + text(key)
        if len(name) > NAME or depth >= DEPTH:
            continue
        if isinstance(value, Scalar):
            variables.append(Assignment(name, word(value), key.line))
        else:
            _name_all(value, f"{name}.", variables, depth + 1)


def _gather(node: Node, maps: Maps, containers: list[Node], within: bool, depth: int) -> None:
    if depth > DEPTH:
        return
    said = entries(node)
    if text(said.get("kind")) == "ConfigMap":
        maps.setdefault(text(entries(said.get("metadata")).get("name")), _data(said.get("data")))
        return
    for name, value in said.items():
        if name == "containers" and within:
            containers += [item for item in items(value) if isinstance(item, Mapping)]
        elif name != "initContainers":
            _gather(value, maps, containers, within or name == "spec", depth + 1)
    for item in items(node):
        _gather(item, maps, containers, within, depth + 1)


def _data(node: Node | None) -> dict[str, tuple[Scalar, Node]]:
    return {text(key): (key, value) for key, value in pairs(node) if isinstance(value, Scalar)}


def _unit(container: Node, maps: Maps) -> Unit:
    said = entries(container)
    name = said.get("name")
    return Unit(
        text(name),
        name.line if name is not None else container.line,
        _steps(said.get("command")),
        _steps(said.get("args")),
        tuple(_from_maps(said.get("envFrom"), maps) + [entry for item in items(said.get("env")) for entry in _entries(item, maps)]),
        image=text(said.get("image")),
        directory=text(said.get("workingDir")),
    )


def _steps(node: Node | None) -> tuple[Step, ...] | None:
    return exec_form(node, referring) if isinstance(node, Listing) else None


def _from_maps(node: Node | None, maps: Maps) -> list[Assignment]:
    found = []
    for item in items(node):
        said = entries(item)
        prefix = text(said.get("prefix"))
        held = maps.get(text(entries(said.get("configMapRef")).get("name")), {})
        found += [Assignment(prefix + name, word(value), key.line) for name, (key, value) in held.items()]
    return found


def _entries(item: Node, maps: Maps) -> list[Assignment]:
    """An entry of `env`; none where it has no name, as where a template puts something in."""
    said = entries(item)
    name = text(said.get("name"))
    if not name:
        return []
    if "valueFrom" in said:
        return [Assignment(name, _elsewhere(said["valueFrom"], maps), said["name"].line)]
    value = said.get("value")
    return [Assignment(name, Word(item.line) if value is None else word(value, referring), said["name"].line)]


def _elsewhere(node: Node, maps: Maps) -> Word:
    for source, where in entries(node).items():
        said = entries(where)
        name, key = text(said.get("name")), text(said.get("key"))
        if source == "configMapKeyRef" and key in maps.get(name, {}):
            return word(maps[name][key][1])
        return Word(node.line, (Opaque(" ".join(part for part in (source, name, key) if part), node.line),))
    return Word(node.line, (Opaque("valueFrom", node.line),))


def referring(letters: Sequence[Letter]) -> list[Letter]:
    """Letters with `$(NAME)` as Variables; `$$` is a `$`."""
    out: list[Letter] = []
    place = 0
    while place < len(letters):
        letter, line = letters[place]
        following = letters[place + 1][0] if letter == "$" and place + 1 < len(letters) else ""
        end = place + 2
        while following == "(" and end < len(letters) and _named(letters[end][0]):
            end += 1
        if following == "(" and end > place + 2 and end < len(letters) and letters[end][0] == ")":
            out.append((Variable("".join(str(part) for part, _ in letters[place + 2 : end]), line), line))
            place = end + 1
        else:
            out.append((letter, line))
            place += 2 if following == "$" else 1
    return out


def _named(letter: str | Piece) -> bool:
    return isinstance(letter, str) and (letter.isalnum() or letter in "_-.")
