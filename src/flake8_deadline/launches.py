"""What one file that starts or configures processes can say, of whatever kind it is: facts, each with the line that it stands on.

A pure function of the file's text. What a variable holds, which branch runs, whether a command starts a worker and with which limits is
decided where all files are known. Frozen, and to msgpack and back, as all facts.
"""

from __future__ import annotations

from typing import Union

from msgspec import Struct

# Words of a command: what a shell, or whoever reads the file, makes of them once it knows the environment.


class Text(Struct, tag="t", frozen=True, array_like=True, gc=False):
    """Characters that stand for themselves, quotes and escapes removed."""

    text: str
    line: int


class Parameter(Struct, tag="p", frozen=True, array_like=True, gc=False):
    """`$NAME`, `${NAME:-alternative}`: a variable, an argument ("1", "@") or a count ("#")."""

    name: str
    line: int
    operator: str = ""
    """"", ":-", "-", ":=", "=", ":+", "+", ":?" or "?"; "other" for what only a shell can do (`${X%.*}`)."""
    alternative: tuple[Piece, ...] = ()
    quoted: bool = False
    """Whether it stands in double quotes: then its value is not split into words."""


class Sum(Struct, tag="s", frozen=True, array_like=True, gc=False):
    """`$((expression))`: `pieces` in their order are the expression, bare names in it as parameters."""

    pieces: tuple[Piece, ...]
    line: int


class Opaque(Struct, tag="o", frozen=True, array_like=True, gc=False):
    """What no reader can know: a command's output, a template's tag. `text` as it is written."""

    text: str
    line: int
    reason: str
    quoted: bool = False


Piece = Union[Text, Parameter, Sum, Opaque]


class Word(Struct, frozen=True, array_like=True, gc=False):
    pieces: tuple[Piece, ...]
    line: int


# Steps of a shell script.


class Assignment(Struct, tag="A", frozen=True, array_like=True, gc=False):
    """`NAME=word`, also behind `export`, `local`, `readonly`; an array's words are `items`."""

    name: str
    word: Word
    line: int
    append: bool = False
    items: Union[tuple[Word, ...], None] = None


class Command(Struct, tag="C", frozen=True, array_like=True, gc=False):
    """A simple command, redirections left out. `assignments` stand in front of it and hold for it alone."""

    words: tuple[Word, ...]
    line: int
    assignments: tuple[Assignment, ...] = ()


class Arm(Struct, frozen=True, array_like=True, gc=False):
    """An arm of a choice: the test that leads into it, and what it does.

    `test` is the one command that decides (`[ "$X" = y ]`), None for `else`, () for what is not understood. In a `case`, the test is
    ("case", subject, pattern, pattern, …).
    """

    test: Union[tuple[Word, ...], None]
    steps: tuple[Step, ...]


class Choice(Struct, tag="B", frozen=True, array_like=True, gc=False):
    """`if`, `case`, and what stands behind `&&` or `||`: at most one arm runs. A loop is a choice of one arm whose test is ()."""

    line: int
    arms: tuple[Arm, ...]


class Define(Struct, tag="D", frozen=True, array_like=True, gc=False):
    """A shell function."""

    name: str
    steps: tuple[Step, ...]
    line: int


Step = Union[Assignment, Command, Choice, Define]


class Script(Struct, frozen=True, array_like=True, gc=False):
    steps: tuple[Step, ...]
    fault: str = ""
    """Why the rest could not be read ("quotation not closed, line 7"); empty: all was."""


# Processes, as the files name them.


class Process(Struct, frozen=True, array_like=True, gc=False):
    """What one service, program, recipe or container runs."""

    name: str
    line: int
    """Where it begins: the service's key, the recipe's command, `ExecStart=`."""
    launcher: str
    """"compose", "dockerfile", "procfile", "supervisor", "systemd", "kubernetes", "make", "just", "ci", "fly", "npm", "shell", …"""
    arguments: tuple[Word, ...] = ()
    """A command that is run without a shell (an exec form, a list); `entrypoint` stands in front of it."""
    script: Union[Script, None] = None
    """A command line that a shell runs."""
    entrypoint: tuple[Word, ...] = ()
    environment: tuple[Assignment, ...] = ()
    env_files: tuple[tuple[str, int], ...] = ()
    """Files that the environment is read from, as written, with their lines."""
    folder: str = ""
    """The directory it is run in, as written."""
    interpolated: bool = False
    """Whether the file's own reader has put variables into the text first, from the caller's environment and `.env` (compose)."""
    build: Union[tuple[str, str, str], None] = None
    """The image it runs, where the repository builds it: context, file ("" for the default one) and target stage."""
    grace: Union[tuple[float, int], None] = None
    """Seconds between TERM and KILL, and the line that says so (the process's own where it is the default); None: nobody knows."""


class Launches(Struct, frozen=True, array_like=True, gc=False):
    """What one file says."""

    processes: tuple[Process, ...] = ()
    variables: tuple[Assignment, ...] = ()
    """Variables of all its processes: an `.env` file, `[supervisord] environment=`, `ENV` of an image's stages by way of its processes."""
    script: Union[Script, None] = None
    """The file itself, where a shell runs it."""
    faults: tuple[tuple[int, str], ...] = ()
    """Lines that could not be read, and why."""
