"""Files of tasks that start programs: makefiles, justfiles, JSON and TOML."""

import pytest

from flake8_deadline.launches import Command, Opaque, Reference, Text, Variable
from flake8_deadline.reading.launchers import json_tasks, makefile, toml_tasks


def shown(pieces):
    return "".join(_shown(piece) for piece in pieces)


def _shown(piece):
    if isinstance(piece, Text):
        return piece.text
    if isinstance(piece, Variable):
        by = "" if piece.by == "environment" else f"{piece.by}:"
        return f"<{by}{piece.name}{piece.operator}{shown(piece.operand)}>"
    assert isinstance(piece, Opaque)
    return f"[{piece.text}]"


def words(steps):
    return None if steps is None else [[shown(word.pieces) for word in step.words] for step in steps if isinstance(step, Command)]


def values(assignments):
    return {one.name: shown(one.value.pieces) for one in assignments}


def started(launches):
    assert launches.faults == ()
    return {unit.name: words(unit.command) for unit in launches.units}


# make


def test_a_target_is_a_unit_with_the_steps_of_its_recipe():
    found = makefile.read(
        b"all: worker\n\nworker beat: .env\n\t@-celery -A $(APP) worker \\\n\t\t--soft=$${SOFT:-5}\n\n\t# no\n\techo $X $(shell x $(y)) $@\n"
    )
    assert started(found) == {
        name: [["celery", "-A", "<make:APP>", "worker", "--soft=<SOFT:-5>"], ["echo", "<make:X>", "[$(shell x $(y))]", "[$@]"]]
        for name in ("worker", "beat")
    }
    assert found.units[0].line == 3
    assert [step.line for step in found.units[0].command] == [4, 8]
    assert [word.line for word in found.units[0].command[0].words] == [4, 4, 4, 4, 5]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X = v # why\n", ("X", "v", 1, False, False)),
        ("X := a $(Y) $$Z\n", ("X", "a <make:Y> $Z", 1, False, False)),
        ("X ::= a\n", ("X", "a", 1, False, False)),
        ("X ?= ${Y}\n", ("X", "<make:Y>", 1, False, True)),
        ("export X=\n", ("X", "", 1, True, False)),
        ("override export X=$(or $(Y),5)\n", ("X", "[$(or $(Y),5)]", 1, True, False)),
        ("X += b\n", ("X", "<make:X> b", 1, False, False)),
        ("X != date\n", ("X", "[date]", 1, False, False)),
        ("X = \\\n  'a \\\n  $(b c$\n", ("X", "'a [$(b c$]", 2, False, False)),
        ("X = a$\n", ("X", "a$", 1, False, False)),
        ("X = a \\# b\n", ("X", "a \\# b", 1, False, False)),
    ],
)
def test_variables_of_make(text, expected):
    (one,) = makefile.read(text.encode()).variables
    assert (one.name, shown(one.value.pieces), one.value.line, one.exported, one.if_unset) == expected


def test_a_value_of_make_over_lines_keeps_them():
    (one,) = makefile.read(b"X = a \\\n  b\n").variables
    assert [(piece.text, piece.line) for piece in one.value.pieces] == [("a", 1), (" b", 2)] or shown(one.value.pieces) == "a  b"
    assert [piece.line for piece in one.value.pieces] == [1, 2]


def test_conditions_of_make_stand_over_variables_and_steps():
    found = makefile.read(b"ifdef A\nX = 1\nelse ifeq (a,b)\nX = 2\nendif\nX = 3\nendif\nt:\nifndef B\n\ta\nendif\n\tb\n")
    assert [one.conditions for one in found.variables] == [("ifdef A",), ("else ifeq (a,b)",), ()]
    assert [step.conditions for step in found.units[0].command] == [("ifndef B",), ()]


def test_other_shapes_of_a_makefile_are_told_apart():
    text = (
        b".PHONY: a\n\tno\ninclude x\nexport A\ndefine B\na: b\n\tno\nendef\n.RECIPEPREFIX = >\na: b ; first \\\n  more\n> second\nX = 1\n> no\n"
        b"b:: c\n>third\n.RECIPEPREFIX =\nc:\n\tfourth\nd: export Y = 1\n"
    )
    assert started(makefile.read(text)) == {"a": [["first", "more"], ["second"]], "b": [["third"]], "c": [["fourth"]]}


