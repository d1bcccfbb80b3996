"""`celery worker`'s arguments, against Celery's own parser."""

import os
import shlex

import click
import pytest
from celery import Celery
from celery.bin.base import CLIContext
from celery.bin.celery import celery
from celery.bin.worker import worker

from flake8_deadline.expansion import Argument, Origin
from flake8_deadline.workers.arguments import (
    BARE_ENVIRONMENT,
    BEFORE,
    ENVIRONMENT,
    FLAG,
    POOLS,
    WORKER,
    names,
    pool_of,
    seconds,
    subcommand,
    worker_command,
)

HERE = Origin("literal", "run.sh", 1)


def arguments(text, unknown=()):
    return tuple(Argument(word, line, HERE, "unset" if word in unknown else "") for line, word in enumerate(shlex.split(text), 1))


def read(text, unknown=()):
    return worker_command(arguments(text, unknown))


def text_of(value):
    return value.text if value else None


def real(words):
    """What click makes of the words after `worker`: the parameters, and what is left over; None where it refuses them."""
    context = click.Context(celery, info_name="celery")
    app = Celery(set_as_current=False)
    context.obj = CLIContext(app=app, no_color=True, workdir=None)
    try:
        made = worker.make_context("worker", list(words), parent=context)
        app.config_from_cmdline(made.args, namespace="worker")
    except (click.UsageError, ValueError, KeyError, IndexError, AttributeError):  # its message for a bad --autoscale is wrong itself
        return None
    return made.params, dict(app.loader.cmdline_config_parser(made.args, namespace="worker"))


STARTING = [
    "",
    "--soft-time-limit=120 --time-limit 150",
    "--soft-time-limit 1 --soft-time-limit=2",
    "--soft-time-limit ' 60 ' --time-limit 1_000",
    "--time-limit=-5",
    "--time-limit inf",
    "-Q a,b -X c",
    "-Qa",
    "-Q=a",
    "--queues=a --queues b",
    "-Q 'a, b'",
    "-Q ''",
    "-EB -c4",
    "-EBc 4",
    "-EQa,b",
    "-P solo",
    "--pool=threads",
    "-P processes",
    "-c auto",
    "-c ''",
    "-l info -O fair --autoscale=10,3",
    "--autoscale 5",
    "-n w1@%h --events --discard",
    "-Q -l -l info",
    "-- task.soft_time_limit=55 .prefetch_multiplier=2",
    "task.soft_time_limit=55 -Q a worker.prefetch_multiplier=1",
    "-- task_time_limit=(float)5",
    "-Q a -- TASK.TIME_LIMIT=7",
    "--pool-start-method spawn --prefetch-multiplier 1",
    "--logfile=x -f y --statedb=s --schedule z -s q",
]
REFUSED = [
    "--soft-time-limit=120s",
    "--soft-time-limit ''",
    "--soft-time-limit '${SOFT}'",
    "--soft-time-limit -l info",
    "--soft-time-limit",
    "-Q",
    "-EQ",
    "--soft-time 60",
    "--soft-time=60",
    "--queue a",
    "--queue",
    "-A proj",
    "--app=proj -Q a",
    "--workdir /x",
    "-EZ",
    "-Z a",
    "--beat=1",
    "-c many",
    "-P tornado",
    "-P thread",
    "--pool=",
    "-l loud",
    "-O fastest",
    "--autoscale=1,2,3",
    "--autoscale a,b",
    "--max-tasks-per-child 1.5",
    "--pool-start-method forkserver",
    "stray",
    "''",
    "-",
    "-- --soft-time-limit=60",
    "-- task.soft_time_limit=5s",
    "-- =x",
    "-- concurrency=5",
]


@pytest.mark.parametrize("text", STARTING)
def test_what_celery_takes_is_read_as_celery_reads_it(text):
    params, settings = real(shlex.split(text))
    command = read(f"-A proj worker {text}")
    assert command.faults == ()
    assert (seconds(command.soft) if command.soft else None) == params["soft_time_limit"]
    hard = params["time_limit"]
    assert (seconds(command.hard) if command.hard else None) == (None if hard == float("inf") else hard)
    assert (list(names(command.queues)) if command.queues else None) == params["queues"]
    assert (list(names(command.exclude)) if command.exclude else None) == params["exclude_queues"]
    pool = pool_of(command.pool.text if command.pool else "prefork")
    assert pool == pool_of(f"{params['pool'].__module__}:TaskPool")
    assert {name: value.text for name, value in command.tail}.keys() == settings.keys()
    for name, value in command.tail:
        assert seconds(value) == settings[name]


@pytest.mark.parametrize("text", REFUSED)
def test_what_celery_refuses_is_a_fault(text):
    assert real(shlex.split(text)) is None
    assert read(f"-A proj worker {text}").faults


@pytest.mark.parametrize(
    ("table", "command"),
    [(BEFORE, celery), (WORKER, worker)],
    ids=["before", "worker"],
)
def test_the_tables_of_options_are_celerys(table, command):
    theirs = {spelling: param for param in command.params for spelling in param.opts}
    assert table.keys() - {"--help"} == theirs.keys()
    for spelling, param in theirs.items():
        option = table[spelling]
        assert (option.takes == FLAG) == param.is_flag
        assert option.name[2:].replace("-", "_") == param.name
        prefix = "CELERY_WORKER_" if command is worker else "CELERY_"
        assert ENVIRONMENT[option.name] == prefix + param.name.upper()
        assert BARE_ENVIRONMENT.get(option.name) in (param.envvar, None)


