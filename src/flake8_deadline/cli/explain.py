"""`flake8-deadline explain`: a rule's page, all rules, or what is known about one line."""

from __future__ import annotations

import difflib
import re
import sys
from typing import TYPE_CHECKING

from flake8_deadline import rule_pages
from flake8_deadline.cli.output import write
from flake8_deadline.rules import RULES

if TYPE_CHECKING:
    import argparse


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
        from flake8_deadline.cli.line import explain  # noqa: PLC0415  (a rule's page needs neither flake8 nor the engine)

        return explain(parsed, place["path"], int(place["line"]))
    near = difflib.get_close_matches(subject, [name for rule in RULES for name in (rule.code, rule.name)], n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]}?" if near else ""
    sys.stderr.write(f"flake8-deadline: {subject}: no rule has this code or name, and a line is given as PATH:LINE{hint}\n")
    return 2
