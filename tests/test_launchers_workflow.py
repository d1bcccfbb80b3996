"""Files of continuous integration: jobs, their steps and environments."""

from __future__ import annotations

import pytest

from flake8_deadline.launches import Assignment, Command, Opaque, Text, Variable, Word
from flake8_deadline.reading.launchers.workflow import read


def shown(steps) -> list[str]:
    """Each command's text with the line it begins on."""
    found = []
    for step in steps:
        assert isinstance(step, Command)
        words = ["".join(getattr(piece, "text", "") or f"${piece.name}" for piece in word.pieces) for word in step.words]
        found.append(f"{step.line}: {' '.join(words)}")
    return found


GITHUB = b"""\
on: push
env:
  A: 1
jobs:
  test:
    env: {B: "${{ secrets.B }}"}
    defaults: {run: {working-directory: src}}
    steps:
      - uses: actions/checkout@v4
      - name: worker
        env:
          C: $X
        run: |
          pip install .
          celery -A lark worker \\
            --time-limit ${{ matrix.hard }} &
      - shell: python
        run: import celery
      - {shell: /bin/bash -e, run: pytest}
  lint:
    steps: [{uses: x}]
"""


def test_a_github_workflow() -> None:
    found = read(GITHUB)
    (unit,) = found.units
    assert (found.kind, found.faults, unit.name, unit.line, unit.directory) == ("workflow", (), "test", 5, "src")
    assert shown(unit.command) == [
        "14: pip install .",
        "15: celery -A lark worker --time-limit ${{ matrix.hard }}",
        "19: pytest",
    ]
    assert unit.environment == (
        Assignment("A", Word(3, (Text("1", 3),)), 3),
        Assignment("B", Word(6, (Opaque("${{ secrets.B }}", 6),)), 6),
        Assignment("C", Word(12, (Text("$X", 12),)), 12),
    )
    last = unit.command[1].words[-1]
    assert (last.line, last.pieces) == (16, (Opaque("${{ matrix.hard }}", 16),))


CIRCLE = b"""\
version: 2.1
jobs:
  test:
    working_directory: ~/app
    environment: {A: 1}
    steps:
      - checkout
      - run: pip install .
      - run:
          name: worker
          background: true
          environment: {B: 2}
          command: |
            celery -A lark.app worker \\
              --soft-time-limit 5
      - run: {shell: pwsh, command: celery}
"""


def test_a_circleci_file() -> None:
    (unit,) = read(CIRCLE).units
    assert (unit.name, unit.line, unit.directory) == ("test", 3, "~/app")
    assert shown(unit.command) == ["8: pip install .", "14: celery -A lark.app worker --soft-time-limit 5"]
    assert [word.line for word in unit.command[1].words][-2:] == [15, 15]
    assert [entry.name for entry in unit.environment] == ["A", "B"]


GITLAB = b"""\
variables:
  A: $CI_X/a
  B: {value: "2", description: d}
  C: [x]
default:
  before_script: [echo 1]
.hidden:
  script: [echo hidden]
setup: &setup
  - echo 2
worker:
  variables: {D: 4}
  script:
    - *setup
    - celery worker --time-limit 5 &
    - !reference [.hidden, script]
    - |
      pytest
own:
  before_script: echo 3
  script: celery worker
image: {script: x}
trigger: {stage: a}
"""


def test_a_gitlab_file() -> None:
    worker, own = read(GITLAB).units
    assert (worker.name, worker.line, own.name, own.line) == ("worker", 11, "own", 19)
    assert shown(worker.command) == ["6: echo 1", "10: echo 2", "15: celery worker --time-limit 5", "18: pytest"]
    assert shown(own.command) == ["20: echo 3", "21: celery worker"]
    assert [(entry.name, entry.value.pieces) for entry in worker.environment] == [
        ("A", (Variable("CI_X", 2), Text("/a", 2))),
        ("B", (Text("2", 3),)),
        ("D", (Text("4", 12),)),
    ]


def test_a_before_script_at_the_top_counts_where_no_default_has_one() -> None:
    (unit,) = read(b"before_script: [echo 1]\nw: {script: [celery worker]}\n").units
    assert shown(unit.command) == ["1: echo 1", "2: celery worker"]


@pytest.mark.parametrize("source", [b'jobs: {a: {steps: [{run: "echo \'x"}]}}', b'a: {script: ["echo \'x"]}'])
def test_what_the_shell_cannot_read_is_told(source: bytes) -> None:
    assert [line for line, _ in read(source).faults] == [1]


def test_scripts_that_hold_themselves_end() -> None:
    assert read(b"a: {script: &s [celery worker, *s]}").units[0].name == "a"