def test_an_open_quote_in_a_recipe_is_a_fault_with_its_line():
    assert makefile.read(b"a:\n\tb 'c\n").faults[0][0] == 2


# just


def test_a_recipe_of_just_is_a_unit_with_the_steps_of_its_lines():
    found = makefile.read_just(
        b"set dotenv-load\n# no\nworker queue soft='120' *rest: build\n"
        b"  @uv run celery -Q {{queue}} --soft {{ soft }} \\\n    {{rest}} {{app}} {{a + b}}\n\nnone:\nbeat:\n\tcelery beat\n"
    )
    assert started(found) == {
        "worker": [["uv", "run", "celery", "-Q", "[queue]", "--soft", "<make:soft-120>", "[rest]", "<make:app>", "[a + b]"]],
        "beat": [["celery", "beat"]],
    }
    assert [(unit.line, unit.command[0].line) for unit in found.units] == [(3, 4), (8, 9)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('"v" # why', "v"),
        ("'v'", "v"),
        ("other", "<make:other>"),
        ("env('X')", "<X>"),
        ("env_var_or_default('X', \"5\")", "<X-5>"),
        ("`date`", "[`date`]"),
        ("'a' + 'b'", "['a' + 'b']"),
        ("", "[]"),
    ],
)
def test_variables_of_just(value, expected):
    found = makefile.read_just(f"export x := {value}\ny := 'z'".encode()).variables
    assert values(found) == {"x": expected, "y": "z"}
    assert [one.exported for one in found] == [True, False]


def test_a_script_in_a_recipe_is_read_as_one_if_a_shell_runs_it():
    found = makefile.read_just(b"a:\n  #!/usr/bin/env bash\n  if x; then\n  celery '\n  '\n  fi\nb:\n  #!/usr/bin/env python\n  no()\nc:\n  d 'e\n")
    assert [len(unit.command) for unit in found.units] == [2, 0, 1]
    assert [step.conditions for step in found.units[0].command] == [(), ("if x",)]
    assert found.faults[0][0] == 11


# JSON


def test_scripts_of_a_package_are_shell_texts_at_the_lines_of_their_values():
    found = json_tasks.read(b'{\n"name": "x",\n"scripts": {\n  "a":\n   "(cd x && A=1 celery -A y worker \\"$Z\\")", "b": 5, "c": "d \'e"}}')
    assert next((unit.name, unit.line, words(unit.command)) for unit in found.units) == (
        "a",
        5,
        [["cd", "x"], ["celery", "-A", "y", "worker", "<Z>"]],
    )
    assert found.faults[0][0] == 3 + 2


def test_launch_configurations_of_vs_code():
    text = b"""{
  // Celery
  "configurations": [
    {"name": "a", "module": "celery", "args": ["-A", "x y", "worker", ""],
     "env": {"A": "${env:B}/c"}, "envFile": "${workspaceFolder}/.env", "cwd": "/x",},
    {"name": "b", "program": "${workspaceFolder}/manage.py", "args": "celery 'a b' $x"},
    /* node */ {"name": "c", "program": "run"}, {"name": "d"},
  ],
}"""
    found = json_tasks.read(text)
    assert started(found) == {
        "a": [["python", "-m", "celery", "-A", "x y", "worker", ""]],
        "b": [["python", "[${workspaceFolder}]/manage.py", "celery", "a b", "$x"]],
        "c": [["run"]],
    }
    unit = found.units[0]
    assert (unit.line, values(unit.environment), unit.directory) == (4, {"A": "<B>/c"}, "/x")
    assert unit.env_files == (Reference("${workspaceFolder}/.env", 5),)


def test_tasks_of_vs_code():
    text = b"""{"tasks": [
  {"label": "a", "type": "shell", "command": "cd x && celery",
   "args": ["worker", "a b", {"value": "-c 2", "quoting": "strong"}], "options": {"cwd": "/x", "env": {"A": "1"}}},
  {"taskName": "b", "command": "celery worker", "args": ["&&"]},
  {"label": "none"}, {"type": "shell", "command": "a 'b"}
]}"""
    found = json_tasks.read(text)
    assert [(unit.name, words(unit.command)) for unit in found.units][:2] == [
        ("a", [["cd", "x"], ["celery", "worker", "a b", "-c 2"]]),
        ("b", [["celery", "worker", "&&"]]),
    ]
    assert (found.units[0].directory, values(found.units[0].environment)) == ("/x", {"A": "1"})
    assert found.faults[0][0] == 5


