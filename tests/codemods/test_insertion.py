"""What the edit adds, and that every other byte stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from flake8_deadline.codemods.reraise import Edit, insert_reraise
from flake8_deadline.codemods.transplant import lines, with_mark_of
from flake8_deadline.codemods.verify import verify
from flake8_deadline.rule import Reraise

if TYPE_CHECKING:
    from collections.abc import Callable

LOOP = b"def f(rows):\n    for row in rows:\n        try:\n            row.go()\n        except Exception:\n            pass\n"
MENDED = LOOP.replace(b"        except E", b"        except SoftTimeLimitExceeded:\n            raise\n        except E")
IMPORT = b"from celery.exceptions import SoftTimeLimitExceeded\n"
HEAD = b"import os\n\n\n"
NEW_HEAD = b"import os\n\n" + IMPORT + b"\n\n"


def test_the_clause_goes_before_the_broad_one_and_one_import_comes_with_it(edit: Callable[..., Edit]) -> None:
    result = edit(HEAD + LOOP)

    assert result.source == NEW_HEAD + MENDED
    assert [fix.line for fix in result.fixes] == [8]
    assert result.added == (3, 5, 10, 11)
    assert (result.imports, result.first_imports) == (("celery.exceptions",), ("celery",))


def test_a_second_run_changes_nothing(edit: Callable[..., Edit]) -> None:
    once = edit(HEAD + LOOP).source

    assert edit(once).source == once


def added_lines(edit: Callable[..., Edit], old: bytes) -> list[bytes]:
    """The lines that an edit adds; all others are as they were."""
    result = edit(old)
    assert len(result.fixes) == 1
    new = lines(result.source)
    assert with_mark_of(result.source, [line for number, line in enumerate(new, start=1) if number not in result.added]) == old
    assert edit(result.source).source == result.source
    return [new[number - 1] for number in result.added]


@pytest.mark.parametrize(
    ("what", "becomes"),
    [
        pytest.param(b"import os", b"import os  # \x0c form feed", id="form feed in a comment"),
        pytest.param(b"def f", b"\x0c\ndef f", id="form feed between functions"),
        pytest.param(b"        except", b"\x0c        except", id="form feed before the clause, which libcst loses"),
        pytest.param(b"go()\n", b"go()   \n", id="blanks at a line's end"),
        pytest.param(b"Exception:", b"Exception :", id="blank before the colon, which libcst loses"),
        pytest.param(b"except Exception:", b"except \\\n                Exception:", id="backslash in the clause"),
        pytest.param(b"Exception:", b"Exception as error:  # noqa: BLE001 - rows are independent", id="alias and noqa"),
        pytest.param(b"except Exception:", b"except:", id="bare"),
        pytest.param(b"Exception:", b"(ValueError, Exception):", id="tuple"),
        pytest.param(b"row", "größe".encode(), id="names that are not ASCII"),
        pytest.param(b"pass", "log('\u2028\x1c\x85')".encode(), id="what other tools take for a line's end"),
        pytest.param(b"import os", b"# coding: latin-1\nimport os  # \xe4", id="latin-1 on line 1"),
        pytest.param(b"import os", b"#!/usr/bin/env python\n# -*- coding: cp1252 -*-\nimport os  # \x80", id="cp1252 on line 2"),
        pytest.param(b"pass\n", b"pass\n        else:\n            good()\n        finally:\n            done()\n", id="else and finally"),
        pytest.param(b"def f(rows):\n    for", b"async def f(rows):\n    async for", id="async for"),
        pytest.param(b"        except", b"        except KeyError:\n            pass\n        except", id="a narrow clause first"),
        pytest.param(b"pass\n", b"pass", id="no newline at the end"),
        pytest.param(b"import os", b"\xef\xbb\xbfimport os", id="byte order mark"),
        pytest.param(b"def f", b"with a, \\\n     b: pass\ndef f", id="backslash elsewhere"),
        pytest.param(b"import os", b"import os; import sys", id="imports on one line"),
    ],
)
def test_every_other_byte_of_an_odd_layout_stays(edit: Callable[..., Edit], what: bytes, becomes: bytes) -> None:
    old = (HEAD + LOOP).replace(what, becomes, 1) if what != b"row" else (HEAD + LOOP).replace(what, becomes)

    assert added_lines(edit, old) == [IMPORT, b"\n", b"        except SoftTimeLimitExceeded:\n", b"            raise\n"]


@pytest.mark.parametrize("ending", [b"\r\n", b"\r"])
def test_added_lines_end_as_the_lines_around_them(edit: Callable[..., Edit], ending: bytes) -> None:
    added = added_lines(edit, (HEAD + LOOP).replace(b"\n", ending))

    assert added == [IMPORT[:-1] + ending, ending, b"        except SoftTimeLimitExceeded:" + ending, b"            raise" + ending]


@pytest.mark.parametrize("ending", [b"\r\n", b"\r"])
@pytest.mark.parametrize("cookie", [b"# coding: latin-1\n", b"#!/usr/bin/env python\n# -*- coding: latin-1 -*-\n"])
def test_the_encoding_is_read_from_the_first_lines_however_they_end(edit: Callable[..., Edit], cookie: bytes, ending: bytes) -> None:
    added = added_lines(edit, (cookie + HEAD + LOOP.replace(b"pass", b"print('\xe4')")).replace(b"\n", ending))

    assert added[2] == b"        except SoftTimeLimitExceeded:" + ending


def test_in_a_file_of_mixed_endings_an_added_line_ends_as_the_one_it_goes_before(edit: Callable[..., Edit]) -> None:
    old = (HEAD + LOOP).replace(b"        except Exception:\n", b"        except Exception:\r\n")

    assert added_lines(edit, old) == [IMPORT, b"\n", b"        except SoftTimeLimitExceeded:\r\n", b"            raise\r\n"]


def test_a_clause_before_a_last_line_without_ending_takes_the_one_above(edit: Callable[..., Edit]) -> None:
    old = b"import os\r\n\r\n\r\nfor row in []:\r\n    try: row()\r\n    except Exception: pass"

    assert added_lines(edit, old)[2:] == [b"    except SoftTimeLimitExceeded:\r\n", b"        raise\r\n"]


def test_tabs_stay_tabs(edit: Callable[..., Edit]) -> None:
    added = added_lines(edit, (HEAD + LOOP).replace(b"    ", b"\t"))

    assert added[2:] == [b"\t\texcept SoftTimeLimitExceeded:\n", b"\t\t\traise\n"]


def test_the_body_is_indented_as_the_clause_below_it(mended: Callable[..., str]) -> None:
    assert (
        mended(
            """
            import os
            def f(rows):
                for row in rows:
                    try:
                        row()
                    except Exception:
                      pass
            """
        )
        == """
