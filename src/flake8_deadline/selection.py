"""Which findings are printed: flake8's own answer, with flake8's own classes.

Given all findings of a project, keeps those that `flake8` would print for the same paths and configuration: exclude, filename patterns,
select and ignore with their extensions, per-file-ignores, noqa. One thing is added, for the plugin and the command alike: a noqa on the
`def` line counts for a finding on a decorator above it, for that is where people write it.
"""

from __future__ import annotations

import logging
import os
import tokenize
from importlib.metadata import PackageNotFoundError, distribution
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import flake8
from flake8 import utils
from flake8.formatting.default import Nothing
from flake8.main.options import register_default_options, stage1_arg_parser
from flake8.options import aggregator
from flake8.options.manager import OptionManager
from flake8.processor import FileProcessor
from flake8.style_guide import Decision, DecisionEngine, Ignored, StyleGuide, StyleGuideManager
from flake8.violation import Violation
from msgspec.structs import replace

from flake8_deadline import flags
from flake8_deadline.configuration import ConfigurationError, inner_path, load

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from flake8_deadline.check import Analysis, FileError, Statistics
    from flake8_deadline.configuration import Configuration
    from flake8_deadline.rule import Finding

PREFIX = "LIM"
"""Under this name flake8 knows the plugin; every code begins with it."""

_LOG = logging.getLogger(__name__)


class Shown(NamedTuple):
    """A finding to print, and the path as flake8 would print it: as reached from the arguments, not from the root."""

    path: str
    finding: Finding


class Selection(NamedTuple):
    root: str
    shown: tuple[Shown, ...]
    """In flake8's order."""
    errors: tuple[tuple[str, FileError], ...]
    """Files that could not be read or parsed, each with its path as flake8 would print it."""
    statistics: Statistics


def flake8_options(arguments: Sequence[str], paths: Sequence[str]) -> tuple[argparse.Namespace, Configuration]:
    """flake8's options for the paths: defaults, its configuration file, then the arguments; raises ConfigurationError.

    No plugin is looked for, so an option of another plugin in the file means nothing here. The one exception is the plugin that lets
    flake8 read pyproject.toml. Without `--select` all rules that are on are selected, unless the file's own select names some of ours;
    with it, the file's extend-select adds nothing to what it names.
    """
    known, rest = stage1_arg_parser().parse_known_args(arguments)
    parser, base, used = load(known.config, known.append_config, isolated=known.isolated)
    manager = OptionManager(version=flake8.__version__, plugin_versions="", parents=[stage1_arg_parser()], formatter_names=[])
    register_default_options(manager)
    flags.register(manager)
    manager.extend_default_select([PREFIX])
    _let_toml_plugin_in(manager)
    try:
        namespace = aggregator.aggregate_options(manager, parser, base, rest)
    except (ValueError, OSError) as error:
        raise ConfigurationError(f"{used.files}: {error}") from error
    namespace.filenames = list(paths)
    if any(argument.startswith("--select=") for argument in arguments):
        if not any(argument.startswith("--extend-select=") for argument in arguments):
            _let_select_have_the_last_word(namespace)
    elif not any(code.startswith(PREFIX) or PREFIX.startswith(code) for code in namespace.select or ()):
        namespace.select = [PREFIX, "E9"]
    return namespace, used


def selects_any(namespace: argparse.Namespace, codes: Iterable[str]) -> bool:
    """Whether select and ignore leave any of the codes to be printed; per-file-ignores can only take more away."""
    engine = DecisionEngine(namespace)
    return any(engine.decision_for(code) is Decision.Selected for code in codes)


def select(analysis: Analysis, namespace: argparse.Namespace) -> Selection:
    """The findings and errors that flake8 would print for `namespace.filenames`; counts those that a noqa silences."""
    visits = Visits(namespace, analysis.root)
    guides = StyleGuideManager(namespace, Nothing(namespace))
    shown: list[Shown] = []
    suppressed = 0
    for path, of_file in groupby(analysis.findings, key=lambda finding: finding.path):
        display = visits.display(path)
        if display is None:
            continue
        guide = guides.style_guide_for(display)
        wanted = [finding for finding in of_file if guide.should_report_error(finding.code) is Decision.Selected]
        kept = _without_noqa(wanted, display, namespace) if wanted else []
        suppressed += len(wanted) - len(kept)
        shown += [Shown(display, finding) for finding in kept]
    shown.sort(key=lambda one: (one.path, one.finding.line, one.finding.column))
    return Selection(analysis.root, tuple(shown), _errors(analysis, visits, guides), replace(analysis.statistics, suppressed=suppressed))


def mentions_noqa(lines: Iterable[str]) -> bool:
    """Whether any comment can silence anything: to find out which line a comment belongs to takes longer than most files took to analyse."""
    return any("noqa" in line.lower() for line in lines)


