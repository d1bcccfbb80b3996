"""What a clause does before it raises again: checked once, and written out for each clause."""

from __future__ import annotations

from textwrap import dedent

import pytest

from flake8_deadline.codemods.carrying_out import carry_out
from flake8_deadline.codemods.snippet import SnippetError, read
from flake8_deadline.codemods.wishes import Wishes
from flake8_deadline.rule import Reraise

HEAD = "from celery.exceptions import SoftTimeLimitExceeded\n\n\n"
LOOP = HEAD + dedent(
    """\
    def sync(job, rows):
        for row in rows:
            try:
                row.save()
            except Exception:
                pass
    """
)
SIGNAL = ("celery.exceptions", "SoftTimeLimitExceeded")


def clause(source: str) -> int:
    return next(number for number, line in enumerate(source.splitlines(), start=1) if "except Exception" in line)


def finalised(source: str, snippet: str) -> str:
    """The text with the snippet before its broad clause."""
    edit = carry_out(source.encode(), [Reraise(clause(source), *SIGNAL)], Wishes(snippet=read(snippet)), frozenset())
    assert edit.refusals == ()
    return edit.source.decode()


def refused(source: str, snippet: str) -> str:
    edit = carry_out(source.encode(), [Reraise(clause(source), *SIGNAL)], Wishes(snippet=read(snippet)), frozenset())
    assert edit.source == source.encode()
    (refusal,) = edit.refusals
    return refusal.reason


def inserted(source: str, snippet: str) -> list[str]:
    old = source.splitlines()
    return [line.strip() for line in finalised(source, snippet).splitlines() if line not in old]


@pytest.mark.parametrize(
    ("snippet", "reason"),
    [
        ("job.fail(", "it is not Python: "),
        ("", "it says nothing"),
        ("# done", "it says nothing"),
        ("return None", "return cannot stand in it: the clause raises the exception again behind it"),
        ("if job: raise", "raise cannot stand in it"),
        ("yield job", "yield cannot stand in it"),
        ("x = await job", "await cannot stand in it"),
        ("break", "break cannot stand in it"),
        ("nonlocal job", "it is not Python: "),
        ('job.fail("row {index}")', "{index} stands in a plain string: write f before its quotes"),
        ("job.fail({index}", "it is not Python: "),
    ],
)
def test_a_snippet_that_can_go_nowhere_is_refused_at_the_start(snippet, reason):
    with pytest.raises(SnippetError, match=reason.replace("{", r"\{").replace("}", r"\}")):
        read(snippet)


def test_a_snippet_may_have_loops_and_functions_of_its_own_with_ways_out():
    read("for row in rows:\n    if row:\n        break\nback = lambda: (yield)\ndef f():\n    return 1")


def test_the_snippet_stands_before_the_bare_raise_which_is_last():
    assert inserted(LOOP, 'job.fail("soft time limit")\njob.save()') == [
        "except SoftTimeLimitExceeded:",
        'job.fail("soft time limit")',
        "job.save()",
        "raise",
    ]


def test_the_exception_is_bound_where_the_snippet_names_it_by_a_name_that_is_free():
    assert inserted(LOOP, "job.fail({error})")[:2] == ["except SoftTimeLimitExceeded as error:", "job.fail(error)"]
    taken = LOOP.replace("(job, rows)", "(job, rows, error)")
    assert inserted(taken, 'job.fail(f"{error!r}")')[:2] == ["except SoftTimeLimitExceeded as exc:", 'job.fail(f"{exc!r}")']
    taken = LOOP.replace("(job, rows)", "(job, rows, error, exc, deadline)")
    assert refused(taken, "job.fail({error})") == "the names error, exc, deadline are all taken here"
    assert inserted(LOOP.replace("row.save()", "error(row)"), "job.fail({error})")[0] == "except SoftTimeLimitExceeded as exc:"
    assert inserted(LOOP, "error = 1; exc = {error}; print(error)")[0] == "except SoftTimeLimitExceeded as deadline:"
    module = LOOP.replace("def sync(job, rows):", "if rows:\n    job = rows")
    assert finalised(module, "job.fail({error})").count("as error") == 1
    assert finalised(module + "    error = 1\n", "job.fail({error})").count("as exc") == 1


