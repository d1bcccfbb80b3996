"""Findings for programs: one JSON document, described in docs/json.md and by the schema beside it.

The form is stable: keys are added, never renamed or dropped, without a new `version`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from flake8_deadline import __version__
from flake8_deadline.report.style import printable

if TYPE_CHECKING:
    from flake8_deadline.check import FileError
    from flake8_deadline.rule import Finding
    from flake8_deadline.selection import Selection, Shown


class Place(Struct):
    path: str
    line: int
    what: str


class Found(Struct):
    code: str
    name: str
    path: str
    line: int
    column: int
    message: str
    fix: Literal["safe", "unsafe"] | None
    chain: list[Place]


class Failed(Struct):
    path: str
    line: int
    message: str


class Tool(Struct):
    name: str
    version: str


class Counts(Struct):
    files: int
    parsed: int
    tasks: int
    functions: int
    calls: int
    unresolved_calls: int
    suppressed: int


class Document(Struct):
    version: int
    tool: Tool
    root: str
    findings: list[Found]
    errors: list[Failed]
    statistics: Counts


def render(selection: Selection) -> str:
    """Paths are relative to the root, with `/`; findings are sorted by path, line, column and code."""
    document = Document(
        version=1,
        tool=Tool("flake8-deadline", __version__),
        root=printable(selection.root),
        findings=[found(one.finding) for one in sorted(selection.shown, key=_order)],
        errors=[_failed(error) for _, error in sorted(selection.errors, key=lambda pair: (pair[1].path, pair[1].line))],
        statistics=msgspec.convert(selection.statistics, Counts, from_attributes=True),
    )
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def _order(one: Shown) -> tuple[str, int, int, str]:
    return one.finding.path, one.finding.line, one.finding.column, one.finding.code


def found(finding: Finding) -> Found:
    chain = [Place(printable(link.path), link.line, printable(link.what)) for link in finding.chain]
    fix = finding.fix.safety if finding.fix else None
    return Found(finding.code, finding.name, printable(finding.path), finding.line, finding.column, finding.message, fix, chain)


def _failed(error: FileError) -> Failed:
    return Failed(printable(error.path), error.line, printable(error.message))
