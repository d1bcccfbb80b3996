"""A task does not declare a time limit of its own, whatever the settings give it.

Why
    Teams that want every budget beside its work: a project default says nothing about this task, and a reviewer of the task does not see it.

Bad
    from celery import Celery, shared_task

    app = Celery("shop")
    app.conf.update(task_soft_time_limit=120, task_time_limit=240)


    @shared_task
    def import_rows(pk):
        print(pk)

Good
    from celery import Celery, shared_task

    app = Celery("shop")
    app.conf.update(task_soft_time_limit=120, task_time_limit=240)


    @shared_task(soft_time_limit=600, time_limit=660)
    def import_rows(pk):
        print(pk)

Not reported
    Tasks whose decorator, base class or project decorator gives a limit. Tasks in tests. Tasks of other queues than Celery. What LIM301 reports.
    Off by default.

Fix
    As for LIM301: `fix --select LIM307 --soft 600 --hard 900 --reason "…"`.
"""

from __future__ import annotations

from collections.abc import Iterator

from flake8_deadline import remedies
from flake8_deadline.budget.defaults import default_limit, has_limits, own_limit
from flake8_deadline.project import Project
from flake8_deadline.project.modules import is_test
from flake8_deadline.rule import Finding, Link, Rule


def check(project: Project) -> Iterator[Finding]:
    for declared in project.tasks:
        if not has_limits(declared) or is_test(declared.path) or own_limit(project, declared):
            continue
        default = default_limit(project, declared)
        if default:
            message = f"limit not on the task: task {declared.name} runs on the project's default; declare its own soft_time_limit and time_limit"
            chain = (Link(declared.path, declared.line, f"task {declared.name}"), Link(default.path, default.line, f"limit from {default.name}"))
            fix = remedies.limits(project, declared)
            yield Finding(declared.path, declared.line, declared.column, RULE.code, RULE.name, message, chain, fix)


RULE = Rule("LIM307", "limit-not-on-the-task", check, default=False, fixable="unsafe")
