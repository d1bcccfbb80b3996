"""One analysis for one command: the paths checked, flake8's options read, the engine run."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from flake8_deadline.check import analyse
from flake8_deadline.cli.arguments import handed_on
from flake8_deadline.configuration import ConfigurationError, inner_path, is_text
from flake8_deadline.plugin import run_options
from flake8_deadline.rules import RULES
from flake8_deadline.selection import PREFIX, flake8_options, selects_any

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from flake8_deadline.check import Analysis
    from flake8_deadline.options import Options


class Session(NamedTuple):
    namespace: argparse.Namespace
    """flake8's parsed options."""
    options: Options
    analysis: Analysis
    is_complete: bool
    """False where something that was asked for could not be done; the reason has been said."""
    is_configured: bool
    """False where a configuration file cannot be read: it may exclude what is reported here."""


def analysed(parsed: argparse.Namespace, paths: Sequence[str], also_enable: Sequence[str] = ()) -> Session | None:
    """Analyse the project for these paths; None where nothing of what was asked for can be done. Says what is wrong as it goes.

    `also_enable`: default-off codes to find whatever the options say; whether they are reported is still decided by the options.
    """
    _refuse_unknown_codes(parsed)
    problems = [f"{path}: {reason}" for path in paths if (reason := unusable(path)) is not None]
    usable = [path for path in paths if unusable(path) is None]
    namespace, used = flake8_options(handed_on(parsed), usable)
    options = run_options(namespace, used)
    for path in usable:
        if inner_path(path, options.root) is None and inner_path(options.root, path) is None:
            problems.append(f"{path}: outside the project root {options.root}; another root is chosen with --deadline-root")
            namespace.filenames.remove(path)
    for text in (*used.complaints, *problems):
        sys.stderr.write(f"flake8-deadline: {text}\n")
    if paths and not namespace.filenames:
        return None
    if not selects_any(namespace, (rule.code for rule in RULES)):
        sys.stderr.write("flake8-deadline: select and ignore leave no rule to report\n")
    wider = _with_enabled(options, also_enable)
    named = ["/".join(inner_path(path, options.root) or ()) for path in namespace.filenames if os.path.isfile(path)]
    return Session(namespace, options, analyse(wider, paths=named), not problems and not used.complaints, not used.complaints)


def unusable(path: str) -> str | None:
    """Why a path on the command line cannot be read, or None."""
    if not os.path.lexists(path):
        return "standard input is not read: name the file" if path == "-" else "no such file or directory"
    if not os.path.exists(path):
        return "a symbolic link that leads nowhere"
    if not os.path.isdir(path) and not os.path.isfile(path):
        return "neither a file nor a directory"
    if not is_text(path):
        return "its name is not valid UTF-8"
    return None if os.access(path, os.R_OK) else "permission denied"


def _with_enabled(options: Options, codes: Sequence[str]) -> Options:
    return replace(options, enable=tuple(sorted({*options.enable, *codes})))


def _refuse_unknown_codes(parsed: argparse.Namespace) -> None:
    known = [rule.code for rule in RULES]
    for option in ("select", "extend_select"):
        for code in (getattr(parsed, option) or "").replace(",", " ").split():
            if code.startswith(PREFIX) and not any(rule.startswith(code) for rule in known):
                raise ConfigurationError(f"--{option.replace('_', '-')}: there is no rule {code}; the rules are {', '.join(known)}")
