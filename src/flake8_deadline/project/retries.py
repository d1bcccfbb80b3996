"""What the retrying decorators and objects of libraries make of a deadline: whether one counts as an error to try again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flake8_deadline import queues, retries
from flake8_deadline.facts import Call, Constant, Value
from flake8_deadline.flights import Argument, Flight, Swallow
from flake8_deadline.project.catching import externals
from flake8_deadline.project.inference import Inference
from flake8_deadline.project.objects import FunctionRef
from flake8_deadline.project.written import calls_behind

if TYPE_CHECKING:
    from flake8_deadline.project.deadlines import Deadlines

_ALL = "builtins.Exception"


class Policy(NamedTuple):
    """A row of `retries` with what it is told; `call` is None for a bare `@retry`."""

    row: retries.Retry
    call: Call | None
    frame: FunctionRef
    name: str


class Around(NamedTuple):
    """A retrying decorator around a function, or an object that retries, by its place."""

    policy: Policy
    line: int
    column: int


class Retries:
    def __init__(self, inference: Inference, deadlines: Deadlines) -> None:
        self._inference = inference
        self._deadlines = deadlines
        self._rows = {name: row for row in retries.RETRIES for name in row.names | row.calls}

    def around(self, frame: FunctionRef) -> list[Around]:
        """The retrying decorators of a function, from the inside out. Those above the decorator that makes it a task do nothing on a worker."""
        function = self._inference.function(frame)
        outside = frame._replace(qualname=function.parent or "")
        found: list[Around] = []
        for decorator in reversed(function.decorators):
            if any(self._inference.decorators.maker(o) for o in self._inference.evaluate(decorator.value, outside)):
                break
            policy = self.policy(decorator.value, outside)
            if policy:
                found.append(Around(policy, decorator.line, decorator.column))
        return found

    def policy(self, value: Value, frame: FunctionRef, line: int = 0) -> Policy | None:
        """The policy that a decorator, or what is looped over or called, stands for; of several that a name is given, the last one before `line`."""
        for name in sorted(externals(self._inference.evaluate(value, frame))):
            if name in self._rows:
                return Policy(self._rows[name], None, frame, name)
        found: list[tuple[int, Policy]] = []
        for call, where in calls_behind(value, frame, self._inference):
            for name in sorted(externals(self._inference.evaluate(call.func, where)) & self._rows.keys()):
                found.append((call.line, Policy(self._rows[name], call, where, name)))
        before = [(at, policy) for at, policy in found if at <= line]
        return max(before or found, key=lambda pair: pair[0], default=(0, None))[1]

    def called(self, call: Call, frame: FunctionRef) -> Around | None:
        """The policy of a call that retries the function it is given: `Retrying(…)(fn)`, `retry_call(fn)`."""
        for name in sorted(externals(self._inference.evaluate(call.func, frame))):
            row = self._rows.get(name)
            if row and name in row.calls:
                return self.at(Policy(row, call, frame, name), call)
            row = self._rows.get(name.removesuffix("()"))
            policy = self.policy(call.func, frame) if row and name.endswith("()") else None
            if policy:
                return self.at(policy, call)
        return None

    def at(self, policy: Policy, call: Call) -> Around:
        """The policy, by the place of a call."""
        return Around(policy, call.line, call.column + 1)

    def swallow(self, around: Around, flight: Flight) -> Swallow:
        """The decorator, as what takes the signal."""
        remedy = around.policy.row.remedy.format(signal=queues.CELERY.signal)
        argument = _argument(around) if flight.kind == "signal" else None
        return Swallow(around.line, around.column, "retry", takes=flight.kind, what=around.policy.name, remedy=remedy, argument=argument)

    def takes(self, policy: Policy, flight: Flight) -> bool:
        """Whether the policy surely tries again on what is in flight; nobody knows: no."""
        row, call, frame, _ = policy
        if call is None:
            return row.default is not None and self._takes(row.default, flight, frame)
        given = dict(call.keywords)
        if row.attempts and _is_once(given.get(row.attempts)) and not retries.ENDING_QUIETLY & given.keys():
            return False
        if row.gives_up and row.gives_up in given and self._answer(given[row.gives_up], flight, frame) is not False:
            return False
        position = row.position if row.errors not in given else None
        value = call.args[position] if position is not None and position < len(call.args) else given.get(row.errors)
        if value is None and row.errors not in given:
            return row.default is not None and self._takes(row.default, flight, frame)
        return self._covers(value, flight, frame, row.asks is not None)

    def _covers(self, value: Value, flight: Flight, frame: FunctionRef, asks: bool) -> bool:
        objects = self._inference.evaluate(value, frame)
        if isinstance(value, Call):
            return self._condition(value, flight, frame)
        names = externals(objects)
        if names & retries.ALWAYS:
            return True
        if asks and any(isinstance(o, FunctionRef) for o in objects):
            return self._answer(value, flight, frame) is True
        return self._takes(value, flight, frame)

    def _condition(self, call: Call, flight: Flight, frame: FunctionRef) -> bool:
        """Whether a condition of tenacity holds of what is in flight."""
        names = externals(self._inference.evaluate(call.func, frame))
        for name in sorted(names & retries.CONDITIONS.keys()):
            classes = call.args[0] if call.args else dict(call.keywords).get("exception_types", _ALL)
            return self._takes(classes, flight, frame) is retries.CONDITIONS[name]
        if names & retries.TELLS and call.args:
            return self._answer(call.args[0], flight, frame) is True
        return bool(names & retries.EITHER) and any(self._covers(part, flight, frame, False) for part in call.args)

    def _takes(self, classes: Value, flight: Flight, frame: FunctionRef) -> bool:
        if classes == _ALL:
            return self._deadlines.catching.is_ordinary(flight)
        return self._deadlines.catching.takes(classes, flight, frame) is not None

    def _answer(self, value: Value, flight: Flight, frame: FunctionRef) -> bool | None:
        """What a function that is told the error answers, if it is sure."""
        functions = [o for o in self._inference.evaluate(value, frame) if isinstance(o, FunctionRef)]
        return self._deadlines.answer(functions[0], flight) if len(functions) == 1 else None


def _is_once(attempts: Value) -> bool:
    """Whether a number of attempts is one: `1`, `stop_after_attempt(1)`."""
    return attempts == Constant(1) or (isinstance(attempts, Call) and attempts.args == (Constant(1),) and not attempts.keywords)


def _argument(around: Around) -> Argument | None:
    """What to pass to the policy's call, or to the bare decorator."""
    row, call, frame, name = around.policy
    keyword = row.asks or row.gives_up or row.errors
    if row.passes is None:
        return None
    line, callee = (call.line, name.rpartition(".")[2]) if call else (around.line, "")
    return Argument(frame.path, line, callee, keyword, row.passes, row.imports)
