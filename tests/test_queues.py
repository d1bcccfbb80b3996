"""The tasks of queues other than Celery: by decorator, by base class, by being put into a queue; and which limits are asked of them."""

from __future__ import annotations

from textwrap import dedent

import pytest

from flake8_deadline import queues, tree
from flake8_deadline.options import Options
from flake8_deadline.project import Project
from flake8_deadline.reading.outline import outline
from flake8_deadline.reading.python import read
from flake8_deadline.rules import limit_not_on_the_task, task_without_limit


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


def project_of(**texts):
    return Project(Memory({f"{name}.py": text for name, text in texts.items()}), Options())


def tasks(**texts):
    """Name, queue and line of each task."""
    return [(declared.name, declared.task.maker.queue, declared.line) for declared in project_of(**texts).tasks]


JOB = "def grind(pk): print(pk)\n"


@pytest.mark.parametrize(
    ("queue", "head", "decorator"),
    [
        ("rq", "from rq.decorators import job", "job('default', connection=redis, timeout=60)"),
        ("rq", "from django_rq import job", "job"),
        ("rq", "from django_rq import job", "job('low')"),
        ("rq", "from functools import partial; from rq.decorators import job as rq_job; job = partial(rq_job, connection=redis)", "job('low')"),
        ("rq", "from flask_rq2 import RQ; rq = RQ()", "rq.job"),
        ("huey", "from huey import RedisHuey; huey = RedisHuey('mill')", "huey.task()"),
        ("huey", "from huey import SqliteHuey, crontab; huey = SqliteHuey('mill')", "huey.periodic_task(crontab(minute='0'))"),
        ("huey", "from huey import MemoryHuey; huey = MemoryHuey('mill')", "huey.periodic_task(lambda now: now.hour == 4, timeout=9)"),
        ("huey", "from huey import Huey; huey = Huey('mill')", "huey.context_task(connection, timeout=60)"),
        ("huey", "from huey import RedisHuey\nclass Mill(RedisHuey): ...\nqueue = Mill('mill')", "queue.task(retries=2)"),
        ("huey", "from huey.contrib.djhuey import db_task", "db_task(timeout=60)"),
        ("huey", "from huey.contrib import djhuey", "djhuey.db_periodic_task(when)"),
        ("dramatiq", "import dramatiq", "dramatiq.actor"),
        ("dramatiq", "from dramatiq import actor", "actor(time_limit=60_000)"),
        ("celery", "from celery import shared_task", "shared_task"),
    ],
)
def test_a_decorator_makes_a_task_of_its_queue(queue, head, decorator):
    head = f"{head}\n"
    assert tasks(jobs=f"{head}@{decorator}\n{JOB}") == [("jobs.grind", queue, 1 + head.count("\n"))]


@pytest.mark.parametrize(
    ("head", "decorator"),
    [
        ("from invoke import task", "task"),
        ("from newrelic.agent import background_task", "background_task()"),
        ("from huey_monitor import task", "task()"),
        ("from apscheduler import Huey; huey = Huey()", "huey.task()"),
        ("from our.rq.decorators import job", "job('default')"),
        ("def job(queue): return lambda function: function", "job('default')"),
        ("def actor(function): return function", "actor"),
    ],
)
def test_a_decorator_of_the_same_name_from_elsewhere_makes_none(head, decorator):
    assert tasks(jobs=f"{head}\n@{decorator}\n{JOB}") == []


def test_a_decorator_that_the_project_makes_on_the_spot_is_followed_to_the_files_that_use_it():
    head = "from functools import partial\nfrom rq.decorators import job\nworker_job = partial(job, connection=redis)\n"
    assert tasks(mill=head, jobs=f"from mill import worker_job\n@worker_job('default')\n{JOB}") == [("jobs.grind", "rq", 2)]


def test_a_class_of_dramatiq_is_a_task_by_its_perform_unless_it_says_it_is_abstract():
    text = """
        from dramatiq import GenericActor
        class Step(GenericActor):
            class Meta:
                abstract = True
            def perform(self, pk): self.grind(pk)
        class Coarse(Step):
            def grind(self, pk): print(pk)
        class Fine(GenericActor):
            class Meta:
                queue_name = "fine"
            def perform(self, pk): print(pk)
        class Idle(GenericActor): ...
    """
    assert tasks(jobs=text) == [("jobs.Coarse", "dramatiq", 7), ("jobs.Fine", "dramatiq", 9)]


