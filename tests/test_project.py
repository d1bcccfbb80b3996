"""The linked project, without a disk: what it reads, what names mean in it, and that nothing depends on the order in which things come."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import msgspec
import pytest

from flake8_deadline import tree
from flake8_deadline.check import Analysis, analyse
from flake8_deadline.facts import Outline, Summary
from flake8_deadline.options import Options
from flake8_deadline.project import Project
from flake8_deadline.project.objects import NOTHING, ClassRef, External, FunctionRef, Instance, Many
from flake8_deadline.reading.outline import outline
from flake8_deadline.reading.python import read
from flake8_deadline.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flake8_deadline.rule import Finding

FIXTURES = Path(__file__).parent / "fixtures" / "rules"
EVERY_CODE = tuple(rule.code for rule in RULES)

TASK = "@shared_task(soft_time_limit=60, time_limit=90)"


class Memory:
    """Files that lie in memory, in the order in which they are given."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = {path: dedent(text).encode() for path, text in texts.items()}
        roots = tree.source_roots(tree.Tree(tuple(sorted(texts))))
        self.names = {path: tree.module_names(path, roots) for path in texts}
        self.asked: list[str] = []
        """The paths whose summary was asked for."""
        self._outlines: dict[str, Outline] = {}
        self._summaries: dict[str, Summary] = {}

    def outline(self, path: str) -> Outline:
        if path not in self._outlines:
            self._outlines[path] = outline(self.texts[path])
        return self._outlines[path]

    def summary(self, path: str) -> Summary:
        self.asked.append(path)
        if path not in self._summaries:
            self._summaries[path] = read(self.texts[path])
        return self._summaries[path]

    def mentions(self, words: Iterable[str], among: Iterable[str] | None = None) -> Iterable[str]:
        needles = [word.encode() for word in words]
        return [path for path in among or self.texts if any(needle in self.texts[path] for needle in needles)]


def project_of(texts: Mapping[str, str] | str, **options: object) -> Project:
    files = Memory({"tasks.py": texts} if isinstance(texts, str) else texts)
    return Project(files, Options(enable=EVERY_CODE, **options))  # type: ignore[arg-type]


def findings(project: Project) -> list[Finding]:
    return sorted({finding for rule in RULES for finding in rule.check(project)})


def codes(project: Project) -> list[str]:
    return [finding.code for finding in findings(project)]


def meaning(project: Project, name: str, path: str = "tasks.py", function: str = "") -> frozenset[object]:
    """What a name means at the top of a file, or in a function of it."""
    return project.inference.evaluate(name, FunctionRef(path, function))


# What is read


def test_a_file_that_no_task_can_reach_is_not_read():
    project = project_of(
        {
            "shop/__init__.py": "",
            "shop/tasks.py": f"from celery import shared_task\nfrom shop.mail import send\n{TASK}\ndef remind(): send()\n",
            "shop/mail.py": "def send(): pass\n",
            "shop/views.py": "def show(rows):\n    for row in rows:\n        print(row)\n",
        }
    )
    assert project.tasks
    assert project.reach.resolved
    assert set(project.modules.read) == {"shop/tasks.py", "shop/mail.py"}


def test_a_subclass_is_read_where_it_may_override_what_is_called():
    """A word of its file tells: that of the method, or of a property where an attribute is read."""
    files = Memory(
        {
            "shop/__init__.py": "",
            "shop/tasks.py": (
                f"from celery import shared_task\nfrom shop.rows import Row\n{TASK}\ndef remind(row: Row):\n    row.send()\n    print(row.total)\n"
            ),
            "shop/rows.py": "class Row:\n    def send(self): pass\n    @property\n    def total(self): return 1\n",
            "shop/other.py": "from shop.rows import Row\nclass Other(Row):\n    def load(self): pass\n",
            "shop/late.py": "from shop.other import Other\nclass Late(Other):\n    def send(self): post(self)\n",
            "shop/sums.py": "from shop.rows import Row\nclass Sum(Row):\n    total = 1\n",
        }
    )
    project = Project(files, Options())
    called = {target.qualname for found in project.reach.resolved.values() for one in found for target in one.targets}
    assert called == {"Row.send", "Late.send", "Row.total"}
    assert "shop/late.py" in files.asked
    del files.texts["shop/late.py"], files.names["shop/late.py"]
    files.asked.clear()
    project = Project(files, Options())
    assert project.reach.resolved
    assert sorted(files.asked) == ["shop/rows.py", "shop/tasks.py"]


