"""What a file's text says: every construct to its facts, small and exact."""

from __future__ import annotations

import sys
import textwrap
import warnings
from typing import TYPE_CHECKING

import msgspec
import pytest

from flake8_deadline.facts import (
    Access,
    Arithmetic,
    Assign,
    Attr,
    Both,
    Branch,
    Break,
    Call,
    Class,
    Compare,
    Constant,
    Continue,
    Decorator,
    Defined,
    Each,
    Either,
    Entered,
    Fault,
    Function,
    Handler,
    Hint,
    Imported,
    Item,
    Joined,
    Loop,
    Not,
    Parameter,
    Part,
    Raise,
    Return,
    Sequence,
    Summary,
    Table,
    Try,
    With,
    Yield,
)
from flake8_deadline.reading.python import read
from flake8_deadline.reading.scope import DEEPEST

if TYPE_CHECKING:
    from flake8_deadline.facts import Step, Value

NOTHING = Constant(None)


def summary(source: str) -> Summary:
    found = read(textwrap.dedent(source).encode())
    assert found.fault is None
    return found


def function(source: str, qualname: str = "") -> Function:
    """The function of this name; the module's own body by default."""
    return next(function for function in summary(source).functions if function.qualname == qualname)


def steps(source: str, qualname: str = "") -> tuple[Step, ...]:
    return function(source, qualname).steps


def value(expression: str) -> Value:
    return function(f"x = {expression}").bindings["x"][0]


def hint(annotation: str) -> Value:
    return function(f"def f(x: {annotation}): ...", "f").parameters[0].hint


def call(name: str, *arguments: Value, line: int = 1, column: int = 0, discarded: bool = False) -> Call:
    return Call(line, column, name, arguments, (), False, discarded)


# Values


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a", "a"),
        ("a.b.c", "a.b.c"),
        ("a().b", Attr(call("a", column=4), "b")),
        ("a[0]", Item("a", Constant(0))),
        ("a['k'].b", Attr(Item("a", Constant("k")), "b")),
        ("(yield_ for yield_ in a)", Sequence(("yield_",), False)),
        ("[b for b in a]", Sequence(("b",), False)),
        ("{b for b in a}", Sequence(("b",), False)),
        ("{b: c for b in a}", None),
        ("(a, b)", Sequence(("a", "b"))),
        ("[a, 1]", Sequence(("a", Constant(1)))),
        ("{a}", Sequence(("a",))),
        ("[a, *b]", Sequence(("a", "b"), False)),
        ("{'k': a, **b}", Table(((Constant("k"), "a"), (None, "b")), (1, 1))),
        ("a or b or c", Either(("a", "b", "c"))),
        ("a and b", Both(("a", "b"))),
        ("a if c else b", Either(("a", "b"))),
        ("not a", Not("a")),
        ("a is None", Compare("a", "is", NOTHING)),
        ("a is not b", Compare("a", "is not", "b")),
        ("a == 1", Compare("a", "==", Constant(1))),
        ("a != 1", Compare("a", "!=", Constant(1))),
        ("a in b", Compare("a", "in", "b")),
        ("a not in b", Compare("a", "not in", "b")),
        ("a >= b", Compare("a", "<", "b")),
        ("a < b < c", None),
        ("(b := a)", "a"),
        ("f'{a}'", None),
        ("a * b", Arithmetic("a", "*", "b")),
        ("a // 2", Arithmetic("a", "//", Constant(2))),
        ("a - b() + c.d", Arithmetic(Arithmetic("a", "-", Call(1, 8, "b")), "+", "c.d")),
        ("a % b", None),
        ("a / 'b'", None),
        ("a + (b or c)", None),
        ("~a", None),
        ("a[1:2]", Item("a", None)),
    ],
)
def test_an_expression_says(expression: str, expected: Value) -> None:
    assert value(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("None", None),
        ("True", True),
        ("12.5", 12.5),
        ("-3", -3),
        ("60 * 60", 3600),
        ("5 * 60 + 30", 330),
        ("10 - 2.5", 7.5),
        ("600 // 7", 85),
        ("1 / 4", 0.25),
        ("'text'", "text"),
        (f"'{'x' * 200}'", "x" * 200),
        ("'\\ud800'", "?"),
        (str(2**63 - 1), 2**63 - 1),
    ],
)
def test_a_constant_and_arithmetic_over_constants_is_known(expression: str, expected: object) -> None:
    assert value(expression) == Constant(expected)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "expression",
    [
        *("b'bytes'", "...", "2j", "-'text'", "+1", "1 ** 2", "'a' + 'b'", "'a' * 2", "1 + None", "1 / 0", "1 // 0.0", f"'{'x' * 201}'"),
        *(str(2**63), f"-{2**63}", f"{2**52} + {2**52}", "1e308 * 10", f"{2**62} * {2**62}", "1" + "0" * 3000),
    ],
)
def test_a_constant_nobody_asks_for_or_too_large_for_the_cache_is_nothing(expression: str) -> None:
    assert value(expression) is None


