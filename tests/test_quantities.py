"""What number an expression is, and where it stands."""

from __future__ import annotations

from datetime import timedelta
from textwrap import dedent

import pytest

from flake8_deadline import tree
from flake8_deadline.facts import Hint
from flake8_deadline.options import Options
from flake8_deadline.project import Project
from flake8_deadline.project.objects import FunctionRef
from flake8_deadline.project.quantities import Known, Place, Quantities
from flake8_deadline.reading.outline import outline
from flake8_deadline.reading.python import read


class Memory:
    """Files that lie in memory."""

    def __init__(self, texts):
        self.texts = {path: dedent(text).encode() for path, text in texts.items()}
        self.names = {path: tree.module_names(path, [""]) for path in texts}

    def outline(self, path):
        return outline(self.texts[path])

    def summary(self, path):
        return read(self.texts[path])

    def mentions(self, words, among=None):
        return [path for path in among or self.texts if any(word.encode() in self.texts[path] for word in words)]


def quantity(text, environment=None, name="X", **texts):
    """What the name holds at the end of a module with this text."""
    files = {"main.py": text, **{f"{module}.py": other for module, other in texts.items()}}
    project = Project(Memory(files), Options())
    known = {key: Known(value, Place(".env", 1)) for key, value in (environment or {}).items()}
    quantities = Quantities(project.inference, known)
    body = project.modules.source("main.py").functions[""]
    values = [value for value in body.bindings[name] if not isinstance(value, Hint)]
    return quantities.of(values[-1] if len(values) == 1 else name, FunctionRef("main.py", ""), body.lines[name][-1])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("X = 60", 60),
        ("X = 5 * 60 - 1", 299),
        ("X = -1", -1),
        ("X = '120'", "120"),
        ("X = None", None),
        ("M = 60\nX = 2 * M", 120),
        ("M = 60\nX = M", 60),
        ("M = 60\nN = 5\nX = M + N", 65),
        ("M = 60\nX = (M - 1) // 2", 29),
        ("X = int('600')", 600),
        ("X = float(90) / 4", 22.5),
        ("M = 3\nX = max(M, 5, 2)", 5),
        ("from datetime import timedelta\nX = timedelta(minutes=6).total_seconds()", 360),
        ("from datetime import timedelta\nX = int(timedelta(0, 90).total_seconds()) + 1", 91),
        ("from datetime import timedelta\nX = timedelta(hours=1).seconds", 3600),
        ("from datetime import timedelta\nS = timedelta(days=2)\nX = S.days", 2),
        ("from datetime import timedelta\nS = timedelta(seconds=1.5)\nX = S.total_seconds()", 1.5),
        ("import datetime as dt\nX = dt.timedelta(minutes=1)", timedelta(minutes=1)),
        ("class Limits:\n    soft = 45\nX = Limits.soft", 45),
        ("class Base:\n    soft = 45\nclass Limits(Base): pass\nlimits = Limits()\nX = limits.soft", 45),
        ("def minutes():\n    return 3 * 60\nX = minutes()", 180),
        ("if a:\n    X = 1\nX = 2", 2),
        ("if a:\n    M = 1\nelse:\n    M = 1\nX = M", 1),
        ("X: int = 60", 60),
        ("X = 60 if a else 60", 60),
    ],
)
def test_a_value_is_read_without_running_it(text, value):
    found = quantity(text)
    assert (found.value, found.unknown, found.variable) == (value, "", "")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("X = minutes(3)", "minutes(…) cannot be read"),
        ("X = a().b(3)", "it cannot be read"),
        ("X = [1]", "it cannot be read"),
        ("X = M", "M is not defined where it can be seen"),
        ("X = X", "X is defined by itself"),
        ("M = N\nN = M\nX = M", "M is defined by itself"),
        ("X = 1\nX += 1", "it cannot be read"),
        ("M = 1\nif a:\n    M = 2\nX = M + 1", "a condition decides it (lines 1, 3)"),
        ("M: int\nX = M", "it is declared, not set"),
        ("X = other.name", "other.name cannot be followed"),
        ("X = other.seconds", "other is not defined where it can be seen"),
        ("X = max(M, 5)", "M is not defined where it can be seen"),
        ("X = 60 if a else 90", "a condition decides it"),
        ("M = 0\nX = 60 / M", "it cannot be computed"),
        ("M = 'a'\nX = M - 1", "it cannot be computed"),
        ("M = 9007199254740000\nX = M * M", "it is too large"),
        ("M = 'a'\nN = 500\nX = M * N", "it cannot be computed"),
        ("X = int('a')", "it cannot be computed"),
        ("M = 60\nX = M.seconds", "it is no span of time"),
        ("X = int(5).seconds", "it is no span of time"),
        ("class Limits: pass\nX = Limits.soft", "Limits.soft is not set in its class"),
        ("def own(a):\n    return 1\nX = own(1)", "own(…) cannot be read"),
        ("def own():\n    return 1\n    return 2\nX = own()", "own(…) cannot be read"),
        ("def own():\n    return own()\nX = own()", "own(…) cannot be read"),
        ("import os\nX = os.environ['SOFT']", "SOFT is set by the environment alone"),
        ("import os\nX = int(os.environ.get('SOFT'))", "SOFT is set by the environment alone"),
        ("import os\nX = os.cpu_count() * 100", "os.cpu_count(…) cannot be read"),
        ("from elsewhere import Y\nX = Y", "it cannot be read"),
    ],
)
def test_what_only_a_run_knows_is_unknown_with_the_reason(text, reason):
    found = quantity(text)
    assert (found.value, found.unknown) == (None, reason)


