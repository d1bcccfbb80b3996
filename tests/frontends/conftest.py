"""A stand-in for the engine: it finds what a comment says, so that what is done with findings can be tested alone."""

from __future__ import annotations

import ast
import os
import re
import signal
from typing import TYPE_CHECKING

import pytest

from flake8_deadline import plugin
from flake8_deadline.check import Analysis, FileError, Statistics
from flake8_deadline.cli import session
from flake8_deadline.rule import Finding, Link, Reraise
from flake8_deadline.rules import RULES
from flake8_deadline.signals import ENDING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from flake8_deadline.options import Options

_BY_CODE = {rule.code: rule for rule in RULES}
_MARKER = re.compile(r"#! (LIM\d+)")


class Engine:
    """`analyse` with one rule: a line with `#! LIM101` has that finding, at its first character."""

    def __init__(self) -> None:
        self.runs: list[Options] = []
        self.paths: list[Sequence[str]] = []
        self.overrides: list[Mapping[str, bytes]] = []
        self.failure: Exception | None = None

    def __call__(self, options: Options, overrides: Mapping[str, bytes] = {}, paths: Sequence[str] = ()) -> Analysis:
        self.runs.append(options)
        self.paths.append(paths)
        self.overrides.append(overrides)
        if self.failure is not None:
            raise self.failure
        texts = {**_read(options.root, paths), **overrides}
        findings: list[Finding] = []
        errors: list[FileError] = []
        for path, text in sorted(texts.items()):
            try:
                ast.parse(text)
            except SyntaxError as error:
                errors.append(FileError(path, error.lineno or 1, f"SyntaxError: {error.msg}"))
            else:
                findings += _found(path, text.decode(), options.enable)
        findings.sort(key=lambda one: (one.path, one.line, one.column, one.code))
        count = len(texts)
        return Analysis(options.root, tuple(findings), tuple(errors), Statistics(count, count - len(errors), 2, 3, 5, 7, 0))


def _read(root: str, paths: Sequence[str]) -> dict[str, bytes]:
    found = [os.path.join(top, name) for top, _, names in os.walk(root) for name in names if name.endswith(".py")]
    relative = {os.path.relpath(path, root).replace(os.sep, "/") for path in found} | set(paths)
    texts = {}
    for path in relative:
        with open(os.path.join(root, path), "rb") as file:
            texts[path] = file.read()
    return texts


def _found(path: str, text: str, enable: Sequence[str]) -> list[Finding]:
    findings = []
    for number, line in enumerate(text.split("\n"), 1):
        column = len(line) - len(line.lstrip()) + 1
        for code in _MARKER.findall(line):
            rule = _BY_CODE[code]
            fix = Reraise(number, "celery.exceptions", "SoftTimeLimitExceeded", rule.fixable) if rule.fixable else None
            if rule.default or code in enable:
                chain = (Link(path, 1, "task billing.sync"), Link(path, number, "handler"))
                findings.append(Finding(path, number, column, code, rule.name, f"found on line {number}; mend it", chain, fix))
    return findings


@pytest.fixture
def handlers() -> Iterator[dict[int, object]]:
    """The signals' handlers as a shell begins a program in the foreground, however the tests were begun; afterwards as they were."""
    before = {number: signal.getsignal(number) for number in ENDING}
    for number in ENDING:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    yield {number: signal.getsignal(number) for number in ENDING}
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    stand_in = Engine()
    monkeypatch.setattr(plugin, "analyse", stand_in)
    monkeypatch.setattr(session, "analyse", stand_in)
    return stand_in


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Write files and go there: `project({"shop/tasks.py": "..."})`."""

    def write(files: Mapping[str, str | bytes]) -> Path:
        root = tmp_path / "project"
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode() if isinstance(text, str) else text)
        monkeypatch.chdir(root)
        monkeypatch.setattr("sys.argv", ["pytest"])
        return root

    return write
