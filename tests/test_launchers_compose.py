"""Compose files: what each service runs, what compose replaces, and what is taken over from another service."""

from __future__ import annotations

import pytest

from flake8_deadline.launches import Assignment, Command, Launches, Opaque, Reference, Text, Unit, Variable, Word
from flake8_deadline.reading.launchers.compose import read


def service(body: str, name: str = "w") -> Unit:
    found = read(f"services:\n  w:\n{body}".encode())
    assert found.kind == "compose"
    assert found.faults == ()
    return next(unit for unit in found.units if unit.name == name)


def shown(steps) -> list[list[str]] | None:
    """Each command's words, with `@` and the line of the word."""
    return None if steps is None else [[f"{''.join(map(piece, item.pieces))}@{item.line}" for item in step.words] for step in steps]


def piece(found) -> str:
    if isinstance(found, Variable):
        inner = "".join(map(piece, found.operand))
        return f"<{found.name}{found.operator}{inner}>" if found.by == "compose" else f"?{found.by}"
    return found.text


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        pytest.param(" celery -A a worker -Q 'x y'", ["celery@3", "-A@3", "a@3", "worker@3", "-Q@3", "x y@3"], id="string"),
        pytest.param("\n    - celery\n    - -Q\n    - x y", ["celery@4", "-Q@5", "x y@6"], id="list"),
        pytest.param('\n      [\n      "watchmedo",\n      "celery -A a worker",\n      ]', ["watchmedo@5", "celery -A a worker@6"], id="flow list"),
        pytest.param(" ['celery -A $X worker']", ["celery -A <X> worker@3"], id="a list of one string"),
        pytest.param(
            " >\n     /bin/bash -c '\n     sleep 3;\n     celery worker -l ${X:-INFO}'",
            ["/bin/bash@4", "-c@4", " sleep 3; celery worker -l <X:-INFO>@4"],
            id="folded with a shell",
        ),
        pytest.param(" >-\n      python -m watchdog.watchmedo\n      auto-restart -- celery worker", None, id="folded and stripped"),
        pytest.param(
            ' bash -c "wait-for-it.sh db:5432 -- celery worker -Q $$Q"',
            ["bash@3", "-c@3", "wait-for-it.sh db:5432 -- celery worker -Q $Q@3"],
            id="escaped",
        ),
        pytest.param(
            ' watchfiles --filter python "celery -A a worker"', ["watchfiles@3", "--filter@3", "python@3", "celery -A a worker@3"], id="watchfiles"
        ),
        pytest.param(
            " |\n      celery worker \\\n        --time-limit 5\n",
            ["celery@4", "worker@4", "--time-limit@5", "5@5"],
            id="literal with a continuation",
        ),
        pytest.param(" celery worker\n      --time-limit 5", ["celery@3", "worker@3", "--time-limit@4", "5@4"], id="plain over lines"),
        pytest.param(" celery $A-${B} ${C:?no} ${D+x$E}", ["celery@3", "<A>-<B>@3", "<C:?no>@3", "<D+x<E>>@3"], id="variables"),
        pytest.param(
            " celery ${A:-${B-x}}${} ${C!x} ${D $ 5$",
            ["celery@3", "<A:-<B-x>>${}@3", "${C!x}@3", "${D@3", "$@3", "5$@3"],
            id="nested and no variables",
        ),
        pytest.param(" {x: 1}", [], id="a mapping"),
        pytest.param(" []", [], id="an empty list"),
        pytest.param(' ""', [], id="an empty string"),
        pytest.param(" ~", "nothing", id="null"),
        pytest.param("", "nothing", id="no value"),
    ],
)
def test_a_command_is_words_with_lines(written: str, expected: list[str] | str | None) -> None:
    found = shown(service(f"    command:{written}\n").command)
    if expected is None:
        expected = "python@4 -m@4 watchdog.watchmedo@4 auto-restart@5 --@5 celery@5 worker@5".split()
    assert found == (None if expected == "nothing" else [expected] if expected else [])


def test_the_text_for_an_inner_shell_keeps_the_line_of_each_part() -> None:
    unit = service('    command: >-\n      sh -c "celery worker\n      --time-limit ${HARD:-5}\n      --soft-time-limit $${SOFT:-10}"\n')
    (command,) = unit.command or ()
    assert isinstance(command, Command)
    assert [(found.line, piece(found)) for found in command.words[2].pieces] == [
        (4, "celery worker "),
        (5, "--time-limit "),
        (5, "<HARD:-5>"),
        (5, " "),
        (6, "--soft-time-limit ${SOFT:-10}"),
    ]


def test_what_is_nested_too_deeply_is_opaque() -> None:
    unit = service(f"    environment:\n      A: {'${a:-' * 30}{'}' * 30}\n")
    value = unit.environment[0].value.pieces[0]
    for _ in range(20):
        assert isinstance(value, Variable)
        (value,) = value.operand
    assert value == Opaque("${a:-" * 10 + "}" * 10, 4)


