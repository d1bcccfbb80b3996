"""All tasks with their limits, for a reader: a line for each task of a small project, a line for equal limits of a larger one.

Then what the marks mean, what is wrong with a worker, what could not be told, the findings, and a last line that sums up. The table takes
less room where the terminal is narrow: places lose their folders, then go. Names are never cut.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from flake8_deadline.report.budgets import called, is_unknown, place, seconds, standing, word
from flake8_deadline.report.style import Style, columns, printable
from flake8_deadline.report.text import number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from flake8_deadline.audit import Audit, Budget, Release, Row, Spot, Worker
    from flake8_deadline.rule import Finding

    Workers = dict[str, Worker]
    Placing = Callable[[Spot], str]

_NAMED = 12
"""As many rows are listed by the tasks' names."""
_QUEUES = 3
"""As many queues of a worker are named."""
_RULES = {
    True: "flag > config; 5.7 would reverse this",
    False: "config > flag, as on every Celery since 5.7",
    None: "flag > config up to Celery 5.6, config > flag from 5.7 on",
}


class _Line(NamedTuple):
    """A line of the table: its first cells, and the limits of the rows that it stands for."""

    left: tuple[str, ...]
    soft: tuple[Budget, ...]
    hard: tuple[Budget, ...]


class _Column(NamedTuple):
    head: str
    cells: list[str]
    is_number: bool = False
    is_mark: bool = False
    gap: int = 3

    @property
    def width(self) -> int:
        return max(map(columns, (self.head, *self.cells)))


def table(audit: Audit, style: Style) -> str:
    workers = {worker.id: worker for worker in audit.workers}
    grid = _grid(audit.rows, workers, style) if audit.rows else []
    concise = (f"{printable(one.path)}:{one.line}:{one.column}: {one.code} {printable(one.message)}" for one in sorted(audit.findings, key=_order))
    blocks = [[_heading(audit)], [*grid, *_legend(audit.rows, workers, style)], _troubles(audit), _unresolved(audit), concise, _counts(audit)]
    return "\n\n".join(filter(None, map("\n".join, blocks))) + "\n"


def _heading(audit: Audit) -> str:
    tasks = len({row.task for row in audit.rows})
    return f"{_release(audit.celery)}   {number(len(audit.workers), 'worker')}, {number(tasks, 'task')}   [{_RULES[audit.celery.flag_first]}]"


def _release(celery: Release) -> str:
    version = "of a version that is not known" if celery.version is None else printable(celery.version)
    return f"celery {version}{'' if celery.at is None else f' ({place(celery.at)})'}"


def _grid(rows: Sequence[Row], workers: Workers, style: Style) -> list[str]:
    ordered = sorted(rows, key=lambda row: (standing(_worker(row, workers)), _badness(row), row.task, row.worker or ""))
    heads = ["task", "queue", "worker"] if len(rows) <= _NAMED else ["worker", "queues", "pool", "tasks"]
    lines = [_named(row, workers) for row in ordered] if len(rows) <= _NAMED else [*_folded(ordered, workers)]
    laid: list[_Column] = []
    for placing in (place, _tails(lines), None):
        left = [_Column(head, [line.left[index] for line in lines], is_number=head == "tasks") for index, head in enumerate(heads)]
        soft, hard = [line.soft for line in lines], [line.hard for line in lines]
        laid = [*left, *_limits("soft", soft, placing), *_limits("hard", hard, placing)]
        if sum(column.width + column.gap for column in laid) - laid[0].gap <= style.width:
            break
    return [*_lay(laid, style)]


def _named(row: Row, workers: Workers) -> _Line:
    task = printable(row.task) + ("" if row.call is None else f" (called at {place(row.call)})")
    return _Line((task, "?" if row.queue is None else printable(row.queue), _name(row, workers)), (row.soft,), (row.hard,))


def _folded(ordered: Sequence[Row], workers: Workers) -> Iterator[_Line]:
    """A line for rows of one worker whose limits look the same; the rows, and so the workers, come worst first."""
    groups: dict[str | None, dict[object, list[Row]]] = {}
    for row in ordered:
        groups.setdefault(row.worker, {}).setdefault((_look(row.soft), _look(row.hard)), []).append(row)
    for group in groups.values():
        first = next(iter(group.values()))[0]
        worker = _worker(first, workers)
        seen = worker.queues if worker else sorted({row.queue or "?" for rows in group.values() for row in rows})
        who = (_name(first, workers), _several(seen), printable(worker.pool) if worker else "")
        for rows in group.values():
            tasks = len({row.task for row in rows})
            yield _Line((*who, str(tasks)), tuple(row.soft for row in rows), tuple(row.hard for row in rows))
            who = ("", "", "")


def _look(budget: Budget) -> tuple[str, str, str]:
    return _value(budget), _mark(budget), budget.kind


def _several(queues: Sequence[str]) -> str:
    more = f" +{len(queues) - _QUEUES}" if len(queues) > _QUEUES else ""
    return printable(",".join(queues[:_QUEUES])) + more


