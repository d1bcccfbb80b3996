"""What an edit of one text has come to, and how edits follow one another.

Each kind of fix has a module that carries it out on a text and knows nothing of the others. Here the lines of a first edit and of one made on
its result become those of both.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from flake8_deadline.codemods.numbering import moved, original

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flake8_deadline.codemods.refusal import RefusedError
    from flake8_deadline.rule import Fix


class Refusal(NamedTuple):
    fix: Fix
    reason: str
    """One line."""
    uncounted: bool = False
    """Whether all that is missing is an index of the loop."""


class Edit(NamedTuple):
    source: bytes
    """The new text; the old one where nothing was done."""
    fixes: tuple[Fix, ...] = ()
    """Those carried out."""
    refusals: tuple[Refusal, ...] = ()
    added: tuple[int, ...] = ()
    """Numbers of the added lines in the new text. All others are the old text's, in their order; what fixes change in them is told by the fix."""
    imports: tuple[str, ...] = ()
    """The modules that the added import lines name."""
    first_imports: tuple[str, ...] = ()
    """Those of their top-level packages that the file did not import anywhere before."""


def refuse(fixes: Iterable[Fix], error: RefusedError) -> tuple[Refusal, ...]:
    return tuple(Refusal(fix, str(error)) for fix in fixes)


def in_old_lines(reason: str, first: Edit) -> str:
    """A reason with the lines that it names as they were before the first edit: the reader has only that text."""

    def named(line: re.Match[str]) -> str:
        number = original(int(line[0]), first.added)
        return f"{line[0]} of the result" if number is None else str(number)

    return re.sub(r"(?<=\bline )\d+", named, reason)


def then(first: Edit, second: Edit, asked: Mapping[Any, Fix]) -> Edit:
    """One edit of two. `asked` gives, for each fix as the second was asked for it, the one that it is a fix of in the old text."""
    return Edit(
        second.source,
        (*first.fixes, *(asked[fix] for fix in second.fixes)),
        (*first.refusals, *(Refusal(asked[refusal.fix], in_old_lines(refusal.reason, first)) for refusal in second.refusals)),
        tuple(sorted({*(moved(line, second.added) for line in first.added), *second.added})),
        (*first.imports, *second.imports),
        (*first.first_imports, *second.first_imports),
    )
