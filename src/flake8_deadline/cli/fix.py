"""`flake8-deadline fix`: the diff of all safe fixes, or with `--write` the fixes themselves.

Fixes what `check` would report with the same arguments, and what it would report once that is fixed, no more. The diff alone goes to
standard output, so that `git apply` can take it; what is said about it goes to standard error.
"""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from flake8_deadline.check import analyse
from flake8_deadline.cli.output import style
from flake8_deadline.cli.progress import Progress, progress
from flake8_deadline.cli.session import Session, analysed
from flake8_deadline.cli.wishes import wishes
from flake8_deadline.cli.writing import preparing, write_all
from flake8_deadline.codemods.draft import Place, place
from flake8_deadline.codemods.first_party import first_party
from flake8_deadline.codemods.guard import UnsafeError, require_committed
from flake8_deadline.codemods.mend import Mended, Outcome, Refused, mend_in_rounds
from flake8_deadline.codemods.numbering import moved
from flake8_deadline.codemods.patch import unified_diff
from flake8_deadline.codemods.pool import Crew, usable_cpus
from flake8_deadline.configuration import ConfigurationError
from flake8_deadline.report.style import Style, printable
from flake8_deadline.report.text import failure, near, number, project
from flake8_deadline.rule import needs_limits
from flake8_deadline.rules import RULES
from flake8_deadline.selection import select, selects_any
from flake8_deadline.tree import walk

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping

    from flake8_deadline.check import Statistics
    from flake8_deadline.codemods.wishes import Wishes
    from flake8_deadline.rule import Finding

_FOR_LIMITS = {"LIM301", "LIM307"}
"""The rules whose findings limits mend."""
_OFF = {rule.code for rule in RULES if not rule.default}
_COLOURS = {b"+": "green", b"-": "red", b"@": "cyan"}


class _Done(NamedTuple):
    asked: list[Finding]
    changed: list[Mended]
    refused: list[Refused]
    revealed: tuple[Refused, ...]
    read: Statistics
    is_written: bool


def run(parsed: argparse.Namespace) -> int:
    wished = wishes(parsed)
    with progress(os.environ, is_quiet=parsed.quiet) as line:
        with preparing() if parsed.write else nullcontext():
            line.say("reading the project")
            session = analysed(parsed, parsed.paths)
            if session is None:
                return 2
            if parsed.write and not session.is_configured:
                _say("flake8-deadline: nothing is written, as the configuration may exclude what would be; --isolated does without it")
                return 2
            if wished.limits is not None and not selects_any(session.namespace, _FOR_LIMITS - _OFF.difference(session.options.enable)):
                _say("flake8-deadline: no limit is written, as select and ignore leave out LIM301")
            selection = select(session.analysis, session.namespace)
            asked = [one.finding for one in selection.shown]
            outcome = _mended(session, asked, wished, _crew(parsed, line), line)
        changed = [one for one in outcome.files if one.new != one.old]
        refused = [refusal for one in outcome.files for refusal in one.refused]
        root = Path(session.options.root)
        if parsed.write:
            _require_a_way_back(root, changed, allow_dirty=parsed.allow_dirty)
            failed = write_all(root, changed, line)
            changed = [one for one in changed if one.path not in {refusal.path for refusal in failed}]
            refused += failed
    if not parsed.write:
        _show(root, changed, style(parsed.color))
    for path, error in selection.errors:
        _say(failure(path, error))
    if not parsed.quiet or refused or outcome.revealed:
        for text in _summary(_Done(asked, changed, refused, outcome.revealed, selection.statistics, is_written=parsed.write)):
            _say(text)
    if not session.is_complete:
        return 2
    return 1 if refused or selection.errors or (changed and not parsed.write) else 0


def _mended(session: Session, asked: Iterable[Finding], wished: Wishes, crew: Crew, line: Progress) -> Outcome:
    options = session.options

    def lint(texts: Mapping[str, bytes]) -> Iterable[Finding]:
        if not texts:
            return session.analysis.findings
        line.say("checking the result")
        return analyse(options, texts).findings

    def choose(findings: Iterable[Finding]) -> Iterable[Finding]:
        analysis = replace(session.analysis, findings=tuple(sorted(findings)))
        return [one.finding for one in select(analysis, session.namespace).shown]

    fixable = [finding for finding in asked if finding.fix is not None and wished.grant(finding.fix)]
    if not fixable:
        return Outcome()
    known = first_party(walk(options.root, options.exclude_from_index))
    return mend_in_rounds(Path(options.root), fixable, lint, choose, known, wished, crew)


