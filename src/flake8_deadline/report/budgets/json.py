"""An audit of budgets for programs: one JSON document, described in docs/budgets.md and by the schema beside it.

The form is stable: keys are added, never renamed or dropped, without a new `version`. A finding has the form that `check` gives it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec

from flake8_deadline.report.budgets import place
from flake8_deadline.report.json import found
from flake8_deadline.report.style import printable

if TYPE_CHECKING:
    from flake8_deadline.audit import Audit, Budget, Evidence, Release, Row, Spot, Unresolved, Worker

_RULES = {True: "flag-over-config", False: "config-over-flag", None: "depends-on-version"}
_ROLES = {"production": "prod", "development": "dev"}


def render(audit: Audit) -> str:
    return msgspec.json.format(msgspec.json.encode(as_json(audit)), indent=2).decode() + "\n"


def as_json(audit: Audit) -> dict[str, Any]:
    """The document as plain values. Workers, rows and evidence keep the order of the audit; findings are sorted."""
    return {
        "version": 1,
        "celery": _release(audit.celery),
        "workers": [_worker(one) for one in audit.workers],
        "rows": [_row(one) for one in audit.rows],
        "findings": [msgspec.to_builtins(found(one)) for one in sorted(audit.findings, key=lambda one: (one.path, one.line, one.column, one.code))],
        "unresolved": [_unresolved(one) for one in audit.unresolved],
    }


def _release(release: Release) -> dict[str, Any]:
    version = None if release.version is None else printable(release.version)
    return {"version": version, "at": _at(release.at), "rule": _RULES[release.flag_first]}


def _worker(worker: Worker) -> dict[str, Any]:
    return {
        "id": printable(worker.id),
        "at": place(worker.at),
        "launcher": worker.launcher,
        "role": _ROLES.get(worker.role, worker.role),
        "queues": [printable(queue) for queue in worker.queues],
        "pool": printable(worker.pool),
        "via": [place(spot) for spot in worker.via],
        **_said(fault=worker.fault),
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "task": printable(row.task),
        "at": place(row.at),
        "worker": None if row.worker is None else printable(row.worker),
        "queue": None if row.queue is None else printable(row.queue),
        **({} if row.call is None else {"call": place(row.call)}),
        "soft": _budget(row.soft),
        "hard": _budget(row.hard),
    }


def _budget(budget: Budget) -> dict[str, Any]:
    source = {"kind": budget.kind, "at": _at(budget.at), **_said(variable=budget.variable, unknown=budget.unknown)}
    if budget.via:
        source["via"] = [place(spot) for spot in budget.via]
    return {"value": _number(budget.value), "enforced": budget.enforced, "source": source, "why": [_evidence(one) for one in budget.why]}


def _evidence(one: Evidence) -> dict[str, Any]:
    return {
        "kind": one.kind,
        **({} if one.at is None else {"at": place(one.at)}),
        "value": _number(one.value),
        **_said(text=one.text, variable=one.variable),
        **({"won": True} if one.won else {}),
        **_said(lost_to=one.lost_to, wins_on=one.wins_on, unknown=one.unknown, note=one.note),
    }


def _unresolved(one: Unresolved) -> dict[str, Any]:
    candidates = [{"value": _number(value), "at": place(spot)} for value, spot in one.candidates]
    return {"at": place(one.at), "what": printable(one.what), "candidates": candidates, **_said(reason=one.reason)}


def _at(spot: Spot | None) -> str | None:
    return None if spot is None else place(spot)


def _said(**texts: str) -> dict[str, Any]:
    """Only what there is to say."""
    return {name: printable(text) for name, text in texts.items() if text}


def _number(value: float | None) -> float | int | None:
    """A whole number without a point; JSON has no infinity."""
    if value is None or not math.isfinite(value):
        return None
    return int(value) if value % 1 == 0 and abs(value) < 2**53 else value
