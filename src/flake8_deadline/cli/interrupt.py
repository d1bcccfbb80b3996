"""Ctrl-C, and the requests of a system to end: when they take effect, and what the exit code says of them.

Work that only computes ends at once. Work that must not be left half done holds them back, and asks between its steps.
"""

from __future__ import annotations

import signal
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from flake8_deadline.signals import ENDING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import FrameType
    from typing import Union

    _Handler = Union[Callable[[int, FrameType | None], object], int]

_UNWINDING = 1.0
"""Seconds in which a further signal is taken for the same one, so that it does not disturb what the first has begun to clear away."""


class Interrupted(KeyboardInterrupt):
    """Raised where the program stands; the message, if there is one, is for the person who interrupted it."""

    def __init__(self, number: int, message: str = "") -> None:
        super().__init__(message)
        self.code = exit_code(number)


class Came:
    """Which signal came first, if any."""

    number: int | None = None
    at = float("-inf")


def exit_code(number: int) -> int:
    """As a shell would report it."""
    return 128 + number


@contextmanager
def raising(*, ends_the_program: bool) -> Iterator[Came]:
    """Within it, each of the signals raises `Interrupted`. Where nothing but the program's end follows, no signal disturbs that."""
    came = Came()

    def take(number: int, frame: FrameType | None) -> None:
        before, came.at = came.at, time.monotonic()
        came.number = came.number or number
        if came.at - before > _UNWINDING:
            raise Interrupted(number)

    former = _install(take)
    try:
        yield came
    finally:
        _restore(dict.fromkeys(former, signal.SIG_IGN) if ends_the_program else former)


@contextmanager
def held() -> Iterator[Came]:
    """Within it, the signals are only noted; the caller asks, and raises `Interrupted`. Once one has come, no further one raises."""
    came = Came()

    def note(number: int, frame: FrameType | None) -> None:
        came.number = came.number or number

    former = _install(note)
    try:
        yield came
    finally:
        if came.number is None:
            _restore(former)


def _install(handler: Callable[[int, FrameType | None], None]) -> dict[int, _Handler]:
    """Returns the handlers before. Python lets the main thread alone handle signals; one that is ignored (`nohup`) stays so."""
    is_possible = threading.current_thread() is threading.main_thread()
    numbers = ENDING if is_possible else ()
    former = {number: before for number in numbers if (before := signal.getsignal(number)) not in (signal.SIG_IGN, None)}
    for number in former:
        signal.signal(number, handler)
    return former


def _restore(former: Mapping[int, _Handler]) -> None:
    for number, handler in former.items():
        signal.signal(number, handler)
