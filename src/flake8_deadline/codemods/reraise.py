"""Insert `except <signal>: raise` before clauses that swallow the deadline signal, and the one import that this needs.

Which clauses is given, by the line of their `except`. Decided here: whether the clause can be edited at all. Everything doubtful is
refused with a reason. libcst makes the edit (`insertion`); of its output only the new lines are kept.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from flake8_deadline.codemods.handlers import clauses, require_editable
from flake8_deadline.codemods.insertion import insert
from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.spelling import Vocabulary
from flake8_deadline.codemods.syntax import parse
from flake8_deadline.codemods.transplant import lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flake8_deadline.codemods.spelling import Spelling
    from flake8_deadline.rule import Fix

_GENERATED = re.compile(rb"@generated\b|\bgenerated\b.*\bdo not edit\b", re.IGNORECASE)


class Refusal(NamedTuple):
    fix: Fix
    reason: str
    """One line."""


class Edit(NamedTuple):
    source: bytes
    """The new text; the old one where nothing was done."""
    fixes: tuple[Fix, ...] = ()
    """Those carried out."""
    refusals: tuple[Refusal, ...] = ()
    added: tuple[int, ...] = ()
    """Numbers of the added lines in the new text."""
    imports: tuple[str, ...] = ()
    """The modules that the added import lines name."""
    first_imports: tuple[str, ...] = ()
    """Those of their top-level packages that the file did not import anywhere before."""


class _Step(NamedTuple):
    """A fix, worked out."""

    fix: Fix
    place: int
    """Of the clause, among all clauses of the file."""
    spelling: Spelling


def insert_reraise(source: bytes, fixes: Iterable[Fix], first_party: frozenset[str] = frozenset()) -> Edit:
    """Carry out the fixes on the text of one file. Nothing is raised: what cannot be done is among the refusals.

    `first_party`: top-level packages of the project, for the place of the import.
    """
    wanted = sorted(set(fixes))
    try:
        if any(map(_GENERATED.search, lines(source)[:10])):
            raise RefusedError("the file is generated: change what generates it")
        tree = parse(source)
    except RefusedError as error:
        return Edit(source, refusals=_refuse(wanted, error))
    steps, refusals = _work_out(tree, wanted)
    if not steps:
        return Edit(source, refusals=refusals)
    names: dict[int, dict[str, None]] = {}
    imports: dict[tuple[str, str], None] = {}
    for fix, place, spelling in steps:
        names.setdefault(place, {})[spelling.text] = None
        if spelling.module is not None:
            imports[spelling.module, fix.name] = None
    try:
        text, added = insert(source, tree, names, imports, first_party)
    except RefusedError as error:
        return Edit(source, refusals=tuple(sorted([*refusals, *_refuse([step.fix for step in steps], error)])))
    modules = tuple(module for module, _ in imports)
    return Edit(text, tuple(step.fix for step in steps), refusals, added, modules, _newcomers(tree, modules))


def _refuse(fixes: Iterable[Fix], error: RefusedError) -> tuple[Refusal, ...]:
    return tuple(Refusal(fix, str(error)) for fix in fixes)


def _work_out(tree: ast.Module, fixes: Iterable[Fix]) -> tuple[list[_Step], tuple[Refusal, ...]]:
    steps: list[_Step] = []
    refusals: list[Refusal] = []
    found = clauses(tree)
    vocabularies: dict[tuple[str, str], Vocabulary] = {}
    for fix in fixes:
        signal = fix.module, fix.name
        if signal not in vocabularies:
            vocabularies[signal] = Vocabulary(tree, fix.module, fix.name)
        try:
            if fix.line not in found:
                raise RefusedError("no except clause begins on this line")
            clause = found[fix.line]
            require_editable(clause, vocabularies[signal])
            steps.append(_Step(fix, clause.place, vocabularies[signal].spell(fix.line, clause.deferred)))
        except RefusedError as error:
            refusals.append(Refusal(fix, str(error)))
    return steps, tuple(refusals)


def _newcomers(tree: ast.Module, modules: Iterable[str]) -> tuple[str, ...]:
    """The top-level packages of these modules that no import of the file names, at whatever level it stands."""
    known: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            known.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            known.add(str(node.module).partition(".")[0])
    packages = (module.partition(".")[0] for module in modules)
    return tuple(dict.fromkeys(package for package in packages if package not in known))
