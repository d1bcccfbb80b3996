"""The signals that ask a program to end, and how to keep them waiting for a moment."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""From a keyboard, from a system, from a terminal that closes."""


@contextmanager
def waiting() -> Iterator[None]:
    """Within it none of them comes through; what has come meanwhile does at the end.

    For what an exception must not disturb: extension modules do not expect one while they are loaded, and crash.
    """
    former = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING) if hasattr(signal, "pthread_sigmask") else None
    try:
        yield
    finally:
        if former is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, former)


def let_through() -> None:
    """In a process that was begun while they were waiting."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
