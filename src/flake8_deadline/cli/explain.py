"""`flake8-deadline explain`: a rule's page, all rules, or what is known about one line."""

from __future__ import annotations

import difflib
import os
import re
import sys
from typing import TYPE_CHECKING

from flake8_deadline import rule_pages
from flake8_deadline.cli.check import style, write
from flake8_deadline.cli.session import Session, analysed, unusable
from flake8_deadline.configuration import inner_path
from flake8_deadline.report.text import block
from flake8_deadline.rules import RULES
from flake8_deadline.selection import select

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from flake8_deadline.report.style import Style
    from flake8_deadline.rule import Finding

_PLACE = re.compile(r"(?P<path>.+?):(?P<line>\d+)(:\d+)?:?")


def run(parsed: argparse.Namespace) -> int:
    subject = parsed.subject
    if subject is None:
        write(rule_pages.listing())
        return 0
    for rule in RULES:
        if subject.lower() in (rule.code.lower(), rule.name):
            write(rule_pages.explanation(rule))
            return 0
    place = _PLACE.fullmatch(subject)
    if place:
        return _explain_line(parsed, place["path"], int(place["line"]))
    near = difflib.get_close_matches(subject, [name for rule in RULES for name in (rule.code, rule.name)], n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]}?" if near else ""
    sys.stderr.write(f"flake8-deadline: {subject}: no rule has this code or name, and a line is given as PATH:LINE{hint}\n")
    return 2


def _explain_line(parsed: argparse.Namespace, path: str, line: int) -> int:
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
        yield f"{path}:{line}: no rule has a finding here, not even one that is off by default"
        yield from (f"  {finding.line}: {finding.code} {finding.message}" for finding in here)


def _verdict(finding: Finding, session: Session, *, is_reported: bool) -> str:
    if any(rule.code == finding.code and not rule.default for rule in RULES) and finding.code not in session.options.enable:
        return f"Not reported: {finding.code} is off by default; --enable {finding.code} switches it on."
    return "Reported by check." if is_reported else "Not reported: silenced by noqa, or by the configuration (select, ignore, exclude)."
