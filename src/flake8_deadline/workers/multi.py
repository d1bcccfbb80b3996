"""What `celery multi start` makes of its arguments: one worker per node, each with arguments of its own.

It is read as `celery/apps/multi.py` reads it, odd rules and all: a long option takes its value after `=` only, and a word that stands alone is
a node. The host is not known, so a node without one is called by its short name. `--cmd` and the default pid and log files are left out.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import NamedTuple

from flake8_deadline.expansion import Argument
from flake8_deadline.workers.arguments import BEFORE, WorkerCommand, subcommand, worker_command

STARTS = frozenset({"start", "restart", "show"})
MOST = 100
"""More nodes than this are not told apart."""

_OF_MULTI = ("--nosplash", "--quiet", "-q", "--verbose", "--no-color")
_NAMING = ("--cmd", "--append", "--hostname", "-n", "--prefix", "--suffix", "--range-prefix")
_IN_FRONT = frozenset(BEFORE) - {"--skip-checks", "--version", "--help"}
_LIMITS = frozenset({"--soft-time-limit", "--time-limit"})


class Node(NamedTuple):
    name: str
    command: WorkerCommand
    arguments: tuple[Argument, ...]
    """What its `celery` is started with."""
    spaced: tuple[tuple[str, Argument], ...] = ()
    """Limits given with a space (option, and the value that became a node)."""
    unknown: str = ""
    """Why its name cannot be read; it then stands for any number of nodes."""


class _Value(NamedTuple):
    flag: Argument
    value: Argument | None
    spaced: Argument | None = None


_Options = dict[str, _Value]


class _Parsed:
    def __init__(self) -> None:
        self.options: _Options = {}
        self.namespaces: dict[str, _Options] = {}
        self.names: list[Argument] = []
        self.unread: list[Argument] = []
        self.passed: list[Argument] = []
        self.faults: list[tuple[int, str]] = []
        self.nameless: Argument | None = None


def nodes(rest: Sequence[Argument]) -> tuple[Node, ...]:
    """The workers that `celery multi start …` starts; none for any other command."""
    found = subcommand(rest)
    if found is None or found.name.text != "multi":
        return ()
    arguments = _without_own([*found.after, *found.before])
    if not arguments or arguments[0].text not in STARTS:
        return ()
    parsed = _parse([argument for argument in arguments[1:] if argument.text or argument.unknown])
    naming = {name: parsed.options.pop(name, None) for name in _NAMING}
    prefix, names = _names(parsed, naming)
    if parsed.nameless:
        names = [*names, parsed.nameless]
    made = (_node(parsed, naming, prefix, name) for name in names)
    return tuple(node for node in made if node)


def _without_own(arguments: list[Argument]) -> list[Argument]:
    """Without the options that are `multi`'s own: the first of each."""
    texts = [argument.text for argument in arguments]
    own = {texts.index(text) for text in _OF_MULTI if text in texts}
    return [argument for index, argument in enumerate(arguments) if index not in own]


def _parse(arguments: Sequence[Argument]) -> _Parsed:
    parsed = _Parsed()
    index = 0
    while index < len(arguments):
        argument = arguments[index]
        following = arguments[index + 1] if index + 1 < len(arguments) else None
        value = following if following and (following.unknown or not following.text.startswith("-")) else None
        if argument.text == "--" and not argument.unknown:
            parsed.passed = list(arguments[index:])
            break
        if argument.unknown and not re.match(r"--[\w-]+(:[\w,@.-]+)?=", argument.text):
            _unreadable(parsed, argument)
        elif argument.text.startswith("--"):
            _long(parsed, argument, value)
        elif argument.text.startswith("-"):
            _add(parsed, argument.text, _Value(argument, value))
            index += value is not None
        else:
            parsed.names.append(argument)
        index += 1
    return parsed


def _unreadable(parsed: _Parsed, argument: Argument) -> None:
    """Before any name it stands for names, behind one for options."""
    if parsed.names or parsed.nameless:
        parsed.unread.append(argument)
    else:
        parsed.nameless = argument


def _long(parsed: _Parsed, argument: Argument, following: Argument | None) -> None:
    name, equals, text = argument.text.partition("=")
    if equals:
        _add(parsed, name, _Value(argument, argument._replace(text=text)))
    else:
        _add(parsed, name, _Value(argument, None, following if name.partition(":")[0] in _LIMITS else None))


def _add(parsed: _Parsed, name: str, value: _Value) -> None:
    if name == "-" or name.count(":") > 1:
        parsed.faults.append((value.flag.line, f"`{name}` is no option of `celery multi`"))
        return
    name, colon, namespace = name.partition(":")
    options = parsed.namespaces.setdefault(namespace, {}) if colon else parsed.options
    options[name] = value


