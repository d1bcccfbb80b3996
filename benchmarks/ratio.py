"""What a check costs, measured against parsing: `python benchmarks/ratio.py DIR [--runs N]`.

In one run, by turns: `ast.parse` over all `.py` files of the directory, a cold `check` (its cache removed), a warm one. Each is a process
of its own, and what is compared is its CPU time, user and system, children included. Other load on the machine moves figures less that way
than time on the clock; by turns, it moves all three alike.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PARSE = """
import ast, sys, warnings
from pathlib import Path
warnings.simplefilter("ignore")
parsed = lines = 0
for path in Path(sys.argv[1]).rglob("*.py"):
    try:
        text = path.read_bytes()
        ast.parse(text)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        continue
    parsed += 1
    lines += text.count(b"\\n")
print(parsed, lines)
"""


def cpu_seconds(command: list[str], cwd: Path) -> tuple[float, str]:
    """The CPU time of a process, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, encoding="utf-8")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1) or "Traceback" in done.stderr:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}\n{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def measure(directory: Path, runs: int, extra: list[str]) -> tuple[str, dict[str, list[float]]]:
    """How much was parsed, and the seconds of each kind of run, `runs` times each; a run of each before that counts for nothing."""
    seconds: dict[str, list[float]] = {"ast.parse": [], "cold check": [], "warm check": []}
    with tempfile.TemporaryDirectory() as scratch:
        cache = os.path.join(scratch, "cache")
        check = [sys.executable, "-m", "flake8_deadline", "check", "--deadline-root", ".", "--deadline-cache-dir", cache, "--format", "json", *extra]
        for turn in range(runs + 1):
            shutil.rmtree(cache, ignore_errors=True)
            parse, parsed = cpu_seconds([sys.executable, "-c", PARSE, "."], directory)
            cold, found = cpu_seconds(check, directory)
            warm, found_again = cpu_seconds(check, directory)
            if found != found_again:
                sys.exit("a warm check prints something else than a cold one")
            if turn:
                for kind, one in zip(seconds, (parse, cold, warm)):
                    seconds[kind].append(one)
    files, lines = parsed.split()
    return f"{int(files):,} files that parse, {int(lines):,} lines", seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, metavar="DIR")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="runs of each kind; the median counts (default: 3)")
    parser.add_argument("--enable", metavar="CODES", help="default-off codes to check as well")
    parsed = parser.parse_args()
    what, seconds = measure(parsed.directory, max(parsed.runs, 1), ["--enable", parsed.enable] if parsed.enable else [])
    medians = {kind: statistics.median(several) for kind, several in seconds.items()}
    print(f"{what}; medians of {max(parsed.runs, 1)}, CPU seconds")
    for kind, median in medians.items():
        several = ", ".join(f"{one:.2f}" for one in seconds[kind])
        print(f"{kind:<10}  {median:7.2f}  {median / medians['ast.parse']:6.3f} x ast.parse  ({several})")
    print(f"warm / cold {medians['warm check'] / medians['cold check']:.3f}")


if __name__ == "__main__":
    main()
