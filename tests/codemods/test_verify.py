"""The check of an edit catches an edit that does more, less or something else than it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from flake8_deadline.codemods import verify as module
from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.reraise import Edit, insert_reraise
from flake8_deadline.codemods.syntax import compiles, parse, same_tree
from flake8_deadline.codemods.transplant import lines, transplant
from flake8_deadline.codemods.verify import moved, verify

if TYPE_CHECKING:
    from collections.abc import Callable

    from flake8_deadline.rule import Reraise

OLD = b'"""doc"""\n\nfrom __future__ import annotations\n\nfor row in []:\n    try:\n        row()\n    except Exception:\n        pass\n'


@pytest.fixture
def good(edit: Callable[..., Edit]) -> Edit:
    return edit(OLD)


def objection(edit: Edit) -> str:
    with pytest.raises(RefusedError) as raised:
        verify(OLD, edit)
    return str(raised.value).removeprefix("the edit did not pass its check: ")


def changed(edit: Edit, what: bytes, becomes: bytes) -> Edit:
    """The edit with another text, of as many lines."""
    source = edit.source.replace(what, becomes, 1)
    assert source != edit.source
    return edit._replace(source=source)


def test_an_edit_that_does_what_it_says_passes(good: Edit) -> None:
    assert good.added == (5, 6, 10, 11)

    verify(OLD, good)


def test_a_changed_line_is_seen(good: Edit) -> None:
    assert objection(changed(good, b"row()", b"row() ")) == "lines that were there would change"


def test_an_added_line_that_is_not_announced_is_seen(good: Edit) -> None:
    assert objection(good._replace(added=good.added[1:])) == "lines that were there would change"


def test_a_result_that_does_not_parse_is_seen(good: Edit) -> None:
    with pytest.raises(RefusedError, match="the result would be no Python"):
        verify(OLD, changed(good, b"except Soft", b"except )Soft"))


def test_a_future_import_that_comes_too_late_is_seen(good: Edit) -> None:
    text = lines(OLD)
    early = good._replace(source=b"".join([*text[:2], lines(good.source)[4], *text[2:]]), added=(3,))

    assert objection(early).startswith("the result would not compile: from __future__ imports must occur at the beginning")


def test_a_lost_docstring_is_seen() -> None:
    old = b'"""doc"""\nfor row in []:\n    try:\n        row()\n    except Exception:\n        pass\n'
    new = b"from a import b\n" + old

    with pytest.raises(RefusedError, match="the module's docstring would change"):
        verify(old, Edit(new, added=(1,), imports=("a",)))


def test_a_clause_at_another_place_is_seen(good: Edit) -> None:
    elsewhere = good._replace(fixes=(good.fixes[0].__class__(7, *("celery.exceptions", "SoftTimeLimitExceeded", "safe")),))

    assert objection(elsewhere) == "clauses would be added elsewhere than planned"


@pytest.mark.parametrize("body", [b"pass", b"raise row", b"raise; row"])
def test_a_clause_with_another_body_is_seen(good: Edit, body: bytes) -> None:
    assert objection(changed(good, b"        raise\n", b"        " + body + b"\n")) == "clauses would be added elsewhere than planned"


def test_a_clause_that_binds_a_name_is_seen(good: Edit) -> None:
    assert objection(changed(good, b"Exceeded:", b"Exceeded as row:")) == "clauses would be added elsewhere than planned"


def test_another_added_line_is_seen(good: Edit) -> None:
    text = lines(good.source)
    more = good._replace(source=b"".join([*text[:3], b"# a remark\n", *text[3:]]), added=(4, 6, 7, 11, 12))

    assert objection(more) == "other lines than clauses and imports would be added"


def test_a_changed_meaning_of_unchanged_lines_is_seen() -> None:
    old = b'a = """\n"""\nfor row in []:\n    try:\n        row()\n    except Exception:\n        pass\n'
    new = old.replace(b'"""\n"""', b'"""\n\n"""')

    with pytest.raises(RefusedError, match="the result would mean something else"):
        verify(old, Edit(new, added=(2,)))


def test_an_edit_that_would_be_made_again_is_seen(good: Edit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "insert_reraise", lambda source, fixes, **_: Edit(source + b"\n"))

    assert objection(good) == "a second run would change the file again"


def test_lines_are_counted_past_a_byte_order_mark(fixes: Callable[[bytes], list[Reraise]]) -> None:
    old = b"\xef\xbb\xbf" + OLD[OLD.index(b"for") :]
    edit = insert_reraise(old, fixes(old))

    verify(old, edit)

    assert edit.source.startswith(b"\xef\xbb\xbffrom celery.exceptions import")


@pytest.mark.parametrize(("line", "new"), [(1, 1), (2, 2), (3, 5), (4, 7), (5, 8)])
def test_a_line_moves_by_the_lines_added_above_it(line: int, new: int) -> None:
    assert moved(line, (3, 4, 6)) == new


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (b"a = 1", b"a  =  (1)", True),
        (b"a = 1", b"a = True", False),
        (b"a = 1", b"a = 1.0", False),
        (b"a = 'b'", b"a = 'c'", False),
        (b"f(a)", b"f(a, a)", False),
        (b"f(a)", b"f[a]", False),
        (b"a", b"del a", False),
        (b"a = " + b"-" * 60 + b"1", b"a = " + b"-" * 60 + b"2", False),
    ],
)
def test_trees_are_the_same_where_the_code_is(one: bytes, other: bytes, same: bool) -> None:
    assert same_tree(parse(one), parse(other)) is same


def test_what_only_the_compiler_refuses_is_found() -> None:
    assert compiles(parse(b"pass")) is None
    assert compiles(parse(b"a = 1\nreturn a")) == "'return' outside function (line 2)"


def test_warnings_about_the_text_are_not_printed() -> None:
    assert compiles(parse(b"a = '\\d'\nassert (a, 'b')\n")) is None


def test_only_added_lines_are_transplanted() -> None:
    assert transplant(b"a \nb\n", b"a\nb\n", b"a\nc\nb\n") == (b"a \nc\nb\n", (2,))


def test_a_line_added_at_the_end_of_a_text_without_any_ending_ends_in_a_line_feed() -> None:
    assert transplant(b"a", b"a", b"b\na") == (b"b\na", (1,))


def test_a_text_that_lost_a_line_is_not_transplanted() -> None:
    with pytest.raises(RefusedError, match="the edit would change more than it adds"):
        transplant(b"a\nb\n", b"a\nb\n", b"a\nc\n")
