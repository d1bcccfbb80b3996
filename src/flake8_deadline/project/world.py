"""What one function must be told about everything outside of it: the answers to the questions of `flights.World`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flake8_deadline import libraries, queues
from flake8_deadline.facts import Access, Call, Constant, Handler, Loop, Raise, Value, With, Yield
from flake8_deadline.flights import CANCELLED, RETRIED, Absorbed, Flight, Passage, Told
from flake8_deadline.places import Timed
from flake8_deadline.project.calls import Resolution
from flake8_deadline.project.catching import Taken, externals
from flake8_deadline.project.contexts import Contexts
from flake8_deadline.project.objects import FunctionRef, Rows
from flake8_deadline.project.time import last_name
from flake8_deadline.swallow import Verdicts

if TYPE_CHECKING:
    from flake8_deadline.project.deadlines import Deadlines

_NOTHING: frozenset[Flight] = frozenset()


class FunctionWorld:
    """The world of one function reached."""

    def __init__(self, deadlines: Deadlines, frame: FunctionRef) -> None:
        self._deadlines = deadlines
        self._frame = frame
        self._inference = deadlines.inference
        facts = self._inference.function(frame)
        self._asynchronous = facts.asynchronous
        self._signals = deadlines.signals(frame)
        self.steps = facts.steps
        self.sites = deadlines.reach.sites(frame)
        self._resolved = {id(site.step): resolution for site, resolution in zip(self.sites, deadlines.reach.resolved.get(frame, {}).values())}
        self._taken: dict[tuple[int, Flight], Taken] = {}
        self._passages: dict[tuple[int, Flight], frozenset[Passage]] = {}
        self._contexts = Contexts(deadlines, frame)
        self.verdicts = Verdicts(self)

    def settle_again(self) -> None:
        """Forget what was followed: a callee has turned out to let more out."""
        self.verdicts = Verdicts(self)

    @property
    def is_abstract(self) -> bool:
        return len(self.steps) == 1 and isinstance(self.steps[0], Raise)

    def resolution(self, step: Timed) -> Resolution:
        found = self._resolved.get(id(step))
        if found is None:
            found = self._resolved[id(step)] = self._deadlines.reach.resolve(step, self._frame)
        return found

    # What a call does

    def lands(self, step: Timed) -> frozenset[Flight]:
        resolution = self.resolution(step)
        if isinstance(step, Yield):
            return _NOTHING
        if isinstance(step, Loop):
            if step.kind == "async for":
                return frozenset({CANCELLED})
            return self._signals if any(isinstance(o, Rows) for o in resolution.objects) else _NOTHING
        if resolution.targets or isinstance(step, With):
            escapes = frozenset().union(*[self._deadlines.escapes.get(target, _NOTHING) for target in resolution.targets])
            return frozenset(flight for flight in escapes if flight.kind != "signal" or flight in self._signals)
        if isinstance(step, Access) or not self._deadlines.time.passes(step, resolution.objects, self._frame):
            return _NOTHING
        if not self._asynchronous:
            return self._signals
        if step.awaited:
            return frozenset({CANCELLED})
        return self._signals if self._blocks(step, resolution) else _NOTHING

    def _blocks(self, call: Call, resolution: Resolution) -> bool:
        """Whether a call that a coroutine does not await takes its time. One for its effect alone makes no coroutine: that would not run."""
        if resolution.objects:
            return bool(libraries.BLOCKING & externals(resolution.objects))
        return call.discarded and last_name(call.func) not in libraries.NOT_WAITING

    def launders(self, step: Timed) -> frozenset[Flight]:
        return frozenset().union(*[self._deadlines.laundered.get(target, _NOTHING) for target in self.resolution(step).targets])

    def returns(self, call: Call) -> bool:
        resolution = self.resolution(call)
        if resolution.targets and not resolution.iterates:
            return any(self._deadlines.returns(target) for target in resolution.targets)
        if ("throw", Constant(False)) in call.keywords:
            return True
        if not resolution.objects and isinstance(call.func, str):
            return call.func not in libraries.NEVER_RETURN_AS_WRITTEN
        return not libraries.NEVER_RETURN & externals(resolution.objects)

    def told(self, call: Call, caught: frozenset[str], flight: Flight) -> Told | None:
        targets = self.resolution(call).targets
        if len(targets) != 1:
            return None
        passed = (*zip(self._inference.arguments.positional(targets[0]), call.args), *call.keywords)
        parameters = frozenset(name for name, value in passed if isinstance(value, str) and value in caught)
        return self._deadlines.told(targets[0], parameters, flight) if parameters else None

    def contexts(self, step: With, flight: Flight) -> frozenset[Passage]:
        key = (id(step), flight)
        if key not in self._passages:
            self._passages[key] = self._contexts.passages(step, flight)
        return self._passages[key]

    def absorbs(self, step: Timed, flight: Flight) -> Absorbed | None:
        if not isinstance(step, Call):
            return None
        retries = self._deadlines.retries
        around = retries.called(step, self._frame)
        if around and retries.takes(around.policy, flight):
            return Absorbed(retries.swallow(around, flight), RETRIED)
        if flight.kind != "signal" or not self._deadlines.catching.is_ordinary(flight) or self.resolution(step).targets:
            return None
        return self._deadlines.absorption.absorbs(step, externals(self.resolution(step).objects), self._frame)

    def asks_again(self, call: Call) -> bool:
        if ("throw", Constant(False)) in call.keywords:
            return False
        if call.func in libraries.NEVER_RETURN_AS_WRITTEN:
            return True
        return bool(queues.RETRYING & externals(self.resolution(call).objects))

    def sweeps(self, call: Call) -> bool:
        targets = self.resolution(call).targets
        return 0 < len(targets) <= 2 and any(self._deadlines.loops(target) for target in targets)

    # What a clause takes

    def takes(self, handler: Handler, flight: Flight) -> Taken:
        key = (id(handler), flight)
        if key not in self._taken:
            self._taken[key] = "broad" if handler.bare else self._deadlines.catching.takes(handler.catches, flight, self._frame)
        return self._taken[key]

    def is_instance(self, flight: Flight, classes: Value) -> bool | None:
        return self._deadlines.catching.is_instance(flight, classes, self._frame)

    def raised(self, value: Value) -> Flight:
        return self._deadlines.catching.raised(value, self._frame)
