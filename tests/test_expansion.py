"""What words become, and who chose what they hold."""

from __future__ import annotations

import pytest

from flake8_deadline.expansion import Argument, Bound, Origin, expand
from flake8_deadline.launches import Opaque, Sum, Text, Variable, Word


def word(*pieces, line=3):
    return Word(line, tuple(Text(piece, line) if isinstance(piece, str) else piece for piece in pieces))


def variable(name, operator="", *operand, quoted=False, line=3):
    return Variable(name, line, operator, tuple(Text(piece, line) if isinstance(piece, str) else piece for piece in operand), quoted)


def bound_to(**values):
    """Variables that the surroundings set on line 9 of an env file, or (a Bound) as they are given."""

    def lookup(asked):
        value = values.get(asked.name)
        return value if value is None or isinstance(value, Bound) else Bound(Word(9, (Text(value, 9),) if value else ()), ".env", "env")

    return lookup


def texts(*pieces, **values):
    return [argument.text for argument in expand(word(*pieces), "run.sh", bound_to(**values))]


def one(*pieces, **values) -> Argument:
    (argument,) = expand(word(*pieces), "run.sh", bound_to(**values))
    return argument


def test_plain_text_is_the_authors_own():
    assert one("worker") == Argument("worker", 3, Origin("literal", "run.sh", 3))


def test_an_empty_word_is_an_empty_argument():
    assert texts() == [""]


@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [
        ("-", None, "120"),
        ("-", "", ""),
        (":-", "", "120"),
        (":=", None, "120"),
        ("=", "60", "60"),
        (":-", "60", "60"),
        (":+", "60", "120"),
        (":?", "60", "60"),
    ],
)
def test_a_fallback_counts_where_the_shell_lets_it(operator, value, expected):
    assert "".join(texts(variable("SOFT", operator, "120"), SOFT=value)) == expected


@pytest.mark.parametrize("value", [None, ""])
def test_an_alternative_counts_only_for_a_variable_that_is_set(value):
    assert texts(variable("SOFT", ":+", "120"), SOFT=value) == []


def test_a_fallback_that_counts_is_nobodys_choice():
    assert one("--soft-time-limit=", variable("SOFT", ":-", "120")).origin == Origin("fallback", "run.sh", 3, "SOFT")


def test_what_the_surroundings_set_is_told_with_its_place():
    assert one(variable("SOFT", ":-", "120"), SOFT="600") == Argument("600", 3, Origin("env", ".env", 9, "SOFT"))._replace(line=9)


def test_the_innermost_that_decides_is_told():
    inner = Bound(Word(5, (variable("SOFT", ":-", "90", line=5),)), "run.sh", "literal")
    assert one(variable("CHOSEN"), CHOSEN=inner).origin == Origin("fallback", "run.sh", 5, "SOFT")


def test_a_fallback_in_a_fallback_is_followed():
    nested = variable("OUTER", ":-", variable("INNER", ":-", "gevent"))
    assert one(nested).origin == Origin("fallback", "run.sh", 3, "INNER")
    assert one(nested, INNER="solo").text == "solo"


def test_a_variable_nobody_sets_is_unknown():
    argument = one("--time-limit=", variable("HARD"))
    assert (argument.text, argument.unknown) == ("--time-limit=", "$HARD is not set in any file")
    assert one(variable("HARD", ":?", "say it")).unknown == "$HARD is not set in any file"


def test_what_a_command_prints_is_unknown():
    assert one(Opaque("$(nproc)", 3)).unknown == "it depends on $(nproc)"


def test_what_is_not_quoted_is_split_and_each_word_keeps_its_line():
    tail = Bound(Word(7, (Text("-A cask worker ", 7, True), Text("--time-limit=10", 8, True))), "run.sh", "literal")
    arguments = expand(word(variable("ARGUMENTS")), "run.sh", bound_to(ARGUMENTS=tail))
    assert [(argument.text, argument.line) for argument in arguments] == [("-A", 7), ("cask", 7), ("worker", 7), ("--time-limit=10", 8)]