import os

from celery.exceptions import SoftTimeLimitExceeded

def f(rows):
    for row in rows:
        try:
            row()
        except SoftTimeLimitExceeded:
          raise
        except Exception:
          pass
"""
    )


@pytest.mark.parametrize(
    ("body", "indent"),
    [
        ("    try:\n       row()\n    except Exception: pass\n", 7),
        ("    try: row()\n    except KeyError:\n     pass\n    except Exception: pass\n", 5),
        ("    try: row()\n    except Exception: pass\n", 8),
    ],
)
def test_before_a_clause_on_one_line_the_body_is_indented_as_its_neighbours(edit: Callable[..., Edit], body: str, indent: int) -> None:
    added = added_lines(edit, HEAD + b"for row in []:\n" + body.encode())

    assert added[2:] == [b"    except SoftTimeLimitExceeded:\n", b" " * indent + b"raise\n"]


def test_a_comment_above_a_clause_stays_with_it(edit: Callable[..., Edit]) -> None:
    text = HEAD + LOOP.replace(b"        except", b"            # still the try\n\n        # one bad row must not stop the rest\n        except")

    assert b"            # still the try\n        except SoftTimeLimitExceeded:\n            raise\n\n        # one bad row" in edit(text).source


def test_several_clauses_need_one_import(edit: Callable[..., Edit]) -> None:
    nested = b"""import os

def f(rows):
    for row in rows:
        try:
            try:
                row.go()
            except Exception:
                row.undo()
        except Exception:
            pass
    while rows:
        with rows:
            try:
                rows.pop()
            except ValueError:
                pass
            except:
                match rows:
                    case []:
                        try:
                            rows.go()
                        except Exception:
                            pass
"""
    result = edit(nested)

    assert len(result.fixes) == 4
    assert result.source.count(b"except SoftTimeLimitExceeded:\n") == 4
    assert result.source.count(IMPORT) == 1


def test_two_signals_get_a_clause_and_an_import_each() -> None:
    old = HEAD + LOOP
    fixes = [Reraise(8, "celery.exceptions", "SoftTimeLimitExceeded", "safe"), Reraise(8, "rq.timeouts", "JobTimeoutException", "safe")]

    result = insert_reraise(old, fixes)
    verify(old, result)

    assert result.source.startswith(HEAD[:-1] + IMPORT + b"from rq.timeouts import JobTimeoutException\n\n\ndef")
    assert b"except SoftTimeLimitExceeded:\n            raise\n        except JobTimeoutException:\n            raise\n" in result.source
    assert result.imports == ("celery.exceptions", "rq.timeouts")
    assert result.first_imports == ("celery", "rq")


def test_a_fix_given_twice_is_made_once() -> None:
    fix = Reraise(8, "celery.exceptions", "SoftTimeLimitExceeded", "safe")

    assert insert_reraise(HEAD + LOOP, [fix, fix]) == insert_reraise(HEAD + LOOP, [fix])


def test_two_names_of_one_exception_get_one_clause() -> None:
    old = b"import celery.exceptions\n\n\n" + LOOP
    fixes = [Reraise(8, module, "SoftTimeLimitExceeded", "safe") for module in ("billiard.exceptions", "celery.exceptions")]

    result = insert_reraise(old, fixes)
    verify(old, result)

    assert result.fixes == tuple(fixes)
    assert result.source.count(b"except celery.exceptions.SoftTimeLimitExceeded:\n") == 1


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("from celery import shared_task", ()),
        ("import celery.result", ()),
        ("if a:\n    import celery", ()),
        ("from . import celery as own", ("celery",)),
        ("import celery_beat", ("celery",)),
    ],
)
def test_an_edit_tells_whether_it_is_the_first_to_import_the_package(edit: Callable[..., Edit], line: str, first: tuple[str, ...]) -> None:
    assert edit(f"{line}\n".encode() + LOOP).first_imports == first


def test_without_a_fix_nothing_happens() -> None:
    assert insert_reraise(HEAD + LOOP, []) == Edit(HEAD + LOOP)
