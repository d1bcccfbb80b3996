"""How control leaves steps in which no deadline strikes (it comes once): every way out, with what is known on that way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from flake8_deadline.facts import Assign, Branch, Break, Call, Constant, Continue, Loop, Raise, Return, Step, Try, With
from flake8_deadline.flights import RETRIED, SIGNAL, Flight, World
from flake8_deadline.places import assigned, sites
from flake8_deadline.truth import State, Truth, call_key, constant, forgotten, gathered

_MOST_STATES = 32


class Exit(NamedTuple):
    kind: Literal["next", "break", "continue", "return", "reraise", "raise", "never"]
    state: State
    flight: Flight = SIGNAL
    returned: Constant | None = None
    line: int = 0
    column: int = 1
    """For "return", "break" and "continue": where it stands."""


class Paths:
    """Runs steps of one function. `flight` is what a clause around them has caught, None where none has."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.truth = Truth(world)

    def run(self, steps: tuple[Step, ...], states: Iterable[State], flight: Flight | None) -> set[Exit]:
        """Every way out of these steps for control that comes to them in any of these states."""
        current, exits = _bounded(set(states)), set[Exit]()
        for step in steps:
            leaves = self._step(step, current, flight)
            current = _bounded({leave.state for leave in leaves if leave.kind == "next"})
            exits |= {leave for leave in leaves if leave.kind != "next"}
        return exits | {Exit("next", after) for after in current}

    def through(self, steps: tuple[Step, ...], leaves: set[Exit], flight: Flight | None) -> set[Exit]:
        """What becomes of exits that these steps, a `finally`, stand in the way of. What is known is not told apart by the exits."""
        if not steps:
            return leaves
        ways = {leave._replace(state=State()) for leave in leaves}
        lasts = self.run(steps, [leave.state for leave in leaves], flight)
        exits = {last for last in lasts if last.kind != "next"}
        return exits | {way._replace(state=last.state) for way in ways for last in lasts if last.kind == "next"}

    def _step(self, step: Step, states: set[State], flight: Flight | None) -> set[Exit]:
        match step:
            case Branch():
                return self._branch(step, states, flight)
            case Loop():
                return self._loop(step, states, flight)
            case Try():
                return self._try(step, states, flight)
            case With():
                return self.run(step.body, states, flight)
        return {self._simple(step, state, flight) for state in states}

    def _simple(self, step: Step, state: State, flight: Flight | None) -> Exit:
        match step:
            case Call():
                return self._call(step, state, flight)
            case Assign():
                return Exit("next", self.truth.assigned(step, state, flight))
            case Return():
                truth = self.truth.of(step.value, state, flight)
                known = constant(step.value, state) or (None if truth is None else Constant(truth))
                return Exit("return", state, SIGNAL, known, step.line, step.column)
            case Raise():
                return self._raise(step, state, flight)
            case Break():
                return Exit("break", state, line=step.line, column=step.column)
            case Continue():
                return Exit("continue", state, line=step.line, column=step.column)
        return Exit("next", state)

    def _call(self, call: Call, state: State, flight: Flight | None) -> Exit:
        if not self._world.returns(call):
            return Exit("raise", state, RETRIED) if self._world.asks_again(call) else Exit("never", state)
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
        if isinstance(step.value, Call):
            if self._world.asks_again(step.value):
                return Exit("raise", state, RETRIED)
            if not self._world.returns(step.value):
                return Exit("never", state)
        return Exit("raise", state, self._world.raised(step.value))

    def _branch(self, step: Branch, states: set[State], flight: Flight | None) -> set[Exit]:
        exits: set[Exit] = set()
        for test, arm in zip(step.tests, step.arms):
            truths = {state: self.truth.of(test, state, flight) for state in states}
            exits |= self.run(arm, [state for state, truth in truths.items() if truth is not False], flight)
            states = {state for state, truth in truths.items() if truth is not True}
        return exits | self.run(step.arms[-1], states, flight)

    def _loop(self, step: Loop, states: set[State], flight: Flight | None) -> set[Exit]:
        if self.works(step):
            states = {state if state.loop else state._replace(loop=step.line) for state in states}
        changed = assigned([step])
        inside = self.run(step.body, [forgotten(state, changed) for state in states], flight)
        exits = {leave for leave in inside if leave.kind in ("return", "raise", "reraise", "never")}
        exits |= {Exit("next", leave.state) for leave in inside if leave.kind == "break"}
        if step.kind != "forever":
            after = {leave.state for leave in inside if leave.kind in ("next", "continue")} | states
            exits |= self.run(step.otherwise, after, flight)
        return exits

    def works(self, loop: Loop) -> bool:
        """Whether time passes in the turns of a loop; a comprehension counts for nothing."""
        return loop.kind != "comprehension" and any(self._world.lands(site.step) for site in sites(loop.body))

    def _try(self, step: Try, states: set[State], flight: Flight | None) -> set[Exit]:
        inside = self.run(step.body, states, flight)
        exits = {leave for leave in inside if leave.kind != "next"}
        exits |= self.run(step.otherwise, [leave.state for leave in inside if leave.kind == "next"], flight)
        changed = assigned(step.body)
        for handler in step.handlers:
            inner = self.run(handler.body, [forgotten(state, changed) for state in states], None)
            exits |= {leave for leave in inner if leave.kind not in ("raise", "reraise")}
        return self.through(step.final, exits, flight)


def _bounded(states: set[State]) -> set[State]:
    """Forget what only some paths know once there are too many of them to follow."""
    if len(states) <= _MOST_STATES:
        return states
    caught, flags = (frozenset.intersection(*parts) for parts in zip(*[(state.caught, state.flags) for state in states]))
    return {State(caught, flags, max(state.loop for state in states))}
