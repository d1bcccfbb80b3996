"""Whatever the layout, an edit adds its lines and leaves every other byte, or the file is refused with a reason."""

from __future__ import annotations

import ast
import os
import warnings
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from flake8_deadline.codemods.transplant import lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from flake8_deadline.codemods.reraise import Edit
    from flake8_deadline.rule import Reraise

_HEADS = (
    b"",
    b'"""doc"""\n',
    b"#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n",
    b'"""doc"""; from __future__ import annotations; import os\n',
    b"# Licence\n\nimport os\nfrom celery import shared_task\nfrom . import a\n",
    b"import os\n\nfrom zebra import z\nimport sys; import a\n",
    b"from celery.exceptions import (\n    Ignore,\n    SoftTimeLimitExceeded as STLE,\n)\n",
    b"try:\n    import a\nexcept ImportError:\n    a = None\n",
)
_BODIES = (
    b"""for row in []:
    try:
        row()
    except KeyError:
        pass
    except Exception as error:
        print(error)
    else:
        a
""",
    b"""def f(rows):
    for row in rows:
        try: row()
        except Exception: pass
        finally: row.done()
""",
    b"""class C:
    def f(self):
        while True:
            try:
                try:
                    a
                except (ValueError, Exception):
                    b
            except:
                '''text
   more'''
""",
    b"""async def f(rows):
    async for row in rows:
        match row:
            case 1:
                try:
                    (a +
                     b)
                except Exception:
                    pass
""",
)
_TRIVIA = st.sampled_from(
    [
        b"\n",
        b"    \n",
        b"# remark\n",
        b"        # remark\n",
        b"   # remark\n",
        b"\x0c\n",
        b"\x0c",
        b"\\\n",
        b"    \\\n",
        b"\t# remark\n",
        b"; pass",
        b";",
        b"  # remark",
    ]
)
_MUTATION = st.tuples(st.integers(0, 30), st.booleans(), _TRIVIA)


def means_the_same(one: bytes, other: bytes) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except (SyntaxError, ValueError):
        return False


@st.composite
def sources(draw: st.DrawFn) -> bytes:
    """A module with broad clauses whose layout has been disturbed without a change of its meaning."""
    plain = draw(st.sampled_from(_HEADS)) + draw(st.sampled_from(_BODIES))
    text = lines(plain)
    for place, at_end, trivia in draw(st.lists(_MUTATION, max_size=4)):
        index = place % len(text)
        text[index] = text[index].rstrip(b"\n") + trivia.rstrip(b"\n") + b"\n" if at_end else trivia + text[index]
    source = b"".join(text)
    if draw(st.booleans()):
        source = source.replace(b":", draw(st.sampled_from([b" :", b":  ", b" \\\n  :"])), draw(st.integers(1, 4)))
    assume(means_the_same(plain, source))
    source = draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + source.replace(b"\n", draw(st.sampled_from([b"\n", b"\n", b"\r\n", b"\r"])))
    source = source.replace(b"    ", draw(st.sampled_from([b"    ", b"\t"])))
    return source.rstrip(b"\r\n") if draw(st.booleans()) else source


SETTINGS = {"deadline": None, "suppress_health_check": [HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture]}


@settings(max_examples=300, **SETTINGS)
@given(source=sources())
def test_an_edit_only_adds_its_lines_and_is_made_once(source: bytes, fixes: Callable[[bytes], list[Reraise]], judge: Callable[[bytes], Edit]) -> None:
    assume(fixes(source))
    judge(source)


@pytest.mark.live
@settings(max_examples=int(os.environ.get("THOROUGH_EXAMPLES", "1000")), **SETTINGS)
@given(source=sources())
def test_very_many_edits_only_add_their_lines_and_are_made_once(
    source: bytes, fixes: Callable[[bytes], list[Reraise]], judge: Callable[[bytes], Edit]
) -> None:
    assume(fixes(source))
    judge(source)
