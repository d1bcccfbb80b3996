"""Kubernetes manifests and charts: containers, ConfigMaps of the same file, templates, and values by dotted name."""

from __future__ import annotations

import pytest

from flake8_deadline.launches import Assignment, Command, Opaque, Piece, Text, Unit, Variable, Word
from flake8_deadline.reading.launchers.kubernetes import read, values


def container(body: str, more: str = "") -> Unit:
    indented = "".join(f"        {line}\n" for line in body.splitlines())
    found = read(f"kind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n      - name: w\n{indented}{more}".encode())
    assert found.kind == "kubernetes"
    assert found.faults == ()
    return found.units[0]


def words(steps) -> list[tuple[Piece, ...]]:
    (command,) = steps
    assert isinstance(command, Command)
    return [item.pieces for item in command.words]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (b"kind: Pod\nspec:\n  containers: [{name: a}, {name: b}, 5]\n", [("a", 3), ("b", 3)]),
        (b"kind: CronJob\nspec:\n jobTemplate:\n  spec:\n   template:\n    spec:\n     containers:\n     - image: i\n       name: a\n", [("a", 9)]),
        (b"kind: Pod\nspec:\n  initContainers: [{name: a}]\n  containers:\n  - image: i\n", [("", 5)]),
        (b"kind: List\nitems:\n- spec: {containers: [{name: a}]}\n- spec: {containers: [{name: b}]}\n", [("a", 3), ("b", 4)]),
        (b"spec: {containers: [{name: a}]}\n---\nspec: {containers: [{name: b}]}\n", [("a", 1), ("b", 3)]),
        (b"containers: [{name: a}]\n", []),
        (b"spec: {containers: x}\n", []),
    ],
)
def test_every_container_under_a_spec_is_a_unit(source: bytes, names: list[tuple[str, int]]) -> None:
    assert [(unit.name, unit.line) for unit in read(source).units] == names


def test_command_and_arguments_are_words_without_a_shell() -> None:
    unit = container("command: ['sh', '-c']\nargs:\n- celery worker\n  --time-limit $(HARD)\nimage: i\nworkingDir: /app")
    assert words(unit.entrypoint) == [(Text("sh", 7),), (Text("-c", 7),)]
    assert words(unit.command) == [(Text("celery worker ", 9), Text("--time-limit ", 10), Variable("HARD", 10, quoted=True))]
    assert (unit.image, unit.directory) == ("i", "/app")
    assert container("command: celery").entrypoint is None
    assert container("args: []").command == ()


@pytest.mark.parametrize(
    ("written", "pieces"),
    [
        ("$(A)-$(B.c)", (Variable("A", 7), Text("-", 7), Variable("B.c", 7))),
        ("$$(A)", (Text("$(A)", 7),)),
        ("a$", (Text("a$", 7),)),
        ("$(", (Text("$(", 7),)),
        ("$()", (Text("$()", 7),)),
        ("$(a b)", (Text("$(a b)", 7),)),
        ("$(a", (Text("$(a", 7),)),
        ("${A}", (Text("${A}", 7),)),
        ("$({{ x }})", (Text("$(", 7), Opaque("{{ x }}", 7), Text(")", 7))),
    ],
)
def test_a_reference_to_the_environment(written: str, pieces: tuple[Piece, ...]) -> None:
    assert container(f"env: [{{name: A, value: '{written}'}}]").environment[0].value.pieces == pieces


CONFIG = """\
---
kind: ConfigMap
metadata: {name: limits}
data:
  SOFT: "60"
  other: x
"""


