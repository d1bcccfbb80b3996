"""What is known about one line: its findings, reported or not; else its clause, the function around it, and how a task gets there."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from flake8_deadline import chains
from flake8_deadline.cli.output import style, write
from flake8_deadline.cli.session import Session, analysed, unusable
from flake8_deadline.configuration import inner_path
from flake8_deadline.facts import Branch, Loop, Try, With
from flake8_deadline.index import Index
from flake8_deadline.project import Project
from flake8_deadline.report.style import Style, printable
from flake8_deadline.report.text import block
from flake8_deadline.rules import RULES
from flake8_deadline.selection import select

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from flake8_deadline.facts import Step
    from flake8_deadline.options import Options
    from flake8_deadline.rule import Finding

_VERDICT = (
    "Where a deadline reaches this clause, it does no harm that a rule knows: the clause does not take it, names it, or lets it go on its way;",
    "or no time can pass in its try; or no loop goes on afterwards, in this function or in a caller.",
)


def explain(parsed: argparse.Namespace, path: str, line: int) -> int:
    """Print it; returns the exit code."""
    reason = unusable(path) or ("a directory has no lines" if os.path.isdir(path) else None)
    if reason is not None:
        sys.stderr.write(f"flake8-deadline: {path}: {reason}\n")
        return 2
    session = analysed(parsed, [path], [rule.code for rule in RULES if not rule.default])
    if session is None:
        return 2
    write("\n".join(_said(session, path, line, style(parsed.color))) + "\n")
    return 0 if session.is_complete else 2


def _said(session: Session, path: str, line: int, look: Style) -> Iterator[str]:
    inside = "/".join(inner_path(path, session.options.root) or ())
    for error in session.analysis.errors:
        if error.path == inside:
            yield f"{path}:{error.line}: {error.message}: nothing is known about this file"
            return
    here = [finding for finding in session.analysis.findings if finding.path == inside]
    reported = {one.finding for one in select(session.analysis, session.namespace).shown}
    on_line = [finding for finding in here if finding.line == line]
    for finding in on_line:
        yield from block(finding, session.options.root, look)
        yield _verdict(finding, session, is_reported=finding in reported)
    if not on_line:
        yield f"{path}:{line}: no rule has a finding here, not even one that is off by default."
        yield from _about(session.options, inside, line)
        yield from ["Findings in this file:", *(f"  {path}:{one.line}: {one.code} {printable(one.message)}" for one in here)] if here else []


def _verdict(finding: Finding, session: Session, *, is_reported: bool) -> str:
    if any(rule.code == finding.code and not rule.default for rule in RULES) and finding.code not in session.options.enable:
        return f"Not reported: {finding.code} is off by default; --enable {finding.code} switches it on."
    return "Reported by check." if is_reported else "Not reported: silenced by noqa, or by the configuration (select, ignore, exclude)."


def _about(options: Options, path: str, line: int) -> Iterator[str]:
    index = Index(options, {}, [path])
    if path not in index.names:
        yield "The file is not among those that are read."
        return
    project = Project(index, options)
    functions = project.modules.source(path).functions.values()
    around = next((function.qualname for function in functions if line in _clauses(function.steps)), None)
    if around is None:
        yield "No except clause stands on this line."
        return
    frames = sorted((frame for frame in project.reach.resolved if (frame.path, frame.qualname) == (path, around)), key=project.reach.length)
    where = f"function {around.replace('.<locals>', '')}" if around else "the module's own body"
    if not frames:
        yield f"The except clause on this line stands in {where}, which no task is known to reach."
        return
    yield f"The except clause on this line stands in {where}, which is reached like this:"
    for link in chains.down(project, project.reach, frames[0]):
        yield f"  {printable(link.path)}:{link.line}  {printable(link.what)}"
    yield from _VERDICT


def _clauses(steps: Iterable[Step]) -> Iterator[int]:
    """The lines of all `except` clauses in a function's own body."""
    for step in steps:
        if isinstance(step, Try):
            yield from (handler.line for handler in step.handlers)
        for inner in _blocks(step):
            yield from _clauses(inner)


def _blocks(step: Step) -> tuple[tuple[Step, ...], ...]:
    if isinstance(step, Branch):
        return step.arms
    if isinstance(step, Loop):
        return step.body, step.otherwise
    if isinstance(step, Try):
        return step.body, *(handler.body for handler in step.handlers), step.otherwise, step.final
    return (step.body,) if isinstance(step, With) else ()
