from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace
from referencing import Registry, Resource

from flake8_deadline.audit import Audit, Budget, Evidence, Release, Row, Spot, Unresolved, Worker
from flake8_deadline.report.budgets import seconds
from flake8_deadline.report.budgets.json import as_json, render
from flake8_deadline.report.budgets.table import table
from flake8_deadline.report.budgets.why import rows_of, why
from flake8_deadline.report.style import Style, columns
from flake8_deadline.rule import Finding, Link

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "budgets.md").read_text(encoding="utf-8")
SCHEMA = json.loads((DOCS / "budgets.schema.json").read_text())
OTHER = json.loads((DOCS / "findings.schema.json").read_text())
VALIDATOR = Draft202012Validator(SCHEMA, registry=Registry().with_resource("findings.schema.json", Resource.from_contents(OTHER)))

NONE = Budget(None, "none")
SOFT, HARD = Budget(300.0, "config", Spot("shop/settings.py", 4)), Budget(360.0, "config", Spot("shop/settings.py", 5))
FALLBACK = Budget(
    120.0,
    "flag-fallback",
    Spot("docker/run-worker.sh", 2),
    "WORKER_SOFT",
    via=(Spot("docker-compose.yml", 4),),
    chosen=False,
    why=(
        Evidence("call"),
        Evidence("annotation", unknown="it is a function's result"),
        Evidence("decorator", at=Spot("shop/tasks.py", 4), note="no soft_time_limit"),
        Evidence(
            "flag-fallback",
            120.0,
            Spot("docker/run-worker.sh", 2),
            "${WORKER_SOFT:-120}",
            "WORKER_SOFT",
            won=True,
            note="WORKER_SOFT is set in no file",
        ),
        Evidence("config", 900.0, Spot("shop/settings.py", 4), "900", lost_to="flag", wins_on="5.7"),
    ),
)
UNKNOWN = Budget(None, "unresolved", Spot("Dockerfile", 6), unknown="a command's output")
PINNED = Release("5.6.3", Spot("requirements.txt", 1), True)
WORKER = Worker("worker", Spot("docker-compose.yml", 2), "compose", "production", ("celery",), "prefork", (Spot("docker/run-worker.sh", 2),))
SOLO = Worker("still", Spot("Procfile", 3), "procfile", "production", ("still",), "solo")
LOCAL = Worker("Makefile:run", Spot("Makefile", 7), "make", "development", ("celery",), "prefork")
CI = Worker("ci:test", Spot(".circleci/config.yml", 9), "ci", "ci", ("celery",), "prefork")
FINDING = Finding("docker/run-worker.sh", 2, 1, "LIM311", "unchosen-fallback", "nobody chose 120 s", (Link("a.py", 1, "task a"),))


def row(task="shop.tasks.scan", worker="worker", soft=SOFT, hard=HARD, queue="celery", call=None):
    return Row(task, Spot("shop/tasks.py", 5), worker, queue, soft, hard, call)


def audit(*rows, workers=(WORKER,), celery=PINNED, unresolved=(), findings=()):
    return Audit(celery, tuple(workers), rows, tuple(unresolved), tuple(findings))


def many(count, **facts):
    return [row(f"shop.tasks.t{number:02}", **facts) for number in range(count)]


def plain(text):
    return re.sub("\033\\[[0-9]*m", "", text)


def grid(said):
    """The lines of the table alone, its head and blanks aside."""
    return [re.split(" {2,}", line.strip()) for line in said.split("\n\n")[1].splitlines()[1:]]


def column(said, index=0):
    return [cells[index] for cells in grid(said)]


def test_a_small_project_is_listed_by_its_tasks_names():
    said = table(
        audit(
            row(),
            row("shop.tasks.sweep", soft=FALLBACK, hard=NONE),
            row("shop.tasks.wait", "still", replace(SOFT, enforced=False), replace(HARD, enforced=False), "still"),
            workers=[WORKER, SOLO],
            findings=[FINDING],
        ),
        Style(),
    )
    assert (
        said
        == """\
celery 5.6.3 (requirements.txt:1)   2 workers, 3 tasks   [flag > config; 5.7 would reverse this]

task               queue    worker   soft    from                              hard    from
shop.tasks.sweep   celery   worker    120 !  fallback docker/run-worker.sh:2      -
shop.tasks.wait    still    still     300 x  config   shop/settings.py:4        360 x  config shop/settings.py:5
shop.tasks.scan    celery   worker    300    config   shop/settings.py:4        360    config shop/settings.py:5

! nobody chose it: a fallback   x the worker's pool (solo) does not enforce it   - no limit

docker/run-worker.sh:2:1: LIM311 nobody chose 120 s

Found 1 finding in 1 file.
1 task would have other limits on Celery 5.7: --celery 5.7 shows them.
"""
    )


