"""A Python file's bytes to its Summary. Never raises: what cannot be read is a Summary with a fault."""

from __future__ import annotations

import ast
import re
import tokenize
import warnings
from io import BytesIO

from flake8_deadline.facts import Fault, Summary
from flake8_deadline.reading.scope import Columns, Gathered
from flake8_deadline.reading.steps import Statements

_LINE = re.compile(rb"\r\n|\r|\n")


def parse(source: bytes) -> ast.Module | Fault:
    """The tree of a file, or why there is none; the running Python's grammar decides."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except SyntaxError as error:
        return Fault(error.lineno or 1, f"cannot be parsed by this Python: {error.msg}")
    except (ValueError, UnicodeError, LookupError) as error:
        return Fault(1, f"cannot be read: {error}")
    except (RecursionError, MemoryError):
        return Fault(1, "cannot be parsed: nested too deeply")


def read(source: bytes) -> Summary:
    """The Summary of a Python file with these bytes."""
    tree = parse(source)
    if isinstance(tree, Fault):
        return Summary(tree)
    gathered = Gathered(_columns(source))
    try:
        Statements(gathered).module(tree)
    except RecursionError:
        return Summary(Fault(1, "cannot be read: nested too deeply"))
    return Summary(None, tuple(gathered.functions), tuple(gathered.classes), tuple(gathered.stars))


def _columns(source: bytes) -> Columns:
    if source.isascii():
        return lambda line, offset: offset + 1
    encoding, _ = tokenize.detect_encoding(BytesIO(source).readline)
    lines = _LINE.split(source.decode(encoding).encode())

    def column(line: int, offset: int) -> int:
        return len(lines[line - 1][:offset].decode("utf-8", "replace")) + 1

    return column
