"""Real code with faults put in: it is edited rightly, or refused with a reason, and never makes anything raise.

The code is that of the rules' fixtures, and of the standard library where much time may be taken: some functions of a file, with lines lost,
doubled and moved, and bytes changed.
"""

from __future__ import annotations

import ast
import os
import sysconfig
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flake8_deadline.codemods.transplant import lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from flake8_deadline.codemods.reraise import Edit

_SETTINGS = {"deadline": None, "suppress_health_check": list(HealthCheck)}
FAST = settings(max_examples=250, **_SETTINGS)
THOROUGH = settings(max_examples=int(os.environ.get("THOROUGH_EXAMPLES", "1000")), **_SETTINGS)

FIXTURES = sorted(Path(__file__).parent.parent.glob("fixtures/rules/*/bad.py"))
_BYTES = st.sampled_from(
    [
        *(bytes([byte]) for byte in b"\n\r\t\f \\#;:,()[]{}'\"*@=.\0"),
        b"'''",
        b'"""',
        b"\r\n",
        b"\xef\xbb\xbf",
        b"\xe4",
        "é".encode(),
        b"# coding: latin-1",
    ]
)
_MUTATIONS = st.lists(
    st.tuples(
        st.sampled_from(["lose", "double", "swap", "indent", "dedent", "join", "insert", "replace", "append", "blank"]), st.integers(0, 400), _BYTES
    ),
    max_size=2,
)


@cache
def standard_library() -> list[Path]:
    """Its modules that have a broad clause, its tests among them."""
    found = Path(sysconfig.get_path("stdlib")).rglob("*.py")
    return sorted(path for path in found if "site-packages" not in path.parts and b"except Exception" in path.read_bytes())


@lru_cache(maxsize=200)
def chunks(path: Path) -> list[bytes]:
    """The text of each statement at the level of the module, with what stands above it; none where this Python does not parse the file."""
    text = lines(path.read_bytes())
    try:
        ends = [statement.end_lineno or 0 for statement in ast.parse(b"".join(text)).body]
    except (SyntaxError, ValueError):
        return []
    return [b"".join(text[start:end]) for start, end in zip([0, *ends], ends)]


@st.composite
def mutants(draw: st.DrawFn, paths: Callable[[], list[Path]]) -> bytes:
    found = chunks(draw(st.sampled_from(paths())))
    guarded = [index for index, chunk in enumerate(found) if b"except" in chunk]
    if not guarded:
        return b""
    middle = draw(st.sampled_from(guarded))
    head = draw(st.integers(0, min(3, middle)))
    text = lines(b"".join([*found[:head], *found[max(middle - 1, head) : middle + 2]]))
    for what, where, byte in draw(_MUTATIONS):
        text = mutated(text, what, where % (len(text) or 1), byte)
    source = b"".join(text)
    if draw(st.integers(0, 3)) == 0:
        source = source.replace(b"\n", draw(st.sampled_from([b"\r\n", b"\r"])))
    return source


def mutated(text: list[bytes], what: str, index: int, byte: bytes) -> list[bytes]:
    line = b"".join(text[index : index + 1])
    middle = len(line) // 2
    becomes = {
        "lose": [],
        "double": [line, line],
        "swap": [*text[index + 1 : index + 2], line],
        "indent": [b"    " + line],
        "dedent": [line.removeprefix(b"    ")],
        "join": [line.rstrip(b"\r\n")],
        "insert": [line[:middle] + byte + line[middle:]],
        "replace": [line[:middle] + byte + line[middle + 1 :]],
        "append": [line.rstrip(b"\n") + byte + b"\n"],
        "blank": [byte + b"\n", line],
    }[what]
    return [*text[:index], *becomes, *text[index + 1 + (what == "swap") :]]


@FAST
@given(source=mutants(lambda: FIXTURES))
def test_faulty_code_is_edited_rightly_or_left_with_a_reason(source: bytes, judge: Callable[[bytes], Edit]) -> None:
    judge(source)


@pytest.mark.live
@THOROUGH
@given(source=mutants(lambda: FIXTURES))
def test_very_much_faulty_code_is_edited_rightly_or_left_with_a_reason(source: bytes, judge: Callable[[bytes], Edit]) -> None:
    judge(source)


@pytest.mark.live
@THOROUGH
@given(source=mutants(standard_library))
def test_faulty_code_of_the_standard_library_is_edited_rightly_or_left_with_a_reason(source: bytes, judge: Callable[[bytes], Edit]) -> None:
    judge(source)