def test_two_tuples_in_a_row_are_one_with_both_in_it() -> None:
    assert value("NETWORK + (OSError,)") == Sequence(("NETWORK", Sequence(("OSError",))))
    assert value("NETWORK + OTHERS") == Arithmetic("NETWORK", "+", "OTHERS")


def test_a_list_that_reads_like_a_command_says_where_its_items_stand_and_what_they_are_made_of() -> None:
    assert value("['celery',\n'worker',\n\nf'-c={n}s']") == Sequence(
        (Constant("celery"), Constant("worker"), Joined((Constant("-c="), "n", Constant("s")))), True, (1, 2, 4)
    )
    assert value("['celeriac', f'{n}']") == Sequence((Constant("celeriac"), None))


def test_a_binding_says_where_it_stands_and_whether_it_may_be_left_out() -> None:
    text = (
        "A = 1\nif x:\n    A = 2\nclass B:\n    c = 1\n    try:\n        c: int = 2\n    except E: pass\ndef f(app):\n    a = 1\n    app.conf.x = 1\n"
    )
    summary = read(text.encode())
    body, function = summary.functions[-1], summary.functions[0]
    assert (body.lines["A"], body.guarded) == ((1, 3), {3})
    assert (summary.classes[0].lines, summary.classes[0].guarded) == ({"c": (5, 7, 7)}, {7})
    assert (function.lines, function.guarded) == ({"app.conf.x": (11,)}, frozenset())


def test_a_long_display_is_cut_and_says_so() -> None:
    assert value(f"[{'a, ' * 64}]") == Sequence(("a",) * 64)
    assert value(f"[{'a, ' * 65}]") == Sequence(("a",) * 64, False)
    assert value(f"{{{'1: a, ' * 65}}}") == Table(((Constant(1), "a"),) * 64, (1,) * 64)


def test_a_call_says_where_it_stands_and_what_it_is_given() -> None:
    assert value("a.b(c, *d, k=e, **f)") == Call(1, 4, "a.b", ("c", "d"), (("k", "e"), ("**", "f")))


def test_a_call_is_awaited_or_discarded_or_neither() -> None:
    source = """\
    async def f():
        a()
        await b()
        c = await d()
        return e()
    """
    found = [(step.func, step.awaited, step.discarded) for step in steps(source, "f") if isinstance(step, Call)]
    assert found == [("a", False, True), ("b", True, True), ("d", True, False), ("e", False, False)]


def test_a_call_is_one_object_as_a_step_and_as_a_value() -> None:
    body = function("x = a(b())")
    inner, outer = body.steps[:2]
    assert body.bindings["x"][0] is outer
    assert isinstance(outer, Call)
    assert outer.args[0] is inner


# Annotations


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("Job", "Job"),
        ("'models.Job'", "models.Job"),
        ("' Job '", "Job"),
        ("'Job\\n| None'", Either(("Job", NOTHING))),
        ("Job | None", Either(("Job", NOTHING))),
        ("'Job' | None", Either(("Job", NOTHING))),
        ("list[Job]", Item("list", Sequence(("Job",)))),
        ("dict[str, 'Job']", Item("dict", Sequence(("str", "Job")))),
        ("'list[Job]'", Item("list", Sequence(("Job",)))),
        ("'not a type'", None),
        ("'nul\\0'", None),
        ("1", Constant(1)),
    ],
)
def test_an_annotation_names(annotation: str, expected: Value) -> None:
    assert hint(annotation) == expected


def test_what_a_quoted_annotation_is_warned_about_is_not_printed() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert hint("\"Literal['\\\\d']\"") == Item("Literal", Sequence((None,)))
    assert caught == []