def _crew(parsed: argparse.Namespace, line: Progress) -> Crew:
    return Crew(parsed.jobs or usable_cpus(), lambda done, total: line.say(f"editing {done} of {number(total, 'file')}"))


def _require_a_way_back(root: Path, changed: list[Mended], *, allow_dirty: bool) -> None:
    try:
        require_committed(root, [one.path for one in changed], os.environ, allow_dirty)
    except UnsafeError as error:
        raise ConfigurationError(str(error)) from error


def _show(root: Path, changed: list[Mended], look: Style) -> None:
    sys.stdout.flush()
    for one in changed:
        # `git apply` takes names from the directory it is run in.
        path = near(str(root / one.path))
        diff = unified_diff(one.path if os.path.isabs(path) else path, one.old, one.new)
        sys.stdout.buffer.write(_painted(diff, look) if look.colour else diff)
    sys.stdout.buffer.flush()


def _painted(diff: bytes, look: Style) -> bytes:
    return b"".join(_painted_line(line, look) for line in diff.splitlines(keepends=True))


def _painted_line(line: bytes, look: Style) -> bytes:
    colour = _COLOURS.get(line[:1])
    if colour is None:
        return line
    before, after = look.paint(colour, "\0").encode().split(b"\0")
    text = line.rstrip(b"\r\n")
    return before + text + after + line[len(text) :]


def _summary(done: _Done) -> Iterator[str]:
    fixed = {place(finding) for one in done.changed for finding in one.fixed}
    asked = {place(finding) for finding in done.asked}
    left = [finding for finding in done.asked if place(finding) not in fixed | {Place(*refusal[:3]) for refusal in done.refused}]
    if done.changed:
        came = f", {len(fixed - asked)} of them revealed by the fix of another" if fixed - asked else ""
        files = number(len(done.changed), "file")
        yield f"{'Fixed' if done.is_written else 'Would fix'} {number(len(fixed), 'finding')} in {files}{_imports(done.changed)}{came}."
    elif not done.refused:
        # Without a task, most rules have nothing to say: the wrong directory, or decorators that are not known.
        yield "Nothing to fix." if done.read.tasks else f"Nothing to fix in {project(done.read)}."
    if done.refused:
        yield f"Not fixed: {len(done.refused)}"
        yield from _listed(done, done.refused)
    if done.revealed:
        yield f"{number(len(done.revealed), 'finding')} revealed by the fixes and left:"
        yield from _listed(done, done.revealed)
    yield from _left(left)
    if done.changed and not done.is_written:
        yield "Apply with --write."


def _left(left: list[Finding]) -> Iterator[str]:
    """What was not asked for, and what no fix can mend."""
    fixes = [finding.fix for finding in left]
    limits = sum(fix is not None and needs_limits(fix) for fix in fixes)
    unsafe = sum(fix is not None for fix in fixes) - limits
    if unsafe:
        yield f"{number(unsafe, 'finding')} with an unsafe fix: --unsafe."
    if limits:
        yield f"{number(limits, 'task')} without a limit: --soft SECONDS --hard SECONDS --reason TEXT."
    if None in fixes:
        yield f"{number(fixes.count(None), 'finding')} without a fix: see flake8-deadline check."


def _listed(done: _Done, left: Iterable[Refused]) -> Iterator[str]:
    """What is left, at the lines where it stands now."""
    added = {one.path: one.added for one in done.changed if done.is_written}
    for one in sorted(left):
        yield f"  {printable(one.path)}:{moved(one.line, added.get(one.path, ()))}: {one.code} {printable(one.reason)}"


def _imports(changed: list[Mended]) -> str:
    imports = sum(len(one.imports) for one in changed)
    packages = sorted({package for one in changed for package in one.first_imports})
    files = sum(bool(one.first_imports) for one in changed)
    said = [f"{number(imports, 'import')} added"] if imports else []
    if packages:
        said.append(f"{number(files, 'file')} {'imports' if files == 1 else 'import'} {' or '.join(packages)} for the first time")
    return f" ({', '.join(said)})" if said else ""


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
