"""How long a call may wait for somebody else: its own timeout, that of its client, or what the library does when nobody says. Seconds.

What cannot be read is not told: a timeout that comes from the environment alone, keywords that come in by `**`, a client that comes from
elsewhere. How long the task may take is not decided here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from flake8_deadline.clients import ASKING, CLIENTS, LOCKS, WAITS, Client, Wait
from flake8_deadline.facts import Attr, Call, Constant, Sequence, Value, With
from flake8_deadline.project.inference import Inference
from flake8_deadline.project.makers import UNSEEN
from flake8_deadline.project.objects import External, FunctionRef
from flake8_deadline.project.quantities import Quantities
from flake8_deadline.project.written import calls_behind

_CHAINED = frozenset({"with_options", "copy"})


class Waiting(NamedTuple):
    """A call that waits, and for how long at worst."""

    call: Call
    name: str
    """As it is known: "requests.get", "openai.OpenAI"."""
    worst: float | None
    """All attempts together; None: for ever."""
    timeout: float | None = None
    attempts: int = 1
    keyword: str = "timeout"
    """What to give it."""


class Waits:
    def __init__(self, inference: Inference, quantities: Quantities) -> None:
        self._inference = inference
        self._quantities = quantities

    def of(self, step: object, frame: FunctionRef) -> Iterator[Waiting]:
        """What waits in one step of a function: a call, or a `with` that enters what a call returns."""
        if isinstance(step, Call):
            for name in self._names(step, frame):
                if name in WAITS:
                    yield from self._waiting(step, name, WAITS[name], frame)
                elif name.rpartition(".")[2] in ASKING:
                    yield from self._asking(step, name, frame)
        elif isinstance(step, With):
            for item in step.items:
                if isinstance(item, Call):
                    for name in self._names(item, frame):
                        if name in LOCKS:
                            yield from self._waiting(item, name, LOCKS[name], frame)

    def _names(self, call: Call, frame: FunctionRef) -> list[str]:
        """The one thing from elsewhere that a call means, if it can mean nothing else."""
        objects = self._inference.evaluate(call.func, frame)
        names = [o.name for o in objects if isinstance(o, External)]
        return names if len(names) == len(objects) == 1 else []

    def _waiting(self, call: Call, name: str, wait: Wait, frame: FunctionRef) -> Iterator[Waiting]:
        given = dict(call.keywords)
        if UNSEEN in given:
            return
        found = next((given[keyword] for keyword in wait.keywords if keyword in given), Constant(None))
        if wait.position is not None and len(call.args) > wait.position:
            found = call.args[wait.position]
        shown = name.replace("()", "")
        if found == Constant(None):
            yield Waiting(call, shown, None, keyword=wait.keywords[0])
            return
        seconds = self._seconds(found, frame, call.line)
        if seconds is not None and found != Constant(False):
            yield Waiting(call, shown, seconds, seconds)

    def _seconds(self, value: Value, frame: FunctionRef, line: int) -> float | None:
        """A timeout; of requests' pair of them, and of httpx's by phases, the sum of what must be waited at least."""
        if isinstance(value, Sequence):
            parts = [self._seconds(item, frame, line) for item in value.items]
            return sum(part for part in parts if part is not None) if parts and None not in parts else None
        if isinstance(value, Call) and value.args and str(value.func).rpartition(".")[2] == "Timeout":
            return self._seconds(value.args[0], frame, line)
        quantity = self._quantities.of(value, frame, line)
        return float(quantity.value) if isinstance(quantity.value, (int, float)) and not quantity.unknown else None

    # Clients that stop by themselves

    def _asking(self, call: Call, name: str, frame: FunctionRef) -> Iterator[Waiting]:
        kind = name.partition("()")[0]
        if kind not in CLIENTS:
            return
        found = [self._bounded(call, made, where, frame, CLIENTS[kind]) for made, where in self._options(call.func, frame)]
        known = [waiting for waiting in found if waiting is not None]
        if known and len(known) == len(found):
            yield min(known, key=lambda waiting: waiting.worst or 0)._replace(name=kind)

    def _options(self, func: Value, frame: FunctionRef) -> list[tuple[list[Call], FunctionRef]]:
        """The calls that shape the client, the nearest first, for each way in which it can have been made."""
        chained: list[Call] = []
        owner = func
        while isinstance(owner, Attr):
            owner = owner.of
            if isinstance(owner, Call) and str(_method(owner.func)) in _CHAINED:
                chained.append(owner)
                owner = owner.func
        root = _root(owner) if isinstance(owner, str) else owner
        return [([*chained, made], where) for made, where in calls_behind(root, frame, self._inference)]

    def _bounded(self, call: Call, made: list[Call], where: FunctionRef, frame: FunctionRef, client: Client) -> Waiting | None:
        timeout: float | None = client.timeout
        attempts: float | None = client.retries
        for option in reversed((call, *made)):
            given = dict(option.keywords)
            around = where if option is made[-1] else frame
            if UNSEEN in given:
                return None
            if "timeout" in given:
                timeout = self._seconds(given["timeout"], around, option.line)
            if "max_retries" in given and option is not call:
                attempts = self._seconds(given["max_retries"], around, option.line)
        if timeout is None or attempts is None:
            return None
        tries = int(attempts) + 1
        return Waiting(call, "", timeout * tries, timeout, tries)


def _method(func: Value) -> str:
    return func.name if isinstance(func, Attr) else str(func).rpartition(".")[2]


def _root(name: str) -> str:
    """The name that holds the client: of `client.chat.completions.create` the first word, of `self.client.…` the first two."""
    words = name.split(".")
    return ".".join(words[:2]) if words[0] in ("self", "cls") else words[0]