def test_a_quoted_annotation_nested_too_deeply_says_nothing() -> None:
    assert hint(f"'{'(' * 300}Job{')' * 300}'") is None


def test_a_name_known_by_its_annotation_alone_and_one_with_a_value() -> None:
    source = """\
    job: Job
    other: 'Job' = make()
    odd: 'not a type'
    """
    body = function(source)
    assert body.bindings == {"job": (Hint("Job"),), "other": (Hint("Job"), call("make", line=2, column=15)), "odd": (None,)}
    assert body.steps == (call("make", line=2, column=15), Assign(2, "other", call("make", line=2, column=15)))


# Calls in the order they run


def order(source: str) -> list[Value]:
    """The names of the calls and attributes read, in order, those in branches and loops among them."""

    def walk(found: tuple[Step, ...]) -> list[Value]:
        names: list[Value] = []
        for step in found:
            match step:
                case Call():
                    names.append(step.func)
                case Access():
                    names.append(step.value)
                case Branch():
                    names += [name for arm in step.arms for name in walk(arm)]
                case Loop():
                    names += walk(step.body)
        return names

    return walk(steps(source))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a(b(), k=c())", ["b", "c", "a"]),
        ("a.b(c.d)", ["c.d", "a.b"]),
        ("a.b", ["a.b"]),
        ("a().b.c()", ["a", Attr(call("a"), "b"), Attr(Attr(call("a"), "b"), "c")]),
        ("a() + b() * c() - d()", ["a", "b", "c", "d"]),
        ("[a(), *b()]", ["a", "b"]),
        ("f'{a()} {b()}'", ["a", "b"]),
        ("a()[b()]", ["a", "b"]),
        ("a() < b() < c()", ["a", "b", "c"]),
        ("x = y = a()", ["a"]),
        ("a()[0] = b()", ["b", "a"]),
        ("a().x = b()", ["b", "a"]),
        ("x, a()[0] = b()", ["b", "a"]),
        ("x += a()", ["a"]),
        ("x.y += a()", ["x.y", "a"]),
        ("a()[b()] += c()", ["a", "b", "c"]),
        ("del a()[b()], c", ["a", "b"]),
        ("assert a(), b()", ["a"]),
        ("a() if b() else c()", ["b", "a", "c"]),
        ("a() and b() and c()", ["a", "b", "c"]),
        ("[a(x) for x in b() if c(x) for y in d(x) if e(y)]", ["b", "c", "d", "e", "a"]),
        ("{a(x): b(x) for x in c()}", ["c", "a", "b"]),
        ("(x := a())", ["a"]),
        ("lambda: a()", []),
        ("a(lambda: b())", ["a"]),
        ("pass", []),
        ("global x", []),
    ],
)
def test_calls_are_read_in_the_order_they_run(source: str, expected: list[Value]) -> None:
    assert order(source) == expected


def test_what_stands_behind_and_or_or_need_not_run() -> None:
    assert steps("a and b()") == (Branch(1, (Both(("a",)),), ((call("b", column=6),), ())),)
    assert steps("a or b()") == (Branch(1, (Either(("a",)),), ((), (call("b", column=5),))),)
    assert steps("a or b or c()") == (Branch(1, (Either(("a", "b")),), ((), (call("c", column=10),))),)
    assert steps("a and b") == ()


def test_of_many_operands_the_last_ones_run_or_not_whatever_came_before() -> None:
    last = steps(f"{'a or ' * 9}b()")[-1]
    assert last == Branch(1, (Either((None,)),), ((), (call("b", column=45),)))


def test_one_arm_of_a_conditional_expression_runs() -> None:
    assert steps("x = a() if b else c()")[0] == Branch(1, ("b",), ((call("a", column=4),), (call("c", column=18),)))
    assert steps("a if b else c") == ()


def test_a_comprehension_is_a_loop_where_something_happens_in_it() -> None:
    assert steps("[a(x) for x, y in b]") == (Loop(1, 1, "comprehension", "b", ("x", "y"), (call("a", "x", column=1),)),)
    assert steps("[x for x in b]") == ()


