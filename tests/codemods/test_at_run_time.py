"""What the edit is for: a deadline that the code as it was swallows leaves the loop of the mended code, at once and as itself."""

from __future__ import annotations

from itertools import count
from textwrap import dedent, indent
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
    "for": """
        for row in rows:
            try:
                row.go()
            except Exception:
                pass
    """,
    "while": """
        while rows:
            try:
                rows.pop(0).go()
            except Exception as error:
                print(error)
    """,
    "bare": """
        for row in rows:
            try:
                row.go()
            except:
                pass
    """,
    "BaseException": """
        for row in rows:
            try:
                row.go()
            except BaseException:
                continue
    """,
    "a tuple": """
        for row in rows:
            try:
                row.go()
            except (ValueError, Exception):
                pass
    """,
    "one line": """
        for row in rows:
            try: row.go()
            except Exception: pass
    """,
    "a narrow clause first": """
        for row in rows:
            try:
                row.go()
            except ValueError:
                pass
            except Exception:
                pass
    """,
    "else and finally": """
        for row in rows:
            try:
                row.go()
            except Exception:
                pass
            else:
                print()
            finally:
                print()
    """,
    "two clauses, one in the other": """
        for row in rows:
            try:
                try:
                    row.go()
                except Exception:
                    print()
            except Exception:
                pass
    """,
    "a clause in a clause": """
        for row in rows:
            try:
                raise KeyError
            except KeyError:
                try:
                    row.go()
                except Exception:
                    pass
    """,
    "a clause in finally": """
        for row in rows:
            try:
                print()
            finally:
                try:
                    row.go()
                except Exception:
                    pass
    """,
    "with": """
        for row in rows:
            with row:
                try:
                    row.go()
                except Exception:
                    pass
    """,
    "match": """
        for row in rows:
            match row.number:
                case int():
                    try:
                        row.go()
                    except Exception:
                        pass
    """,
    "a condition": """
        for row in rows:
            try:
                row.go()
            except Exception as error:
                if isinstance(error, KeyError):
                    raise
    """,
    "a helper": """
        def save(row):
            try:
                row.go()
            except Exception:
                return None
        for row in rows:
            save(row)
    """,
    "a helper in a comprehension": """
        def save(row):
            try:
                row.go()
                return 1
            except Exception:
                return 0
        print(sum([save(row) for row in rows]))
    """,
    "a decorator": """
        def quiet(function):
            def wrapper(row):
                try:
                    return function(row)
                except Exception:
                    return None
            return wrapper
        @quiet
        def save(row):
            row.go()
        for row in rows:
            save(row)
    """,
    "a method": """
        class Saver:
            def save(self, row):
                try:
                    row.go()
                except Exception:
                    self.failed = row
        saver = Saver()
        for row in rows:
            saver.save(row)
    """,
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
    module.write_text(TASK + indent(dedent(body).strip(), "    ") + "\n")
    assert consequence(module.read_text()) == (list(range(LAST + 1)), False)

    assert cli.main(["fix", "--write", "--allow-dirty", "--deadline-cache-dir", "none"]) == 0

    assert consequence(module.read_text()) == ([0, 1, 2], True)
