"""A task's limits with their evidence: what its own declaration gives it, and what the project gives every task.

Limits are in seconds. What counts, and under which name, is Celery's behaviour as measured on 5.2 to 5.7: `0` and `None` fall through to
the next level; a setting counts only under a name that reaches the configuration ("Configuration and defaults", "New lowercase settings"
in Celery's documentation, and the `namespace` of `config_from_object`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Union

from flake8_deadline import queues
from flake8_deadline.celery_settings import OLD_NAMES_WAKE, spelt
from flake8_deadline.facts import Call, Constant, Function, Hint, Imported, Table, Value
from flake8_deadline.project import Declared, Project
from flake8_deadline.project.makers import UNSEEN
from flake8_deadline.project.modules import Source, is_test
from flake8_deadline.project.objects import ClassRef, External, FunctionRef, Object, Task
from flake8_deadline.project.time import last_name
from flake8_deadline.requirements import allows

OPTIONS = frozenset({"soft_time_limit", "time_limit"})
"""Options of a task decorator, attributes of a task class."""
SETTINGS = frozenset({"task_soft_time_limit", "task_time_limit"})
OLD_SETTINGS = frozenset({"CELERYD_TASK_SOFT_TIME_LIMIT", "CELERYD_TASK_TIME_LIMIT"})
"""Names of Celery 3 that still reach the configuration: without a namespace, and from 5.7 on with the namespace CELERY."""
ANNOTATIONS = frozenset({"task_annotations", "CELERY_TASK_ANNOTATIONS", "CELERY_ANNOTATIONS"})

Number = Union[int, float, None]
Pair = tuple[str, Value]


class Limit(NamedTuple):
    """A limit and who set it. `seconds` is None where it is given but cannot be read."""

    name: str
    path: str
    line: int
    seconds: Number


def has_limits(declared: Declared) -> bool:
    """Whether a task's limits are Celery's, of which alone this module speaks."""
    return declared.task.maker.queue == queues.CELERY.name


def own_limit(project: Project, declared: Declared) -> Limit | None:
    """The first limit that the task's decorator, an assignment to it or its base class gives it."""
    maker = declared.task.maker
    for name, value in maker.options:
        if (name in OPTIONS and value is not None and value != 0) or name == UNSEEN:
            return Limit(name, declared.path, declared.line, value if isinstance(value, (int, float)) else None)
    return _assigned_limit(project, declared) or (_base_limit(project, maker.base) if maker.base else None)


def has_own_soft_limit(project: Project, declared: Declared) -> bool:
    """Whether the task's own declaration, or its base class, says how long it may take before it is told to stop."""
    maker = declared.task.maker
    if any(name in ("soft_time_limit", UNSEEN) and value is not None and value != 0 for name, value in maker.options):
        return True
    return maker.base is not None and _base_limit(project, maker.base, ("soft_time_limit",)) is not None


def _assigned_limit(project: Project, declared: Declared) -> Limit | None:
    """`import_rows.time_limit = 60` after the definition, by any name of the task."""
    written = declared.task.written
    for target, values in project.modules.source(written.path).functions[""].bindings.items():
        owner, _, name = target.rpartition(".")
        if name in OPTIONS and any(is_task(o, written) for o in project.inference.evaluate(owner, FunctionRef(written.path, ""))):
            for value in _given(values):
                if not _is_unset(value):
                    return Limit(name, written.path, declared.line, _seconds(value))
    return None


def is_task(o: Object, written: FunctionRef) -> bool:
    """Whether something is the task that was written there."""
    return isinstance(o, Task) and o.written[:2] == written[:2]


def _base_limit(project: Project, base: ClassRef, names: Iterable[str] = OPTIONS) -> Limit | None:
    for ancestor in project.inference.classes.ancestors(base):
        if isinstance(ancestor, ClassRef):
            cls = project.inference.cls(ancestor)
            methods = project.modules.source(ancestor.path).methods.get(ancestor.qualname, ())
            for name in sorted(names):
                values = [*cls.bindings.get(name, ()), *(value for m in methods for value in m.bindings.get(f"self.{name}", ()))]
                for value in _given(values):
                    if not _is_unset(value):
                        return Limit(name, ancestor.path, cls.line, _seconds(value))
    return None


def default_limit(project: Project, declared: Declared) -> Limit | None:
    """The first limit that annotations, `app.conf`, the application's task class or the settings of the project give this task."""
    for limit, pattern in project.once(_defaults):
        if _matches(pattern, declared):
            return limit
    return None