def test_an_entrypoint_that_jumps_to_a_script() -> None:
    unit = service("    entrypoint: ['/wait-for-it.sh', 'db:5432', '--', '/entrypoint-celery-worker.sh']\n")
    assert shown(unit.entrypoint) == [["/wait-for-it.sh@3", "db:5432@3", "--@3", "/entrypoint-celery-worker.sh@3"]]
    assert unit.command is None


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('\n      A: "600"\n      B: x$Y', [("A", "600", 4, 4), ("B", "x<Y>", 5, 5)]),
        ("\n      A:\n        long\n        er", [("A", "long er", 4, 5)]),
        ("\n      A:\n      B: ''", [("A", "<A>", 4, 4), ("B", "", 5, 5)]),
        ("\n      - A=1=2\n      - B\n      - C=\n      - [D]", [("A", "1=2", 4, 4), ("B", "<B>", 5, 5), ("C", "", 6, 6)]),
        ("\n      - A=${B:-x y}", [("A", "<B:-x y>", 4, 4)]),
        (" x", []),
    ],
)
def test_an_environment_is_a_mapping_or_a_list(written: str, expected: list[tuple[str, str, int, int]]) -> None:
    entries = service(f"    environment:{written}\n").environment
    assert [(entry.name, "".join(map(piece, entry.value.pieces)), entry.line, entry.value.line) for entry in entries] == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("env_file: worker.env", [("worker.env", 3)]),
        ("env_file:\n    - a.env\n    - path: b.env\n      required: false\n    - {}", [("a.env", 4), ("b.env", 5)]),
        ("env_file:", []),
    ],
)
def test_env_files_are_named_in_three_ways(written: str, expected: list[tuple[str, int]]) -> None:
    assert [(file.path, file.line) for file in service(f"    {written}\n").env_files] == expected


@pytest.mark.parametrize(
    ("written", "build", "dockerfile"),
    [
        ("build: .", Reference(".", 3), ""),
        ("build:\n      context: app\n      dockerfile: D.worker\n      target: prod", Reference("app", 4, "prod"), "D.worker"),
        ("build: {dockerfile: D}", Reference(".", 3), "D"),
        ("build:", None, ""),
    ],
)
def test_what_a_service_is_built_from(written: str, build: Reference | None, dockerfile: str) -> None:
    unit = service(f"    {written}\n    image: i:1\n    working_dir: /app\n")
    assert (unit.build, unit.dockerfile, unit.image, unit.directory) == (build, dockerfile, "i:1", "/app")


ANCHORS = b"""\
x-worker: &worker
  image: orchard
  environment: &env
    HARD: "90"
services:
  pick:
    <<: *worker
    command: celery worker
  press:
    <<: *worker
    environment: {<<: *env, SOFT: 5}
    deploy: {replicas: 2}
"""


def test_what_is_merged_keeps_the_line_where_it_is_written() -> None:
    found = read(ANCHORS)
    assert [(unit.name, unit.line, unit.image) for unit in found.units] == [("pick", 6, "orchard"), ("press", 9, "orchard")]
    assert found.units[0].environment == (Assignment("HARD", Word(4, (Text("90", 4),)), 4),)
    assert [(entry.name, entry.line) for entry in found.units[1].environment] == [("SOFT", 11), ("HARD", 4)]


EXTENDS = """\
services:
  base:
    build: .
    image: i
    entrypoint: [run]
    command: celery worker
    env_file: a.env
    environment: {A: 1, B: 1}
  near:
    extends: base
    env_file: b.env
    environment: {B: 2}
  far:
    extends: {service: near}
    entrypoint: []
    command: celery beat
    image: j
"""


def test_a_service_takes_over_what_it_does_not_say_itself() -> None:
    _, near, far = read(EXTENDS.encode()).units
    assert (shown(near.entrypoint), shown(near.command)) == ([["run@5"]], [["celery@6", "worker@6"]])
    assert (shown(far.entrypoint), shown(far.command), far.image, far.build) == ([], [["celery@16", "beat@16"]], "j", Reference(".", 3))
    assert [(entry.name, entry.line) for entry in far.environment] == [("A", 8), ("B", 8), ("B", 12)]
    assert [file.path for file in far.env_files] == ["a.env", "b.env"]


@pytest.mark.parametrize("extends", ["{service: base, file: other.yml}", "nobody", "w"])
def test_what_is_extended_but_not_here_is_told(extends: str) -> None:
    found = read(f"services:\n  base: {{image: i}}\n  w:\n    extends: {extends}\n    command: celery worker\n".encode())
    assert (3, "'w' extends what is not in this file, or too many") in found.faults
    assert shown(found.units[-1].command) == [["celery@5", "worker@5"]]


def test_a_service_that_extends_no_mapping_is_as_it_is() -> None:
    found = read(b"services:\n  base: 1\n  w:\n    extends: base\n    image: i\n")
    assert [unit.name for unit in found.units] == ["w"]


def test_the_first_version_of_the_format_has_its_services_at_the_top() -> None:
    found = read(b"worker:\n  build: .\n  command: celery worker\nvolumes:\n  x: {}\n")
    assert [unit.name for unit in found.units] == ["worker"]


def test_a_template_keeps_its_holes() -> None:
    unit = service("    command: celery worker -Q {{ queues }} --time-limit ${H:-{{ hard }}}\n    image: {{ image }}\n")
    (command,) = unit.command or ()
    assert isinstance(command, Command)
    assert command.words[3].pieces == (Opaque("{{ queues }}", 3),)
    assert command.words[5].pieces == (Variable("H", 3, ":-", (Opaque("{{ hard }}", 3),), by="compose"),)
    assert unit.image == "{{ image }}"


def test_a_broken_file_gives_a_fault_and_no_service() -> None:
    found = read(b"services:\n  a:\n\timage: x\n")
    assert isinstance(found, Launches)
    assert (found.units, [line for line, _ in found.faults]) == ((), [3])
