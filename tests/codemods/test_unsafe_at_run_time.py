"""What isolated and counted loops do when they run: rows are drawn whose steps fail, or run into the deadline, at drawn turns.

The isolated loop is held against one written by hand here, which runs the same body as a function.
"""

from __future__ import annotations

import logging
from textwrap import indent
from typing import NamedTuple

from celery.exceptions import SoftTimeLimitExceeded
from hypothesis import given, settings
from hypothesis import strategies as st

from flake8_deadline.codemods.carrying_out import carry_out
from flake8_deadline.codemods.snippet import read
from flake8_deadline.codemods.wishes import Wishes
from flake8_deadline.rule import Isolate, Reraise

SETTINGS = settings(max_examples=100, deadline=None)
SIGNAL = ("celery.exceptions", "SoftTimeLimitExceeded")
HEAD = "import logging\nfrom celery.exceptions import SoftTimeLimitExceeded\nlogger = logging.getLogger('turns')\n"
STEPS = [
    "row.go()",
    "row.go(); row.go()",
    "for part in range(2):\n    if part: continue\n    row.go()",
    "while True:\n    row.go()\n    break",
    "try:\n    row.go()\nexcept KeyError:\n    row.go()",
    "try:\n    row.go()\nexcept SoftTimeLimitExceeded:\n    row.note('deadline')\n    raise\nexcept KeyError:\n    row.note('key')",
    "try:\n    row.go()\nfinally:\n    row.note('finally')",
    "with row:\n    row.go()",
    "if row.go(): row.go()\nelse:\n    row.note('''else\n  if''')",
    "total += row.go()",
]
FAULTS = {"ok": None, "value": ValueError, "key": KeyError, "deadline": SoftTimeLimitExceeded}


class Row:
    """Each step of a row comes out as its script says; what it does is noted."""

    def __init__(self, number: int, script: list[str], log: list[tuple[int, str]]) -> None:
        self._number, self._script, self._log = number, list(script), log

    def go(self) -> int:
        outcome = self._script.pop(0) if self._script else "ok"
        self.note(outcome)
        fault = FAULTS[outcome]
        if fault is not None:
            raise fault
        return 1

    def note(self, text: str) -> None:
        self._log.append((self._number, text))

    def __enter__(self) -> None:
        self.note("enter")

    def __exit__(self, *error: object) -> None:
        self.note("exit")


class Outcome(NamedTuple):
    log: list[tuple[int, str]]
    is_out: bool
    """Whether the deadline came out."""
    failed: int
    summary: list[str]


@st.composite
def scripts(draw: st.DrawFn) -> list[list[str]]:
    outcome = st.sampled_from(["ok", "ok", "ok", "value", "key", "deadline"])
    return draw(st.lists(st.lists(outcome, max_size=4), max_size=6))


def run(source: bytes, script: list[list[str]], names: dict[str, object]) -> tuple[list[tuple[int, str]], bool]:
    exec(source, names)  # noqa: S102
    log: list[tuple[int, str]] = []
    try:
        names["sync"]([Row(number, steps, log) for number, steps in enumerate(script)])
    except SoftTimeLimitExceeded:
        return log, True
    return log, False


def by_hand(body: str, script: list[list[str]]) -> Outcome:
    names: dict[str, object] = {}
    exec(HEAD + "def turn(row):\n    total = 0\n" + indent(body, "    "), names)  # noqa: S102
    log: list[tuple[int, str]] = []
    processed = failed = 0
    for number, steps in enumerate(script):
        try:
            names["turn"](Row(number, steps, log))
        except SoftTimeLimitExceeded:
            return Outcome(log, True, failed, [])
        except Exception:
            failed += 1
        else:
            processed += 1
    return Outcome(log, False, failed, [f"sync: {processed} processed, {failed} failed"] if failed else [])


class Told(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@SETTINGS
@given(steps=st.lists(st.sampled_from(STEPS), min_size=1, max_size=3), script=scripts())
def test_an_isolated_loop_does_what_one_isolated_by_hand_does(steps: list[str], script: list[list[str]]) -> None:
    body = "\n".join(steps) + "\n"
    source = HEAD + "def sync(rows):\n    total = 0\n    for row in rows:\n" + indent(body, "        ")
    edit = carry_out(source.encode(), [Isolate(6, *SIGNAL)], Wishes(True, read("told.append({index})")._replace(reads=frozenset())), frozenset())
    assert edit.refusals == ()
    told: list[int] = []
    handler = Told()
    logger = logging.getLogger("turns")
    logger.propagate = False
    logger.addHandler(handler)
    try:
        log, is_out = run(edit.source, script, {"told": told})
    finally:
        logger.removeHandler(handler)
    messages = [record.getMessage() for record in handler.records]
    rows = [message for message in messages if message == "sync: row failed"]
    summary = messages[len(rows) :]
    expected = by_hand(body, script)
    assert Outcome(log, is_out, len(rows), summary) == expected
    assert told == ([log[-1][0]] if is_out else [])
    assert [record.levelname for record in handler.records] == ["ERROR"] * len(rows) + ["WARNING"] * len(summary)


@SETTINGS
@given(
    steps=st.lists(st.sampled_from(STEPS), min_size=1, max_size=2),
    script=scripts(),
    head=st.sampled_from(
        ["for row in rows:", "for row, in zip(rows):", "for (row) in [*rows]:", "for row in (*rows,):", "for row, _ in zip(rows, rows):"]
    ),
)
def test_a_loop_that_is_given_an_index_takes_the_same_turns(steps: list[str], script: list[list[str]], head: str) -> None:
    guarded = "try:\n" + indent("\n".join(steps), "    ") + "\nexcept Exception:\n    row.note('failed')\n"
    source = HEAD + f"def sync(rows):\n    total = 0\n    {head}\n" + indent(guarded, "        ")
    line = source[: source.rindex("except Exception")].count("\n") + 1
    edit = carry_out(source.encode(), [Reraise(line, *SIGNAL)], Wishes(True, read("told.append({index})")._replace(reads=frozenset())), frozenset())
    assert edit.refusals == ()
    assert b"enumerate(" in edit.source
    told: list[int] = []
    log, is_out = run(edit.source, script, {"told": told})
    until = next((number for number, steps in log if steps == "deadline"), None)
    before, _ = run(source.encode(), script, {})
    assert log == (before if until is None else before[: len(log)])
    assert is_out == (until is not None)
    assert told == ([until] if is_out else [])