def _defaults(project: Project) -> tuple[tuple[Limit, str], ...]:
    return (*_configured(project), *_application_classes(project))


def _configured(project: Project) -> Iterator[tuple[Limit, str]]:
    names = setting_names(project)
    for source in _sources(project, "limit"):
        for function in source.functions.values():
            yield from _in_bindings(source.path, function.line, function.bindings, names)
            yield from _on_the_class(project, source.path, function)
        for call in _calls(source):
            yield from _in_pairs(source.path, call.line, _set_by(call), names)
        for cls in source.classes.values():
            yield from _in_bindings(source.path, cls.line, cls.bindings, names)


def _on_the_class(project: Project, path: str, function: Function) -> Iterator[tuple[Limit, str]]:
    """`app.Task.time_limit = 60`, `Task.time_limit = 60`: an attribute of the class that all tasks are made from."""
    for target, values in function.bindings.items():
        owner, _, name = target.rpartition(".")
        if name in OPTIONS and any(map(_is_task_class, project.inference.evaluate(owner, FunctionRef(path, function.qualname)))):
            yield from ((Limit(name, path, function.line, _seconds(value)), "*") for value in _given(values) if not _is_unset(value))


def namespaces(project: Project) -> frozenset[str]:
    """The namespaces under which the applications of the project read their settings; "" for none. Empty where none is seen to."""
    return project.once(_all_namespaces)


def _all_namespaces(project: Project) -> frozenset[str]:
    return frozenset(namespace for source in _sources(project, "task") for namespace in _namespaces(source))


def celery_version(project: Project) -> str | None:
    """The version that the options name or the project pins."""
    return project.options.celery_version or dict(project.options.versions).get("celery")


def setting_names(project: Project) -> frozenset[str]:
    """The names of the limits that reach the configuration. Where no application is seen to read settings, the usual ones are believed."""
    names = set(SETTINGS)
    for namespace in namespaces(project) or {"CELERY", ""}:
        names |= {spelt(name, namespace) for name in SETTINGS} if namespace else OLD_SETTINGS
    wakes = allows(f">={OLD_NAMES_WAKE}", celery_version(project))
    return frozenset(names | OLD_SETTINGS if wakes and "CELERY" in namespaces(project) else names)


def _namespaces(source: Source) -> Iterator[str]:
    for call in _calls(source):
        if isinstance(call.func, str) and call.func.endswith("config_from_object"):
            given = [*(value for name, value in call.keywords if name == "namespace"), *call.args[3:4]]
            if not given:
                yield ""
            yield from (str(value.value) for value in given if isinstance(value, Constant))


def _application_classes(project: Project) -> Iterator[tuple[Limit, str]]:
    """The class of every task of an application: `Celery(task_cls=Base)`, `task_cls = Base` in a class, `app.Task = Base`."""
    for source in _sources(project, "task"):
        for frame, line, value in _task_classes(project, source):
            bases = project.inference.evaluate(_by_path(value), frame)
            limits = [_base_limit(project, base) for base in sorted(bases, key=repr) if isinstance(base, ClassRef)]
            if any(isinstance(base, External) and not _is_task_class(base) for base in bases):
                limits.append(Limit("task_cls", source.path, line, None))
            yield from ((limit, "*") for limit in limits if limit)


def _by_path(value: Value) -> Value:
    """A class given by its path, as an application takes it: "project.tasks:Base", "project.tasks.Base"."""
    if not isinstance(value, Constant) or not isinstance(value.value, str):
        return value
    module, _, name = value.value.replace(":", ".").rpartition(".")
    return Imported(module, 0, name)


def _task_classes(project: Project, source: Source) -> Iterator[tuple[FunctionRef, int, Value]]:
    for qualname, function in source.functions.items():
        frame = FunctionRef(source.path, qualname)
        for call in _calls_in(source, qualname):
            yield from ((frame, call.line, value) for name, value in call.keywords if name == "task_cls")
        for target, values in function.bindings.items():
            if target.endswith(".Task") and any(map(_is_task_class, project.inference.evaluate(target, frame))):
                yield from ((frame, function.line, value) for value in values)
    for qualname, cls in source.classes.items():
        frame = project.inference.classes.frame(ClassRef(source.path, qualname))
        yield from ((frame, cls.line, value) for value in cls.bindings.get("task_cls", ()))