@pytest.mark.parametrize(
    ("queue", "head", "call"),
    [
        ("rq", "from rq import Queue", "Queue().enqueue(grind, 1)"),
        ("rq", "from rq import Queue", "Queue().enqueue('jobs.grind', 1)"),
        ("rq", "from rq import Queue", "Queue().enqueue(f=grind)"),
        ("rq", "from rq import Queue", "Queue().enqueue_call(func=grind, args=(1,))"),
        ("rq", "from rq import Queue", "Queue().enqueue_in(delta, grind, 1)"),
        ("rq", "from rq import Queue", "Queue().enqueue_at(moment, grind, 1)"),
        ("rq", "from rq import Queue", "Queue().enqueue_many([Queue.prepare_data(grind, (1,))])"),
        ("rq", "from rq.job import Job", "queue.enqueue_job(Job.create(grind))"),
        ("rq", "from rq import cron", "cron.register(grind, queue_name='low')"),
        ("rq", "import django_rq", "django_rq.enqueue(grind, 1)"),
        ("rq", "import django_rq", "django_rq.get_queue('low').enqueue(grind, 1)"),
        ("rq", "from django_rq import get_scheduler", "get_scheduler().cron('0 0 * * *', grind)"),
        ("rq", "from rq_scheduler import Scheduler", "Scheduler().enqueue_in(delta, grind)"),
        ("django-q2", "from django_q.tasks import async_task", "async_task(grind, 1)"),
        ("django-q2", "from django_q.tasks import async_task", "async_task('jobs.grind', 1, hook='jobs.done')"),
        ("django-q2", "from django_q.tasks import async_task as later", "later(grind)"),
        ("django-q2", "from django_q.tasks import schedule", "schedule('jobs.grind', schedule_type='D')"),
        ("django-q2", "from django_q.models import Schedule", "Schedule.objects.create(func='jobs.grind', minutes=5)"),
        ("django-q2", "from django_q.tasks import Chain", "Chain().append(grind, 1)"),
        ("arq", "from arq.worker import func", "worker(functions=[func(grind, timeout=60)])"),
        ("arq", "from arq import cron", "worker(cron_jobs=[cron('jobs.grind', hour=4)])"),
    ],
)
def test_a_function_put_into_a_queue_anywhere_is_a_task_declared_where_it_stands(queue, head, call):
    caller = f"{head}\nfrom jobs import grind\ndef start(delta, moment, queue, worker):\n    {call}\n"
    assert tasks(jobs=f"\n{JOB}\ndef done(task): ...\n", views=caller) == [("jobs.grind", queue, 2)]


@pytest.mark.parametrize(
    ("head", "call"),
    [
        ("from shop import Queue", "Queue().enqueue(grind, 1)"),
        ("from rq import Queue", "Queue().enqueue(unknown, 1)"),
        ("from rq import Queue", "Queue().enqueue('grind', 1)"),
        ("from rq import Queue", "Queue().enqueue('elsewhere.grind', 1)"),
        ("from rq import Queue", "Queue().enqueue(other, grind)"),
        ("from rq import Queue", "Queue().enqueue()"),
        ("from django_q.models import Schedule", "Schedule.objects.create(hook='jobs.grind')"),
        ("from django_q.tasks import result", "result(grind)"),
    ],
)
def test_a_function_that_is_only_named_near_a_queue_is_none(head, call):
    caller = f"{head}\nfrom jobs import grind\ndef start(unknown, other):\n    {call}\n"
    assert tasks(jobs=JOB, views=caller) == []


def test_what_a_test_puts_into_a_queue_is_no_task():
    assert tasks(jobs=JOB, test_jobs="from rq import Queue\nfrom jobs import grind\nQueue().enqueue(grind)\n") == []


def test_a_function_that_a_decorator_of_the_project_wraps_is_named_as_it_is_written():
    text = f"""
def logged(function):
    def wrapper(*arguments):
        print(arguments)
        return function(*arguments)
    return wrapper

@logged
{JOB}
def done(pk): print(pk)
"""
    caller = "from rq import Queue\nfrom jobs import done, grind\nQueue().enqueue(grind)\nQueue().enqueue(done)\n"
    assert tasks(jobs=text, views=caller) == [("jobs.done", "rq", 11), ("jobs.grind", "rq", 9)]


def test_the_settings_of_an_arq_worker_list_its_coroutines():
    text = """
        from arq import cron, func
        async def grind(ctx): ...
        async def sweep(ctx): ...
        async def other(ctx): ...
        async def night(ctx): ...
        def helper(ctx): ...
        MORE = [sweep]
        class WorkerSettings:
            functions = [grind, *MORE, func(other), helper]
            cron_jobs = [cron(night, hour=4)]
        class OtherSettings:
            functions = [helper]
    """
    assert tasks(jobs=text) == [(f"jobs.{name}", "arq", line) for name, line in (("grind", 3), ("night", 6), ("other", 5), ("sweep", 4))]


def test_several_queues_live_in_one_project():
    text = f"""
from celery import shared_task
from rq import Queue
@shared_task
{JOB}
def rinse(): ...
Queue().enqueue(rinse)
"""
    assert [found[:2] for found in tasks(jobs=text)] == [("jobs.grind", "celery"), ("jobs.rinse", "rq")]


def test_a_call_of_a_huey_task_puts_it_into_the_queue_and_call_local_runs_it():
    text = """
        from huey import MemoryHuey
        huey = MemoryHuey()
        @huey.task()
        def later(): print()
        @huey.task()
        def now(): print()
        @huey.task()
        def start():
            handle = later()
            handle.get()
            now.call_local()
    """
    project = project_of(jobs=text)
    start = next(declared for declared in project.tasks if declared.name == "jobs.start")
    called = [target.qualname for resolution in project.reach.resolved[start.task.runs] for target in resolution.targets]
    assert called == ["now"]


@pytest.mark.parametrize("rule", [task_without_limit, limit_not_on_the_task])
def test_the_rules_about_limits_speak_of_celery_alone(rule):
    text = "from celery import Celery\nimport dramatiq\napp = Celery('mill')\n{}\n@dramatiq.actor\ndef grind(): ...\n"
    conf = "app.conf.task_time_limit = 60" if rule is limit_not_on_the_task else ""
    assert list(rule.check(project_of(jobs=text.format(conf)))) == []
    assert len(list(rule.check(project_of(jobs=text.format(f"{conf}\n@app.task\ndef rinse(): ...\n"))))) == 1


def test_every_file_that_a_row_speaks_of_is_read():
    names = {name for queue in queues.QUEUES[1:] for name in (*queue.makers, *queue.bases, *(enqueue for enqueue, _ in queue.enqueues))}
    unmarked = {name for name in names if not {"task", "queue"} & outline(f"import {name.replace('()', '')}".encode()).marks}
    assert unmarked == set()
