"""Both halves of a task's limits as the source gives them: what the task declares, and what the project's settings say. In seconds.

Soft and hard are found apart, each with the place that gives it. `0` and `None` are no limit: they fall through to the next level, except
that a `None` of the decorator hides what a base class says (measured on Celery 5.2 to 5.7). What workers' flags add is not decided here.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Literal, NamedTuple

from flake8_deadline.budget.defaults import application_bases, has_limits, is_task, setting_names, settings_sources
from flake8_deadline.facts import Call, Constant, Hint, Table, Value
from flake8_deadline.project import Declared, Project
from flake8_deadline.project.makers import UNSEEN
from flake8_deadline.project.modules import Source, is_test
from flake8_deadline.project.objects import ClassRef, FunctionRef
from flake8_deadline.project.quantities import Place, Quantities, Quantity
from flake8_deadline.project.time import last_name

Half = Literal["soft_time_limit", "time_limit"]
SOFT: Half = "soft_time_limit"
HARD: Half = "time_limit"


class Given(NamedTuple):
    """A limit, and what gives it."""

    kind: Literal["decorator", "base-class", "config"]
    name: str
    at: Place
    """Where a reader looks for it: the decorator, the attribute, the setting."""
    quantity: Quantity

    @property
    def seconds(self) -> float | None:
        """None where it cannot be read, or is no number."""
        value = self.quantity.value
        return value if isinstance(value, (int, float)) and not self.quantity.unknown else None

    @property
    def while_unset(self) -> str:
        """The variable that would change it."""
        return self.quantity.variable if self.quantity.is_default else ""


class Settings(NamedTuple):
    """What one settings module, with the applications of the project, says."""

    path: str
    soft: Given | None = None
    hard: Given | None = None


def own(project: Project, declared: Declared, half: Half) -> Given | None:
    """What the task's decorator, an assignment to it or its base class gives it for one half."""
    given = declared_half(project, declared, half)
    return None if given is None or _is_unset(given.quantity) else given


def declared_half(project: Project, declared: Declared, half: Half) -> Given | None:
    """The first that speaks of one half: the decorator, an assignment or the base class; also where it says `0` or `None`."""
    return _decorated(project, declared, half) or _assigned(project, declared, half) or next(_inherited(project, declared, half), None)


def _decorated(project: Project, declared: Declared, half: Half) -> Given | None:
    at = Place(declared.path, declared.line)
    call, frame = _decorator(project, declared)
    if call is not None and half in dict(call.keywords):
        line = dict(zip((name for name, _ in call.keywords), call.lines)).get(half, call.line)
        return Given("decorator", half, at, quantities(project).of(dict(call.keywords)[half], frame, line))
    for name, value in declared.task.maker.options:
        if name == half:
            if value is None or isinstance(value, (int, float, str)):
                return Given("decorator", half, at, Quantity(value, at))
            return Given("decorator", half, at, Quantity(None, at, unknown="it goes through a decorator of the project"))
        if name == UNSEEN:
            return Given("decorator", half, at, Quantity(None, at, unknown="its options cannot be seen"))
    return None


def _decorator(project: Project, declared: Declared) -> tuple[Call | None, FunctionRef]:
    """The call that makes the task, where it stands at the task's place, and its frame."""
    written = declared.task.written
    outside = FunctionRef(declared.path, "")
    if written.path == declared.path:
        function = project.inference.function(written)
        outside = FunctionRef(declared.path, function.parent or "")
        for decorator in function.decorators:
            if decorator.line == declared.line and isinstance(decorator.value, Call):
                return decorator.value, outside
    return None, outside


def _assigned(project: Project, declared: Declared, half: Half) -> Given | None:
    """`import_rows.time_limit = 60` after the definition."""
    written = declared.task.written
    body = project.modules.source(written.path).functions[""]
    frame = FunctionRef(written.path, "")
    for target, values in body.bindings.items():
        owner, _, name = target.rpartition(".")
        if name == half and any(is_task(o, written) for o in project.inference.evaluate(owner, frame)):
            line = body.lines[target][-1]
            return Given("decorator", half, Place(written.path, line), quantities(project).of(values[-1], frame, line))
    return None


def _inherited(project: Project, declared: Declared, half: Half) -> Iterator[Given]:
    base = declared.task.maker.base
    for ref in [base] if base else application_bases(project):
        for ancestor in project.inference.classes.ancestors(ref):
            if isinstance(ancestor, ClassRef):
                cls = project.inference.cls(ancestor)
                pairs = [pair for pair in zip(cls.bindings.get(half, ()), cls.lines.get(half, ())) if not isinstance(pair[0], Hint)]
                if pairs:
                    value, line = pairs[-1]
                    quantity = quantities(project).of(value, project.inference.classes.frame(ancestor), line)
                    yield Given("base-class", half, Place(ancestor.path, line), quantity)


