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
        ("if row:\n    continue", "continue in the loop (line 11): catch each row's errors by hand"),
        ("while row:\n    row()\nelse:\n    break", "break in the loop (line 13): catch each row's errors by hand"),
        ("return row", "return in the loop (line 10): catch each row's errors by hand"),
        ("with row:\n    raise ValueError", "raise in the loop (line 11): catch each row's errors by hand"),
        ("x = yield row", "yield in the loop (line 10): catch each row's errors by hand"),
        ("while (yield row):\n    pass", "yield in the loop (line 10): catch each row's errors by hand"),
        ("yield from row", "yield in the loop (line 10): catch each row's errors by hand"),
        ("self.retry(countdown=5)", "self.retry in the loop (line 10) works by an exception, which would be caught: catch each row's errors by hand"),
        ("task.replace(row)", "task.replace in the loop (line 10) works by an exception, which would be caught: catch each row's errors by hand"),
        ("failed = row", "the function uses the name failed already (line 10), which is to count rows"),
    ],
)
def test_a_loop_that_would_mean_something_else_is_refused_and_says_why(body, reason):
    assert refused(function("for row in rows:\n" + indent(body + "\n", "    "))) == reason


@pytest.mark.parametrize(
    "body",
    [
        "def f():\n    return 1",
        "row.retry()",
        "job = row.job\njob.retry()",
        "row.save(failed=1)",
        "try:\n    row()\nexcept SoftTimeLimitExceeded:\n    row.fail()\n    raise\nexcept Exception:\n    pass",
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
        (function("import shop as failed\nfor row in rows:\n    row()\n"), "the function uses the name failed already (line 9)"),
        (
            function("match rows:\n    case [*processed]:\n        pass\nfor row in rows:\n    row()\n"),
            "the function uses the name processed already",
        ),
        (HEAD + "for row in []:\n    row()\n", "the loop stands in no function: catch each row's errors by hand"),
        (function("class A:\n    for row in rows:\n        row()\n"), "the loop stands in no function: catch each row's errors by hand"),
        (function("with transaction.atomic():\n    for row in rows:\n        row()\n"), "the loop stands inside of a transaction: "),
        (HEAD + "@transaction.atomic\ndef f(rows):\n    for row in rows:\n        row()\n", "the loop stands inside of a transaction: "),
        (function("for row in rows:\n    row()\n").replace("logging.getLogger", "print"), "the module has no logger to tell of failed rows"),
        (function("for row in rows:\n    row()\n", "rows, logger"), "the module has no logger to tell of failed rows"),
        (function("logger = rows\nfor row in rows:\n    row()\n"), "the module has no logger to tell of failed rows"),
        (
            function("for row in rows:\n    row()\n").replace("import logging", "import structlog as logging"),
            "the module has no logger to tell of failed",
        ),
        (function("for row in rows:\n    row()\n").replace("import logging", "from . import logging"), "the module has no logger to tell of failed"),
        (function("for row in rows:\n    row()\n").replace("logger =", "__logger ="), "the module has no logger to tell of failed rows"),
        (
            function("for row in rows:\n    row()\n").replace("logger = logging.getLogger(__name__)", "logging.basicConfig()"),
            "the module has no logger",
        ),
        (function("for row in rows:\n    row()\n", "SoftTimeLimitExceeded, rows"), "the name SoftTimeLimitExceeded is bound elsewhere"),
        (HEAD + "for row in\n", "Python "),
    ],
)
def test_a_loop_that_cannot_be_isolated_is_refused_and_says_why(source, reason):
    assert refused(source).startswith(reason)


