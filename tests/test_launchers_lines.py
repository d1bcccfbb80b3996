"""Files that start programs, line by line: Dockerfile, Procfile, supervisor, systemd, environment files."""

import pytest

from flake8_deadline.launches import Command, Opaque, Reference, Text, Variable
from flake8_deadline.reading.launchers import dockerfile, dotenv, procfile, supervisor, systemd


def shown(pieces):
    return "".join(_shown(piece) for piece in pieces)


def _shown(piece):
    if isinstance(piece, Text):
        return piece.text
    if isinstance(piece, Variable):
        return f"<{piece.name}{piece.operator}{shown(piece.operand)}>"
    assert isinstance(piece, Opaque)
    return f"[{piece.text}]"


def words(steps):
    assert steps is not None
    return [[shown(word.pieces) for word in step.words] for step in steps if isinstance(step, Command)]


def values(assignments):
    return {one.name: shown(one.value.pieces) for one in assignments}


def only(launches):
    (unit,) = launches.units
    assert launches.faults == ()
    return unit


def docker(text):
    return dockerfile.read(b"FROM python:3.12\n" + text.encode())


# Dockerfile


def test_each_stage_is_a_unit_that_names_the_earlier_stage_it_starts_from():
    found = dockerfile.read(b"ARG V=3.12\nFROM --platform=linux/amd64 python:${V} AS Base\nFROM scratch\nFROM base as worker\n")
    assert [(unit.name, unit.line, unit.image, unit.build) for unit in found.units] == [
        ("Base", 2, "python:${V}", None),
        ("1", 3, "scratch", None),
        ("worker", 4, "base", Reference("", 4, "Base")),
    ]
    assert values(found.variables) == {"V": "3.12"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ENV A=1 \\\n    B='x y' C=\"${D:-5}\"\n", [("A", "1", 2), ("B", "x y", 3), ("C", "<D:-5>", 3)]),
        ("ENV A=1 \\\n# why\n\n  B=2\n", [("A", "1", 2), ("B", "2", 5)]),
        ("env NAME some value $X\n", [("NAME", "some value <X>", 2)]),
        ("ENV EMPTY=\n", [("EMPTY", "", 2)]),
    ],
)
def test_entries_of_env_keep_their_lines(text, expected):
    unit = only(docker(text))
    assert [(one.name, shown(one.value.pieces), one.line) for one in unit.environment] == expected


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("ENV\n", (2, "ENV without a value")),
        ("ENV A\n", (2, "ENV without a value")),
        ("ENV A=1 B\n", (2, "no NAME=value in ENV")),
        ("SHELL bash\n", (2, "SHELL that is no list of strings")),
    ],
)
def test_what_cannot_be_read_of_a_dockerfile_is_a_fault(text, fault):
    assert docker(text).faults == (fault,)


def test_an_instruction_before_the_first_stage_is_a_fault():
    assert dockerfile.read(b"CMD x\nFROM\n").faults == ((1, "CMD before the first FROM"),)


def test_an_argument_is_a_variable_of_the_build_and_stays_one_in_env():
    found = docker("ARG SOFT=60 HARD\nENV S=$SOFT\n")
    assert values(found.variables) == {"SOFT": "60"}
    assert values(found.units[0].environment) == {"S": "<SOFT>"}


def test_words_of_the_exec_form_are_literal_and_each_has_its_line():
    unit = only(docker('CMD ["celery", "-A", "kiln", \\\n  # soft\n  "--soft-time-limit=${SOFT:-120}", "say \\"x\\""] # why\n'))
    (command,) = unit.command
    assert [(word.line, word.pieces) for word in command.words] == [
        (2, (Text("celery", 2, True),)),
        (2, (Text("-A", 2, True),)),
        (2, (Text("kiln", 2, True),)),
        (4, (Text("--soft-time-limit=${SOFT:-120}", 4, True),)),
        (4, (Text('say "x"', 4, True),)),
    ]


def test_the_shell_form_is_one_text_for_the_shell_with_the_lines_it_is_written_on():
    unit = only(docker("CMD celery -A x worker \\\n   --soft-time-limit ${SOFT:-5}\n"))
    (command,) = unit.command
    assert words([command]) == [["/bin/sh", "-c", "celery -A x worker    --soft-time-limit ${SOFT:-5}"]]
    assert command.words[2].pieces == (Text("celery -A x worker ", 2, True), Text("   --soft-time-limit ${SOFT:-5}", 3, True))