def test_a_larger_project_is_folded_by_worker_and_equal_limits_worst_first():
    places = [Budget(1800.0, "decorator", Spot("shop/tasks.py", line)) for line in (3, 9)]
    rows = [
        *many(4, worker="ci:test"),
        *many(3, worker=None, queue="reports", soft=NONE, hard=NONE),
        *(row(f"shop.long{number}", soft=soft) for number, soft in enumerate(places)),
        row("shop.odd", soft=UNKNOWN),
        *many(20, soft=FALLBACK),
    ]
    unresolved = [
        Unresolved(Spot("start.sh", 7), "soft", ((30.0, Spot("start.sh", 3)), (300.0, Spot("start.sh", 5))), "a branch decides"),
        Unresolved(Spot("start.sh", 8), "queues"),
    ]
    workers = [CI, replace(LOCAL, fault="no app: -A is missing"), WORKER, SOLO]
    assert (
        table(audit(*rows, workers=workers, unresolved=unresolved), Style())
        == """\
celery 5.6.3 (requirements.txt:1)   4 workers, 23 tasks   [flag > config; 5.7 would reverse this]

worker          queues    pool      tasks   soft    from                                hard  from
worker          celery    prefork      20    120 !  fallback   docker/run-worker.sh:2    360  config shop/settings.py:5
                                        1      ?    unresolved Dockerfile:6              360  config shop/settings.py:5
                                        2   1800    decorator  (2 places)                360  config shop/settings.py:5
(no worker)     reports                 3      -                                           -
ci:test (dev)   celery    prefork       4    300    config     shop/settings.py:4        360  config shop/settings.py:5

! nobody chose it: a fallback   ? cannot be told   - no limit

Procfile:3: worker still gets none of the tasks
Makefile:7: worker Makefile:run (dev) cannot start: no app: -A is missing

start.sh:7: soft cannot be told: a branch decides; it may be 30 (start.sh:3), 300 (start.sh:5)
start.sh:8: queues cannot be told

No findings.
20 tasks would have other limits on Celery 5.7: --celery 5.7 shows them.
"""
    )


def test_limits_come_worst_first_and_the_smallest_soft_limit_before_larger_ones():
    sorts = {
        "large": row("large", soft=replace(SOFT, value=900.0)),
        "small": row("small", soft=replace(SOFT, value=9.0)),
        "idle": row("idle", soft=replace(SOFT, value=5000.0, enforced=False)),
        "none": row("none", hard=NONE),
        "unknown": row("unknown", soft=UNKNOWN),
        "unchosen": row("unchosen", hard=replace(HARD, chosen=False)),
    }
    assert column(table(audit(*sorts.values()), Style()))[:6] == ["unchosen", "unknown", "none", "idle", "small", "large"]


def test_workers_of_production_come_first_then_tasks_without_one_then_those_of_development():
    rows = [row(worker=name) for name in ("Makefile:run", None, "ci:test", "worker", "gone")]
    said = table(audit(*rows, workers=[CI, LOCAL, WORKER]), Style())
    assert column(said, 2) == ["worker", "(no worker)", "(no worker)", "Makefile:run (dev)", "ci:test (dev)"]


