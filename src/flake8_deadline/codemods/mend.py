"""Carry out the fixes of findings, and of those that come to light with them, and keep only what has been proved right.

The linter reports what is true of the code as it is: where one clause lets the deadline out, the next broad one on its way becomes a
finding, in the same file or in a caller's. So the fixes are made in rounds, and what is proved is the end: every finding said to be fixed
is gone, and nothing has come that the edit itself is to blame for. Which findings to fix is decided by the caller. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from typing import TYPE_CHECKING, NamedTuple

from flake8_deadline.codemods.draft import Draft, Place, place
from flake8_deadline.codemods.numbering import moved
from flake8_deadline.codemods.pool import Crew, drafts
from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.wishes import NOTHING, Wishes
from flake8_deadline.codemods.writer import write
from flake8_deadline.rule import Finding

if TYPE_CHECKING:
    from pathlib import Path

Lint = Callable[[Mapping[str, bytes]], Iterable[Finding]]
"""All findings of the project with these texts, by path, in place of the files' own."""
Choose = Callable[[Iterable[Finding]], Iterable[Finding]]
"""Those of the findings, their lines as in the files on disk, that were asked for."""

ROUNDS = 10
"""Each mends what the one before has brought to light: a chain of swallows deeper than this takes a second run."""
_DEADLINE = "LIM1"
"""How the codes begin that tell of clauses on a deadline's way. One that has come to light was there before, out of the deadline's reach."""

_ALONE = Crew()


class Refused(NamedTuple):
    """A finding that was not fixed, and why, in one line."""

    path: str
    line: int
    """In the file before any edit."""
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
    added: tuple[int, ...] = ()
    """Numbers of the added lines in the new text."""


class Outcome(NamedTuple):
    files: tuple[Mended, ...] = ()
    """Each file that has a finding to fix, in the order of paths."""
    revealed: tuple[Refused, ...] = ()
    """Findings that the fixes have brought to light and that are left."""


class _Job(NamedTuple):
    root: Path
    lint: Lint
    choose: Choose
    first_party: frozenset[str]
    wishes: Wishes
    before: Set[Place]
    """Where the linter has findings in the files on disk."""
    crew: Crew


class _Settled(NamedTuple):
    """The files' edits once no round brings anything to fix; or why not so, by finding."""

    drafts: Mapping[str, Draft]
    revealed: Mapping[Place, Finding]
    objections: Mapping[Place, str]


def mend_in_rounds(
    root: Path,
    asked: Iterable[Finding],
    lint: Lint,
    choose: Choose,
    first_party: frozenset[str] = frozenset(),
    wishes: Wishes = NOTHING,
    crew: Crew = _ALONE,
) -> Outcome:
    """The new text of each file with findings that were asked for or came to light; those without a fix that is wished for are passed over.

    `root` is what the findings' paths are relative to; `first_party`: top-level packages of the project. Odd files raise nothing: each
    finding that is not fixed is among the refused.
    """
    wanted = _fixable(asked, wishes)
    if not wanted:
        return Outcome()
    job = _Job(root, lint, choose, first_party, wishes, {place(finding) for finding in lint({})}, crew)
    objections: dict[Place, str] = {}
    known: Mapping[str, Draft] = {}
    while True:
        # From the start without what was objected to: what that has brought to light may not be there.
        settled = _settle(job, wanted, objections, known)
        known = settled.drafts
        if not settled.objections:
            return _outcome(job, settled, wanted.keys(), objections)
        objections.update(settled.objections)


def apply(root: Path, mended: Iterable[Mended]) -> list[Refused]:
    """Write the files that have changed; the findings of those that could not be written."""
    refused: list[Refused] = []
    for one in mended:
        if one.new == one.old:
            continue
        try:
            write(root, one.path, one.old, one.new)
        except RefusedError as error:
            refused += [Refused(*place(finding), str(error)) for finding in one.fixed]
    return refused


def _fixable(findings: Iterable[Finding], wishes: Wishes) -> dict[Place, Finding]:
    return {place(finding): finding for finding in findings if finding.fix is not None and wishes.grant(finding.fix)}