@pytest.mark.parametrize(
    ("text", "entrypoint", "command"),
    [
        ("CMD a\nCMD b\n", None, [["/bin/sh", "-c", "b"]]),
        ("CMD ['a', 'b']\n", None, [["/bin/sh", "-c", "['a', 'b']"]]),
        ('CMD ["a", 1]\n', None, [["/bin/sh", "-c", '["a", 1]']]),
        ("CMD " + "[" * 100_000 + "\n", None, [["/bin/sh", "-c", "[" * 100_000]]),
        ('CMD ["celery -A x worker"]\n', None, [["celery -A x worker"]]),
        ('CMD \\\n  ["a"]\n', None, [["a"]]),
        ("CMD a\nCMD []\n", None, []),
        ("CMD\n", None, []),
        ('ENTRYPOINT ["tini", "--"]\nCMD ["a"]\n', [["tini", "--"]], [["a"]]),
        ('CMD ["a"]\nENTRYPOINT ["tini", "--"]\n', [["tini", "--"]], [["a"]]),
        ('ENTRYPOINT ["tini", "--"]\n', [["tini", "--"]], []),
        ("ENTRYPOINT a\nENTRYPOINT []\n", [], []),
        ('SHELL ["/bin/bash", "-o", "pipefail", "-c"]\nCMD a\n', None, [["/bin/bash", "-o", "pipefail", "-c", "a"]]),
        ("CMD a \\", None, [["/bin/sh", "-c", "a"]]),
    ],
)
def test_the_last_word_on_what_is_started_counts(text, entrypoint, command):
    unit = only(docker(text))
    assert (None if unit.entrypoint is None else words(unit.entrypoint)) == entrypoint
    assert words(unit.command) == command


def test_a_stage_that_starts_nothing_says_nothing_of_it():
    unit = only(docker("RUN make\n"))
    assert (unit.entrypoint, unit.command) == (None, None)


def test_shell_and_directory_of_an_earlier_stage_hold_on():
    found = dockerfile.read(b'FROM a AS b\nSHELL ["/bin/bash", "-c"]\nWORKDIR /srv\nFROM b\nCOPY run.sh .\nCMD run\n')
    assert found.units[1].copies == (Reference("run.sh", 5, "/srv/."),)
    assert found.units[1].directory == ""
    assert words(found.units[1].command) == [["/bin/bash", "-c", "run"]]


@pytest.mark.parametrize(
    ("text", "copies"),
    [
        ("COPY . /srv\n", [(".", "/srv", 2)]),
        ("COPY --chown=a:b a \\\n  b /srv/\n", [("a", "/srv/", 2), ("b", "/srv/", 3)]),
        ('COPY ["a b", "/srv"]\n', [("a b", "/srv", 2)]),
        ('ADD --chmod=755 ["a", "/srv"]\n', [("a", "/srv", 2)]),
        ("ADD https://example.org/x /x\n", []),
        ("COPY --from=base /a /b\n", []),
        ("COPY\n", []),
        ("WORKDIR /srv\nWORKDIR app\nCOPY run.sh ./bin/\n", [("run.sh", "/srv/app/./bin/", 4)]),
        ("COPY <<EOF /etc/run.sh\nCMD nothing\nEOF\nCOPY a b\n", [("a", "b", 5)]),
    ],
)
def test_copied_files_of_the_project_are_named_with_where_they_go(text, copies):
    unit = only(docker(text))
    assert [(one.path, one.target, one.line) for one in unit.copies] == copies


def test_a_relative_directory_lies_in_the_one_before():
    assert only(docker("WORKDIR /srv\nWORKDIR app\n")).directory == "/srv/app"


def test_heredocs_are_skipped_and_what_only_looks_like_one_is_not():
    unit = only(docker("RUN <<-A && <<'B'\nCMD no\n\tA\nCMD no\nB\nRUN x <<NEVER\nCMD yes\n"))
    assert words(unit.command) == [["/bin/sh", "-c", "yes"]]


def test_the_escape_directive_makes_the_backtick_continue_a_line():
    unit = only(dockerfile.read(b"# syntax=docker/dockerfile:1\n# escape=`\nFROM a\nCMD run `\n  C:\\app\\\n"))
    assert words(unit.command) == [["/bin/sh", "-c", "run   C:\\app\\"]]


def test_a_byte_order_mark_and_carriage_returns_are_read_over():
    unit = only(dockerfile.read(b'\xef\xbb\xbfFROM a\r\nCMD ["a", \\\r\n "b"]\r\n'))
    assert (unit.line, words(unit.command)) == (1, [["a", "b"]])


