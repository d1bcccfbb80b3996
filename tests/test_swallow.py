"""How control is followed: what a fixture cannot show well, or only at length."""

from __future__ import annotations

import sys
import textwrap
import time
from typing import TYPE_CHECKING

import pytest

from flake8_deadline.check import analyse
from flake8_deadline.facts import Assign, Branch, Call, Constant, Loop, Try
from flake8_deadline.options import Options
from flake8_deadline.places import assigned, enclosing_loop, sites
from flake8_deadline.reading.python import read
from flake8_deadline.truth import State, forgotten

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flake8_deadline.facts import Step
    from flake8_deadline.rule import Finding

HEAD = "from celery import shared_task\n\n\n@shared_task(soft_time_limit=60, time_limit=90)\ndef sweep(rows, box):\n"


@pytest.fixture
def lint(tmp_path: Path) -> Callable[..., list[Finding]]:
    """The findings in a task with this body (lines counted from its first), and in what stands below it."""

    def run(body: str, below: str = "", **options: object) -> list[Finding]:
        (tmp_path / "tasks.py").write_text(HEAD + textwrap.indent(textwrap.dedent(body), "    ") + textwrap.dedent(below))
        analysis = analyse(Options(root=str(tmp_path), cache_dir="none", **options))  # type: ignore[arg-type]
        assert analysis.errors == ()
        return [finding for finding in analysis.findings if finding.code in ("LIM101", "LIM102")]

    return run


def lines(findings: list[Finding]) -> list[int]:
    return [finding.line - HEAD.count("\n") for finding in findings]


# Places


def steps(source: str) -> tuple[Step, ...]:
    return read(textwrap.dedent(source).encode()).functions[-1].steps


def test_every_call_has_its_place_from_the_inside_out() -> None:
    source = """\
    with a:
        try:
            for b in c:
                if d:
                    f()
        except E:
            g()
        else:
            h()
        finally:
            i()
    """
    kinds = {}
    for site in sites(steps(source)):
        around, place = [], site.place
        while place is not None:
            around.append(place.kind)
            place = place.outer
        kinds[site.step.func if isinstance(site.step, Call) else type(site.step).__name__] = [kind for kind in around if kind != "rest"]
    assert kinds == {
        "With": [],
        "Loop": ["body", "with"],
        "f": ["loop", "body", "with"],
        "g": ["handler", "with"],
        "h": ["part", "with"],
        "i": ["with"],
    }


def test_what_stands_in_an_else_or_a_finally_has_the_rest_of_the_statement_before_it() -> None:
    for source in ("for a in b:\n    c = 1\nelse:\n    d()", "try:\n    c = 1\nfinally:\n    d()"):
        found = steps(source)
        (place,) = [site.place for site in sites(found) if isinstance(site.step, Call)]
        assert place is not None
        assert place.outer is not None
        assert place.outer.before == found


def test_the_loop_around_a_call_is_the_innermost() -> None:
    inner = {
        site.step.func: enclosing_loop(site.place)
        for site in sites(steps("a()\nfor b in c:\n    while d:\n        if e:\n            f()\n    g()"))
        if isinstance(site.step, Call)
    }
    assert inner["a"] is None
    assert {name: loop.line for name, loop in inner.items() if loop} == {"f": 3, "g": 2}


def test_the_names_that_steps_may_change_are_found_at_any_depth() -> None:
    source = """\
    a = 1
    if x:
        b = 1
    elif y:
        c.d = 1
    for e, f in g:
        h = 1
    else:
        i = 1
    try:
        j = 1
    except E:
        k = 1
    else:
        l = 1
    finally:
        m = 1
    with n as o:
        p = 1
    q.append(r)
    s.t.pop()
    u.send()
    """
    assert assigned(steps(source)) == {*"abefhijklmopq", "c.d", "s.t"}


def test_what_is_known_of_a_name_is_forgotten_and_nothing_else() -> None:
    state = State(frozenset({"a", "b"}), frozenset({("c", True), ("d", None)}), 7)
    assert forgotten(state, {"a", "c"}) == State(frozenset({"b"}), frozenset({("d", None)}), 7)
    assert forgotten(state, {"x"}) == state


# Who answers


def test_an_error_that_a_broad_clause_takes_is_charged_to_both(lint: Callable[..., list[Finding]]) -> None:
    body = """\
    for row in rows:
        try:
            try:
                row.push()
            except Exception:
                raise LookupError(row)
        except Exception:
            row.skip()
    """
    assert lines(lint(body)) == [5, 7]


def test_an_error_that_a_narrow_clause_takes_is_charged_to_the_one_that_raised_it(lint: Callable[..., list[Finding]]) -> None:
    body = """\
    for row in rows:
        try:
            try:
                row.push()
            except Exception:
                raise LookupError(row)
        except LookupError:
            row.skip()
    """
    assert lines(lint(body)) == [5]


def test_control_comes_out_of_a_context_as_it_went_in(lint: Callable[..., list[Finding]]) -> None:
    body = """\
    for row in rows:
        with row.locked():
            try:
                row.push()
            except Exception:
                row.skip()
    for row in rows:
        with row.locked():
            try:
                row.push()
            except Exception:
                break
    """
    assert lines(lint(body)) == [5]


