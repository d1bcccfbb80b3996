"""What is said while a person waits; on a real terminal, as far as a program can have one."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

from flake8_deadline.cli import progress as module
from flake8_deadline.cli.progress import Progress, progress

LOOP = """\
from celery import shared_task


@shared_task(soft_time_limit=60, time_limit=90)
def sync(rows):
    for row in rows:
        try:
            row.save()
        except Exception:
            row.fail()
"""
HASTY = "import sys; from flake8_deadline.cli import main, progress; progress.AFTER = {after}; sys.exit(main())"
"""The command, its patience given."""


@pytest.fixture
def terminal():
    """Its two ends: the program's, and a function that says what has been written to it."""
    ours, theirs = pty.openpty()

    def seen():
        os.close(theirs)
        parts = []
        try:
            while part := os.read(ours, 4096):
                parts.append(part)
        except OSError:  # how Linux says that nobody writes any more
            pass
        return b"".join(parts).decode()

    yield theirs, seen
    os.close(ours)


@pytest.fixture
def no_wait(monkeypatch):
    monkeypatch.setattr(module, "AFTER", 0.001)


def fix(root, terminal, *arguments, after=0.001, **environment):
    """What the command draws; nothing of it may be left on the screen but what is said at the end."""
    theirs, seen = terminal
    inherited = {name: value for name, value in os.environ.items() if name not in ("CI", "PRE_COMMIT")}
    command = [sys.executable, "-c", HASTY.format(after=after), "fix", "--deadline-cache-dir", "none", *arguments]
    run = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, stderr=theirs, env={**inherited, "TERM": "xterm", **environment})
    assert run.returncode in (0, 1)
    return seen().replace("\r\n", "\n"), run.stdout


def on_screen(drawn):
    return re.sub(r"[^\n]*\r\x1b\[K", "", drawn)


@pytest.fixture
def shop(tmp_path):
    for number in range(3):
        (tmp_path / f"tasks_{number}.py").write_text(LOOP)
    return tmp_path


def test_a_long_run_says_what_goes_on_and_leaves_nothing_of_it_on_the_screen(shop, terminal):
    drawn, diff = fix(shop, terminal)
    said = re.findall(r"\r\x1b\[K([^\r\n]*)(?=\r)", drawn)
    assert said[0] == "reading the project"
    assert said[1:] == ["editing 1 of 3 files", "editing 2 of 3 files", "editing 3 of 3 files", "checking the result"]
    assert on_screen(drawn) == "Would fix 3 findings in 3 files (3 imports added).\nApply with --write.\n"
    assert b"\x1b" not in diff


def test_writing_says_how_far_it_is(shop, terminal):
    drawn, _ = fix(shop, terminal, "--write", "--allow-dirty")
    assert "\r\x1b[Kwriting 1 of 3 files\r" in drawn
    assert on_screen(drawn).startswith("Fixed 3 findings in 3 files")


def test_a_short_run_says_nothing(shop, terminal):
    drawn, _ = fix(shop, terminal, after=60)
    assert "\x1b" not in drawn
    assert drawn.startswith("Would fix 3 findings")


@pytest.mark.parametrize(("arguments", "environment"), [((), {"CI": "true"}), ((), {"PRE_COMMIT": "1"}), ((), {"TERM": "dumb"}), (("-q",), {})])
def test_where_nobody_watches_nothing_is_drawn(shop, terminal, arguments, environment):
    drawn, _ = fix(shop, terminal, *arguments, **environment)
    assert drawn == ("" if arguments else "Would fix 3 findings in 3 files (3 imports added).\nApply with --write.\n")


def test_into_a_file_nothing_is_drawn(monkeypatch, capfd):
    with progress({"TERM": "xterm"}, is_quiet=False) as line:
        line._due = 0
        line.say("reading")
    assert capfd.readouterr() == ("", "")


def test_the_line_comes_by_itself_while_the_program_is_busy_elsewhere(terminal, no_wait):
    theirs, seen = terminal
    with Progress(theirs) as line:
        line.say("reading the project")
        end = time.monotonic() + 5
        while not line._is_shown and time.monotonic() < end:
            time.sleep(0.001)
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    assert seen() == "\r\x1b[Kreading the project\r\x1b[K"


def test_what_ends_before_anything_was_said_draws_nothing(terminal, no_wait):
    theirs, seen = terminal
    with Progress(theirs):
        time.sleep(0.05)
    assert seen() == ""


def test_an_alarm_that_somebody_else_has_set_is_left_alone(terminal, no_wait):
    theirs, seen = terminal
    rung = []
    signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
    try:
        with Progress(theirs) as line:
            line.say("reading")
            signal.raise_signal(signal.SIGALRM)
    finally:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    assert (rung, seen()) == ([signal.SIGALRM], "")


def test_in_a_thread_the_line_comes_with_the_next_thing_to_say(terminal, no_wait):
    theirs, seen = terminal

    def work():
        with Progress(theirs) as line:
            line.say("reading")
            time.sleep(0.05)
            line.say("writing")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen() == "\r\x1b[Kwriting\r\x1b[K"


def test_a_terminal_that_is_gone_is_no_reason_to_fail(no_wait):
    ours, theirs = pty.openpty()
    os.close(theirs)
    with Progress(theirs) as line:
        time.sleep(0.05)
        line.say("writing")
    os.close(ours)
