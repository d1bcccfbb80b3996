"""`flake8-deadline check`: print the findings, in the form asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flake8_deadline.cli.output import style, write
from flake8_deadline.cli.session import analysed
from flake8_deadline.report import Wish, render
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
