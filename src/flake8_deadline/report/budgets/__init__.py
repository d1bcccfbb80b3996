"""How an audit of budgets is written down: `table` all tasks, `why` one task with all its evidence, `json` for programs.

Here are the words that the reports for a reader share. What is in an audit is decided elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flake8_deadline.report.style import printable

if TYPE_CHECKING:
    from flake8_deadline.audit import Budget, Spot, Worker

_WORDS = {"flag-env": "env", "flag-fallback": "fallback", "base-class": "base class"}


def word(kind: str) -> str:
    """What a reader is told of a kind of source."""
    return _WORDS.get(kind, printable(kind))


def place(spot: Spot) -> str:
    return f"{printable(spot.path)}:{spot.line}"


def seconds(value: float) -> str:
    """The number as short as it is exact: `120`, `0.5`."""
    return str(int(value)) if value % 1 == 0 and abs(value) < 1e15 else repr(value)


def is_unknown(budget: Budget) -> bool:
    return budget.value is None and (budget.kind == "unresolved" or bool(budget.unknown))


def standing(worker: Worker | None) -> int:
    """The order of workers: those of production, none at all, those of development and CI."""
    if worker is None:
        return 1
    return 0 if worker.role == "production" else 2


def called(worker: Worker) -> str:
    """The worker's name, with a mark where it is none of production."""
    return printable(worker.id) + (" (dev)" if standing(worker) == 2 else "")