@pytest.mark.parametrize(
    ("budget", "shown", "meaning"),
    [
        (replace(SOFT, chosen=False), "300 !", "! nobody chose it: a fallback"),
        (replace(SOFT, enforced=False), "300 x", "x the worker's pool (prefork) does not enforce it"),
        (replace(SOFT, chosen=False, enforced=False), "300 !x", "! nobody chose it: a fallback   x the worker's pool (prefork) does not enforce it"),
        (replace(SOFT, enforced=None), "300 ?", "? cannot be told"),
        (UNKNOWN, "?  unresolved", "? cannot be told"),
        (Budget(None, "config", unknown="a call"), "?  config", "? cannot be told"),
        (replace(NONE, chosen=False, enforced=False), "-", "x the worker's pool (prefork) does not enforce it"),
    ],
)
def test_a_mark_is_explained_where_it_is_used(budget, shown, meaning):
    said = table(audit(row(soft=budget)), Style())
    assert shown in said
    if budget.kind != "none":
        assert f"\n\n{meaning}\n\n" in said


def test_nothing_is_explained_where_no_mark_is_used():
    assert table(audit(row()), Style()).split("\n\n")[2:] == ["No findings.\n"]


def test_a_limit_on_no_worker_that_nothing_enforces_names_no_pool():
    assert "x the worker's pool does not enforce it" in table(audit(row(worker=None, soft=replace(SOFT, enforced=False))), Style())


def test_a_call_with_limits_of_its_own_is_named():
    call = replace(SOFT, value=30.0, kind="call", at=Spot("shop/views.py", 12))
    said = table(audit(row(), row(soft=call, call=Spot("shop/views.py", 12))), Style())
    assert column(said) == ["shop.tasks.scan (called at shop/views.py:12)", "shop.tasks.scan"]
    assert "1 worker, 1 task " in said


def test_a_queue_that_is_not_known_is_a_question_mark_and_many_queues_are_counted():
    assert column(table(audit(row(queue=None)), Style()), 1) == ["?"]
    busy = replace(WORKER, queues=("a", "b", "c", "d", "e"))
    assert column(table(audit(*many(13), workers=[busy]), Style()), 1) == ["a,b,c +2"]
    assert column(table(audit(*many(13, worker=None, queue=None)), Style()), 1) == ["?"]


def test_a_narrow_terminal_gets_places_without_folders_then_none_but_whole_names():
    rows = [row(), row(soft=replace(SOFT, at=Spot("deploy/settings/run.py", 4)))]
    wide, less, least = (table(audit(*rows), Style(width=width)) for width in (120, 98, 20))
    assert "config deploy/settings/run.py:4" in wide
    assert "config run.py:4" in less
    assert "config settings.py:5" in less
    assert ".py" not in least
    assert "shop.tasks.scan" in least


def test_places_keep_as_many_folders_as_tell_the_files_apart():
    paths = ["services/backend/shop/settings.py", "services/backend/post/settings.py", "settings.py"]
    said = table(audit(*(row(soft=replace(SOFT, at=Spot(path, 4)), hard=NONE) for path in paths)), Style(width=80))
    assert sorted(cells[4] for cells in grid(said)) == ["config post/settings.py:4", "config settings.py:4", "config shop/settings.py:4"]


@pytest.mark.parametrize(
    ("release", "head"),
    [
        (Release("5.7.0", None, False), "celery 5.7.0   1 worker, 0 tasks   [config > flag, as on every Celery since 5.7]\n"),
        (
            Release(">=5.6,<6", Spot("setup.cfg", 3), None),
            "celery >=5.6,<6 (setup.cfg:3)   1 worker, 0 tasks   [flag > config up to Celery 5.6, config > flag from 5.7 on]\n",
        ),
        (
            Release(None, None, None),
            "celery of a version that is not known   1 worker, 0 tasks   [flag > config up to Celery 5.6, config > flag from 5.7 on]\n",
        ),
    ],
)
def test_the_head_says_which_side_wins_on_the_projects_celery(release, head):
    said = table(audit(celery=release), Style())
    assert said == f"{head}\ndocker-compose.yml:2: worker worker gets none of the tasks\n\nNo findings.\n"


def test_findings_are_sorted_and_counted():
    said = table(audit(findings=[FINDING, replace(FINDING, path="Procfile", code="LIM314", message="none")]), Style())
    assert "\n\nProcfile:2:1: LIM314 none\ndocker/run-worker.sh:2:1: LIM311 nobody chose 120 s\n\nFound 2 findings in 2 files.\n" in said


