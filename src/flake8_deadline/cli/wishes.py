"""What `fix` was asked for besides the safe fixes, from its arguments; a bad one is a bad command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flake8_deadline.codemods.snippet import Snippet, SnippetError, read
from flake8_deadline.codemods.wishes import Limits, Wishes
from flake8_deadline.configuration import ConfigurationError

if TYPE_CHECKING:
    import argparse


def wishes(parsed: argparse.Namespace) -> Wishes:
    """Raises `ConfigurationError`."""
    return Wishes(parsed.unsafe, _snippet(parsed.on_deadline), _limits(parsed.soft, parsed.hard, parsed.reason))


def _snippet(text: str | None) -> Snippet | None:
    if text is None:
        return None
    try:
        return read(text)
    except SnippetError as error:
        raise ConfigurationError(f"--on-deadline: {error}") from error


def _limits(soft: str | None, hard: str | None, reason: str | None) -> Limits | None:
    if soft is None and hard is None and reason is None:
        return None
    if soft is None or hard is None or reason is None:
        raise ConfigurationError("--soft, --hard and --reason go together: a limit is a decision that says why")
    limits = Limits(_seconds("--soft", soft), _seconds("--hard", hard), " ".join(reason.split()))
    if limits.soft >= limits.hard:
        raise ConfigurationError("--hard must be above --soft: between the two the task cleans up")
    if not limits.reason or not reason.isprintable():
        raise ConfigurationError("--reason: one line that says why")
    return limits


def _seconds(option: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise ConfigurationError(f"{option}: {text}: not a whole number of seconds above 0")
    return int(text)