def test_a_lambda_is_a_function_once() -> None:
    found = summary("x = y = sorted(a, key=lambda row: row.rank())")
    inner = [function for function in found.functions if function.qualname]
    assert inner == [
        Function(
            qualname="<lambda:1:22>",
            line=1,
            column=23,
            owner=None,
            parent="",
            parameters=(Parameter("row", None, None, "positional"),),
            decorators=(),
            hint=None,
            returned=(call("row.rank", column=34),),
            bindings={},
            steps=(call("row.rank", column=34), Return(1, call("row.rank", column=34), 23)),
        )
    ]
    assert value("lambda: 0") == Defined("<lambda:1:4>")


# Assignments


def assigned(source: str) -> list[tuple[str, Value]]:
    return [(step.name, step.value) for step in steps(source) if isinstance(step, Assign)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("ok = True", [("ok", Constant(True))]),
        ("error = exc", [("error", "exc")]),
        ("self.error = exc", [("self.error", "exc")]),
        ("a = b = None", [("a", NOTHING), ("b", NOTHING)]),
        ("ok: bool = True", [("ok", Constant(True))]),
        ("ok: bool", []),
        ("ok, error = False, exc", [("ok", Constant(False)), ("error", "exc")]),
        ("[ok, (a, b)] = False, pair", [("ok", Constant(False)), ("a", None), ("b", None)]),
        ("ok, error = pair", [("ok", None), ("error", None)]),
        ("ok, *rest = False, 1", [("ok", Constant(False)), ("rest", None)]),
        ("ok, error = *a, b", [("ok", None), ("error", None)]),
        ("ok, error, more = 1, 2", [("ok", None), ("error", None), ("more", None)]),
        ("a[0] = True", []),
        ("a().b = True", []),
        ("error = f'row {x} failed'", [("error", Constant(True))]),
        ("error = f'{x}'", [("error", None)]),
        ("error = {'row': x}", [("error", Constant(True))]),
        ("error = {**x}", [("error", None)]),
        ("error = {}", [("error", None)]),
        ("errors = [x]", [("errors", Constant(True))]),
        ("errors = [*x]", [("errors", None)]),
        ("errors = []", [("errors", None)]),
        ("pair = a, b", [("pair", Constant(True))]),
        ("names = {x}", [("names", Constant(True))]),
        ("both = a + b", [("both", None)]),
        ("key = a[0]", [("key", None)]),
        ("late = not ok", [("late", Not("ok"))]),
        ("late = a or b", [("late", Either(("a", "b")))]),
        ("late = a and b", [("late", Both(("a", "b")))]),
        ("late = a is None", [("late", Compare("a", "is", NOTHING))]),
        ("print(error := exc)", [("error", "exc")]),
        ("failed += 1", [("failed", Either(("failed", Constant(1))))]),
        ("errors += [x]", [("errors", Either(("errors", Constant(True))))]),
        ("failed |= x", [("failed", Either(("failed", "x")))]),
        ("ok &= x", [("ok", Both(("ok", "x")))]),
        ("left -= 1", [("left", None)]),
        ("a[0] += 1", []),
        ("with a as (b, c): pass", [("b", None), ("c", None)]),
    ],
)
def test_a_name_takes_another_value(source: str, expected: list[tuple[str, Value]]) -> None:
    assert assigned(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a, (b, *c) = d", {"a": (Part("d", 0),), "b": (Part(Part("d", 1), 0),), "c": (None,)}),
        ("a.b = c", {"a.b": ("c",)}),
        ("a['k'] = c", {"a[k]": ("c",)}),
        ("a['\\ud800'] = c", {"a[?]": ("c",)}),
        ("a[0] = c", {}),
        ("a()['k'] = c", {}),
        ("a = 1; a = 2", {"a": (Constant(1), Constant(2))}),
        ("for a in b: pass", {"a": (Each("b"),)}),
        ("for a, b in c: pass", {"a": (Part(Each("c"), 0),), "b": (Part(Each("c"), 1),)}),
        ("with a as b, c as d: pass", {"b": (Entered("a"),), "d": (Entered("c"),)}),
        ("(a := b)", {"a": ("b",)}),
        ("[a for b in c]", {"b": (Each("c"),)}),
        ("import a", {"a": (Imported("a", 0, None),)}),
        ("import a.b", {"a": (Imported("a", 0, None),)}),
        ("import a.b as c", {"c": (Imported("a.b", 0, None),)}),
        ("from a import b, c as d", {"b": (Imported("a", 0, "b"),), "d": (Imported("a", 0, "c"),)}),
        ("from . import a", {"a": (Imported("", 1, "a"),)}),
        ("from ..a import b", {"b": (Imported("a", 2, "b"),)}),
        ("def f(): ...", {"f": (Defined("f"),)}),
        ("class A: ...", {"A": (Defined("A"),)}),
        (
            "match a:\n    case {'k': b, **c}: pass\n    case [d, *e] as f: pass",
            {"b": (None,), "c": (None,), "d": (None,), "e": (None,), "f": (None,)},
        ),
        ("try: pass\nexcept A as a: pass", {"a": (None,)}),
    ],
)
def test_a_statement_binds(source: str, expected: dict[str, tuple[Value, ...]]) -> None:
    assert function(source).bindings == expected


