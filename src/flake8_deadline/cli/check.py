"""`flake8-deadline check`: print the findings, in the form asked for."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from flake8_deadline.cli.session import analysed
from flake8_deadline.report import Wish, render
from flake8_deadline.report.style import Style
from flake8_deadline.selection import select

if TYPE_CHECKING:
    import argparse


def run(parsed: argparse.Namespace) -> int:
    session = analysed(parsed, parsed.paths)
    if session is None:
        return 2
    selection = select(session.analysis, session.namespace)
    report = render(parsed.format, selection, Wish(style(parsed.color, is_file=parsed.output is not None), parsed.statistics))
    if parsed.output is not None:
        with open(parsed.output, "wb") as file:
            file.write(report.encode())
    else:
        write(report, is_data=parsed.format == "json")
    if not session.is_complete:
        return 2
    return 1 if selection.shown or selection.errors else 0


def style(colour: str, *, is_file: bool = False) -> Style:
    """The look of text on standard output, or in a file."""
    is_terminal = sys.stdout.isatty() and not is_file
    wants_colour = is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    width = shutil.get_terminal_size().columns if is_terminal else 120
    return Style(colour == "always" or (colour == "auto" and wants_colour), width)


def write(text: str, *, is_data: bool = False) -> None:
    """To standard output, whatever its encoding: data always in UTF-8, and nothing in a text is a reason to fail."""
    encoding = "utf-8" if is_data else sys.stdout.encoding
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode(encoding, "backslashreplace"))
    sys.stdout.buffer.flush()
