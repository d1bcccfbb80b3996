"""The lines that an edit has added, put into the original lines.

libcst does not reproduce every file to the byte. So nothing of its output is kept but the lines it added: whatever it made of the others,
they stay as they were.
"""

from __future__ import annotations

import codecs
import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from flake8_deadline.codemods.refusal import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LINES = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
"""A line with its ending, as Python counts lines: not at form feeds, nor at what else `bytes.splitlines` takes for an ending."""

FORM_FEED = "\x0c"
"""Where one stands in an indentation, Python counts from there; libcst gives it to every line of the block."""


def lines(source: bytes) -> list[bytes]:
    """The lines of a file with their endings, as Python counts them, without a byte order mark."""
    return _LINES.findall(source.removeprefix(codecs.BOM_UTF8))


def each_line(source: bytes) -> Iterator[bytes]:
    """The same one by one, the first with its byte order mark."""
    return (found[0] for found in _LINES.finditer(source))


def contains(text: bytes, source: bytes) -> bool:
    """Whether a text has all the lines of `source`, in their order."""
    found = iter(lines(text))
    return all(line in found for line in lines(source))


def transplant(source: bytes, before: bytes, after: bytes) -> tuple[bytes, tuple[int, ...]]:
    """Put the lines that `after` has more than `before` into `source`; the result, and the numbers (from 1) of the added lines in it.

    `before` is a rendering of `source` with the same number of lines. An added line gets the ending of the line it goes before; but a line feed
    alone would join a carriage return above it. Raises `RefusedError`.
    """
    original, rendered = lines(source), lines(before)
    if len(original) != len(rendered):
        raise RefusedError("libcst, which makes the edit, would not write the other lines of the file back as they are")
    result: list[bytes] = []
    added: list[int] = []
    index = 0
    for line in lines(after):
        if index < len(rendered) and line == rendered[index]:
            result.append(original[index])
            index += 1
        else:
            text = line.rpartition(FORM_FEED.encode())[2].rstrip(b"\r\n")
            joins = not text and result and result[-1].endswith(b"\r")
            result.append(text + (b"\r" if joins else _ending(original, index)))
            added.append(len(result))
    if index < len(rendered):
        raise RefusedError("the edit would change more than it adds")
    return with_mark_of(source, result), tuple(added)


def rebuilt(source: bytes, before: bytes, after: bytes) -> bytes:
    """`after`, but with the lines of `source` wherever it has those of `before`, which is a rendering of `source`.

    Raises `RefusedError` where a line that the edit changes is not rendered to the byte.
    """
    original, rendered, wanted = lines(source), lines(before), lines(after)
    if len(original) != len(rendered):
        raise RefusedError("libcst, which makes the edit, would not write the other lines of the file back as they are")
    result: list[bytes] = []
    for tag, start, end, new_start, new_end in SequenceMatcher(None, rendered, wanted, autojunk=False).get_opcodes():
        if tag == "equal":
            result += original[start:end]
        elif original[start:end] != rendered[start:end]:
            raise RefusedError("libcst, which makes the edit, would not write the lines that change back as they are")
        else:
            kept = {line.strip() for line in rendered[start:end]}
            ending = _ending(original, start)
            result += [line if line.strip() in kept else _without_page(line.rstrip(b"\r\n")) + ending for line in wanted[new_start:new_end]]
    return with_mark_of(source, result)


def _without_page(line: bytes) -> bytes:
    """A line without the form feed, and what stands before it, in its indentation."""
    text = line.lstrip()
    return line[: len(line) - len(text)].rpartition(FORM_FEED.encode())[2] + text


def with_mark_of(source: bytes, text: Iterable[bytes]) -> bytes:
    """These lines as one text, with a byte order mark where `source` has one."""
    return b"".join([codecs.BOM_UTF8 if source.startswith(codecs.BOM_UTF8) else b"", *text])


def _ending(original: list[bytes], index: int) -> bytes:
    """The ending of the line at `index`; of the one above where that is the last and has none."""
    for line in original[max(index - 1, 0) : index + 1][::-1]:
        ending = line[len(line.rstrip(b"\r\n")) :]
        if ending:
            return ending
    return b"\n"
