"""Shell text: which commands it may run, under which conditions, with which words."""

from __future__ import annotations

from textwrap import dedent

import pytest

from flake8_deadline.launches import Assignment, Command, Launches, Opaque, Sum, Text, Variable
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
        ("x $'a\\nb\\q' $\"c\"", ["x", "a\nb\\q", "c"]),
        ('x $A ${B} "$C"', ["x", "<A>", "<B>", "<C>"]),
        ("x ${A:-1} ${A-${B:=2}} ${A:+'3 4'} ${A:?no}", ["x", "<A:-1>", "<A-<B:=2>>", "<A:+3 4>", "<A:?no>"]),
        ("x ${A[@]} ${A[*]}", ["x", "<A>", "<A>"]),
        ("x ${#A} ${!A} ${A%.py} ${A", ["x", "{${#A}}", "{${!A}}", "{${A%.py}}", "{${A}"]),
        ("x $@ $1 $$ $ a$", ["x", "{$@}", "{$1}", "{$$}", "$", "a$"]),
        ('x ${1:-y} ${A:0:3} "${A:-it\'s}" "${A:-"b c"}" "${A:-b\\}}"', ["x", "{${1:-y}}", "{${A:0:3}}", "<A:-it's>", "<A:-b c>", "<A:-b}>"]),
        ("x $(a (b) ')' \\)) `c d`", ["x", "{$(a (b) ')' \\))}", "{`c d`}"]),
        ("x $((A * (2 + $B)))", ["x", "[<A> * (2 + <B>)]"]),
        ('x $((0x1F + 10#$A + "${B:-2}" - $(c)))', ["x", "[0x1F + 10#<A> + <B:-2> - {$(c)}]"]),
        ("x $((a) | b) c", ["x", "{$((a) | b)}", "c"]),
        ('x "$(a ")" # it)s\n ${b%\\}} "${c}" `d` \'(\')" e', ["x", '{$(a ")" # it)s\n ${b%\\}} "${c}" `d` \'(\')}', "e"]),
        ("x {{a,b},c} {{ d", ["x", "{{a,b},c}", "{{", "d"]),
        ("x '{{ a }}' ${{ env.B }}", ["x", "{{{ a }}}", "{${{ env.B }}}"]),
        ("x <(a | b) > >(tee c) d", ["x", "{<(a | b)}", "d"]),
        ("x a#b '#' c", ["x", "a#b", "#", "c"]),
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
    assert last.conditions == ("unless x ${X}{{a}}",)


def test_pieces_of_an_outer_level_in_quotes_are_quoted():
    (word,) = argv([*letters('"a '), (Variable("X", 7, by="compose"), 7), (Opaque("{{a}}", 7), 7), *letters('"')])
    assert word.pieces[1:] == (Variable("X", 7, quoted=True, by="compose"), Opaque("{{a}}", 7))
    whole = [(Sum((Text("1", 7), Variable("Y", 7)), 7), 7)]
    (word,) = argv([*letters("$("), *whole, *letters(")")])
    assert word.pieces == (Opaque("$(1${Y})", 1),)


def test_an_empty_pair_of_quotes_keeps_a_word_whose_variables_hold_nothing():
    found = argv(letters("$A'' \"$A\" \"${A[@]}\" '' b''"))
    assert [len(word.pieces) for word in found] == [2, 1, 1, 0, 1]
    assert found[0].pieces[1] == Text("", 1, True)


def test_a_word_on_a_continued_line_bears_that_line():
    (command,) = steps(letters("celery \\\nworker \\\n \\\n --soft=3\\\n0"))[0]
    assert [word.line for word in command.words] == [1, 2, 4]
    assert [(piece.text, piece.line) for piece in command.words[2].pieces] == [("--soft=3", 4), ("0", 5)]


@pytest.mark.parametrize("text", ["x 'a", 'x "a', "x $'a"])
def test_a_quote_without_an_end_is_a_fault_and_loses_nothing(text):
    found, faults = steps(letters(text))
    assert words(found[0]) == ["x", "a"]
    assert faults == ((1, "a quote that begins here is not ended"),)


@pytest.mark.parametrize(
    ("text", "what"),
    [("x\ny ${A:-b", "`${`"), ("x\ny $(b", "substitution"), ("x\ny $((b", "substitution"), ("x\ny `b", "substitution"), ("x\nA=(b", "array")],
)
def test_what_is_not_ended_is_a_fault_where_it_begins(text, what):
    ((line, reason),) = steps(letters(text))[1]
    assert line == 2
    assert what in reason


