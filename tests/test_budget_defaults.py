"""What a task's own declaration gives it and what the project gives every task: the limit, in seconds, and who set it."""

from __future__ import annotations

from textwrap import dedent

import pytest

from flake8_deadline import tree
from flake8_deadline.budget.defaults import Limit, default_limit, own_limit
from flake8_deadline.options import Options
from flake8_deadline.project import Project
from flake8_deadline.reading.outline import outline
from flake8_deadline.reading.python import read

HEAD = "from celery import Celery, Task, shared_task\n\napp = Celery('mill')\n"
"""Three lines above the text of a test."""
NO_TASK = "from celery import Celery\n\napp = Celery('mill')\n"
PLAIN = "@shared_task\ndef grind(): pass\n"


class Memory:
    """Files that lie in memory."""

    def __init__(self, texts):
        self.texts = {path: text.encode() for path, text in texts.items()}
        self.names = {path: tree.module_names(path, [""]) for path in texts}

    def outline(self, path):
        return outline(self.texts[path])

    def summary(self, path):
        return read(self.texts[path])

    def mentions(self, words, among=None):
        return [path for path in among or self.texts if any(word.encode() in self.texts[path] for word in words)]


def project_of(text="", **texts):
    """A project whose file `tasks.py` has the text below the usual imports; further files by name."""
    files = {"tasks.py": HEAD + dedent(text), **{f"{name}.py": dedent(other) for name, other in texts.items()}}
    return Project(Memory(files), Options())


def own(text, **texts):
    """The limit that the one task of a project declares itself."""
    project = project_of(text, **texts)
    (declared,) = project.tasks
    return own_limit(project, declared)


def default(text=PLAIN, **texts):
    """The limit that the project gives its one task."""
    project = project_of(text, **texts)
    (declared,) = project.tasks
    return default_limit(project, declared)


# A task's own limit


@pytest.mark.parametrize(
    ("options", "name", "seconds"),
    [
        ("soft_time_limit=60, time_limit=90", "soft_time_limit", 60),
        ("time_limit=90, soft_time_limit=60", "time_limit", 90),
        ("soft_time_limit=0, time_limit=90", "time_limit", 90),
        ("soft_time_limit=None, time_limit=1.5", "time_limit", 1.5),
        ("soft_time_limit=5 * 60 - 1", "soft_time_limit", 299),
        ("time_limit=MINUTE", "time_limit", 60),
        ("time_limit=minutes(3)", "time_limit", None),
        ("time_limit=TWO", "time_limit", None),
        ("**{'time_limit': 90}", "time_limit", 90),
        ("**{'queue': 'x', **{'time_limit': 90}}", "time_limit", 90),
        ("**OPTIONS", "**", None),
    ],
)
def test_the_first_limit_of_the_decorator_is_the_tasks_own(options, name, seconds):
    text = f"MINUTE = 60\nTWO = 1\nTWO = 2\nOPTIONS = options()\n@app.task({options})\ndef grind(): pass\n"
    assert own(text) == Limit(name, "tasks.py", 8, seconds)


@pytest.mark.parametrize("options", ["", "time_limit=0", "time_limit=None", "time_limit=NOTHING", "timelimit=60", "**{'time_limit': 0}"])
def test_zero_none_and_other_names_are_no_limit(options):
    assert own(f"NOTHING: int = 0\n@app.task({options})\ndef grind(): pass\n") is None


def test_a_limit_that_is_assigned_is_the_tasks_own_by_whatever_name_the_task_has():
    assert own("@shared_task\ndef grind(): pass\ngrind.time_limit = 90\n") == Limit("time_limit", "tasks.py", 4, 90)
    assert own("def grind(): pass\nmill = app.task(grind)\nmill.soft_time_limit = 9\n") == Limit("soft_time_limit", "tasks.py", 5, 9)
    assert own("@shared_task\ndef grind(): pass\ngrind.time_limit = 0\ntime_limit = 90\nother.time_limit = 90\n") is None


BASES = """
    class Plain(Task):
        time_limit = 0

    class Milling(Plain):
        abstract = True
        soft_time_limit = 60

    class Made(Task):
        def __init__(self):
            self.time_limit = self.choose()
"""