def settings(project: Project) -> tuple[Settings, ...]:
    """What each settings module of the project says; one without a module where only applications say anything."""
    return project.once(_settings)


def _settings(project: Project) -> tuple[Settings, ...]:
    names = setting_names(project)
    applied: dict[Half, list[Given]] = {SOFT: [], HARD: []}
    modules: dict[str, dict[Half, str]] = {}
    for source in settings_sources(project):
        for half, given in _on_applications(project, source, names):
            applied[half].append(given)
        for name in source.functions[""].bindings if "" in source.functions else ():
            spelt = _half(name) if name in names else None
            if spelt:
                modules.setdefault(source.path, {})[spelt] = name
    own = {half: _agreed(given) for half, given in applied.items()}
    found = []
    for path, spellings in sorted(modules.items()):
        seen = {half: own[half] or _of_module(project, path, half, spellings, names) for half in (SOFT, HARD)}
        found.append(Settings(path, seen[SOFT], seen[HARD]))
    return tuple(found) or ((Settings("", own[SOFT], own[HARD]),) if own[SOFT] or own[HARD] else ())


def _of_module(project: Project, path: str, half: Half, spelt: dict[Half, str], names: frozenset[str]) -> Given | None:
    """A setting as a module has it at its end, by its own assignment or by a star import."""
    reader = quantities(project)
    candidates = [spelt[half]] if half in spelt else sorted(name for name in names if _half(name) == half)
    for name in candidates:
        if reader.defines(path, name):
            body = project.modules.source(path).functions[""]
            line = body.lines.get(name, (1,))[-1]
            quantity = reader.of(name, FunctionRef(path, ""), line)
            at = Place(path, line) if name in body.bindings else quantity.at
            given = Given("config", name, at, quantity)
            return None if _is_unset(quantity) else given
    return None


def _on_applications(project: Project, source: Source, names: frozenset[str]) -> Iterator[tuple[Half, Given]]:
    """`app.conf.task_time_limit = 60`, `app.conf.update(task_time_limit=60)`, `Celery("x", task_time_limit=60)`."""
    for qualname, function in source.functions.items():
        frame = FunctionRef(source.path, qualname)
        for target, values in function.bindings.items():
            name = target.rpartition(".")[2].rpartition("[")[2].removesuffix("]")
            half = _half(name) if name != target and name in names else None
            if half and target in function.lines:
                line = function.lines[target][-1]
                yield half, _configured(project, name, values[-1], frame, line)
        for site in source.sites(qualname):
            if isinstance(site.step, Call):
                for name, value, line in _pairs(site.step):
                    half = _half(name) if name in names else None
                    if half:
                        yield half, _configured(project, name, value, frame, line)


def _configured(project: Project, name: str, value: Value, frame: FunctionRef, line: int) -> Given:
    return Given("config", name, Place(frame.path, line), quantities(project).of(value, frame, line))


def _pairs(call: Call) -> Iterator[tuple[str, Value, int]]:
    """The settings a call gives, with their lines."""
    for index, (name, value) in enumerate(call.keywords):
        yield name, value, call.lines[index] if call.lines else call.line
    for argument in call.args:
        if isinstance(argument, Table):
            for (key, value), line in zip(argument.items, argument.lines):
                if isinstance(key, Constant) and isinstance(key.value, str):
                    yield key.value, value, line
    if last_name(call.func) in ("setdefault", "setattr") and len(call.args) > 1:
        key = call.args[-2]
        if isinstance(key, Constant) and isinstance(key.value, str):
            yield key.value, call.args[-1], call.line


def _agreed(given: list[Given]) -> Given | None:
    """The one limit that applications are given; where they differ, one that nobody can read."""
    chosen = [one for one in given if not _is_unset(one.quantity)]
    if len({one.quantity.value for one in chosen}) > 1:
        return chosen[0]._replace(quantity=chosen[0].quantity._replace(unknown="applications differ"))
    return chosen[0] if chosen else None


def _half(name: str) -> Half | None:
    lower = name.lower()
    return SOFT if lower.endswith("soft_time_limit") else HARD if lower.endswith("time_limit") else None


def _is_unset(quantity: Quantity) -> bool:
    return not quantity.unknown and not quantity.value and not isinstance(quantity.value, timedelta)


def quantities(project: Project) -> Quantities:
    """The numbers of a project, where the environment is not known."""
    return project.once(_reader)


def _reader(project: Project) -> Quantities:
    return Quantities(project.inference)


def budgeted(project: Project) -> Iterator[Declared]:
    """The tasks that limits are looked at for: Celery's, outside of tests."""
    return (declared for declared in project.tasks if has_limits(declared) and not is_test(declared.path))
