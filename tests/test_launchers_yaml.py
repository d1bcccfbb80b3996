"""YAML with lines: what a scalar's letters stand on, merges and aliases, templates' holes, and bounds on hostile files."""

from __future__ import annotations

import time

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from flake8_deadline.launches import Opaque, Text, Variable
from flake8_deadline.reading.launchers import compose, kubernetes, manifest, marked, workflow
from flake8_deadline.reading.launchers.marked import documents, entries, exec_form, items, letters_of, masked, pairs, text, word

READERS = (compose.read, kubernetes.read, kubernetes.values, workflow.read, manifest.read)


def first(source: str | bytes):
    return documents(source.encode() if isinstance(source, str) else source).roots[0]


def lined(node) -> list[tuple[int, str]]:
    """The letters of a scalar, those of one line together."""
    found: list[tuple[int, str]] = []
    for letter, line in letters_of(node):
        if found and found[-1][0] == line:
            found[-1] = (line, found[-1][1] + str(letter))
        else:
            found.append((line, str(letter)))
    return found


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("k: celery worker", [(1, "celery worker")], id="plain"),
        pytest.param("k: celery\n  worker -Q\n\n  a", [(1, "celery "), (2, "worker -Q\n"), (4, "a")], id="plain over lines"),
        pytest.param("k: 'it''s\n  a''s'", [(1, "it's "), (2, "a's")], id="single quotes"),
        pytest.param('k: "one \\\n  two\\x41\n  \\u00e9 \\U0001F600\\t"', [(1, "one "), (2, "twoA "), (3, "é 😀\t")], id="double quotes"),
        pytest.param('k: "a\\"b\n  c\\\\d"', [(1, 'a"b '), (2, "c\\d")], id="escaped quotes"),
        pytest.param("k: |\n  a\n\n    b\n  c\nz: 1", [(2, "a\n\n  "), (4, "b\n"), (5, "c\n")], id="literal"),
        pytest.param("k: |2-\n   a\n  b", [(2, " a\n"), (3, "b")], id="literal with its indentation told"),
        pytest.param("k: >- # why\n  a\n  b\n\n  c\n\n# end\nz: 1", [(2, "a "), (3, "b\n"), (5, "c")], id="folded"),
        pytest.param("k: >\n  a\n  a\n  a\n", [(2, "a "), (3, "a "), (4, "a\n")], id="lines alike"),
        pytest.param("k: &x\n  a b\n  c", [(2, "a b "), (3, "c")], id="an anchor on the line above"),
        pytest.param("k: !!str 'a\n  b'", [(1, "a "), (2, "b")], id="a tag before it"),
        pytest.param("k: é\r\n  ü\r  x", [(1, "é "), (2, "ü "), (3, "x")], id="ends of lines of all kinds"),
        pytest.param("k: 'a\u2028  b\n  c'", [(1, "a\u2028b c")], id="a separator that is no end of a line"),
        pytest.param("k: ~", [], id="null"),
        pytest.param("k:", [], id="nothing"),
        pytest.param("k: [a]", [], id="no scalar"),
        pytest.param("k: '~'", [(1, "~")], id="a quoted tilde"),
    ],
)
def test_each_letter_has_the_line_it_is_written_on(source: str, expected: list[tuple[int, str]]) -> None:
    assert lined(entries(first(source))["k"]) == expected


@given(st.lists(st.text("ab \\\"'\n#:x", max_size=8), min_size=1, max_size=6), st.sampled_from(["|\n", ">-\n", "", "'", '"']))
@settings(max_examples=300, deadline=None)
def test_the_letters_of_a_scalar_are_its_value(parts: list[str], style: str) -> None:
    quote = style if style in ("'", '"') else ""
    body = style + "\n".join(parts).replace("\n", "\n  ") + quote if quote else style + "  " + "\n".join(parts).replace("\n", "\n  ")
    for root in documents(f"k: {body}\n".encode()).roots:
        node = entries(root).get("k")
        if isinstance(node, marked.Scalar) and node.value not in marked.NULL:
            assert "".join(str(letter) for letter, _ in letters_of(node)) == node.value
            assert all(1 <= line <= body.count("\n") + 1 for _, line in letters_of(node))