@pytest.mark.parametrize(
    ("base", "limit"),
    [
        ("Plain", None),
        ("Milling", Limit("soft_time_limit", "bases.py", 6, 60)),
        ("Made", Limit("time_limit", "bases.py", 10, None)),
        ("Elsewhere", None),
    ],
)
def test_a_base_class_gives_its_limit(base, limit):
    bases = f"from celery import Task\n{dedent(BASES)}"
    assert own(f"from bases import {base}\n@app.task(base={base})\ndef grind(): pass\n", bases=bases) == limit


def test_a_subclass_gives_its_limit_before_the_class_it_is_made_from():
    bases = f"from celery import Task\n{dedent(BASES)}\nclass Fine(Milling):\n    time_limit = 30\n"
    assert own("from bases import Fine\n@app.task(base=Fine)\ndef grind(): pass\n", bases=bases) == Limit("time_limit", "bases.py", 14, 30)


def test_the_decorator_comes_before_the_assignment_and_this_before_the_base_class():
    base = "class Milling(Task):\n    time_limit = 1\n"
    assert own(f"{base}@app.task(base=Milling, time_limit=3)\ndef grind(): pass\ngrind.time_limit = 2\n").seconds == 3
    assert own(f"{base}@app.task(base=Milling)\ndef grind(): pass\ngrind.time_limit = 2\n").seconds == 2
    assert own(f"{base}@app.task(base=Milling)\ndef grind(): pass\n").seconds == 1


# The project's limit


@pytest.mark.parametrize(
    "setting",
    [
        "app.conf.task_time_limit = 90",
        "app.conf['task_time_limit'] = 90",
        "app.conf.update(task_time_limit=90)",
        "app.conf.update({'task_time_limit': 90})",
        "app.conf.setdefault('task_time_limit', 90)",
        "setattr(app.conf, 'task_time_limit', 90)",
        "app.config_from_object({'task_time_limit': 90})",
        "app = Celery('mill', task_time_limit=90)",
        "if PRODUCTION: app.conf.update(task_time_limit=90)",
        "CELERY = {'task_time_limit': 90, 'broker_url': 'memory://'}",
        "CELERY_TASK_TIME_LIMIT: int = 90",
        "CELERYD_TASK_TIME_LIMIT = 90",
    ],
)
def test_a_setting_gives_its_limit_however_it_is_written(setting):
    name = "CELERYD_TASK_TIME_LIMIT" if "CELERYD" in setting else "CELERY_TASK_TIME_LIMIT" if "CELERY_" in setting else "task_time_limit"
    found = default(settings=f"{NO_TASK}{setting}\n")
    assert found == Limit(name, "settings.py", found.line, 90)


@pytest.mark.parametrize(
    "setting",
    [
        "app.conf.task_time_limit = 0",
        "app.conf.update(task_time_limit=None)",
        "app.conf.get('task_time_limit', 90)",
        "app.conf.setdefault('task_time_limit')",
        "app.conf.setdefault(NAME, 90)",
        "app.conf.time_limit = 90",
        "TASK_TIME_LIMIT = 90",
        "CELERY_TIME_LIMIT = 90",
        "CELERY_TASK_TIME_LIMIT: int = 0",
        "app.conf.task_annotations = {'mill': {'time_limit': 0}}",
        "app.conf.task_annotations = None",
        "app.conf.task_annotations = {'*': 'time_limit'}",
    ],
)
def test_what_does_not_reach_the_configuration_gives_no_limit(setting):
    assert default(settings=f"{NO_TASK}{setting}\n") is None


def test_a_limit_that_cannot_be_read_has_no_seconds():
    assert default(settings=f"{NO_TASK}app.conf.task_time_limit = int(environ['LIMIT'])\n").seconds is None
    assert default(settings=f"{NO_TASK}app.conf.task_time_limit = '90'\n").seconds is None
    assert default(settings="class Settings(BaseSettings):\n    task_time_limit: int\n").seconds is None


@pytest.mark.parametrize(
    ("namespace", "settings", "given"),
    [
        ("", "CELERY_TASK_TIME_LIMIT = 90", False),
        ("", "CELERYD_TASK_TIME_LIMIT = 90", True),
        ("", "task_time_limit = 90", True),
        (", namespace='CELERY'", "CELERY_TASK_TIME_LIMIT = 90", True),
        (", namespace='CELERY'", "CELERYD_TASK_TIME_LIMIT = 90", True),
        (", namespace='MILL'", "MILL_TASK_TIME_LIMIT = 90", True),
        (", namespace='MILL'", "CELERY_TASK_TIME_LIMIT = 90", False),
        (", namespace='MILL'", "CELERYD_TASK_TIME_LIMIT = 90", False),
        (", False, False, 'MILL'", "MILL_TASK_TIME_LIMIT = 90", True),
        (", namespace=''", "CELERYD_TASK_TIME_LIMIT = 90", True),
        (", namespace=NAMESPACE", "CELERY_TASK_TIME_LIMIT = 90", True),
        (", namespace=NAMESPACE", "MILL_TASK_TIME_LIMIT = 90", False),
    ],
)
def test_the_namespace_decides_under_which_name_a_setting_counts(namespace, settings, given):
    application = f"{NO_TASK}app.config_from_object('settings'{namespace})\n"
    assert (default(application=application, settings=f"{settings}\n") is not None) == given


