"""Findings as flake8 prints them by default, one to a line: `path:line:column: CODE message`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flake8_deadline.report.style import printable
from flake8_deadline.report.text import counts

if TYPE_CHECKING:
    from flake8_deadline.selection import Selection


def render(selection: Selection, *, statistics: bool = False) -> str:
    """Also the files that could not be read or parsed, under the code that flake8 has for them."""
    found = [(one.path, one.finding.line, one.finding.column, f"{one.finding.code} {one.finding.message}") for one in selection.shown]
    failed = [(path, error.line, 1, f"{'E999' if error.line else 'E902'} {error.message}") for path, error in selection.errors]
    rows = sorted([*found, *failed], key=lambda row: row[:3])
    lines = [f"{printable(path)}:{line}:{column}: {printable(text)}" for path, line, column, text in rows]
    return "".join(f"{line}\n" for line in (*lines, *(counts(selection) if statistics else ())))
