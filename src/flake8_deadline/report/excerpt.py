"""The lines of a source file round a finding, with the place itself marked.

Expects nothing of the file: it may be gone, lack the line, or be in no encoding at all.
"""

from __future__ import annotations

import io
import re
import tokenize

from flake8_deadline.report.style import Style, columns, cut, printable

_BEFORE, _AFTER = 3, 2
"""Lines shown round the marked one, as far as no blank line comes between."""


def excerpt(lines: list[str], line: int, column: int, style: Style) -> list[str]:
    """Numbered lines with carets below `line`; empty where the file has no such line."""
    if not 1 <= line <= len(lines):
        return []
    first = last = line
    while first > max(1, line - _BEFORE) and lines[first - 2].strip():
        first -= 1
    while last < min(len(lines), line + _AFTER) and lines[last].strip():
        last += 1
    margin = len(str(last))
    width = max(style.width - margin - 3, 20)
    shown = [f"{number:>{margin}} | {cut(printable(lines[number - 1]), width)}".rstrip() for number in range(first, last + 1)]
    bar = " " * margin + " |"
    shown.insert(line - first + 1, f"{bar} {_carets(lines[line - 1], column, width, style)}")
    return [bar, *shown]


def _carets(text: str, column: int, width: int, style: Style) -> str:
    marked = re.sub(r"\s+#.*", "", text).rstrip()
    indent = min(columns(printable(text[: column - 1])), width - 1)
    length = max(1, min(columns(printable(marked[column - 1 :])), width - indent))
    return " " * indent + style.paint("red", "^" * length)


def source_lines(path: str) -> list[str]:
    """The lines of a file as Python counts them; none where it cannot be read."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return []
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    except SyntaxError:
        encoding = "latin-1"
    return re.split(r"\r\n|\r|\n", content.decode(encoding, "replace"))
