"""Whatever the grammar allows, in whatever encoding and layout, an edit adds its lines and leaves every other byte, or is refused with a reason.

Programs are drawn from the grammar: statements nested in functions, classes, loops, `match` and each other's clauses. Their layout is drawn as
well: widths of indentation, comments and blank lines between any two lines, backslashes, form feeds, line endings, encodings.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

    from flake8_deadline.codemods.reraise import Edit

_SETTINGS = {"deadline": None, "suppress_health_check": list(HealthCheck)}
FAST = settings(max_examples=150, **_SETTINGS)
THOROUGH = settings(max_examples=int(os.environ.get("THOROUGH_EXAMPLES", "1000")), **_SETTINGS)
"""Run by `pytest -m live`; the variable makes it longer."""

_ENCODINGS = {
    "utf-8": "größe",
    "latin-1": "größe",
    "cp1252": "Œuvre",
    "iso-8859-2": "žluť",
    "koi8-r": "строка",
    "shift_jis": "ソート",
    "euc_jp": "表示",
}
"""Each encoding and a name in it; the second byte of the Japanese ones may be a backslash."""

_HEADS = (
    "",
    '"""doc"""\n',
    "'doc' \"string\"\n",
    '"""doc\n\nof several lines\n"""; import os\n',
    '"""doc"""; from __future__ import annotations\n',
    "from __future__ import annotations; from __future__ import division\n",
    "from __future__ import annotations\nimport os; import sys\n\nimport zebra\nfrom . import sibling\n",
    "# Licence\n\n# Section\nimport os  # noqa: F401\nfrom celery import shared_task\n",
    "from celery import (  # why\n    shared_task,  # task\n    # none more\n)\nimport os, sys\n",
    "from celery import shared_task, \\\n    group\n",
    "from celery.exceptions import (\n    Ignore,\n    SoftTimeLimitExceeded as STLE,\n)\n",
    "import celery.exceptions\n",
    "from celery.exceptions import *\n",
    "try:\n    import ujson as json\nexcept ImportError:\n    import json\n",
    "if TYPE_CHECKING:\n    from celery.exceptions import SoftTimeLimitExceeded\n",
    "class SoftTimeLimitExceeded(Exception): pass\n",
    "__all__ = ['a']\n__version__ = '1'\n",
    "import os; os.fork()\n",
)

_SIMPLE = [
    "pass",
    "row.go()",
    "row.go(); rows.pop()",
    "row.go();",
    "NAME = 'NAME'",
    "text = '''line\n  line\n'''",
    'text = b"""\n\\\n"""; row',
    "text = f'{row!r:>{width}} {row[0]} {{}}'",
    "text = (f'{row}'\n        'NAME'\n)",
    "if (count := len(rows)) > 1: row.go(count)",
    "total = (1 +  # one\n  2)",
    "total = 1 + \\\n  2",
    "assert rows, \\\n        'none'",
    "rows[0]: int = 1",
    "call = lambda x, /, *y, z=1: (x, [w for w in y if w])",
    "with row as a, rows as b: a.go(b)",
    "while rows.pop(): pass",
    "del rows[0], row",
    "@shared_task\ndef inner(a, /, b=1, *, c): return a",
    "row = {**row, 'a': [*rows]}",
    "import os as other, sys",
    "print('a' if row else 'b', *rows, sep='')",
]
if sys.version_info >= (3, 12):
    _SIMPLE += [
        'text = f"{f"{row[\'NAME\']}"}"',
        "text = f'{\n    row  # which\n}'",
        "text = f'''{\nrow!r\n:>{10}}'''",
        "type Row[T: (int, str), *Ts, **P] = list[T]",
        "def generic[T](a: T) -> T: return a",
    ]
if sys.version_info >= (3, 14):
    _SIMPLE += ["text = t'{row} {NAME}'"]
_HEADERS = [
    "for row in rows:",
    "for row, *_ in (\n        rows\n):",
    "while True:",
    "while (row := rows.pop()):",
    "if row:",
    "if (\n    row  # which\n    and rows\n):",
    "with row:",
    "with (row as a, rows as b):",
    "with row as a, \\\n        rows as b:",
    "def f(rows, row=None):",
    "def f(\n    rows,  # all\n    row: 'Row' = None,\n) -> None:",
    "@shared_task(\n    bind=True,\n    # limits\n    soft_time_limit=60,\n)\ndef f(self, rows):",
    "@a.b\n@c\nclass C:",
    "class C(object, metaclass=type):",
    "async def f(rows):",
]
_BROAD = [
    "except Exception:",
    "except:",
    "except Exception as error:",
    "except (ValueError, Exception):",
    "except (\n    ValueError,  # odd\n    Exception,\n) as error:",
    "except \\\n  Exception:",
    "except Exception :",
    "except\tException  :",
    "except(Exception):",
]
if sys.version_info >= (3, 14):
    _BROAD += ["except ValueError, Exception:"]
_NARROW = ["except ValueError:", "except (KeyError, IndexError) as error:", "except shop.NAME:"]
_NAMED = ["except SoftTimeLimitExceeded:", "except (ValueError, STLE):"]
_STARRED = ["except* ValueError:", "except * Exception as group:"]
_CASES = ["case 1:", "case [a, *_] if a:", "case {'k': v, **rest}:", "case Point(x=0) | None:", "case _:"]
_LEAVES = ["return", "return row", "break", "continue", "raise", "await row", "yield row"]
_TRIVIA = ["\n", "   \n", "\t\n", "# NAME\n", "      # remark\n", "\x0c\n", "\\\n", "\x0c# page\n", "# type: ignore\n"]
_WIDTHS = ["    ", "  ", "\t", " ", "        ", "   "]


class Line(NamedTuple):
    """One logical line, which may have several lines; those after the first stand as they are."""

    indent: str
    text: str


@st.composite
def blocks(draw: st.DrawFn, indent: str, depth: int, around: frozenset[str] = frozenset()) -> list[Line]:
    """A block of statements; `around` says what may be left: a "loop", a "function", a "coroutine"."""
    kinds = ["simple", "leave"] if depth <= 0 else ["simple", "try", "try", "compound", "match"]
    found: list[Line] = []
    for kind in draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=2)):
        found += draw({"simple": simple, "leave": leaves, "try": tries, "compound": compounds, "match": matches}[kind](indent, depth, around))
    return found


@st.composite
def simple(draw: st.DrawFn, indent: str, depth: int, around: frozenset[str]) -> list[Line]:
    return _lines(indent, draw(st.sampled_from(_SIMPLE)))


@st.composite
def leaves(draw: st.DrawFn, indent: str, depth: int, around: frozenset[str]) -> list[Line]:
    allowed = {"return": "function", "yield": "function", "break": "loop", "continue": "loop", "await": "coroutine"}
    texts = [text for text in _LEAVES if allowed.get(text.split()[0], "") in {"", *around}]
    return _lines(indent, draw(st.sampled_from(texts)))


def _lines(indent: str, text: str) -> list[Line]:
    """Decorators are lines of their own."""
    if not text.startswith("@"):
        return [Line(indent, text)]
    parts: list[str] = []
    for part in text.split("\n"):
        if parts and not part.startswith(("@", "def", "class")):
            parts[-1] += "\n" + part
        else:
            parts.append(part)
    return [Line(indent, part) for part in parts]


@st.composite
def suites(draw: st.DrawFn, header: str, indent: str, depth: int, around: frozenset[str]) -> list[Line]:
    """A header and its block, on the same line perhaps."""
    *before, header_line = _lines(indent, header)
    if draw(st.integers(0, 4)) == 0:
        texts = ["pass", "row.go()", "row.go(); row", "NAME = 1", *(["break"] if "loop" in around else [])]
        return [*before, Line(indent, f"{header_line.text} {draw(st.sampled_from(texts))}")]
    width = "\t" if indent.startswith("\t") else "    "
    if draw(st.integers(0, 9)) == 0:
        width = draw(st.sampled_from(_WIDTHS))
    return [*before, header_line, *draw(blocks(indent + width, depth - 1, around))]


@st.composite
def tries(draw: st.DrawFn, indent: str, depth: int, around: frozenset[str]) -> list[Line]:
    found = draw(suites("try:", indent, depth, around))
    starred = sys.version_info >= (3, 11) and draw(st.integers(0, 9)) == 0
    if starred:
        around = around - {"loop", "function"}
        headers = draw(st.lists(st.sampled_from(_STARRED), min_size=1, max_size=2))
    else:
        headers = draw(st.lists(st.sampled_from(_NARROW + _NARROW + _NAMED), max_size=2))
        last = draw(st.sampled_from(_BROAD))
        headers += [last, *(["except BaseException:"] if last != "except:" and draw(st.booleans()) else [])]
    for header in headers:
        found += draw(suites(header, indent, depth - 1, around))
    if draw(st.booleans()):
        found += draw(suites("else:", indent, depth - 1, around))
    if draw(st.booleans()):
        found += draw(suites("finally:", indent, depth - 1, around))
    return found


@st.composite
def compounds(draw: st.DrawFn, indent: str, depth: int, around: frozenset[str]) -> list[Line]:
    headers = [*_HEADERS, *(["async for row in rows:", "async with row as a:"] if "coroutine" in around else [])]
    header = draw(st.sampled_from(headers))
    word = header.removeprefix("async ")
    inside = around
    if "def " in header:
        inside = frozenset({"function", *(["coroutine"] if header.startswith("async") else [])})
    elif "class " in header:
        inside = frozenset()
    elif word.startswith(("for", "while")):
        inside = around | {"loop"}
    found = draw(suites(header, indent, depth, inside))
    if word.startswith("if") and draw(st.booleans()):
        found += draw(suites("elif rows:", indent, depth - 1, around))
    if word.startswith(("if", "for", "while")) and draw(st.booleans()):
        found += draw(suites("else:", indent, depth - 1, around))
    return found


@st.composite
def matches(draw: st.DrawFn, indent: str, depth: int, around: frozenset[str]) -> list[Line]:
    found = [Line(indent, draw(st.sampled_from(["match row:", "match row, rows:", "match (\n    row\n):"])))]
    for case in sorted(draw(st.sets(st.sampled_from(_CASES), min_size=1, max_size=2)), key=_CASES.index):
        found += draw(suites(case, indent + "    ", depth - 1, around))
    return found


def _laid_out(draw: st.DrawFn, lines: list[Line]) -> str:
    """The lines as text, with what may stand between and behind them."""
    everywhere = draw(st.integers(0, 5)) == 0
    disturbed = set() if everywhere else draw(st.sets(st.integers(0, 40), max_size=6))
    text = ""
    for number, (indent, line) in enumerate(lines):
        if everywhere:
            text += f"{indent}# above {number}\n"
        elif number in disturbed:
            text += draw(st.sampled_from([*_TRIVIA, f"{indent}# remark\n", "\x0c"]))
        text += indent + line
        if everywhere or (number in disturbed and draw(st.booleans())):
            text += draw(st.sampled_from(["  # NAME", "   ", "\t# noqa: BLE001"]))
        text += "\n"
    return text


@st.composite
def programs(draw: st.DrawFn) -> bytes:
    lines = [*draw(st.one_of(tries("", 2, frozenset()), compounds("", 3, frozenset()))), *draw(tries("", 1, frozenset()))]
    if draw(st.booleans()):
        lines = [Line("", "async def outer(rows):"), *(Line("    " + indent, text) for indent, text in lines)]
    encoding = draw(st.sampled_from(list(_ENCODINGS)))
    cookie = "" if encoding == "utf-8" and draw(st.booleans()) else f"# -*- coding: {encoding} -*-\n"
    cookie = draw(st.sampled_from(["", "", "#!/usr/bin/env python\n"])) + cookie
    text = cookie + draw(st.sampled_from(_HEADS)) + draw(st.sampled_from(["", "\n", "\n\n"])) + _laid_out(draw, lines)
    if draw(st.integers(0, 4)) == 0:
        text = text.replace("    ", "\t")
    source = text.replace("NAME", _ENCODINGS[encoding]).encode(encoding)
    source = _ended(draw, source)
    if encoding == "utf-8" and draw(st.booleans()):
        source = b"\xef\xbb\xbf" + source
    return source.rstrip(b"\r\n") if draw(st.integers(0, 3)) == 0 else source


def _ended(draw: st.DrawFn, source: bytes) -> bytes:
    """The text with the endings of a system, or with those of several."""
    endings = draw(st.sampled_from([[b"\n"], [b"\n"], [b"\r\n"], [b"\r"], [b"\n", b"\r\n"], [b"\r\n", b"\r", b"\n"]]))
    lines = source.split(b"\n")
    return b"".join(line + endings[len(line) % len(endings)] for line in lines[:-1]) + lines[-1]


@FAST
@given(source=programs())
def test_an_edit_of_any_program_adds_its_lines_and_nothing_else(source: bytes, judge: Callable[[bytes], Edit]) -> None:
    judge(source)


@pytest.mark.live
@THOROUGH
@given(source=programs())
def test_an_edit_of_very_many_programs_adds_its_lines_and_nothing_else(source: bytes, judge: Callable[[bytes], Edit]) -> None:
    judge(source)
