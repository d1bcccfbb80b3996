"""The product's own options as they are written: one list for flake8's configuration section, its command line and our commands.

What a value means, and whether it can be used, is decided in `configuration`. Imports nothing, so that `--help` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from flake8.options.manager import OptionManager


class Flag(NamedTuple):
    name: str
    """As in the configuration file; `--name` on a command line."""
    metavar: str
    help: str


FLAGS = (
    Flag("deadline-root", "DIR", "Project root: where the index starts. Default: the configuration file's directory, or the repository."),
    Flag("deadline-enable", "CODES", "Codes to report that are off by default."),
    Flag("deadline-scope", "SCOPE", "'tasks' (default): what a task reaches; 'everywhere': all code counts as reached."),
    Flag("deadline-task-decorators", "NAMES", "Dotted names that make a function a task, besides the known ones."),
    Flag("deadline-signals", "NAMES", "Dotted names of further exceptions that a time limit raises."),
    Flag("deadline-cheap-calls", "NAMES", "Dotted names of calls in which no time passes."),
    Flag("deadline-exclude-from-index", "PATTERNS", "Files that the index does not read, relative to the root."),
    Flag("deadline-cache-dir", "DIR", "Directory for the cache, or 'none'. Default: .flake8_deadline_cache in the root."),
    Flag("deadline-celery-version", "VERSION", "Celery's version, where it cannot be read from the project."),
)


def attribute(name: str) -> str:
    """The name under which a parsed value is kept."""
    return name.replace("-", "_")


def register(manager: OptionManager) -> None:
    """Declare the options to flake8, as strings: flake8 shows a traceback for any other type with a bad value."""
    for flag in FLAGS:
        manager.add_option(f"--{flag.name}", metavar=flag.metavar, default="", parse_from_config=True, help=flag.help)
