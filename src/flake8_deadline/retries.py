"""The retrying libraries known: what each retries on, as data that a contributor extends in one line.

A retry that counts the deadline among the errors to try again is a swallow: the signal comes once, and the next attempt has no limit but the
hard one. Measured on tenacity 9.2, backoff 2.2, stamina 26.1, retrying 1.4 and retry 0.9 (`tests/live`).
"""

from __future__ import annotations

from typing import NamedTuple


class Retry(NamedTuple):
    """Names are dotted, as an import gives them."""

    names: frozenset[str]
    """Decorators, and classes whose instances retry what they are called with."""
    errors: str
    """The keyword that names the errors to retry on."""
    position: int | None
    """Its position among the arguments; None: by keyword alone."""
    default: str | None
    """What it retries on if nothing is said; None: the argument is required."""
    remedy: str
    passes: str | None = None
    """The expression to pass as `errors`, `gives_up` or `asks` (the last of these that there is): `{0}` is the signal, `{1}` the name imported."""
    imports: tuple[str, str] | None = None
    """Module and name that the expression needs."""
    gives_up: str | None = None
    """The keyword for a function that is told the error and answers whether to give up."""
    asks: str | None = None
    """The keyword for a function that is told the error and answers whether to try again."""
    attempts: str | None = None
    """The keyword for the number of attempts, or what says it: with one there is no other."""
    calls: frozenset[str] = frozenset()
    """Functions that are called with the function to retry."""


RETRIES = (
    Retry(
        names=frozenset({"tenacity.retry", "tenacity.Retrying", "tenacity.AsyncRetrying", "tenacity.asyncio.AsyncRetrying"}),
        errors="retry",
        position=None,
        attempts="stop",
        default="builtins.Exception",
        remedy="pass retry=retry_if_not_exception_type({signal})",
        passes="{1}({0})",
        imports=("tenacity", "retry_if_not_exception_type"),
    ),
    Retry(
        names=frozenset({"backoff.on_exception"}),
        errors="exception",
        position=1,
        attempts="max_tries",
        default=None,
        gives_up="giveup",
        remedy="pass giveup=lambda exc: isinstance(exc, {signal})",
        passes="lambda exc: isinstance(exc, {0})",
    ),
    Retry(
        names=frozenset({"stamina.retry", "stamina.retry_context"}),
        errors="on",
        position=0,
        attempts="attempts",
        default=None,
        asks="on",
        remedy="narrow on=",
    ),
    Retry(
        names=frozenset({"retrying.retry", "retrying.Retrying"}),
        errors="retry_on_exception",
        position=None,
        attempts="stop_max_attempt_number",
        default="builtins.Exception",
        asks="retry_on_exception",
        remedy="pass retry_on_exception=lambda exc: not isinstance(exc, {signal})",
        passes="lambda exc: not isinstance(exc, {0})",
    ),
    Retry(
        names=frozenset({"retry.retry", "retry.api.retry"}),
        errors="exceptions",
        position=0,
        attempts="tries",
        default="builtins.Exception",
        remedy="narrow exceptions=",
    ),
    Retry(
        names=frozenset(),
        errors="exceptions",
        position=3,
        attempts="tries",
        default="builtins.Exception",
        remedy="narrow exceptions=",
        calls=frozenset({"retry.api.retry_call", "retry.retry_call"}),
    ),
    Retry(
        names=frozenset({"redo.retriable", "redo.retry"}),
        errors="retry_exceptions",
        position=None,
        default="builtins.Exception",
        remedy="narrow retry_exceptions=",
    ),
)

CONDITIONS = {
    "tenacity.retry_if_exception_type": True,
    "tenacity.retry_if_not_exception_type": False,
    "tenacity.retry.retry_if_exception_type": True,
    "tenacity.retry.retry_if_not_exception_type": False,
}
"""Conditions of tenacity over classes: whether it tries again on the classes given, or on all others."""

ALWAYS = frozenset({"tenacity.retry_always"})
TELLS = frozenset({"tenacity.retry_if_exception", "tenacity.retry.retry_if_exception"})
"""Conditions of tenacity that ask a function about the error."""
EITHER = frozenset({"tenacity.retry_any"})
"""Conditions of tenacity that try again where one of those given does."""

ENDING_QUIETLY = frozenset({"retry_error_callback", "raise_on_giveup"})
"""Keywords by which a retry whose attempts are used up returns, and raises nothing."""
