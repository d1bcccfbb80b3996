"""Shell text: which commands it may run, under which conditions, with which words."""

from __future__ import annotations

from textwrap import dedent

import pytest

from flake8_deadline.launches import Assignment, Command, Opaque, Sum, Text, Variable
from flake8_deadline.reading.shell import argv, letters, pieces, read, steps


def shown(pieces):
    """Pieces, short: text as it is, variables in brackets, what cannot be read in braces."""
    found = ""
    for piece in pieces:
        match piece:
            case Text():
                found += piece.text
            case Variable():
                found += f"<{piece.name}{piece.operator}{shown(piece.operand)}>"
            case Sum():
                found += f"[{shown(piece.pieces)}]"
            case Opaque():
                found += "{" + piece.text + "}"
    return found


def words(command):
    return [shown(word.pieces) for word in command.words]


def commands(text):
    """Each command's words, and its conditions."""
    return [(" ".join(words(step)), *step.conditions) for step in steps(letters(dedent(text)))[0] if isinstance(step, Command)]


def assigned(text):
    found = [step for step in steps(letters(dedent(text)))[0] if isinstance(step, Assignment)]
    return [(one.name, shown(one.value.pieces), one.exported, one.if_unset) for one in found]


def one(text):
    """The words of the only command."""
    (command,) = [step for step in steps(letters(text))[0] if isinstance(step, Command)]
    return words(command)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("celery 'a b' \"c d\" e\\ f", ["celery", "a b", "c d", "e f"]),
        ("x '' \"\"", ["x", "", ""]),
        ('x "a\\"b\\$c\\\nd\\e"', ["x", 'a"b$cd\\e']),
        ("x $'a\\nb\\q' $\"c\"", ["x", "a\nb\\q", "$c"]),
        ('x $A ${B} "$C"', ["x", "<A>", "<B>", "<C>"]),
        ("x ${A:-1} ${A-${B:=2}} ${A:+'3 4'} ${A:?no}", ["x", "<A:-1>", "<A-<B:=2>>", "<A:+3 4>", "<A:?no>"]),
        ("x ${A[@]} ${A[*]}", ["x", "<A>", "<A>"]),
        ("x ${#A} ${!A} ${A%.py} ${A", ["x", "{${#A}}", "{${!A}}", "{${A%.py}}", "{${A}"]),
        ("x $@ $1 $$ $ a$", ["x", "{$@}", "{$1}", "{$$}", "$", "a$"]),
        ("x $(a (b) ')' \\)) `c d`", ["x", "{$(a (b) ')' \\))}", "{`c d`}"]),
        ("x $((A * (2 + $B)))", ["x", "[<A> * (2 + <B>)]"]),
        ("x {{ .Values.a }}b {% if %} <% c %>", ["x", "{{{ .Values.a }}}b", "{{% if %}}", "{<% c %>}"]),
        ("x a \\\n  b # c\n", ["x", "a", "b"]),
        ("x >f 2>&1 </dev/null &>g >>h a", ["x", "a"]),
        ("x <<< word a", ["x", "a"]),
        ("! time x", ["x"]),
        ("x a;", ["x", "a"]),
    ],
)
def test_words_are_those_the_shell_makes(text, expected):
    assert one(text) == expected


def test_each_piece_keeps_its_line():
    (command,) = steps(letters("x 'a\nb' \\\n --soft=3"))[0]
    assert [[piece.line for piece in word.pieces] for word in command.words] == [[1], [1, 2], [3]]
    assert [word.line for word in command.words] == [1, 1, 3]


def test_pieces_of_an_outer_level_stay():
    outer = Variable("X", 7, by="compose")
    (command,) = steps([*letters("x --soft="), (outer, 7), *letters(" a || b")])[0][:1]
    assert command.words[1].pieces[-1] == outer
    last = steps([*letters("x "), (outer, 7), (Opaque("{{a}}", 7), 7), *letters(" || b")])[0][-1]
    assert last.conditions == ("unless x $X…",)


@pytest.mark.parametrize("text", ["x 'a", 'x "a', "x $'a"])
def test_a_quote_without_an_end_is_a_fault_and_loses_nothing(text):
    found, faults = steps(letters(text))
    assert words(found[0]) == ["x", "a"]
    assert faults == ((1, "a quote that begins here is not ended"),)


