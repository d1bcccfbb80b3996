"""What is not edited, and the reason given."""

from __future__ import annotations

import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import libcst
import pytest

from flake8_deadline.codemods.reraise import insert_reraise
from flake8_deadline.rule import Reraise

if TYPE_CHECKING:
    from collections.abc import Callable

    from flake8_deadline.codemods.reraise import Edit

LOOP = b"def f(rows):\n    for row in rows:\n        try:\n            row.go()\n        except Exception:\n            pass\n"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="except* is new in Python 3.11")
def test_except_star_is_left_to_a_person(reason: Callable[..., str]) -> None:
    assert reason(LOOP.replace(b"except E", b"except* E")) == "except* takes groups apart: re-raise by hand"


@pytest.mark.parametrize(
    "leave", ["return", "if row:\n            return", "for a in b:\n            pass\n        else:\n            break", "continue"]
)
def test_a_finally_that_leaves_would_swallow_the_reraise(reason: Callable[..., str], leave: str) -> None:
    text = f"def f(rows):\n  for row in rows:\n    try:\n        row()\n    except Exception:\n        pass\n    finally:\n        {leave}\n"

    assert "in the finally block (line " in reason(text)
    assert reason(text).endswith(") would swallow the re-raise")


@pytest.mark.parametrize(
    "stay",
    ["for a in b:\n            break", "while a:\n            continue", "def g():\n            return", "class C:\n            a = 1", "row.done()"],
)
def test_a_finally_that_goes_on_is_no_obstacle(mended: Callable[..., str], stay: str) -> None:
    text = f"def f(rows):\n  for row in rows:\n    try:\n        row()\n    except Exception:\n        pass\n    finally:\n        {stay}\n"

    assert "    except SoftTimeLimitExceeded:\n        raise\n" in mended(text)


def test_the_finally_of_an_outer_try_counts_as_well(reason: Callable[..., str]) -> None:
    text = """
        def f(rows):
            for row in rows:
                try:
                    if row:
                        try:
                            row.go()
                        except Exception:
                            pass
                finally:
                    try:
                        row.done()
                    except ValueError:
                        continue
        """

    assert reason(text) == "continue in the finally block (line 14) would swallow the re-raise"


def test_the_finally_of_a_try_around_the_function_does_not_count(mended: Callable[..., str]) -> None:
    text = """
        def outer(rows):
            for row in rows:
                try:
                    def f():
                        try:
                            row.go()
                        except Exception:
                            pass
                finally:
                    return
        """

    assert "except SoftTimeLimitExceeded:" in mended(text)


def test_a_clause_in_a_finally_does_not_pass_that_finally_again(mended: Callable[..., str]) -> None:
    text = """
        def f(rows):
            for row in rows:
                try:
                    row.go()
                finally:
                    try:
                        row.done()
                    except Exception:
                        pass
                    return
        """

    assert "except SoftTimeLimitExceeded:" in mended(text)


@pytest.mark.parametrize(
    ("lines", "type_"),
    [
        ("from celery.exceptions import SoftTimeLimitExceeded", "SoftTimeLimitExceeded"),
        ("from celery.exceptions import SoftTimeLimitExceeded as STLE", "(ValueError, STLE)"),
        ("import celery.exceptions", "celery.exceptions.SoftTimeLimitExceeded"),
        ("from celery.exceptions import *", "SoftTimeLimitExceeded"),
    ],
)
def test_a_clause_that_names_the_exception_already_is_enough(lines: str, type_: str) -> None:
    old = f"{lines}\nfor row in []:\n    try:\n        row()\n    except {type_}:\n        pass\n    except Exception:\n        pass\n".encode()

    result = insert_reraise(old, [Reraise(7, "celery.exceptions", "SoftTimeLimitExceeded", "safe")])

    assert result.source == old
    assert [refusal.reason for refusal in result.refusals] == ["the clause on line 5 names the exception already"]


@pytest.mark.parametrize(
    ("first", "second", "line"), [("Exception", "SoftTimeLimitExceeded", 6), ("(Exception, SoftTimeLimitExceeded)", "SystemExit", 4)]
)
def test_a_clause_that_names_the_exception_in_vain_is_left_to_a_person(first: str, second: str, line: int) -> None:
    old = f"for row in []:\n    try:\n        row()\n    except {first}:\n        pass\n    except {second}:\n        pass\n".encode()

    result = insert_reraise(old, [Reraise(4, "celery.exceptions", "SoftTimeLimitExceeded", "safe")])

    assert [refusal.reason for refusal in result.refusals] == [f"the clause on line {line} names the exception too: move or change it by hand"]


def test_a_line_without_a_clause_is_refused() -> None:
    result = insert_reraise(LOOP, [Reraise(3, "celery.exceptions", "SoftTimeLimitExceeded", "safe")])

    assert [refusal.reason for refusal in result.refusals] == ["no except clause begins on this line"]


@pytest.mark.parametrize(
    ("source", "why"),
    [
        pytest.param(LOOP + b"print 'a'\n", "Missing parentheses in call to 'print'. Did you mean print(...)? (line 7)", id="Python 2"),
        pytest.param(b"# coding: no-such-code\n" + LOOP, "unknown encoding: no-such-code", id="unknown encoding"),
        pytest.param(LOOP + b"a = '\xe4'\n", "(unicode error) 'utf-8' codec can't decode byte 0xe4 in position", id="not UTF-8"),
        pytest.param(LOOP + b"a = '\0'\n", "source code", id="NUL byte"),
        pytest.param(LOOP + b"a = " + b"-" * 20000 + b"1\n", "", id="nested too deeply"),
    ],
)
def test_a_file_that_this_python_cannot_parse_is_refused(reason: Callable[..., str], source: bytes, why: str) -> None:
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"

    assert reason(source).startswith(f"Python {version} cannot parse the file: ")
    assert why in reason(source)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="two types without parentheses in Python 3.14")
