"""Which half of a task's limits is given by what, and what the version of Celery changes about it."""

from __future__ import annotations

from textwrap import dedent

import pytest

from flake8_deadline import tree
from flake8_deadline.budget.limits import HARD, SOFT, budgeted, own, settings
from flake8_deadline.options import Options
from flake8_deadline.project import Project
from flake8_deadline.project.quantities import Place
from flake8_deadline.reading.outline import outline
from flake8_deadline.reading.python import read
from flake8_deadline.rules import dead_setting, task_without_limit


class Memory:
    """Files that lie in memory."""

    def __init__(self, texts):
        self.texts = {path: dedent(text).encode() for path, text in texts.items()}
        self.names = {path: tree.module_names(path, [""]) for path in texts}

    def outline(self, path):
        return outline(self.texts[path])

    def summary(self, path):
        return read(self.texts[path])

    def mentions(self, words, among=None):
        return [path for path in among or self.texts if any(word.encode() in self.texts[path] for word in words)]


def project_of(versions=(), celery_version="", **texts):
    files = Memory({f"{name}.py": text for name, text in texts.items()})
    return Project(files, Options(versions=tuple(versions), celery_version=celery_version))


def test_a_task_made_of_a_function_from_elsewhere_has_the_limits_of_the_call_that_makes_it():
    project = project_of(
        tasks="from celery import Celery\nfrom work import grind\napp = Celery()\n\nmill = app.task(grind, time_limit=90)\n",
        work="def grind(): pass\n",
    )
    (declared,) = budgeted(project)
    given = own(project, declared, HARD)
    assert (given.kind, given.at, given.seconds) == ("decorator", Place("tasks.py", 5), 90)
    assert own(project, declared, SOFT) is None


def test_settings_are_found_wherever_an_application_is_given_them_and_keep_their_lines():
    text = """
        from celery import Celery
        app = Celery("mill")
        app.conf.update({
            KEY: 1,
            2: 3,
            "task_time_limit": 90,
        })
        app.conf.setdefault(KEY, 4)
        app.conf.setdefault("task_soft_time_limit", 60)
    """
    (found,) = settings(project_of(tasks=text))
    assert (found.path, found.soft.at, found.soft.seconds, found.hard.at, found.hard.seconds) == (
        "",
        Place("tasks.py", 10),
        60,
        Place("tasks.py", 7),
        90,
    )


OLD = {
    "app": "from celery import Celery\napp = Celery()\napp.config_from_object('settings', namespace='CELERY')\n\n@app.task\ndef grind(): pass\n",
    "settings": "CELERYD_TASK_SOFT_TIME_LIMIT = 90\nCELERYD_TASK_TIME_LIMIT = 120\n",
}


@pytest.mark.parametrize(
    ("versions", "dead", "without_limit"),
    [
        ([("celery", "5.5.3")], [1, 2], [5]),
        ([("celery", "5.6.3")], [1, 2], [5]),
        ([("celery", "5.7.0")], [], []),
        ([("celery", "3.1.25")], [], [5]),
        ([], [1, 2], []),
    ],
)
def test_an_old_name_under_a_namespace_counts_from_5_7_on(versions, dead, without_limit):
    project = project_of(versions, **OLD)
    assert sorted(finding.line for finding in dead_setting.check(project)) == dead
    assert [finding.line for finding in task_without_limit.check(project)] == without_limit


def test_the_version_that_is_asked_about_comes_before_the_one_that_is_pinned():
    assert not list(dead_setting.check(project_of([("celery", "5.5.3")], "5.7", **OLD)))