@pytest.mark.parametrize("text", ['{"containerDefinitions": %s}', '{"taskDefinition": {"containerDefinitions": %s}}', "%s"])
def test_containers_of_a_task_definition(text):
    container = """[{
  "name": "worker", "image": "x:1", "cpu": ${cpu}, "workingDirectory": "/srv",
  "entryPoint": ["sh", "-c"],
  "command": ["celery", "-A", "$X",
    "${app}"],
  "environment": [{"name": "A", "value": "1"}, {"name": "B"}], "secrets": [{"name": "C", "valueFrom": "arn"}]
}, {"image": "y"}, {"name": "side"}]"""
    found = json_tasks.read((text % container).encode())
    assert [(unit.name, unit.image, unit.directory, words(unit.entrypoint)) for unit in found.units] == [
        ("worker", "x:1", "/srv", [["sh", "-c"]]),
        ("side", "", "", None),
    ]
    unit = found.units[0]
    assert words(unit.command) == [["celery", "-A", "$X", "[${app}]"]]
    assert [word.line for word in unit.command[0].words] == [4, 4, 4, 5]
    assert values(unit.environment) == {"A": "1", "C": "[secret]"}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", (1, "the end comes too early")),
        ('{"a": [1,\n', (2, "the end comes too early")),
        ('{"a" 1}', (1, "a key without a value")),
        ("{'a': 1, /}", (1, "no JSON")),
        ('\n"open', (2, "no JSON")),
        ("]", (1, "an unexpected ]")),
        ("[" * 100_000, (1, "nested too deeply")),
    ],
)
def test_what_is_no_json_is_a_fault(text, fault):
    assert json_tasks.read(text.encode()).faults == (fault,)


@pytest.mark.parametrize("text", ["5", '"x"', "[1, [2]]", '{"scripts": [], "tasks": {}, "configurations": 1}', '{"scripts": {"a": null}}'])
def test_json_of_another_shape_starts_nothing(text):
    assert [unit for unit in json_tasks.read(text.encode()).units if unit.command] == []


def test_a_string_that_cannot_be_decoded_stays_as_it_is_written():
    assert started(json_tasks.read(rb'{"scripts": {"a": "b \q"}}')) == {"a": [["b", "q"]]}


# TOML


def test_tasks_of_poe():
    found = toml_tasks.read(
        b"""[tool.poe]
envfile = ".env"
env.A = "1"
[tool.poe.env]
B = {default = "2"}
C = 3
[tool.poe.tasks]
worker = "celery -A x worker ${SOFT:-5} && y"  # why
chain = ["worker", "beat"]
"beat" = {shell = "cd src && celery beat", env = {D = "4"}, envfile = "beat.env", cwd = "src"}
script = {script = "a:b"}
empty = ""
two = [{cmd = "a"}, {shell = "b"}, "c"]
[tool.poe.tasks.long]
help = "x"
cmd = '''
celery
  worker'''
[tool.poe.tasks.more]
sequence = [
  "worker",
  {cmd = "celery more"},
]
"""
    )
    assert [(unit.name, unit.line, words(unit.command)) for unit in found.units] == [
        ("worker", 8, [["celery", "-A", "x", "worker", "<SOFT:-5>", "&&", "y"]]),
        ("beat", 10, [["cd", "src"], ["celery", "beat"]]),
        ("two", 13, [["a"]]),
        ("two", 13, [["b"]]),
        ("long", 17, [["celery", "worker"]]),
        ("more", 22, [["celery", "more"]]),
    ]
    assert values(found.variables) == {"A": "1", "B": "2"}
    assert [one.if_unset for one in found.variables] == [False, True]
    assert [word.line for word in found.units[4].command[0].words] == [17, 18]
    beat = found.units[1]
    assert (values(beat.environment), beat.env_files, beat.directory) == ({"D": "4"}, (Reference(".env", 2), Reference("beat.env", 10)), "src")
    assert found.faults == ()


