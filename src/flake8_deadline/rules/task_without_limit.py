"""A task has no time limit: neither of its own nor from a base class, an annotation or the project's settings.

Why
    A task without a limit runs for as long as it likes, or on a limit that a flag in a start-up script chose for it and that nobody sees.
    A budget is a decision about the product: it belongs where a reviewer sees it.

Bad
    from celery import shared_task


    @shared_task
    def import_rows(pk):
        print(pk)

Good
    from celery import shared_task


    # 95 files at most, 35 s each at worst
    @shared_task(soft_time_limit=3400, time_limit=3600)
    def import_rows(pk):
        print(pk)

Not reported
    Tasks that any of these gives a limit: the decorator, the base class, the project's own decorator, `task_annotations`, `app.conf`, Django
    settings. A limit that is given but cannot be read (an environment variable) counts. `0` and `None` are no limit (they fall through).
    Tasks in tests. Tasks of other queues than Celery, most of which have a limit by default, unless it is lifted: RQ's `timeout=-1`,
    Dramatiq's `time_limit=float("inf")`. Huey cannot bound a task.

Fix
    `fix --select LIM301 --soft 600 --hard 900 --reason "…"` writes the limits on the task's decorator or in its class, and the reason as a
    comment beside them: only a person knows the numbers. Give it the paths that one budget is right for.
"""

from __future__ import annotations

from collections.abc import Iterator

from flake8_deadline import remedies
from flake8_deadline.budget.defaults import default_limit, has_limits, own_limit
from flake8_deadline.project import Project
from flake8_deadline.project.boundless import lifted
from flake8_deadline.project.modules import is_test
from flake8_deadline.rule import Finding, Link, Rule


def check(project: Project) -> Iterator[Finding]:
    for declared in project.tasks:
        if has_limits(declared) and not is_test(declared.path) and not own_limit(project, declared) and not default_limit(project, declared):
            message = (
                f"no time limit: task {declared.name} may run for ever; set soft_time_limit and time_limit here, "
                f"or task_soft_time_limit and task_time_limit for the project"
            )
            chain = (Link(declared.path, declared.line, f"task {declared.name}"),)
            fix = remedies.limits(project, declared)
            yield Finding(declared.path, declared.line, declared.column, RULE.code, RULE.name, message, chain, fix)
    for one in lifted(project.inference):
        default = f"the default of {one.queue.default_limit} s"
        message = f"no time limit: {one.keyword} lifts {default}, so that {one.scope} may run for ever; give it a number of seconds"
        yield Finding(one.path, one.line, one.column, RULE.code, RULE.name, message)


RULE = Rule("LIM301", "task-without-limit", check, default=True, fixable="unsafe")
