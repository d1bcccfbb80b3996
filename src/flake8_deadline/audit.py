"""What an audit of budgets says: its rows and their evidence. Data only."""

from __future__ import annotations

from msgspec import Struct

from flake8_deadline.rule import Finding


class Spot(Struct, frozen=True, order=True):
    """A place in a file; `path` is relative to the root, with `/`."""

    path: str
    line: int


class Evidence(Struct, frozen=True):
    """One level that was looked at. Neither a value nor `unknown`: it says nothing."""

    kind: str
    """"call", "annotation", "decorator", "base-class", "flag", "flag-env", "flag-fallback", "env-flag", "cmdline-config", "config",
    "config-env", "config-default", "unresolved" or "none"."""
    value: float | None = None
    at: Spot | None = None
    text: str = ""
    """As it is written: `${WORKER_SOFT:-120}`."""
    variable: str = ""
    won: bool = False
    lost_to: str = ""
    """The kind that beat it."""
    wins_on: str = ""
    """The version of Celery on which it would win."""
    unknown: str = ""
    """Why it cannot be read."""
    note: str = ""
    """`WORKER_SOFT is set in no file`."""


class Budget(Struct, frozen=True):
    """One limit of a row, in seconds, and where it comes from."""

    value: float | None
    kind: str
    at: Spot | None = None
    variable: str = ""
    unknown: str = ""
    enforced: bool | None = True
    """Whether the worker's pool acts on it; None: the pool is not known."""
    via: tuple[Spot, ...] = ()
    chosen: bool = True
    """Whether somebody chose it: a fallback of a variable that nobody sets is nobody's choice."""
    why: tuple[Evidence, ...] = ()
    """In order of evaluation."""


class Worker(Struct, frozen=True):
    """`role` is "production", "development" or "ci"."""

    id: str
    at: Spot
    launcher: str
    role: str
    queues: tuple[str, ...]
    pool: str
    via: tuple[Spot, ...] = ()
    fault: str = ""
    """Why it cannot start."""


class Row(Struct, frozen=True):
    """A task on a worker; with `call`, as that one call site sends it. `worker` is an id; None: no worker takes the queue."""

    task: str
    at: Spot
    worker: str | None
    queue: str | None
    soft: Budget
    hard: Budget
    call: Spot | None = None


class Unresolved(Struct, frozen=True):
    """What could not be told, with the values that it may have."""

    at: Spot
    what: str
    candidates: tuple[tuple[float, Spot], ...] = ()
    reason: str = ""


class Release(Struct, frozen=True):
    """The version of Celery, and whether a worker's flag beats the settings on it; None: depends on the version."""

    version: str | None
    at: Spot | None
    flag_first: bool | None


class Audit(Struct, frozen=True):
    celery: Release
    workers: tuple[Worker, ...]
    rows: tuple[Row, ...]
    unresolved: tuple[Unresolved, ...] = ()
    findings: tuple[Finding, ...] = ()