def _names(parsed: _Parsed, naming: dict[str, _Value | None]) -> tuple[str, list[Argument]]:
    """The nodes' names and what is put before them; a single number counts them."""
    count = _number(parsed.names[0].text) if len(parsed.names) == 1 and not parsed.nameless else None
    if count is None:
        _split_lists(parsed, 0)
        _by_position(parsed, [name.text for name in parsed.names])
        if len(parsed.names) > MOST:
            return "", [parsed.names[0]._replace(text="", unknown=f"{len(parsed.names)} nodes")]
        return _text(naming, "--prefix"), parsed.names
    prefix = _text(naming, "--range-prefix") or "celery"
    if count > MOST:
        return prefix, [parsed.names[0]._replace(unknown=f"{count} nodes")]
    names = [parsed.names[0]._replace(text=str(number)) for number in range(1, count + 1)]
    _by_position(parsed, [name.text for name in names])
    _split_lists(parsed, count)
    return prefix, names


def _number(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None


def _by_position(parsed: _Parsed, names: Sequence[str]) -> None:
    """`-c:2` is for the second node."""
    for namespace, options in list(parsed.namespaces.items()):
        if not namespace.isdigit():
            continue
        position = _number(namespace)
        if position and position <= len(names):
            target = parsed.namespaces.setdefault(names[position - 1], {})
            target.update(dict(options))
        elif not parsed.nameless:
            line = next(iter(options.values())).flag.line
            parsed.faults.append((line, f"`celery multi` has no node at position {namespace}"))


def _split_lists(parsed: _Parsed, count: int) -> None:
    """`-c:1,3`, and `-c:1-3` where nodes are counted."""
    for namespace, options in list(parsed.namespaces.items()):
        if "," not in namespace and not (count and "-" in namespace):
            continue
        del parsed.namespaces[namespace]
        for part in namespace.split(","):
            names = _range(part, count) if count and "-" in part else [part]
            if names is None:
                parsed.faults.append((next(iter(options.values())).flag.line, f"`{namespace}` is no range of nodes"))
            for name in names or ():
                parsed.namespaces.setdefault(name, {}).update(options)


def _range(text: str, count: int) -> list[str] | None:
    ends = [_number(end) for end in text.split("-")]
    if len(ends) != 2 or ends[0] is None or ends[1] is None:
        return None
    return [str(number) for number in range(max(ends[0], 1), min(ends[1], count) + 1)]


def _text(naming: dict[str, _Value | None], *names: str) -> str:
    """The value of the first of these options that is given."""
    for name in names:
        given = naming[name]
        if given and given.value:
            return given.value.text
    return ""


def _node(parsed: _Parsed, naming: dict[str, _Value | None], prefix: str, name: Argument) -> Node | None:
    if name.unknown:
        short = full = ""
        key = ""
    else:
        short = name.text.partition("@")[0] if "@" in name.text else f"{prefix}{name.text}"
        suffix = _text(naming, "--suffix") or _text(naming, "--hostname", "-n") or "%h"
        full = name.text if "@" in name.text else short if suffix in {'""', "''"} else f"{short}@{suffix}"
        key = short if "@" in name.text else name.text
        key = full if full in parsed.namespaces and "%" not in full else key
    options = {**parsed.options, **(parsed.namespaces.get(key, {}) if key else {})}
    spaced = tuple((option, value.spaced) for option, value in options.items() if value.spaced)
    arguments, faults = _line(parsed, naming, options, short, name._replace(text=full))
    command = worker_command(arguments)
    if command is None:
        return None
    command = command._replace(faults=(*parsed.faults, *faults, *command.faults))
    shown = name.text if "@" in name.text and not name.unknown else short
    return Node(shown, command, arguments, spaced, name.unknown)


def _line(
    parsed: _Parsed, naming: dict[str, _Value | None], options: _Options, short: str, full: Argument
) -> tuple[tuple[Argument, ...], list[tuple[int, str]]]:
    """The arguments of one node: joined by `multi` into a text, which is then split as a shell would."""
    faults: list[tuple[int, str]] = []
    front = [part for name, value in reversed(options.items()) if name in _IN_FRONT for part in _written(name, value)]
    behind = [part for name, value in options.items() if name not in _IN_FRONT and name != "-n" for part in _written(name, value)]
    named = [full._replace(text="-n", unknown=""), full]
    append = naming["--append"]
    last = [append.value] if append and append.value else []
    worker = full._replace(text="worker", unknown="")
    parts = [*front, worker, *behind, *parsed.unread, *named, *parsed.passed, *last]
    arguments: list[Argument] = []
    for part in parts:
        arguments.extend(_resplit(part, short, faults))
    return tuple(arguments), faults


def _written(name: str, given: _Value) -> list[Argument]:
    value = given.value
    if value is None or not (value.text or value.unknown):
        return [given.flag._replace(text=name, unknown="")]
    if name.startswith("--"):
        return [value._replace(text=f"{name}={value.text}")]
    return [given.flag._replace(text=name, unknown=""), value]


def _resplit(argument: Argument, short: str, faults: list[tuple[int, str]]) -> list[Argument]:
    if argument.unknown or re.fullmatch(r"[\w=.,:/@+-]+", argument.text):
        return [argument]
    text = re.sub(r"%[nN%]", lambda match: "%" if match[0] == "%%" else short, argument.text) if short else argument.text
    try:
        return [argument._replace(text=word) for word in shlex.split(text)]
    except ValueError:
        faults.append((argument.line, f"`{argument.text}` has a quote without its end"))
        return []
