"""Insert `except <signal>: raise` before clauses that swallow the deadline signal, and the one import that this needs.

Which clauses is given, by the line of their `except`. Decided here: whether the clause can be edited at all. Everything doubtful is
refused with a reason. libcst makes the edit (`insertion`); of its output only the new lines are kept.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from flake8_deadline.codemods.edit import Edit, Refusal, refuse
from flake8_deadline.codemods.handlers import clauses, require_editable
from flake8_deadline.codemods.imports import newcomers
from flake8_deadline.codemods.insertion import insert
from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.scopes import around
from flake8_deadline.codemods.snippet import UncountedError, Words, words
from flake8_deadline.codemods.spelling import Vocabulary
from flake8_deadline.codemods.syntax import parse_written

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flake8_deadline.codemods.snippet import Snippet
    from flake8_deadline.codemods.spelling import Spelling
    from flake8_deadline.rule import Reraise


class _Step(NamedTuple):
    """A fix, worked out."""

    fix: Reraise
    place: int
    """Of the clause, among all clauses of the file."""
    spelling: Spelling
    words: Words


def insert_reraise(source: bytes, fixes: Iterable[Reraise], first_party: frozenset[str] = frozenset(), snippet: Snippet | None = None) -> Edit:
    """Carry out the fixes on the text of one file. Nothing is raised: what cannot be done is among the refusals.

    `first_party`: top-level packages of the project, for the place of the import. `snippet`: what each clause does before it raises.
    """
    wanted = sorted(set(fixes))
    try:
        tree = parse_written(source)
    except RefusedError as error:
        return Edit(source, refusals=refuse(wanted, error))
    steps, refusals = _work_out(tree, wanted, snippet)
    if not steps:
        return Edit(source, refusals=refusals)
    clauses_at: dict[int, dict[str, Words]] = {}
    imports: dict[tuple[str, str], None] = {}
    for fix, place, spelling, clause in steps:
        clauses_at.setdefault(place, {})[spelling.text] = clause
        if spelling.module is not None:
            imports[spelling.module, fix.name] = None
    try:
        text, added = insert(source, tree, {place: tuple(several.values()) for place, several in clauses_at.items()}, imports, first_party)
    except RefusedError as error:
        return Edit(source, refusals=tuple(sorted([*refusals, *refuse([step.fix for step in steps], error)])))
    modules = tuple(module for module, _ in imports)
    return Edit(text, tuple(step.fix for step in steps), refusals, added, modules, newcomers(tree, modules))


def _work_out(tree: ast.Module, fixes: Iterable[Reraise], snippet: Snippet | None) -> tuple[list[_Step], tuple[Refusal, ...]]:
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
            spelling = vocabularies[signal].spell(fix.line, clause.deferred)
            said = words(snippet, spelling.text, tree, around(tree, clause.handler)) if snippet else Words(spelling.text)
            steps.append(_Step(fix, clause.place, spelling, said))
        except RefusedError as error:
            refusals.append(Refusal(fix, str(error), isinstance(error, UncountedError)))
    return steps, tuple(refusals)