def _is_task_class(o: Object) -> bool:
    """Whether something is the queue's own class of tasks, or an application's."""
    return isinstance(o, External) and o.name in queues.CELERY.bases


def settings_sources(project: Project) -> tuple[Source, ...]:
    """The files that may set a limit."""
    return project.once(_limit_sources)


def _limit_sources(project: Project) -> tuple[Source, ...]:
    return tuple(_sources(project, "limit"))


def is_annotated(project: Project, declared: Declared) -> bool:
    """Whether an annotation gives a task a limit."""
    return any(limit.name in ANNOTATIONS and _matches(pattern, declared) for limit, pattern in project.once(_defaults))


def _matches(pattern: str, declared: Declared) -> bool:
    return pattern in ("*", declared.name) or declared.name.endswith(f".{pattern}")


def application_bases(project: Project) -> tuple[ClassRef, ...]:
    """The project's own class of every task of an application, where the project gives it one."""
    return project.once(_application_bases)


def _application_bases(project: Project) -> tuple[ClassRef, ...]:
    given = [(frame, value) for source in _sources(project, "task") for frame, _, value in _task_classes(project, source)]
    found = {base for frame, value in given for base in project.inference.evaluate(_by_path(value), frame)}
    return tuple(sorted(base for base in found if isinstance(base, ClassRef)))


def _sources(project: Project, mark: str) -> Iterator[Source]:
    for path in sorted(project.files.names):
        if mark in project.files.outline(path).marks and not is_test(path):
            yield project.modules.source(path)


def _calls(source: Source) -> Iterator[Call]:
    for qualname in source.functions:
        yield from _calls_in(source, qualname)


def _calls_in(source: Source, qualname: str) -> Iterator[Call]:
    return (site.step for site in source.sites(qualname) if isinstance(site.step, Call))


def _set_by(call: Call) -> list[Pair]:
    """The settings a call may give: `conf.update(name=…)`, `conf.update({…})`, `conf.setdefault("name", …)`, `setattr(conf, "name", …)`."""
    tables = [argument for argument in call.args if isinstance(argument, Table)]
    if last_name(call.func) in ("setdefault", "setattr") and len(call.args) > 1:
        tables.append(Table(((call.args[-2], call.args[-1]),)))
    return [*call.keywords, *(pair for table in tables for pair in _pairs(table))]


def _in_bindings(path: str, line: int, bindings: dict[str, tuple[Value, ...]], names: frozenset[str]) -> Iterator[tuple[Limit, str]]:
    for name, values in bindings.items():
        last = name.rpartition(".")[2].rpartition("[")[2].removesuffix("]")
        yield from _in_pairs(path, line, [(last, value) for value in _given(values)], names)


def _in_pairs(path: str, line: int, pairs: Iterable[Pair], names: frozenset[str]) -> Iterator[tuple[Limit, str]]:
    for name, value in pairs:
        if name in names and not _is_unset(value):
            yield Limit(name, path, line, _seconds(value)), "*"
        elif name in ANNOTATIONS and not isinstance(value, (Table, Constant)):
            yield Limit(name, path, line, None), "*"
        elif isinstance(value, Table):
            for task, options in _pairs(value):
                if _limits(options, unseen=name in ANNOTATIONS):
                    yield Limit(name, path, line, None), task
            yield from _in_pairs(path, line, _pairs(value), SETTINGS)


def _limits(options: Value, unseen: bool) -> bool:
    """Whether the options of an annotation hold a limit; `unseen` is the answer where they do not stand there."""
    if isinstance(options, Table):
        return any(name in OPTIONS and not _is_unset(value) for name, value in _pairs(options))
    return unseen and not isinstance(options, Constant)


def _given(values: Sequence[Value]) -> Sequence[Value]:
    """What a name is given; its annotation only where it is given nothing else (`task_time_limit: int`, set from the environment)."""
    return [value for value in values if not isinstance(value, Hint)] or values


def _pairs(table: Table) -> Iterator[Pair]:
    for key, value in table.items:
        if isinstance(key, Constant) and isinstance(key.value, str):
            yield key.value, value


def _is_unset(value: Value) -> bool:
    return isinstance(value, Constant) and not value.value


def _seconds(value: Value) -> Number:
    return value.value if isinstance(value, Constant) and isinstance(value.value, (int, float)) else None