# Procfile


def test_a_process_type_is_a_unit_with_the_steps_of_its_command():
    found = procfile.read(b"web: gunicorn x\n# no\n\nworker: cd src && X=1 celery -A x worker --soft-time-limit ${S-50}\n{% if a %}\n")
    assert [(unit.name, unit.line) for unit in found.units] == [("web", 1), ("worker", 4)]
    assert words(found.units[1].command) == [["cd", "src"], ["celery", "-A", "x", "worker", "--soft-time-limit", "<S-50>"]]
    assert found.faults == ((5, "no process type in front of a command"),)


def test_a_quote_without_end_in_a_procfile_is_a_fault_with_its_line():
    assert procfile.read(b"a: b\nworker: celery 'x\n").faults[0][0] == 2


# supervisor


def program(text):
    return only(supervisor.read(b"[program:x]\n" + text.encode()))


def test_a_command_over_lines_keeps_the_lines_of_its_words():
    unit = program("command=celery -A grove worker\n    -n grove@%%h\n; remark\n\n    --soft=%(ENV_SOFT)s   ; seconds\n  # remark\nautostart=true\n")
    (command,) = unit.command
    assert [(shown(word.pieces), word.line) for word in command.words] == [
        ("celery", 2),
        ("-A", 2),
        ("grove", 2),
        ("worker", 2),
        ("-n", 3),
        ("grove@%h", 3),
        ("--soft=<SOFT>", 6),
    ]
    assert (unit.name, unit.line, command.line) == ("x", 1, 2)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("celery $X '%(ENV_Y)s'", ["celery", "$X", "<Y>"]),
        ("%(program_name)s_%(process_num)02d", ["[%(program_name)s]_[%(process_num)02d]"]),
        ("celery -Q {{ queues }} {% if a %}-B{% endif %}", ["celery", "-Q", "[{{ queues }}]", "[{% if a %}]-B[{% endif %}]"]),
        ("<APP_BIN>/celery", ["[<APP_BIN>]/celery"]),
        ("sh -c 'a b' && c", ["sh", "-c", "a b", "&&", "c"]),
    ],
)
def test_no_shell_runs_a_program_of_supervisor(value, expected):
    assert words(program(f"command = {value}\n").command) == [expected]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("A=\"v,w\",B='x' , C=%(ENV_Z)s/c", {"A": "v,w", "B": "x", "C": "<Z>/c"}),
        ("A= 1 ,\n  B=2,", {"A": "1", "B": "2"}),
        ("A=", {"A": ""}),
        ('A="open', {"A": "open"}),
        ("", {}),
    ],
)
def test_the_environment_of_a_program_is_read_by_entries(value, expected):
    assert values(program(f"command=a\nenvironment={value}\n").environment) == expected


def test_the_environment_of_supervisor_itself_holds_for_all_programs():
    found = supervisor.read(b'[supervisord]\nenvironment=SOFT="150"\n[fcgi-program:a]\ncommand: b\ndirectory = /srv\n[group:c]\ncommand=d\n')
    assert values(found.variables) == {"SOFT": "150"}
    assert [(unit.name, unit.directory) for unit in found.units] == [("a", "/srv")]


def test_what_cannot_be_read_of_a_supervisor_file_is_a_fault():
    found = supervisor.read(b"stray\n  more\n[program:x]\nenvironment=A,B=1,C\n{% for a in b %}\n[program:y]\ncommand=\n")
    assert found.faults == (
        (4, "no NAME=value in an environment"),
        (4, "no NAME=value in an environment"),
        (3, "a program without a command"),
        (6, "a program without a command"),
    )
    assert [unit.command for unit in found.units] == [None, None]


# systemd


def service(text):
    return only(systemd.read(b"[Unit]\nAfter=x\n[Service]\n" + text.encode()))