@pytest.mark.parametrize(
    "text", ["x \\", "x $(", "x $((1", "x ${A:-", "x `a", "x {{ a", "A=(b", "cat <<EOF", "x >", "case a in", "f()", "function", "}", "fi"]
)
def test_what_ends_too_early_is_read_as_far_as_it_goes(text):
    steps(letters(text))


@pytest.mark.parametrize(
    "begin", ["${A:-", '"${A:-', "$((", "$(", "A=(", "`", "{{", "((", "{ ", "if a; then ", "case a in b) ", "a || ", "cat <<A\n", "[[ ", "$A"]
)
@pytest.mark.parametrize("end", ["", "}", "))", ")", "fi "])
def test_nesting_has_an_end(begin, end):
    steps(letters("x " + begin * 1000 + end * 1000))
    steps(letters(begin * 1000 + end * 1000))


def test_a_long_name_takes_no_longer_than_a_short_one():
    assert one("x $" + "a" * 100_000) == ["x", f"<{'a' * 100_000}>"]


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
    expected = [("a",), ("b", first), ("c", first), ("d", first, "if c"), ("e", 'elif [ -n "$X" ]'), ("f", "else"), ("g",)]
    assert commands(text) == expected


def test_what_stands_in_a_case_stands_under_its_pattern():
    text = """\
        case "$1" in
          'web'|api) a ;;
          # a comment
          (worker)
            b
            ;&
          "a b" | c ) c ;;
          *) d
        esac
        case x in esac
        case \\
          "$2"
        in x) e; esac | f
        g
    """
    patterns = ("case 'web'|api)",), ("case worker)",), ('case "a b" | c)',), ("case *)",), ("case x)",), (), ()
    assert commands(text) == [(name, *conditions) for name, conditions in zip("abcdefg", patterns)]


def test_a_branch_without_a_case_is_no_reason_to_stop():
    assert commands("if a; then b ;; c; fi; d") == [("a",), ("b", "if a"), ("c", "if a"), ("d",)]


def test_what_stands_in_a_loop_or_a_function_says_so():
    text = """\
        while [ -e x ]; do a; done
        for x in 1 2; do b; done
        for ((i=0; i<3; i++)); do if ((i > 1)); then z; fi; done
        start() {
          c
        }
        function stop { d; }
        function again () { h; }
        { e; }
        (f; g)
    """
    assert commands(text) == [
        ("a", "while [ -e x ]"),
        ("b", "for x in 1 2"),
        ("z", "for ((i=0; i<3; i++))", "if ((i > 1))"),
        ("c", "function start"),
        ("d", "function stop"),
        ("h", "function again"),
        ("e",),
        ("f",),
        ("g",),
    ]


def test_what_a_test_runs_is_run_whatever_comes_of_it():
    assert commands("until celery worker; do sleep 5; done") == [("celery worker",), ("sleep 5", "until celery worker")]
    assert commands("if [ a ] || [[ b || c =~ ^(d|e)$ && f < g ]]; then h; fi") == [("h", "if [ a ] || [[ b || c =~ ^(d|e)$ && f < g ]]")]


def test_a_loop_says_what_its_variable_depends_on():
    assert assigned("for x in 1 2; do b; done; select y; do c; done; for 1; do d; done") == [
        ("x", "{for x in …}", False, False),
        ("y", "{for y in …}", False, False),
    ]


def test_what_ends_without_a_beginning_is_passed_over():
    assert commands("a; fi; b; done; esac; }; c; then; else; d )") == [("a",), ("b",), ("c",), ("d",)]


def test_what_runs_only_if_something_fails_says_so():
    assert commands("a && b || c; d | e & f") == [("a",), ("b",), ("c", "unless a && b"), ("d",), ("e",), ("f",)]
    assert commands("a ||\n\n { b; c; } | d\ne") == [("a",), ("b", "unless a"), ("c", "unless a"), ("d",), ("e",)]
    assert commands("if a; then b; fi || c && d") == [("a",), ("b", "if a"), ("c", "unless if a; then b; fi"), ("d",)]
    assert commands("|| a") == [("a",)]


