"""Findings for a reader: what happens, where, how control gets there, what to do, and a last line that sums up."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from flake8_deadline.report.excerpt import excerpt, source_lines
from flake8_deadline.report.style import Style, printable
from flake8_deadline.rule import needs_limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flake8_deadline.check import FileError, Statistics
    from flake8_deadline.rule import Finding
    from flake8_deadline.selection import Selection, Shown

_MARKS = {"safe": "[*] ", "unsafe": "[!] ", None: ""}


def render(selection: Selection, style: Style, *, statistics: bool = False) -> str:
    read = lru_cache(maxsize=1)(source_lines)  # findings come file by file
    blocks = ["\n".join(block(one.finding, selection.root, style, read)) for one in selection.shown]
    errors = [failure(path, error) for path, error in selection.errors]
    parts = [*blocks, *(["\n".join(errors)] if errors else []), summary(selection)]
    if statistics:
        parts.append("\n".join(counts(selection)))
    return "\n\n".join(parts) + "\n"


def block(finding: Finding, root: str, style: Style, read: Callable[[str], list[str]] = source_lines) -> Iterator[str]:
    """The lines that say one finding; `read` gives the lines of a file."""
    source = os.path.join(root, *finding.path.split("/"))
    where = printable(near(source))
    lines = excerpt(read(source), finding.line, finding.column, style)
    margin = " " * (lines[0].index("|") - 1 if lines else len(str(finding.line)))
    yield f"{style.paint('bold', finding.code)} {_MARKS[_safety(finding)]}{printable(finding.message)}"
    yield f"{margin} {style.paint('cyan', '-->')} {where}:{finding.line}:{finding.column}"
    yield from lines
    places = [f"{printable(near(os.path.join(root, *link.path.split('/'))))}:{link.line}" for link in finding.chain]
    longest = max(map(len, places), default=0)
    for place, link in zip(places, finding.chain):
        yield f"{margin} = {place:<{longest}}  {printable(link.what)}"
    yield f"{margin} = {style.paint('green', 'help')}: {_help(finding, where)}"


def failure(path: str, error: FileError) -> str:
    """The line that says why a file could not be read or parsed."""
    place = f":{error.line}" if error.line else ""
    return f"error: {printable(near(path))}{place}: {printable(error.message)}"


def near(path: str) -> str:
    """The path from the current directory where it lies below it, with `/`."""
    relative = os.path.relpath(path) if os.path.abspath(path).startswith(os.getcwd() + os.sep) else path
    return relative.replace(os.sep, "/")


def project(read: Statistics) -> str:
    return f"a project of {number(read.files, 'file')} and {number(read.tasks, 'task')}"


def summary(selection: Selection) -> str:
    shown, silenced = selection.shown, selection.statistics.suppressed
    if shown:
        said = [f"Found {number(len(shown), 'finding')} in {number(len({one.path for one in shown}), 'file')}; {_ways_out(shown)}"]
    else:
        said = [f"No findings in {project(selection.statistics)}"]
    if silenced:
        said.append(f"; {silenced} more silenced by noqa")
    if selection.errors:
        said.append(f"; {number(len(selection.errors), 'error')} in reading files")
    return "".join(said) + "."


def counts(selection: Selection) -> Iterator[str]:
    """How often each code was found, and what the silence rests on: how much was read and how many calls led nowhere."""
    names = {one.finding.code: one.finding.name for one in selection.shown}
    for code, count in sorted(Counter(one.finding.code for one in selection.shown).items()):
        yield f"{count:>7}  {code} {names[code]}"
    read = selection.statistics
    yield f"{read.files:>7}  files in the project, {read.parsed} of them parsed, {read.files - read.parsed} not needed"
    yield f"{read.tasks:>7}  tasks, which reach {number(read.functions, 'function')}"
    yield f"{read.calls:>7}  calls in them, of which {read.unresolved_calls} could not be resolved"
    yield f"{read.suppressed:>7}  findings silenced by noqa"


def _ways_out(shown: tuple[Shown, ...]) -> str:
    by_safety = Counter(_safety(one.finding) for one in shown)
    said = [
        f"{by_safety['safe']} fixable [*]" if by_safety["safe"] else "",
        f"{by_safety['unsafe']} with an unsafe fix [!]" if by_safety["unsafe"] else "",
        f"{by_safety[None]} by hand" if by_safety[None] else "",
    ]
    return ", ".join(filter(None, said))


def _safety(finding: Finding) -> str | None:
    return finding.fix.safety if finding.fix else None


def _help(finding: Finding, where: str) -> str:
    if finding.fix is not None and not needs_limits(finding.fix):
        return f"flake8-deadline fix {'' if finding.fix.safety == 'safe' else '--unsafe '}{shlex.quote(where)}"
    return f"flake8-deadline explain {finding.code}"


def number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
