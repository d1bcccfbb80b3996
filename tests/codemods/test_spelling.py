"""How the new clause names the exception, and when no name is sure."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from flake8_deadline.codemods.reraise import insert_reraise
from flake8_deadline.codemods.verify import verify
from flake8_deadline.rule import Reraise

if TYPE_CHECKING:
    from collections.abc import Callable

LOOP = "def f(rows):\n    for row in rows:\n        try:\n            row.go()\n        except Exception:\n            pass\n"
NEW_IMPORT = "from celery.exceptions import SoftTimeLimitExceeded\n"


@pytest.mark.parametrize(
    ("line", "spelling"),
    [
        ("from celery.exceptions import SoftTimeLimitExceeded", "SoftTimeLimitExceeded"),
        ("from celery.exceptions import Retry, SoftTimeLimitExceeded as STLE", "STLE"),
        ("from celery.exceptions import SoftTimeLimitExceeded as Zeitüberschreitung", "Zeitüberschreitung"),
        ("from billiard.exceptions import SoftTimeLimitExceeded", "SoftTimeLimitExceeded"),
        ("from billiard import SoftTimeLimitExceeded", "SoftTimeLimitExceeded"),
        ("from celery import exceptions", "exceptions.SoftTimeLimitExceeded"),
        ("from celery import exceptions as celery_exceptions", "celery_exceptions.SoftTimeLimitExceeded"),
        ("import celery.exceptions", "celery.exceptions.SoftTimeLimitExceeded"),
        ("import celery.exceptions as ce", "ce.SoftTimeLimitExceeded"),
        ("import billiard", "billiard.SoftTimeLimitExceeded"),
        ("import celery\nimport celery.exceptions\nimport celery.result", "celery.exceptions.SoftTimeLimitExceeded"),
        ("from celery import exceptions\nfrom celery.exceptions import SoftTimeLimitExceeded", "SoftTimeLimitExceeded"),
        ("import celery.exceptions\nfrom celery import exceptions", "exceptions.SoftTimeLimitExceeded"),
        ("from celery.exceptions import SoftTimeLimitExceeded\nimport billiard.exceptions as be", "SoftTimeLimitExceeded"),
        ("SoftTimeLimitExceeded = None\nfrom celery import exceptions", "exceptions.SoftTimeLimitExceeded"),
        ("import os\nos.environ['A'] = 'b'\nfrom celery.exceptions import SoftTimeLimitExceeded", "SoftTimeLimitExceeded"),
    ],
)
def test_a_name_that_the_file_has_is_used_and_nothing_is_imported(mended: Callable[..., str], line: str, spelling: str) -> None:
    text = f"{line}\n{LOOP}"

    assert mended(text) == text.replace("        except E", f"        except {spelling}:\n            raise\n        except E")


@pytest.mark.parametrize(
    "line",
    [
        "import celery",
        "import celery.result",
        "from celery.exceptions import *",
        "from celery import shared_task",
        "from . import exceptions",
        "from .exceptions import Retry as STLE",
        "from shop import celery\nimport celery.exceptions",
        "def g(exceptions):\n    from celery import exceptions",
        "from celery import exceptions\ndel exceptions",
        "from celery.exceptions import SoftTimeLimitExceeded as STLE\nSTLE = None",
        "if a:\n    from celery.exceptions import SoftTimeLimitExceeded as STLE",
        "from billiard import current_process",
        "from billiard.exceptions import Terminated\nfrom celery.exceptions import Retry",
    ],
)
def test_a_name_that_may_not_be_there_or_may_mean_something_else_is_not_used(mended: Callable[..., str], line: str) -> None:
    result = mended(f"{line}\n{LOOP}")

    assert NEW_IMPORT in result
    assert "        except SoftTimeLimitExceeded:\n            raise\n        except Exception:" in result


def test_billiard_is_imported_from_where_the_file_takes_its_exceptions_from_there(mended: Callable[..., str]) -> None:
    result = mended(f"from billiard.exceptions import Terminated\n{LOOP}")

    assert "from billiard.exceptions import SoftTimeLimitExceeded\n" in result
    assert NEW_IMPORT not in result


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("SoftTimeLimitExceeded = None", "line 1, assignment"),
        ("class SoftTimeLimitExceeded(Exception):\n    pass", "line 1, class"),
        ("def SoftTimeLimitExceeded():\n    pass", "line 1, function"),
        ("async def SoftTimeLimitExceeded():\n    pass", "line 1, function"),
        ("def g(a, *, SoftTimeLimitExceeded=None):\n    pass", "line 1, parameter"),
        ("g = lambda SoftTimeLimitExceeded: None", "line 1, parameter"),
        ("g = [SoftTimeLimitExceeded for SoftTimeLimitExceeded in a]", "line 1, assignment"),
        ("if (SoftTimeLimitExceeded := None):\n    pass", "line 1, assignment"),
        ("with a as SoftTimeLimitExceeded:\n    pass", "line 1, assignment"),
        ("try:\n    pass\nexcept ValueError as SoftTimeLimitExceeded:\n    pass", "line 3, except clause"),
        ("match a:\n    case [SoftTimeLimitExceeded]:\n        pass", "line 2, pattern"),
        ("match a:\n    case [*SoftTimeLimitExceeded]:\n        pass", "line 2, pattern"),
        ("match a:\n    case {**SoftTimeLimitExceeded}:\n        pass", "line 2, pattern"),
        ("def g():\n    global SoftTimeLimitExceeded", "line 2, global declaration"),
        ("from shop.errors import SoftTimeLimitExceeded", "line 1, import"),
        ("from .errors import SoftTimeLimitExceeded", "line 1, import"),
        ("import a as SoftTimeLimitExceeded", "line 1, import"),
        ("from celery.exceptions import SoftTimeLimitExceeded\ndel SoftTimeLimitExceeded", "line 2, del"),
        ("def g():\n    from celery.exceptions import SoftTimeLimitExceeded", "line 2, import not at module level"),
        (
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from celery.exceptions import SoftTimeLimitExceeded",
            "line 3, import not at module level",
        ),
        (
            "try:\n    from celery.exceptions import SoftTimeLimitExceeded\nexcept ImportError:\n    SoftTimeLimitExceeded = None",
            "line 2, import not at module level",
        ),
        ("from celery.exceptions import SoftTimeLimitExceeded\nSoftTimeLimitExceeded = None", "line 2, assignment"),
    ],
)
def test_a_name_that_is_bound_to_something_else_anywhere_is_refused_with_the_place(reason: Callable[..., str], line: str, where: str) -> None:
    assert reason(f"{line}\n{LOOP}") == f"the name SoftTimeLimitExceeded is bound elsewhere ({where})"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is new in Python 3.12")
@pytest.mark.parametrize(
    "line", ["def g[SoftTimeLimitExceeded](): pass", "class C[*SoftTimeLimitExceeded]: pass", "type A[**SoftTimeLimitExceeded] = a"]
)
def test_type_parameters_bind_names_too(reason: Callable[..., str], line: str) -> None:
    assert reason(f"{line}\n{LOOP}") == "the name SoftTimeLimitExceeded is bound elsewhere (line 1, type parameter)"


def test_an_attribute_or_keyword_of_that_name_binds_nothing(mended: Callable[..., str]) -> None:
    assert NEW_IMPORT in mended(f"a.SoftTimeLimitExceeded = g(SoftTimeLimitExceeded=1)\n{LOOP}")


def test_code_of_the_module_itself_cannot_use_an_import_below_it(reason: Callable[..., str]) -> None:
    text = "for row in []:\n    try:\n        row()\n    except Exception:\n        pass\nfrom celery.exceptions import SoftTimeLimitExceeded\n"

    assert reason(text) == "SoftTimeLimitExceeded is imported only below this clause, on line 6"


def test_code_of_a_class_body_runs_with_the_module(reason: Callable[..., str]) -> None:
    text = f"class C:\n{''.join(f'    {line}' for line in LOOP.splitlines(True)[1:])}from celery.exceptions import SoftTimeLimitExceeded\n"

    assert reason(text.replace("rows", "[]")).startswith("SoftTimeLimitExceeded is imported only below")


def test_a_method_runs_later_and_can_use_an_import_below_it(mended: Callable[..., str]) -> None:
    text = f"class C:\n{''.join(f'    {line}' for line in LOOP.splitlines(True))}from celery.exceptions import SoftTimeLimitExceeded\n"

    assert mended(text).count("SoftTimeLimitExceeded") == 2


def test_an_exception_named_as_a_builtin_is_not_imported() -> None:
    result = insert_reraise(LOOP.encode(), [Reraise(5, "huey.exceptions", "TimeoutError", "safe")])

    assert [refusal.reason for refusal in result.refusals] == ["an import of TimeoutError would hide the builtin of that name"]


def test_an_exception_of_another_queue_is_looked_for_in_its_own_module_alone() -> None:
    old = f"import rq.timeouts\nfrom celery.exceptions import JobTimeoutException\n{LOOP}".encode()

    result = insert_reraise(old, [Reraise(7, "rq.timeouts", "JobTimeoutException", "safe")])
    verify(old, result)

    assert b"except rq.timeouts.JobTimeoutException:\n" in result.source