def test_a_long_condition_is_cut():
    (found,) = commands(f"if [ {'x' * 500} ]\\\n; then a; fi")
    assert found[1].startswith("if [ xx")
    assert len(found[1]) == 301


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
        ("A=(--soft 60 # it's\n  '--hard=9' >(b) )", [("A", " --soft 60 --hard=9 b", False, False)]),
        ("A=(B=(c)", [("A", " B= c", False, False)]),
        ("A=(); A[0]=1", [("A", "", False, False)]),
        ("A=1; B=2; export -p A $B", [("A", "1", True, False), ("B", "2", False, False)]),
        ("export \"A=$B\" 'C=d e'", [("A", "<B>", True, False), ("C", "d e", True, False)]),
        ("readonly -rx A=1; typeset +", [("A", "1", True, False)]),
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
    assert shown(pieces(letters("'a' ${B:-c} $'d' $"))) == "'a' <B:-c> $'d' $"


def test_a_script_is_one_unit():
    launches = read(b"\xef\xbb\xbf#!/usr/bin/env bash\r\ncelery worker\r\n")
    (unit,) = launches.units
    assert (launches.kind, unit.name, unit.line, words(unit.command[0])) == ("shell", "", 1, ["celery", "worker"])


@pytest.mark.parametrize("first", ["/bin/sh", " /bin/sh -e", "/usr/bin/env -S bash -eu", "/command/with-contenv bash", "/busybox/ash", "{{ shell }}"])
def test_a_script_says_which_shell_reads_it(first):
    assert read(f"#!{first}\ncelery worker\n".encode()).units


@pytest.mark.parametrize("first", ["/usr/bin/env python", "/opt/sh/perl", "/usr/bin/make -f", "/usr/bin/node"])
def test_a_script_of_another_language_says_nothing(first):
    assert read(f"#!{first}\ncelery = 1\n".encode()) == Launches("shell")


def test_a_script_that_is_too_large_is_a_fault():
    assert read(b"a" * 2_000_000).faults == ((1, "it is too large to be read"),)


@pytest.mark.parametrize("text", [b"\x7fELF\0\xff\xfe $\0 '\0", b"\r\n\r$((\r\n", b"#!"])
def test_no_bytes_stop_the_reader(text):
    assert read(text).kind == "shell"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('if ((C > 1)); then\n  : "${POOL:=gevent}"\nfi\nexec celery -P "$POOL"', [("exec celery -P <POOL>",)]),
        ("case \"$1\" in\n'celery')\n exec celery -A x worker\n;;\nesac", [("exec celery -A x worker", "case 'celery')")]),
        ('P=()\nif [ -n "$C" ]; then P+=(--pool "$C"); fi\nexec celery worker "${P[@]}" &', [("exec celery worker <P>",)]),
        ('WORKER_CMD="celery -A x worker"\n$WORKER_CMD "$@"', [("<WORKER_CMD> {$@}",)]),
        ("O=${X:-$((15*60))}\nceleryd $O --hard $((${X}+60))", [("celeryd <O> --hard [<X>+60]",)]),
        ("celery worker -P ${A:-${B:-gevent}} $OPTION", [("celery worker -P <A:-<B:-gevent>> <OPTION>",)]),
        ('exec gosu taiga celery worker --concurrency 4 "$@"', [("exec gosu taiga celery worker --concurrency 4 {$@}",)]),
        (
            "newrelic-admin run-program celery --app=x --max-tasks-per-child 6 worker",
            [("newrelic-admin run-program celery --app=x --max-tasks-per-child 6 worker",)],
        ),
        (
            'if [ "$FIFO" = "True" ]; then\n  q="a,b"\nelse\n  q="c"\nfi\nARGUMENTS="-A cask worker --time-limit=9000 -Q ${q} -E"\ncelery $ARGUMENTS',
            [("celery <ARGUMENTS>",)],
        ),
    ],
)
def test_the_shapes_seen_in_the_wild_are_read(text, expected):
    assert commands(text) == expected


def test_a_value_chosen_by_a_branch_keeps_its_condition():
    found = steps(letters('if [ "$FIFO" = "True" ]; then\n  q="a,b"\nelse\n  q="c"\nfi'))[0]
    assert [(one.name, one.line, one.conditions) for one in found] == [("q", 2, ('if [ "$FIFO" = "True" ]',)), ("q", 4, ("else",))]