def test_what_is_quoted_stays_one_word():
    assert texts(variable("QUEUES", quoted=True), QUEUES="a, b") == ["a, b"]
    assert texts("-Q", variable("QUEUES"), QUEUES="a, b") == ["-Qa,", "b"]
    assert texts(variable("QUEUES"), QUEUES=" a ") == ["a"]


@pytest.mark.parametrize(
    ("sum_", "expected"),
    [
        ("15*60", "900"),
        ("(1 + 2) * -3", "-9"),
        ("7 / 2 - +1", "2"),
        ("-7 / 2", "-3"),
        ("7 % 4", "3"),
    ],
)
def test_arithmetic_is_done_as_a_shell_does_it(sum_, expected):
    assert texts(Sum((Text(sum_, 3),), 3)) == [expected]


@pytest.mark.parametrize("sum_", ["1/0", "(1", "(1 1", "1 +", "x", "1 2", "9" * 40, "1" + "+1" * 200])
def test_what_is_no_sum_cannot_be_computed(sum_):
    assert one(Sum((Text(sum_, 3),), 3)).unknown == "it cannot be computed"


def test_a_sum_is_as_known_as_what_is_in_it():
    later = Sum((variable("SOFT", ":-", "90"), Text(" + 30", 3)), 3)
    assert one(later) == Argument("120", 3, Origin("fallback", "run.sh", 3, "SOFT"))
    assert one(Sum((variable("SOFT"),), 3)).unknown == "$SOFT is not set in any file"


def test_what_refers_to_itself_is_unknown():
    loop = Bound(Word(2, (variable("PATH_", line=2), Text(":more", 2))), "run.sh", "literal")
    assert one(variable("PATH_"), PATH_=loop).unknown == "it refers to itself"


def test_what_grows_without_end_is_cut():
    assert one(variable("MANY"), MANY="x" * 5000).unknown == "it is too long"
    assert one(variable("MANY"), MANY="x " * 1000).unknown == "it is too long"


@pytest.mark.parametrize("value", [None, ""])
def test_nothing_in_quotes_is_an_empty_argument(value):
    empty = variable("EXTRA", ":-", quoted=True)
    assert one(empty, EXTRA=value) == Argument("", 3, Origin("fallback", "run.sh", 3, "EXTRA"))
    assert texts(variable("EXTRA", ":+", "x", quoted=True), EXTRA=value) == [""]
    assert texts(variable("EXTRA", ":-")) == []
    assert texts(variable("EXTRA", ":-"), Text("", 3, True)) == [""]


def test_what_the_surroundings_set_to_nothing_is_theirs():
    assert one(variable("EXTRA", quoted=True), EXTRA="").origin == Origin("env", ".env", 9, "EXTRA")


def test_a_fallback_in_what_the_surroundings_set_decides_in_quotes_too():
    inner = Bound(Word(9, (variable("SOFT", ":-", "90", line=9),)), ".env", "env")
    assert one(variable("CHOSEN", quoted=True), CHOSEN=inner).origin == Origin("fallback", ".env", 9, "SOFT")


def test_the_words_of_an_array_keep_their_quotes():
    array = Bound(Word(5, (Text(" ", 5), Text("--x", 5), Text(" ", 6), Text("a b", 6, True))), "run.sh", "literal")
    assert [(one.text, one.line) for one in expand(word(variable("A")), "run.sh", bound_to(A=array))] == [("--x", 5), ("a b", 6)]


def test_doubling_does_not_explode():
    def lookup(asked):
        depth = int(asked.name[1:])
        inner = (variable(f"V{depth + 1}"),) * 2
        return Bound(Word(1, inner), "run.sh", "literal")

    (argument,) = expand(word(variable("V0")), "run.sh", lookup)
    assert argument.unknown