def test_a_class_that_comes_from_another_by_two_ways_is_one_of_those_below_it():
    project = project_of(
        """
        class Base:
            def send(self): pass

        class Left(Base): ...

        class Right(Base): ...

        class Both(Left, Right):
            def send(self): post(self)
        """
    )
    below = project.calls.subclasses(ClassRef("tasks.py", "Base"))
    assert sorted(ref.qualname for ref in below) == ["Both", "Left", "Right"]


def test_the_tests_are_looked_into_for_tasks_only_where_there_are_no_others():
    made = f"from celery import shared_task\n{TASK}\ndef ping(): pass\n"
    assert [declared.name for declared in project_of({"tests/test_work.py": made}).tasks] == ["tests.test_work.ping"]
    both = project_of({"tests/test_work.py": made, "tasks.py": made})
    assert [declared.name for declared in both.tasks] == ["tasks.ping"]
    assert set(both.modules.read) == {"tasks.py"}


def test_a_decorator_made_on_the_spot_is_followed_to_the_files_that_use_it():
    project = project_of(
        {
            "mill/__init__.py": "",
            "mill/jobs.py": "from functools import partial\nfrom celery import shared_task\njob = partial(shared_task, bind=True)\n",
            "mill/work.py": "from mill.jobs import job\n@job()\ndef grind(self): pass\n",
        }
    )
    assert [declared.name for declared in project.tasks] == ["mill.work.grind"]


def test_a_file_is_read_once():
    files = Memory({"tasks.py": f"import mail\nfrom celery import shared_task\n{TASK}\ndef work(): mail.send()\n", "mail.py": "def send(): pass\n"})
    findings(Project(files, Options(enable=EVERY_CODE)))
    assert sorted(files.asked) == ["mail.py", "tasks.py"]


def test_an_answer_is_computed_once():
    project = project_of("")
    asked = []

    def count(project: Project) -> int:
        asked.append(project)
        return len(asked)

    assert [project.once(count), project.once(count)] == [1, 1]
    assert asked == [project]


def test_the_tests_of_a_project_are_no_code_that_a_task_may_reach():
    swallow = """
        def import_rows(rows):
            for row in rows:
                try:
                    row.save_it()
                except Exception:
                    pass
        """
    paths = ["shop/tests/helpers.py", "shop/test_rows.py", "shop/rows_test.py", "tests.py", "conftest.py", "testing/rows.py", "shop/rows.py"]
    project = project_of({"tasks.py": f"from celery import shared_task\n{TASK}\ndef ping(): pass\n", **dict.fromkeys(paths, swallow)})
    assert [finding.path for finding in findings(project)] == ["shop/rows.py"]


# What the options ask for

CRON = """
    from jobs import cron

    @cron("5 0 * * *")
    def import_rows(rows):
        for row in rows:
            try:
                row.save_it()
            except Exception:
                pass
    """


def test_a_decorator_named_by_the_options_makes_a_task():
    task = "from celery import shared_task\n@shared_task(time_limit=9)\ndef ping(): pass\n"
    assert codes(project_of({"nightly.py": CRON, "tasks.py": task})) == ["LIM109"]
    project = project_of({"nightly.py": CRON, "tasks.py": task}, task_decorators=("jobs.cron",))
    assert codes(project) == ["LIM301", "LIM101"]
    assert [declared.name for declared in project.tasks] == ["nightly.import_rows", "tasks.ping"]


def test_an_exception_named_by_the_options_is_the_signal():
    text = f"""
        from celery import shared_task
        from queues import JobTimeout

        {TASK}
        def import_rows(rows):
            for row in rows:
                try:
                    row.save_it()
                except JobTimeout:
                    raise
                except Exception:
                    pass
        """
    assert codes(project_of(text)) == ["LIM101"]
    assert codes(project_of(text, signals=("queues.JobTimeout",))) == []