def test_colour_changes_no_letter():
    rows = [row(soft=FALLBACK), row(soft=UNKNOWN), row()]
    assert "\033[31m!\033[m" in table(audit(*rows), Style(colour=True))
    assert plain(table(audit(*rows), Style(colour=True))) == table(audit(*rows), Style())
    assert plain(why(audit(*rows), "scan", Style(colour=True))) == why(audit(*rows), "scan", Style())


def test_wide_letters_and_what_cannot_be_printed_keep_the_columns():
    said = table(audit(row("店.tasks.走る"), row("\x1b[31mshop")), Style())
    head, *lines = said.split("\n\n")[1].splitlines()
    assert {columns(line[: line.index("celery")]) for line in lines} == {head.index("queue")}
    assert "\x1b" not in said


@pytest.mark.parametrize(
    ("value", "said"),
    [(120.0, "120"), (0.5, "0.5"), (-1.0, "-1"), (1e300, "1e+300"), (float("inf"), "inf"), (float("nan"), "nan"), (60, "60")],
)
def test_seconds_are_as_short_as_they_are_exact(value, said):
    assert seconds(value) == said


WHY = """\
shop.tasks.scan (shop/tasks.py:5) on worker (docker-compose.yml:2, queue celery, pool prefork)
  started through docker/run-worker.sh:2
  soft 120 s, which nobody chose
    > fallback    docker/run-worker.sh:2  120  ${WORKER_SOFT:-120}; WORKER_SOFT is set in no file
        through docker-compose.yml:4
    - call        -                       -
    ? annotation  -                       ?    cannot be read: it is a function's result
    - decorator   shop/tasks.py:4         -    no soft_time_limit
    x config      shop/settings.py:4      900  beaten by the flag on Celery 5.6.3; on 5.7 this wins
  hard no limit
"""


def test_why_shows_the_winner_first_then_every_level_with_its_reason():
    assert why(audit(row(soft=FALLBACK, hard=NONE)), "shop.tasks.scan", Style()) == WHY


@pytest.mark.parametrize(
    ("evidence", "line"),
    [
        (Evidence("flag-env", 60.0, Spot("a.env", 1), "60", "SOFT", won=True), "> env  a.env:1  60  from SOFT"),
        (Evidence("config", 60.0, Spot("a.py", 1), "60", lost_to="decorator"), "x config  a.py:1  60  beaten by the decorator"),
        (Evidence("base-class", 60.0, Spot("a.py", 1), "ONE * 60"), "x base class  a.py:1  60  ONE * 60"),
        (Evidence("flag", None, Spot("a", 1), lost_to="call", unknown="a command"), "x flag  a:1  ?  cannot be read: a command; beaten by the call"),
        (
            Evidence("unresolved", None, Spot("a", 1), "$(nproc)", won=True, unknown="a command"),
            "> unresolved  a:1  ?  $(nproc); cannot be read: a command",
        ),
    ],
)
def test_a_level_that_was_looked_at_is_one_line(evidence, line):
    said = why(audit(row(soft=Budget(60.0, "flag", why=(evidence,)))), "scan", Style())
    assert said.splitlines()[3] == f"    {line}"


def test_a_loser_that_would_win_elsewhere_says_so_without_a_version_too():
    evidence = Evidence("config", 900.0, lost_to="flag", wins_on="5.7")
    said = why(audit(row(soft=replace(SOFT, why=(evidence,))), celery=Release(None, None, None)), "scan", Style())
    assert "x config  -  900  beaten by the flag; on 5.7 this wins\n" in said


@pytest.mark.parametrize(
    ("soft", "verdict"),
    [
        (NONE, "no limit"),
        (UNKNOWN, "not known: a command's output"),
        (replace(UNKNOWN, unknown=""), "not known"),
        (replace(SOFT, enforced=False), "300 s; the pool prefork does not enforce it"),
        (replace(SOFT, enforced=None), "300 s; whether the pool enforces it is not known"),
        (replace(SOFT, chosen=False, enforced=False), "300 s, which nobody chose; the pool prefork does not enforce it"),
    ],
)
def test_why_says_what_becomes_of_the_limit(soft, verdict):
    assert f"\n  soft {verdict}\n" in why(audit(row(soft=soft)), "scan", Style())