def test_the_comma_of_python_2_is_no_tuple(reason: Callable[..., str]) -> None:
    assert "cannot parse the file" in reason(LOOP.replace(b"Exception:", b"Exception, e:"))


def test_a_file_that_libcst_cannot_parse_is_refused(reason: Callable[..., str]) -> None:
    assert reason(LOOP + b"(a): int = 1\n") == "libcst cannot parse the file (line 7)"


def test_a_file_that_libcst_trips_over_is_refused(reason: Callable[..., str]) -> None:
    assert reason(LOOP + b"a = () if 0 else(lambda:())\n") == "libcst cannot edit the file (TypeError)"


def test_a_file_too_deep_for_libcst_is_refused(reason: Callable[..., str]) -> None:
    assert reason(LOOP + b"a = 1" + b" + 1" * 1500 + b"\n") == "libcst cannot edit the file (RecursionError)"


def test_a_file_whose_lines_libcst_does_not_reproduce_is_refused(reason: Callable[..., str]) -> None:
    assert reason(b"\\\n" + LOOP) == "libcst, which makes the edit, would not write the other lines of the file back as they are"


class _PanicError(BaseException):
    """What a panic in an extension module looks like."""


def test_a_panic_in_libcst_is_a_refusal_and_an_interrupt_is_not(
    monkeypatch: pytest.MonkeyPatch, reason: Callable[..., str], edit: Callable[..., Edit]
) -> None:
    def fail(error: BaseException) -> Callable[..., None]:
        def parse(source: bytes, config: object) -> None:
            raise error

        return parse

    monkeypatch.setattr(libcst, "parse_module", fail(_PanicError()))
    assert reason(LOOP) == "libcst cannot edit the file (_PanicError)"
    monkeypatch.setattr(libcst, "parse_module", fail(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        edit(LOOP)


@pytest.mark.parametrize(
    "other", [b"pass\n", LOOP + LOOP, LOOP.replace(b"        except E", b"        except A:\n            pass\n        except E")]
)
def test_a_disagreement_of_the_two_parsers_is_a_refusal(monkeypatch: pytest.MonkeyPatch, reason: Callable[..., str], other: bytes) -> None:
    module = libcst.parse_module(other)
    monkeypatch.setattr(libcst, "parse_module", lambda source, config: module)

    assert reason(LOOP).startswith("libcst finds other ")


@pytest.mark.parametrize("mark", ["# @generated by a tool", '"""@generated"""', "# Generated by the protocol buffer compiler.  DO NOT EDIT!"])
def test_a_generated_file_is_refused(reason: Callable[..., str], mark: str) -> None:
    assert reason(mark.encode() + b"\n" + LOOP) == "the file is generated: change what generates it"


def test_a_mark_far_below_the_head_is_only_text(mended: Callable[..., str]) -> None:
    assert "SoftTimeLimitExceeded" in mended(LOOP.decode() + "\n" * 10 + "# not @generated\n")


def test_one_refused_clause_does_not_stop_the_others() -> None:
    old = dedent(
        """
        for row in []:
            try:
                row()
            except Exception:
                pass
            finally:
                break
        for row in []:
            try:
                row()
            except Exception:
                pass
        """
    ).encode()
    fixes = [Reraise(line, "celery.exceptions", "SoftTimeLimitExceeded", "safe") for line in (5, 12)]

    result = insert_reraise(old, fixes)

    assert result.fixes == (fixes[1],)
    assert [refusal.fix for refusal in result.refusals] == [fixes[0]]
    assert result.source.count(b"except SoftTimeLimitExceeded") == 1


def test_a_refused_file_refuses_every_clause_in_order() -> None:
    fixes = [Reraise(line, "celery.exceptions", "SoftTimeLimitExceeded", "safe") for line in (3, 5)]

    result = insert_reraise(LOOP + b"(a): int = 1\n", fixes)

    assert [(refusal.fix.line, refusal.reason) for refusal in result.refusals] == [
        (3, "no except clause begins on this line"),
        (5, "libcst cannot parse the file (line 7)"),
    ]


@pytest.mark.parametrize("patch", ["gevent.monkey.patch_all()", "from gevent.monkey import patch_all; patch_all()", "eventlet.monkey_patch()"])
def test_an_import_is_not_put_above_a_patch_of_the_standard_library(reason: Callable[..., str], patch: str) -> None:
    text = f"import gevent.monkey\n{patch}\n".encode() + LOOP

    assert reason(text) == "an import of celery.exceptions would run before the patch on line 2: add it by hand"


def test_a_patch_is_no_obstacle_where_celery_is_imported_above_it(mended: Callable[..., str]) -> None:
    assert "SoftTimeLimitExceeded" in mended("from celery import app\nimport gevent.monkey\ngevent.monkey.patch_all()\n" + LOOP.decode())


def test_a_line_that_libcst_gives_a_form_feed_is_not_mistaken_for_an_added_one(edit: Callable[..., Edit]) -> None:
    result = edit(b"try:\n\traise\n\traise\nexcept ValueError:\n\x0c\traise\n\traise\nexcept Exception: pass")
    assert result.refusals == ()
    assert result.source.endswith(b"\x0c\traise\n\traise\nexcept SoftTimeLimitExceeded:\n\traise\nexcept Exception: pass")
