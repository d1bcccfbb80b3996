"""Where `celery` starts in a command line."""

import shlex

import pytest

from flake8_deadline.expansion import Argument, Origin
from flake8_deadline.workers.wrappers import celery_command

HERE = Origin("literal", "run.sh", 1)


def find(text, unknown=()):
    return celery_command([Argument(word, line, HERE, "unset" if word in unknown else "") for line, word in enumerate(shlex.split(text), 1)])


CELERY = "celery -A proj worker"
PREFIXES = [
    "",
    "/venv/bin/",
    "exec ",
    "exec -a name ",
    "A=b C= ",
    "env A=b ",
    "env -i -u X --unset=Y A=b ",
    "env - A=b ",
    "nohup ",
    "time -f %E ",
    "nice -n 5 ",
    "nice -n5 ",
    "ionice -c 2 -n 7 ",
    "sudo -u x -E ",
    "sudo -u x A=b ",
    "gosu user ",
    "su-exec user:group ",
    "setpriv --reuid 5 --clear-groups ",
    "chpst -u x -e /env ",
    "s6-setuidgid user ",
    "tini -s -- ",
    "/usr/bin/tini -g -p SIGTERM -- ",
    "dumb-init ",
    "dumb-init --rewrite 15:3 -- ",
    "poetry run ",
    "poetry -C dir run ",
    "uv run --with x --frozen ",
    "uv --directory d run -- ",
    "pipenv run ",
    "pdm run ",
    "hatch -e prod run ",
    "rye run ",
    "newrelic-admin run-program ",
    "NEW_RELIC_X=1 newrelic-admin run-program ",
    "ddtrace-run ",
    "env X=y ddtrace-run ",
    "opentelemetry-instrument --service_name x ",
    "watchmedo auto-restart -d . -p '*.py' --recursive -- ",
    "watchmedo auto-restart --directory=./ --pattern=*.py --recursive ",
    "python -m watchdog.watchmedo auto-restart -d . -- ",
    "python -m newrelic.admin run-program ",
    "/wait-for-it.sh db:5432 -t 60 --strict -- ",
    "wait-for db:1 redis:2 -- ",
    "dockerize -wait tcp://db:1 -timeout 30s ",
    "envdir /env ",
    "dotenv -f .env run -- ",
    "doppler run -p x -- ",
    "aws-vault exec prof -- ",
    "chamber exec svc other -- ",
    "timeout -k 5 30 ",
    "xvfb-run -a -s '-screen 0' ",
    "flock -n /tmp/lock ",
    "docker run --rm --name celery -e A=b image ",
    "docker compose run --rm web ",
    "docker compose exec celery ",
    "bin/start-pgbouncer ",
    "./entrypoint.sh ",
    "./entrypoint.sh poetry run ",
    "tools/guard --x 3 -- ",
    "gosu user env A=b tini -- nice ",
    "python -u /venv/bin/",
    "runuser -u x -- ",
    "eval exec ",
]


@pytest.mark.parametrize("prefix", PREFIXES)
def test_celery_is_found_behind_its_wrappers(prefix):
    found = find(prefix + CELERY)
    assert (found.kind, [argument.text for argument in found.rest]) == ("celery", ["-A", "proj", "worker"])
    assert found.at.text.endswith("celery")
    assert found.index == len(shlex.split(prefix + CELERY)) - 4


@pytest.mark.parametrize(
    ("prefix", "kind"),
    [
        ("python -m", "module"),
        ("python3.11 -X dev -W error -u -m", "module"),
        ("python -um", "module"),
        ("/path/to/pypy3 -m", "module"),
        ("hupper -w x -m", "module"),
        ("python -m hupper -m", "module"),
        ("coverage run --source src -m", "module"),
        ("debugpy --listen 0.0.0.0:5678 --wait-for-client -m", "module"),
        ("python -m debugpy --listen 0.0.0.0:5678 -m", "module"),
        ("uv run --frozen --module", "module"),
        ("$PYTHON -m", "module"),
        ("docker run image python -m", "module"),
        ("python3.11 manage.py", "manage"),
        ("./manage.py --settings x", "manage"),
        ("poetry run python src/manage.py", "manage"),
        ("coverage run manage.py", "manage"),
        ("django-admin", "manage"),
        ("python -m django", "manage"),
        ("docker run image ./manage.py", "manage"),
        ("nautobot-server", "wrapper"),
        ("exec hypothesis", "wrapper"),
        ("gosu user", "celery"),
        ("$WRAPPER", "celery"),
    ],
)
def test_the_kind_says_how_celery_is_reached(prefix, kind):
    found = find(f"{prefix} celery worker -c 1", unknown=("$PYTHON", "$WRAPPER"))
    assert (found.kind, [argument.text for argument in found.rest]) == (kind, ["worker", "-c", "1"])


