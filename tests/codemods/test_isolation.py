"""The turns of a loop isolated: what fails is counted and told, the deadline is let out, and nothing else means something new."""

from __future__ import annotations

import logging
from textwrap import dedent, indent

import pytest
from celery.exceptions import SoftTimeLimitExceeded

from flake8_deadline.codemods import isolation
from flake8_deadline.codemods.carrying_out import carry_out
from flake8_deadline.codemods.snippet import read
from flake8_deadline.codemods.wishes import Wishes
from flake8_deadline.rule import Isolate, Reraise

HEAD = "import logging\n\nfrom celery.exceptions import SoftTimeLimitExceeded\n\nlogger = logging.getLogger(__name__)\n\n\n"
SIGNAL = ("celery.exceptions", "SoftTimeLimitExceeded")


def line_of(source: str, start: str) -> int:
    return next(number for number, line in enumerate(source.splitlines(), start=1) if line.strip().startswith(start))


def isolated(source: str, *starts: str, snippet: str = "") -> str:
    """The text with its loops isolated: those that begin so, else the only one."""
    lines = [line_of(source, start) for start in starts or ("for ", "async for ")[("async for " in source) :][:1]]
    edit = carry_out(source.encode(), [Isolate(line, *SIGNAL) for line in lines], Wishes(True, read(snippet) if snippet else None), frozenset())
    assert edit.refusals == ()
    return edit.source.decode()


def refused(source: str) -> str:
    edit = carry_out(source.encode(), [Isolate(line_of(source, "for "), *SIGNAL)], Wishes(True), frozenset())
    assert edit.source == source.encode()
    (refusal,) = edit.refusals
    return refusal.reason


def function(body: str, parameters: str = "rows") -> str:
    return HEAD + f"def sync({parameters}):\n" + indent(dedent(body), "    ")


def test_what_fails_is_counted_and_told_and_the_deadline_is_let_out(caplog):
    names: dict[str, object] = {"__name__": "shop"}
    exec(isolated(function("for row in rows:\n    row()\n")), names)  # noqa: S102 - to see what it does
    done: list[int] = []

    def fail() -> None:
        raise ValueError

    def time_out() -> None:
        raise SoftTimeLimitExceeded

    with caplog.at_level(logging.INFO, "shop"):
        names["sync"]([lambda: done.append(1), fail, lambda: done.append(2)])
    assert done == [1, 2]
    assert [record.getMessage() for record in caplog.records] == ["sync: row failed", "sync: 2 processed, 1 failed"]
    assert caplog.records[0].exc_info is not None
    with pytest.raises(SoftTimeLimitExceeded):
        names["sync"]([time_out, lambda: done.append(3)])
    assert done == [1, 2]


def test_comments_blank_lines_and_long_strings_stay_with_what_they_belong_to():
    source = function(
        '''\
        first(rows)

        # all of them
        for row in rows:  # in turn
            # the first step

            row.tell("""
        as it is
            here""")  # told
            for part in row:
                if part:
                    continue
                part.save()
            # the end of the turn
        last()
        '''
    )
    assert isolated(source, "for row").partition("def sync(rows):\n")[2] == indent(
        dedent(
            '''\
            first(rows)

            processed = failed = 0
            # all of them
            for row in rows:  # in turn
                try:
                    # the first step

                    row.tell("""
            as it is
                here""")  # told
                    for part in row:
                        if part:
                            continue
                        part.save()
                    # the end of the turn
                except SoftTimeLimitExceeded:
                    raise
                except Exception:
                    failed += 1
                    logger.exception("sync: row failed")
                else:
                    processed += 1
            if failed:
                logger.warning("sync: %d processed, %d failed", processed, failed)
            last()
            '''
        ),
        "    ",
    )


def test_a_file_keeps_its_line_endings_tabs_and_mark():
    source = "\ufeff" + function("for row in rows:\n    row()\n").replace("    ", "\t").replace("\n", "\r\n")
    new = isolated(source)
    assert new.startswith("\ufeff")
    assert "\t\ttry:\r\n\t\t\trow()\r\n\t\texcept SoftTimeLimitExceeded:\r\n\t\t\traise\r\n" in new
    assert "\n" not in new.replace("\r\n", "")


def test_a_file_of_two_depths_is_indented_as_the_loop_is():
    source = HEAD + "def f():\n  pass\n\n\ndef sync(rows):\n    for row in rows:\n        row()\n"
    assert "        try:\n            row()\n        except SoftTimeLimitExceeded:\n            raise\n" in isolated(source)


def test_two_loops_of_one_function_are_counted_apart():
    new = isolated(function("for row in rows:\n    row()\nfor line in rows:\n    line()\n"), "for row", "for line")
    assert new.count("processed = failed = 0\n") == 2
    assert new.count("if failed:\n") == 2


def test_a_body_on_the_line_of_the_head_gets_a_line():
    new = isolated(function("for row in rows: row(); row.save()  # quick\n"))
    assert "    for row in rows:\n        try:\n            row(); row.save()  # quick\n        except SoftTimeLimitExceeded:\n" in new


def test_asynchronous_loops_keep_their_kind():
    assert "    async for row in rows:\n        try:\n            await row()\n" in isolated(
        function("async for row in rows:\n    await row()\n").replace("def sync", "async def sync")
    )


def test_the_import_is_added_where_the_file_lacks_it():
    source = function("for row in rows:\n    row()\n").replace("from celery.exceptions import SoftTimeLimitExceeded\n\n", "")
    edit = carry_out(source.encode(), [Isolate(line_of(source, "for "), *SIGNAL)], Wishes(True), frozenset())
    assert (edit.imports, edit.first_imports) == (("celery.exceptions",), ("celery",))
    assert b"from celery.exceptions import SoftTimeLimitExceeded\n" in edit.source
    text = edit.source.splitlines()
    assert [text[number - 1].strip() for number in edit.added if text[number - 1]][:2] == [
        b"from celery.exceptions import SoftTimeLimitExceeded",
        b"processed = failed = 0",
    ]


