"""What the bytes say before a file is parsed: never less than the parser would."""

from __future__ import annotations

import ast
import sysconfig
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flake8_deadline.facts import Outline
from flake8_deadline.reading.outline import outline

LIBRARY = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))


def marks(source: str) -> set[str]:
    return set(outline(source.encode()).marks)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from celery import app", {"task"}),
        ("@shared_task\ndef f(): ...", {"task"}),
        ("@app.task\ndef f(): ...", {"task"}),
        ("class Import(Task): ...", {"task"}),
        ("@periodic_task(run_every=60)\ndef f(): ...", {"task"}),
        ("queue.register_task(Import())", {"task"}),
        ("from rq import Queue", {"queue"}),
        ("from arq import cron", {"queue"}),
        ("mill.enqueue(grind)", {"queue"}),
        ("from mill import huey", {"queue"}),
        ("import dramatiq", {"queue"}),
        ("from django_q.tasks import async_chain", {"queue"}),
        ("from .tasks import send", set()),
        ("self.task_id", set()),
        ("app.task(send)", {"task"}),
        ("try: ...\nexcept: ...", {"handler"}),
        ("try: ...\nfinally: ...", {"handler"}),
        ("with suppress(OSError): ...", {"handler"}),
        ("for a in b: ...", {"loop"}),
        ("for(a)in b: ...", {"loop"}),
        ("for[a]in b: ...", {"loop"}),
        ("for\ta in b: ...", {"loop"}),
        ("for\\\na in b: ...", {"loop"}),
        ("while a: ...", {"loop"}),
        ("while(a): ...", {"loop"}),
        ("while[a]: ...", {"loop"}),
        ("while\ta: ...", {"loop"}),
        ("while\\\na: ...", {"loop"}),
        ("list(map(send, rows))", {"loop"}),
        ("@job(soft_time_limit=60)", {"limit"}),
        ("CELERY_TASK_TIME_LIMIT = 60", {"limit"}),
        ("total = price * count", set()),
        ("", set()),
    ],
)
def test_a_file_bears_the_marks_of(source: str, expected: set[str]) -> None:
    assert marks(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        *("print 'old'", "print\t%s", "exec 'old'", "raise Error, 'old'", "except Error, error:", "a <> b", "a\0b"),
        *("type Pair = tuple", "def first[T](rows): ...", "class Box[T]: ...", "<<<<<<< ours", ">>>>>>> theirs"),
    ],
)
def test_syntax_that_this_python_may_not_know_is_suspect(source: str) -> None:
    assert outline(source.encode()).suspect


@pytest.mark.parametrize("source", ["print('new')", "except (A, B):", "raise Error('new')", "kind = type(a)", "x: type = a", "def f(a): ..."])
def test_syntax_of_every_python_is_not(source: str) -> None:
    assert not outline(source.encode()).suspect


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("class A(B, c.D, metaclass=E): ...", (("A", ("B", "D", "E", "c", "metaclass")),)),
        ("class A(\n    B,\n    D,\n): ...", (("A", ("B", "D")),)),
        ("class  A (B): ...", (("A", ("B",)),)),
        ("class A\\\n(B): ...", (("A", ("B",)),)),
        ("class \\\nA(B): ...", (("A", ("B",)),)),
        ("class A[T](B): ...", (("A", ("B", "T")),)),
        ("class A[T: int](B): ...", (("A", ("B", "T", "int")),)),
        ("class A(made({1: B}, C)):\n    x = D", (("A", ("1", "B", "C", "made")),)),
        ("class Größe(Maß): ...", (("Größe", ("Maß",)),)),
        ("class A:\n    class B(C): ...", (("B", ("C",)),)),
        ("# a class with (parts)\nclass A(B): ...", (("with", ("parts",)), ("A", ("B",)))),
        ("class A: ...", ()),
    ],
)
def test_classes_are_found_with_the_words_of_their_bases(source: str, expected: tuple[tuple[str, tuple[str, ...]], ...]) -> None:
    assert outline(source.encode()).classes == expected


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("def send(): ...", "send"),
        ("async  def\tsend(): ...", "send"),
        ("def \\\n  send(): ...", "send"),
        ("def\fsend(): ...", "send"),
        ("class A:\r    def send(self): ...\r", "send"),
        ("def prüfe(): ...", "prüfe"),
        ("def übertrage(): ...", "übertrage"),
        ("def ﬁnd(): ...", "find"),
        ("def send[T](): ...", "send"),
    ],
)
def test_functions_are_found_by_the_name_that_the_parser_gives_them(source: str, name: str) -> None:
    assert outline(source.encode()).definitions == {name}


@pytest.mark.parametrize(
    "decorators",
    [
        *("@property\n    ", "@cached_property\n    ", "@functools.cached_property\n\n    ", "@property  # lazy\n    ", "@hybrid_property()\n    "),
        *("@cached_property(name='rate')\n    @other\n    ", "@property\n    # one for each day\n    ", "@property\r\n    async ", "@property\r    "),
    ],
)
def test_a_method_that_is_read_like_an_attribute_is_found(decorators: str) -> None:
    assert outline(f"class A:\n    {decorators}def größe(self): ...".encode()).properties == {"größe"}


def test_other_methods_are_not() -> None:
    assert outline(b"class A:\n    @staticmethod\n    def rate(): ...\n    def other(self): ...").properties == set()


def is_property(node: ast.expr) -> bool:
    return (node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")).endswith("property")


@pytest.mark.parametrize("path", LIBRARY[::4], ids=lambda path: path.name)
def test_the_parser_finds_nothing_more_in_the_standard_library(path: Path) -> None:
    source = path.read_bytes()
    found = outline(source)
    classes = dict(found.classes)
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ClassDef(bases=[_, *_]):
                assert {part.id for base in node.bases for part in ast.walk(base) if isinstance(part, ast.Name)} <= set(classes[node.name])
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                assert node.name in found.definitions
                assert node.name in found.properties or not any(map(is_property, node.decorator_list))
            case ast.For() | ast.AsyncFor() | ast.While() | ast.comprehension():
                assert "loop" in found.marks
            case ast.ExceptHandler():
                assert "handler" in found.marks


@given(st.binary() | st.text().map(str.encode))
def test_any_bytes_have_an_outline(source: bytes) -> None:
    assert isinstance(outline(source), Outline)


def test_an_outline_of_names_that_are_no_text_has_replacements() -> None:
    assert outline(b"def a\xff(): ...").definitions == {"a\ufffd"}


@pytest.mark.parametrize(
    "word",
    [
        "class a(",
        "class a(:",
        "class a[b",
        "property(",
        "property\n@",
        "property #",
        "property\n\n",
        "type a ",
        "def ",
        "class ",
        "except a",
        "print ",
        "@property\n",
    ],
)
def test_a_hostile_file_is_read_in_reasonable_time(word: str) -> None:
    before = time.process_time()
    outline(word.encode() * 200_000)
    assert time.process_time() - before < 5
