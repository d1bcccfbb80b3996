"""The versions that a project pins: what the texts of its requirement and lock files say, and whether a fact about some versions holds then.

Text to facts, and no more than that: no file is found or read here, nothing is resolved. Only a pin (`openai==1.2.3`, an entry of a lock file)
says which version runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_FILES = re.compile(r".*(requirements|constraints).*\.(txt|in)|(poetry|uv|pdm|Pipfile)\.lock")
_PIN = re.compile(r"^[ \t]*([A-Za-z0-9][\w.-]*)(?:\[[^\]\n]*\])?[ \t]*===?[ \t]*v?(\d[\w.!+-]*)", re.MULTILINE)
_LOCKED = re.compile(r"^name = \"([^\"\n]+)\"\r?\nversion = \"(\d[^\"\n]*)\"", re.MULTILINE)
_PIPFILE = re.compile(r"\"([A-Za-z0-9][\w.-]*)\": \{[^{}]*?\"version\": \"==(\d[^\"\n]*)\"")
_CLAUSE = re.compile(r"(>=|<=|==|!=|<|>)(\d[\d.]*)")


def is_pinning(name: str, folder: str) -> bool:
    """Whether a file may pin versions, by its name and the folder that it lies in: any text, in a folder for requirements."""
    return bool(_FILES.fullmatch(name)) or (folder in ("requirements", "pip", "deps", "reqs") and name.endswith((".txt", ".in")))


def pins(text: str) -> Iterable[tuple[str, str]]:
    """Distribution (in lower case, with hyphens) and version of every pin in the text of a requirement or lock file."""
    for pattern in (_PIN, _LOCKED, _PIPFILE):
        for name, version in pattern.findall(text):
            yield re.sub(r"[-_.]+", "-", name).lower(), version


def allows(specifier: str, version: str | None) -> bool:
    """Whether a fact about the versions of a specifier holds of this one. Of an unknown one it holds if no later version ends it."""
    clauses = _CLAUSE.findall(specifier)
    if version is None:
        return all(operator in (">=", ">") for operator, _ in clauses)
    return all(_holds(_key(version), operator, _key(bound)) for operator, bound in clauses)


def _holds(version: tuple[int, ...], operator: str, bound: tuple[int, ...]) -> bool:
    order = (version > bound) - (version < bound)
    return {">=": order >= 0, "<=": order <= 0, "==": order == 0, "!=": order != 0, "<": order < 0, ">": order > 0}[operator]


def _key(version: str) -> tuple[int, ...]:
    """The release of a version, without zeros at its end; what stands behind it (`rc1`, `.post2`) is left out."""
    release = re.match(r"\d+(?:\.\d+)*", version)
    parts = [int(part[:9]) for part in release[0].split(".")] if release else []
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts)
