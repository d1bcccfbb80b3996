"""Manifests of platforms, and commands that start a worker under a telling key in any other YAML."""

from __future__ import annotations

import pytest

from flake8_deadline.launches import Opaque, Text, Unit, Variable
from flake8_deadline.reading.launchers.manifest import read


def units(source: str) -> list[Unit]:
    found = read(source.encode())
    assert found.kind == "manifest"
    assert found.faults == ()
    return list(found.units)


def words(steps) -> list[str]:
    return [
        "".join(getattr(piece, "text", "") or f"<{piece.name}{piece.operator}>" for piece in word.pieces) for step in steps for word in step.words
    ]


FOUNDRY = """\
defaults: &defaults
  env: {A: "1"}
applications:
- <<: *defaults
  name: notify
  env:
    B: "2"
  processes:
  - type: web
    command: ./scripts/run_web.sh
  - type: worker
    command: newrelic-admin run-program celery -A run_celery
      worker --pool=gevent -l ${LOGLEVEL:=INFO}
- name: beat
  command: celery beat
- name: silent
  command:
"""


def test_a_cloud_foundry_manifest() -> None:
    web, worker, beat = units(FOUNDRY)
    assert [(unit.name, unit.line) for unit in (web, worker, beat)] == [("web", 9), ("worker", 11), ("beat", 14)]
    assert words(web.command) == ["./scripts/run_web.sh"]
    assert words(worker.command)[:3] == ["newrelic-admin", "run-program", "celery"]
    assert words(worker.command)[-3:] == ["--pool=gevent", "-l", "<LOGLEVEL:=>"]
    assert [word.line for step in worker.command for word in step.words][4:6] == [12, 13]
    assert [(entry.name, entry.line) for entry in worker.environment] == [("B", 7)]
    assert beat.environment == ()


RENDER = """\
services:
  - type: worker
    name: celery
    startCommand: celery -A a worker
    envVars:
      - key: SOFT
        value: 60
      - key: SECRET
        sync: false
      - fromGroup: g
  - type: worker
    dockerCommand: ./worker.sh
"""


def test_a_render_file() -> None:
    celery, script = units(RENDER)
    assert [(unit.name, unit.line) for unit in (celery, script)] == [("celery", 3), ("worker", 11)]
    assert (words(celery.command), words(script.command)) == (["celery", "-A", "a", "worker"], ["./worker.sh"])
    assert [(entry.name, entry.line, entry.value.pieces) for entry in celery.environment] == [
        ("SOFT", 6, (Text("60", 7),)),
        ("SECRET", 8, (Opaque("set by the platform", 8),)),
    ]


APP_DESC = """\
spec_version: 2
modules:
  default:
    env_variables: [{key: A, value: $(B)}, {name: C, value: 1}]
    processes:
      web: {command: gunicorn}
      celery:
        command: python manage.py celery worker -P threads
        replicas: 2
"""


def test_an_app_desc_file() -> None:
    web, celery = units(APP_DESC)
    assert [(unit.name, unit.line) for unit in (web, celery)] == [("web", 6), ("celery", 7)]
    assert words(celery.command) == "python manage.py celery worker -P threads".split()
    assert [entry.name for entry in celery.environment] == ["A", "C"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x: {y: {cmd: celery worker}}", [("y", None, ["celery", "worker"])]),
        ("x: {y: {cmd: gunicorn}}", []),
        ("run: celery worker -Q $Q", [("", None, ["celery", "worker", "-Q", "<Q>"])]),
        ("x: [{start_command: celery worker}]", [("x", None, ["celery", "worker"])]),
        ("x: {command: [celery, worker]}", [("x", None, ["celery", "worker"])]),
        ("x: {command: [celery], args: [worker]}", [("x", ["celery"], ["worker"])]),
        ("x: {command: [celery], args: []}", [("x", None, ["celery"])]),
        ("x: {command: {celery: 1}}", []),
        ("x: {env: {command: celery worker}}", []),
        ("celery worker", []),
    ],
)
def test_elsewhere_only_a_command_that_names_celery_counts(source: str, expected: list) -> None:
    found = [(unit.name, None if unit.entrypoint is None else words(unit.entrypoint), words(unit.command)) for unit in units(source)]
    assert found == expected


def test_holes_are_opaque_and_charts_values_variables() -> None:
    (unit,) = units("processes: {w: {command: 'celery worker -Q {{ q }} -c {{ .Values.c }}'}}")
    (command,) = unit.command or ()
    assert [word.pieces for word in command.words][3::2] == [(Opaque("{{ q }}", 1),), (Variable("c", 1, by="values"),)]


def test_what_the_shell_cannot_read_is_told_and_aliases_into_themselves_end() -> None:
    found = read(b'a: &a\n  command: "celery \'x"\n  more: *a\n  list: [*a]\n')
    assert [line for line, _ in found.faults] == [2]
    assert len(found.units) == 1


def test_every_document_is_read() -> None:
    assert [unit.name for unit in units("a: {cmd: celery worker}\n---\nb: {cmd: celery worker}\n")] == ["a", "b"]