def test_the_index_and_the_items_are_those_of_the_loop_around():
    counted = LOOP.replace("for row in rows", "for i, row in enumerate(rows, 1)")
    assert inserted(counted, 'job.fail(f"after {index} of {len({items}):,}: {index:>3}")')[1] == 'job.fail(f"after {i} of {len(rows):,}: {i:>3}")'
    attribute = LOOP.replace("in rows", "in job.batch.rows")
    assert inserted(attribute, "job.fail(len({items}))")[1] == "job.fail(len(job.batch.rows))"


@pytest.mark.parametrize(
    ("loop", "counted"),
    [
        ("for row in rows:", "for index, row in enumerate(rows):"),
        ("for row, n in rows:", "for index, (row, n) in enumerate(rows):"),
        ("for (row, n) in rows:", "for index, (row, n) in enumerate(rows):"),
        ("for row, in rows:", "for index, (row,) in enumerate(rows):"),
        ("for (row), (n) in rows:", "for index, ((row), (n)) in enumerate(rows):"),
        ("for row in job, rows:", "for index, row in enumerate((job, rows)):"),
        ("for row in (job, rows):", "for index, row in enumerate((job, rows)):"),
        ("for row in [*rows]:", "for index, row in enumerate([*rows]):"),
        ("for(row)in[*rows]:", "for(index, row)in enumerate([*rows]):"),
        ("for[row]in rows:", "for index, [row]in enumerate(rows):"),
        ("for row in (many := rows):", "for index, row in (enumerate(many := rows)):"),
        ("for row in (yield rows):", "for index, row in (enumerate((yield rows))):"),
    ],
)
def test_a_loop_without_an_index_is_given_one(loop, counted):
    source = LOOP.replace("for row in rows:", loop)
    new = finalised(source, "job.fail({index})")
    assert f"    {counted}\n" in new
    assert "job.fail(index)" in new


def test_two_clauses_in_one_loop_share_its_index():
    source = LOOP + LOOP[LOOP.index("        try") :]
    lines = [number for number, line in enumerate(source.splitlines(), start=1) if "except Exception" in line]
    edit = carry_out(source.encode(), [Reraise(line, *SIGNAL) for line in lines], Wishes(snippet=read("job.fail({index})")), frozenset())
    assert (len(edit.fixes), edit.refusals) == (2, ())
    assert edit.source.count(b"enumerate") == 1


def test_two_loops_in_one_another_do_not_share_an_index():
    source = LOOP + "".join(f"    {line}\n" for line in LOOP[LOOP.index("    for") :].splitlines())
    lines = [number for number, line in enumerate(source.splitlines(), start=1) if "except Exception" in line]
    edit = carry_out(source.encode(), [Reraise(line, *SIGNAL) for line in lines], Wishes(snippet=read("job.fail({index})")), frozenset())
    assert [(fix.line, refusal.reason) for fix in edit.fixes for refusal in edit.refusals] == [
        (lines[0], "the loop has no index, and one around it or in it is given the name index")
    ]


def test_a_name_that_the_function_sets_itself_may_be_set():
    assert finalised(LOOP.replace("row.save()", "state = row"), "state = 1")
    assert finalised(LOOP.replace("    for", "    state = 1\n    for").replace("row.save()", "job = state"), "print(state)")


