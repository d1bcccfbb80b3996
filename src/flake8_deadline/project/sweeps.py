"""Loops over querysets that work on each row without isolating it.

Decides what counts as work per row: a call that can fail for one row alone, with the row in it. Gathering in memory, `yield`, writing an
export and mere dispatch are no work; a loop inside `transaction.atomic()` is meant as all or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from flake8_deadline.facts import Attr, Call, Item, Loop, Sequence, Step, Value, With, Yield
from flake8_deadline.places import Place, Site, enclosing_loop
from flake8_deadline.project.deadlines import Deadlines
from flake8_deadline.project.effects import Effects
from flake8_deadline.project.objects import FunctionRef, Rows


class Sweep(NamedTuple):
    loop: Loop
    work: str
    """The first call that can fail for one row, as written."""
    line: int


def sweeps(deadlines: Deadlines, effects: Effects, frame: FunctionRef) -> Iterator[Sweep]:
    """The bare sweeps in one function reached."""
    if not _is_near(deadlines, frame):
        return
    found = deadlines.reach.sites(frame)
    for position, site in enumerate(found):
        loop = site.step
        if isinstance(loop, Loop) and loop.kind in ("for", "async for"):
            objects = deadlines.reach.resolved[frame][position].objects
            is_rows = any(isinstance(o, Rows) for o in objects) or (not objects and is_streamed(loop))
            if not is_rows or _yields(loop.body) or _is_written_at_once(loop, found):
                continue
            if not _is_atomic(deadlines, frame, site.place):
                work = _work(deadlines, effects, frame, loop, found)
                if work is not None:
                    yield Sweep(loop, written(work.func), work.line)


def is_streamed(loop: Loop) -> bool:
    """Whether the rows are fetched one by one, as `.iterator()` does: then the loop is meant for many, whoever calls it."""
    return isinstance(loop.over, Call) and written(loop.over.func).rpartition(".")[2] in ("iterator", "aiterator")


def _is_near(deadlines: Deadlines, frame: FunctionRef) -> bool:
    """Whether a loop here is the task's own: one call away at most, wrappers aside, and not run for each turn of another loop."""
    calls = [site for caller, site in deadlines.reach.chain(frame) if site is not None and not caller.given]
    return len(calls) <= 1 and all(enclosing_loop(site.place) is None for site in calls)


def _work(deadlines: Deadlines, effects: Effects, frame: FunctionRef, loop: Loop, found: tuple[Site, ...]) -> Call | None:
    rows = set(loop.targets)
    for site in found:
        call = site.step
        if not isinstance(call, Call) or not _is_inside(site.place, loop) or not _touches(call, rows):
            continue
        if (call.discarded or effects.changes_at(frame, call)) and effects.fails_at(frame, site, loop):
            return call
    return None


def _is_written_at_once(loop: Loop, found: tuple[Site, ...]) -> bool:
    """Whether the rows looped over are written together afterwards."""
    return any(
        isinstance(site.step, Call)
        and written(site.step.func).rpartition(".")[2] in ("bulk_update", "bulk_create")
        and site.step.line > loop.line
        and isinstance(loop.over, str)
        and loop.over in site.step.args
        for site in found
    )


def _is_inside(place: Place | None, loop: Loop) -> bool:
    while place is not None:
        if place.node is loop:
            return True
        place = place.outer
    return False


def _touches(call: Call, rows: set[str]) -> bool:
    """Whether the row is the receiver or is passed."""
    return _mentions(call.func, rows) or any(_mentions(value, rows) for value in (*call.args, *(value for _, value in call.keywords)))


def _mentions(value: Value, rows: set[str]) -> bool:
    if isinstance(value, str):
        return value.partition(".")[0] in rows
    if isinstance(value, Attr):
        return _mentions(value.of, rows)
    if isinstance(value, Call):
        return _touches(value, rows)
    if isinstance(value, Item):
        return _mentions(value.of, rows)
    return isinstance(value, Sequence) and any(_mentions(item, rows) for item in value.items)


def _is_atomic(deadlines: Deadlines, frame: FunctionRef, place: Place | None) -> bool:
    """Whether the loop stands in `transaction.atomic()`, as a block or as the function's decorator."""
    around = [decorator.value for decorator in deadlines.inference.function(frame).decorators]
    while place is not None:
        if isinstance(place.node, With):
            around += place.node.items
        place = place.outer
    return any("atomic" in written(value) for value in around)


def _yields(steps: tuple[Step, ...]) -> bool:
    return any(isinstance(step, Yield) for step in steps)


def written(value: Value) -> str:
    """A call's function as it is written, as far as it can be said."""
    if isinstance(value, str):
        return value
    if isinstance(value, Attr):
        return f"{written(value.of)}.{value.name}"
    if isinstance(value, Call):
        return f"{written(value.func)}()"
    return "…"
