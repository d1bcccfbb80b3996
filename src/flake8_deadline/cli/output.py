"""Standard output: how text looks there, and that it arrives whatever the encoding."""

from __future__ import annotations

import os
import shutil
import sys

from flake8_deadline.report.style import Style


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
