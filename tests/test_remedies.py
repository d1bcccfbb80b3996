"""What a rule offers where no clause mends: an argument or an attribute, where it surely gets there."""

from __future__ import annotations

from textwrap import dedent

import pytest

from flake8_deadline.check import analyse
from flake8_deadline.options import Options
from flake8_deadline.rule import Declare, Pass

SIGNAL = ("celery.exceptions", "SoftTimeLimitExceeded")
LIMITS = (("soft_time_limit", "{soft}"), ("time_limit", "{hard}"))


@pytest.fixture
def fixes(tmp_path):
    """The fixes of the findings with a code in files of these texts."""

    def found(code, texts, **versions):
        for path, text in texts.items():
            (tmp_path / path).write_text(dedent(text), encoding="utf-8")
        options = Options(root=str(tmp_path), cache_dir="none", versions=tuple(sorted(versions.items())))
        return [finding.fix for finding in analyse(options).findings if finding.code == code]

    return found


AUTORETRY = """\
from celery import Task, shared_task


@shared_task(autoretry_for=(Exception,), soft_time_limit=6)
def bill(order):
    order.bill()
"""


def test_celery_is_told_what_not_to_retry_where_its_version_can_be(fixes):
    expected = Pass(4, (("dont_autoretry_for", "({0},)"),), (SIGNAL,))
    assert fixes("LIM105", {"tasks.py": AUTORETRY}) == [expected]
    assert fixes("LIM105", {"tasks.py": AUTORETRY}, celery="5.3.1") == [expected]
    assert fixes("LIM105", {"tasks.py": AUTORETRY}, celery="5.2.7") == [None]


def test_a_list_that_names_the_deadline_is_changed_by_hand(fixes):
    named = AUTORETRY.replace("(Exception,)", "(SoftTimeLimitExceeded,)").replace("\n\n\n", "\nfrom celery.exceptions import *\n\n\n", 1)
    named = named.replace("import *", "import SoftTimeLimitExceeded")
    assert fixes("LIM105", {"tasks.py": named}) == [None]


def test_a_class_that_has_the_list_is_told_for_all_its_tasks(fixes):
    base = "from celery import Task\n\n\nclass Base(Task):\n    autoretry_for = (Exception,)\n    soft_time_limit = 6\n"
    task = (
        AUTORETRY.replace("autoretry_for=(Exception,), soft_time_limit=6", "base=Base")
        .replace("import Task,", "import")
        .replace("shared_task\n\n", "shared_task\nfrom base import Base\n\n", 1)
    )
    expected = Declare(4, (("dont_autoretry_for", "({0},)"),), (SIGNAL,))
    assert fixes("LIM105", {"base.py": base, "tasks.py": task}) == [expected]
    assert fixes("LIM105", {"tasks.py": base + task.replace("from base import Base\n", "")}) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from celery import shared_task\n\n\n@print\n@shared_task\ndef f():\n    pass\n", Pass(5, LIMITS)),
        ("from celery import Celery\n\napp = Celery()\n\n\n@app.task(bind=True)\ndef f(self):\n    pass\n", Pass(6, LIMITS)),
        ("from celery import Task\n\n\nclass F(Task):\n    def run(self):\n        pass\n", Declare(4, LIMITS)),
        ("from celery import shared_task\n\n\ndef f():\n    pass\n\n\ng = shared_task(f)\n", None),
        ("from celery import shared_task\n\n\ndef job(fn):\n    return shared_task(fn)\n\n\n@job\ndef f():\n    pass\n", None),
    ],
)
def test_limits_go_where_the_task_takes_its_options(fixes, text, expected):
    assert fixes("LIM301", {"tasks.py": text}) == [expected]


def test_limits_of_a_function_made_a_task_in_another_file_are_left_alone(fixes):
    texts = {"work.py": "def f():\n    pass\n", "tasks.py": "from celery import shared_task\nfrom work import f\n\ng = shared_task(f)\n"}
    assert fixes("LIM301", texts) == [None]


def test_a_client_is_told_not_to_retry_where_it_is_made_in_the_same_file(fixes):
    text = """\
        import anthropic
        from celery import shared_task
        {client}

        @shared_task(soft_time_limit=6, time_limit=9)
        def ask(text):
            return client.messages.create(messages=text)
        """
    here = text.format(client="client = anthropic.Anthropic()")
    there = text.format(client="from clients import client")
    assert fixes("LIM105", {"tasks.py": here}) == [Pass(3, (("max_retries", "0"),), (), "Anthropic")]
    clients = "import anthropic\n\nclient = anthropic.Anthropic()\n"
    assert fixes("LIM105", {"tasks.py": there, "clients.py": clients}) == [None]
