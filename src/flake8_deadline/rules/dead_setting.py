"""A limit is set where nobody reads it, or to something that is no number of seconds.

Why
    Celery ignores a setting that it does not know, and takes any option of a decorator for an attribute, without a word. So a misspelt limit
    looks like a limit and is none. Celery's own table of old names has two that nothing reads (`CELERYD_SOFT_TIME_LIMIT`,
    `CELERYD_TIME_LIMIT`), and under a namespace the old names that are right, `CELERYD_TASK_SOFT_TIME_LIMIT` and its kin, are read from
    Celery 5.7 on alone. A limit that is a string is none either, and a `timedelta` makes `.delay()` fail. `0` is not "off": it falls through
    to the project's default.

Bad
    from celery import shared_task


    @shared_task(soft_time_limit=600, time_limit="900")
    def import_rows(pk):
        print(pk)

Good
    from celery import shared_task


    # 95 files at most, 6 s each at worst
    @shared_task(soft_time_limit=600, time_limit=900)
    def import_rows(pk):
        print(pk)

Not reported
    Names that other code of the project reads. A setting that is also set under the name that counts. Options of a project's own decorator or
    task class, which may read them. Settings where no application is seen to read any, or where several read them differently.

Fix
    None: a rename turns a limit on, and whether it is the right one is a decision about the product.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from msgspec import Struct

from flake8_deadline import celery_settings
from flake8_deadline.budget.defaults import celery_version, namespaces, settings_sources
from flake8_deadline.budget.limits import HARD, SOFT, Given, budgeted, declared_half, settings
from flake8_deadline.facts import Call, Value
from flake8_deadline.project import Declared, Project
from flake8_deadline.project.modules import Source
from flake8_deadline.requirements import allows
from flake8_deadline.rule import Finding, Link, Rule


def check(project: Project) -> Iterator[Finding]:
    found = namespaces(project)
    if len(found) == 1 and found <= {"", "CELERY"}:
        (namespace,) = found
        for source in settings_sources(project):
            yield from _names(project, source, namespace)
    faulty = {given for module in settings(project) for given in (module.soft, module.hard) if given and _fault(given)}
    yield from (_value(given.at.path, given.at.line, 1, given) for given in faulty)
    for declared in budgeted(project):
        yield from _of_task(project, declared)


# Names that nobody reads


def _names(project: Project, source: Source, namespace: str) -> Iterator[Finding]:
    body = source.functions.get("")
    for name in sorted(body.bindings) if body else ():
        setting, wakes = _dead(name, namespace, celery_version(project))
        if body and setting and not _is_read(project, source, name) and not _is_set(project, celery_settings.spelt(setting, namespace)):
            right = celery_settings.spelt(setting, namespace)
            when = f" before Celery {celery_settings.OLD_NAMES_WAKE}" if wakes else ""
            message = f"dead setting: nothing reads {name}{when}, so this sets nothing; the name that counts is {right}"
            yield Finding(source.path, body.lines[name][-1], 1, RULE.code, RULE.name, message)


def _dead(name: str, namespace: str, version: str | None) -> tuple[str, bool]:
    """The setting that a name nobody reads was meant for, and whether a later version reads it."""
    if version is not None and not allows(">=4", version):
        return "", False
    if name in celery_settings.NEVER_READ:
        return celery_settings.NEVER_READ[name], False
    if namespace and name in celery_settings.OLD_NAMES:
        is_awake = version is not None and allows(f">={celery_settings.OLD_NAMES_WAKE}", version)
        return ("" if is_awake else celery_settings.OLD_NAMES[name]), True
    if not namespace and name in _WITH_NAMESPACE:
        return _WITH_NAMESPACE[name], False
    return "", False


_WITH_NAMESPACE = {celery_settings.spelt(name, "CELERY"): name for name in ("task_soft_time_limit", "task_time_limit")}


def _is_read(project: Project, source: Source, name: str) -> bool:
    """Whether anything but an assignment speaks of a name."""
    for path in project.files.mentions([name]):
        other = project.modules.source(path)
        if other.body is None or name not in other.body.bindings or any(_speaks(value, name) for value in _values(other)):
            return True
    return False


def _values(source: Source) -> Iterator[Value]:
    """Everything a file says outside of the targets of its assignments."""
    for qualname, function in source.functions.items():
        yield from (value for values in function.bindings.values() for value in values)
        yield from function.returned
        for decorator in function.decorators:
            yield decorator.value
        yield from (site.step for site in source.sites(qualname) if isinstance(site.step, Call))
    for cls in source.classes.values():
        yield from (value for values in cls.bindings.values() for value in values)


def _speaks(value: object, name: str) -> bool:
    match value:
        case str():
            return value == name or value.startswith(f"{name}.")
        case Struct():
            return any(_speaks(getattr(value, field), name) for field in value.__struct_fields__)
        case tuple():
            return any(_speaks(part, name) for part in value)
    return False


def _is_set(project: Project, right: str) -> bool:
    """Whether a setting is set under the name that counts."""
    return any(source.body and right in source.body.bindings for source in settings_sources(project))


# Values that are no number of seconds


def _of_task(project: Project, declared: Declared) -> Iterator[Finding]:
    for half in (SOFT, HARD):
        given = declared_half(project, declared, half)
        if given is not None and _fault(given):
            yield _value(declared.path, declared.line, declared.column, given)
        elif given is not None and given.seconds == 0:
            yield from _zero(project, declared, given)
    yield from _misspelt(declared)


def _misspelt(declared: Declared) -> Iterator[Finding]:
    maker = declared.task.maker
    names = [name for name, _ in maker.options if name in celery_settings.MISSPELT_OPTIONS]
    if names and maker.base is None and not maker.open:
        right = " and ".join(celery_settings.MISSPELT_OPTIONS[name] for name in names)
        verb = "does nothing, as no task reads it" if len(names) == 1 else "do nothing, as no task reads them"
        message = f"dead setting: {' and '.join(names)} {verb}; write {right}"
        yield Finding(declared.path, declared.line, declared.column, RULE.code, RULE.name, message)


def _fault(given: Given) -> str:
    """What is wrong with a value, as the sentence says it; empty if nothing is known to be."""
    value = None if given.quantity.unknown else given.quantity.value
    if isinstance(value, str) and value:
        return f"is the string {value!r}, which is no limit at all; make it a number of seconds"
    if isinstance(value, timedelta):
        return "is a timedelta, on which .delay() fails; make it a number of seconds, with .total_seconds()"
    if value is True:
        return "is True, which means one second; make it a number of seconds"
    if isinstance(value, (int, float)) and value < 0:
        return f"is {value:g}, which strikes at once; leave it out for no limit"
    return ""


def _value(path: str, line: int, column: int, given: Given) -> Finding:
    return Finding(path, line, column, RULE.code, RULE.name, f"dead setting: {given.name} {_fault(given)}")


def _zero(project: Project, declared: Declared, given: Given) -> Iterator[Finding]:
    """A `0` where the settings have a limit to fall back to."""
    modules = settings(project)
    defaults = [default for module in modules if (default := module.soft if given.name == SOFT else module.hard)]
    if defaults and len(defaults) == len(modules):
        where = f"{defaults[0].at.path}:{defaults[0].at.line}"
        message = f"dead setting: {given.name}=0 is not off, the task gets the project's default ({where}); to be without a limit, set it very high"
        chain = (Link(declared.path, declared.line, f"task {declared.name}"), Link(*defaults[0].at, f"limit from {defaults[0].name}"))
        yield Finding(declared.path, declared.line, declared.column, RULE.code, RULE.name, message, chain)


RULE = Rule("LIM306", "dead-setting", check, default=True)