def test_a_star_import_is_kept_apart() -> None:
    found = summary("from .names import *\nfrom os import path")
    assert found.stars == (Imported("names", 1, "*"),)
    assert found.functions[-1].bindings == {"path": (Imported("os", 0, "path"),)}


# Ways out


def test_a_return_says_what_it_gives() -> None:
    source = """\
    def f():
        return
        return a
        return b()
    """
    found = function(source, "f")
    returned = call("b", line=4, column=11)
    assert found.steps == (Return(2, NOTHING, 5), Return(3, "a", 5), returned, Return(4, returned, 5))
    assert found.returned == ("a", returned)


def test_what_makes_an_exception_is_no_step_but_what_it_is_given_is() -> None:
    assert steps("raise") == (Raise(1, True, None),)
    assert steps("raise exc from other") == (Raise(1, False, "exc"),)
    assert steps("raise a.b") == (Access(1, "a.b"), Raise(1, False, "a.b"))
    assert [step for step in steps("raise A(b(), k=c())") if isinstance(step, Call)] == [call("b", column=8), call("c", column=15)]
    assert steps("raise errors[0]") == (Raise(1, False, Item("errors", Constant(0))),)


def test_an_assertion_that_must_fail_raises() -> None:
    assert steps("assert False") == (Raise(1, False, "AssertionError"),)
    assert steps("assert 0, 'never'") == (Raise(1, False, "AssertionError"),)
    assert steps("assert True") == ()
    assert steps("assert a") == ()


def test_loops_are_left_and_gone_on_with() -> None:
    source = """\
    while True:
        break
        continue
    """
    assert steps(source) == (Loop(1, 1, "forever", Constant(True), (), (Break(2, 5), Continue(3, 5))),)


def test_a_yield_makes_a_generator() -> None:
    source = """\
    def f():
        yield
        x = yield a()
        yield from b()
    def g():
        pass
    """
    assert [type(step) for step in steps(source, "f")] == [Yield, Call, Yield, Assign, Call, Yield]
    assert function(source, "f").generator
    assert not function(source, "g").generator


# Branches


def test_an_if_has_an_arm_for_each_test_and_one_more() -> None:
    source = """\
    if a:
        b()
    elif c:
        return_()
    else:
        d()
    """
    arms = (
        (call("b", line=2, column=4, discarded=True),),
        (call("return_", line=4, column=4, discarded=True),),
        (call("d", line=6, column=4, discarded=True),),
    )
    assert steps(source) == (Branch(1, ("a", "c"), arms),)


def test_the_tests_of_all_arms_come_before_the_branch() -> None:
    source = """\
    if a():
        b = 1
    elif c():
        b = 2
    """
    branch = Branch(1, (call("a", column=3), call("c", line=3, column=5)), ((Assign(2, "b", Constant(1)),), (Assign(4, "b", Constant(2)),), ()))
    assert steps(source) == (call("a", column=3), call("c", line=3, column=5), branch)


def test_an_else_with_more_than_an_if_in_it_is_an_arm() -> None:
    source = """\
    if a:
        pass
    else:
        if b:
            break_()
        c()
    """
    (branch,) = steps(source)
    assert isinstance(branch, Branch)
    assert branch.tests == ("a",)
    assert [type(step) for step in branch.arms[1]] == [Branch, Call]


def test_a_branch_in_which_nothing_happens_is_none() -> None:
    assert steps("if a: pass") == ()
    assert steps("match a:\n    case 1: pass") == ()


