"""`celery multi`, against what its own parser makes of the same arguments."""

import shlex

import pytest
from celery.apps.multi import MultiParser, NamespacedOptionParser

from flake8_deadline.expansion import Argument, Origin
from flake8_deadline.workers.arguments import worker_command
from flake8_deadline.workers.multi import nodes

HERE = Origin("literal", "run.sh", 1)


def arguments(words, unknown=()):
    return tuple(Argument(word, line, HERE, "unset" if word in unknown else "") for line, word in enumerate(words, 1))


def read(text, unknown=()):
    return nodes(arguments(shlex.split(text), unknown))


def facts(command):
    values = (command.app, command.queues, command.pool, command.soft, command.hard, command.concurrency)
    return (*(value.text if value else None for value in values), [(name, value.text) for name, value in command.tail], bool(command.faults))


@pytest.fixture
def real(monkeypatch, tmp_path):
    """The nodes that Celery makes: their names without the host, and what their commands say."""
    monkeypatch.setattr("celery.apps.multi.os.makedirs", lambda *args, **kwargs: None)

    def run(text):
        parser = NamespacedOptionParser(shlex.split(text))
        parser.parse()
        made = list(MultiParser(cmd="celery worker").parse(parser))
        own = [(node, shlex.split(" ".join(node.argv))[1:]) for node in made]
        return [(node.name.partition("@")[0], facts(worker_command(arguments(words)))) for node, words in own]

    return run


SHAPES = [
    "fast slow -A proj -Q:fast quick -Q:slow bulk --soft-time-limit=60 --soft-time-limit:slow=600 --time-limit=700 -l info",
    "w1 w2 -A proj --soft-time-limit 60 -l info",
    "w1 -A proj --soft-time-limit:w1 60",
    "3 -c 3 -c:1 10",
    "3 --range-prefix=worker -c 3 --app=proj",
    "10 -l INFO -Q:1-3 images,video -Q:4,5 data -Q default -l:4,5 DEBUG",
    "5 -c 3 -c:1-3 10 -c:4-99 7",
    "1 -c 3",
    "0 -c 3",
    "foo bar baz -c 3 -c:foo,bar 10 -c:3 4",
    "foo bar -c:1,2 10 -c:2 4",
    "foo bar -c:1-2 10",
    "foo@a bar@b -c:foo@a 3 -c:bar 2 -E -B",
    "w1 w2 --prefix=x --suffix=host.example -Q %n,%N,%%",
    "w1 w2 --suffix=host.example -c:w1@host.example 4",
    "w1 -n host.example",
    "w1 --hostname=host.example -n:w1 other",
    "w1 --suffix='\"\"'",
    "w1 w2 -Q 'a b' -P solo",
    "w1 w2 -c 2 -- task.soft_time_limit=5",
    "w1 --append='-- task.soft_time_limit=5 task.time_limit=7' --loglevel=info",
    "w1 '' -Q '' -c 2",
    "w1 -A a -b amqp:// --workdir=/x -C",
    "w1 --skip-checks -A a",
    "w1 --time-limit= -A a",
    "3 x -c 2",
    "2 --time-limit 60 -A a",
]


@pytest.mark.parametrize("text", SHAPES)
def test_nodes_are_those_that_celery_makes(text, real):
    ours = [(node.name.partition("@")[0], facts(node.command)) for node in read(f"multi start {text}")]
    assert ours == real(text)


@pytest.mark.parametrize(
    "text",
    ["w1 w2 -c:3 1", "2 -c:3 1", "w1 w2 -c:0 1", "3 -c:1-x 1", "3 -c:1-2-3 1", "w1 w2 -c:a:b 1", "w1 - -c 1", 'w1 -Q "\'"'],
)
def test_what_celery_stumbles_over_is_a_fault_of_every_node(text, real):
    with pytest.raises((KeyError, ValueError, IndexError)):
        real(text)
    made = read(f"multi start {text}")
    assert made
    assert all(node.command.faults for node in made)


def test_options_in_front_of_multi_are_the_nodes_too():
    (node,) = read("-A proj multi start w1 -c 2")
    assert (node.command.app.text, node.command.concurrency.text, node.command.faults) == ("proj", "2", ())


def test_a_node_is_called_by_its_name_and_started_with_its_arguments():
    first, second = read("multi restart w1 foo@b -A proj --time-limit=5")
    assert (first.name, second.name) == ("w1", "foo@b")
    assert [argument.text for argument in first.arguments] == ["-A", "proj", "worker", "--time-limit=5", "-n", "w1@%h"]
    assert first.command.hostname.text == "w1@%h"


def test_values_keep_their_lines():
    (first, second) = read("multi start a b --soft-time-limit=5 --soft-time-limit:b=6 -Q x")
    assert (first.command.soft.line, second.command.soft.line, second.command.queues.line) == (5, 6, 8)


def test_a_limit_given_with_a_space_is_told():
    made = read("multi start w1 w2 --soft-time-limit 60 --time-limit:w2 70 --pidfile x")
    assert [node.name for node in made] == ["w1", "w2", "60", "70", "x"]
    assert [[(option, value.text) for option, value in node.spaced] for node in made[:2]] == [
        [("--soft-time-limit", "60")],
        [("--soft-time-limit", "60"), ("--time-limit", "70")],
    ]


@pytest.mark.parametrize(
    "text", ["-A proj worker", "multi", "multi stop w1", "multi -A", "multi start", "multi start w1 --help", "multi start -A proj"]
)
def test_other_commands_start_no_nodes(text):
    assert read(text) == ()


def test_what_multi_keeps_for_itself_does_not_reach_a_node():
    (node,) = read("multi start w1 --verbose -q --nosplash --quiet --no-color")
    assert node.command.faults == ()


def test_names_that_cannot_be_read_are_one_node_of_no_name():
    (node,) = read(
        "multi start $NODES -A proj --soft-time-limit=$S --time-limit:2=9 -Q $Q $OPTIONS", ("$NODES", "--soft-time-limit=$S", "$Q", "$OPTIONS")
    )
    assert (node.name, node.unknown) == ("", "unset")
    assert (node.command.soft.text, node.command.soft.unknown, node.command.hard, node.command.queues.text) == ("$S", "unset", None, "$Q")
    assert [argument.text for argument in node.command.unread] == ["$OPTIONS"]
    assert node.command.faults == ()


def test_known_names_stand_beside_unknown_ones():
    made = read("multi start $NODES w1 -A proj", ("$NODES",))
    assert [(node.name, bool(node.unknown)) for node in made] == [("w1", False), ("", True)]


def test_what_is_unknown_behind_a_name_may_hold_options():
    first, second = read("multi start 2 -A proj $OPTIONS", ("$OPTIONS",))
    assert [argument.text for argument in second.command.unread] == ["$OPTIONS"]
    assert (first.name, second.name) == ("celery1", "celery2")


@pytest.mark.parametrize("text", ["1000000000", " ".join(f"w{number}" for number in range(200))])
def test_a_host_of_nodes_is_not_told_apart(text):
    (node,) = read(f"multi start {text} -c:1-999999999 3 -A proj")
    assert (node.name, node.command.app.text) == ("", "proj")
    assert node.unknown.endswith("nodes")