@pytest.mark.parametrize(
    "text", ["x \\", "x $(", "x $((1", "x ${A:-", "x `a", "x {{ a", "A=(b", "cat <<EOF", "x >", "case a in", "f()", "function", "}", "fi"]
)
def test_what_ends_too_early_is_read_as_far_as_it_goes(text):
    steps(letters(text))


def test_nesting_has_an_end():
    text = "x " + "${A:-" * 5000 + "}" * 5000
    assert steps(letters(text))[0]


def test_what_stands_in_a_branch_stands_under_its_condition():
    text = """\
        a
        if [ "$1" = worker ]; then
          b
          if c; then d; fi
        elif [ -n "$X" ]
        then e
        else
          f
        fi
        g
    """
    first = 'if [ "$1" = worker ]'
    expected = [("a",), ("b", first), ("d", first, "if c"), ("e", 'elif [ -n "$X" ]'), ("f", "else"), ("g",)]
    assert commands(text) == expected


def test_what_stands_in_a_case_stands_under_its_pattern():
    text = """\
        case "$1" in
          'web'|api) a ;;
          (worker)
            b
            ;&
          *) c
        esac
        case x in esac
        d
    """
    assert [found[0] for found in commands(text)] == ["a", "b", "c", "d"]
    assert [found[1:] for found in commands(text)] == [("case |api)",), ("case worker)",), ("case *)",), ()]


def test_a_branch_without_a_case_is_no_reason_to_stop():
    assert commands("if a; then b ;; c; fi; d") == [("b", "if a"), ("c", "if a"), ("d",)]


def test_what_stands_in_a_loop_or_a_function_says_so():
    text = """\
        while true; do a; done
        for x in 1 2; do b; done
        start() {
          c
        }
        function stop { d; }
        { e; }
        (f; g)
    """
    assert commands(text) == [("a", "while true"), ("b", "for x in 1 2"), ("c", "function start"), ("d", "function stop"), ("e",), ("f",), ("g",)]


def test_what_runs_only_if_something_fails_says_so():
    assert commands("a && b || c; d | e & f") == [("a",), ("b",), ("c", "unless b"), ("d",), ("e",), ("f",)]


def test_a_here_document_is_no_command():
    assert commands("cat <<EOF >f\nceler\nEOF\na\ncat <<-'X'\n\tb\n\tX\nc") == [("cat",), ("a",), ("cat",), ("c",)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A=1 B='2 3'", [("A", "1", False, False), ("B", "2 3", False, False)]),
        ("A=", [("A", "", False, False)]),
        ("A+=' more'", [("A", "<A> more", False, False)]),
        ("export A=1 B", [("A", "1", True, False)]),
        ("declare -x A=1", [("A", "1", True, False)]),
        ("local A=1", [("A", "1", False, False)]),
        (': "${A:=90}" ${B=2} ${C:-3} d', [("A", "90", False, True), ("B", "2", False, True)]),
        ("A=(--soft 60\n  '--hard=9')", [("A", " --soft 60 --hard=9", False, False)]),
        ("A+=(b)", [("A", "<A> b", False, False)]),
        ("'A'=(b)", []),
    ],
)
def test_assignments_are_read_in_all_their_forms(text, expected):
    assert assigned(text) == expected


def test_an_assignment_in_front_of_a_command_is_for_it_alone():
    (command,) = steps(letters("A=1 celery worker"))[0]
    assert [one.name for one in command.assignments] == ["A"]
    assert words(command) == ["celery", "worker"]


def test_a_command_line_is_split_without_operators():
    assert [shown(word.pieces) for word in argv(letters("a 'b c';\nd $E"))] == ["a", "b c;", "d", "<E>"]
    assert [shown(word.pieces) for word in argv(letters("$A `b`"), variables=False)] == ["$A", "`b`"]


def test_a_value_keeps_its_quotes():
    assert shown(pieces(letters("'a' ${B:-c}"))) == "'a' <B:-c>"


def test_a_script_is_one_unit():
    launches = read(b"\xef\xbb\xbf#!/usr/bin/env bash\r\ncelery worker\r\n")
    (unit,) = launches.units
    assert (launches.kind, unit.name, unit.line, words(unit.command[0])) == ("shell", "", 1, ["celery", "worker"])


def test_a_script_of_another_language_says_nothing():
    assert read(b"#!/usr/bin/env python\ncelery = 1\n").units == ()


def test_a_script_that_is_too_large_is_a_fault():
    assert read(b"a" * 2_000_000).faults == ((1, "it is too large to be read"),)
