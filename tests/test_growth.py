"""Work grows with the project, not with its square. Counted in function calls, which no busy machine changes."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COUNTING = """
import sys
from flake8_deadline.check import analyse
from flake8_deadline.options import Options

calls = 0

def count(frame, event, argument):
    global calls
    calls += event in ("call", "c_call")

options = Options(root=sys.argv[1], enable=("LIM108", "LIM109"), scope="everywhere", cache_dir="none")
sys.setprofile(count)
analysis = analyse(options)
sys.setprofile(None)
print(calls, len(analysis.findings))
"""


def many(size: int, text: str) -> str:
    """The text so many times, with its number for each `#` and the next for each `§`."""
    return "".join(dedent(text).replace("#", str(number)).replace("§", str(number + 1)) for number in range(size))


def classes_below_one(size: int) -> str:
    """Any of which every call may mean."""
    return "class Base:\n    def save(self): pass\n" + many(
        size,
        """
        class C#(Base):
            def load(self): pass

        def work#(base: Base, rows):
            for row in rows:
                try:
                    base.save()
                    row.mark_it()
                except Exception:
                    pass
        """,
    )


def classes_of_one_name(size: int) -> str:
    return many(
        size,
        """
        def work#(rows):
            class Base:
                def save(self): self.mark_it()

            class Row(Base):
                def load(self): self.save()

            def each(base: Base):
                for row in rows:
                    try:
                        base.save()
                        row.load_it()
                    except Exception:
                        pass

            each(Row())
        """,
    )


def swallows_in_a_chain_of_calls(size: int) -> str:
    """After each of which something could go on in every function above."""
    return many(
        size,
        """
        def link#(row):
            try:
                link§(row)
                row.save_it()
            except Exception:
                row.fail_it()
        """,
    )


SHAPES = (classes_below_one, classes_of_one_name, swallows_in_a_chain_of_calls)


def calls_and_findings(text: str, directory: Path) -> tuple[int, int]:
    directory.mkdir()
    (directory / "work.py").write_text(text)
    done = subprocess.run([sys.executable, "-c", COUNTING, str(directory)], capture_output=True, text=True, check=True)
    calls, findings = done.stdout.split()
    return int(calls), int(findings)


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_as_much_code_takes_no_more_than_three_times_the_work(shape: Callable[[int], str], tmp_path: Path) -> None:
    calls, findings = calls_and_findings(shape(40), tmp_path / "small")
    more_calls, more_findings = calls_and_findings(shape(80), tmp_path / "large")
    assert more_findings == 2 * findings
    assert more_calls < 3 * calls
