"""One file's findings and the edit that comes of them, checked as far as the file alone can tell.

Decides what a place is called while texts change: by its line in the file as it is on disk, however many lines an edit has added above.
Whether the linter agrees with the edit is asked elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from flake8_deadline.codemods.edit import Edit, refuse
from flake8_deadline.codemods.numbering import original
from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.wishes import NOTHING
from flake8_deadline.codemods.writer import read

if TYPE_CHECKING:
    from pathlib import Path

    from flake8_deadline.codemods.wishes import Wishes
    from flake8_deadline.rule import Finding


class Place(NamedTuple):
    """What tells findings of the same project apart."""

    path: str
    line: int
    """In the file on disk."""
    code: str


class Draft(NamedTuple):
    path: str
    old: bytes
    findings: tuple[Finding, ...]
    """All of them have a fix; the edit carries it out or refuses it."""
    edit: Edit

    @property
    def fixed(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.fix in self.edit.fixes)

    @property
    def refused(self) -> dict[Place, str]:
        """The reason for each finding that the edit leaves as it is."""
        reasons = {refusal.fix: refusal.reason for refusal in self.edit.refusals}
        return {place(finding): reasons[finding.fix] for finding in self.findings if finding.fix in reasons}

    def on_disk(self, finding: Finding) -> Finding | None:
        """A finding of the new text with its lines as in the old one; None where it stands on an added line."""
        line = original(finding.line, self.edit.added)
        if line is None or finding.fix is None:
            return None if line is None else replace(finding, line=line)
        fix_line = original(finding.fix.line, self.edit.added)
        return None if fix_line is None else replace(finding, line=line, fix=replace(finding.fix, line=fix_line))


def place(finding: Finding) -> Place:
    return Place(finding.path, finding.line, finding.code)


def draft(root: Path, path: str, findings: Iterable[Finding], first_party: frozenset[str], wishes: Wishes = NOTHING) -> Draft:
    """Carry out the fixes of one file's findings. Nothing is raised: what cannot be done is refused with a reason."""
    # Only now, as importing libcst takes longer than linting many a project, and most runs find nothing to fix.
    from flake8_deadline.codemods.carrying_out import carry_out  # noqa: PLC0415

    members = tuple(sorted(findings, key=place))
    fixes = [finding.fix for finding in members if finding.fix is not None]
    try:
        old = read(root, path)
    except RefusedError as error:
        return refused(path, members, error)
    return Draft(path, old, members, carry_out(old, fixes, wishes, first_party))


def refused(path: str, findings: Iterable[Finding], error: RefusedError) -> Draft:
    """A draft that changes nothing."""
    members = tuple(sorted(findings, key=place))
    return Draft(path, b"", members, Edit(b"", refusals=refuse([one.fix for one in members if one.fix is not None], error)))
