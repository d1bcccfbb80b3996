"""What can be in flight once a deadline has struck, and what one function must be told about everything outside of it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal, NamedTuple, Protocol

from flake8_deadline.facts import Call, Constant, Handler, Value, With
from flake8_deadline.places import Timed

Kind = Literal["signal", "cancelled", "error", "hard", "retry"]


class Flight(NamedTuple):
    """An exception on its way out: the deadline signal itself, the cancellation an awaiting coroutine sees, or another error; the exit that the
    hard limit asks for; the queue's own error by which a task asks to be run again.
    """

    kind: Kind
    error: Hashable = None
    """For "error": the class, as the World names classes; None where nobody can say. For "signal": the queue's name."""


SIGNAL = Flight("signal", "celery")
CANCELLED = Flight("cancelled")
HARD = Flight("hard")
RETRIED = Flight("retry")
GROUP = Flight("error")
"""What is raised in an `except*` comes out in a group, which no narrow clause takes."""


class Argument(NamedTuple):
    """A keyword argument that would keep a retry from taking the signal, and the call, or bare decorator (`callee` is ""), to pass it to."""

    path: str
    line: int
    callee: str
    keyword: str
    expression: str
    """`{0}` stands for the signal's name, `{1}` for the name imported besides."""
    name: tuple[str, str] | None = None
    """Module and name of what is imported besides."""


class Swallow(NamedTuple):
    """What takes the signal and does not let it go on every way out, by its place: the `except` of a clause, the statement in a `finally` that
    leaves it, the `with` or the `return` of a context, the call or decorator that retries.
    """

    line: int
    column: int
    kind: Literal["clause", "context", "finally", "retry", "call"]
    catches: Value = None
    bare: bool = False
    star: bool = False
    explicit: bool = False
    """Whether it names what it takes."""
    takes: Kind = "signal"
    """What it takes: the signal itself, the cancellation an awaiting coroutine sees instead, or what a callee has turned the signal into."""
    sweep: bool = False
    """Whether what it guards is a loop: what was swallowed then ended one sweep, and another may start."""
    hard: bool = False
    """Whether it takes the exit that the hard limit asks for as well."""
    what: str = ""
    """For all but a clause: what it is, in words of the code."""
    remedy: str = ""
    """For a call or decorator of a library: what to do."""
    at: Hashable = None
    """The function it stands in, as the World names functions, if not the one whose call or block the deadline struck in."""
    entered: int = 0
    """For a context of the project: the line of the `with`."""
    queue: str = "celery"
    """The queue whose signal it takes, by name."""
    client: tuple[str, int] | None = None
    """For a call of a library: path and line of where the client it goes through is made, as far as that is seen."""
    argument: Argument | None = None
    """For a retry: what would mend it, if an argument does."""


class Passage(NamedTuple):
    """What a context makes of an exception: it comes out as `flight`, or (None) `swallow` has taken it."""

    flight: Flight | None
    swallow: Swallow | None = None


class Absorbed(NamedTuple):
    """What a call makes of a deadline that strikes in it: turned into `flight`, begun again (RETRIED) or (None) swallowed."""

    swallow: Swallow
    flight: Flight | None = None


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

    def absorbs(self, step: Timed, flight: Flight) -> Absorbed | None:
        """What a call of a library does with a deadline that strikes in it; None: it comes out."""

    def contexts(self, step: With, flight: Flight) -> frozenset[Passage]:
        """What the contexts of a `with` make of an exception that comes out of its body."""

    def asks_again(self, call: Call) -> bool:
        """Whether a call asks the queue to run the task again, and raises."""

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