@pytest.mark.parametrize(
    ("annotations", "given"),
    [
        ("{'*': {'time_limit': 90}}", True),
        ("{'tasks.grind': {'soft_time_limit': 60}}", True),
        ("{'grind': {'time_limit': 90}}", True),
        ("{'ind': {'time_limit': 90}}", False),
        ("{'tasks.sift': {'time_limit': 90}}", False),
        ("{'*': {'rate_limit': '1/s'}}", False),
        ("{'*': LIMITED}", True),
        ("{'tasks.sift': LIMITED}", False),
        ("{TASK: {'time_limit': 90}}", False),
        ("ANNOTATIONS", True),
        ("[Annotate()]", True),
    ],
)
def test_annotations_give_their_limit_to_the_tasks_they_name(annotations, given):
    found = default(settings=f"{NO_TASK}# time_limit\napp.conf.task_annotations = {annotations}\n")
    assert found == (Limit("task_annotations", "settings.py", 1, None) if given else None)


@pytest.mark.parametrize("name", ["task_annotations", "CELERY_TASK_ANNOTATIONS", "CELERY_ANNOTATIONS"])
def test_annotations_have_three_names(name):
    assert default(settings=f"{name} = {{'*': {{'time_limit': 90}}}}\n").name == name


MILLING = Limit("soft_time_limit", "bases.py", 6, 60)


@pytest.mark.parametrize(
    ("application", "limit"),
    [
        ("app = Celery('mill', task_cls=Milling)", MILLING),
        ("app = Celery('mill', task_cls=Plain)", None),
        ("app = Celery('mill', task_cls=Task)", None),
        ("app = Celery('mill', task_cls=None)", None),
        ("app = Celery('mill', task_cls=unheard_of)", None),
        ("app = Celery('mill', task_cls=Unknown)", Limit("task_cls", "application.py", 4, None)),
        ("app = Celery('mill', task_cls='elsewhere.bases:Milling')", Limit("task_cls", "application.py", 4, None)),
        ("app = Celery('mill', task_cls='bases:Milling')", MILLING),
        ("app = Celery('mill', task_cls='bases.Milling')", MILLING),
        ("app = Celery('mill', task_cls='bases:Plain')", None),
        ("app = Celery('mill', task_cls='celery.Task')", None),
        ("def make():\n    Base = Milling\n    return Celery('mill', task_cls=Base)", MILLING),
        ("class Mill(Celery):\n    task_cls = Milling", MILLING),
        ("class Mill(Celery):\n    main = 'mill'", None),
        ("app = Celery('mill')\napp.Task = Milling", MILLING),
        ("app = Celery('mill')\napp.Task = Plain", None),
        ("def make(name):\n    app = Celery(name)\n    app.Task = Milling\n    return app", MILLING),
        ("mill.Task = Milling", None),
        ("app = Celery('mill')\napp.Task.time_limit = 60", Limit("time_limit", "application.py", 1, 60)),
        ("Task.soft_time_limit = 60", Limit("soft_time_limit", "application.py", 1, 60)),
        ("Task.soft_time_limit = 0", None),
        ("Plain.soft_time_limit = 60", None),
    ],
)
def test_the_class_of_all_tasks_gives_its_limit(application, limit):
    bases = f"from celery import Task\n{dedent(BASES)}"
    head = "from bases import Milling, Plain\nfrom celery import Celery, Task\nfrom library import Unknown\n"
    assert default(bases=bases, application=f"{head}{application}\n") == limit


def test_what_tests_configure_gives_no_task_a_limit():
    assert default(conftest=f"{NO_TASK}app.conf.task_time_limit = 90\n") is None
    assert default(conftest=f"from celery import Task\nclass Slow(Task):\n    time_limit = 3\n{NO_TASK}app = Celery('x', task_cls=Slow)\n") is None
