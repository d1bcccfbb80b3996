"""Many processes make what one makes, and the loss of one costs one file."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from flake8_deadline.codemods import pool
from flake8_deadline.codemods.mend import mend_in_rounds
from flake8_deadline.codemods.pool import Crew, drafts, usable_cpus
from flake8_deadline.codemods.wishes import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from flake8_deadline.codemods.draft import Draft
    from flake8_deadline.rule import Finding

LOOP = b"def f(rows):\n    for row in rows:\n        try:\n            row.go()\n        except Exception:\n            pass\n"
BOUND = b"SoftTimeLimitExceeded = None\n" + LOOP
Files = dict[str, list["Finding"]]
Lint = "Callable[[Mapping[str, bytes]], list[Finding]]"


@pytest.fixture
def files(tmp_path: Path, findings: Callable[[str, bytes], list[Finding]], monkeypatch: pytest.MonkeyPatch) -> Files:
    """Ten files; one cannot be mended, one is long, one is missing."""
    monkeypatch.setattr(pool, "LEAST_BYTES", 1)
    texts = {f"{number}.py": b"# %d\n" % number + (BOUND if number == 3 else LOOP) * (20 if number == 5 else 1) for number in range(10)}
    for path, text in texts.items():
        (tmp_path / path).write_bytes(text)
    (tmp_path / "7.py").unlink()
    return {path: findings(path, text) for path, text in texts.items()}


@pytest.fixture
def pids(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Of the processes begun. None of them may be left."""
    begun: list[int] = []
    process = multiprocessing.get_context("fork").Process
    real = process.start
    monkeypatch.setattr(process, "start", lambda self: (real(self), begun.append(self.pid)))
    yield begun
    for pid in begun:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def where(path: str, act: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Have something happen to whoever edits this file."""
    real = pool.draft

    def draft(root: Path, name: str, *rest: object) -> Draft:
        if name == path:
            act()
        return real(root, name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(pool, "draft", draft)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def reasons(made: Mapping[str, Draft]) -> dict[str, set[str]]:
    return {path: {refusal.reason for refusal in one.edit.refusals} for path, one in made.items() if one.edit.refusals}


@pytest.mark.parametrize("size", [2, 3, 20])
def test_any_number_of_processes_makes_the_same_in_the_same_order(tmp_path: Path, files: Files, pids: list[int], size: int) -> None:
    alone = drafts(tmp_path, files, frozenset(), Crew())
    assert pids == []
    assert len([one for one in alone.values() if one.edit.fixes]) == 8

    many = drafts(tmp_path, files, frozenset(), Crew(size))

    assert list(many.items()) == list(alone.items())
    assert len(pids) == min(size, len(files))


def test_it_is_told_how_many_files_are_done(tmp_path: Path, files: Files, pids: list[int]) -> None:
    for size in (1, 2):
        told: list[tuple[int, int]] = []
        drafts(tmp_path, files, frozenset(), Crew(size, lambda done, total: told.append((done, total))))  # noqa: B023
        assert told == [(number, 10) for number in range(1, 11)]


def test_little_work_is_not_shared_out(tmp_path: Path, files: Files, pids: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    total = sum(path.stat().st_size for path in tmp_path.iterdir())
    for least, expected in ((total + 1, 0), (total, 2), (total // 2, 3)):
        pids.clear()
        monkeypatch.setattr(pool, "LEAST_BYTES", least)
        drafts(tmp_path, files, frozenset(), Crew(9))
        assert len(pids) == expected
    pids.clear()
    assert drafts(tmp_path, {}, frozenset(), Crew(9)) == {}
    drafts(tmp_path, {"5.py": files["5.py"]}, frozenset(), Crew(9))
    assert pids == []


@pytest.mark.parametrize("path", ["5.py", "0.py"])
def test_a_process_that_dies_costs_the_file_it_was_at(
    tmp_path: Path, files: Files, pids: list[int], monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    alone = drafts(tmp_path, files, frozenset(), Crew())
    where(path, die, monkeypatch)

    made = drafts(tmp_path, files, frozenset(), Crew(2))

    assert reasons(made) == {**reasons(alone), path: {"the process that edited the file has died"}}
    assert [one for name, one in made.items() if name != path] == [one for name, one in alone.items() if name != path]
    assert len(pids) == 3


def test_where_every_process_dies_every_file_is_refused(tmp_path: Path, files: Files, pids: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "draft", lambda *_: die())
    made = drafts(tmp_path, files, frozenset(), Crew(3))
    assert reasons(made) == {path: {"the process that edited the file has died"} for path in files}


def test_a_process_that_dies_before_it_is_asked_costs_nothing(tmp_path: Path, files: Files, pids: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    alone = drafts(tmp_path, files, frozenset(), Crew())
    process = multiprocessing.get_context("fork").Process
    started = process.start
    monkeypatch.setattr(process, "start", lambda self: (started(self), self.kill(), self.join()))
    assert drafts(tmp_path, files, frozenset(), Crew(2)) == alone


@pytest.mark.parametrize("size", [1, 2])
def test_an_error_of_ours_is_a_refusal_of_the_file(tmp_path: Path, files: Files, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    def fail() -> None:
        raise KeyError("no\nsuch thing")

    where("5.py", fail, monkeypatch)
    made = drafts(tmp_path, files, frozenset(), Crew(size))
    assert reasons(made)["5.py"] == {"internal error, please report it: KeyError: 'no\\nsuch thing'"}
    assert len([one for one in made.values() if one.edit.fixes]) == 7


@pytest.mark.parametrize("failing", ["Pipe", "start"])
def test_where_the_system_has_no_room_for_processes_the_work_is_done_here(
    tmp_path: Path, files: Files, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def fail(*_: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    context = multiprocessing.get_context("fork")
    monkeypatch.setattr(context if failing == "Pipe" else context.Process, failing, fail)
    assert drafts(tmp_path, files, frozenset(), Crew(2)) == drafts(tmp_path, files, frozenset(), Crew())


def test_a_place_that_cannot_be_filled_again_leaves_the_rest_to_the_others(
    tmp_path: Path, files: Files, pids: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    process = multiprocessing.get_context("fork").Process
    started = process.start

    def start(self: multiprocessing.Process) -> None:
        if len(pids) == 2:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        started(self)

    monkeypatch.setattr(process, "start", start)
    where("5.py", die, monkeypatch)
    made = drafts(tmp_path, files, frozenset(), Crew(2))
    assert reasons(made)["5.py"] == {"the process that edited the file has died"}
    assert len([one for one in made.values() if one.edit.fixes]) == 7


@pytest.mark.parametrize("situation", ["no fork", "macOS", "a thread", "a daemon"])
def test_where_a_fork_is_not_safe_the_work_is_done_here(
    tmp_path: Path, files: Files, pids: list[int], monkeypatch: pytest.MonkeyPatch, situation: str
) -> None:
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    if situation == "no fork":
        monkeypatch.delattr(os, "fork")
    elif situation == "macOS":
        monkeypatch.setattr(sys, "platform", "darwin")
    elif situation == "a thread":
        thread.start()
    else:
        monkeypatch.setitem(multiprocessing.current_process()._config, "daemon", True)  # type: ignore[attr-defined]
    try:
        drafts(tmp_path, files, frozenset(), Crew(2))
    finally:
        done.set()
    assert pids == []


def test_an_interrupt_ends_all_processes(tmp_path: Path, files: Files, pids: list[int]) -> None:
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        drafts(tmp_path, files, frozenset(), Crew(2, interrupt))
    assert len(pids) == 2


def test_a_process_edits_what_it_is_asked_until_nobody_asks(tmp_path: Path, files: Files) -> None:
    """Its life, in this process: there the signals that reach the whole group are not its business."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    ours, theirs = multiprocessing.Pipe()
    others, _ = multiprocessing.Pipe()
    ours.send(("0.py", files["0.py"]))
    thread = threading.Timer(0.2, lambda: (ours.recv(), ours.close()))
    thread.start()
    try:
        pool._work(pool._Task(tmp_path, frozenset(), NOTHING), theirs, [others])
        assert [signal.getsignal(number) for number in before] == [signal.SIG_IGN, signal.SIG_DFL, signal.SIG_DFL]
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        thread.join()
    assert others.closed


def test_as_many_processes_as_there_are_processors_for_us(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 3, 5}, raising=False)
    assert usable_cpus() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert usable_cpus() == 4
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_cpus() == 1


def test_what_was_worked_out_once_is_not_worked_out_again(
    tmp_path: Path, files: Files, lint: Callable[[Mapping[str, bytes]], list[Finding]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file whose edit the linter objects to is made anew; the others are not."""
    made: list[str] = []
    real = pool.draft
    monkeypatch.setattr(pool, "draft", lambda root, path, *rest: (made.append(path), real(root, path, *rest))[1])

    def stubborn(texts: Mapping[str, bytes]) -> list[Finding]:
        return lint(texts) if not texts else [*lint(texts), *(one for one in files["5.py"][:1] if b"except SoftTime" in texts.get("5.py", b""))]

    outcome = mend_in_rounds(tmp_path, [one for members in files.values() for one in members], stubborn, list)
    assert sorted(made) == sorted([*files, "5.py"])
    assert {one.path for one in outcome.files if one.fixed} == files.keys() - {"3.py", "7.py"}
