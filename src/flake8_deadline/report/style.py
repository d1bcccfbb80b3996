"""Colour, width, and what may be printed at all: the look of text for a person, whatever the text says."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

_COLOURS = {"bold": "1", "red": "31", "green": "32", "cyan": "36"}


class Style(NamedTuple):
    colour: bool = False
    width: int = 120
    """Columns of the terminal."""

    def paint(self, colour: str, text: str) -> str:
        return f"\033[{_COLOURS[colour]}m{text}\033[m" if self.colour else text


def printable(text: str) -> str:
    """The text with nothing in it that a terminal or an encoder could choke on: file names and sources hold anything."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else "    " if one == "\t" else "\N{REPLACEMENT CHARACTER}" for one in text)


def columns(text: str) -> int:
    """How many columns a terminal gives to printable text."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)


def cut(text: str, width: int) -> str:
    """The text, or as much of it as fits into `width` columns with a sign that something is missing."""
    if columns(text) <= width:
        return text
    while text and columns(text) > width - 3:
        text = text[:-1]
    return text + "..."
