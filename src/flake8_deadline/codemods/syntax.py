"""The running Python's view of a file: its tree, or why there is none, and whether two trees are the same.

A file that this Python cannot parse is not edited: no check of the result would be possible.
"""

from __future__ import annotations

import ast
import re
import sys
import tokenize
import warnings
from itertools import islice

from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.transplant import each_line

_GENERATED = re.compile(rb"@generated\b|\bgenerated\b.*\bdo not edit\b", re.IGNORECASE)
_HEAD = 10
"""In how many lines from the top it would say so."""


def parse(source: bytes) -> ast.Module:
    """The tree of a file. Raises `RefusedError`; prints no warning about the file's text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        version = ".".join(map(str, sys.version_info[:2]))
        raise RefusedError(f"Python {version} cannot parse the file: {_reason(error)}") from error


def parse_written(source: bytes) -> ast.Module:
    """The tree of a file that people write. Raises `RefusedError`, also where the file says of itself that it is generated."""
    if any(map(_GENERATED.search, islice(each_line(source), _HEAD))):
        raise RefusedError("the file is generated: change what generates it")
    return parse(source)


def parse_result(source: bytes) -> ast.Module:
    """The tree of a text that an edit has made. Raises `RefusedError`."""
    try:
        return parse(source)
    except RefusedError as error:
        raise RefusedError("the edit did not pass its check: the result would be no Python") from error


def encoding(source: bytes) -> str:
    """The encoding of a file that Python parses: its byte order mark or cookie tells it, in the first two lines however they end."""
    return tokenize.detect_encoding(each_line(source).__next__)[0]


def compiles(tree: ast.Module) -> str | None:
    """Why the compiler refuses a tree, or None. Finds what the parser lets through, such as a `__future__` import that comes too late."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(tree, "<edited>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        return _reason(error)
    return None


def _reason(error: Exception) -> str:
    if not isinstance(error, SyntaxError):
        return str(error) or "nested too deeply"
    return f"{error.msg} (line {error.lineno})" if error.lineno else error.msg


def same_tree(one: ast.AST, other: ast.AST) -> bool:
    """Whether two trees say the same, positions aside. Without recursion, so that no depth of nesting is too much."""
    pending: list[tuple[object, object]] = [(one, other)]
    while pending:
        left, right = pending.pop()
        if type(left) is not type(right):
            return False
        if isinstance(left, ast.AST):
            pending.extend((getattr(left, field, None), getattr(right, field, None)) for field in left._fields)
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            pending.extend(zip(left, right))
        elif left != right:
            return False
    return True


def last_name(function: ast.expr) -> str:
    """The last name of what is called: `c` of `a.b.c`; "" where it has none."""
    return str(getattr(function, "attr", getattr(function, "id", "")))
