"""Stand-ins for the linter: a clause is to be fixed where its `except` is bare or names Exception."""

from __future__ import annotations

import ast
import re
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from flake8_deadline.codemods.reraise import Edit, insert_reraise
from flake8_deadline.codemods.transplant import lines
from flake8_deadline.codemods.verify import verify
from flake8_deadline.rule import Finding, Reraise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_EXCEPT = re.compile(rb"[ \t\f]*except\b")


def fixes_of(source: bytes) -> list[Reraise]:
    """A fix for each broad clause that none for the signal precedes; for every clause, where Python cannot parse the text."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        broad = [number for number, line in enumerate(lines(source), start=1) if _EXCEPT.match(line)]
    else:
        broad = [line for node in ast.walk(tree) for line in _broad(getattr(node, "handlers", []))]
    return [Reraise(line, "celery.exceptions", "SoftTimeLimitExceeded", "safe") for line in sorted(broad)]


def _broad(handlers: list[ast.ExceptHandler]) -> Iterator[int]:
    for handler in handlers:
        names = [] if handler.type is None else [node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)]
        text = "" if handler.type is None else ast.unparse(handler.type)
        if re.search(r"SoftTimeLimitExceeded|\bSTLE\b", text):
            return
        if handler.type is None or "Exception" in names:
            yield handler.lineno


@pytest.fixture
def fixes() -> Callable[[bytes], list[Reraise]]:
    return fixes_of


@pytest.fixture
def edit() -> Callable[..., Edit]:
    """Edit a text at its broad clauses, and check the result as the product does."""

    def edited(source: bytes | str, *first_party: str) -> Edit:
        old = dedent(source).encode() if isinstance(source, str) else source
        result = insert_reraise(old, fixes_of(old), frozenset(first_party))
        if result.fixes:
            verify(old, result)
        return result

    return edited


@pytest.fixture
def mended(edit: Callable[..., Edit]) -> Callable[..., str]:
    """The new text, where every broad clause can be fixed."""

    def text(source: str, *first_party: str) -> str:
        result = edit(source, *first_party)
        assert result.refusals == ()
        return result.source.decode()

    return text


@pytest.fixture
def reason(edit: Callable[..., Edit]) -> Callable[[bytes | str], str]:
    """Why the one broad clause of a text is refused."""

    def why(source: bytes | str) -> str:
        result = edit(source)
        assert result.source == (dedent(source).encode() if isinstance(source, str) else source)
        assert (result.fixes, result.added) == ((), ())
        (refusal,) = result.refusals
        assert "\n" not in refusal.reason
        return refusal.reason

    return why


def findings_of(path: str, source: bytes) -> list[Finding]:
    return [Finding(path, fix.line, 1, "LIM101", "deadline-swallowed-in-loop", "swallowed", (), fix) for fix in fixes_of(source)]


@pytest.fixture
def findings() -> Callable[[str, bytes], list[Finding]]:
    """The findings of a file's text."""
    return findings_of


@pytest.fixture
def lint() -> Callable[[Mapping[str, bytes]], list[Finding]]:
    """A linter that knows only the texts it is handed."""
    return lambda texts: [finding for path, text in texts.items() for finding in findings_of(path, text)]