def test_scripts_of_pdm_and_rye():
    found = toml_tasks.read(
        b"""[tool.pdm.scripts]
_.env_file = ".env"
a = "celery a"
b.cmd = ["celery", "-Q",
  "$X", ""]
c = {composite = ["a"], env_file = {override = "x"}}
d = {cmd = "x", env_file = "d.env", working_dir = "y"}
[tool.rye.scripts]
e = ["celery", "e"]
"""
    )
    assert started(found) == {"a": [["celery", "a"]], "b": [["celery", "-Q", "$X"]], "d": [["x"]], "e": [["celery", "e"]]}
    assert [word.line for word in found.units[1].command[0].words] == [4, 4, 5]
    assert (found.units[2].env_files, found.units[2].directory) == ((Reference("d.env", 7),), "y")


def test_scripts_of_hatch_are_shell_texts_with_fields():
    found = toml_tasks.read(
        b"""[tool.hatch.envs.default.scripts]
a = "celery ${X:-1} {env:SOFT:60} {env:HARD} {args:no}"
b = ["cd x", "celery b"]
c = []
d = "e 'f"
[tool.hatch.envs.default]
env-vars.A = "1"
"""
    )
    assert [(unit.name, words(unit.command)) for unit in found.units][:2] == [
        ("a", [["celery", "<X:-1>", "<SOFT-60>", "<HARD>", "[{args:no}]"]]),
        ("b", [["cd", "x"], ["celery", "b"]]),
    ]
    assert values(found.units[0].environment) == {"A": "1"}
    assert found.faults[0][0] == 5


def test_tasks_of_taskipy_are_shell_texts():
    found = toml_tasks.read(b"""[tool.taskipy.tasks]\na = "b && c"\nd = {cmd = "e", help = "x"}\nf = 1\n""")
    assert started(found) == {"a": [["b"], ["c"]], "d": [["e"]]}


def test_processes_of_fly():
    found = toml_tasks.read(
        b'[build]\ndockerfile = "d/Dockerfile"\n[processes]\nworker = "celery -c $N"\nnone = 1\n[env]\nSOFT = "150"\n[[vm]]\nsize = 2020-01-01\n'
    )
    (unit,) = found.units
    assert (unit.name, unit.line, words(unit.command)) == ("worker", 4, [["celery", "-c", "$N"]])
    assert (unit.build, unit.dockerfile, unit.image) == (Reference(".", 4), "d/Dockerfile", "")
    assert values(found.variables) == {"SOFT": "150"}
    (unit,) = toml_tasks.read(b'processes.a = "b"\nbuild.image = "x:1"\n').units
    assert (unit.build, unit.image) == (None, "x:1")


def test_strings_of_toml_are_unescaped():
    found = toml_tasks.read(b"""[processes]\na = "b \\"c\\" \\q"\nd = \"\"\"\ne \\\\"f\\"\"\"\"\ng = "h \\e"\ni = "\\u0062 'j k'"\n""")
    assert {unit.name: unit.command[0].words[0].pieces[0].text for unit in found.units} == {"a": "b", "d": "e", "g": "h", "i": "b"}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a = \nb = 1\n", (1, "a value is missing")),
        ("a", (1, "no key with a value")),
        ("\n= 1", (2, "no key with a value")),
        ("a = [1,", (1, "a value is missing")),
        ("a = {b = 1", (1, "no key with a value")),
        ('a = 1\nb = """x\n', (2, "no TOML")),
        ('"open', (1, "no TOML")),
        ("a = " + "[" * 100_000, (1, "nested too deeply")),
        ("a = " + "{b=" * 100_000, (1, "nested too deeply")),
        ("a = 1\na.b = 2\n[a.c]\nd = 1\n", None),
    ],
)
def test_what_is_no_toml_is_a_fault_and_what_stands_before_it_counts(text, fault):
    found = toml_tasks.read(("[processes]\nworker = 'celery'\n[x]\n" + text).encode())
    assert [unit.name for unit in found.units] == ["worker"]
    assert found.faults == (() if fault is None else ((fault[0] + 3, fault[1]),))


def test_a_table_under_what_is_no_table_is_left_out():
    assert toml_tasks.read(b'[tool]\npoe = "x"\n[tool.poe.tasks]\nworker = "celery worker"\n').units == ()