def test_a_command_of_systemd_goes_over_lines_and_keeps_them():
    unit = service("ExecStart=/srv/celery -A fern worker \\\n# why\n  -Q a \\\n\n[Install]\nExecStart=no\n")
    (command,) = unit.command
    assert [(shown(word.pieces), word.line) for word in command.words][3:] == [("worker", 4), ("-Q", 6), ("a", 6)]
    assert (unit.name, unit.line, command.line) == ("", 3, 4)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("-/bin/a ${X} $Y z$Y", ["/bin/a", "<X>", "<Y>", "z$Y"]),
        ("!!/bin/a '$X y' \"$Z\"", ["/bin/a", "$X y", "<Z>"]),
        ("/bin/a ${X:-5} $$X '$$Y' $$", ["/bin/a", "${X:-5}", "$X", "$Y", "$"]),
        (":/bin/a ${X} $Y", ["/bin/a", "${X}", "$Y"]),
        ("@/bin/a name b", ["/bin/a", "b"]),
        ("/bin/a -n w@%%h %i {{ x }}", ["/bin/a", "-n", "w@%h", "[%i]", "[{{ x }}]"]),
        ("/bin/sh -c '${BIN} multi $OPTS \\\n  -A b'", ["/bin/sh", "-c", "<BIN> multi $OPTS -A b"]),
        ("/bin/a | b && c", ["/bin/a", "|", "b", "&&", "c"]),
    ],
)
def test_systemd_expands_variables_by_its_own_rules(value, expected):
    assert words(service(f"ExecStart={value}\n").command) == [expected]


def test_a_whole_word_is_split_and_a_part_is_not():
    (command,) = service("ExecStart=a $X ${Y}\n").command
    assert [word.pieces[0].quoted for word in command.words[1:]] == [False, True]


def test_empty_settings_of_systemd_reset_what_was_said():
    unit = service("ExecStart=a\nExecStart=\nEnvironment=A=1\nEnvironment=\nEnvironmentFile=a\nEnvironmentFile=\n")
    assert (unit.command, unit.environment, unit.env_files) == (None, (), ())


def test_surroundings_of_a_service_are_read():
    unit = service(
        "ExecStart=a\nExecStart=b\nEnvironment=\"OPTS=--time-limit=300 -c 2\" B=%i\nEnvironment=C='x' D=\n"
        "EnvironmentFile=-/etc/default/celeryd\nWorkingDirectory=-/srv\nUser=x\nstray\n"
    )
    assert values(unit.environment) == {"OPTS": "--time-limit=300 -c 2", "B": "[%i]", "C": "x", "D": ""}
    assert unit.env_files == (Reference("/etc/default/celeryd", 8),)
    assert unit.directory == "/srv"
    assert words(unit.command) == [["a"], ["b"]]


def test_an_environment_of_systemd_with_a_bare_word_is_a_fault():
    found = systemd.read(b"[Service]\nEnvironment=A '' 1=2 ${X}\n{% if a %}\nExecStart=a \\")
    assert found.faults == ((2, "no NAME=value in Environment="),) * 4
    assert words(found.units[0].command) == [["a"]]


def test_a_unit_of_another_type_starts_nothing():
    assert systemd.read(b"[Timer]\nOnCalendar=daily\n").units == ()


# Environment files


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A=1\n# no\n\n export B = 2 # why\nC=\n", {"A": "1", "B": "2", "C": ""}),
        ("A=a#b\nB= # why\nC=#c\n", {"A": "a#b", "B": "", "C": "#c"}),
        ('A=\'$X \\n\' # why\nB="${X:-d} $Y\\n\\"\\$Z\\q"\n', {"A": "$X \\n", "B": '<X:-d> <Y>\n"$Zq'}),
        ("A=${X:-d}/$Y\n", {"A": "<X:-d>/<Y>"}),
        ('A="one\ntwo"\nB=3\n', {"A": "one\ntwo", "B": "3"}),
        ("export NAME\nA=1\r\n", {"A": "1"}),
        ("# no\n", {}),
    ],
)
def test_entries_of_an_environment_file(text, expected):
    found = dotenv.read(text.encode())
    assert values(found.variables) == expected
    assert found.faults == ()


def test_a_value_over_lines_keeps_them():
    (entry,) = dotenv.read(b'\nA="one\ntwo"').variables
    assert [(piece.text, piece.line) for piece in entry.value.pieces] == [("one\n", 2), ("two", 3)]


def test_an_exported_entry_says_so():
    assert [one.exported for one in dotenv.read(b"export A=1\nB=2\n").variables] == [True, False]


def test_what_cannot_be_read_of_an_environment_file_is_a_fault_and_the_rest_is_read():
    found = dotenv.read(b"-x\nNAME\nA='open $X\nB=2\n")
    assert found.faults == ((1, "no NAME=value"), (2, "a name without a value"), (3, "a quote that is never closed"))
    assert values(found.variables) == {"A": "'open $X", "B": "2"}
