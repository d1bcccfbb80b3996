"""Libraries that call a function of the project's, which works for a while."""

import unittest

import django
import strike
import tablib
from celery import Celery
from celery.utils.dispatch import Signal as CelerySignal
from django.conf import settings

settings.configure(INSTALLED_APPS=["import_export"], DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}, USE_TZ=True)
django.setup()

from django.db import connection, models, transaction  # noqa: E402
from django.dispatch import Signal  # noqa: E402
from import_export import resources  # noqa: E402


class Thing(models.Model):
    number = models.IntegerField()

    class Meta:
        app_label = "import_export"


class ThingResource(resources.ModelResource):
    class Meta:
        model = Thing
        fields = ("id", "number")

    def before_import_row(self, row, **keywords):
        strike.work()


with connection.schema_editor() as editor:
    editor.create_model(Thing)


def work(*arguments, **keywords):
    strike.work()


@strike.probe("django", "django.dispatch.Signal().send_robust")
def send_robust(server):
    signal = Signal()
    signal.connect(work)
    return lambda: signal.send_robust(sender=None)


@strike.probe("django", "django.dispatch.Signal().send")
def send(server):
    signal = Signal()
    signal.connect(work)
    return lambda: signal.send(sender=None)


@strike.probe("django", "django.db.transaction.on_commit", robust=True)
def on_commit(server):
    return lambda: transaction.on_commit(work, robust=True)


@strike.probe("django-import-export", "import_export.resources.ModelResource().import_data")
def import_data(server):
    return lambda: ThingResource().import_data(tablib.Dataset(["", 1], headers=["id", "number"]))


@strike.probe("django-import-export", "import_export.resources.ModelResource().import_data", raise_errors=True)
def import_data_raising(server):
    return lambda: ThingResource().import_data(tablib.Dataset(["", 1], headers=["id", "number"]), raise_errors=True)


@strike.probe("celery", "celery.Task().apply")
def apply(server):
    return Celery("probe", set_as_current=False).task(name="work", shared=False)(work).apply


@strike.probe("celery", "celery.utils.dispatch.Signal().send")
def celery_signal(server):
    signal = CelerySignal(name="struck")
    signal.connect(work, weak=False)
    return lambda: signal.send(sender=None)


@strike.probe("python", "unittest.TestCase().subTest")
def sub_test(server):
    class Case(unittest.TestCase):
        def test(self):
            with self.subTest():
                work()

    return lambda: Case("test").run(unittest.TestResult())


strike.report()