def test_merged_entries_stand_behind_own_ones_and_the_first_merged_counts() -> None:
    root = first("a: &a {x: 1, y: 1}\nb: &b {<<: *a, y: 2, z: 2}\nc: {<<: [*b, *a, 3], z: 3}\nd: {<<: *a, '<<': 4}\n")
    said = entries(root)
    assert {name: text(value) for name, value in entries(said["c"]).items()} == {"z": "3", "y": "2", "x": "1"}
    assert {name: text(value) for name, value in entries(said["d"]).items()} == {"<<": "4", "x": "1", "y": "1"}
    assert [key.line for key, _ in pairs(said["c"])] == [3, 2, 1]


def test_a_list_is_no_mapping_and_a_mapping_no_list() -> None:
    root = first("- {a: 1}\n- ? [k]\n  : 2\n")
    assert pairs(root) == []
    assert [len(pairs(item)) for item in items(root)] == [1, 0]
    assert items(items(root)[0]) == []
    assert pairs(None) == []
    assert text(root) == text(None) == ""


def test_of_keys_alike_the_last_counts_and_it_is_said() -> None:
    file = documents(b"a: 1\nb: 2\na: 3\n")
    assert text(entries(file.roots[0])["a"]) == "3"
    assert file.faults == [(1, "the key 'a' comes again below: the last one counts")]


@pytest.mark.parametrize(
    ("source", "line", "reason"),
    [
        (b"a: 1\n---\nb:\n\t- 1\n", 4, "broken YAML: found character that cannot start any token"),
        (b"a: 1\n---\nb: [1,\n", 4, "broken YAML: did not find"),
        (b"a: 1\n---\nb: *c\n", 3, "no anchor 'c' before this alias"),
        (b"a: 1\n---\n\xff\n", 3, "not UTF-8"),
        (b"a: 1\n---\nb: \x01\n", 3, "broken YAML: control characters are not allowed"),
        (b"a: 1\n---\n" + b"[" * 100, 3, "nested too deeply"),
        (b"a: 1\n---\n" + b"- 1\n" * 300_000, None, "too many nodes"),
        (b"# x\n" * 1_000_000, 1, "larger than 2 MiB: not read"),
    ],
)
def test_a_broken_file_is_told_with_its_line(source: bytes, line: int | None, reason: str) -> None:
    file = documents(source)
    (fault,) = file.faults
    assert line in (fault[0], None)
    assert fault[1].startswith(reason)
    assert "\n" not in fault[1]
    assert len(file.roots) in ((0,) if reason in ("not UTF-8", "larger than 2 MiB: not read") or b"\x01" in source else (1, 2))


def test_without_the_fast_loader_the_lines_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "k: &x {a: 'é\n   b'}\nl: *x\n{{- if a }}\nm: >-\n  x\n  {{ .y }}\nn: \"\\x41\"\n".encode()
    fast = [(lined(value), value.line) for _, value in pairs(documents(source).roots[0])]
    monkeypatch.delattr(yaml, "CSafeLoader")
    assert [(lined(value), value.line) for _, value in pairs(documents(source).roots[0])] == fast
    assert documents(b'a: "\\UFFFFFFFF"').faults == [(1, "broken YAML: a value out of range")]
    assert documents(b"a: \x01").faults[0][1].startswith("broken YAML: special characters")


def test_tags_make_no_objects() -> None:
    root = first("a: !!python/object/apply:os.system [echo]\nb: !Ref x\nc: !!binary aGk=\n")
    assert [text(value) for _, value in pairs(root)] == ["", "x", "aGk="]


def test_a_scalar_at_the_top_and_an_empty_document_are_documents() -> None:
    assert [text(root) for root in documents(b"celery\n---\n---\nx\n").roots] == ["celery", "", "x"]


# Hostile files

