"""A Dockerfile: its stages, and what each starts, holds in its environment and copies.

The exec form's words are literal (`$` is a letter), the shell form is one text for the shell. What a base image says, and which stage is run, is
left to others; only a stage that starts from an earlier one of the same file names it. What RUN does, and what stands in heredocs, is left out.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from json import JSONDecoder
from operator import itemgetter
from typing import NamedTuple

from flake8_deadline.launches import Assignment, Command, Launches, Reference, Step, Text, Unit, Word
from flake8_deadline.reading.launchers.dotenv import entry
from flake8_deadline.reading.launchers.kinds import decoded
from flake8_deadline.reading.shell import Letter, argv

_ESCAPE = re.compile(r"(?:[ \t]*#[ \t]*\w+[ \t]*=.*\n)*?[ \t]*#[ \t]*escape[ \t]*=[ \t]*(`)", re.IGNORECASE)
_HEREDOC = re.compile(r"<<-?[\"']?([A-Za-z_]\w*)")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_TAKES_HEREDOC = re.compile(r"[ \t]*(?:RUN|COPY|ADD)\b", re.IGNORECASE)
_FROM = re.compile(r"(?:--\S+\s+)*(\S+)(?:\s+as\s+(\S+))?", re.IGNORECASE)
_FLAGS = re.compile(r"(?:--\S+\s+)*")
_WORD = re.compile(r"\S+")
_SAYING = frozenset("FROM ARG ENV ENTRYPOINT CMD COPY ADD WORKDIR SHELL".split())
_JSON = JSONDecoder()

Faults = list[tuple[int, str]]


class _Instruction(NamedTuple):
    keyword: str
    line: int
    text: str
    """Its arguments, continuations joined."""
    lines: list[int]
    """The line of each letter of the text."""


@dataclass
class _Stage:
    name: str
    line: int
    image: str
    base: _Stage | None
    shell: tuple[Word, ...] = ()
    """What it says in place of `/bin/sh -c`."""
    within: str = ""
    """Where its paths start, which may be said by the stage that it starts from."""
    directory: str = ""
    entrypoint: tuple[Step, ...] | None = None
    command: tuple[Step, ...] | None = None
    environment: list[Assignment] = field(default_factory=list)
    copies: list[Reference] = field(default_factory=list)


def read(text: bytes) -> Launches:
    return decoded("dockerfile", text, _read)


def _read(text: str) -> Launches:
    stages: list[_Stage] = []
    named: dict[str, _Stage] = {}
    variables: list[Assignment] = []
    faults: Faults = []
    for instruction in _instructions(text):
        if instruction.keyword == "FROM":
            stage = _started(instruction, len(stages), named)
            stages.append(stage)
            named[stage.name.lower()] = stage
        elif instruction.keyword == "ARG":
            variables += filter(None, map(entry, argv(_letters(instruction))))
        elif stages:
            faults += _say(stages[-1], instruction)
        else:
            faults.append((instruction.line, f"{instruction.keyword} before the first FROM"))
    return Launches("dockerfile", tuple(map(_unit, stages)), tuple(variables), tuple(faults))


def _instructions(text: str) -> Iterator[_Instruction]:
    """Those that say something of a stage, in order."""
    for parts in _joined(text):
        letters = [(letter, line) for part, line in parts for letter in part]
        whole = "".join(part for part, _ in parts)
        keyword = whole.split(None, 1)[0].upper() if whole.strip() else ""
        if keyword in _SAYING:
            start = whole.upper().index(keyword) + len(keyword)
            rest = whole[start:]
            left = start + len(rest) - len(rest.lstrip())
            right = max(left, len(whole.rstrip()))
            yield _Instruction(keyword, parts[0][1], whole[left:right], [line for _, line in letters[left:right]])


def _joined(text: str) -> Iterator[list[tuple[str, int]]]:
    """The text of each instruction by lines, without the lines of comments inside it, and without heredocs."""
    escape = "`" if _ESCAPE.match(text) else "\\"
    lines = text.split("\n")
    last = {line.strip("\t"): number for number, line in enumerate(lines, 1)}
    parts: list[tuple[str, int]] = []
    at = 0
    while at < len(lines):
        line = lines[at].rstrip(" \t")
        at += 1
        if not line or line.lstrip().startswith("#"):
            continue
        if line.endswith(escape):
            parts.append((line[:-1], at))
            continue
        parts.append((line, at))
        for opened in _heredocs(parts):
            if last.get(opened, 0) > at:
                at = next(number for number in range(at + 1, len(lines) + 1) if lines[number - 1].strip("\t") == opened)
        yield parts
        parts = []
    if parts:
        yield parts


def _heredocs(parts: list[tuple[str, int]]) -> list[str]:
    takes = _TAKES_HEREDOC.match(parts[0][0])
    return [name for part, _ in parts for name in _HEREDOC.findall(part)] if takes else []


def _started(instruction: _Instruction, number: int, named: dict[str, _Stage]) -> _Stage:
    found = _FROM.match(instruction.text)
    image, name = (found[1], found[2] or str(number)) if found else (instruction.text, str(number))
    base = named.get(image.lower())
    stage = _Stage(name, instruction.line, image, base)
    if base:
        stage.shell, stage.within = base.shell, base.within
    return stage


def _say(stage: _Stage, instruction: _Instruction) -> Faults:
    keyword, line, text, _ = instruction
    if keyword == "ENV":
        entries, faults = _environment(instruction)
        stage.environment += entries
        return faults
    words = _exec_form(instruction)
    if keyword == "WORKDIR":
        stage.within = posixpath.join(stage.within, text)
        stage.directory = stage.within
    elif keyword in ("COPY", "ADD"):
        stage.copies += _copies(instruction, words, stage.within)
    elif keyword == "SHELL":
        if not words:
            return [(line, "SHELL that is no list of strings")]
        stage.shell = words
    else:
        steps = _steps(instruction, words, stage.shell)
        if keyword == "CMD":
            stage.command = steps
        else:
            stage.entrypoint = steps
    return []


def _exec_form(instruction: _Instruction) -> tuple[Word, ...] | None:
    """The words of a list of strings; None if it is none, and then the text is for the shell."""
    if not instruction.text.startswith("["):
        return None
    try:
        words, _ = _JSON.raw_decode(instruction.text)
    except (ValueError, RecursionError):
        return None
    if not all(isinstance(word, str) for word in words):
        return None
    places = (instruction.lines[found.start()] for found in _STRING.finditer(instruction.text))
    return tuple(_literal(word, line) for word, line in zip(words, places))


def _literal(text: str, line: int) -> Word:
    return Word(line, (Text(text, line, quoted=True),))


def _steps(instruction: _Instruction, words: tuple[Word, ...] | None, shell: tuple[Word, ...]) -> tuple[Step, ...]:
    if words is None and instruction.text:
        by_line = groupby(zip(instruction.text, instruction.lines), key=itemgetter(1))
        text = tuple(Text("".join(letter for letter, _ in letters), line, quoted=True) for line, letters in by_line)
        first = shell or tuple(_literal(word, instruction.line) for word in ("/bin/sh", "-c"))
        words = (*first, Word(text[0].line, text))
    return (Command(words[0].line, words),) if words else ()


def _environment(instruction: _Instruction) -> tuple[list[Assignment], Faults]:
    words = argv(_letters(instruction))
    name = instruction.text.split(None, 1)[0] if instruction.text else ""
    if "=" in name:
        found = [(word.line, entry(word)) for word in words]
        return [one for _, one in found if one], [(line, "no NAME=value in ENV") for line, one in found if not one]
    if len(words) < 2:
        return [], [(instruction.line, "ENV without a value")]
    value = list(words[1].pieces)
    for word in words[2:]:
        value += (Text(" ", word.line), *word.pieces)
    return [Assignment(name, Word(words[1].line, tuple(value)), instruction.line)], []


def _letters(instruction: _Instruction) -> list[Letter]:
    return list(zip(instruction.text, instruction.lines))


def _copies(instruction: _Instruction, words: tuple[Word, ...] | None, within: str) -> list[Reference]:
    flags = _FLAGS.match(instruction.text)
    start = flags.end() if flags else 0
    if "--from=" in instruction.text[:start]:
        return []
    if words is None:
        rest = instruction._replace(text=instruction.text[start:], lines=instruction.lines[start:])
        words = _exec_form(rest)
        if words is None:
            words = tuple(_literal(found[0], rest.lines[found.start()]) for found in _WORD.finditer(rest.text))
    paths = [(piece.text, piece.line) for word in words for piece in word.pieces if isinstance(piece, Text)]
    if not paths:
        return []
    target = posixpath.join(within, paths[-1][0])
    return [Reference(path, line, target) for path, line in paths[:-1] if "://" not in path and not path.startswith("<<")]


def _unit(stage: _Stage) -> Unit:
    command = stage.command
    if stage.entrypoint is not None and command is None:  # an entry point takes away the command of the image that it builds on
        command = ()
    build = Reference("", stage.line, stage.base.name) if stage.base else None
    return Unit(
        stage.name,
        stage.line,
        stage.entrypoint,
        command,
        tuple(stage.environment),
        build=build,
        image=stage.image,
        directory=stage.directory,
        copies=tuple(stage.copies),
    )
