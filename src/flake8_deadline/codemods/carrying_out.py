"""Carry out the fixes of one file, one kind after another, each proved on the text it was made on.

Decides the order: clauses first, as the loop around them may be indented anew; arguments last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, Union

from msgspec.structs import replace

from flake8_deadline.codemods.arguments import pass_arguments, without_arguments
from flake8_deadline.codemods.edit import Edit, refuse, then
from flake8_deadline.codemods.enumeration import count, uncount
from flake8_deadline.codemods.isolation import isolate, without_isolation
from flake8_deadline.codemods.numbering import moved
from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.reraise import insert_reraise
from flake8_deadline.codemods.savepoint import add_savepoints, without_savepoints
from flake8_deadline.codemods.verify import prove, verify
from flake8_deadline.rule import Declare, Isolate, Pass, Reraise, Savepoint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flake8_deadline.codemods.wishes import Wishes
    from flake8_deadline.rule import Fix


Some = TypeVar("Some", Reraise, Isolate, Savepoint, Union[Pass, Declare])


def carry_out(source: bytes, fixes: Iterable[Fix], wishes: Wishes, first_party: frozenset[str]) -> Edit:
    """The edit that comes of all fixes of a file. Nothing is raised: what cannot be done is among the refusals."""
    whole = Edit(source)
    wanted = list(fixes)
    clauses = {_now(fix, whole): fix for fix in wanted if isinstance(fix, Reraise)}
    if clauses:
        whole = then(whole, _reraised(whole.source, list(clauses), wishes, first_party), clauses)
    loops = {_now(fix, whole): fix for fix in wanted if isinstance(fix, Isolate)}
    if loops:
        whole = then(whole, _isolated(whole.source, list(loops), wishes, first_party), loops)
    tries = {_now(fix, whole): fix for fix in wanted if isinstance(fix, Savepoint)}
    if tries:
        whole = then(whole, _saved(whole.source, list(tries), first_party), tries)
    calls = {_now(fix, whole): fix for fix in wanted if isinstance(fix, (Pass, Declare))}
    if calls:
        whole = then(whole, _passed(whole.source, list(calls), wishes, first_party), calls)
    return whole


def _now(fix: Some, whole: Edit) -> Some:
    """The fix, at the line where its place stands after the edit so far."""
    return replace(fix, line=moved(fix.line, whole.added))


def _reraised(source: bytes, fixes: list[Reraise], wishes: Wishes, first_party: frozenset[str]) -> Edit:
    edit = insert_reraise(source, fixes, first_party, wishes.snippet)
    uncounted = {refusal.fix for refusal in edit.refusals if refusal.uncounted}
    if not uncounted:
        return _proved(source, edit, lambda: verify(source, edit, wishes.snippet))
    counting = count(source, [fix for fix in fixes if fix in uncounted])
    counted = _proved(source, counting, lambda: prove(source, counting, uncount))
    rest = [fix for fix in fixes if fix not in {refusal.fix for refusal in counted.refusals}]
    second = insert_reraise(counted.source, rest, first_party, wishes.snippet)
    both = _proved(counted.source, second, lambda: verify(counted.source, second, wishes.snippet))
    return both._replace(source=both.source if both.fixes else source, refusals=(*counted.refusals, *both.refusals))


def _isolated(source: bytes, fixes: list[Isolate], wishes: Wishes, first_party: frozenset[str]) -> Edit:
    edit = isolate(source, fixes, first_party, wishes.snippet)
    return _proved(source, edit, lambda: prove(source, edit, without_isolation))


def _saved(source: bytes, fixes: list[Savepoint], first_party: frozenset[str]) -> Edit:
    edit = add_savepoints(source, fixes, first_party)
    return _proved(source, edit, lambda: prove(source, edit, without_savepoints))


def _passed(source: bytes, fixes: list[Pass | Declare], wishes: Wishes, first_party: frozenset[str]) -> Edit:
    edit = pass_arguments(source, fixes, wishes, first_party)
    return _proved(source, edit, lambda: prove(source, edit, without_arguments))


def _proved(old: bytes, edit: Edit, check: Callable[[], None]) -> Edit:
    """The edit, or its fixes refused where it does not pass its check."""
    if edit.fixes:
        try:
            check()
        except RefusedError as error:
            return Edit(old, refusals=(*edit.refusals, *refuse(edit.fixes, error)))
    return edit
