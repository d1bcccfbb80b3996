"""Why one task has the limits that it has: for each worker and each call with limits of its own, every level that was looked at.

The winner comes first (`>`), then the levels in the order in which they are evaluated: `x` lost, `?` cannot be read, `-` says nothing.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from flake8_deadline.report.budgets import called, is_unknown, place, seconds, standing, word
from flake8_deadline.report.style import Style, columns, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flake8_deadline.audit import Audit, Budget, Evidence, Release, Row, Worker

_COLOURS = {">": "green", "x": "red", "?": "red"}


class _Line(NamedTuple):
    mark: str
    kind: str
    place: str
    value: str
    detail: str


def rows_of(audit: Audit, task: str) -> tuple[Row, ...]:
    """The rows of a task by its whole name, else of those whose names end with it (`tasks.scan`)."""
    return tuple(row for row in audit.rows if row.task == task) or tuple(row for row in audit.rows if task and row.task.endswith(f".{task}"))


def why(audit: Audit, task: str, style: Style) -> str:
    workers = {worker.id: worker for worker in audit.workers}
    rows = [(row, None if row.worker is None else workers.get(row.worker)) for row in rows_of(audit, task)]
    if not rows:
        near = get_close_matches(task, {row.task for row in audit.rows}, n=1)
        return f"No task is called {printable(task)}{f'; did you mean {printable(near[0])}?' if near else ''}\n"
    rows.sort(key=lambda pair: (pair[0].task, standing(pair[1]), pair[0].call is not None))
    return "\n\n".join("\n".join(_block(row, worker, audit.celery, style)) for row, worker in rows) + "\n"


def _block(row: Row, worker: Worker | None, celery: Release, style: Style) -> Iterator[str]:
    head = f"{style.paint('bold', printable(row.task))} ({place(row.at)})"
    if row.call is not None:
        head += f" called at {place(row.call)}"
    queue = "queue not known" if row.queue is None else f"queue {printable(row.queue)}"
    if worker is None:
        yield f"{head} on {'no worker' if row.worker is None else printable(row.worker)} ({queue})"
    else:
        yield f"{head} on {called(worker)} ({place(worker.at)}, {queue}, pool {_pool(worker)})"
        if worker.via:
            yield f"  started through {', '.join(map(place, worker.via))}"
        if worker.fault:
            yield f"  cannot start: {printable(worker.fault)}"
    for name, budget in (("soft", row.soft), ("hard", row.hard)):
        yield f"  {style.paint('bold', name)} {_verdict(budget, worker)}"
        yield from _levels(budget, celery, style)


def _verdict(budget: Budget, worker: Worker | None) -> str:
    if is_unknown(budget):
        return f"not known{f': {printable(budget.unknown)}' if budget.unknown else ''}"
    if budget.value is None:
        return "no limit"
    said = f"{seconds(budget.value)} s"
    if not budget.chosen:
        said += ", which nobody chose"
    if budget.enforced is None:
        said += "; whether the pool enforces it is not known"
    elif not budget.enforced:
        said += f"; the pool{'' if worker is None else f' {_pool(worker)}'} does not enforce it"
    return said


def _levels(budget: Budget, celery: Release, style: Style) -> Iterator[str]:
    ordered = sorted(budget.why, key=lambda one: not one.won)
    lines = [_level(one, celery) for one in ordered]
    kinds, places, values = (max((columns(line[field]) for line in lines), default=0) for field in (1, 2, 3))
    for one, line in zip(ordered, lines):
        mark = style.paint(_COLOURS[line.mark], line.mark) if line.mark in _COLOURS else line.mark
        yield f"    {mark} {_fill(line.kind, kinds)}  {_fill(line.place, places)}  {_fill(line.value, values)}  {line.detail}".rstrip()
        if one.won and budget.via:
            yield f"        through {', '.join(map(place, budget.via))}"


def _level(one: Evidence, celery: Release) -> _Line:
    said = [one.text] if one.text and not _is_number(one) else []
    if one.variable and one.variable not in one.text + one.note:
        said.append(f"from {one.variable}")
    said += [text for text in (one.note, one.unknown and f"cannot be read: {one.unknown}", _lost(one, celery)) if text]
    value = "?" if one.unknown and one.value is None else "-" if one.value is None else seconds(one.value)
    return _Line(_mark(one), word(one.kind), "-" if one.at is None else place(one.at), value, printable("; ".join(said)))


def _mark(one: Evidence) -> str:
    if one.won:
        return ">"
    if one.lost_to:
        return "x"
    if one.unknown:
        return "?"
    return "-" if one.value is None else "x"


def _lost(one: Evidence, celery: Release) -> str:
    if not one.lost_to:
        return ""
    here = f" on Celery {celery.version}" if one.wins_on and celery.version is not None else ""
    return f"beaten by the {word(one.lost_to)}{here}{f'; on {one.wins_on} this wins' if one.wins_on else ''}"


def _is_number(one: Evidence) -> bool:
    """Whether what is written is only the value itself."""
    return one.value is not None and one.text.strip() == seconds(one.value)


def _pool(worker: Worker) -> str:
    return printable(worker.pool) or "not known"


def _fill(text: str, width: int) -> str:
    return text + " " * (width - columns(text))