def test_a_case_for_a_class_asks_for_it() -> None:
    source = """\
    match exc:
        case A():
            a()
        case (B() | C.D()) as e:
            b()
        case E(code=1) | F():
            c()
        case G() if ready():
            d()
        case 1:
            e()
    """
    (branch,) = steps(source)
    assert isinstance(branch, Branch)
    first = Call(2, 9, "isinstance", ("exc", Sequence(("A",))))
    second = Call(4, 10, "isinstance", ("exc", Sequence(("B", "C.D"))))
    assert branch.tests == (first, second, None, None, None)
    assert [len(arm) for arm in branch.arms] == [1, 1, 1, 1, 1, 0]


def test_the_last_case_for_anything_is_the_else() -> None:
    source = """\
    match a():
        case 1:
            b()
        case other:
            c()
    """
    subject, branch = steps(source)
    assert isinstance(branch, Branch)
    assert subject == call("a", column=6)
    assert branch.tests == (None,)
    assert len(branch.arms) == 2


# Loops


def test_a_for_loop() -> None:
    source = """\
    for a, b.c in d():
        e()
    else:
        f()
    """
    over = call("d", column=14)
    body, otherwise = (call("e", line=2, column=4, discarded=True),), (call("f", line=4, column=4, discarded=True),)
    assert steps(source) == (over, Loop(1, 1, "for", over, ("a",), body, otherwise))


def test_an_asynchronous_for_loop() -> None:
    source = """\
    async def f():
        async for a in b:
            c()
    """
    (loop,) = steps(source, "f")
    assert isinstance(loop, Loop)
    assert (loop.kind, loop.line, loop.column) == ("async for", 2, 5)
    assert function(source, "f").asynchronous


def test_the_calls_of_a_while_test_run_in_every_turn() -> None:
    assert steps("while a():\n    b = 1") == (Loop(1, 1, "while", call("a", column=6), (), (call("a", column=6), Assign(2, "b", Constant(1)))),)


@pytest.mark.parametrize(("test", "kind"), [("True", "forever"), ("1", "forever"), ("0", "while"), ("a", "while")])
def test_a_while_loop_over_a_true_constant_runs_for_ever(test: str, kind: str) -> None:
    (loop,) = steps(f"while {test}: pass")
    assert isinstance(loop, Loop)
    assert loop.kind == kind


# Guards


def test_a_try_has_all_its_parts() -> None:
    source = """\
    try:
        a()
    except (A, B.C) as error:
        b()
    except:
        c()
    else:
        d()
    finally:
        e()
    """

    def part(name: str, line: int) -> tuple[Step, ...]:
        return (call(name, line=line, column=4, discarded=True),)

    handlers = (
        Handler(3, 1, Sequence(("A", "B.C")), False, "error", part("b", 4)),
        Handler(5, 1, None, True, None, part("c", 6)),
    )
    assert steps(source) == (Try(1, False, part("a", 2), handlers, part("d", 8), part("e", 10)),)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the grammar of Python 3.10 has no except*")
def test_except_star_is_told_apart() -> None:
    (guard,) = steps("try: a()\nexcept* A: pass")
    assert isinstance(guard, Try)
    assert guard.star


def test_a_with_has_its_items_and_their_calls_before_it() -> None:
    source = """\
    with a() as b, c:
        d()
    """
    entered = call("a", column=5)
    inside = (call("d", line=2, column=4, discarded=True),)
    assert steps(source) == (entered, Assign(1, "b", None), With(1, 1, (entered, "c"), inside))


def test_an_asynchronous_with_is_told_apart() -> None:
    (step,) = steps("async def f():\n    async with a: pass", "f")
    assert step == With(2, 5, ("a",), (), True)


# Functions and classes


def test_a_function_has_its_parameters() -> None:
    found = function("def f(a, /, b: B = 1, *c: C, d, e: E = 2, **g) -> R: ...", "f")
    assert found.parameters == (
        Parameter("a", None, None, "positional"),
        Parameter("b", "B", Constant(1), "positional"),
        Parameter("c", None, None, "*"),
        Parameter("d", None, None, "keyword"),
        Parameter("e", "E", Constant(2), "keyword"),
        Parameter("g", None, None, "**"),
    )
    assert found.hint == "R"


def test_a_decorator_stands_where_its_at_sign_stands() -> None:
    source = """\
    class A:
        @a
        @b.c(d=1)
        def f(self): ...
    """
    expected = (Decorator(2, 5, "a"), Decorator(3, 5, Call(3, 5, "b.c", (), (("d", Constant(1)),))))
    assert function(source, "A.f").decorators == expected


