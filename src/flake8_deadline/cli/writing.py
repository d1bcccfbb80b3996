"""Put the mended files on disk, one after the other. A signal to end takes effect between two files, never within one."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from flake8_deadline.cli.interrupt import Interrupted, held
from flake8_deadline.codemods.mend import apply
from flake8_deadline.report.text import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from flake8_deadline.cli.progress import Progress
    from flake8_deadline.codemods.mend import Mended, Refused


@contextmanager
def preparing() -> Iterator[None]:
    """What goes before the writing: who interrupts it is told that nothing has been written."""
    try:
        yield
    except Interrupted as interrupt:
        interrupt.args = ("interrupted: no file is written",)
        raise


def write_all(root: Path, changed: Sequence[Mended], progress: Progress) -> list[Refused]:
    """Returns the findings of the files that could not be written. Raises `Interrupted` where a signal came meanwhile."""
    begun: list[Mended] = []
    with held() as came:

        def until_told_to_end() -> Iterator[Mended]:
            for one in changed:
                if came.number is not None:
                    return
                begun.append(one)
                progress.say(f"writing {len(begun)} of {number(len(changed), 'file')}")
                yield one

        refused = apply(root, until_told_to_end())
    if came.number is not None:
        written = len(begun) - len({one.path for one in refused})
        rest = "; run it again for the rest" if written < len(changed) else ""
        raise Interrupted(
            came.number, f"interrupted: {written} of {number(len(changed), 'file')} {'is' if len(changed) == 1 else 'are'} written{rest}"
        )
    return refused
