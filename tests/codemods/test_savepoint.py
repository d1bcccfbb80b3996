"""A transaction of its own for the body of a `try`."""

from __future__ import annotations

import sys
from textwrap import dedent, indent

import pytest

from flake8_deadline.codemods import savepoint
from flake8_deadline.codemods.carrying_out import carry_out
from flake8_deadline.codemods.wishes import Wishes
from flake8_deadline.rule import Savepoint

BODY = dedent(
    """\
    def load(rows):
        for row in rows:
            try:  # each
                # checked before
                row.check()

                row.save("
            ")
            except IntegrityError:
                pass
    """
).replace('"\n        "', '"""\n"""')


def line_of(source: str) -> int:
    return next(
        number
        for number, line in enumerate(source.splitlines(), start=1)
        if line.strip().startswith(("except IntegrityError", "except* IntegrityError"))
    )


def edited(source: str):
    return carry_out(source.encode(), [Savepoint(line_of(source))], Wishes(True), frozenset())


def saved(source: str) -> str:
    edit = edited(source)
    assert edit.refusals == ()
    return edit.source.decode()


def refused(source: str) -> str:
    edit = edited(source)
    assert edit.source == source.encode()
    return edit.refusals[0].reason


def test_the_body_is_indented_with_its_comments_and_its_strings_stay_as_they_are():
    assert saved("from django.db import transaction\n\n\n" + BODY) == "from django.db import transaction\n\n\n" + dedent(
        """\
        def load(rows):
            for row in rows:
                try:  # each
                    with transaction.atomic():
                        # checked before
                        row.check()

                        row.save(QUOTES
        QUOTES)
                except IntegrityError:
                    pass
        """
    ).replace("QUOTES", '"""')


def test_the_import_is_added_or_the_one_that_is_there_is_used():
    assert saved("import os\n\n\n" + BODY).startswith("import os\n\nfrom django.db import transaction\n\n\ndef load")
    assert "with tx.atomic():\n" in saved("from django.db import transaction as tx\n\n\n" + BODY)
    edit = edited("import os\n\n\n" + BODY)
    assert (edit.imports, edit.first_imports) == (("django.db",), ("django",))
    assert edit.added == (3, 5, 9)


def test_line_endings_and_tabs_are_kept():
    source = ("from django.db import transaction\n\n\n" + BODY).replace("    ", "\t").replace("\n", "\r\n")
    new = saved(source)
    assert "\t\t\twith transaction.atomic():\r\n\t\t\t\t# checked before\r\n" in new
    assert "\n" not in new.replace("\r\n", "")


def test_two_in_one_file_share_the_import():
    source = BODY + BODY.replace("load", "reload")
    lines = [number for number, line in enumerate(source.splitlines(), start=1) if "except" in line]
    edit = carry_out(source.encode(), [Savepoint(line) for line in lines], Wishes(True), frozenset())
    assert len(edit.fixes) == 2
    assert edit.source.count(b"import transaction") == 1
    assert edit.source.count(b"with transaction.atomic():") == 2


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def f(row):\n    try: row.save()\n    except IntegrityError:\n        pass\n", "the body of the try stands on its line: "),
        ("async def f(row):\n    try:\n        await row.save()\n    except IntegrityError:\n        pass\n", "a transaction cannot be opened round"),
        ("def f(row):\n    try: \\\n      row.save()\n    except IntegrityError:\n        pass\n", "the body of the try stands on its line: "),
        ("def f(row):\n    try:\n        yield row.save()\n    except IntegrityError:\n        pass\n", "a transaction would stay open for as long"),
        ("transaction = 1\n" + BODY, "the name transaction is bound elsewhere (line 1, assignment)"),
        ("try:\n    except IntegrityError\n", "Python "),
        ("\\\n" + BODY, "libcst, which makes the edit, would not write the other lines of the file back as they are"),
    ],
)
def test_what_cannot_be_done_is_refused_and_says_why(source, reason):
    assert refused(source).startswith(reason)


def test_a_transaction_of_another_database_is_left_alone():
    edit = carry_out(BODY.encode(), [Savepoint(line_of(BODY), elsewhere=True)], Wishes(True), frozenset())
    assert edit.refusals[0].reason == "the transaction around names its database: open an atomic block of the same one by hand"
    assert edit.source == BODY.encode()


def test_a_body_that_is_a_transaction_is_left_alone():
    assert refused(saved(BODY)) == "the body of the try is a transaction of its own already"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="except* is new in Python 3.11")
def test_groups_of_exceptions_are_left_alone():
    assert refused(BODY.replace("except Int", "except* Int")) == "except* takes groups apart: open an atomic block by hand"


def test_a_line_without_a_clause_is_refused_and_stops_no_other():
    edit = carry_out(BODY.encode(), [Savepoint(1), Savepoint(line_of(BODY))], Wishes(True), frozenset())
    assert [refusal.reason for refusal in edit.refusals] == ["no except clause begins on this line"]
    assert len(edit.fixes) == 1


def test_a_body_that_comes_out_otherwise_than_planned_is_left_alone(monkeypatch):
    monkeypatch.setattr(savepoint, "rebuilt", lambda source, before, after: source + b"x = 1\n")
    source = "from django.db import transaction\n\n\n" + BODY
    assert refused(source).startswith("the edit did not pass its check: ")


def test_a_body_inside_of_a_body_is_saved_at_its_own_place():
    inner = "def f(row):\n    try:\n        pass\n    except KeyError:\n" + indent(dedent(BODY).partition("\n")[2], "    ")
    assert saved("from django.db import transaction\n\n\n" + inner).count("with transaction.atomic():") == 1
