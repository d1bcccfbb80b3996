"""What the bytes of a Python file say before it is parsed.

Decides which files a demand has to look into: every pattern errs towards saying yes, so that a file that is not asked for by its bytes
cannot matter. Leaves to the parser whether the word stands in code or in a string.
"""

from __future__ import annotations

import re
import unicodedata

from flake8_deadline.facts import Outline

MARKS: dict[str, tuple[bytes, ...]] = {
    "task": (b"celery", b"shared_task", b"periodic_task", b"register_task", b".task", b"Task"),
    "queue": (b"rq", b"enqueue", b"huey", b"dramatiq", b"django_q"),
    "handler": (b"except", b"suppress", b"finally"),
    "loop": (b"for ", b"while ", b"map(", b"for\t", b"while\t", b"for(", b"while(", b"for[", b"while[", b"for\\", b"while\\"),
    "rows": (b".iterator", b".aiterator"),
    "limit": (b"time_limit", b"TIME_LIMIT"),
}
"""What a file must bear for each demand: a task or a project's own way to make one, a queue other than Celery, a handler, a loop, rows
that are fetched one by one, a limit."""

_SUSPECT = (
    re.compile(rb"print[ \t]+[\"'\w%]"),
    re.compile(rb"exec[ \t]+[\"'\w]"),
    re.compile(rb"raise[ \t]+\w+[ \t]*,"),
    re.compile(rb"except[ \t]+[\w.]+[ \t]*,"),
    re.compile(rb"type[ \t]+\w+[^=\n]{0,200}="),
    re.compile(rb"def[ \t]+\w+\["),
    re.compile(rb"class[ \t]+\w+\["),
)
_SUSPECT_WORDS = (b"\0", b"<<<<<<<", b">>>>>>>", b"<>")
# Every pattern starts with a literal: that is ten times faster than one that starts with a choice. What may repeat for long is either
# taken or bounded, since a hostile file would otherwise be read once for each of its words.
_NAME = rb"(?:[ \t\f]|\\\n)+([\w\x80-\xff]+)"
# The word may stand in a comment, with a real class on a line below it.
_CLASS = re.compile(rb"class" + _NAME + rb"(?:[ \t\f]|\\\n)*[\[(]((?:[^:\n]|\n(?![ \t\f]*class\b))*(?::[^\n]*)?)")
_DEFINITION = re.compile(rb"def" + _NAME)
_PROPERTY = re.compile(
    rb"property(?:\([^\n]{0,200}\))?[ \t]*(?:#[^\n]{0,200})?\n"
    rb"(?:[ \t\f]*(?:[@#][^\n]{0,200})?\n){0,20}"
    rb"[ \t\f]+(?:async[ \t]+)?def" + _NAME
)
_WORD = re.compile(rb"[\w\x80-\xff]+")


def outline(source: bytes) -> Outline:
    """The outline of a file with these bytes, whatever they are."""
    if b"\r" in source:
        source = source.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return Outline(
        frozenset(mark for mark, words in MARKS.items() if any(word in source for word in words)),
        _suspect(source),
        tuple((_text(name), tuple(sorted({_text(word) for word in _WORD.findall(bases)}))) for name, bases in _CLASS.findall(source)),
        frozenset(map(_text, _DEFINITION.findall(source))),
        frozenset(map(_text, _PROPERTY.findall(source))),
    )


def _suspect(source: bytes) -> bool:
    return any(word in source for word in _SUSPECT_WORDS) or any(pattern.search(source) for pattern in _SUSPECT)


def _text(word: bytes) -> str:
    """A name as the parser gives it."""
    return word.decode() if word.isascii() else unicodedata.normalize("NFKC", word.decode("utf-8", "replace"))