@pytest.mark.parametrize(
    ("old", "new", "snippet", "reason"),
    [
        ("rows:", "job.rows():", "print({items})", "what the loop goes over has no name: {items} cannot stand for it"),
        ("for row in rows:", "while rows:", "print({items})", "no for loop around the clause has {items}"),
        ("for row in rows:", "while rows:", "print({index})", "no for loop around the clause has an {index}"),
        ("(job, rows)", "(index, rows)", "print({index})", "the loop has no index, and the name index is taken"),
        ("row.save()", "index.save()", "print({index})", "the loop has no index, and the name index is taken"),
        ("def sync", "enumerate = 1\n\n\ndef sync", "print({index})", "the loop has no index, and enumerate is bound in the file (line 4)"),
        ("row in rows", "row in enumerate(rows)", "print({index})", "the loop's index has no name of its own: {index} cannot stand for it"),
        (
            "row.save()",
            "found = row()",
            "print(found)",
            "the snippet reads found, which the try block itself sets: the deadline may strike before it does",
        ),
        ("row.save()", "state(row)", "state = 1", "the snippet sets state, which sync takes from outside of it: use another name"),
        ("(job, rows)", "(rows)", "job.fail(cause)", "the snippet reads cause, job, which mean nothing here"),
        ("(job, rows)", "(rows)", "job.fail()", "the snippet reads job, which means nothing here"),
    ],
)
def test_a_clause_that_the_snippet_does_not_fit_is_refused_and_says_why(old, new, snippet, reason):
    assert refused(LOOP.replace(old, new, 1), snippet) == reason


def test_a_file_that_cannot_be_edited_by_characters_gets_no_index():
    source = "# coding: utf-7\n" + LOOP.replace("pass", "'+AGE-'")
    assert refused(source, "job.fail({index})") == "the file's encoding does not allow an edit by characters"


def test_a_loops_else_is_no_turn_of_it():
    turn = "        try:\n            job()\n        except Exception:\n            pass\n"
    source = HEAD + "def f(job, rows):\n    for row in rows:\n        row()\n    else:\n" + turn
    assert refused(source, "job.fail({index})") == "no for loop around the clause has an {index}"


def test_a_loop_outside_of_the_function_is_not_the_clauses():
    turn = "            try:\n                job()\n            except Exception:\n                pass\n"
    source = HEAD + "for row in []:\n    class A:\n        def f(self, job):\n" + turn
    assert refused(source, "job.fail({index})") == "no for loop around the clause has an {index}"


def test_what_a_function_binds_above_or_around_may_be_read_and_what_comes_below_may_not():
    source = HEAD + dedent(
        """\
        import os.path as path, sys


        class Model:
            pass


        def outer(first, /, *rest, key=1, **more):
            with open(first) as stream, open(key):
                pass
            match rest:
                case [one, *others]:
                    pass
                case {"a": 1, **left}:
                    pass
                case str() as text:
                    pass

            async def inner():
                if (size := 3):
                    pass
                squares = [n for n in rest]
                try:
                    stream()
                except Exception:
                    later = 1
        """
    )
    every = "path sys Model outer first rest key more stream one others left text size squares inner len".split()
    assert finalised(source, f"print({', '.join(every)})")
    for hidden in ("later", "n"):
        assert refused(source, f"print({hidden})") == f"the snippet reads {hidden}, which means nothing here"


def test_names_that_the_snippet_binds_itself_need_not_be_there():
    assert finalised(LOOP, "left = [row for row in rows]\njob.fail(left, lambda error: error)")


def test_a_snippets_blocks_are_indented_as_the_file_is():
    source = LOOP.replace("    ", "\t")
    assert "\t\texcept SoftTimeLimitExceeded:\n\t\t\tif job:\n\t\t\t\tjob.fail()\n\t\t\traise\n" in finalised(source, "if job:\n    job.fail()")


def test_a_second_run_with_another_snippet_adds_nothing():
    once = finalised(LOOP, "job.fail()")
    edit = carry_out(once.encode(), [Reraise(clause(once), *SIGNAL)], Wishes(snippet=read("job.save()")), frozenset())
    assert edit.source == once.encode()
    assert "names the exception already" in edit.refusals[0].reason


def test_a_file_whose_encoding_lacks_the_snippets_characters_is_refused():
    source = "# -*- coding: latin-1 -*-\n" + LOOP
    assert refused(source, 'job.fail("\N{SNOWMAN}")')
