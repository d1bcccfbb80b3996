"""How control leaves steps in which no deadline strikes (it comes once): every way out, with what is known on that way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from flake8_deadline.facts import Assign, Branch, Break, Call, Constant, Continue, Loop, Raise, Return, Step, Try, With
from flake8_deadline.flights import SIGNAL, Flight, World
from flake8_deadline.places import sites
from flake8_deadline.truth import State, Truth, assigned, call_key, constant, gathered

_MOST_STATES = 32


class Exit(NamedTuple):
    kind: Literal["next", "break", "continue", "return", "reraise", "raise", "never"]
    state: State
    flight: Flight = SIGNAL
    returned: Constant | None = None


class Paths:
    """Runs steps of one function. `flight` is what a clause around them has caught, None where none has."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.truth = Truth(world)

    def run(self, steps: tuple[Step, ...], state: State, flight: Flight | None) -> set[Exit]:
        states, exits = {state}, set[Exit]()
        for step in steps:
            leaves = {leave for before in states for leave in self._step(step, before, flight)}
            states = _bounded({leave.state for leave in leaves if leave.kind == "next"})
            exits |= {leave for leave in leaves if leave.kind != "next"}
        return exits | {Exit("next", after) for after in states}

    def _step(self, step: Step, state: State, flight: Flight | None) -> Iterable[Exit]:
        match step:
            case Call():
                return [self._call(step, state, flight)]
            case Assign():
                return [Exit("next", assigned(step, state))]
            case Branch():
                return self._branch(step, state, flight)
            case Loop():
                return self._loop(step, state, flight)
            case Try():
                return self._try(step, state, flight)
            case With():
                return self.run(step.body, state, flight)
            case Return():
                truth = self.truth.of(step.value, state, flight)
                return [Exit("return", state, returned=constant(step.value, state) or (None if truth is None else Constant(truth)))]
            case Raise():
                return [self._raise(step, state, flight)]
            case Break():
                return [Exit("break", state)]
            case Continue():
                return [Exit("continue", state)]
        return [Exit("next", state)]

    def _call(self, call: Call, state: State, flight: Flight | None) -> Exit:
        if not self._world.returns(call):
            return Exit("never", state)
        told = self._world.told(call, state.caught, flight) if flight is not None and state.caught else None
        if told is not None:
            if not told.returns:
                return Exit("never", state)
            if told.gives is not None:
                state = state._replace(flags=state.flags | {(call_key(call), told.gives.value)})
        if not state.loop and self._world.sweeps(call):
            state = state._replace(loop=call.line)
        return Exit("next", gathered(call, state))

    def _raise(self, step: Raise, state: State, flight: Flight | None) -> Exit:
        value = step.value.func if isinstance(step.value, Call) else step.value
        root = value.partition(".")[0] if isinstance(value, str) else None
        if flight is not None and (step.bare or root in state.caught):
            return Exit("reraise", state)
        if isinstance(step.value, Call) and not self._world.returns(step.value):
            return Exit("never", state)
        return Exit("raise", state, self._world.raised(step.value))

    def _branch(self, step: Branch, state: State, flight: Flight | None) -> set[Exit]:
        exits: set[Exit] = set()
        for test, arm in zip(step.tests, step.arms):
            truth = self.truth.of(test, state, flight)
            if truth is not False:
                exits |= self.run(arm, state, flight)
            if truth is True:
                return exits
        return exits | self.run(step.arms[-1], state, flight)

    def _loop(self, step: Loop, state: State, flight: Flight | None) -> set[Exit]:
        if not state.loop and self.works(step):
            state = state._replace(loop=step.line)
        inside = self.run(step.body, state, flight)
        exits = {leave for leave in inside if leave.kind in ("return", "raise", "reraise", "never")}
        exits |= {Exit("next", leave.state) for leave in inside if leave.kind == "break"}
        if step.kind != "forever":
            after = {leave.state for leave in inside if leave.kind in ("next", "continue")} | {state}
            exits |= {leave for before in after for leave in self.run(step.otherwise, before, flight)}
        return exits

    def works(self, loop: Loop) -> bool:
        """Whether time passes in the turns of a loop; a comprehension counts for nothing."""
        return loop.kind != "comprehension" and any(self._world.lands(site.step) for site in sites(loop.body))

    def _try(self, step: Try, state: State, flight: Flight | None) -> set[Exit]:
        exits: set[Exit] = set()
        for leave in self.run(step.body, state, flight):
            exits |= self.run(step.otherwise, leave.state, flight) if leave.kind == "next" else {leave}
        for handler in step.handlers:
            inner = self.run(handler.body, state, None)
            exits |= {leave for leave in inner if leave.kind not in ("raise", "reraise")}
        if not step.final:
            return exits
        through: set[Exit] = set()
        for leave in exits:
            for last in self.run(step.final, leave.state, flight):
                through.add(leave._replace(state=last.state) if last.kind == "next" else last)
        return through


def _bounded(states: set[State]) -> set[State]:
    """Forget what only some paths know once there are too many of them to follow."""
    if len(states) <= _MOST_STATES:
        return states
    caught, flags = (frozenset.intersection(*parts) for parts in zip(*[(state.caught, state.flags) for state in states]))
    return {State(caught, flags, max(state.loop for state in states))}
