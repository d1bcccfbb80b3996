"""Raise Celery's soft limit in a library's call as a worker does, and say what became of it.

A worker's soft limit is a signal whose handler raises SoftTimeLimitExceeded in whatever the main thread runs (billiard/pool.py,
`soft_timeout_sighandler`). Here a timer sends the signal while the call waits for a server that accepts and says nothing. After the
signal the server closes every connection at once, so that a call which tries again is seen to do so and still comes to its end.
"""

from __future__ import annotations

import importlib
import json
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, NamedTuple

from billiard.exceptions import SoftTimeLimitExceeded

SECONDS_BEFORE = 0.3
"""From the first word that the server hears, or the start of the work, until the signal: the call waits by then."""
SECONDS_IN_ALL = 40.0
"""The longest that a call takes, with all the times that it tries again and all its pauses."""
SECONDS_OF_WORK = 2.0
"""How long a callback of a library works: longer than the signal takes to come."""


class StillRunningError(BaseException):
    """The call had neither returned nor raised when the probe's patience ended."""


class Server:
    """Accepts on 127.0.0.1, listens and says nothing, until `struck`; from then on it closes what it accepts."""

    def __init__(self) -> None:
        self.struck = threading.Event()
        self.later = 0
        """Connections made after the signal."""
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=50)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            if self.struck.is_set():
                self.later += 1
                connection.close()
            else:
                self._open.append(connection)
                threading.Thread(target=self._hear, args=(connection,), daemon=True).start()

    def _hear(self, connection: socket.socket) -> None:
        if connection.recv(1) and not self.struck.is_set():
            send_signal_soon()


def send_signal_soon() -> None:
    signal.setitimer(signal.ITIMER_REAL, SECONDS_BEFORE)


def work() -> None:
    """What a library calls back: work during which the signal comes."""
    send_signal_soon()
    time.sleep(SECONDS_OF_WORK)


Waiting = Callable[[], Any]


class Probe(NamedTuple):
    call: str
    """The dotted name of the call, as the table writes it."""
    keywords: dict[str, object]
    """What it or the maker of its receiver is given, as far as the table asks for it."""
    distribution: str
    prepare: Callable[[Server], Waiting]
    """Makes the call that waits for the server."""


PROBES: list[Probe] = []


def probe(distribution: str, call: str, **keywords: object) -> Callable[[Callable[[Server], Waiting]], Callable[[Server], Waiting]]:
    def register(prepare: Callable[[Server], Waiting]) -> Callable[[Server], Waiting]:
        PROBES.append(Probe(call, keywords, distribution, prepare))
        return prepare

    return register


def measure(call: Waiting, server: Server) -> tuple[str, BaseException | None]:
    """What became of a signal raised in `call`, "passes", "swallows", "retries" or "retypes", and the error that left."""

    def strike(number: int, frame: object) -> None:
        if server.struck.is_set():
            raise StillRunningError
        server.struck.set()
        signal.setitimer(signal.ITIMER_REAL, SECONDS_IN_ALL)
        raise SoftTimeLimitExceeded

    error: BaseException | None = None
    signal.signal(signal.SIGALRM, strike)
    signal.setitimer(signal.ITIMER_REAL, SECONDS_IN_ALL)
    try:
        call()
    except BaseException as raised:
        error = raised
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    if not server.struck.is_set():
        return "ended before the signal", error
    if isinstance(error, SoftTimeLimitExceeded):
        return "passes", error
    if server.later or isinstance(error, StillRunningError):
        return "retries", error
    return "swallows" if error is None else "retypes", error


def report() -> None:
    """Print what each probe of the script measured, and which of the errors named on the command line it is an instance of."""
    print(json.dumps([_row(probe) for probe in PROBES]))


def _row(probe: Probe) -> dict[str, object]:
    server = Server()
    does, error = measure(probe.prepare(server), server)
    return {
        "call": probe.call,
        "keywords": probe.keywords,
        "distribution": probe.distribution,
        "version": "" if probe.distribution == "python" else version(probe.distribution),
        "does": does,
        "error": repr(error),
        "kinds": [name for name in sys.argv[1:] if isinstance(error, _class(name))],
    }


def _class(dotted: str) -> type[BaseException] | tuple[()]:
    module, _, name = dotted.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError:
        return ()
