"""Stand-ins for the linter: a clause is to be fixed where its `except` is bare or names Exception."""

from __future__ import annotations

import ast
import re
import warnings
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from flake8_deadline.codemods.refusal import RefusedError
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


_ADDED = re.compile(rb"except [^\s:]+:|raise|from [\w.]+ import \w+|")
"""What an added line may say."""
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


@pytest.fixture
def judge() -> Callable[[bytes], Edit]:
    """Judges the edit of a text, whatever Python warns of in it."""

    def quietly(source: bytes) -> Edit:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return judged(source)

    return quietly


def judged(source: bytes) -> Edit:
    """The edit of a text at its broad clauses. Fails unless it leaves the text and says why, or adds what it says and nothing else.

    What the product's own check says is not relied on.
    """
    wanted = fixes_of(source)
    edit = insert_reraise(source, wanted)
    assert sorted([*edit.fixes, *(refusal.fix for refusal in edit.refusals)]) == wanted
    for refusal in edit.refusals:
        assert refusal.reason
        assert "\n" not in refusal.reason
        assert "would change more than" not in refusal.reason
    if not edit.fixes:
        assert (edit.source, edit.added) == (source, ())
        return edit
    if flags(source) is None:
        with pytest.raises(RefusedError, match="the result would not compile"):
            verify(source, edit)
        return Edit(source)
    verify(source, edit)
    check_bytes(source, edit)
    check_meaning(source, edit)
    again = insert_reraise(edit.source, fixes_of(edit.source))
    assert again.source == edit.source
    assert len(again.refusals) == len(edit.refusals)
    return edit


def check_bytes(old: bytes, edit: Edit) -> None:
    """The old lines are still there, in their order, and those between are what may be added, with the endings of the lines they precede."""
    mark = b"\xef\xbb\xbf"
    assert old.startswith(mark) == edit.source.startswith(mark)
    new = _LINE.findall(edit.source.removeprefix(mark))
    kept = [line for number, line in enumerate(new, start=1) if number not in edit.added]
    assert kept == _LINE.findall(old.removeprefix(mark))
    ending = _ending(new[-2]) if len(new) > 1 else b""
    for number, line in reversed(list(enumerate(new, start=1))):
        if number in edit.added:
            assert _ADDED.fullmatch(line.strip())
            assert _ending(line) == ending
        else:
            ending = _ending(line) or ending


def _ending(line: bytes) -> bytes:
    return line[len(line.rstrip(b"\r\n")) :]


def check_meaning(old: bytes, edit: Edit) -> None:
    """The result compiles, and its tree is the old one with as many clauses more as there are fixes, and the imports."""
    before, after = ast.parse(old), ast.parse(edit.source)
    assert flags(edit.source) == flags(old)
    assert ast.get_docstring(after, clean=False) == ast.get_docstring(before, clean=False)
    clauses, imports = strip(before), strip(after)
    assert [more - less for more, less in zip(imports, clauses)] == [len(edit.fixes), len(edit.imports)]
    assert ast.dump(after) == ast.dump(before)


def flags(source: bytes) -> int | None:
    """What `__future__` imports have set, as the compiler sees it; None where it refuses the text."""
    try:
        return compile(source, "text", "exec", dont_inherit=True).co_flags
    except SyntaxError:
        return None


def strip(tree: ast.Module) -> tuple[int, int]:
    """Take all clauses that re-raise the signal, and all its imports at module level, out of a tree; how many there were."""
    counts = [0, 0]
    for node in ast.walk(tree):
        handlers = getattr(node, "handlers", [])
        kept = [handler for handler in handlers if not _reraises(handler)]
        counts[0] += len(handlers) - len(kept)
        handlers[:] = kept
    body = [node for node in tree.body if not (isinstance(node, ast.ImportFrom) and [name.name for name in node.names] == ["SoftTimeLimitExceeded"])]
    counts[1] = len(tree.body) - len(body)
    tree.body = body
    return counts[0], counts[1]


def _reraises(handler: ast.ExceptHandler) -> bool:
    named = isinstance(handler.type, ast.Name | ast.Attribute) and ast.unparse(handler.type).endswith(("SoftTimeLimitExceeded", "STLE"))
    return named and handler.name is None and ast.unparse(handler.body) == "raise"
