"""YAML with lines, templates included: text to nodes that know where they stand.

Decides what stands where: mappings with their merges, aliases, and on which line of the file each letter of a scalar is written. No tag
becomes an object, and what is read is bounded: size, nodes, depth, and, since an alias is its target and no copy of it, all later visits.
What a key means is left to the readers of each kind of file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any, Union

from msgspec import Struct, field, structs

from flake8_deadline.launches import Assignment, Command, Opaque, Piece, Text, Variable, Word
from flake8_deadline.reading.shell import Letter

Fault = tuple[int, str]
Change = Callable[[Sequence[Letter]], list[Letter]]
"""What the kind of file makes of a scalar's letters: its own variables become Pieces."""

SIZE = 2 * 1024 * 1024
NODES = 200_000
LETTERS = 250_000
LONGEST = 50_000
DEPTH = 60
FAULTS = 100
HOLES = 100_000
FIRST_HOLE = 0xF0000


class Marked(Struct, eq=False):
    """A file's documents, and how much of them may still be visited."""

    text: str = ""
    starts: list[int] = field(default_factory=lambda: [0])
    holes: list[str] = field(default_factory=list)
    roots: list[Node] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    visits: int = NODES
    letters: int = LETTERS

    def line(self, place: int) -> int:
        return bisect_right(self.starts, place)

    def fault(self, line: int, reason: str) -> None:
        if len(self.faults) < FAULTS and (line, reason) not in self.faults:
            self.faults.append((line, reason))


class Scalar(Struct, eq=False):
    file: Marked
    line: int
    value: str
    style: str = ""
    """One of `'`, `"`, `|`, `>`; empty for a plain one."""
    start: int = 0
    end: int = 0


class Mapping(Struct, eq=False):
    file: Marked
    line: int
    children: list[Node] = field(default_factory=list)
    """Keys and values in turn."""


class Listing(Struct, eq=False):
    file: Marked
    line: int
    children: list[Node] = field(default_factory=list)
    tag: str = ""


Node = Union[Scalar, Mapping, Listing]

OPENERS = re.compile(r"\$?\{\{|\{%|(?<!\$)\{#")
CLOSERS = {"{{": "}}", "{%": "%}", "{#": "#}"}
CONTROL = re.compile(r"\{[%#]|\{\{-?\s*(?:/\*|(?:if|else|end|range|with|define|block|break|continue)\b|\$\w*\s*:?=)")
ALTERNATIVE = re.compile(r"\{[{%][-+]?\s*(?:else|elif)\b")
INSERTION = re.compile(r"\b(?:include|template|toYaml|tpl|n?indent)\b")
ATOM = re.compile("([\U000f0000-\U0010fffd])\\1*|.", re.DOTALL)
_LITERAL = r'(?:"([^"\\]*)"|([-\w.]+))'
VALUE = re.compile(
    rf"\{{\{{-?\s*(?:default\s+{_LITERAL}\s+|(?:int|quote|toString)\s+)?\$?\.Values\.([\w.]+)"
    rf"(?:\s*\|\s*(?:default\s+{_LITERAL}|int|int64|float64|quote|squote|toString|trim))*\s*-?\}}\}}"
)
PROPERTIES = re.compile(r"(?:[&!]\S*\s+)+")
ESCAPE = re.compile(r"\\(?:x(..)|u(.{4})|U(.{8})|(.)|$)")
ESCAPED = dict(zip("0abtnvfeN_LP", "\0\a\b\t\n\v\f\x1b\x85\xa0\u2028\u2029"))
NULL = frozenset(("", "~", "null", "Null", "NULL"))


def documents(text: bytes) -> Marked:
    """All documents up to the first that is broken."""
    if len(text) > SIZE:
        return Marked(faults=[(1, "larger than 2 MiB: not read")])
    try:
        written = text.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        return Marked(faults=[(text.count(b"\n", 0, error.start) + 1, "not UTF-8")])
    filled, holes = masked(written)
    file = Marked(filled, _starts(filled), holes)
    _compose(file)
    return file


def masked(text: str) -> tuple[str, list[str]]:
    """The text with a letter of its own, as often as the hole is long, for each hole of a template, and the holes.

    Tags that only control what comes after them become blanks, unless a line holds alternatives: which of them counts cannot be told.
    """
    spans = _spans(text)
    if not spans:
        return text, []
    starts = _starts(text)
    alternatives = {bisect_right(starts, start) for start, end in spans if ALTERNATIVE.match(text, start)}
    out: list[str] = []
    holes: list[str] = []
    place = 0
    for index, (start, end) in enumerate(spans):
        hole = text[start:end]
        line = bisect_right(starts, start)
        before = text[max(place, starts[line - 1]) : start]
        after = text[end : spans[index + 1][0] if index + 1 < len(spans) else len(text)].split("\n", 1)[0]
        alone = not before.strip() and not after.strip()
        blank = (CONTROL.match(hole) and (alone or line not in alternatives)) or (alone and INSERTION.search(hole))
        letter = " " if blank else chr(FIRST_HOLE + min(len(holes), HOLES))
        if not blank:
            holes.append(hole)
        out += text[place:start], re.sub(r"[^\n]", letter, hole)
        place = end
    return "".join((*out, text[place:])), holes


