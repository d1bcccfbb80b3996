"""The pages of the rules: each rule module's docstring, once, for `explain` and for README's table.

A page is a summary line and sections under fixed headings. What a rule does is said there and nowhere else.
"""

from __future__ import annotations

import inspect
import re
import sys
from typing import TYPE_CHECKING

from flake8_deadline.rules import RULES

if TYPE_CHECKING:
    from flake8_deadline.rule import Rule

HEADINGS = ("Why", "Bad", "Good", "Not reported", "Fix")
"""What every page has below its summary, in this order, each alone on a line."""

_BEGIN, _END = "<!-- rules: begin -->", "<!-- rules: end -->"
REFRESH = "python -m flake8_deadline.rule_pages --write README.md"
"""The command that brings README's table up to date."""


class MarkersMissingError(Exception):
    """The file has no place for the table."""


def page(rule: Rule) -> str:
    """The docstring of the module that the rule's function stands in."""
    return inspect.getdoc(sys.modules[rule.check.__module__]) or ""


def summary(rule: Rule) -> str:
    return page(rule).partition("\n")[0].rstrip(".")


def sections(rule: Rule) -> dict[str, str]:
    """The text below each heading, in the page's order."""
    parts = re.split(rf"^({'|'.join(HEADINGS)})$", page(rule), flags=re.MULTILINE)
    return {heading: text.strip("\n") for heading, text in zip(parts[1::2], parts[2::2])}


def explanation(rule: Rule) -> str:
    """The page as `explain` prints it."""
    state = "on by default" if rule.default else f"off by default; on with: deadline-enable = {rule.code}"
    fix = {"safe": "a safe fix: flake8-deadline fix", "unsafe": "an unsafe fix", None: "no fix"}[rule.fixable]
    return f"{rule.code} {rule.name} ({state}; {fix})\n\n{page(rule)}\n\nTo silence one place: # noqa: {rule.code}\n"


def listing() -> str:
    """All rules, one to a line."""
    longest = max(len(rule.name) for rule in RULES)
    return "".join(f"{rule.code}  {rule.name:<{longest}}  {'on ' if rule.default else 'off'}  fix: {rule.fixable or 'none'}\n" for rule in RULES)


def table() -> str:
    """README's table, in Markdown."""
    rows = [
        f"| {rule.code} | {rule.name} | {summary(rule).replace('|', chr(92) + '|')} | {'on' if rule.default else 'off'} | {rule.fixable or 'none'} |"
        for rule in RULES
    ]
    return "\n".join(["| code | name | what | default | fix |", "|---|---|---|---|---|", *rows])


def with_table(text: str) -> str:
    """The text with the table between its markers renewed; raises MarkersMissingError where it has none."""
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise MarkersMissingError(f"no place for the rule table: put {_BEGIN} and {_END} where it belongs")
    return f"{before}{begin}\n\n{table()}\n\n{end}{after}"


def main(arguments: list[str]) -> int:
    """Print the table, or with `--write FILE` renew it in the file."""
    if not arguments:
        sys.stdout.write(table() + "\n")
        return 0
    if len(arguments) != 2 or arguments[0] != "--write":
        sys.stderr.write(f"usage: {REFRESH}\n")
        return 2
    path = arguments[1]
    try:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        renewed = with_table(text)
        if renewed != text:
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(renewed)
    except (OSError, UnicodeDecodeError, MarkersMissingError) as error:
        sys.stderr.write(f"{path}: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
