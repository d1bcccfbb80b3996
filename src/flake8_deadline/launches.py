"""What a file that starts programs can say: its units, their commands, and what stands in their environment.

One form for every kind of file (Dockerfile, compose, shell, Procfile, unit, manifest, …). A command's words keep their variables: what those
hold is decided where the surroundings are known. Nothing here knows Celery. Like all facts, it is frozen and turns into msgpack and back.
"""

from __future__ import annotations

from typing import Union

from msgspec import Struct


class Text(Struct, tag="t", frozen=True, array_like=True, gc=False):
    """Letters that stand for themselves, all on one line of the file (a value that goes over lines is several Texts)."""

    text: str
    line: int
    quoted: bool = False
    """Whether blanks in it do not separate words when it is split again."""


class Variable(Struct, tag="v", frozen=True, array_like=True, gc=False):
    """`$NAME`, `${NAME:-operand}` and its kin. `operator` is "", "-", ":-", "=", ":=", "+", ":+", "?" or ":?"."""

    name: str
    line: int
    operator: str = ""
    operand: tuple[Piece, ...] = ()
    quoted: bool = False
    by: str = "environment"
    """Who fills it in: "environment" (a shell, systemd, supervisor, Kubernetes: the process's own environment), "compose" (from where
    compose runs, and its .env), "make" (the makefile), "values" (a chart's values.yaml; `name` is dotted)."""


class Sum(Struct, tag="s", frozen=True, array_like=True, gc=False):
    """`$((…))`: integer arithmetic over its pieces; a bare name in it is a Variable."""

    pieces: tuple[Piece, ...]
    line: int


class Opaque(Struct, tag="o", frozen=True, array_like=True, gc=False):
    """What cannot be read: a command substitution, `$@`, a template's hole. `text` is how it is written."""

    text: str
    line: int


Piece = Union[Text, Variable, Sum, Opaque]


class Word(Struct, frozen=True, array_like=True, gc=False):
    """One word of a command. An unquoted variable in it may become several words, or none."""

    line: int
    pieces: tuple[Piece, ...] = ()


class Assignment(Struct, tag="A", frozen=True, array_like=True, gc=False):
    """`NAME=value` as a statement, in front of a command, or as an entry of an environment."""

    name: str
    value: Word
    line: int
    exported: bool = False
    if_unset: bool = False
    """`: "${NAME:=value}"`: only where it has no value yet."""
    conditions: tuple[str, ...] = ()
    """The conditions it stands under, as written: `if [ "$1" = worker ]`, `else`, `case web)`; from the outside in."""


class Command(Struct, tag="C", frozen=True, array_like=True, gc=False):
    """A command: the words a program is started with, itself first."""

    line: int
    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...] = ()
    """Those that stand in front of it, for it alone."""
    conditions: tuple[str, ...] = ()


Step = Union[Assignment, Command]


class Reference(Struct, frozen=True, array_like=True, gc=False):
    """Another file that is named: an env file, a Dockerfile, a script that is copied. The path is as written."""

    path: str
    line: int
    target: str = ""
    """For a build: the stage; for a copy: where it goes."""


class Unit(Struct, frozen=True, array_like=True, gc=False):
    """What is started as one: a service, a program, a process type, a container, a stage of an image, a script, a job, a target."""

    name: str
    line: int
    entrypoint: Union[tuple[Step, ...], None] = None
    """What is put before the command; None: not said here."""
    command: Union[tuple[Step, ...], None] = None
    """The steps that it runs. None: not said here (the image says it)."""
    environment: tuple[Assignment, ...] = ()
    env_files: tuple[Reference, ...] = ()
    build: Union[Reference, None] = None
    """The context, and as `target` the stage, of the image it is built from; a Dockerfile's stage names the stage it starts from."""
    dockerfile: str = ""
    image: str = ""
    directory: str = ""
    """Where it is started, as written."""
    copies: tuple[Reference, ...] = ()
    """Which files of the project it has, and where (`target`)."""


class Launches(Struct, frozen=True, array_like=True, gc=False):
    """All that one file says. A fault says what could not be read, and where (line, reason)."""

    kind: str = ""
    """"dockerfile", "compose", "shell", "procfile", "supervisor", "systemd", "kubernetes", "make", "workflow", "env", …"""
    units: tuple[Unit, ...] = ()
    variables: tuple[Assignment, ...] = ()
    """What holds for all units: a makefile's variables, a compose file's nothing, an env file's entries, values.yaml by dotted name."""
    faults: tuple[tuple[int, str], ...] = ()
