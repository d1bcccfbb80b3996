"""Edits of source text where a finding says so; the only package that imports libcst.

`mend` carries out findings' fixes, `writer` puts the result on disk, `guard` keeps uncommitted work safe, `patch` prints a diff, and
`ReraiseDeadline` is the same edit as a libcst command. What to fix is never decided here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flake8_deadline.codemods.command import ReraiseDeadline

__all__ = ["ReraiseDeadline"]


def __getattr__(name: str) -> type[ReraiseDeadline]:
    # On demand: libcst's codemod framework takes longer to import than most fixes take to run, and `mend` needs none of it.
    if name == "ReraiseDeadline":
        from flake8_deadline.codemods.command import ReraiseDeadline  # noqa: PLC0415

        return ReraiseDeadline
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
