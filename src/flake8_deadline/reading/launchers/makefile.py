"""Makefiles and justfiles: their variables, and a unit for each target or recipe with the shell steps of its lines.

make fills in `$(X)` before a shell sees the line, just fills in `{{x}}`; both become variables "by make". Functions stay opaque, targets that
only stand for others have no unit. Prerequisites, and variables for one target alone, are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec.structs import replace

from flake8_deadline.launches import Assignment, Launches, Opaque, Piece, Step, Text, Unit, Variable, Word
from flake8_deadline.reading.launchers.kinds import decoded
from flake8_deadline.reading.launchers.supervisor import substituted
from flake8_deadline.reading.shell import Letter, pieces, steps

_ASSIGNED = re.compile(r"[ \t]*((?:(?:export|override|private)[ \t]+)*)([\w.-]+)[ \t]*(\?|:{1,3}|\+|!)?=(.*)", re.DOTALL)
_RULE = re.compile(r"([^:=#\s][^:=#]*)::?(?!=)(.*)")
_BRANCH = re.compile(r"[ \t]*(ifn?eq|ifn?def|else|endif)\b(.*)")
_REMARK = re.compile(r"(?<!\\)#")
_SIMPLE = re.compile(r"[\w.-]+")
_TARGETS = 100

_SETTING = re.compile(r"(export[ \t]+)?([A-Za-z_][\w-]*)[ \t]*:=(.*)")
_RECIPE = re.compile(r"@?([A-Za-z_][\w-]*)((?:[ \t][^:\n]*)?):(?!=)")
_PARAMETER = re.compile(r"([*+$]*)([A-Za-z_][\w-]*)(?:=(\"[^\"\n]*\"|'[^'\n]*'|[^\s\"']+))?")
_HOLE = re.compile(r"\{\{([^{}\n]*)\}\}")
_FALLBACK = re.compile(r"env(?:_var_or_default|_var)?\(\s*[\"'](\w+)[\"']\s*(?:,\s*[\"']([^\"'\n]*)[\"']\s*)?\)")
_SCRIPT = re.compile(r"#!.*\b(?:ba|da|z)?sh\b")

Recipe = list[list[tuple[str, int]]]
"""The lines of a recipe, each with its continuations."""


def read(text: bytes) -> Launches:
    return decoded("make", text, _read)


class _Made:
    """What has been read so far, and the rule that is open."""

    def __init__(self) -> None:
        self.units: list[Unit] = []
        self.variables: list[Assignment] = []
        self.faults: list[tuple[int, str]] = []
        self.prefix = "\t"
        self.conditions: list[str] = []
        self._names: list[str] = []
        self._line = 0
        self._steps: list[Step] = []

    def takes(self, line: str) -> bool:
        return bool(self._names) and line.startswith(self.prefix)

    def recipe(self, parts: list[tuple[str, int]]) -> None:
        taken, unread = _recipe([(part.removeprefix(self.prefix), number) for part, number in parts], made)
        self._steps += (replace(step, conditions=(*self.conditions, *step.conditions)) for step in taken)
        self.faults += unread

    def statement(self, parts: list[tuple[str, int]]) -> None:
        first, number = parts[0]
        whole = _joined(parts)
        assigned = _ASSIGNED.fullmatch(_REMARK.split("".join(letter for letter, _ in whole), maxsplit=1)[0])
        rule = None if assigned else _RULE.fullmatch(first)
        if assigned:
            self.close()
            self.variables.append(_assignment(assigned, whole, tuple(self.conditions)))
            if assigned[2] == ".RECIPEPREFIX":
                self.prefix = assigned[4].strip()[:1] or "\t"
        elif rule:
            self.close()
            self._line = number
            self._names = [name for name in rule[1].split()[:_TARGETS] if not name.startswith(".")]
            if ";" in rule[2] and self._names:
                self.recipe([(rule[2].partition(";")[2], number), *parts[1:]])

    def close(self) -> None:
        if self._steps:
            self.units += (Unit(name, self._line, command=tuple(self._steps)) for name in self._names)
        self._names, self._steps = [], []


def _read(text: str) -> Launches:
    found = _Made()
    defining = False
    for parts in _logical(text.split("\n")):
        first, _ = parts[0]
        branch = _BRANCH.match(first)
        if defining or first.startswith("define "):
            defining = first.strip() != "endef"
        elif found.takes(first):
            found.recipe(parts)
        elif branch:
            _turn(found.conditions, branch[1], branch[0].strip())
        else:
            found.statement(parts)
    found.close()
    return Launches("make", tuple(found.units), tuple(found.variables), tuple(found.faults))


def _logical(lines: list[str]) -> Recipe:
    """Lines, each with those that continue it; the backslash stays at the end of all but the last."""
    result: Recipe = []
    goes_on = False
    for number, line in enumerate(lines, 1):
        if goes_on:
            result[-1].append((line, number))
        elif line.strip():
            result.append([(line, number)])
        goes_on = bool(line) and line.endswith("\\")
    return result


def _joined(parts: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Letters with their lines; a continuation is a blank."""
    result: list[tuple[str, int]] = []
    for part, number in parts:
        text = part.removesuffix("\\").strip() if result else part.removesuffix("\\").rstrip()
        result += [(letter, number) for letter in (" " if result else "") + text]
    return result