def test_functions_are_named_by_where_they_stand() -> None:
    source = """\
    def f():
        def g():
            h = lambda: 0
        class A:
            def m(self):
                def n(): ...
    class B:
        class C:
            def m(self): ...
    """
    found = {function.qualname: (function.parent, function.owner) for function in summary(source).functions}
    assert found == {
        "": (None, None),
        "f": ("", None),
        "f.<locals>.g": ("f", None),
        "f.<locals>.g.<locals>.<lambda:3:12>": ("f.<locals>.g", None),
        "f.<locals>.A.m": ("f", "f.<locals>.A"),
        "f.<locals>.A.m.<locals>.n": ("f.<locals>.A.m", None),
        "B.C.m": ("", "B.C"),
    }


def test_a_second_definition_of_a_name_is_told_apart_by_its_line() -> None:
    source = """\
    if a:
        def f(): ...
    else:
        def f(): ...
    """
    body = function(source)
    assert body.bindings == {"f": (Defined("f"), Defined("f@4"))}
    assert {function.qualname for function in summary(source).functions} == {"", "f", "f@4"}


def test_a_class_has_its_bases_its_decorators_and_what_stands_in_it() -> None:
    source = """\
    @a
    class A(B, c.D, metaclass=M):
        name = "a"
        kind: K = 1
        import os
        from x import y
        def f(self): ...
        async def g(self): ...
        class E: ...
        def f(self): ...
        print(name)
    """
    found = summary(source)
    bindings = {
        "name": (Constant("a"),),
        "kind": (Hint("K"), Constant(1)),
        "os": (Imported("os", 0, None),),
        "y": (Imported("x", 0, "y"),),
        "f": (Defined("A.f"), Defined("A.f@10")),
        "g": (Defined("A.g"),),
        "E": (Defined("A.E"),),
    }
    lines = {"name": (3,), "kind": (4, 4), "os": (5,), "y": (6,), "f": (7, 10), "g": (8,), "E": (9,)}
    assert found.classes == (
        Class("A.E", 9, 5, "", (), (), {}),
        Class("A", 2, 1, "", ("B", "c.D"), (Decorator(1, 1, "a"),), bindings, lines),
    )


def test_what_a_class_defines_on_some_condition_counts() -> None:
    source = """\
    class A:
        if TYPE_CHECKING:
            a = 1
        else:
            b = 2
        try:
            c = 3
        except E:
            d = 4
        else:
            e = 5
        finally:
            f = 6
    """
    (found,) = summary(source).classes
    assert set(found.bindings) == set("abcdef")


# Places of what is not plain ASCII


def place(source: bytes) -> tuple[int, int]:
    """Line and column of the first loop or clause."""
    found = read(source)
    assert found.fault is None

    def walk(inner: tuple[Step, ...]) -> tuple[int, int] | None:
        for step in inner:
            if isinstance(step, Loop):
                return step.line, step.column
            if isinstance(step, Try):
                return step.handlers[0].line, step.handlers[0].column
        return None

    return next(at for function in found.functions for at in [walk(function.steps)] if at)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (b"x; [f(a) for a in b]", (1, 4)),
        ("'ü'; [f(a) for a in b]".encode(), (1, 6)),
        ("'日本'; [f(a) for a in b]".encode(), (1, 7)),
        ("'😀'; [f(a) for a in b]".encode(), (1, 6)),
        ("\ufeff'ü'; [f(a) for a in b]".encode(), (1, 6)),
        ("\ufeff# coding: utf-8\n'ü'; [f(a) for a in b]".encode(), (2, 6)),
        ("# coding: latin-1\n'ü'; [f(a) for a in b]".encode("latin-1"), (2, 6)),
        ("# ü\n# coding: latin-1\n'ü'; [f(a) for a in b]".encode("latin-1"), (3, 6)),
        ("# ü, coding: latin-1\n'ü'; [f(a) for a in b]".encode("latin-1"), (2, 6)),
        ("# coding: iso-8859-1-unix\n'ü'; [f(a) for a in b]".encode("latin-1"), (2, 6)),
        ("# coding: shift_jis\n'日本'; [f(a) for a in b]".encode("shift_jis"), (2, 7)),
        ("# coding: latin-1\r'ü'; [f(a) for a in b]\r".encode("latin-1"), (2, 6)),
        ("a\r\n'ü'; [f(a) for a in b]\r\n".encode(), (2, 6)),
        ("a\r'ü'; [f(a) for a in b]\r".encode(), (2, 6)),
        ("a\f\n'ü'; [f(a) for a in b]".encode(), (2, 6)),
        ("'ü\u2028ü\u0085'; [f(a) for a in b]".encode(), (1, 9)),
        ("'ü\x0c\x1c'; [f(a) for a in b]".encode(), (1, 8)),
        ("def g():\n\t'ü'; [f(a) for a in b]".encode(), (2, 7)),
        ("def g():\n\ttry: 'ü'\n\texcept E: f()".encode(), (3, 2)),
        ("class Ä:\n  @ü\n  def ö(self):\n    for ß in 'ü': f(ß)".encode(), (4, 5)),
    ],
)
def test_columns_count_characters_and_lines_are_the_parser_s(source: bytes, expected: tuple[int, int]) -> None:
    assert place(source) == expected