def _settle(job: _Job, asked: Mapping[Place, Finding], refused: Mapping[Place, str], known: Mapping[str, Draft]) -> _Settled:
    """Fix, lint, and fix what has come to light, until nothing new comes."""
    wanted = dict(asked)
    current = known
    revealed: dict[Place, Finding] = {}
    for _ in range(ROUNDS):
        current = _drafts(job, wanted, refused, current)
        texts = {path: one.edit.source for path, one in current.items() if one.edit.fixes}
        if not texts:
            break
        found, objections = _found(job, current, texts, refused)
        objections.update(_unhelped(job, current, found))
        if objections:
            return _Settled(current, {}, objections)
        revealed = {where: finding for where, finding in found.items() if where not in job.before and where not in wanted}
        more = {where: finding for where, finding in _fixable(job.choose(revealed.values()), job.wishes).items() if where not in refused}
        if not more:
            break
        wanted.update(more)
    return _Settled(current, revealed, {})


def _drafts(job: _Job, wanted: Mapping[Place, Finding], refused: Mapping[Place, str], known: Mapping[str, Draft]) -> dict[str, Draft]:
    """The edit of each file, made anew where there is more to fix in it, or less."""
    files: dict[str, list[Finding]] = {where.path: [] for where in sorted({*wanted, *refused})}
    for where in sorted(wanted):
        if where not in refused:
            files[where.path].append(wanted[where])
    stale = {path: members for path, members in files.items() if path not in known or known[path].findings != tuple(members)}
    made = drafts(job.root, stale, job.first_party, job.crew, job.wishes)
    return {path: made[path] if path in made else known[path] for path in files}


def _found(
    job: _Job, drafts: Mapping[str, Draft], texts: Mapping[str, bytes], refused: Mapping[Place, str]
) -> tuple[dict[Place, Finding], dict[Place, str]]:
    """What the linter finds in the new texts, with the lines of the files on disk; and its objections to fixes that bring something new."""
    found: dict[Place, Finding] = {}
    objections: dict[Place, str] = {}
    for finding in job.lint(texts):
        one = drafts.get(finding.path)
        on_disk = finding if one is None else one.on_disk(finding)
        if on_disk is not None:
            found[place(on_disk)] = on_disk
        if one is not None and (on_disk is None or (not finding.code.startswith(_DEADLINE) and place(on_disk) not in job.before)):
            reason = f"the linter would find {finding.code} on line {finding.line} of the result"
            objections.update({place(fixed): reason for fixed in _to_blame(one, finding, refused)})
    return found, objections


def _to_blame(one: Draft, finding: Finding, refused: Iterable[Place]) -> tuple[Finding, ...]:
    """The fixes of a file that are given up for what the linter finds in their result: the nearest above it, an unsafe one rather.

    If something is still found then, all unsafe ones are, and at last all: a file costs three more runs of the linter at most.
    """
    unsafe = tuple(fixed for fixed in one.fixed if fixed.fix is not None and fixed.fix.safety == "unsafe")
    suspects = unsafe or one.fixed
    if any(where.path == one.path for where in refused):
        return suspects
    above = [fixed for fixed in suspects if moved(fixed.line, one.edit.added) <= finding.line]
    return tuple(above[-1:]) or suspects


def _unhelped(job: _Job, drafts: Mapping[str, Draft], found: Iterable[Place]) -> dict[Place, str]:
    """The fixed findings whose clause is still one, under their own code or a new one."""
    fixed = {place(finding) for one in drafts.values() for finding in one.fixed}
    left = {where[:2]: where.code for where in found if where in fixed or (where.code.startswith(_DEADLINE) and where not in job.before)}
    return {where: f"the linter would still find {left[where[:2]]} on line {where.line}" for where in fixed if where[:2] in left}


def _outcome(job: _Job, settled: _Settled, asked: Set[Place], objections: Mapping[Place, str]) -> Outcome:
    refused = {where: reason for where, reason in objections.items() if where in asked or where in settled.revealed}
    chosen = {place(finding) for finding in job.choose(settled.revealed.values())}
    revealed = [Refused(*where, _why_left(job, finding, where in chosen)) for where, finding in settled.revealed.items() if where not in refused]
    return Outcome(tuple(_mended(one, refused) for one in settled.drafts.values()), tuple(sorted(revealed)))


def _mended(one: Draft, refused: Mapping[Place, str]) -> Mended:
    edit = one.edit
    reasons = one.refused | {where: reason for where, reason in refused.items() if where.path == one.path}
    told = tuple(Refused(*where, reasons[where]) for where in sorted(reasons))
    return Mended(one.path, one.old, edit.source, one.fixed, told, edit.imports, edit.first_imports, edit.added)


def _why_left(job: _Job, finding: Finding, is_chosen: bool) -> str:
    if not is_chosen:
        return "not asked for"
    return "no safe fix" if not _fixable([finding], job.wishes) else f"comes to light only after {ROUNDS} rounds: run this again"