def test_a_program_in_an_unknown_folder_is_known_by_its_name():
    assert find("/bin/celery -A x worker", unknown=("/bin/celery",)).kind == "celery"


def test_the_variable_of_celerys_own_scripts_is_celery():
    program = Argument("", 1, Origin("unknown", "run.sh", 1, "CELERY_BIN"), "$CELERY_BIN is not set in any file")
    found = celery_command([program, Argument("worker", 1, HERE)])
    assert (found.kind, found.rest[0].text) == ("celery", "worker")


def test_words_of_a_wrapper_may_be_unknown():
    empty = Argument("", 1, Origin("unknown", "run.sh", 1, "X"), "$X is not set in any file")
    words = [empty if word == "$X" else Argument(word, 1, HERE) for word in "$X gosu $X nice -n $X sudo $X celery worker".split()]
    assert celery_command(words).index == 8


def test_what_is_set_in_front_and_by_env_is_told():
    found = find("A=1 sudo -E B=2 env -i C=3 D= celery worker")
    assert [(name, value.text, value.line) for name, value in found.assignments] == [("A", "1", 1), ("B", "2", 4), ("C", "3", 7), ("D", "", 8)]


@pytest.mark.parametrize(
    ("text", "script", "rest"),
    [
        ("./entrypoint.sh worker", "./entrypoint.sh", ["worker"]),
        ("bash scripts/start.sh", "scripts/start.sh", []),
        ("bash -eu -o pipefail start worker", "start", ["worker"]),
        ("tini -- /start-celeryworker", "/start-celeryworker", []),
        ("source env.sh", "env.sh", []),
        (". ./env.sh x", "./env.sh", ["x"]),
        ("python run_worker.py -c 1", "run_worker.py", ["-c", "1"]),
        ("wait-for-it.sh db:1 -- /entrypoint.sh x", "/entrypoint.sh", ["x"]),
        ("./entrypoint.sh gunicorn -- app", "./entrypoint.sh", ["gunicorn", "--", "app"]),
        ("./entrypoint.sh python -m gunicorn", "./entrypoint.sh", ["python", "-m", "gunicorn"]),
    ],
)
def test_a_script_is_handed_back(text, script, rest):
    found = find(text)
    assert (found.kind, found.at.text, [argument.text for argument in found.rest]) == ("script", script, rest)


@pytest.mark.parametrize(
    ("text", "index", "rest"),
    [
        ("sh -c TEXT", 2, []),
        ("bash -lc TEXT a b", 2, ["a", "b"]),
        ("/bin/sh -e -c TEXT", 3, []),
        ("exec bash -o pipefail -euxc TEXT", 5, []),
        ("bash -c -e TEXT", 3, []),
        ("su celery -c TEXT", 3, []),
        ("su - celery -s /bin/sh -c TEXT", 6, []),
        ("runuser -u x -c TEXT", 4, []),
        ("flock /tmp/lock -c TEXT", 3, []),
        ("docker run image sh -c TEXT", 5, []),
        ("doppler run --command TEXT", 3, []),
    ],
)
def test_a_shells_text_is_handed_back(text, index, rest):
    found = find(text)
    assert (found.kind, found.at.text, found.index, [argument.text for argument in found.rest]) == ("shell", "TEXT", index, rest)


def test_a_command_in_one_word_is_split():
    found = find("watchfiles --filter python 'celery -A proj worker -Q \"a b\"' src")
    assert (found.kind, [argument.text for argument in found.rest], found.index) == ("celery", ["-A", "proj", "worker", "-Q", "a b"], 3)
    assert {argument.line for argument in (found.at, *found.rest)} == {4}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A=b",
        "echo celery worker",
        "grep celery worker",
        "pkill -f celery",
        "pgrep celery",
        "ps aux",
        "kill celery",
        "which celery",
        "command -v celery",
        "pip install celery",
        "apt-get install celery",
        "sudo pip install celery",
        "cd celery",
        "gunicorn app",
        "gunicorn",
        "poetry install celery",
        "poetry run",
        "exec",
        "tini --",
        "wait-for-it.sh db:1",
        "python -m",
        "python -m gunicorn",
        "python -c celery",
        "python",
        "./manage.py migrate",
        "./manage.py",
        "hatch",
        "source",
        "bash",
        "bash celery",
        "sh -c",
        "su -c",
        "docker run image gunicorn",
        "docker run --name celery",
        "watchfiles app.main",
        'watchfiles "celery \'worker"',
        "watchfiles \"watchfiles 'celery worker'\"",
        "watchfiles",
        "$X worker",
        "$X/run.sh worker",
        "/usr/bin/gunicorn app",
        "--flag celery",
    ],
)
def test_what_starts_no_celery_is_nothing(text):
    assert find(text, unknown=("$X", "$X/run.sh")) is None


def test_no_line_is_too_long():
    assert find("exec " * 20_000) is None
    assert find("./x.sh " * 20_000 + "celery").kind == "script"
