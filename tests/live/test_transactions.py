"""What a database error does to the rows of a transaction, on a real Django: before and after `fix --unsafe` gives each row a savepoint."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.live

LOAD = """\
from celery import shared_task
from django.db import IntegrityError, transaction

from shop import Order


@shared_task(soft_time_limit=60, time_limit=90)
def load(rows):
    skipped = 0
    with transaction.atomic():
        for row in rows:
            try:
                Order.objects.create(pk=row)
            except IntegrityError:
                skipped += 1
    return skipped
"""
SHOP = """\
import django
from django.conf import settings

settings.configure(DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}, INSTALLED_APPS=[])
django.setup()

from django.db import connection, models


class Order(models.Model):
    class Meta:
        app_label = "shop"


with connection.schema_editor() as editor:
    editor.create_model(Order)
"""
RUN = """\
import sys

sys.path.insert(0, ".")
from shop import Order
from tasks import load

Order.objects.create(pk=3)
try:
    print("skipped", load([1, 2, 3, 4]))
except Exception as error:
    print(type(error).__name__)
print(sorted(Order.objects.values_list("pk", flat=True)))
"""


def ran(root) -> list[str]:
    return subprocess.run([sys.executable, "-c", RUN], cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_savepoint_for_each_row_keeps_the_rows_that_one_error_would_have_lost(tmp_path):
    (tmp_path / "tasks.py").write_text(LOAD)
    (tmp_path / "shop.py").write_text(SHOP)
    assert ran(tmp_path) == ["TransactionManagementError", "[3]"]
    fix = [sys.executable, "-m", "flake8_deadline", "fix", "--write", "--allow-dirty", "--unsafe", "--select", "LIM202", "--deadline-root", "."]
    done = subprocess.run(fix, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[0]) == (0, "Fixed 1 finding in 1 file.")
    assert ran(tmp_path) == ["skipped 1", "[1, 2, 3, 4]"]