@pytest.mark.parametrize("option", ["--soft-time-limit", "--time-limit", "--queues", "--pool"])
def test_the_variables_are_those_that_click_asks_for(option, monkeypatch):
    monkeypatch.setitem(os.environ, ENVIRONMENT[option], {"--pool": "solo"}.get(option, "7"))
    context = click.Context(celery, info_name="celery", auto_envvar_prefix="CELERY")
    context.obj = CLIContext(app=Celery(set_as_current=False), no_color=True, workdir=None)
    params = worker.make_context("worker", [], parent=context).params
    assert str(params[option[2:].replace("-", "_")]) in {"7.0", "['7']", "<class 'celery.concurrency.solo.TaskPool'>"}


@pytest.mark.parametrize(
    "text",
    ["", "-A proj", "beat", "-A proj flower", "-A proj multi start w1", "inspect active", "--version", "--help worker", "worker --help", "'' worker"],
)
def test_other_subcommands_start_no_worker(text):
    assert read(text) is None


@pytest.mark.parametrize("text", ["--app=proj worker", "-Aproj worker", "-A proj -- worker", "-C -q --workdir=. -A proj worker"])
def test_the_application_stands_before_the_subcommand(text):
    command = read(text)
    assert (command.app.text, command.faults) == ("proj", ())


def test_an_application_behind_the_subcommand_is_known_and_a_fault():
    command = read("worker -A proj -Q a")
    assert (command.app.text, command.queues.text) == ("proj", "a")
    assert command.faults == ((2, "`-A` has to stand before the subcommand"),)


def test_a_workers_option_in_front_of_the_subcommand_is_a_fault():
    command = read("--app=proj --max-tasks-per-child 6 --loglevel=info -E worker")
    assert [line for line, _ in command.faults] == [2, 4, 5]
    assert "has to stand after the subcommand" in command.faults[0][1]


def test_an_unknown_option_in_front_does_not_hide_the_worker():
    assert read("--fast worker").faults == ((1, "`--fast` is no option that Celery has"),)


def test_every_option_has_a_field():
    command = read("--config=c --workdir w -A p worker -Q q -X x -P solo --soft-time-limit 1 --time-limit 2 -c 3 -n h")
    values = [command.app, command.queues, command.exclude, command.pool, command.soft, command.hard]
    values += [command.concurrency, command.hostname, command.workdir, command.config]
    assert [text_of(value) for value in values] == ["p", "q", "x", "solo", "1", "2", "3", "h", "w", "c"]


def test_a_value_keeps_the_line_and_origin_it_was_written_with():
    limit = Argument("--soft-time-limit=120", 7, Origin("fallback", "run.sh", 7, "SOFT"))
    command = worker_command((*arguments("worker"), limit, *arguments("-Q a")))
    assert command.soft == limit._replace(text="120")
    assert command.queues == arguments("-Q a")[1]


def test_what_is_given_more_than_once_is_said():
    assert read("-A a worker -Q a -c 1 --queues=b -E").repeated == {"--queues"}


def test_only_the_last_of_repeats_is_converted():
    assert read("worker --time-limit x --time-limit 5").faults == ()


def test_an_unknown_value_is_no_fault_and_stays():
    command = read("worker --soft-time-limit $S --time-limit=$H -Q$Q -c $C", unknown=("$S", "--time-limit=$H", "-Q$Q", "$C"))
    assert (command.soft.text, command.hard.text, command.queues.text) == ("$S", "$H", "$Q")
    assert all(value.unknown for value in (command.soft, command.hard, command.queues, command.concurrency))
    assert (command.faults, command.unread) == ((), ())
    assert seconds(command.soft) is None


@pytest.mark.parametrize("written", ["$OPTIONS", "-$X", "--$X", "--beat$X", "-E$X", "--queues"])
def test_what_may_hold_any_option_is_unread(written):
    command = read(f"worker '{written}' -Q a", unknown=(written,))
    assert [argument.text for argument in command.unread] == [written]
    assert (command.queues.text, command.faults) == ("a", ())


def test_a_value_of_which_nothing_is_known_stays_unknown():
    command = read("worker -Q -E --time-limit= -- task.soft_time_limit=", unknown=("-Q", "--time-limit=", "task.soft_time_limit="))
    assert (command.queues.text, command.queues.unknown, command.hard.text, command.hard.unknown) == ("", "unset", "", "unset")
    assert [(name, value.unknown) for name, value in command.tail] == [("task_soft_time_limit", "unset")]
    assert (command.faults, command.unread) == ((), ())


def test_behind_the_dashes_an_unknown_argument_is_unread_as_well():
    assert len(read("$A worker -- --queues=$X", unknown=("$A", "--queues=$X")).unread) == 2


def test_the_subcommand_is_told_with_what_stands_around_it():
    found = subcommand(arguments("-A proj multi start w1"))
    assert ([a.text for a in found.before], found.name.text, [a.text for a in found.after]) == (["-A", "proj"], "multi", ["start", "w1"])
    assert subcommand(arguments("-A proj")) is None


@pytest.mark.parametrize(("text", "value"), [("60", 60.0), ("1e2", 100.0), ("nan", None), ("inf", None), ("", None), ("60s", None)])
def test_seconds_are_finite_numbers(text, value):
    assert seconds(Argument(text, 1, HERE)) == value


@pytest.mark.parametrize(
    ("text", "pool"),
    [
        ("processes", "prefork"),
        ("my.pool:Pool", "my.pool:Pool"),
        ("celery.concurrency.thread:TaskPool", "threads"),
        ("celery.concurrency.gevent.TaskPool", "gevent"),
    ],
)
def test_pools_have_one_name_each(text, pool):
    assert pool_of(text) == pool


def test_every_pool_of_celery_is_known():
    pool = next(param for param in worker.params if param.name == "pool")
    assert set(pool.type.choices) == POOLS.keys() - {"thread"}