TRY = "try:\n    for row in rows:\n        row()\n"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (
            function(TRY + "except KeyError:\n    rows.fail()\n"),
            "a row's error would reach the except clause on line 12 no more: catch each row's errors by hand",
        ),
        (function(TRY + "except (KeyError, SoftTimeLimitExceeded):\n    rows.fail()\n"), "a row's error would reach the except clause on line 12"),
        (
            function(TRY + "except KeyError:\n    pass\n"),
            "a row's error would reach the except clause on line 12 no more: catch each row's errors by hand",
        ),
        (
            function(TRY + "except Exception:\n    x = 1\n"),
            "a row's error would reach the except clause on line 12 no more: catch each row's errors by hand",
        ),
        (function(TRY + "except Exception:\n    pass\nelse:\n    rows.close()\n"), "a row's error would reach the except clause on line 12"),
        (
            HEAD + "@task(autoretry_for=(KeyError,))\ndef sync(rows):\n    for row in rows:\n        row()\n",
            "a row's error would no longer make sync be tried again (line 8): catch each row's errors by hand",
        ),
        (HEAD + "@tenacity.retry\ndef sync(rows):\n    for row in rows:\n        row()\n", "a row's error would no longer make sync be tried again"),
        (
            function("for row in rows:\n    size = row()\nprint(size)\n"),
            "line 11 reads size, which a failed row would not set: catch each row's errors by hand",
        ),
        (function("for row in rows:\n    size = row()\nsize = size + 1\n"), "line 11 reads size, which a failed row would not set"),
        (
            function("for row in rows:\n    row()\nrows.delete()\n"),
            "line 11 goes on with rows as if no row had failed: catch each row's errors by hand",
        ),
        (
            function("for row in rows:\n    row()\nsend.delay(pks=rows)\n"),
            "line 11 goes on with rows as if no row had failed: catch each row's errors by hand",
        ),
        (function("paths = list(rows)\nfor path in paths:\n    path()\nrows.update(a=1)\n"), "line 12 goes on with rows as if no row had failed"),
    ],
)
def test_a_loop_whose_failed_rows_would_be_missed_is_refused_and_says_where(source, reason):
    assert refused(source).startswith(reason)


@pytest.mark.parametrize(
    "body",
    [
        TRY + "except SoftTimeLimitExceeded:\n    rows.fail()\n",
        TRY + "except Exception as error:\n    logger.error(error)\n",
        TRY + "finally:\n    rows.close()\n",
        "try:\n    pass\nexcept KeyError:\n    for row in rows:\n        row()\n",
        "total = 0\nfor row in rows:\n    total += row()\nreturn total\n",
        "for row in rows:\n    size = row()\nprint([size for size in ()])\nfor size in ():\n    print(size)\n",
        "for row in rows:\n    row()\nlogger.info('%s of them', len(rows))\nself.close()\nrows.close()\n",
        "pks = [1]\na.b = pks\npks: list = []\nfor row in pks:\n    row()\n",
    ],
)
def test_code_around_that_takes_no_row_for_done_hinders_nothing(body):
    assert isolated(function(body, "self, rows"))


@pytest.mark.parametrize(
    ("imports", "said"),
    [
        ("import logging as lg\n\nlog: lg.Logger = lg.getLogger()\n", "log.exception("),
        ("from logging import getLogger\n\nlog = getLogger()\n", "log.exception("),
        ("from celery.utils.log import get_task_logger as of\n\nlog = of(__name__)\n", "log.exception("),
        ("import celery.utils.log\n\nlog = celery.utils.log.get_task_logger(__name__)\n", "log.exception("),
        ("import logging\n\nother = logging.getLogger()\nlog = logging.getLogger()\n", "log.exception("),
        ("import logging\n\nlogging.info('loaded')\n", "logging.exception("),
    ],
)
def test_the_logger_is_the_one_of_the_module_that_the_function_uses(imports, said):
    body = "for row in rows:\n    row()\n" + "log.info('done')\n" * ("other" in imports)
    assert said in isolated(function(body).replace("import logging\n", "", 1).replace("logger = logging.getLogger(__name__)\n", imports))


def test_a_loop_in_a_loop_is_not_counted_with_the_same_names():
    source = function("for row in rows:\n    for part in row:\n        part()\n")
    lines = [line_of(source, "for row"), line_of(source, "for part")]
    edit = carry_out(source.encode(), [Isolate(line, *SIGNAL) for line in lines], Wishes(True), frozenset())
    assert [(refusal.fix.line, refusal.reason) for refusal in edit.refusals] == [
        (10, "the loop on line 9 is given counters already: catch each row's errors by hand"),
    ]
    inner = isolated(source, "for part")
    assert "    for row in rows:\n        processed = failed = 0\n        for part in row:\n            try:\n" in inner


def test_a_loop_is_isolated_for_one_signal():
    source = function("for row in rows:\n    row()\n")
    fixes = [Isolate(9, *SIGNAL), Isolate(9, "rq.timeouts", "JobTimeoutException")]
    edit = carry_out(source.encode(), fixes, Wishes(True), frozenset())
    assert [refusal.reason for refusal in edit.refusals] == ["the loop on line 9 is given counters already: catch each row's errors by hand"]


