"""A task's clause for the hard limit never runs.

Why
    At the hard limit nothing is raised in the task: the process gets SIGTERM, and SIGKILL a tenth of a second later; `TimeLimitExceeded` is what
    the parent process stores as the result. A clause for it reads like a guard and is none.

Bad
    from celery import shared_task
    from celery.exceptions import TimeLimitExceeded


    @shared_task(soft_time_limit=60, time_limit=90)
    def rebuild(index):
        try:
            index.rebuild()
        except TimeLimitExceeded:
            index.note("timed out")

Good
    from celery import shared_task
    from celery.exceptions import SoftTimeLimitExceeded


    @shared_task(soft_time_limit=60, time_limit=90)
    def rebuild(index):
        try:
            index.rebuild()
        except SoftTimeLimitExceeded:
            index.note("timed out")
            raise

Not reported
    A clause that names another class besides, so that it does run; a clause round a wait for another task (`result.get()`, `join()`), which raises
    what that task ended with.

Fix
    None: whether the soft limit was meant is for the author to say.
"""

from __future__ import annotations

from collections.abc import Iterator

from flake8_deadline import chains, queues
from flake8_deadline.facts import Call, Handler, Try
from flake8_deadline.places import sites, tries
from flake8_deadline.project import Project
from flake8_deadline.project.catching import externals
from flake8_deadline.project.objects import FunctionRef
from flake8_deadline.project.time import last_name
from flake8_deadline.rule import Finding, Link, Rule

_WAITS = frozenset({"get", "join", "join_native", "collect", "iterate", "get_leaf", "iterdeps", "wait", "maybe_throw", "maybe_reraise"})


def check(project: Project) -> Iterator[Finding]:
    if not project.known:
        return
    found: dict[tuple[str, int], tuple[int, str, FunctionRef, Handler]] = {}
    for frame in project.reach.resolved:
        for guard in tries(project.inference.function(frame).steps):
            for handler in guard.handlers:
                if _names_hard_limit(project, frame, handler) and not _waits(guard):
                    candidate = (project.reach.length(frame), repr(frame), frame, handler)
                    key = (frame.path, handler.line)
                    if key not in found or candidate[:2] < found[key][:2]:
                        found[key] = candidate
    for _, _, frame, handler in found.values():
        task = project.task_of[project.reach.chain(frame)[0][0]].name
        message = (
            f"dead clause: the hard limit never raises in a task, it kills the process (reached from task {task}); "
            f"catch {queues.CELERY.signal}, which the soft limit raises"
        )
        chain = (*chains.down(project, project.reach, frame), Link(frame.path, handler.line, "this clause never runs"))
        yield Finding(frame.path, handler.line, handler.column, RULE.code, RULE.name, message, chain)


def _names_hard_limit(project: Project, frame: FunctionRef, handler: Handler) -> bool:
    classes = project.deadlines.catching.classes(handler.catches, frame)
    return bool(classes) and externals(classes) <= queues.HARD and len(externals(classes)) == len(classes)


def _waits(guard: Try) -> bool:
    """Whether the body may wait for another task, whose end at its hard limit is raised here."""
    return any(isinstance(site.step, Call) and last_name(site.step.func) in _WAITS for site in sites(guard.body))


RULE = Rule("LIM110", "clause-for-hard-limit-never-runs", check, default=True)
