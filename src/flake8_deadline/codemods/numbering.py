"""The numbers of lines in a text and in the same text with lines added."""

from __future__ import annotations


def moved(line: int, added: tuple[int, ...]) -> int:
    """Where a line of the old text stands in the new one, given the numbers of the added lines there, in order."""
    for number in added:
        line += number <= line
    return line


def original(line: int, added: tuple[int, ...]) -> int | None:
    """Where a line of the new text stood in the old one; None for an added line."""
    return None if line in added else line - sum(number < line for number in added)