def test_the_snippet_stands_in_the_clause_for_the_deadline():
    new = isolated(function("for row in rows:\n    row()\n", "job, rows"), snippet='job.fail(f"{error}", len({items}))')
    assert '    except SoftTimeLimitExceeded as error:\n            job.fail(f"{error}", len(rows))\n            raise\n' in new


def test_clauses_above_and_below_a_loop_are_mended_with_it():
    broad = "for part in rows:\n    try:\n        part()\n    except Exception:\n        part.fail()\n"
    source = function(broad + "for row in rows:\n    row()\n" + broad.replace("part", "piece"))
    clauses = [number for number, line in enumerate(source.splitlines(), start=1) if line.strip().startswith("except ")]
    fixes = [Isolate(line_of(source, "for row"), *SIGNAL), *(Reraise(line, *SIGNAL) for line in clauses)]
    edit = carry_out(source.encode(), fixes, Wishes(True), frozenset())
    assert set(edit.fixes) == set(fixes)
    assert edit.source.count(b"except SoftTimeLimitExceeded:\n") == 3
    old, new = source.splitlines(), edit.source.decode().splitlines()
    assert [line.strip() for number, line in enumerate(new, start=1) if number not in edit.added] == [line.strip() for line in old]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("if row:\n    continue", "continue in the loop (line 11): isolate by hand"),
        ("while row:\n    row()\nelse:\n    break", "break in the loop (line 13): isolate by hand"),
        ("return row", "return in the loop (line 10): isolate by hand"),
        ("with row:\n    raise ValueError", "raise in the loop (line 11): isolate by hand"),
        ("x = yield row", "yield in the loop (line 10): isolate by hand"),
        ("while (yield row):\n    pass", "yield in the loop (line 10): isolate by hand"),
        ("yield from row", "yield in the loop (line 10): isolate by hand"),
        ("self.retry(countdown=5)", "self.retry in the loop (line 10) leaves by an exception: isolate by hand"),
        ("task.replace(row)", "task.replace in the loop (line 10) leaves by an exception: isolate by hand"),
        ("failed = row", "the function uses the name failed already (line 10)"),
    ],
)
def test_a_loop_that_would_mean_something_else_is_refused_and_says_why(body, reason):
    assert refused(function("for row in rows:\n" + indent(body + "\n", "    "))) == reason


@pytest.mark.parametrize(
    "body",
    [
        "def f():\n    return 1",
        "while row:\n    break",
        "row.name.replace('a', 'b')",
        "current(row)(1)",
    ],
)
def test_ways_out_that_stay_in_the_turn_are_none(body):
    assert isolated(function("for row in rows:\n" + indent(body + "\n", "    ")))


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (function("for row in rows:\n    row()\n", "rows, processed"), "the function uses the name processed already (line 8)"),
        (function("global failed\nfor row in rows:\n    row()\n"), "the function uses the name failed already (line 9)"),
        (HEAD + "for row in []:\n    row()\n", "the loop stands in no function: isolate by hand"),
        (function("with transaction.atomic():\n    for row in rows:\n        row()\n"), "the loop stands inside of a transaction: "),
        (HEAD + "@transaction.atomic\ndef f(rows):\n    for row in rows:\n        row()\n", "the loop stands inside of a transaction: "),
        (function("for row in rows:\n    row()\n").replace("logging.getLogger", "print"), "the module has no logger to tell of failed rows"),
        (function("for row in rows:\n    row()\n", "rows, logger"), "the module has no logger to tell of failed rows"),
        (function("logger = rows\nfor row in rows:\n    row()\n"), "the module has no logger to tell of failed rows"),
        (function("for row in rows:\n    row()\n", "SoftTimeLimitExceeded, rows"), "the name SoftTimeLimitExceeded is bound elsewhere"),
        (HEAD + "for row in\n", "Python "),
    ],
)
def test_a_loop_that_cannot_be_isolated_is_refused_and_says_why(source, reason):
    assert refused(source).startswith(reason)


def test_a_line_without_a_loop_is_refused():
    edit = carry_out(HEAD.encode(), [Isolate(1, *SIGNAL)], Wishes(True), frozenset())
    assert edit.refusals[0].reason == "no for begins on this line"


def test_what_libcst_does_not_reproduce_is_left_alone():
    lossy = "try:\n    row()\nexcept ValueError :\n    pass\n"
    changed = function("for row in rows:\n" + indent(lossy, "    "))
    elsewhere = function("for row in rows:\n    row()\n" + lossy)
    assert refused(changed) == "libcst does not reproduce the lines that the edit changes"
    assert isolated(elsewhere).endswith("except ValueError :\n        pass\n")
    assert refused("\\\n" + elsewhere) == "libcst does not reproduce the lines of the file"


def test_a_loop_that_comes_out_otherwise_than_planned_is_left_alone(monkeypatch):
    monkeypatch.setattr(isolation, "_rewritten", lambda loop, _: iter([loop]))
    assert refused(function("for row in rows:\n    row()\n")) == "libcst made something else of the loop than planned"


def test_one_loop_that_is_refused_does_not_stop_another():
    source = function("for row in rows:\n    return\nfor line in rows:\n    line()\n")
    fixes = [Isolate(line_of(source, start), *SIGNAL) for start in ("for row", "for line")]
    edit = carry_out(source.encode(), fixes, Wishes(True), frozenset())
    assert (edit.fixes, len(edit.refusals)) == ((fixes[1],), 1)
