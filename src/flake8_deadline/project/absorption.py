"""Calls of libraries that swallow, retry or retype a deadline that strikes in them, as `swallowers` tells.

A row that holds for some versions of a library counts where the project pins one of them. Where none is pinned, only what all
versions do counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from flake8_deadline import swallowers
from flake8_deadline.facts import Call, Constant, Value
from flake8_deadline.flights import RETRIED, Absorbed, Argument, Flight, Swallow
from flake8_deadline.project.objects import External, FunctionRef
from flake8_deadline.project.receivers import receiver
from flake8_deadline.project.time import last_name
from flake8_deadline.project.written import Written, calls_behind
from flake8_deadline.requirements import allows
from flake8_deadline.swallowers import Swallower

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flake8_deadline.project.deadlines import Deadlines

Keywords = tuple[tuple[str, object], ...]


class Absorption:
    """`versions` are those that the project pins, by the distribution's name."""

    def __init__(self, deadlines: Deadlines, versions: Mapping[str, str]) -> None:
        self._deadlines = deadlines
        self._inference = deadlines.inference
        self._versions = {**{name: versions[pin] for name, pin in swallowers.NUMBERED_ALIKE.items() if pin in versions}, **versions}
        self._rows = _by_root([row for row in swallowers.SWALLOWERS if self._applies(row)])
        self._clean = [row for row in swallowers.KNOWN_CLEAN if allows(row.versions, self._versions.get(row.distribution))]

    def absorbs(self, call: Call, names: frozenset[str], frame: FunctionRef) -> Absorbed | None:
        """What a call that may mean any of these names makes of the signal; None: it lets it out, or nobody knows."""
        for name in sorted(names):
            for row in self._rows.get(name.partition(".")[0], ()):
                if _covers(row.names, name) and not self._is_clean(name) and self._counts(row, call, frame):
                    return _absorbed(row, name, call, self._client(call, frame))
        return None

    def _applies(self, row: Swallower) -> bool:
        """Whether a row holds of the version that is pinned, or of all versions where none is."""
        version = self._versions.get(row.distribution)
        others = [other for other in swallowers.SWALLOWERS if other.names == row.names and (other.when, other.unless) == (row.when, row.unless)]
        return allows(row.versions, version) and (version is not None or all(other.does == row.does for other in others))

    def _is_clean(self, name: str) -> bool:
        return any(_covers(row.names, name) for row in self._clean)

    def _counts(self, row: Swallower, call: Call, frame: FunctionRef) -> bool:
        if row.runs and not self._runs(call, frame):
            return False
        given = [list(self._keywords(made)) for made in self._made_by(call, frame)]
        if row.when:
            return any(row.when in keywords for keywords in given)
        return row.unless is None or not any(row.unless in keywords for keywords in given)

    def _runs(self, call: Call, frame: FunctionRef) -> bool:
        """Whether the function that is handed over lets a deadline out."""
        functions = [o for value in call.args[:1] for o in self._inference.evaluate(value, frame) if isinstance(o, FunctionRef)]
        return any(self._deadlines.escapes.get(self._deadlines.reach.framed(function)) for function in functions)

    def _made_by(self, call: Call, frame: FunctionRef) -> Iterator[Call]:
        """The call itself, and those that made its receiver."""
        yield call
        value = receiver(call.func)[0]
        while value is not None:
            yield from (made for made, _ in calls_behind(value, frame, self._inference))
            value = receiver(value.func if isinstance(value, Call) else value)[0]

    def _client(self, call: Call, frame: FunctionRef) -> Written | None:
        """The call that makes the client: the receiver of the call, or what a function of the library is given first."""
        value = receiver(call.func)[0]
        return self._innermost(value, frame) or (self._innermost(call.args[0], frame) if call.args else None)

    def _innermost(self, value: Value, frame: FunctionRef) -> Written | None:
        """The call at the root of a receiver: `Client()` for `Client().chat.completions`."""
        made: list[Written] = []
        while value is not None:
            made += calls_behind(value, frame, self._inference)
            value = receiver(value.func if isinstance(value, Call) else value)[0]
        return made[-1] if made else None

    def _keywords(self, call: Call) -> Iterator[tuple[str, object]]:
        yield from ((name, value.value) for name, value in call.keywords if isinstance(value, Constant))


def _absorbed(row: Swallower, name: str, call: Call, client: Written | None) -> Absorbed:
    kind: Literal["retry", "call"] = "retry" if row.does == "retries" else "call"
    made = (client[1].path, client[0].line) if client else None
    argument = _argument(row, client) if client else None
    swallow = Swallow(call.line, call.column + 1, kind, what=name.replace("()", ""), remedy=row.remedy, client=made, argument=argument)
    flights = {"retries": RETRIED, "retypes": Flight("error", External(row.into))}
    return Absorbed(swallow, flights.get(row.does))


def _argument(row: Swallower, client: Written) -> Argument | None:
    """What to pass to the call that makes the client, so that the row does not count."""
    made, frame = client
    if row.unless is None or row.does != "retries":
        return None
    return Argument(frame.path, made.line, last_name(made.func), row.unless[0], repr(row.unless[1]))


def _covers(names: frozenset[str], name: str) -> bool:
    """Whether a name is one of these, or below one; what a call below gives back is no longer the library's client."""
    return any(name == known or (known.endswith(".") and name.startswith(known) and "()" not in name[len(known) :]) for known in names)


def _by_root(rows: list[Swallower]) -> dict[str, list[Swallower]]:
    """The rows by the first word of their names, so that most calls are seen at once to be none of them."""
    found: dict[str, list[Swallower]] = {}
    for row in rows:
        for root in {name.partition(".")[0] for name in row.names}:
            found.setdefault(root, []).append(row)
    return found
