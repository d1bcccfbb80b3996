"""What can be in flight once a deadline has struck, and what one function must be told about everything outside of it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal, NamedTuple, Protocol

from flake8_deadline.facts import Call, Constant, Handler, Value
from flake8_deadline.places import Timed


class Flight(NamedTuple):
    """An exception on its way out: the deadline signal itself, the cancellation an awaiting coroutine sees, or another error."""

    kind: Literal["signal", "cancelled", "error"]
    error: Hashable = None
    """For "error": the class, as the World names classes; None where nobody can say."""


SIGNAL = Flight("signal")
CANCELLED = Flight("cancelled")


class Told(NamedTuple):
    """What comes of a call that is passed the caught exception: whether it can return, and the constant it then gives, if it is one."""

    returns: bool
    gives: Constant | None = None


class World(Protocol):
    """What one function must be told about everything outside of it."""

    def lands(self, step: Timed) -> frozenset[Flight]:
        """In which forms a deadline that strikes in this call (iteration, context) comes out of it; none: no time can pass."""

    def launders(self, step: Timed) -> frozenset[Flight]:
        """The other errors that functions called here turn a deadline into."""

    def returns(self, call: Call) -> bool:
        """Whether control can come back from this call."""

    def told(self, call: Call, caught: frozenset[str], flight: Flight) -> Told | None:
        """What a function of the project does that is told what was caught (`log_or_raise(exc)`); None where nobody can say."""

    def sweeps(self, call: Call) -> bool:
        """Whether this call runs a loop of its own in which time passes."""

    def takes(self, handler: Handler, flight: Flight) -> Literal["broad", "explicit", None]:
        """Whether the clause takes what is in flight, and whether it names it."""

    def is_instance(self, flight: Flight, classes: Value) -> bool | None:
        """The answer of `isinstance(caught, classes)`; None where it cannot be said."""

    def raised(self, value: Value) -> Flight:
        """What `raise value` puts in flight."""