def silenced_at_definition(processor: FileProcessor, finding: Finding, *, disable_noqa: bool) -> bool:
    """Whether a finding on a decorator's line is silenced by a noqa on the line of the `def` or `class` below it."""
    if not processor.lines[finding.line - 1 : finding.line] or not processor.lines[finding.line - 1].lstrip().startswith("@"):
        return False
    line = _definition_line(processor, finding.line)
    return line is not None and _is_silenced(processor, finding, line, disable_noqa=disable_noqa)


def _let_select_have_the_last_word(namespace: argparse.Namespace) -> None:
    """Drop what the file's extend-select would add to the select. Within the select it stays: there it outweighs an ignore."""
    chosen = tuple(namespace.select or ())
    namespace.extend_select = [code for code in namespace.extend_select or () if code.startswith(chosen)]


def _let_toml_plugin_in(manager: OptionManager) -> None:
    """Flake8-pyproject hooks itself into flake8's reading of options when its own are declared."""
    try:
        points = distribution("flake8-pyproject").entry_points
    except PackageNotFoundError:
        return
    for point in points:
        if point.group == "flake8.report":
            point.load().add_options(manager)


def _without_noqa(findings: list[Finding], display: str, namespace: argparse.Namespace) -> list[Finding]:
    try:
        processor = FileProcessor(display, namespace)
    except OSError:  # gone since it was analysed: no comment to honour
        return findings
    if not mentions_noqa(processor.lines):
        return findings
    if processor.should_ignore_file():
        return []
    off = namespace.disable_noqa
    return [
        finding
        for finding in findings
        if not _is_silenced(processor, finding, finding.line, disable_noqa=off) and not silenced_at_definition(processor, finding, disable_noqa=off)
    ]


def _is_silenced(processor: FileProcessor, finding: Finding, line: int, *, disable_noqa: bool) -> bool:
    violation = Violation(finding.code, processor.filename, line, finding.column, finding.message, processor.noqa_line_for(line))
    return bool(violation.is_inline_ignored(disable_noqa))


def _definition_line(processor: FileProcessor, decorator: int) -> int | None:
    """The line of the first `def` or `class` below the decorator that begins a logical line."""
    begins = True
    try:
        for token in processor.file_tokens:
            if begins and token.start[0] > decorator and token.string in ("def", "class", "async"):
                return token.start[0]
            if token.type not in (tokenize.NL, tokenize.COMMENT):
                begins = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    except (tokenize.TokenError, SyntaxError):
        return None
    return None


def _errors(analysis: Analysis, visits: Visits, guides: StyleGuideManager) -> tuple[tuple[str, FileError], ...]:
    # What could not be read at all may be a directory, which no pattern for file names fits.
    shown = ((visits.display(error.path, any_name=not error.line), error) for error in analysis.errors)
    return tuple((display, error) for display, error in shown if display is not None and not _is_waived(guides.style_guide_for(display)))


def _is_waived(guide: StyleGuide) -> bool:
    # A file meant not to parse is declared in flake8 by ignoring E999 for it. Not selecting E999 declares nothing.
    return guide.decider.was_ignored("E999") is Ignored.Explicitly


class Visits:
    """Which files flake8 would visit for the paths it is given, and under which name, without walking any directory."""

    def __init__(self, namespace: argparse.Namespace, root: str) -> None:
        self._root = root
        self._arguments: list[str] = namespace.filenames or ["."]
        self._patterns: list[str] = namespace.filename
        self._exclude: list[str] = [*namespace.exclude, *namespace.extend_exclude]
        self._excluded: dict[str, bool] = {}

    def display(self, path: str, *, any_name: bool = False) -> str | None:
        """The name of the file at `path`, relative to the root, in flake8's output; None where flake8 does not visit it.

        `any_name`: whatever the patterns for file names say.
        """
        absolute = os.path.join(self._root, *path.split("/"))
        for argument in self._arguments:
            inner = inner_path(absolute, argument)
            if inner is not None:
                display = self._visited(argument, inner, any_name=any_name)
                if display is not None:
                    return display
        return None

    def _visited(self, argument: str, inner: list[str], *, any_name: bool) -> str | None:
        current = argument
        for name in inner[:-1]:
            if self._is_excluded(current):
                return None
            current = os.path.join(current, name)
            if os.path.islink(current):  # os.walk does not follow it
                return None
        if self._is_excluded(current):
            return None
        if not inner:
            return current
        current = os.path.join(current, inner[-1])
        return current if (any_name or utils.fnmatch(current, self._patterns)) and not self._is_excluded(current) else None

    def _is_excluded(self, path: str) -> bool:
        known = self._excluded.get(path)
        if known is None:
            known = self._excluded[path] = bool(utils.matches_filename(path, patterns=self._exclude, log_message="%(path)s %(whether)s", logger=_LOG))
        return known
