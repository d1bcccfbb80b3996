"""A Procfile: a process type and its shell command on each line.

What the commands start is left to who reads their steps; a process type's number of copies is said elsewhere.
"""

from __future__ import annotations

import re

from flake8_deadline.launches import Launches, Unit
from flake8_deadline.reading.launchers.kinds import decoded
from flake8_deadline.reading.shell import letters, steps

_PROCESS = re.compile(r"[ \t]*([\w-]+)[ \t]*:(.*)")


def read(text: bytes) -> Launches:
    return decoded("procfile", text, _read)


def _read(text: str) -> Launches:
    units: list[Unit] = []
    faults: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        process = _PROCESS.match(line)
        if process:
            command, unread = steps(letters(process[2].strip(), number))
            units.append(Unit(process[1], number, command=command))
            faults += unread
        elif line.strip() and not line.lstrip().startswith("#"):
            faults.append((number, "no process type in front of a command"))
    return Launches("procfile", tuple(units), faults=tuple(faults))
