"""What the arguments of `celery` say: read as Celery's own command line reads them.

Options and their order are those of Celery 5 (`celery/bin/celery.py`, `worker.py`), the reading is click's: no abbreviations, clusters of short
flags, the last of repeats counts, what is left over is configuration (`-- task.soft_time_limit=55`). Which limit wins is decided elsewhere;
`celery multi` is read by `multi`. An application may add options of its own (`user_options`), which nothing here knows.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from flake8_deadline.expansion import Argument

POOLS = {
    "prefork": "prefork",
    "processes": "prefork",
    "eventlet": "eventlet",
    "gevent": "gevent",
    "solo": "solo",
    "threads": "threads",
    "thread": "threads",
    "custom": "custom",
}
"""What a pool is called, by its names and those of its modules."""

FLAG, TEXT, FLOAT, INTEGER, COUNT, LEVEL, POOL, PROFILE, METHOD, SCALE = range(10)


class Option(NamedTuple):
    name: str
    takes: int = TEXT


def _table(flags: str, texts: str, others: tuple[tuple[str, int], ...] = ()) -> dict[str, Option]:
    """Options by every spelling; the spellings of one are joined by commas, its name first."""
    rows = [(names, FLAG) for names in flags.split()] + [(names, TEXT) for names in texts.split()] + list(others)
    return {spelling: Option(names.split(",")[0], takes) for names, takes in rows for spelling in names.split(",")}


BEFORE = _table(
    "--no-color,-C --quiet,-q --version --skip-checks --help",
    "--app,-A --broker,-b --result-backend --loader --config --workdir",
)
"""The options in front of the subcommand."""

WORKER = _table(
    "--detach,-D --disable-prefetch --task-events,-E,--events --purge,--discard --without-gossip --without-mingle --without-heartbeat --beat,-B "
    "--help",
    "--hostname,-n --statedb,-S --queues,-Q --exclude-queues,-X --include,-I --schedule-filename,-s,--schedule --scheduler "
    "--logfile,-f --pidfile --uid --gid --umask --executable",
    (
        ("--time-limit", FLOAT),
        ("--soft-time-limit", FLOAT),
        ("--prefetch-multiplier", INTEGER),
        ("--max-tasks-per-child", INTEGER),
        ("--max-memory-per-child", INTEGER),
        ("--heartbeat-interval", INTEGER),
        ("--concurrency,-c", COUNT),
        ("--loglevel,-l", LEVEL),
        ("--pool,-P", POOL),
        ("--optimization,-O", PROFILE),
        ("--pool-start-method", METHOD),
        ("--autoscale", SCALE),
    ),
)
"""The options of `celery worker`."""


def _variables(table: dict[str, Option], prefix: str) -> dict[str, str]:
    return {option.name: prefix + option.name[2:].replace("-", "_").upper() for option in table.values() if option.name != "--help"}


ENVIRONMENT = {**_variables(BEFORE, "CELERY_"), **_variables(WORKER, "CELERY_WORKER_")}
"""The variable that stands in for an option that is not given. An empty value counts as none."""

BARE_ENVIRONMENT = {"--app": "APP", "--broker": "BROKER_URL", "--result-backend": "RESULT_BACKEND", "--loader": "LOADER", "--config": "CONFIG_MODULE"}
"""Those that are asked before the ones of `ENVIRONMENT`."""


class WorkerCommand(NamedTuple):
    app: Argument | None
    queues: Argument | None
    exclude: Argument | None
    pool: Argument | None
    soft: Argument | None
    hard: Argument | None
    concurrency: Argument | None
    hostname: Argument | None
    workdir: Argument | None
    config: Argument | None
    tail: tuple[tuple[str, Argument], ...]
    """Settings given as arguments, by their names (`task_soft_time_limit`)."""
    faults: tuple[tuple[int, str], ...]
    """Why this worker cannot start: line and reason."""
    repeated: frozenset[str]
    """The options given more than once; the last counts."""
    unread: tuple[Argument, ...]
    """Arguments that may hold any option."""


class Subcommand(NamedTuple):
    name: Argument
    before: tuple[Argument, ...]
    after: tuple[Argument, ...]


class _Line:
    """A command line on its way through the parser."""

    def __init__(self, table: dict[str, Option], other: dict[str, Option], place: str) -> None:
        self.table = table
        self.other = other
        self.place = place
        self.given: list[tuple[Option, Argument]] = []
        self.words: list[Argument] = []
        self.unread: list[Argument] = []
        self.faults: list[tuple[int, str]] = []

    def option(self, spelling: str, line: int) -> Option | None:
        if option := self.table.get(spelling):
            return option
        if option := self.other.get(spelling):
            self.faults.append((line, f"`{spelling}` has to stand {self.place} the subcommand"))
        else:
            self.faults.append((line, f"`{spelling}` is no option that Celery has"))
        return option


def subcommand(rest: Sequence[Argument]) -> Subcommand | None:
    """The subcommand of `celery`, and what stands before and after it."""
    split = _before(rest)
    return split[1] if split else None


def worker_command(rest: Sequence[Argument]) -> WorkerCommand | None:
    """What `celery …` starts its worker with; None where it starts none, or several (`celery multi`)."""
    split = _before(rest)
    if split is None or split[1].name.text != "worker":
        return None
    before, found = split
    line = _Line(WORKER, BEFORE, "before")
    _parse(line, found.after, interspersed=True)
    given = before.given + line.given
    if any(option.name == "--help" for option, _ in given):
        return None
    values = {option.name: value for option, value in given}
    times = Counter(option.name for option, _ in given)
    tail, unusable = _settings(line.words)
    get = values.get
    return WorkerCommand(
        app=get("--app"),
        queues=get("--queues"),
        exclude=get("--exclude-queues"),
        pool=get("--pool"),
        soft=get("--soft-time-limit"),
        hard=get("--time-limit"),
        concurrency=get("--concurrency"),
        hostname=get("--hostname"),
        workdir=get("--workdir"),
        config=get("--config"),
        tail=tail,
        faults=(*before.faults, *line.faults, *_unfit(values), *unusable),
        repeated=frozenset(name for name, count in times.items() if count > 1),
        unread=(*before.unread, *line.unread),
    )


def seconds(argument: Argument) -> float | None:
    """The number that a limit's value is, as click reads it."""
    if argument.unknown or not _is(float, argument.text):
        return None
    value = float(argument.text)
    return value if math.isfinite(value) else None