def test_no_time_passes_in_a_call_named_by_the_options():
    text = f"""
        from celery import shared_task
        from tables import cells
        from tables.fast import parse

        {TASK}
        def import_rows(rows):
            for row in rows:
                try:
                    parse(row)
                    cells.width(row)
                except Exception:
                    pass
        """
    assert codes(project_of(text)) == ["LIM101"]
    assert codes(project_of(text, cheap_calls=("tables.fast.parse",))) == ["LIM101"]
    assert codes(project_of(text, cheap_calls=("tables.fast.parse", "tables.cells."))) == []


def test_everywhere_treats_all_code_alike():
    files = {
        "tasks.py": f"from celery import shared_task\n{TASK}\ndef ping(): pass\n",
        "tests/rows.py": "def f(rows):\n    for row in rows:\n        try:\n            row.save_it()\n        except Exception:\n            pass\n",
    }
    assert codes(project_of(files)) == []
    (finding,) = findings(project_of(files, scope="everywhere"))
    assert (finding.code, finding.path) == ("LIM101", "tests/rows.py")
    assert finding.chain[0].what == "function tests.rows.f"


# What names mean


def test_a_name_with_more_meanings_than_can_be_followed_means_nothing():
    def text(count: int) -> str:
        functions = "".join(f"def f{i}(row):\n    try:\n        row.go()\n    except Exception:\n        pass\n" for i in range(count))
        table = ", ".join(f"'f{i}': f{i}" for i in range(count))
        task = "def work(rows):\n    for row in rows:\n        FUNCTIONS[row.kind](row)\n"
        return f"from celery import shared_task\n{functions}FUNCTIONS = {{{table}}}\n{TASK}\n{task}"

    assert codes(project_of(text(12))) == ["LIM102"] * 12
    assert codes(project_of(text(13))) == []


def test_a_name_at_the_end_of_too_long_a_way_means_nothing():
    def text(length: int) -> str:
        steps = "".join(f"n{i + 1} = n{i}\n" for i in range(length))
        return f"class Client: pass\nn0 = Client()\n{steps}"

    client = frozenset({Instance(ClassRef("tasks.py", "Client"), True)})
    assert meaning(project_of(text(3)), "n3") == client
    assert meaning(project_of(text(100)), "n100") == NOTHING


def test_what_cannot_be_called_gives_nothing_when_it_is_called():
    project = project_of({"tasks.py": "import tools\nitems = [tools]\nnothing = tools()\nnor = items()\n", "tools.py": ""})
    assert meaning(project, "nothing") == NOTHING
    assert meaning(project, "nor") == NOTHING
    assert meaning(project, "items") == {Many(meaning(project, "tools"))}


def test_names_that_go_round_in_a_circle_mean_nothing():
    project = project_of(
        {
            "tasks.py": "from one import *\nfrom one import first\nloop = loop\nclass Snake(Snake): pass\n",
            "one.py": "from two import *\nfrom two import first\n",
            "two.py": "from one import *\nfrom one import first\n",
        }
    )
    assert meaning(project, "first") == NOTHING
    assert meaning(project, "second") == NOTHING
    assert meaning(project, "loop") == NOTHING
    assert project.inference.classes.ancestors(ClassRef("tasks.py", "Snake")) == (ClassRef("tasks.py", "Snake"),)


def test_a_name_of_a_library_means_the_library_whatever_files_there_are():
    project = project_of({"tasks.py": "import json, celery, shop\n", "json.py": "", "celery.py": "", "shop.py": ""})
    assert meaning(project, "json") == {External("json")}
    assert meaning(project, "celery") == {External("celery")}
    assert meaning(project, "shop") != {External("shop")}


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("shop/tasks.py", "shop.tasks"),
        ("src/store/tasks.py", "store.tasks"),
        ("shop/__init__.py", "shop"),
        ("scripts/2024-import.py", "scripts.2024-import"),
    ],
)
def test_a_function_is_shown_by_the_name_that_its_file_is_imported_by(path, shown):
    project = project_of({"shop/__init__.py": "", "src/store/__init__.py": "", path: "class Cart:\n    def add(self):\n        def check(): pass\n"})
    assert project.describe(FunctionRef(path, "Cart.add")) == f"{shown}.Cart.add"
    assert project.describe(FunctionRef(path, "Cart.add.<locals>.check")) == f"{shown}.Cart.add.check"
    assert project.describe(FunctionRef(path, "")) == shown


