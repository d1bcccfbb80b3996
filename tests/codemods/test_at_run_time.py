"""What the edit is for: a deadline that the code as it was swallows leaves the loop of the mended code, at once and as itself."""

from __future__ import annotations

from itertools import count
from textwrap import indent
from typing import TYPE_CHECKING

import pytest
from celery.exceptions import SoftTimeLimitExceeded

from flake8_deadline import cli

if TYPE_CHECKING:
    from pathlib import Path

TASK = "from celery import shared_task\n\n\n@shared_task(soft_time_limit=60, time_limit=90)\ndef job(rows):\n"
LAST = 5
COUNT = count()


class Row:
    """The deadline strikes in the third row; a row that runs after it is noted as well."""

    def __init__(self, number: int, log: list[int]) -> None:
        self.number = number
        self._log = log

    def go(self) -> None:
        self._log.append(self.number)
        if self.number == 2:
            raise SoftTimeLimitExceeded
        if self.number == 1:
            raise ValueError("one bad row must not stop the rest")

    def __enter__(self) -> Row:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    __call__ = go


BODIES = {
    "for": "for row in rows:\n    try:\n        row.go()\n    except Exception:\n        pass",
    "while": "while rows:\n    try:\n        rows.pop(0).go()\n    except Exception as error:\n        print(error)",
    "bare": "for row in rows:\n    try:\n        row.go()\n    except:\n        pass",
    "BaseException": "for row in rows:\n    try:\n        row.go()\n    except BaseException:\n        continue",
    "a tuple": "for row in rows:\n    try:\n        row.go()\n    except (ValueError, Exception):\n        pass",
    "one line": "for row in rows:\n    try: row.go()\n    except Exception: pass",
    "a narrow clause first": "for row in rows:\n    try:\n        row.go()\n    except ValueError:\n        pass\n    except Exception:\n        pass",
    "else and finally": (
        "for row in rows:\n    try:\n        row.go()\n    except Exception:\n        pass\n    else:\n        print()\n    finally:\n        print()"
    ),
    "two clauses, one in the other": (
        "for row in rows:\n    try:\n        try:\n            row.go()\n        except Exception:\n            print()\n"
        "    except Exception:\n        pass"
    ),
    "a clause in a clause": (
        "for row in rows:\n    try:\n        raise KeyError\n    except KeyError:\n        try:\n            row.go()\n"
        "        except Exception:\n            pass"
    ),
    "a clause in finally": (
        "for row in rows:\n    try:\n        print()\n    finally:\n        try:\n            row.go()\n        except Exception:\n            pass"
    ),
    "with": "for row in rows:\n    with row:\n        try:\n            row.go()\n        except Exception:\n            pass",
    "match": (
        "for row in rows:\n    match row.number:\n        case int():\n            try:\n                row.go()\n"
        "            except Exception:\n                pass"
    ),
    "a condition": "for row in rows:\n    try:\n        row.go()\n    except Exception as error:\n        if isinstance(error, KeyError):\n            raise",
    "a helper": "def save(row):\n    try:\n        row.go()\n    except Exception:\n        return None\nfor row in rows:\n    save(row)",
    "a helper in a comprehension": (
        "def save(row):\n    try:\n        row.go()\n        return 1\n    except Exception:\n        return 0\nprint(sum([save(row) for row in rows]))"
    ),
    "a decorator": (
        "def quiet(function):\n    def wrapper(row):\n        try:\n            return function(row)\n        except Exception:\n            return None\n"
        "    return wrapper\n@quiet\ndef save(row):\n    row.go()\nfor row in rows:\n    save(row)"
    ),
    "a method": (
        "class Saver:\n    def save(self, row):\n        try:\n            row.go()\n        except Exception:\n            self.failed = row\n"
        "saver = Saver()\nfor row in rows:\n    saver.save(row)"
    ),
}


def consequence(text: str) -> tuple[list[int], bool]:
    """Which rows a module's task begins, and whether the deadline comes out of it."""
    names: dict[str, object] = {"__name__": f"jobs_{next(COUNT)}"}  # Celery keeps the first task of a name
    exec(compile(text, "jobs.py", "exec"), names)  # noqa: S102
    log: list[int] = []
    try:
        names["job"]([Row(number, log) for number in range(LAST + 1)])
    except SoftTimeLimitExceeded:
        return log, True
    return log, False


@pytest.mark.parametrize("body", [pytest.param(body, id=name) for name, body in BODIES.items()])
def test_a_deadline_that_was_swallowed_leaves_the_loop(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = tmp_path / "jobs.py"
    module.write_text(TASK + indent(body, "    ") + "\n")
    assert consequence(module.read_text()) == (list(range(LAST + 1)), False)

    assert cli.main(["fix", "--write", "--allow-dirty", "--deadline-cache-dir", "none"]) == 0

    assert consequence(module.read_text()) == ([0, 1, 2], True)
