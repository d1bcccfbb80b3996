"""Manifests of platforms (Cloud Foundry, Render, app_desc.yaml) and of whatever else has a worker's command under a telling key.

Decides where a command stands, what it is called, and which variables stand round it. What the platform puts into the environment by itself,
and what `((name))` or a group of variables holds, is left open.
"""

from __future__ import annotations

from flake8_deadline.launches import Assignment, Launches, Opaque, Step, Unit, Word
from flake8_deadline.reading import shell
from flake8_deadline.reading.launchers.marked import (
    DEPTH,
    Listing,
    Mapping,
    Marked,
    Node,
    Scalar,
    assignments,
    documents,
    entries,
    exec_form,
    is_null,
    items,
    letters_of,
    pairs,
    text,
    word,
)

COMMANDS = ("command", "startCommand", "start_command", "dockerCommand", "procCommand", "cmd", "run")
KNOWN = frozenset(("applications", "processes", "services", "modules"))
"""Where these are above, a command counts whatever it says: it may name a script."""
ENVIRONMENTS = ("env", "envVars", "env_variables", "environment")
NAMES = ("name", "type")


def read(text: bytes) -> Launches:
    file = documents(text)
    units: list[Unit] = []
    for root in file.roots:
        _walk(file, units, root, Unit("", root.line), False, set())
    return Launches("manifest", tuple(units), faults=tuple(file.faults))


def _walk(file: Marked, units: list[Unit], node: Node, around: Unit, known: bool, above: set[int]) -> None:
    """`around`: the name that stands nearest, its line, and the environment so far."""
    if isinstance(node, Scalar) or id(node) in above or len(above) > DEPTH:
        return
    above.add(id(node))
    for item in items(node):
        _walk(file, units, item, Unit(around.name, item.line, environment=around.environment), known, above)
    if isinstance(node, Mapping):
        said = entries(node)
        name = next((said[key] for key in NAMES if text(said.get(key))), None)
        environment = around.environment + tuple(entry for key in ENVIRONMENTS for entry in _environment(said.get(key)))
        here = Unit(text(name) or around.name, around.line if name is None else name.line, environment=environment)
        units += [unit for key in COMMANDS if (unit := _unit(file, said, key, here, known)) is not None]
        for key, value in pairs(node):
            if text(key) not in ENVIRONMENTS:
                _walk(file, units, value, Unit(text(key), key.line, environment=environment), known or text(key) in KNOWN, above)
    above.discard(id(node))


def _unit(file: Marked, said: dict[str, Node], key: str, here: Unit, known: bool) -> Unit | None:
    node = said.get(key)
    if node is None or isinstance(node, Mapping) or is_null(node):
        return None
    words = items(node) if isinstance(node, Listing) else [node]
    if not known and not any("celery" in text(part) for part in words):
        return None
    steps: tuple[Step, ...] = exec_form(node)
    if isinstance(node, Scalar):
        steps, faults = shell.steps(letters_of(node))
        for line, reason in faults:
            file.fault(line, reason)
    arguments = exec_form(said["args"]) if isinstance(said.get("args"), Listing) else ()
    entrypoint, command = (steps, arguments) if arguments else (None, steps)
    return Unit(here.name, here.line, entrypoint, command, here.environment)


def _environment(node: Node | None) -> tuple[Assignment, ...]:
    """A mapping of scalars, or a list of `{key or name, value}`; a value that is not said here is the platform's."""
    listed = []
    for item in items(node):
        said = entries(item)
        name = said.get("key", said.get("name"))
        value = said.get("value")
        if name is not None and text(name):
            known = word(value) if isinstance(value, Scalar) else Word(name.line, (Opaque("set by the platform", name.line),))
            listed.append(Assignment(text(name), known, name.line))
    return assignments(node) + tuple(listed)