def test_why_has_a_block_for_each_worker_and_each_call_with_limits_of_its_own():
    rows = [
        row(worker="Makefile:run"),
        row(worker=None, queue=None, soft=replace(SOFT, enforced=False)),
        row(call=Spot("shop/views.py", 12)),
        row(),
        row(worker="gone"),
    ]
    said = why(audit(*rows, workers=[replace(LOCAL, fault="no app", pool=""), WORKER]), "scan", Style())
    assert [block.splitlines()[0].removeprefix("shop.tasks.scan (shop/tasks.py:5) ") for block in said.split("\n\n")] == [
        "on worker (docker-compose.yml:2, queue celery, pool prefork)",
        "called at shop/views.py:12 on worker (docker-compose.yml:2, queue celery, pool prefork)",
        "on no worker (queue not known)",
        "on gone (queue celery)",
        "on Makefile:run (dev) (Makefile:7, queue celery, pool not known)",
    ]
    assert "\n  cannot start: no app\n" in said
    assert "\n  soft 300 s; the pool does not enforce it\n" in said


def test_a_task_is_named_wholly_or_by_the_end_of_its_name():
    one, other = row("shop.tasks.scan"), row("scan")
    assert rows_of(audit(one, other), "scan") == (other,)
    assert rows_of(audit(one), "tasks.scan") == (one,)
    assert rows_of(audit(one), "can") == ()
    assert rows_of(audit(one), "") == ()


def test_a_task_that_is_not_there_gets_the_nearest_name():
    assert why(audit(row()), "shop.tasks.scam", Style()) == "No task is called shop.tasks.scam; did you mean shop.tasks.scan?\n"
    assert why(audit(row()), "q", Style()) == "No task is called q\n"


def test_json_is_as_documented():
    unresolved = [Unresolved(Spot("start.sh", 7), "soft", ((30.0, Spot("start.sh", 3)),), "a branch"), Unresolved(Spot("start.sh", 8), "hard")]
    rows = [row(soft=FALLBACK, hard=NONE), row(soft=UNKNOWN, call=Spot("a.py", 1)), row(worker=None, queue=None, hard=replace(HARD, value=0.5))]
    workers = [WORKER, replace(LOCAL, fault="no app"), CI]
    document = json.loads(render(audit(*rows, workers=workers, unresolved=unresolved, findings=[FINDING, replace(FINDING, path="a.py")])))
    VALIDATOR.validate(document)
    first, second, third = document["rows"]
    assert document["celery"] == {"version": "5.6.3", "at": "requirements.txt:1", "rule": "flag-over-config"}
    assert [(one["id"], one["role"], one.get("fault")) for one in document["workers"]] == [
        ("worker", "prod", None),
        ("Makefile:run", "dev", "no app"),
        ("ci:test", "ci", None),
    ]
    assert first["soft"]["value"] == 120
    assert first["soft"]["source"] == {
        "kind": "flag-fallback",
        "at": "docker/run-worker.sh:2",
        "variable": "WORKER_SOFT",
        "via": ["docker-compose.yml:4"],
    }
    assert first["soft"]["why"][0] == {"kind": "call", "value": None}
    assert first["soft"]["why"][4] == dict(kind="config", at="shop/settings.py:4", value=900, text="900", lost_to="flag", wins_on="5.7")
    assert first["hard"] == {"value": None, "enforced": True, "source": {"kind": "none", "at": None}, "why": []}
    assert "call" not in first
    assert second["call"] == "a.py:1"
    assert second["soft"]["source"] == {"kind": "unresolved", "at": "Dockerfile:6", "unknown": "a command's output"}
    assert (third["worker"], third["queue"], third["hard"]["value"]) == (None, None, 0.5)
    assert [one["path"] for one in document["findings"]] == ["a.py", "docker/run-worker.sh"]
    assert document["unresolved"][0] == dict(at="start.sh:7", what="soft", candidates=[{"value": 30, "at": "start.sh:3"}], reason="a branch")
    assert document["unresolved"][1] == dict(at="start.sh:8", what="hard", candidates=[])


