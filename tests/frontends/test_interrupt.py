"""Ctrl-C and SIGTERM, sent to real processes: each file is the old or the new one, nothing else is left, and the person is told."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest

from flake8_deadline import cli
from flake8_deadline.cli.interrupt import Interrupted, held, raising
from flake8_deadline.cli.progress import Progress
from flake8_deadline.cli.writing import write_all
from flake8_deadline.codemods.mend import Mended
from flake8_deadline.rule import Finding
from flake8_deadline.signals import ENDING, waiting

OLD = (
    """\
from celery import shared_task


@shared_task(soft_time_limit=60, time_limit=90)
def sync(rows):
    for row in rows:
        try:
            row.save()
        except Exception:
            row.fail()
"""
    + "\n# And so on, so that the work is worth sharing out.\n" * 10
)
NEW = OLD.replace("task\n\n\n", "task\nfrom celery.exceptions import SoftTimeLimitExceeded\n\n\n", 1).replace(
    "        except Exception:", "        except SoftTimeLimitExceeded:\n            raise\n        except Exception:"
)
COUNT = 70
SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143}

pytestmark = pytest.mark.usefixtures("handlers")
each_signal = pytest.mark.parametrize("number", [pytest.param(number, id=number.name) for number in SIGNALS])


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    root = tmp_path_factory.mktemp("original") / "shop"
    root.mkdir()
    for number in range(COUNT):
        (root / f"tasks_{number:03}.py").write_text(OLD)
    (root / ".flake8").write_text("[flake8]\n")
    return root


@pytest.fixture
def shop(original, tmp_path):
    return shutil.copytree(original, tmp_path / "shop")


def started(root, *arguments):
    """`fix --write` in a process group of its own, as a shell starts it, and in no hurry, so that we are there in time."""
    process = subprocess.Popen(
        [sys.executable, "-m", "flake8_deadline", "fix", "--write", "--allow-dirty", *arguments],
        cwd=root,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={name: value for name, value in os.environ.items() if name != "PRE_COMMIT"},
    )
    os.setpriority(os.PRIO_PROCESS, process.pid, 5)
    return process


def assert_whole(root):
    """The number of files that are written; every other one is as it was, and there is nothing else."""
    names = {path.name for path in root.rglob("*") if ".flake8_deadline_cache" not in path.parts}
    assert names == {".flake8", *(f"tasks_{number:03}.py" for number in range(COUNT))}
    cached = {path.name for path in (root / ".flake8_deadline_cache").glob("*")}
    assert [name for name in cached if re.search(r"\.\d+\.", name)] == []
    texts = [path.read_text() for path in root.glob("*.py")]
    assert set(texts) <= {OLD, NEW}
    return texts.count(NEW)


def once_the_first_is_written(root, process):
    first = root / "tasks_000.py"
    before = first.stat().st_ino
    while first.stat().st_ino == before and process.poll() is None:
        time.sleep(0.0002)


@each_signal
def test_a_signal_while_files_are_written_leaves_each_old_or_new_and_says_how_many_are(shop, number):
    process = started(shop)
    once_the_first_is_written(shop, process)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    written = assert_whole(shop)
    assert process.returncode == SIGNALS[number]
    assert 1 <= written < COUNT
    assert said == f"interrupted: {written} of {COUNT} files are written; run it again for the rest\n"

    rest = started(shop)
    _, said = rest.communicate(timeout=60)
    assert (rest.returncode, assert_whole(shop)) == (0, COUNT)
    assert said.startswith(f"Fixed {COUNT - written} findings in {COUNT - written} files ")


@pytest.mark.live
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(("to", "jobs"), [("process", "1"), ("process", "3"), ("group", "3")])
def test_a_signal_at_any_moment_leaves_each_file_old_or_new(original, tmp_path, number, to, jobs):
    """From before the interpreter is up to after the end."""
    start = time.monotonic()
    started(shutil.copytree(original, tmp_path / "whole"), "-j", jobs).communicate(timeout=60)
    whole = time.monotonic() - start
    codes = []
    for turn in range(20):
        root = shutil.copytree(original, tmp_path / str(turn))
        process = started(root, "-j", jobs)
        time.sleep(whole * 1.1 * turn / 20)
        with suppress(ProcessLookupError):
            os.kill(process.pid, number) if to == "process" else os.killpg(process.pid, number)
        _, said = process.communicate(timeout=60)
        codes.append(process.returncode)
        written = assert_whole(root)
        if process.returncode == SIGNALS[number]:
            line = rf"interrupted: {written} of {COUNT} files are written(; run it again for the rest)?\n"
            assert re.fullmatch(line if 0 < written < COUNT else rf"({line}|Fixed {COUNT} .*\n|interrupted: no file is written\n)?", said)
            assert written == 0 or "no file" not in said
        else:
            # Before our first line has run, the signal does what it does to any Python program; after our last, nothing.
            # And before Python itself is up (its site module, runpy), Ctrl-C is an error to it.
            is_early = said.startswith(("Fatal Python error: init_import_site", "Could not import runpy module"))
            assert (process.returncode, written) in ((0, COUNT), (1 if is_early else -number, 0))
        assert not alive(process.pid)
    assert SIGNALS[number] in codes


def alive(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def run_main(monkeypatch, work, arguments=("check",)):
    monkeypatch.setattr("flake8_deadline.cli.check.run", work)
    monkeypatch.setattr("sys.argv", ["flake8-deadline", "check"])
    return cli.main(arguments)


def test_work_that_only_computes_ends_at_once_and_the_handlers_are_those_of_before(monkeypatch, handlers, capfd):
    assert run_main(monkeypatch, lambda parsed: signal.raise_signal(signal.SIGTERM)) == 143
    assert capfd.readouterr() == ("", "")
    assert {number: signal.getsignal(number) for number in handlers} == handlers


@pytest.mark.parametrize(("arguments", "said"), [(["--write"], "interrupted: no file is written\n"), ([], "")])
@pytest.mark.parametrize("while_it", ["reads", "edits"])
def test_before_the_first_file_is_written_the_person_is_told_that_none_is(original, tmp_path, monkeypatch, capfd, arguments, said, while_it):
    step = {"reads": "analysed", "edits": "mend_in_rounds"}[while_it]
    monkeypatch.setattr(f"flake8_deadline.cli.fix.{step}", lambda *_: signal.raise_signal(signal.SIGINT))
    monkeypatch.chdir(shutil.copytree(original, tmp_path / "shop"))
    assert cli.main(["fix", *arguments]) == 130
    assert capfd.readouterr() == ("", said)


def test_a_second_signal_does_not_disturb_what_the_first_has_begun_to_clear_away(monkeypatch):
    cleared = []

    def work(parsed):
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            signal.raise_signal(signal.SIGTERM)
            cleared.append(True)

    assert run_main(monkeypatch, work) == 130
    assert cleared == [True]


def test_a_signal_whose_exception_was_lost_still_decides_the_exit_code(monkeypatch):
    def work(parsed):
        with suppress(KeyboardInterrupt):  # as in a finalizer
            signal.raise_signal(signal.SIGTERM)
        return 0

    assert run_main(monkeypatch, work) == 143


def test_once_the_command_has_done_its_work_no_signal_disturbs_the_end_of_the_program(monkeypatch):
    assert run_main(monkeypatch, lambda parsed: 1, arguments=None) == 1
    assert {signal.getsignal(number) for number in ENDING} == {signal.SIG_IGN}


def test_a_signal_that_the_caller_has_switched_off_stays_so(monkeypatch):
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # nohup
    assert run_main(monkeypatch, lambda parsed: signal.raise_signal(signal.SIGHUP) or 0) == 0


def test_in_a_thread_signals_are_left_to_whoever_handles_them():
    before = signal.getsignal(signal.SIGINT)
    seen = []

    def enter():
        with held():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert seen == [before]


def test_a_signal_during_loading_waits_for_its_end():
    steps = []
    signal.signal(signal.SIGTERM, lambda number, frame: steps.append("signal"))
    with waiting():
        os.kill(os.getpid(), signal.SIGTERM)
        steps.append("loaded")
    assert steps == ["loaded", "signal"]


def test_where_signals_cannot_be_kept_waiting_loading_goes_on(monkeypatch):
    monkeypatch.delattr(signal, "pthread_sigmask", raising=False)
    with waiting():
        pass


def changed(root, count):
    files = []
    for number in range(count):
        (root / f"{number}.py").write_text("old")
        files.append(Mended(f"{number}.py", b"old", b"new", (Finding(f"{number}.py", 1, 1, "LIM101", "", "", (), None),), ()))
    return files


@pytest.mark.parametrize(
    ("count", "after", "said"),
    [
        (3, 1, "interrupted: 1 of 3 files are written; run it again for the rest"),
        (1, 1, "interrupted: 1 of 1 file is written"),
        (2, 2, "interrupted: 2 of 2 files are written"),
    ],
)
def test_a_signal_takes_effect_between_two_files(tmp_path, monkeypatch, count, after, said):
    real, calls = os.fsync, []

    def interrupt(descriptor):
        calls.append(descriptor)
        if len(calls) == after:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGTERM)
        real(descriptor)

    monkeypatch.setattr("flake8_deadline.codemods.writer.os.fsync", interrupt)
    with raising(ends_the_program=False), pytest.raises(Interrupted, match=f"^{said}$") as raised:
        write_all(tmp_path, changed(tmp_path, count), Progress(None))
    assert raised.value.code == 130
    assert [(tmp_path / f"{number}.py").read_text() for number in range(count)] == ["new"] * after + ["old"] * (count - after)


def test_files_that_could_not_be_written_do_not_count_as_written(tmp_path, monkeypatch):
    files = changed(tmp_path, 2)
    (tmp_path / "0.py").write_text("newer")
    real = os.fsync
    monkeypatch.setattr("flake8_deadline.codemods.writer.os.fsync", lambda descriptor: (signal.raise_signal(signal.SIGINT), real(descriptor)))
    with raising(ends_the_program=False), pytest.raises(Interrupted, match=r"^interrupted: 1 of 2 files are written; run it again for the rest$"):
        write_all(tmp_path, files, Progress(None))
