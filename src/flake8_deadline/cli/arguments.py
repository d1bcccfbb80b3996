"""The command line: every command, its options and their help. What they do is each command's own module's business."""

from __future__ import annotations

import argparse

from flake8_deadline import __version__
from flake8_deadline.flags import FLAGS, attribute

_EXIT_CODES = "exit codes: {}; 2 the run itself failed (bad option, unreadable path, broken configuration); 130 ended by Ctrl-C; 143 ended by SIGTERM"
_OF_COMMAND = {
    "check": "0 no findings; 1 findings, or a file that cannot be parsed",
    "fix": "0 nothing to fix, or all of it written; 1 changes in the diff, fixes refused, or a file that cannot be parsed",
    "explain": "0 explained",
}

_FLAKE8 = (
    ("--select", "CODES", "codes to report; unlike flake8's, not widened by an extend-select in the configuration; default: all rules that are on"),
    ("--extend-select", "CODES", "codes to add to select; names a default-off code to switch it on"),
    ("--ignore", "CODES", "codes not to report"),
    ("--extend-ignore", "CODES", "codes to add to ignore"),
    ("--per-file-ignores", "PAIRS", "codes not to report in some files"),
    ("--exclude", "PATTERNS", "files and directories to say nothing about; they are read all the same"),
    ("--extend-exclude", "PATTERNS", "patterns to add to exclude"),
    ("--filename", "PATTERNS", "names of the files to report on in directories; default: *.py"),
    ("--config", "FILE", "the configuration file, instead of the one that flake8 would find"),
)
"""flake8's own options that decide about a finding: handed on as they are."""


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="flake8-deadline",
        description="Find the code that swallows a background task's deadline, and mend it.",
        epilog=_EXIT_CODES.format("0 nothing to do; 1 findings, changes, or fixes refused"),
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _check(commands)
    _fix(commands)
    _explain(commands)
    return parser


def handed_on(parsed: argparse.Namespace) -> list[str]:
    """The arguments that flake8's own parser is to see."""
    arguments = [f"--append-config={path}" for path in parsed.append_config]
    arguments += [option for option in ("--isolated", "--disable-noqa") if getattr(parsed, attribute(option[2:]))]
    names = [option[2:] for option, _, _ in _FLAKE8] + [flag.name for flag in FLAGS]
    given = ((name, getattr(parsed, attribute(name))) for name in names)
    return [*arguments, *(f"--{name}={value}" for name, value in given if value is not None)]


def _check(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = _command(commands, "check", "report the findings")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and directories to report on; default: the current directory")
    parser.add_argument("--format", choices=("text", "concise", "json"), default="text", help="default: text")
    parser.add_argument("--output", metavar="FILE", help="write the report to a file")
    parser.add_argument("--statistics", action="store_true", help="count findings, and say how much was read")
    _add_analysis(parser)
    _add_colour(parser)


def _fix(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = _command(commands, "fix", "show the diff of all safe fixes, or apply them")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and directories to fix; default: the current directory")
    parser.add_argument("--write", action="store_true", help="apply the fixes")
    parser.add_argument("--allow-dirty", action="store_true", help="also change files with uncommitted edits, or under no version control")
    parser.add_argument("-q", "--quiet", action="store_true", help="say only what went wrong")
    text = "how many processes may edit files at once; default: auto, as many as there are processors"
    parser.add_argument("-j", "--jobs", type=_jobs, default="auto", metavar="N", help=text)
    group = parser.add_argument_group("more than the safe fixes", "these may change what the code does: read the diff")
    group.add_argument("--unsafe", action="store_true", help="also isolate the rows of sweeps, and stop retries at the deadline")
    group.add_argument(
        "--on-deadline",
        metavar="SNIPPET",
        help="what each new clause does before it raises again; {index}, {items} and {error} stand for the loop's index, what it goes over, and "
        "the exception",
    )
    group.add_argument("--soft", metavar="SECONDS", help="the soft limit for tasks that have none, with --hard and --reason")
    group.add_argument("--hard", metavar="SECONDS", help="their hard limit, above the soft one")
    group.add_argument("--reason", metavar="TEXT", help="why these limits: a comment beside them")
    _add_analysis(parser)
    _add_colour(parser)


def _explain(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = _command(commands, "explain", "say what a rule is about, or what is known about a line")
    parser.add_argument("subject", nargs="?", metavar="CODE|NAME|PATH:LINE", help="without it: all rules")
    _add_analysis(parser)
    _add_colour(parser)


def _command(commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, purpose: str) -> argparse.ArgumentParser:
    codes = _EXIT_CODES.format(_OF_COMMAND[name])
    return commands.add_parser(name, help=purpose, description=f"{purpose[0].upper()}{purpose[1:]}.", epilog=codes, allow_abbrev=False)


def _add_analysis(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is analysed", "also in the [flake8] section of the configuration")
    for flag in FLAGS:
        names = ("--enable", f"--{flag.name}") if flag.name == "deadline-enable" else (f"--{flag.name}",)
        group.add_argument(*names, dest=attribute(flag.name), metavar=flag.metavar, help=flag.help)
    group.add_argument("--everywhere", dest="deadline_scope", action="store_const", const="everywhere", help="--deadline-scope everywhere")
    group = parser.add_argument_group("what is reported", "flake8's options, with flake8's meaning")
    for option, metavar, text in _FLAKE8:
        group.add_argument(option, metavar=metavar, help=text)
    group.add_argument("--append-config", metavar="FILE", action="append", default=[], help="a further configuration file")
    group.add_argument("--isolated", action="store_true", help="read no configuration file")
    group.add_argument("--disable-noqa", action="store_true", help="report what a noqa comment silences, too")


def _jobs(text: str) -> int | None:
    """None leaves the number to us."""
    if text == "auto":
        return None
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is neither auto nor a number of at least 1")
    return int(text)


def _add_colour(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: on a terminal, unless NO_COLOR is set")