@pytest.mark.parametrize(
    ("loop", "snippet", "said"),
    [
        ("for row in rows", "job.fail({index})", "job.fail(processed + failed)"),
        ("for row in rows", "job.fail({index} * 2)", "job.fail((processed + failed) * 2)"),
        ("for row in rows", 'job.fail(f"{index:>3}")', 'job.fail(f"{processed + failed:>3}")'),
        ("for i, row in enumerate(rows)", "job.fail({index})", "job.fail(i)"),
        ("for pair in enumerate(rows)", "job.fail({index})", "job.fail(processed + failed)"),
    ],
)
def test_the_counters_tell_the_index_of_a_loop_that_has_none(loop, snippet, said):
    assert f"            {said}\n" in isolated(function(f"{loop}:\n    row()\n", "job, rows"), snippet=snippet)


def test_a_body_behind_a_head_of_several_lines_gets_a_line_in_the_indentation_around():
    source = function("if rows:\n  for row in \\\n    rows: row(); row()\n").replace("    def", "def")
    edit = carry_out(source.encode(), [Isolate(10, *SIGNAL)], Wishes(True), frozenset())
    text = edit.source.decode().splitlines()
    assert "      for row in \\\n        rows:\n        try:\n          row(); row()\n" in edit.source.decode()
    assert [line for number, line in enumerate(text, start=1) if number not in edit.added][9:] == ["      for row in \\", "        rows:"]


def test_a_page_break_in_front_of_a_loop_is_not_copied():
    source = HEAD + "def sync(rows):\n\x0c    for row in rows: row()\n"
    edit = carry_out(source.encode(), [Isolate(9, *SIGNAL)], Wishes(True), frozenset())
    assert edit.refusals == ()
    assert b"        try:\n            row()\n        except" in edit.source


def test_reasons_name_the_lines_of_the_file_as_it_is():
    broad = "for part in rows:\n    try:\n        part()\n    except Exception:\n        part.fail()\n"
    source = function(broad + "for row in rows:\n    row()\n    return\n")
    fixes = [Reraise(line_of(source, "except"), *SIGNAL), Isolate(line_of(source, "for row"), *SIGNAL)]
    edit = carry_out(source.encode(), fixes, Wishes(True), frozenset())
    assert edit.fixes == (fixes[0],)
    assert edit.refusals[0].reason == f"return in the loop (line {line_of(source, 'return')}): catch each row's errors by hand"
    sets = carry_out(source.replace("    return\n", "").encode(), fixes, Wishes(True, read("failed = 1")), frozenset())
    assert sets.refusals[0].reason == "the function uses the name failed already (line 13 of the result), which is to count rows"


def test_a_line_without_a_loop_is_refused():
    edit = carry_out(HEAD.encode(), [Isolate(1, *SIGNAL)], Wishes(True), frozenset())
    assert edit.refusals[0].reason == "no for loop begins on this line"


def test_what_libcst_does_not_reproduce_is_left_alone():
    lossy = "try:\n    row()\nexcept ValueError :\n    pass\n"
    changed = function("for row in rows:\n" + indent(lossy, "    "))
    elsewhere = function("for row in rows:\n    row()\n" + lossy)
    assert refused(changed) == "libcst, which makes the edit, would not write the lines that change back as they are"
    assert isolated(elsewhere).endswith("except ValueError :\n        pass\n")
    assert refused("\\\n" + elsewhere) == "libcst, which makes the edit, would not write the other lines of the file back as they are"


def test_a_loop_that_comes_out_otherwise_than_planned_is_left_alone(monkeypatch):
    monkeypatch.setattr(isolation, "_rewritten", lambda loop, *_: iter([loop]))
    assert refused(function("for row in rows:\n    row()\n")) == "libcst made something else of the loop than planned"


def test_one_loop_that_is_refused_does_not_stop_another():
    source = function("for row in rows:\n    return\nfor line in rows:\n    line()\n")
    fixes = [Isolate(line_of(source, start), *SIGNAL) for start in ("for row", "for line")]
    edit = carry_out(source.encode(), fixes, Wishes(True), frozenset())
    assert (edit.fixes, len(edit.refusals)) == ((fixes[1],), 1)
