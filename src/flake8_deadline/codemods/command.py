"""The insertion as a libcst command.

    python -m libcst.tool codemod -x flake8_deadline.codemods.ReraiseDeadline --no-format PATH

For those who run all their codemods that way; `flake8-deadline fix` does the same with fewer traps. Which clauses to edit is the
linter's answer for the whole project under the same configuration, noqa included. The tool hands over one file at a time, so what a fix
brings to light in another file takes a second run; and it writes its own rendering of a file, so one that libcst does not reproduce to the
byte is skipped.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import libcst as cst
from libcst.codemod import CodemodCommand, SkipFile
from msgspec.structs import replace

from flake8_deadline.check import analyse
from flake8_deadline.codemods.first_party import first_party
from flake8_deadline.codemods.mend import mend_in_rounds
from flake8_deadline.configuration import ConfigurationError, options
from flake8_deadline.selection import flake8_options, select
from flake8_deadline.tree import walk

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping

    from libcst.codemod import CodemodContext

    from flake8_deadline.check import Analysis
    from flake8_deadline.codemods.mend import Mended
    from flake8_deadline.options import Options
    from flake8_deadline.rule import Finding


class ReraiseDeadline(CodemodCommand):
    DESCRIPTION = "Re-raise the deadline signal before handlers that swallow it, where flake8-deadline says so."

    def __init__(self, context: CodemodContext, enable: str = "") -> None:
        super().__init__(context)
        self._arguments = [f"--deadline-enable={enable}"] if enable else []

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        arg_parser.add_argument("--enable", default="", metavar="CODES", help="default-off codes to fix as well, such as LIM109")

    def transform_module(self, tree: cst.Module) -> cst.Module:
        # The inherited method copies the whole tree for metadata that is not needed here.
        return self.transform_module_impl(tree)

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """The edited tree. Raises `SkipFile` where libcst's tool could not write the right bytes."""
        filename = self.context.filename
        if filename is None:
            raise SkipFile("standard input belongs to no project: give the path of a file")
        if tree.bytes != Path(filename).read_bytes():
            raise SkipFile("libcst does not reproduce this file to the byte: use flake8-deadline fix")
        for mended in self._mend(filename):
            for refused in mended.refused:
                self.warn(f"{refused.path}:{refused.line}: {refused.code} not fixed: {refused.reason}")
            tree = cst.parse_module(mended.new)
        return tree

    def _mend(self, filename: str) -> tuple[Mended, ...]:
        try:
            namespace, configuration = flake8_options(self._arguments, [filename])
            chosen = options(vars(namespace), configuration, [filename])
        except ConfigurationError as error:
            raise SkipFile(str(error)) from error
        before = _analysis(chosen)
        for _, fault in select(before, namespace).errors:
            raise SkipFile(f"{fault.path}:{fault.line}: {fault.message}")

        def lint(texts: Mapping[str, bytes]) -> Iterable[Finding]:
            return (analyse(chosen, texts) if texts else before).findings

        def choose(findings: Iterable[Finding]) -> Iterable[Finding]:
            return [shown.finding for shown in select(replace(before, findings=tuple(sorted(findings))), namespace).shown]

        return mend_in_rounds(Path(chosen.root), choose(before.findings), lint, choose, _first_party(chosen)).files


@lru_cache(maxsize=1)
def _analysis(chosen: Options) -> Analysis:
    """Of the files as they were when the first was looked at: each is edited once, by what the linter said of all before."""
    return analyse(chosen)


@lru_cache(maxsize=1)
def _first_party(chosen: Options) -> frozenset[str]:
    return first_party(walk(chosen.root, chosen.exclude_from_index))