def _turn(conditions: list[str], word: str, written: str) -> None:
    if word in ("else", "endif"):
        del conditions[-1:]
    if word != "endif":
        conditions.append(written)


def _recipe(parts: list[tuple[str, int]], fill: Callable[[str, int], list[Letter]]) -> tuple[tuple[Step, ...], tuple[tuple[int, str], ...]]:
    """The steps of one line, which its continuations belong to."""
    result: list[Letter] = []
    for part, number in parts:
        text = part if result else part.lstrip("@-+ \t")
        result += [*fill(text, number), ("\n", number)]
    return steps(result[:-1])


def _assignment(assigned: re.Match[str], whole: list[tuple[str, int]], conditions: tuple[str, ...]) -> Assignment:
    name, operator, line = assigned[2], assigned[3] or "", whole[0][1]
    start = assigned.start(4) + len(assigned[4]) - len(assigned[4].lstrip())
    end = assigned.start(4) + len(assigned[4].rstrip())
    value: list[Piece] = [Variable(name, line, by="make"), Text(" ", line)] if operator == "+" else []
    if operator == "!":
        value.append(Opaque(assigned[4].strip(), line))
    else:
        value += _value(whole[start:end])
    at = whole[start][1] if start < end else line
    return Assignment(name, Word(at, tuple(value)), line, "export" in assigned[1], operator == "?", conditions)


def _value(found: list[tuple[str, int]]) -> tuple[Piece, ...]:
    result: list[Letter] = []
    start = 0
    for end in range(1, len(found) + 1):
        if end == len(found) or found[end][1] != found[start][1]:
            result += made("".join(letter for letter, _ in found[start:end]), found[start][1])
            start = end
    return pieces(result, variables=False)


def made(text: str, line: int) -> list[Letter]:
    """The letters of a text after make: `$(X)` is a variable, `$$` a dollar, a function is opaque."""
    result: list[Letter] = []
    at = 0
    while at < len(text):
        start, letter = at, text[at]
        at += 1
        if letter != "$" or at == len(text):
            result.append((letter, line))
            continue
        at = _closed(text, at) if text[at] in "({" else at + 1
        inner = text[start + 1 : at]
        name = inner[1:-1].strip() if len(inner) > 1 else inner
        if inner == "$":
            result.append(("$", line))
        elif _SIMPLE.fullmatch(name):
            result.append((Variable(name, line, by="make"), line))
        else:
            result.append((Opaque(text[start:at], line), line))
    return result


def _closed(text: str, at: int) -> int:
    """Where the bracket that opens here has been closed; the end, where it never is."""
    begin = text[at]
    end = ")" if begin == "(" else "}"
    depth = 0
    for index in range(at, len(text)):
        depth += (text[index] == begin) - (text[index] == end)
        if not depth:
            return index + 1
    return len(text)


def read_just(text: bytes) -> Launches:
    return decoded("just", text, _read_just)


def _read_just(text: str) -> Launches:
    units: list[Unit] = []
    variables: list[Assignment] = []
    faults: list[tuple[int, str]] = []
    head: tuple[re.Match[str], int] | None = None
    body: Recipe = []
    for parts in [*_logical(text.split("\n")), [("", 0)]]:
        first, number = parts[0]
        if first[:1] in (" ", "\t"):
            body.append(parts)
            continue
        if head and body:
            unit, unread = _just_unit(head[0], head[1], body)
            units.append(unit)
            faults += unread
        setting, recipe = _SETTING.fullmatch(first), _RECIPE.match(first)
        head, body = (recipe, number) if recipe else None, []
        if setting:
            value = Word(number, (_expression(setting[3], number, {}),))
            variables.append(Assignment(setting[2], value, number, bool(setting[1])))
    return Launches("just", tuple(units), tuple(variables), tuple(faults))


def _just_unit(head: re.Match[str], line: int, body: Recipe) -> tuple[Unit, list[tuple[int, str]]]:
    given: dict[str, str | None] = {}
    for marks, name, default in _PARAMETER.findall(head[2]):
        given[name] = default.strip("\"'") if default and not marks else None

    def fill(text: str, number: int) -> list[Letter]:
        return substituted(text, number, _HOLE, lambda found, at: _expression(found[1], at, given))

    first = body[0][0][0].strip()
    if first.startswith("#!"):
        body = [[part for parts in body for part in parts]] if _SCRIPT.match(first) else []
    taken: list[Step] = []
    faults: list[tuple[int, str]] = []
    for parts in body:
        found, unread = _recipe(parts, fill)
        taken += found
        faults += unread
    return Unit(head[1], line, command=tuple(taken)), faults


def _expression(text: str, line: int, given: dict[str, str | None]) -> Piece:
    """The value of an expression of just's: a name, a string, a look into the environment."""
    text = _REMARK.split(text, maxsplit=1)[0].strip()
    fallback = _FALLBACK.fullmatch(text)
    if fallback:
        operand = () if fallback[2] is None else (Text(fallback[2], line),)
        return Variable(fallback[1], line, "-" if operand else "", operand)
    default = given.get(text)
    if default is not None:
        return Variable(text, line, "-", (Text(default, line),), by="make")
    if len(text) > 1 and text[0] in "\"'" and text[0] not in text[1:-1] and text[-1] == text[0]:
        return Text(text[1:-1], line)
    return Variable(text, line, by="make") if _SIMPLE.fullmatch(text) and text not in given else Opaque(text, line)
