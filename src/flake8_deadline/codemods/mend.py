"""Carry out the safe fixes of findings, file by file, and keep only what has been proved right.

Which findings to fix is decided before. Here: the new text of each file, checked by itself and by the linter (every finding said to be
fixed is gone, no new one has come to the file), or the reason why a finding is left. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from typing import TYPE_CHECKING, NamedTuple

from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.writer import read, write

if TYPE_CHECKING:
    from pathlib import Path

    from flake8_deadline.codemods.reraise import Edit
    from flake8_deadline.rule import Finding

Relint = Callable[[Mapping[str, bytes]], Set[tuple[str, int, str]]]
"""Lint the project with these texts, by path, in place of the files' own: path, line and code of every finding."""


class Refused(NamedTuple):
    """A finding that was not fixed, and why, in one line."""

    path: str
    line: int
    code: str
    reason: str


class Mended(NamedTuple):
    """What became of one file's findings. `old` and `new` are the same where nothing could be fixed."""

    path: str
    old: bytes
    new: bytes
    fixed: tuple[Finding, ...]
    refused: tuple[Refused, ...]
    imports: tuple[str, ...] = ()
    """The modules that added import lines name."""
    first_imports: tuple[str, ...] = ()
    """Those of their top-level packages that the file did not import anywhere before."""


class _Draft(NamedTuple):
    """A file's findings and the edit that came of them."""

    path: str
    old: bytes
    findings: list[Finding]
    edit: Edit


def mend(root: Path, findings: Iterable[Finding], relint: Relint, first_party: frozenset[str] = frozenset()) -> list[Mended]:
    """The new text of each file that has a finding with a safe fix, in the order of paths; other findings are passed over.

    `root` is what the findings' paths are relative to; `first_party`: top-level packages of the project. Odd files raise nothing: each
    finding that is not fixed is among the refused.
    """
    files: dict[str, list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: (finding.path, finding.line, finding.column, finding.code)):
        if finding.fix is not None and finding.fix.safety == "safe":
            files.setdefault(finding.path, []).append(finding)
    drafts = [_draft(root, path, members, first_party) for path, members in files.items()]
    faults = _faults({draft.path: draft for draft in drafts if draft.edit.fixes}, relint)
    return [_mended(draft, faults.get(draft.path)) for draft in drafts]


def apply(root: Path, mended: Iterable[Mended]) -> list[Refused]:
    """Write the files that have changed; the findings of those that could not be written."""
    refused: list[Refused] = []
    for one in mended:
        if one.new == one.old:
            continue
        try:
            write(root, one.path, one.old, one.new)
        except RefusedError as error:
            refused += _refuse(one.fixed, str(error))
    return refused


def _draft(root: Path, path: str, findings: list[Finding], first_party: frozenset[str]) -> _Draft:
    # Only now, as importing libcst takes longer than linting many a project, and most runs find nothing to fix.
    from flake8_deadline.codemods.reraise import Edit, Refusal, insert_reraise  # noqa: PLC0415
    from flake8_deadline.codemods.verify import verify  # noqa: PLC0415

    old = b""
    fixes = [finding.fix for finding in findings if finding.fix is not None]
    try:
        old = read(root, path)
        edit = insert_reraise(old, fixes, first_party)
        if edit.fixes:
            verify(old, edit)
    except RefusedError as error:
        edit = Edit(old, refusals=tuple(Refusal(fix, str(error)) for fix in fixes))
    return _Draft(path, old, findings, edit)


def _faults(drafts: Mapping[str, _Draft], relint: Relint) -> dict[str, str]:
    """Why the linter objects to a file's edit, by path. Asked again without the objectionable ones, as files bear on one another."""
    faults: dict[str, str] = {}
    if not drafts:
        return faults
    before = relint({})
    while True:
        left = {path: draft for path, draft in drafts.items() if path not in faults}
        after = relint({path: draft.edit.source for path, draft in left.items()}) if left else before
        found = {path: fault for path, draft in left.items() if (fault := _fault(draft, before, after)) is not None}
        if not found:
            return faults
        faults.update(found)


def _fault(draft: _Draft, before: Set[tuple[str, int, str]], after: Set[tuple[str, int, str]]) -> str | None:
    from flake8_deadline.codemods.verify import moved  # noqa: PLC0415

    old = {(moved(line, draft.edit.added), code) for path, line, code in before if path == draft.path}
    new = {(line, code) for path, line, code in after if path == draft.path}
    for finding in draft.findings:
        if finding.fix in draft.edit.fixes and (moved(finding.line, draft.edit.added), finding.code) in new:
            return f"the linter would still find {finding.code} on line {finding.line}"
    for line, code in sorted(new - old):
        return f"the linter would find {code} on line {line} of the result"
    return None


def _mended(draft: _Draft, fault: str | None) -> Mended:
    edit = draft.edit
    if fault is not None:
        return Mended(draft.path, draft.old, draft.old, (), tuple(_refuse(draft.findings, fault)))
    reasons = {refusal.fix: refusal.reason for refusal in edit.refusals}
    fixed = tuple(finding for finding in draft.findings if finding.fix in edit.fixes)
    refused = tuple(Refused(one.path, one.line, one.code, reasons[one.fix]) for one in draft.findings if one.fix in reasons)
    return Mended(draft.path, draft.old, edit.source, fixed, refused, edit.imports, edit.first_imports)


def _refuse(findings: Iterable[Finding], reason: str) -> list[Refused]:
    return [Refused(finding.path, finding.line, finding.code, reason) for finding in findings]
