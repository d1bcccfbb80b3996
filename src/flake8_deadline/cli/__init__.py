"""The command `flake8-deadline`: parse the arguments, run one sub-command, turn what went wrong into a message and an exit code.

Exit codes: 0 nothing to say, 1 findings or changes, 2 the run itself failed, 130 and 143 ended by Ctrl-C or SIGTERM. Only the argument
parser is loaded before it is known which command is asked for, so that `--help` and `--version` are instant.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

from flake8_deadline.cli.arguments import make_parser
from flake8_deadline.cli.interrupt import Interrupted, exit_code, raising
from flake8_deadline.signals import waiting

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

FAILED = 2
_PIPE_CLOSED = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code. Argparse itself exits (with 0 or 2) for help, the version and bad arguments."""
    parsed = make_parser().parse_args(arguments)
    try:
        with raising(ends_the_program=arguments is None) as came:
            code = _run(parsed)
    except KeyboardInterrupt as interrupt:
        with suppress(OSError):
            sys.stderr.write(f"{interrupt}\n" if str(interrupt) else "")
        return interrupt.code if isinstance(interrupt, Interrupted) else exit_code(signal.SIGINT)
    return code if came.number is None else exit_code(came.number)


def _run(parsed: argparse.Namespace) -> int:
    try:
        with waiting():
            command = import_module(f"flake8_deadline.cli.{parsed.command}")
        code: int = command.run(parsed)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone (`| head`); give the interpreter somewhere to flush to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _PIPE_CLOSED
    except Exception as error:
        sys.stderr.write(f"flake8-deadline: {_reason(error)}\n")
        return FAILED
    return code


def _reason(error: Exception) -> str:
    from flake8.exceptions import ExecutionError  # noqa: PLC0415  (loaded already where it can have been raised)

    if isinstance(error, ExecutionError):
        return str(error)
    if isinstance(error, OSError):
        return str(error) if error.filename is None else f"{os.fsdecode(error.filename)}: {error.strerror}"
    return f"internal error, please report it: {type(error).__name__}: {error} ({_place(error)})"


def _place(error: Exception) -> str:
    """Where it was raised, for the report; never a whole traceback."""
    trace, place = error.__traceback__, ""
    while trace is not None:
        place = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return place