def test_what_a_config_map_of_the_same_file_holds_is_known() -> None:
    env = "envFrom:\n- configMapRef: {name: limits}\n- configMapRef: {name: limits}\n  prefix: P_\n- secretRef: {name: s}\n"
    env += "env:\n- {name: HARD, valueFrom: {configMapKeyRef: {name: limits, key: SOFT}}}"
    entries = container(env, CONFIG).environment
    soft = Word(18, (Text("60", 18),))
    assert [(entry.name, entry.line) for entry in entries] == [("SOFT", 18), ("other", 19), ("P_SOFT", 18), ("P_other", 19), ("HARD", 13)]
    assert entries[0] == Assignment("SOFT", soft, 18)
    assert entries[4].value == soft


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("{configMapKeyRef: {name: limits, key: HARD}}", "configMapKeyRef limits HARD"),
        ("{configMapKeyRef: {name: others, key: SOFT}}", "configMapKeyRef others SOFT"),
        ("{secretKeyRef: {name: limits, key: SOFT}}", "secretKeyRef limits SOFT"),
        ("{fieldRef: {fieldPath: x}}", "fieldRef"),
        ("{}", "valueFrom"),
    ],
)
def test_what_stands_elsewhere_is_opaque(source: str, written: str) -> None:
    (entry,) = container(f"env: [{{name: A, valueFrom: {source}}}]", CONFIG).environment
    assert entry.value.pieces == (Opaque(written, 7),)


def test_entries_without_a_value_or_a_name() -> None:
    assert container("env: [{name: A}, {value: 1}, x]").environment == (Assignment("A", Word(7), 7),)


CHART = """\
kind: Deployment
metadata:
  name: {{ include "onyx.fullname" . }}-worker
  labels:
    {{- include "onyx.labels" . | nindent 4 }}
spec:
  template:
    spec:
      {{- with .Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: celery
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default "latest" }}"
          command:
            [
              "celery",
              "worker",
              {{- if .Values.limited }}
              "--soft-time-limit={{ .Values.celery.soft | default 120 }}",
              {{- end }}
            ]
          envFrom:
            - configMapRef:
                name: {{ include "onyx.fullname" . }}-env
          env:
            - name: HARD
              value: {{ .Values.celery.hard | quote }}
            {{- toYaml .Values.extraEnv | nindent 12 }}
---
kind: ConfigMap
metadata:
  name: {{ include "onyx.fullname" . }}-env
data:
  POOL: {{ .Values.pool }}
"""


def test_a_charts_template_is_read_with_its_holes() -> None:
    found = read(CHART.encode())
    (unit,) = found.units
    assert found.faults == ()
    soft = Variable("celery.soft", 21, ":-", (Text("120", 21),), True, "values")
    assert words(unit.entrypoint) == [(Text("celery", 18),), (Text("worker", 19),), (Text("--soft-time-limit=", 21), soft)]
    assert [(entry.name, entry.value.pieces) for entry in unit.environment] == [
        ("POOL", (Variable("pool", 36, by="values"),)),
        ("HARD", (Variable("celery.hard", 29, by="values"),)),
    ]


def test_an_alias_into_itself_ends() -> None:
    found = read(b"spec: &a\n  containers: [{name: w}]\n  more: *a\n")
    assert {unit.name for unit in found.units} == {"w"}
    assert len(found.units) < 70


VALUES = b"""\
celery:
  soft: 60
  worker: {pool: solo, empty: }
list: [1, {a: 2}]
"a.b": |
  one
  two
"""


def test_values_are_known_by_dotted_name() -> None:
    found = values(VALUES)
    assert found.kind == "values"
    assert found.units == found.faults == ()
    assert found.variables == (
        Assignment("celery.soft", Word(2, (Text("60", 2),)), 2),
        Assignment("celery.worker.pool", Word(3, (Text("solo", 3),)), 3),
        Assignment("celery.worker.empty", Word(3), 3),
        Assignment("a.b", Word(6, (Text("one\n", 6), Text("two\n", 7))), 5),
    )


def test_values_that_never_end_are_left() -> None:
    found = values(b"a: &a {x: 1, more: *a}\n" + b"k" * 400 + b": 1\n")
    assert 50 < len(found.variables) < 70
    assert all(len(entry.name) < 400 for entry in found.variables)