# Reach


def test_a_function_that_is_called_in_very_many_ways_is_followed_all_the_same():
    callbacks = "".join(f"def f{i}(row):\n    row.go_on()\n" for i in range(40))
    calls = "".join(f"    each(rows, f{i})\n" for i in range(40))
    project = project_of(
        "from celery import shared_task\n"
        "def each(rows, action):\n"
        "    for row in rows:\n"
        "        try:\n"
        "            action(row)\n"
        "            row.save_it()\n"
        "        except Exception:\n"
        "            pass\n"
        f"{callbacks}{TASK}\ndef work(rows):\n{calls}"
    )
    frames = [frame for frame in project.reach.resolved if frame.qualname == "each"]
    assert len(frames) == 25
    assert FunctionRef("tasks.py", "each") in frames
    assert [(finding.code, finding.line) for finding in findings(project)] == [("LIM101", 7)]


def test_the_chain_shown_is_a_shortest_one():
    project = project_of(
        f"""
        from celery import shared_task

        def save(row):
            try:
                row.save_it()
            except Exception:
                pass

        def detour(rows):
            save_all(rows)

        def save_all(rows):
            for row in rows:
                save(row)

        {TASK}
        def a_long_way(rows):
            detour(rows)

        {TASK}
        def work(rows):
            save_all(rows)
        """
    )
    (finding,) = findings(project)
    assert [link.what for link in finding.chain] == [
        "task tasks.work",
        "calls tasks.save_all",
        "this loop goes on",
        "calls tasks.save",
        "except Exception takes the deadline",
    ]


def test_functions_that_call_each_other_for_ever_are_followed_to_an_end():
    project = project_of(
        f"""
        from celery import shared_task

        def one(row, action):
            try:
                return two(row, lambda: one(row, action))
            except Exception:
                return two(row, action)

        def two(row, action):
            row.save_it()
            return one(row, lambda: action())

        {TASK}
        def work(rows):
            for row in rows:
                one(row, work)
        """
    )
    assert [(finding.code, finding.line) for finding in findings(project)] == [("LIM102", 7)]


# Order


@pytest.fixture(scope="module")
def everything() -> dict[str, str]:
    """All fixtures as one project."""
    return {path.relative_to(FIXTURES).as_posix(): path.read_text(encoding="utf-8") for path in sorted(FIXTURES.rglob("*.py"))}


def test_the_findings_do_not_depend_on_the_order_of_the_files(everything):
    mixed = {path: everything[path] for path in sorted(everything, key=lambda path: path[::-1])}
    found = findings(project_of(everything))
    assert {finding.code for finding in found} >= {"LIM101", "LIM102", "LIM109", "LIM201", "LIM307"}
    assert findings(project_of(mixed)) == found


def run(root: Path, seed: str) -> Analysis:
    """An analysis in a process of its own."""
    script = (
        "import sys, msgspec; from flake8_deadline.check import analyse; from flake8_deadline.options import Options;"
        "sys.stdout.buffer.write(msgspec.json.encode(analyse(Options(root=sys.argv[1], enable=tuple(sys.argv[2:]), cache_dir='none'))))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(tree.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", script, str(root), *EVERY_CODE], capture_output=True, check=True, env=environment)
    return msgspec.json.decode(done.stdout, type=Analysis)


def test_the_findings_do_not_depend_on_the_seed_of_hashes():
    first, second = run(FIXTURES, "0"), run(FIXTURES, "1")
    assert first.findings
    assert first == second


def test_the_findings_do_not_depend_on_what_the_cache_knows(everything, tmp_path):
    for path, text in everything.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    cached, uncached = (Options(root=str(tmp_path), enable=EVERY_CODE, cache_dir=directory) for directory in ("", "none"))
    plain = analyse(uncached)
    assert plain.findings
    assert [analyse(cached), analyse(cached)] == [plain, plain]
    changed = next(path for path, text in everything.items() if "soft_time_limit=60, time_limit=90" in text)
    (tmp_path / changed).write_text(everything[changed].replace("soft_time_limit=60, time_limit=90", ""), encoding="utf-8")
    assert analyse(cached) == analyse(uncached) != plain