def test_where_all_code_counts_the_message_does_not_claim_that_there_is_no_task(lint: Callable[..., list[Finding]]) -> None:
    below = """

    def push_all(rows):
        for row in rows:
            try:
                row.push()
            except Exception:
                row.skip()
    """
    (finding,) = lint("pass\n", below, scope="everywhere")
    assert "(all code counts as reached)" in finding.message


# Hostile code: what is nested or branches often is followed in reasonable time

LIMIT = 5.0
"""Seconds; each takes a small part of one, and more than a lifetime if ways are followed one by one."""


def indented(depth: int, text: str) -> str:
    return textwrap.indent(text, "    " * depth)


def loops(depth: int) -> str:
    inside = "".join(indented(n + 2, f"for y{n} in rows:\n    if box.a{n}:\n        f{n} = 1\n") for n in range(depth))
    return f"for row in rows:\n    try:\n        row.push()\n    except Exception:\n{inside}"


def finals(depth: int) -> str:
    leave = "".join(f"    if box.a{n}:\n        f{n} = 1\n        return {n}\n" for n in range(4))
    inside = "".join(indented(n + 2, f"try:\n{leave}    if box.b:\n        break\n    if box.c:\n        raise\nfinally:\n") for n in range(depth))
    return f"for row in rows:\n    try:\n        row.push()\n    except Exception:\n{inside}{indented(depth + 2, 'pass')}\n"


def laundries(depth: int) -> str:
    raised = [f"    if box.a{m}:\n        raise E{{depth}}_{m}\n" for m in range(3)]
    opened = "".join(indented(n + 1, "try:\n") for n in range(depth))
    clauses = "".join(
        indented(n + 1, "except Exception:\n" + "".join(raised).replace("{depth}", str(n)) + "    raise\n") for n in reversed(range(depth))
    )
    return f"for row in rows:\n{opened}{indented(depth + 1, 'row.push()')}\n{clauses}"


def errors(depth: int) -> str:
    return "".join(f"class E{n}_{m}(Exception): ...\n" for n in range(depth) for m in range(3))


def rests(depth: int) -> str:
    flags = "".join(f"if box.b{n}:\n    f{{depth}}{n} = {n}\n" for n in range(5))
    opened = "".join(indented(n + 1, f"if box.a{n}:\n") for n in range(depth))
    guard = indented(depth + 1, "try:\n    row.push()\nexcept Exception:\n    pass\n")
    after = "".join(indented(n + 2, flags.replace("{depth}", str(n))) for n in reversed(range(depth)))
    return f"for row in rows:\n{opened}{guard}{after}"


def sequence(depth: int) -> str:
    return "for row in rows:\n" + "".join(
        f"    try: row.push()\n    except Exception as e{n}:\n        if box.a{n}: f{n} = e{n}\n" for n in range(depth)
    )


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param(loops(60), 1, id="loops in a clause"),
        pytest.param(finals(60), 1, id="a finally in a finally"),
        pytest.param(laundries(9), 0, id="errors made of errors"),
        pytest.param(rests(12), 1, id="flags set after each block"),
        pytest.param(sequence(60), 60, id="one clause after another"),
    ],
)
def test_code_that_branches_without_end_is_followed_in_reasonable_time(lint: Callable[..., list[Finding]], body: str, found: int) -> None:
    before = time.process_time()
    findings = lint(body, errors(9))
    assert time.process_time() - before < LIMIT
    assert len(findings) == found


def test_steps_are_what_the_reader_makes_of_them() -> None:
    found = steps("if a:\n    b = 1\nfor c in d: f()\ntry: g()\nexcept E: pass")
    assert [type(step) for step in found] == [Branch, Loop, Try]
    assert found[0] == Branch(1, ("a",), ((Assign(2, "b", Constant(1)),), ()))


# Syntax that is newer than the oldest Python supported


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the grammar of Python 3.10 has no except*")
@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param("for row in rows:\n    try: row.push()\n    except* Exception: row.note()", [3], id="it takes the signal"),
        pytest.param("for row in rows:\n    try: row.push()\n    except* ValueError: row.note()", [], id="it takes narrower errors"),
        pytest.param("for row in rows:\n    try: row.push()\n    except* Exception: raise", [], id="the signal leaves the loop in a group"),
        pytest.param(
            "for row in rows:\n    try:\n        try: row.push()\n        except* Exception: raise\n    except ValueError: row.note()",
            [],
            id="no narrow clause takes a group",
        ),
        pytest.param(
            "for row in rows:\n    try:\n        try: row.push()\n        except* Exception: raise\n    except Exception: row.note()",
            [4, 5],
            id="a broad clause takes a group",
        ),
    ],
)
def test_a_clause_for_groups_takes_the_signal_and_raises_it_in_a_group(lint: Callable[..., list[Finding]], body: str, found: list[int]) -> None:
    assert lines(lint(body)) == found