def names(argument: Argument) -> tuple[str, ...]:
    """The queues of a list; Celery keeps the blanks around a comma."""
    return tuple(argument.text.split(","))


def pool_of(text: str) -> str:
    """The pool by its usual name: `processes` is prefork, `celery.concurrency.thread:TaskPool` is threads."""
    module = re.fullmatch(r"celery\.concurrency\.(\w+)[.:]TaskPool", text)
    return POOLS.get(module[1] if module else text, text)


def _before(rest: Sequence[Argument]) -> tuple[_Line, Subcommand] | None:
    line = _Line(BEFORE, WORKER, "after")
    end = _parse(line, rest, interspersed=False)
    if end == len(rest) or any(option.name in {"--help", "--version"} for option, _ in line.given):
        return None
    return line, Subcommand(rest[end], tuple(rest[:end]), tuple(rest[end + 1 :]))


def _parse(line: _Line, arguments: Sequence[Argument], interspersed: bool) -> int:
    """Put every argument where it belongs; the index of the first that is left."""
    index, options = 0, True
    while index < len(arguments):
        argument = arguments[index]
        if options and argument.text == "--" and not argument.unknown:
            options = False
        elif argument.unknown and not (options and _names_option(line, argument.text)):
            (line.words if interspersed and re.match(r"[\w.]+=", argument.text) else line.unread).append(argument)
        elif options and len(argument.text) > 1 and argument.text.startswith("-"):
            index = _take(line, arguments, index)
            continue
        elif interspersed:
            line.words.append(argument)
        else:
            return index
        index += 1
    return index


def _names_option(line: _Line, text: str) -> bool:
    """Whether a text that is not wholly known says at least which option it gives a value to."""
    spelling, equals = (text.partition("=")[:2]) if text.startswith("--") else (text[:2], "=")
    option = line.table.get(spelling)
    return option is not None and option.takes != FLAG and equals == "="


