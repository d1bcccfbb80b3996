"""A Python file's bytes to its Summary. Never raises: what cannot be read is a Summary with a fault."""

from __future__ import annotations

import ast
import codecs
import re
import tokenize
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO

from flake8_deadline.facts import Fault, Summary
from flake8_deadline.reading.scope import Columns, Gathered
from flake8_deadline.reading.steps import Statements

_NOT_ASCII = re.compile(rb"[\x80-\xff]")


def parse(source: bytes) -> ast.Module | Fault:
    """The tree of a file, or why there is none; the running Python's grammar decides."""
    try:
        with _no_warnings():
            return ast.parse(source)
    except (SyntaxError, ValueError, LookupError) as error:
        # Which of them a NUL byte or an unknown encoding is depends on the version.
        return Fault(getattr(error, "lineno", None) or 1, f"cannot be parsed by this Python: {getattr(error, 'msg', error)}")
    except (RecursionError, MemoryError):
        return Fault(1, "cannot be parsed: nested too deeply")


def read(source: bytes) -> Summary:
    """The Summary of a Python file with these bytes."""
    tree = parse(source)
    if isinstance(tree, Fault):
        return Summary(tree)
    gathered = Gathered(_columns(source))
    try:
        with _no_warnings():
            Statements(gathered).module(tree)
    except RecursionError:
        return Summary(Fault(1, "cannot be read: nested too deeply"))
    return Summary(None, tuple(gathered.functions), tuple(gathered.classes), tuple(gathered.stars))


@contextmanager
def _no_warnings() -> Iterator[None]:
    """Without the parser's remarks on somebody else's text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _columns(source: bytes) -> Columns:
    if source.isascii():
        return lambda line, offset: offset + 1
    lines = _decoded(source).encode("utf-8", "surrogateescape").split(b"\n")

    def column(line: int, offset: int) -> int:
        return len(lines[line - 1][:offset].decode("utf-8", "replace")) + 1

    return column


def _decoded(source: bytes) -> str:
    """The text as the parser sees it: it lets pass, in comments, what is not UTF-8 where that is claimed or not claimed yet."""
    text = source.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    encoding, _ = tokenize.detect_encoding(BytesIO(_NOT_ASCII.sub(b"?", text)).readline)
    return text.decode(encoding, "surrogateescape")
