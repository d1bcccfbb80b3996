"""Work grows with the project, not with its square. Counted in instructions of the interpreter, which no busy machine changes."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COUNTING = """
import sys
from flake8_deadline.check import analyse
from flake8_deadline.options import Options

count = 0

def trace(frame, event, argument):
    global count
    frame.f_trace_opcodes = True
    count += event == "opcode"
    return trace

options = Options(root=sys.argv[1], enable=("LIM108", "LIM109"), scope="everywhere", cache_dir="none")
sys.settrace(trace)
analysis = analyse(options)
sys.settrace(None)
print(count, len(analysis.findings))
"""


def _many(size: int, text: str) -> str:
    """The text so many times, with another number for each `#`."""
    return "".join(dedent(text).replace("#", str(number)) for number in range(size))


def classes_below_a_base(size: int) -> str:
    """Every call may mean every one of them."""
    return "class Base:\n    def save(self): pass\n" + _many(
        size,
        """
        class C#(Base):
            def load(self): pass

        def work#(base: Base, rows):
            for row in rows:
                try:
                    base.save()
                    row.mark_it()
                except Exception:
                    pass
        """,
    )


def functions_informed_by_their_callers(size: int) -> str:
    """Every call says something new about a parameter."""
    return "class Row:\n    def send(self): post(self)\n" + _many(
        size,
        """
        def take#(row):
            while True:
                try:
                    row.send()
                except Exception:
                    pass

        def give#():
            take#(Row())
        """,
    )


def calls_in_a_chain(size: int) -> str:
    return _many(
        size,
        """
        def link#(row):
            try:
                row.save_it()
            except ValueError:
                row.fail_it()
            link##(row)
        """.replace("##", "@"),
    )
