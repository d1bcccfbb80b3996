"""Where one import line goes: legal, run before every use, and where an import sorter would put it.

In the first block of imports, below the docstring and `__future__`, never inside another statement. There it stands in its section
(standard library, third party, first party, relative, as isort and ruff have them by default) and in its order within the section. No
existing line is changed: a second import from the same module is a line of its own.
"""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING, NamedTuple

from flake8_deadline.codemods.syntax import last_name

if TYPE_CHECKING:
    from collections.abc import Sequence

Line = tuple[ast.stmt, ...]
"""The statements of one logical line at module level: several where `;` joins them."""

_STANDARD, _THIRD, _FIRST, _RELATIVE = range(4)
_PATCHES = frozenset({"patch_all", "monkey_patch"})
"""gevent's and eventlet's call that has to run before anything imports what it replaces."""


class Slot(NamedTuple):
    following: int
    """Index of the logical line that the import goes before."""
    beside: bool = False
    """Whether it belongs to the line before, with no blank line between."""
    apart: bool = False
    """Whether it is a group of its own, set off by blank lines. Neither: it belongs to the line that follows."""
    opens: bool = False
    """Whether no import stands above it, so that none has settled yet how far off the code is."""


class _Key(NamedTuple):
    """The order of imports: `import x` before `from x import y`, then by module, then by the first name."""

    section: int
    is_from: bool
    module: str
    name: tuple[bool, int, str]


def place(lines: Sequence[Line], module: str, name: str, first_party: frozenset[str]) -> Slot:
    """Where `from module import name` goes among the logical lines of a file, which are not imports alone."""
    index = 0
    while _is_preamble(lines[index], index):
        index += 1
    start = index
    ours = _Key(_section(module, first_party), True, module.lower(), _name_key(name))
    block: list[tuple[int, _Key]] = []
    while (key := _key(lines[index], first_party)) is not None:
        block.append((index, key))
        index += 1
    same = [(index, key) for index, key in block if key.section == ours.section]
    if same:
        before = [index for index, key in same if key <= ours]
        return Slot(before[-1] + 1, beside=True) if before else Slot(same[0][0])
    lower = [index for index, key in block if key.section < ours.section]
    return Slot(lower[-1] + 1, apart=True) if lower else Slot(start, apart=True, opens=True)


def late_patch(lines: Sequence[Line], index: int, module: str) -> int | None:
    """The line of a call, below the place for an import, that patches the standard library and must run before the import's module is loaded.

    None where there is no such call, or the package is imported above it already.
    """
    package = module.partition(".")[0]
    if any(_loads(statement, package) for line in lines[:index] for statement in line):
        return None
    return next((statement.lineno for line in lines[index:] for statement in line if _patches(statement)), None)


def _is_preamble(line: Line, index: int) -> bool:
    """Whether an import has to stand below a line, or had better: the docstring, `__future__`, names such as `__all__`."""
    if any(isinstance(statement, ast.ImportFrom) and statement.module == "__future__" for statement in line):
        return True
    return (index == 0 and _is_docstring(line[0])) or all(map(_is_dunder, line))


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str)


def _is_dunder(statement: ast.stmt) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target] if isinstance(statement, ast.AnnAssign) else [None]
    return all(isinstance(target, ast.Name) and target.id.startswith("__") and target.id.endswith("__") for target in targets)


def _section(module: str, first_party: frozenset[str]) -> int:
    package = module.partition(".")[0]
    if package in sys.stdlib_module_names:
        return _STANDARD
    return _FIRST if package in first_party else _THIRD


def _key(line: Line, first_party: frozenset[str]) -> _Key | None:
    """The key of a line of nothing but imports, by the last of them; None for any other line."""
    imports = [statement for statement in line if isinstance(statement, (ast.Import, ast.ImportFrom))]
    if len(imports) < len(line):
        return None
    last = imports[-1]
    if isinstance(last, ast.Import):
        module = last.names[0].name
        return _Key(_section(module, first_party), False, module.lower(), _name_key(""))
    module = last.module or ""
    section = _RELATIVE if last.level else _section(module, first_party)
    return _Key(section, True, module.lower(), _name_key(last.names[0].name))


def _name_key(name: str) -> tuple[bool, int, str]:
    """The order of names in an import: `*`, then CONSTANTS, then Classes, then the rest."""
    kind = 0 if len(name) > 1 and name.isupper() else 1 if name[:1].isupper() else 2
    return name != "*", kind, name.lower()


def _loads(statement: ast.stmt, package: str) -> bool:
    if isinstance(statement, ast.ImportFrom):
        return not statement.level and str(statement.module).partition(".")[0] == package
    return isinstance(statement, ast.Import) and any(alias.name.partition(".")[0] == package for alias in statement.names)


def _patches(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    return last_name(statement.value.func) in _PATCHES
