"""The flake8 plugin: the findings of the whole project, printed file by file.

Decides which default-off rules are on; nothing else does. What is printed of the rest is flake8's decision, and what is found is the
engine's. The project is analysed once, when flake8 has its options and before its workers fork; a worker that was spawned does it again
and finds the cache warm.
"""

from __future__ import annotations

import io
import os
import sys
import tokenize
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from flake8.exceptions import ExecutionError
from flake8.processor import FileProcessor
from msgspec.structs import replace

from flake8_deadline import __version__, configuration, flags
from flake8_deadline.check import analyse
from flake8_deadline.rules import RULES
from flake8_deadline.selection import PREFIX, mentions_noqa, selects_any, silenced_at_definition

if TYPE_CHECKING:
    import argparse
    import ast
    from collections.abc import Iterator, Sequence

    from flake8.options.manager import OptionManager

    from flake8_deadline.options import Options
    from flake8_deadline.rule import Finding

INTERNAL_ERROR = f"{PREFIX}900"
"""Reported in place of a traceback; not a rule."""

_UNNAMED = "stdin.py"
"""Where a buffer without a name is taken to lie: in the root, beside the other files."""


class Lint(NamedTuple):
    """What `parse_options` leaves for the files."""

    namespace: argparse.Namespace
    options: Options
    findings: dict[str, list[Finding]]
    """By path relative to the root; empty where flake8 reads its standard input, for the text is not known yet."""
    is_buffer: bool
    is_wanted: bool


class Plugin:
    name = "flake8-deadline"
    version = __version__
    lint: ClassVar[Lint]

    def __init__(self, tree: ast.AST, filename: str, lines: list[str]) -> None:
        # `tree` makes it a plugin for parsed files; the engine has its own reader.
        self.filename = filename
        self.lines = lines

    @classmethod
    def add_options(cls, manager: OptionManager) -> None:
        flags.register(manager)

    @classmethod
    def parse_options(cls, namespace: argparse.Namespace) -> None:
        cls.lint = prepare(namespace)

    def run(self) -> Iterator[tuple[int, int, str, type[Any]]]:
        """Line from 1, column from 0 and text of each finding in this file."""
        try:
            found = [(one.line, one.column - 1, f"{one.code} {one.message}") for one in findings(self.lint, self.filename, self.lines)]
        except Exception as error:  # a traceback would end flake8's run for every other plugin
            found = [(1, 0, f"{INTERNAL_ERROR} internal error, please report it: {type(error).__name__}: {error}")]
        for line, column, text in found:
            yield line, column, text, type(self)


def run_options(namespace: argparse.Namespace, used: configuration.Configuration) -> Options:
    """The options of a run from flake8's parsed ones; raises ConfigurationError for a value that cannot be used."""
    options = configuration.options(vars(namespace), used, namespace.filenames)
    known = {rule.code for rule in RULES}
    for code in options.enable:
        if code not in known:
            raise configuration.ConfigurationError(f"deadline-enable: there is no rule {code}; the rules are {', '.join(sorted(known))}")
    asked = {*options.enable, *(namespace.select or ()), *(namespace.extend_select or ())}
    return replace(options, enable=tuple(sorted(rule.code for rule in RULES if not rule.default and rule.code in asked)))


def prepare(namespace: argparse.Namespace) -> Lint:
    """Analyse the project, unless nothing of it could be printed."""
    used = configuration.of_running_flake8()
    options = run_options(namespace, used)
    is_wanted = selects_any(namespace, (rule.code for rule in RULES if rule.default or rule.code in options.enable))
    is_buffer = "-" in namespace.filenames
    if not is_wanted and not is_buffer:
        _warn_if_asked_for(namespace)
    found = _analysed(options) if is_wanted and not is_buffer else {}
    return Lint(namespace, options, found, is_buffer, is_wanted)


def findings(lint: Lint, filename: str, lines: list[str]) -> list[Finding]:
    """The findings in a file as flake8 gives it, but for those that a noqa on the `def` below them silences."""
    if not lint.is_wanted:
        return []
    path = _path(filename, lint)
    if path is None:
        return []
    found = (_analysed(lint.options, path, lines) if lint.is_buffer else lint.findings).get(path, [])
    if not found or not mentions_noqa(lines):
        return found
    processor = FileProcessor(filename, lint.namespace, lines=lines)
    return [one for one in found if not silenced_at_definition(processor, one, disable_noqa=lint.namespace.disable_noqa)]


def _analysed(options: Options, path: str = "", lines: Sequence[str] = ()) -> dict[str, list[Finding]]:
    """Findings by path; with `path`, the given lines stand in for that file's text where they differ from it."""
    overrides = {path: _encoded("".join(lines))} if path and not _is_on_disk(os.path.join(options.root, path), lines) else {}
    by_path: dict[str, list[Finding]] = {}
    try:
        for finding in analyse(options, overrides).findings:
            by_path.setdefault(finding.path, []).append(finding)
    except OSError as error:
        raise ExecutionError(f"flake8-deadline: {error.filename or options.root}: {error.strerror or error}") from error
    except Exception as error:
        raise ExecutionError(f"flake8-deadline: internal error, please report it: {type(error).__name__}: {error}") from error
    return by_path


def _path(filename: str, lint: Lint) -> str | None:
    """Path relative to the root, with `/`; None where the file lies outside it."""
    names = [_UNNAMED] if lint.is_buffer and filename == "stdin" else configuration.inner_path(filename, lint.options.root)
    return "/".join(names) if names else None


def _is_on_disk(path: str, lines: Sequence[str]) -> bool:
    try:
        with tokenize.open(path) as file:
            return file.readlines() == list(lines)
    except (OSError, SyntaxError, UnicodeError):
        return False


def _encoded(text: str) -> bytes:
    """The text as the file would hold it: in the encoding that its own first lines declare."""
    plain = text.encode("utf-8", "surrogatepass")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(plain).readline)
        return text.encode(encoding)
    except (SyntaxError, UnicodeError):
        return plain


def _warn_if_asked_for(namespace: argparse.Namespace) -> None:
    # Only where an option of ours is set, and never to an editor, for which any text here is an error to show.
    if not any(getattr(namespace, flags.attribute(flag.name)) for flag in flags.FLAGS):
        return
    from multiprocessing import parent_process  # noqa: PLC0415  (not needed but here, and slow to load)

    if parent_process() is None:
        text = f"flake8-deadline is configured, but select and ignore leave none of its codes to print; add: extend-select = {PREFIX}"
        print(text, file=sys.stderr)  # noqa: T201