def _limits(name: str, limits: list[tuple[Budget, ...]], placing: Placing | None) -> Iterator[_Column]:
    yield _Column(name, [_value(one[0]) for one in limits], is_number=True)
    marks = [_mark(one[0]) for one in limits]
    if any(marks):
        yield _Column("", marks, is_mark=True, gap=1)
    yield _Column("from", ["" if one[0].kind == "none" else word(one[0].kind) for one in limits], gap=2)
    if placing is not None and any(budget.at for one in limits for budget in one):
        yield _Column("", [_where(one, placing) for one in limits], gap=1)


def _where(budgets: tuple[Budget, ...], placing: Placing) -> str:
    spots = {budget.at for budget in budgets if budget.at is not None}
    return f"({len(spots)} places)" if len(spots) > 1 else "".join(map(placing, spots))


def _tails(lines: Iterable[_Line]) -> Placing:
    """How to write places with as few folders as tell the files apart."""
    paths = {budget.at.path for line in lines for budget in (*line.soft, *line.hard) if budget.at is not None}
    shared = Counter(tail for path in paths for tail in _endings(path))
    short = {path: next((tail for tail in _endings(path) if shared[tail] == 1), path) for path in paths}
    return lambda spot: f"{printable(short[spot.path])}:{spot.line}"


def _endings(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[-count:]) for count in range(1, len(parts) + 1)]


def _lay(laid: list[_Column], style: Style) -> Iterator[str]:
    for index in range(-1, len(laid[0].cells)):
        line, gap = "", 0
        for column in laid:
            text = column.head if index < 0 else column.cells[index]
            space = " " * (column.width - columns(text))
            shown = style.paint("bold", text) if index < 0 and text else style.paint("red", text) if column.is_mark and text else text
            line += " " * (gap and column.gap) + (space + shown if column.is_number else shown + space)
            gap = 1
        yield line.rstrip()


def _value(budget: Budget) -> str:
    if is_unknown(budget):
        return "?"
    return "-" if budget.value is None else seconds(budget.value)


def _mark(budget: Budget) -> str:
    if budget.value is None:
        return ""
    return ("" if budget.chosen else "!") + {True: "", False: "x", None: "?"}[budget.enforced]


def _badness(row: Row) -> tuple[int, int, float, int, float]:
    """Worst first: nobody chose it, not known, none, not enforced; then by the limit itself, the smallest first."""
    soft, hard = _degree(row.soft), _degree(row.hard)
    return min(soft, hard), soft, _size(row.soft), hard, _size(row.hard)


def _degree(budget: Budget) -> int:
    if budget.value is not None and not budget.chosen:
        return 0
    if is_unknown(budget):
        return 1
    if budget.value is None:
        return 2
    return 4 if budget.enforced else 3


def _size(budget: Budget) -> float:
    return math.inf if budget.value is None else budget.value


def _worker(row: Row, workers: Workers) -> Worker | None:
    return None if row.worker is None else workers.get(row.worker)


def _name(row: Row, workers: Workers) -> str:
    worker = _worker(row, workers)
    return "(no worker)" if worker is None else called(worker)


def _legend(rows: Sequence[Row], workers: Workers, style: Style) -> list[str]:
    """What those marks mean that are used."""
    used = {text for row in rows for budget in (row.soft, row.hard) for text in (_value(budget), *_mark(budget))}
    idle = {worker.pool for row in rows if (worker := _worker(row, workers)) and False in (row.soft.enforced, row.hard.enforced)}
    pools = f" ({printable(', '.join(sorted(idle)))})" if idle else ""
    meanings = {
        "!": "nobody chose it: a fallback",
        "x": f"the worker's pool{pools} does not enforce it",
        "?": "cannot be told",
        "-": "no limit",
    }
    said = [f"{mark} {meaning}" for mark, meaning in meanings.items() if mark in used]
    line = "   ".join(said)
    return ["", *([line] if columns(line) <= style.width else said)] if said else []


def _troubles(audit: Audit) -> Iterator[str]:
    busy = {row.worker for row in audit.rows}
    for worker in sorted(audit.workers, key=standing):
        if worker.fault:
            yield f"{place(worker.at)}: worker {called(worker)} cannot start: {printable(worker.fault)}"
        elif worker.id not in busy:
            yield f"{place(worker.at)}: worker {called(worker)} gets none of the tasks"


def _unresolved(audit: Audit) -> Iterator[str]:
    for one in audit.unresolved:
        reason = f": {printable(one.reason)}" if one.reason else ""
        values = ", ".join(f"{seconds(value)} ({place(spot)})" for value, spot in one.candidates)
        yield f"{place(one.at)}: {printable(one.what)} cannot be told{reason}{f'; it may be {values}' if values else ''}"


def _order(finding: Finding) -> tuple[str, int, int, str]:
    return finding.path, finding.line, finding.column, finding.code


def _counts(audit: Audit) -> Iterator[str]:
    files = len({one.path for one in audit.findings})
    yield f"Found {number(len(audit.findings), 'finding')} in {number(files, 'file')}." if audit.findings else "No findings."
    turned = {(one.wins_on, row.task) for row in audit.rows for budget in (row.soft, row.hard) for one in budget.why if one.wins_on}
    for version, count in sorted(Counter(version for version, _ in turned).items()):
        yield f"{number(count, 'task')} would have other limits on Celery {printable(version)}: --celery {printable(version)} shows them."
