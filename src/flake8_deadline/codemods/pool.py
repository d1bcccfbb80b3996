"""Edit many files at once, in processes of our own.

Decides whether that pays, who edits what, and that neither an error nor the death of a process costs more than the one file at hand. What
comes of it is the same, in the same order, with any number of processes; the edit itself is `draft`'s business.

The processes are forked, so they have all that is imported already. A fresh interpreter would begin by importing from the current
directory, which is the code under analysis; so where a fork is not safe (macOS, Windows, a program with threads) all is done here.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from flake8_deadline import signals
from flake8_deadline.codemods.draft import Draft, draft, refused
from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.wishes import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from pathlib import Path

    from flake8_deadline.codemods.wishes import Wishes
    from flake8_deadline.rule import Finding

LEAST_BYTES = 20_000
"""Of files to edit, for each further process. These take about 100 ms, and to begin and end a process about 40 ms, of CPU time."""


class Crew(NamedTuple):
    """How the work is shared out."""

    size: int = 1
    """At most so many processes."""
    tell: Callable[[int, int], object] = lambda done, total: None
    """Called after each file with how many are done, and of how many."""


class _Task(NamedTuple):
    root: Path
    first_party: frozenset[str]
    wishes: Wishes

    def carry_out(self, path: str, findings: Iterable[Finding]) -> Draft:
        """As `draft`, but an error of ours is a refusal as well."""
        try:
            return draft(self.root, path, findings, self.first_party, self.wishes)
        except Exception as error:
            text = " ".join(f"{type(error).__name__}: {error}".split())
            return refused(path, findings, RefusedError(f"internal error, please report it: {text}"))


def drafts(root: Path, files: Mapping[str, Sequence[Finding]], first_party: frozenset[str], crew: Crew, wishes: Wishes = NOTHING) -> dict[str, Draft]:
    """The draft of each file, in the order of `files`."""
    if files:
        _load()
    task = _Task(root, first_party, wishes)
    sizes = {path: _size(root, path) for path in files}
    count = min(crew.size, len(files), 1 + sum(sizes.values()) // LEAST_BYTES)
    done: dict[str, Draft] = {}

    def keep(one: Draft) -> None:
        done[one.path] = one
        crew.tell(len(done), len(files))

    if count > 1 and _can_fork():
        # The longest is handed out first, so that no process is left alone with it at the end.
        waiting = sorted(files, key=lambda path: (sizes[path], path))
        _share_out(task, [(path, files[path]) for path in waiting], count, keep)
    for path, findings in files.items():
        if path not in done:
            keep(task.carry_out(path, findings))
    return {path: done[path] for path in files}


def usable_cpus() -> int:
    """How many processors this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _load() -> None:
    """What an edit needs: here, so that forked processes have it."""
    with signals.waiting():
        from flake8_deadline.codemods import carrying_out  # noqa: F401, PLC0415


def _size(root: Path, path: str) -> int:
    with suppress(OSError, ValueError):
        return os.path.getsize(root / path)
    return 0


def _can_fork() -> bool:
    from multiprocessing import current_process  # noqa: PLC0415  (most runs fix little)

    return hasattr(os, "fork") and sys.platform != "darwin" and threading.active_count() == 1 and not current_process().daemon


def _share_out(task: _Task, waiting: list[tuple[str, Sequence[Finding]]], count: int, keep: Callable[[Draft], None]) -> None:
    """Hand out the files, last first, until all are done or there is nobody to do them."""
    from multiprocessing.connection import wait  # noqa: PLC0415

    with _processes(task) as hire:
        at_work: dict[Connection, tuple[str, Sequence[Finding]]] = {}
        idle = [pipe for _ in range(count) for pipe in hire()]
        while at_work or (waiting and idle):
            while waiting and idle:
                pipe = idle.pop()
                with suppress(OSError):  # where it has died before it was asked
                    pipe.send(waiting[-1])
                    at_work[pipe] = waiting.pop()
            answered = wait(at_work) if at_work else []
            for pipe in [pipe for pipe in at_work if pipe in answered]:
                path, findings = at_work.pop(pipe)
                try:
                    keep(pipe.recv())
                    idle.append(pipe)
                except (EOFError, OSError):
                    keep(refused(path, findings, RefusedError("the process that edited the file has died")))
                    idle += hire()


@contextmanager
def _processes(task: _Task) -> Iterator[Callable[[], list[Connection]]]:
    """What begins one more process and returns the way to it; an empty list where the system has no room for one. All end with the context."""
    from multiprocessing import get_context  # noqa: PLC0415

    context = get_context("fork")
    hired: dict[Connection, BaseProcess] = {}

    def hire() -> list[Connection]:
        try:
            ours, theirs = context.Pipe()
        except OSError:
            return []
        process = context.Process(target=_work, args=(task, theirs, [*hired, ours]), daemon=True)
        # A process is born with our handlers: no signal may come through before it has laid them aside.
        with signals.waiting():
            try:
                process.start()
                hired[ours] = process
            except OSError:
                return []
            finally:
                theirs.close()
        return [ours]

    gc.freeze()  # or the garbage collector of each process would copy all memory by touching it
    try:
        yield hire
    finally:
        gc.unfreeze()
        for pipe, process in hired.items():
            process.kill()
            process.join()
            pipe.close()


def _work(task: _Task, pipe: Connection, ends_of_others: Iterable[Connection]) -> None:
    """A process's life: edit what is asked for, until nobody asks any more."""
    for end in ends_of_others:
        end.close()
    for number in signals.ENDING:
        # Ctrl-C reaches the whole group: it is for the one who asks to decide what becomes of it.
        signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
    signals.let_through()
    with suppress(EOFError, OSError):
        while True:
            pipe.send(task.carry_out(*pipe.recv()))