def _take(line: _Line, arguments: Sequence[Argument], index: int) -> int:
    """An argument that is an option, or several in one; the index of the next to read."""
    argument = arguments[index]
    if not argument.text.startswith("--"):
        return _take_short(line, arguments, index)
    spelling, equals, text = argument.text.partition("=")
    option = line.option(spelling, argument.line)
    if option is None:
        return index + 1 if equals else _beyond_value(arguments, index + 1)
    if option.takes == FLAG:
        if equals:
            line.faults.append((argument.line, f"`{spelling}` takes no value"))
        line.given.append((option, argument))
        return index + 1
    if equals:
        line.given.append((option, argument._replace(text=text)))
        return index + 1
    return _take_next(line, option, arguments, index)


def _take_short(line: _Line, arguments: Sequence[Argument], index: int) -> int:
    argument = arguments[index]
    for at, letter in enumerate(argument.text[1:], 2):
        option = line.option(f"-{letter}", argument.line)
        if option is None:
            return _beyond_value(arguments, index + 1)
        if option.takes == FLAG:
            line.given.append((option, argument))
        elif at < len(argument.text) or argument.unknown:
            line.given.append((option, argument._replace(text=argument.text[at:])))
            break
        else:
            return _take_next(line, option, arguments, index)
    return index + 1


def _take_next(line: _Line, option: Option, arguments: Sequence[Argument], index: int) -> int:
    if index + 1 == len(arguments):
        line.faults.append((arguments[index].line, f"`{option.name}` has no value"))
        return index + 1
    line.given.append((option, arguments[index + 1]))
    return index + 2


def _beyond_value(arguments: Sequence[Argument], index: int) -> int:
    """Past what looks like the value of an option that nobody knows: one fault says enough. A subcommand is no value."""
    plain = index < len(arguments) and not arguments[index].unknown and not arguments[index].text.startswith("-")
    return index + 1 if plain and arguments[index].text not in {"worker", "multi"} and "=" not in arguments[index].text else index


def _is(number: Callable[[str], object], text: str) -> bool:
    try:
        number(text)
    except (ValueError, OverflowError):
        return False
    return True


def _scale(text: str) -> bool:
    parts = text.split(",")
    return len(parts) < 3 and all(_is(int, part) for part in parts)


def _count(text: str) -> bool:
    """Before 5.7 an empty text or `auto` is no number either: what some version takes is no fault."""
    return text in {"", "auto"} or _is(int, text)


_FITS: dict[int, tuple[Callable[[str], bool], str]] = {
    FLOAT: (lambda text: _is(float, text), "number"),
    INTEGER: (lambda text: _is(int, text), "integer"),
    COUNT: (_count, "integer"),
    LEVEL: (lambda text: text.upper() in {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL", "FATAL"}, "log level"),
    POOL: (lambda text: text in POOLS and text != "thread", "pool that Celery has"),
    PROFILE: (lambda text: text in {"default", "fair"}, "profile that Celery has"),
    METHOD: (lambda text: text in {"fork", "spawn"}, "start method"),
    SCALE: (_scale, "pair of integers"),
}


def _unfit(values: dict[str, Argument]) -> list[tuple[int, str]]:
    """Values that Celery refuses; only the last of repeats is converted."""
    faults = []
    for name, value in values.items():
        option = WORKER.get(name)
        fits, noun = _FITS.get(option.takes, (None, "")) if option else (None, "")
        if fits and not value.unknown and not fits(value.text):
            faults.append((value.line, f'`{name}`: "{value.text}" is no {noun}'))
    return faults


def _settings(words: Sequence[Argument]) -> tuple[tuple[tuple[str, Argument], ...], list[tuple[int, str]]]:
    """The configuration among the arguments: `task.soft_time_limit=55`; `.x` is the worker's own."""
    tail, faults = [], []
    for word in words:
        key, equals, text = word.text.partition("=")
        key = key.lower().replace(".", "_")
        name = f"worker{key}" if key.startswith("_") else key
        text = re.sub(r"\A\(\w+\)", "", text)
        if not equals or "_" not in name:
            faults.append((word.line, f"`{word.text}` is neither an option nor a setting"))
        elif name in {"task_soft_time_limit", "task_time_limit"} and not (word.unknown or _is(float, text)):
            faults.append((word.line, f'`{name}`: "{text}" is no number'))
        else:
            tail.append((name, word._replace(text=text)))
    return tuple(tail), faults
