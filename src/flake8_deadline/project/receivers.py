"""How a call or an attribute is written: on what, and by which name. What the receiver is, is found by `inference`."""

from __future__ import annotations

from flake8_deadline.facts import Attr, Value


def receiver(value: Value) -> tuple[Value, str]:
    """The receiver and the last name of `receiver.name`; None and "" where something else is written."""
    if isinstance(value, Attr):
        return value.of, value.name
    owner, _, name = value.rpartition(".") if isinstance(value, str) else ("", "", "")
    return (owner, name) if owner else (None, "")
