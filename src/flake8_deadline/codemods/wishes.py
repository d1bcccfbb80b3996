"""What the person who runs a fix has asked for besides the safe fixes: the unsafe ones, and the words that these need."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flake8_deadline.rule import needs_limits

if TYPE_CHECKING:
    from flake8_deadline.codemods.snippet import Snippet
    from flake8_deadline.rule import Fix


class Limits(NamedTuple):
    """The limits for tasks that have none."""

    soft: int
    """Seconds."""
    hard: int
    """Seconds, more than `soft`."""
    reason: str
    """One line, written as a comment beside them."""


class Wishes(NamedTuple):
    unsafe: bool = False
    snippet: Snippet | None = None
    """What each clause does before it raises again."""
    limits: Limits | None = None

    def grant(self, fix: Fix) -> bool:
        """Whether a fix is to be carried out."""
        if fix.safety == "safe":
            return True
        return self.limits is not None if needs_limits(fix) else self.unsafe


NOTHING = Wishes()
