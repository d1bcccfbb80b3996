"""What mends a finding that no clause mends: arguments to pass, attributes to set. For the rules; what to find is theirs."""

from __future__ import annotations

from collections.abc import Iterable

from flake8_deadline import queues
from flake8_deadline.facts import Call
from flake8_deadline.flights import Argument
from flake8_deadline.project import Declared, Project
from flake8_deadline.project.objects import ClassRef, FunctionRef
from flake8_deadline.requirements import allows
from flake8_deadline.rule import Declare, Fix, Pass

_SPARES = "dont_autoretry_for"
_LIMITS = (("soft_time_limit", "{soft}"), ("time_limit", "{hard}"))


def limits(project: Project, declared: Declared) -> Fix | None:
    """Both limits, on the task's decorator or in its class; None where they would go through code of the project's own."""
    return _declared(project, declared, _LIMITS, ())


def spared(project: Project, declared: Declared, in_class: int) -> Fix | None:
    """The signal, left out of what a task is run again for (Celery 5.3: `Task.dont_autoretry_for`), where the list stands.

    `in_class`: the line of the class that has the list, whose tasks all need it; 0 if it is the decorator that has it.
    """
    if not allows(">=5.3", dict(project.options.versions).get("celery")):
        return None
    arguments, names = ((_SPARES, "({0},)"),), ((queues.CELERY.module, queues.CELERY.signal),)
    return Declare(in_class, arguments, names) if in_class else _declared(project, declared, arguments, names)


def passed(argument: Argument | None, path: str, queue: queues.Queue) -> Fix | None:
    """An argument of a retry, where the call stands in this file."""
    if argument is None or argument.path != path:
        return None
    signal, other = (queue.module, queue.signal), (argument.name,) if argument.name else ()
    names = (signal, *other) if "{0}" in argument.expression else ()
    return Pass(argument.line, ((argument.keyword, argument.expression),), names, argument.callee)


def _declared(project: Project, declared: Declared, arguments: Iterable[tuple[str, str]], names: tuple[tuple[str, str], ...]) -> Fix | None:
    written = declared.task.written
    if written.path != declared.path:
        return None
    source = project.modules.source(written.path)
    if any(cls.line == declared.line for cls in source.classes.values()):
        return Declare(declared.line, tuple(arguments), names)
    function = source.functions[written.qualname]
    for decorator in function.decorators:
        if decorator.line == declared.line:
            maker = decorator.value.func if isinstance(decorator.value, Call) else decorator.value
            found = project.inference.evaluate(maker, FunctionRef(written.path, function.parent or ""))
            own = any(isinstance(o, (FunctionRef, ClassRef)) for o in found)
            return None if own else Pass(declared.line, tuple(arguments), names)
    return None