BOMB = b"a0: &a0 {k: v}\n" + b"".join(b"a%d: &a%d [%s]\n" % (n, n, b",".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 40))
MERGES = b"a0: &a0 {k: v}\n" + b"".join(b"a%d: &a%d {<<: [%s]}\n" % (n, n, b",".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 50))
NESTED = b"a0: &a0 {k: v}\n" + b"".join(b"a%d: &a%d {spec: *a%d, b: *a%d, services: *a%d}\n" % (n, n, n - 1, n - 1, n - 1) for n in range(1, 1000))
RECURSIVE = (
    b"spec: &a\n  containers: *a\n  env: *a\n  services: *a\n  jobs: *a\n  run: *a\n  command: *a\n"
    b"  <<: *a\n  more: &s [*s, *a]\n  merged: {<<: *s}\n"
)
LISTS = (
    b"l: &l ["
    + b"celery," * 20_000
    + b"]\nservices:\n"
    + b"".join(b"  s%d: {image: x, command: *l, environment: *l, env: *l}\n" % n for n in range(2_000))
)
TEXTS = (
    b"t: &t '"
    + b"celery $X " * 4_000
    + b"'\nservices:\n"
    + b"".join(b"  s%d: {image: x, command: *t}\n" % n for n in range(2_000))
    + b"jobs: {j: {steps: [{run: *t}]}}\n"
)
LONG = b"services: {a: {image: x, command: '" + b"celery " * 200_000 + b"'}}\njobs: {a: {steps: [{run: *x}]}}"
KEYS = b"? " + b"k" * 900 + b"\n: &a\n" + b"".join(b"  k%d: 1\n" % n for n in range(40_000)) + b"b: *a\n"
HOSTILE = {
    "bomb": BOMB,
    "merges": MERGES,
    "nested": NESTED,
    "recursive": RECURSIVE,
    "lists": LISTS,
    "texts": TEXTS,
    "long": LONG,
    "keys": KEYS,
    "holes": b"a: " + b"{{" * 500_000,
    "many holes": b"a: " + b"{{x}}" * 200_000,
    "braces": b"services: {a: {image: x, command: '" + b"${a:-" * 9_000 + b"}" * 9_000 + b"'}}",
    "open braces": b"services: {a: {image: x, command: '" + b"${" * 20_000 + b"'}}",
    "five megabytes": b"a: [1]\n" * 750_000,
    "deep": b"[" * 500_000,
    "duplicates": b"a: 1\n" * 50_000,
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("read", READERS, ids=lambda read: f"{read.__module__.rpartition('.')[2]}.{read.__name__}")
def test_a_hostile_file_is_read_or_refused_soon(read, source: bytes) -> None:
    began = time.process_time()
    found = read(source)
    assert len(found.faults) <= 200
    assert time.process_time() - began < 5


@pytest.mark.parametrize("read", READERS)
@given(source=st.text(st.sampled_from("ab:-&*<>|'\"{}[]$%#~!?,() \n\t=0"), max_size=60))
@settings(max_examples=200, deadline=None)
def test_no_text_makes_a_reader_raise(read, source: str) -> None:
    read(source.encode())
    read(f"services:\n  a:\n    command: {source}\njobs: {{a: {{steps: [{{run: 1}}]}}}}".encode())
    read(f"spec:\n  containers:\n  - name: a\n    command: [{source}]\n    env: [{source}]".encode())


def test_what_aliases_repeat_is_visited_until_enough_is_seen() -> None:
    file = documents(LISTS)
    services = [value for _, value in pairs(entries(file.roots[0])["services"])]
    assert sum(len(exec_form(entries(service).get("command"))) for service in services) < 20
    assert (1, "too many nodes behind aliases: the rest is not read") in file.faults


def test_a_text_too_long_to_be_read_is_opaque() -> None:
    file = documents(b"a: " + b"x" * 60_000)
    assert letters_of(entries(file.roots[0])["a"]) == [(Opaque("…", 1), 1)]
    assert file.faults == [(1, "too much text: not read")]


# Templates


@pytest.mark.parametrize(
    ("source", "holes"),
    [
        ("a: b", []),
        ("a: {{ x }}-${{ y }}", ["{{ x }}", "${{ y }}"]),
        ("{% if x %}\na: 1\n{%- endif -%}\n{# why #}", []),
        ("{{- if x }}\n{{- with .a }}\n{{/* why */}}\n{{- $x := 1 }}\n{{ end }}", []),
        ('{{- toYaml .x | nindent 2 }}\n  {{ include "x" . }}', []),
        ('a: {{ include "x" . }}', ['{{ include "x" . }}']),
        ("a: x {{ if y }}--z 1{{ end }}", []),
        ("a: {% if x %}1{% else %}2{% endif %}", ["{% if x %}", "{% else %}", "{% endif %}"]),
        ("a: {{ x\n  }}\nb: 1", ["{{ x\n  }}"]),
        ("a: {{ x", []),
        ("a: {{ {% x }} %}", ["{{ {% x }}"]),
        ("a: ${#list}", []),
    ],
)
def test_the_holes_of_a_template_are_masked_letter_by_letter(source: str, holes: list[str]) -> None:
    filled, found = masked(source)
    assert found == holes
    assert len(filled) == len(source)
    assert [index for index, letter in enumerate(filled) if letter == "\n"] == [index for index, letter in enumerate(source) if letter == "\n"]


@pytest.mark.parametrize(
    ("hole", "piece"),
    [
        ("{{ .Values.a.b }}", Variable("a.b", 1, by="values")),
        ("{{- $.Values.a -}}", Variable("a", 1, by="values")),
        ("{{ .Values.a | default 120 }}", Variable("a", 1, ":-", (Text("120", 1),), by="values")),
        ('{{ .Values.a | default "x y" | quote }}', Variable("a", 1, ":-", (Text("x y", 1),), by="values")),
        ('{{ default "" .Values.a }}', Variable("a", 1, ":-", (), by="values")),
        ("{{ default 5 .Values.a | int }}", Variable("a", 1, ":-", (Text("5", 1),), by="values")),
        ("{{ int .Values.a }}", Variable("a", 1, by="values")),
        ("{{ .Values.a | upper }}", Opaque("{{ .Values.a | upper }}", 1)),
        ("${{ env.X }}", Opaque("${{ env.X }}", 1)),
        ("{{ x }}", Opaque("{{ x }}", 1)),
    ],
)
def test_a_hole_is_one_piece(hole: str, piece: object) -> None:
    value = entries(first(f"k: x-{hole}y"))["k"]
    assert word(value).pieces == (Text("x-", 1), piece, Text("y", 1))
    assert text(value) == f"x-{hole}y"


def test_letters_that_only_look_like_holes_are_letters() -> None:
    assert lined(entries(first("k: \U000f0000\U000f0005 {{ x }}"))["k"])[0][1].startswith("Opaque")
    value = entries(first("k: a\U000f0005\U000f0005b\nl: {{ x }}"))["k"]
    assert lined(value) == [(1, "a\U000f0005\U000f0005b")]
    assert text(value) == "a\U000f0005\U000f0005b"


def test_a_template_that_is_no_yaml_gives_a_fault() -> None:
    file = documents(b"a: 1\n---\n{{ x }}: [\n{{ y }}\nb: {{ z }} : c\n")
    assert len(file.roots) == 1
    assert file.faults[0][1].startswith("broken YAML")


def test_holes_next_to_each_other_and_over_lines_keep_their_lines() -> None:
    value = entries(first("k: >-\n  {{ a }}{{ b }}\n  x {{ c }}\n"))["k"]
    assert word(value).pieces == (Opaque("{{ a }}", 2), Opaque("{{ b }}", 2), Text(" ", 2), Text("x ", 3), Opaque("{{ c }}", 3))


def test_a_list_of_words_is_one_command_whose_variables_stay_single_words() -> None:
    (command,) = exec_form(entries(first("k:\n- a b\n- {x: 1}\n- {{ .Values.q }}\n-\n".replace("{x: 1}", "[x]")))["k"])
    assert [item.pieces for item in command.words] == [(Text("a b", 2),), (Variable("q", 4, quoted=True, by="values"),), ()]
    assert exec_form(first("[]")) == ()