def _spans(text: str) -> list[tuple[int, int]]:
    spans, place = [], 0
    closings: dict[str, int] = {}
    for match in OPENERS.finditer(text):
        if match.start() < place:
            continue
        closer = CLOSERS[match[0][-2:]]
        if closings.get(closer, 0) < match.end():
            found = text.find(closer, match.end())
            closings[closer] = found if found >= 0 else len(text)
        if closings[closer] < len(text):
            place = closings[closer] + 2
            spans.append((match.start(), place))
    return spans


def _starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _compose(file: Marked) -> None:
    import yaml  # noqa: PLC0415 - most runs read no YAML

    try:
        _build(file, yaml.parse(file.text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        mark = getattr(error, "problem_mark", None)
        place = mark.index if mark else getattr(error, "position", 0)
        reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "a value out of range"
        file.fault(file.line(place), f"broken YAML: {' '.join(str(reason).split())}")


def _build(file: Marked, events: Iterable[Any]) -> None:
    stack: list[Mapping | Listing] = []
    anchors: dict[str, Node] = {}
    for count, event in enumerate(events):
        kind = type(event).__name__
        if count > NODES or len(stack) > DEPTH:
            file.fault(file.line(event.start_mark.index), "too many nodes" if count > NODES else "nested too deeply")
            return
        if kind == "DocumentStartEvent":
            anchors = {}
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            _close(stack.pop(), stack)
        elif kind in ("ScalarEvent", "AliasEvent", "MappingStartEvent", "SequenceStartEvent"):
            node = _node(file, kind, event, anchors)
            if stack:
                stack[-1].children.append(node)
            elif kind == "ScalarEvent":
                file.roots.append(node)
            if kind in ("MappingStartEvent", "SequenceStartEvent") and not isinstance(node, Scalar):
                stack.append(node)


def _close(node: Mapping | Listing, stack: list[Mapping | Listing]) -> None:
    if isinstance(node, Mapping):
        keys = Counter(key.value for key in node.children[::2] if isinstance(key, Scalar))
        for key in node.children[::2]:
            if isinstance(key, Scalar) and keys[key.value] > 1 and not _merges(key):
                keys[key.value] -= 1
                node.file.fault(key.line, f"the key {key.value[:60]!r} comes again below: the last one counts")
    if not stack:
        node.file.roots.append(node)


def _node(file: Marked, kind: str, event: Any, anchors: dict[str, Node]) -> Node:
    start, end = event.start_mark.index, event.end_mark.index
    line = file.line(start)
    node: Node
    if kind == "AliasEvent":
        if event.anchor not in anchors:
            file.fault(line, f"no anchor {event.anchor[:60]!r} before this alias")
        return anchors.get(event.anchor) or Scalar(file, line, "")
    if kind == "ScalarEvent":
        properties = PROPERTIES.match(file.text, start, end) if event.anchor or event.tag else None
        start = properties.end() if properties else start
        node = Scalar(file, file.line(start), event.value, event.style or "", start, end)
    else:
        node = Mapping(file, line) if kind == "MappingStartEvent" else Listing(file, line, tag=event.tag or "")
    if event.anchor:
        anchors[event.anchor] = node
    return node


def _merges(key: Scalar) -> bool:
    return key.value == "<<" and not key.style


def _visit(node: Mapping | Listing) -> list[Node]:
    if len(node.children) >= node.file.visits:
        node.file.visits = 0
        node.file.fault(1, "too many nodes behind aliases: the rest is not read")
        return []
    node.file.visits -= len(node.children) + 1
    return node.children


def pairs(node: Node | None) -> list[tuple[Scalar, Node]]:
    """A mapping's keys and values, those that it merges behind its own; of keys alike the last, of merged ones the first. Else nothing."""
    found: dict[str, tuple[Scalar, Node]] = {}
    waiting: list[Node] = [node] if isinstance(node, Mapping) else []
    seen = set()
    while waiting:
        part = waiting.pop()
        if isinstance(part, Scalar) or id(part) in seen:
            continue
        seen.add(id(part))
        children = _visit(part)
        if isinstance(part, Listing):
            waiting += reversed(children)
            continue
        both = [(key, value) for key, value in zip(children[::2], children[1::2]) if isinstance(key, Scalar)]
        for name, pair in {text(key): (key, value) for key, value in both if not _merges(key)}.items():
            found.setdefault(name, pair)
        waiting += reversed([value for key, value in both if _merges(key)])
    return list(found.values())


def entries(node: Node | None) -> dict[str, Node]:
    return {text(key): value for key, value in pairs(node)}


def items(node: Node | None) -> list[Node]:
    return _visit(node) if isinstance(node, Listing) else []


def is_null(node: Node | None) -> bool:
    return node is None or (isinstance(node, Scalar) and not node.style and node.value in NULL)


def text(node: Node | None) -> str:
    """A scalar as its author means it, holes as written; of anything else, and of null, nothing."""
    if not isinstance(node, Scalar) or is_null(node):
        return ""
    holes = node.file.holes
    return ATOM.sub(lambda match: _hole_text(match, holes) or match[0], node.value) if holes else node.value


def _hole_text(match: re.Match[str], holes: list[str]) -> str:
    index = ord(match[1]) - FIRST_HOLE if match[1] else HOLES
    return holes[index] if index < min(len(holes), HOLES) else ""


def letters_of(node: Node | None) -> list[Letter]:
    """A scalar's letters, each with the line it is written on; a template's hole is one Piece."""
    if not isinstance(node, Scalar) or is_null(node):
        return []
    file = node.file
    if len(node.value) > min(LONGEST, file.letters):
        file.fault(node.line, "too much text: not read")
        return [(Opaque("…", node.line), node.line)]
    file.letters -= len(node.value)
    out: list[Letter] = []
    for chunk, line in _chunks(node):
        if not file.holes:
            out += [(letter, line) for letter in chunk]
            continue
        for match in ATOM.finditer(chunk):
            hole = _hole_text(match, file.holes)
            out += [(_hole(hole, line), line)] if hole else [(letter, line) for letter in match[0]]
    return out


def _hole(written: str, line: int) -> Piece:
    match = VALUE.fullmatch(written)
    if not match:
        return Opaque(written, line)
    default = next((group for group in (match[1], match[2], match[4], match[5]) if group is not None), None)
    if default is None:
        return Variable(match[3], line, by="values")
    return Variable(match[3], line, ":-", (Text(default, line),) if default else (), by="values")


def _chunks(node: Scalar) -> list[tuple[str, int]]:
    """What a scalar says, piece by piece, each piece with its line: what each line holds is sought in it, what lies between is blanks."""
    raw = node.file.text[node.start : node.end]
    if "\n" not in raw:
        return [(node.value, node.line)]
    out: list[tuple[str, int]] = []
    place, line = 0, node.line
    for offset, written in enumerate((raw[1:-1] if node.style in ("'", '"') else raw).split("\n")):
        content = _content(written.strip(" \t"), node.style)
        if not content or (node.style in ("|", ">") and not offset):
            continue
        found = node.value.find(content, place)
        if found < 0 or node.value[place:found].strip():
            break
        line = node.line + offset if not out else line
        out.append((node.value[place:found], line))
        line = node.line + offset
        out.append((content, line))
        place = found + len(content)
    return [*out, (node.value[place:], line)]


def _content(written: str, style: str) -> str:
    if style == "'":
        return written.replace("''", "'")
    return ESCAPE.sub(_unescaped, written) if style == '"' else written


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    return chr(int(code, 16)) if code else ESCAPED.get(match[4] or "", match[4] or "")


def joined(letters: Iterable[Letter], whole: bool = False) -> tuple[Piece, ...]:
    """A value as it stands, quotes and all. `whole`: no variable in it becomes several words."""
    out: list[Piece] = []
    for (is_text, line), group in groupby(letters, lambda letter: (isinstance(letter[0], str), letter[1])):
        if is_text:
            out.append(Text("".join(str(letter) for letter, _ in group), line))
        else:
            out += [
                structs.replace(piece, quoted=True) if whole and isinstance(piece, Variable) else piece
                for piece, _ in group
                if not isinstance(piece, str)
            ]
    return tuple(out)


def word(node: Node, change: Change = list, whole: bool = False) -> Word:
    """A scalar as one word; `whole` where it is one of a list of words."""
    letters = change(letters_of(node))
    return Word(letters[0][1] if letters else node.line, joined(letters, whole))


def exec_form(node: Node | None, change: Change = list) -> tuple[Command, ...]:
    """A list of words as the one command that it is, none where it is empty."""
    words = tuple(word(item, change, whole=True) for item in items(node) if isinstance(item, Scalar))
    return (Command(words[0].line, words),) if words else ()


def assignments(node: Node | None, change: Change = list) -> tuple[Assignment, ...]:
    """An environment that is written as a mapping of scalars."""
    return tuple(Assignment(text(key), word(value, change), key.line) for key, value in pairs(node) if isinstance(value, Scalar))
