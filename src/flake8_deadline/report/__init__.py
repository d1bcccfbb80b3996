"""How findings are written down: `text` for a reader, `concise` for other tools and for grep, `json` for programs.

Each module turns a `Selection` into one string and decides nothing about which findings are in it. Where the string goes is the
command's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flake8_deadline.report import concise, json, text

if TYPE_CHECKING:
    from flake8_deadline.report.style import Style
    from flake8_deadline.selection import Selection


class Wish(NamedTuple):
    """What was asked of a report besides its findings."""

    style: Style
    statistics: bool = False


def render(form: str, selection: Selection, wish: Wish) -> str:
    """The report in one of the forms "text", "concise" and "json", with a newline at its end unless it is empty."""
    if form == "json":
        return json.render(selection)
    if form == "concise":
        return concise.render(selection, statistics=wish.statistics)
    return text.render(selection, wish.style, statistics=wish.statistics)