def test_a_long_chain_of_names_ends_somewhere():
    text = "M0 = 1\n" + "".join(f"M{n} = M{n - 1}\n" for n in range(1, 40)) + "X = M39\n"
    assert quantity(text).unknown == "it is defined by too many others"


def test_a_value_stands_where_it_is_written_and_is_reached_by_the_places_that_name_it():
    found = quantity("from limits import SOFT\n\nX = SOFT\n", limits="\n\n\nSOFT = 5 * 60\n")
    assert (found.value, found.at, found.via) == (300, Place("limits.py", 4), (Place("main.py", 3), Place("main.py", 1)))
    found = quantity("from limits import HARD\nX = int(HARD)\n", limits="HARD = 90.0\n")
    assert (found.value, found.at) == (90, Place("limits.py", 1))
    found = quantity("M = 60\n\nX = 2 * M\n")
    assert (found.value, found.at, found.via) == (120, Place("main.py", 3), (Place("main.py", 1),))


def test_star_imports_give_what_a_module_does_not_have_itself():
    base = "SOFT = 60\nHARD = SOFT + 30\n"
    assert quantity("from base import *\nSOFT = 600\nX = HARD", base=base).value == 90
    assert quantity("from base import *\nSOFT = 600\nX = SOFT", base=base).value == 600
    assert quantity("from base import *\nX = HARD", base="from first import *\n", first=base).at == Place("first.py", 2)
    assert quantity("from base import *\nfrom elsewhere import *\nX = HARD", base="from main import *\n").unknown
    assert quantity("import base\nX = base.HARD", base=base).value == 90


def test_a_function_sees_its_own_names_and_not_its_callers():
    text = "def make(limit):\n    soft = 60\n    def inner():\n        return soft\n    return limit\n"
    project = Project(Memory({"main.py": text}), Options())
    quantities = Quantities(project.inference)
    assert quantities.of("soft", FunctionRef("main.py", "make.<locals>.inner"), 4).value == 60
    assert quantities.of("limit", FunctionRef("main.py", "make"), 5).unknown == "limit is given by the caller"


ENVIRONMENT = [
    ("import os\nX = int(os.environ.get('SOFT', '600'))", 600),
    ("import os\nX = int(os.getenv('SOFT', 300))", 300),
    ("from os import environ\nX = float(environ.get('SOFT', 300))", 300.0),
    ("import environ\nenv = environ.Env()\nX = env.int('SOFT', default=600)", 600),
    ("import environ\nenv = environ.Env()\nX = env('SOFT', int, 600)", 600),
    ("from decouple import config\nX = config('SOFT', default='20', cast=int)", 20),
    ("from own import get_int_from_env\nX = get_int_from_env('SOFT', 20)", 20),
    ("import os\nX = int(os.environ.get('SOFT') or 60)", 60),
    ("import os\nM = 5\nX = int(os.environ.get('SOFT', M)) * 60", 300),
    ("import configparser\nX = int(config.get('SOFT', fallback=7))", 7),
]


@pytest.mark.parametrize(("text", "value"), ENVIRONMENT)
def test_a_default_holds_while_nobody_sets_the_variable(text, value):
    found = quantity(text)
    assert (found.value, found.variable, found.is_default, found.unknown) == (value, "SOFT", True, "")


def test_a_variable_that_is_set_is_found_where_it_is_set():
    found = quantity("import os\nX = int(os.environ.get('SOFT', '600'))", {"SOFT": "240"})
    assert (found.value, found.at, found.via, found.is_default) == (240, Place(".env", 1), (Place("main.py", 2),), False)
    assert quantity("import os\nX = os.environ['SOFT']", {"SOFT": "240"}).value == "240"
    assert quantity("import os\nX = int(os.environ['SOFT']) + 1", {"SOFT": "240"}).value == 241
    assert quantity("import os\nX = int(os.environ.get('SOFT') or 60)", {"SOFT": "240"}).value == 240
    assert quantity("import os\nX = int(os.environ['SOFT'])", {"SOFT": "ten"}).unknown == "it cannot be computed"


SETTINGS = """
    from pydantic import Field
    from pydantic_settings import BaseSettings, SettingsConfigDict

    class Limits(BaseSettings):
        model_config = SettingsConfigDict(env_prefix="GLADE_")
        soft: int = 45
        hard: float = 3 * 60
        grace: int
        other: int = Field(default=7, env="OTHER")
        wait: int = Field(9)
        must: int = Field(...)

    limits = Limits()
"""


@pytest.mark.parametrize(
    ("name", "value", "variable"),
    [("soft", 45, "GLADE_SOFT"), ("hard", 180, "GLADE_HARD"), ("other", 7, "OTHER"), ("wait", 9, "GLADE_WAIT")],
)
def test_pydantics_settings_are_defaults_that_a_variable_overrides(name, value, variable):
    text = f"from config import limits\nX = limits.{name}\n"
    found = quantity(text, config=SETTINGS)
    assert (found.value, found.variable, found.is_default, found.at.path) == (value, variable, True, "config.py")
    assert quantity(text, {variable: "5"}, config=SETTINGS).value == 5


def test_a_field_without_a_default_is_set_by_the_environment_alone():
    assert quantity("from config import limits\nX = limits.grace\n", config=SETTINGS).unknown == "GLADE_GRACE is set by the environment alone"
    assert quantity("from config import limits\nX = limits.must\n", config=SETTINGS).value is None
    plain = "from pydantic import BaseSettings\nclass Limits(BaseSettings):\n    model_config = {'env_prefix': 'A_', 1: 2}\n    soft = 5\n"
    assert quantity("from config import Limits\nX = Limits().soft\n", config=plain).unknown
    assert quantity("from config import Limits\nlimits = Limits()\nX = limits.soft\n", config=plain).variable == "A_SOFT"