def test_a_quoted_annotation_has_no_lines_of_its_own() -> None:
    found = read('x: "(\\n\\n\\nlambda: f())" = "ü"'.encode())
    assert [(function.qualname, function.line) for function in found.functions] == [("<lambda:1:2>", 1), ("", 1)]


# What cannot be read


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        (b"a = 1\ndef f(:\n", 2, "cannot be parsed by this Python: invalid syntax"),
        (b"print 'old'\n", 1, "cannot be parsed by this Python: Missing parentheses in call to 'print'"),
        (b"a = '\xfc'\n", 1, "cannot be parsed by this Python: "),
        (b"# coding: nonsense\n", 1, "cannot be parsed by this Python: unknown encoding: nonsense"),
        (b"# coding: utf-8\na = '\xfc'\n", 2, "cannot be parsed by this Python: "),
        (b"a = 1\nb = '\0'\n", 1, "null byte"),
        (b"a = " + b"(" * 300 + b")" * 300, 1, "cannot be parsed by this Python: too many nested parentheses"),
        (b"a = " + b"-" * 100_000 + b"1", 1, "cannot be parsed: nested too deeply"),
        (b"a = 1" + b"0" * 5000, 1, "Exceeds the limit"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(source: bytes, line: int, message: str) -> None:
    found = read(source)
    assert found.fault is not None
    assert found == Summary(found.fault)
    assert found.fault.line == line
    assert message in found.fault.message


def test_the_parser_s_warnings_are_not_printed() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read(b"a = '\\d'\nb = 1is 2\n")
    assert caught == []


# What is nested deeply


def is_kept_by_the_cache(found: Summary) -> bool:
    return msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=Summary) == found


def test_blocks_nest_as_deeply_as_the_parser_allows() -> None:
    lines = [f"{' ' * depth}if a:" for depth in range(99)]
    found = read("\n".join([*lines, f"{' ' * 99}b()"]).encode())
    assert found.fault is None
    assert is_kept_by_the_cache(found)


def test_blocks_and_conditional_expressions_nested_too_deeply_are_a_fault() -> None:
    assert read(f"x = {'a() if b else ' * (DEEPEST - 1)}c()".encode()).fault is None
    assert read(f"x = {'a() if b else ' * DEEPEST}c()".encode()).fault == Fault(1, "cannot be read: nested too deeply")


@pytest.mark.parametrize("operator", [" + ", " or "])
def test_a_thousand_operands_are_not_nested(operator: str) -> None:
    found = read(f"x = {operator.join(['a.b()'] * 1000)}".encode())
    assert found.fault is None
    assert is_kept_by_the_cache(found)


def test_a_thousand_elifs_are_not_nested() -> None:
    found = read(("if a: b()\n" + "elif c.d: e()\n" * 1000).encode())
    assert found.fault is None
    assert is_kept_by_the_cache(found)


def test_of_a_value_nested_deeply_the_innermost_is_left_out() -> None:
    nested = value("not " * 200 + "a")
    depth = 0
    while isinstance(nested, Not):
        nested, depth = nested.of, depth + 1
    assert nested is None
    assert depth == 60


def test_a_long_chain_of_calls_keeps_every_call_but_not_all_that_came_before_it() -> None:
    found = summary("a" + ".b()" * 200)
    assert len(found.functions[0].steps) == 200
    assert is_kept_by_the_cache(found)