@pytest.mark.parametrize(
    ("release", "said"),
    [
        (Release("5.7.0", None, False), {"version": "5.7.0", "at": None, "rule": "config-over-flag"}),
        (Release(None, None, None), {"version": None, "at": None, "rule": "depends-on-version"}),
    ],
)
def test_json_says_which_side_wins(release, said):
    document = as_json(audit(celery=release))
    VALIDATOR.validate(document)
    assert document["celery"] == said


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 1e300, -1.0, 0.0])
def test_json_stays_json_whatever_the_numbers_and_names_are(value):
    odd = "caf\udce9\n.py"
    rows = [row(odd, odd, Budget(value, "config", Spot(odd, 1), odd), queue=odd)]
    document = json.loads(render(audit(*rows, workers=[replace(WORKER, id=odd, queues=(odd,))])), parse_constant=pytest.fail)
    VALIDATOR.validate(document)
    assert document["rows"][0]["task"] == document["workers"][0]["id"] == "caf\ufffd\ufffd.py"


@pytest.mark.parametrize(
    "spoil", [{"version": 2}, {"kind": "x"}, {"rows": [{}]}, {"celery": {"version": "5.6.3", "at": "requirements.txt", "rule": "flag-over-config"}}]
)
def test_the_schema_refuses_what_is_not_documented(spoil):
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(as_json(audit(row())) | spoil)


EXAMPLE = Audit(
    Release("5.6.3", Spot("requirements.txt", 1), True),
    (
        Worker("worker", Spot("docker-compose.yml", 2), "compose", "production", ("celery",), "prefork", (Spot("docker/run-worker.sh", 2),)),
        Worker("worker-slow", Spot("docker-compose.yml", 6), "compose", "production", ("slow",), "prefork", (Spot("docker/run-worker.sh", 2),)),
    ),
    (
        Row(
            "parcel.tasks.scan",
            Spot("parcel/tasks.py", 5),
            "worker",
            "celery",
            Budget(
                120.0,
                "flag-fallback",
                Spot("docker/run-worker.sh", 2),
                "WORKER_SOFT",
                chosen=False,
                why=(
                    Evidence("call"),
                    Evidence("annotation"),
                    Evidence("decorator", at=Spot("parcel/tasks.py", 4), note="no soft_time_limit"),
                    Evidence("base-class"),
                    Evidence(
                        "flag-fallback",
                        120.0,
                        Spot("docker/run-worker.sh", 2),
                        "${WORKER_SOFT:-120}",
                        "WORKER_SOFT",
                        won=True,
                        note="WORKER_SOFT is set in no file",
                    ),
                    Evidence("config", 900.0, Spot("parcel/settings.py", 4), "900", lost_to="flag", wins_on="5.7"),
                ),
            ),
            Budget(
                1200.0,
                "config",
                Spot("parcel/settings.py", 3),
                why=(Evidence("flag"), Evidence("config", 1200.0, Spot("parcel/settings.py", 3), "1200", won=True)),
            ),
        ),
        Row(
            "parcel.tasks.rebuild",
            Spot("parcel/tasks.py", 12),
            "worker-slow",
            "slow",
            Budget(600.0, "flag-env", Spot("docker-compose.yml", 10), "WORKER_SOFT", via=(Spot("docker/run-worker.sh", 2),)),
            Budget(1200.0, "config", Spot("parcel/settings.py", 3)),
        ),
    ),
    findings=(
        Finding(
            "docker/run-worker.sh",
            2,
            1,
            "LIM311",
            "unchosen-fallback",
            'a limit that nobody chose: 1 task on worker "worker" stops at 120 s, as WORKER_SOFT is set in no file; set it there',
        ),
    ),
)


def test_the_page_shows_what_the_reports_say():
    assert f"\n$ flake8-deadline budgets\n{table(EXAMPLE, Style())}```" in PAGE
    assert f"\n$ flake8-deadline budgets --why parcel.tasks.scan\n{why(EXAMPLE, 'parcel.tasks.scan', Style())}```" in PAGE
    shown = json.loads(re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)[1])
    assert shown == as_json(replace(EXAMPLE, workers=EXAMPLE.workers[:1], rows=EXAMPLE.rows[:1]))


def test_the_documented_example_fits_the_schema_and_the_page_has_every_kind_of_source():
    Draft202012Validator.check_schema(SCHEMA)
    VALIDATOR.validate(json.loads(re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)[1]))
    assert re.findall(r"^\| `([a-z-]+)` \|", PAGE.split("## Kinds of source")[1], re.MULTILINE) == SCHEMA["$defs"]["kind"]["enum"]
