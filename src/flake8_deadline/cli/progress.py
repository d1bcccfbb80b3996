"""One line on standard error that says what goes on: where a person watches, and only once it has taken long.

Drawn over itself and erased at the end, so that nothing of it is left on the screen.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType, TracebackType

AFTER = 2.0
"""Seconds of silence."""
_ERASE = "\r\x1b[K"


class Progress:
    """Say what begins now; within a `with`, whose end erases the line."""

    def __init__(self, descriptor: int | None) -> None:
        """`descriptor`: of a terminal; None keeps silent."""
        self._descriptor = descriptor
        self._due = time.monotonic() + AFTER
        self._text = ""
        self._is_shown = False
        self._is_armed = False

    def say(self, text: str) -> None:
        self._text = text
        if time.monotonic() >= self._due:
            self._draw()

    def __enter__(self) -> Progress:
        # What runs when the silence ends may not come back for a while to say more: so the system wakes us. No thread, as there may be a fork.
        is_possible = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        if self._descriptor is not None and is_possible and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL:
            signal.signal(signal.SIGALRM, self._wake)
            signal.setitimer(signal.ITIMER_REAL, AFTER)
            self._is_armed = True
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._is_armed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        if self._is_shown:
            self._put(_ERASE)

    def _wake(self, number: int, frame: FrameType | None) -> None:
        self._draw()

    def _draw(self) -> None:
        if self._text:
            self._is_shown = True
            self._put(f"{_ERASE}{self._text}")

    def _put(self, text: str) -> None:
        # Past Python's buffer, which may be at work when the alarm rings. A terminal that is gone is no reason to fail.
        if self._descriptor is not None:
            with suppress(OSError):
                os.write(self._descriptor, text.encode())


def progress(environment: Mapping[str, str], *, is_quiet: bool) -> Progress:
    """For this run: silent unless standard error is a terminal that a person looks at."""
    is_watched = sys.stderr.isatty() and environment.get("TERM") != "dumb" and not environment.get("CI") and not environment.get("PRE_COMMIT")
    return Progress(sys.stderr.fileno() if is_watched and not is_quiet else None)
