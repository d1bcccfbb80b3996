"""Where the import line goes."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LOOP = "def f(rows):\n    for row in rows:\n        try:\n            row.go()\n        except Exception:\n            pass\n"
NEW = "from celery.exceptions import SoftTimeLimitExceeded\n"


@pytest.fixture
def head(mended: Callable[..., str]) -> Callable[..., str]:
    """What stands above the function, once a module that begins with these lines has been mended."""

    def above(lines: str, *first_party: str) -> str:
        result = mended(lines + LOOP, *first_party)
        return result.removesuffix(LOOP.replace("        exc", "        except SoftTimeLimitExceeded:\n            raise\n        exc"))

    return above


@pytest.mark.parametrize(
    "above",
    [
        pytest.param("import os\n", id="the standard library"),
        pytest.param('"""doc"""\n', id="a docstring"),
        pytest.param("'doc' \"string\"\n", id="a docstring in two parts"),
        pytest.param('("""doc""")\n', id="a docstring in parentheses"),
        pytest.param("from __future__ import annotations\n", id="__future__"),
        pytest.param('"""doc"""; from __future__ import annotations\n', id="docstring; __future__"),
        pytest.param("from __future__ import annotations; import os\n", id="__future__; import"),
        pytest.param("from __future__ import annotations; from __future__ import division\nimport os\n", id="__future__; __future__"),
        pytest.param('"""doc"""\n\n__all__ = ["f"]\n__version__: str = "1"\n', id="dunder names"),
        pytest.param("# Licence\n", id="a licence"),
        pytest.param("import os; import sys\n", id="imports on one line"),
        pytest.param("import os  # noqa: F401\n", id="a trailing comment"),
        pytest.param("from os import (\n    path,\n    sep,\n)\n", id="an import on several lines"),
    ],
)
def test_without_a_neighbour_of_its_section_it_is_a_group_of_its_own(head: Callable[..., str], above: str) -> None:
    assert head(above + "\n\n") == above + "\n" + NEW + "\n\n"


def test_the_distance_of_the_code_to_imports_above_stays(head: Callable[..., str]) -> None:
    for blanks in ("\n", "\n\n\n\n"):
        assert head("import os\n" + blanks) == "import os\n\n" + NEW + blanks


@pytest.mark.parametrize("above", ['"""doc"""\n', "# Licence\n", "__all__ = []\n", "from __future__ import annotations\n"])
def test_where_no_import_stands_above_the_code_is_as_far_off_as_an_import_sorter_wants_it(head: Callable[..., str], above: str) -> None:
    for blanks in (1, 2):
        assert head(above + "\n" * blanks) == above + "\n" + NEW + "\n\n"
    assert head(above + "\n\n\n\n") == above + "\n\n" + NEW + "\n\n"
    assert head(above + "\n\n\na = 1\n") == above + "\n\n" + NEW + "\na = 1\n"
    assert head(above + "\n@a\nclass C: ...\n") == above + "\n" + NEW + "\n\n@a\nclass C: ...\n"


@pytest.mark.parametrize(
    ("above", "result"),
    [
        pytest.param("", NEW + "\n", id="a lone function"),
        pytest.param("def g(): ...\n\ndef h(): ...\n", NEW + "\ndef g(): ...\n\ndef h(): ...\n", id="functions that crowd"),
        pytest.param("def g(): ...\n\n\n", NEW + "\n\ndef g(): ...\n\n\n", id="functions that stand apart"),
        pytest.param("class C: ...\n\n\n# about f\n", NEW + "\n\nclass C: ...\n\n\n# about f\n", id="a class"),
        pytest.param("a = 1\n\n\n", NEW + "\na = 1\n\n\n", id="code"),
    ],
)
def test_where_nothing_stands_above_functions_stand_as_far_apart_as_the_file_has_them(head: Callable[..., str], above: str, result: str) -> None:
    assert head(above) == result


@pytest.mark.parametrize(
    ("above", "result"),
    [
        pytest.param("", NEW + "\n", id="at the top where nothing stands above"),
        pytest.param("\n\n", NEW + "\n\n", id="at the top where only blank lines stand above"),
        pytest.param("import os\n# about f\n", "import os\n\n" + NEW + "\n# about f\n", id="a comment on the function stays with it"),
        pytest.param(
            "#!/usr/bin/python\n# coding: utf-8\n", "#!/usr/bin/python\n# coding: utf-8\n" + NEW + "\n\n", id="shebang and cookie stay on top"
        ),
        pytest.param("\n# coding: utf-8\n", "\n# coding: utf-8\n" + NEW + "\n\n", id="a cookie on line 2 stays there"),
        pytest.param("# Licence\n\n# about f\n", "# Licence\n\n" + NEW + "\n\n# about f\n", id="below the licence, above the comment"),
        pytest.param("# Licence\n\n\n", "# Licence\n\n" + NEW + "\n\n", id="the distance to the function stays"),
        pytest.param("import os; os.fork()\n", NEW + "\nimport os; os.fork()\n", id="above code that shares a line with an import"),
        pytest.param('"""doc"""; import os\n', '"""doc"""; import os\n\n' + NEW + "\n\n", id="below a docstring that shares a line"),
        pytest.param('f"not a docstring"\n', NEW + '\nf"not a docstring"\n', id="an f-string is no docstring"),
        pytest.param('b"not a docstring"\n', NEW + '\nb"not a docstring"\n', id="bytes are no docstring"),
        pytest.param("__all__[0] = 1\n", NEW + "\n__all__[0] = 1\n", id="not every assignment is a dunder name"),
        pytest.param("if a:\n    import os\n", NEW + "\nif a:\n    import os\n", id="never inside another statement"),
        pytest.param(
            "import os\ntry:\n    import a\nexcept ImportError:\n    a = None\nimport b\n",
            "import os\n\n" + NEW + "\ntry:\n    import a\nexcept ImportError:\n    a = None\nimport b\n",
            id="in the first block",
        ),
        pytest.param("import os\n\nfrom . import a\n\n", "import os\n\n" + NEW + "\nfrom . import a\n\n", id="before relative imports"),
        pytest.param("from . import a\n\n", NEW + "\nfrom . import a\n\n", id="before a first relative import"),
        pytest.param('"""doc"""\n\nfrom . import a\n\n', '"""doc"""\n\n' + NEW + "\nfrom . import a\n\n", id="between docstring and relative import"),
        pytest.param("import os\nfrom . import a\n\n", "import os\n\n" + NEW + "\nfrom . import a\n\n", id="sections without blank lines"),
    ],
)
def test_comments_and_other_statements_keep_their_place(head: Callable[..., str], above: str, result: str) -> None:
    assert head(above) == result


@pytest.mark.parametrize(
    ("above", "result"),
    [
        pytest.param("import a\n", "import a\n" + NEW, id="after import x"),
        pytest.param("import zebra\n", "import zebra\n" + NEW, id="even where x sorts later"),
        pytest.param("from celery import a\n", "from celery import a\n" + NEW, id="after the package"),
        pytest.param("from django import a\n", NEW + "from django import a\n", id="before a later module"),
        pytest.param("from Alpha import a\n", "from Alpha import a\n" + NEW, id="upper case counts as lower case"),
        pytest.param("from alpha import a\nfrom django import b\n", "from alpha import a\n" + NEW + "from django import b\n", id="between two"),
        pytest.param("from celery.exceptions import *\n", "from celery.exceptions import *\n" + NEW, id="after a star of its module"),
        pytest.param("from celery.exceptions import A as b\n", "from celery.exceptions import A as b\n" + NEW, id="after an earlier name"),
        pytest.param("from celery.exceptions import T as b\n", NEW + "from celery.exceptions import T as b\n", id="before a later name"),
        pytest.param(
            "from celery.exceptions import Z, \\\n    A\n", NEW + "from celery.exceptions import Z, \\\n    A\n", id="an import is never changed"
        ),
        pytest.param("from celery.exceptions import ABC\n", "from celery.exceptions import ABC\n" + NEW, id="after a constant"),
        pytest.param("from celery.exceptions import a\n", NEW + "from celery.exceptions import a\n", id="before a function"),
        pytest.param(
            "from django import a\nfrom alpha import b\n", "from django import a\nfrom alpha import b\n" + NEW, id="after the last that is smaller"
        ),
        pytest.param("import os\n\nfrom django import a\n", "import os\n\n" + NEW + "from django import a\n", id="at the top of its section"),
        pytest.param(
            "import os\n\n# Django\nfrom django import a\n",
            "import os\n\n" + NEW + "\n# Django\nfrom django import a\n",
            id="above a comment at the top of its section",
        ),
        pytest.param("# Licence\nfrom django import a\n", "# Licence\n" + NEW + "from django import a\n", id="below a licence"),
        pytest.param(
            "# Licence\n\n# Django\nfrom django import a\n",
            "# Licence\n\n" + NEW + "\n# Django\nfrom django import a\n",
            id="between licence and comment",
        ),
        pytest.param("import os, a\nimport b, os\n", "import os, a\nimport b, os\n" + NEW, id="the first of several modules counts"),
    ],
)
def test_beside_neighbours_of_its_section_it_takes_its_place_in_the_order(head: Callable[..., str], above: str, result: str) -> None:
    assert head(above + "\n\n") == result + "\n\n"


def test_the_project_s_own_packages_are_a_section_of_their_own(head: Callable[..., str]) -> None:
    above = "import os\n\nimport shop\nfrom aaa import a\n\n\n"

    assert head(above) == "import os\n\nimport shop\nfrom aaa import a\n" + NEW + "\n\n"
    assert head(above, "shop", "aaa") == "import os\n\n" + NEW + "\nimport shop\nfrom aaa import a\n\n\n"


def test_in_the_project_that_defines_the_exception_it_is_one_of_its_own(head: Callable[..., str]) -> None:
    assert head("import zebra\n\nimport celery.app\n\n\n", "celery") == "import zebra\n\nimport celery.app\n" + NEW + "\n\n"


def test_a_module_named_as_one_of_the_standard_library_is_that(head: Callable[..., str]) -> None:
    assert head("import os\nimport types\n\n\n", "types") == "import os\nimport types\n\n" + NEW + "\n\n"


@pytest.mark.parametrize(
    "head_lines",
    [
        "import os\n\n\n",
        '"""doc"""\n\nimport os\nfrom pathlib import Path\n\n\n',
        "from __future__ import annotations\n\nimport os\n\nimport requests\nfrom django.db import models\n\nimport shop\n\nfrom . import a\n\n\n",
        "import os\n\nfrom celery import shared_task\nfrom zebra import z\n\na = 1\n\n\n",
        "# Licence\n\nfrom django.db import models\n\nfrom shop import tasks\n\n\n",
        "import os\n\n# Django\nfrom django.db import models\n\n# Ours\nfrom shop import tasks\n\n\n",
        "import shop\n\n\n",
        "from .a import b\n\n\n",
        '"""doc"""\n\n\n',
        "# Licence\n\n\n",
    ],
)
def test_sorted_imports_stay_sorted(mended: Callable[..., str], tmp_path: Path, head_lines: str) -> None:
    file = tmp_path / "module.py"
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--quiet",
        "--select",
        "I001,E402,F811",
        "--config",
        'lint.isort.known-first-party=["shop"]',
    ]
    found = []
    for text in (head_lines + LOOP, mended(head_lines + LOOP, "shop")):
        file.write_text(text)
        found.append(subprocess.run([*command, str(file)], capture_output=True, text=True, check=False).stdout)

    assert found == ["", ""]


# None from the module itself: no existing line is changed, though a sorter would have the two imports made one.
_DRAWN = {
    "doc": ["", '"""doc"""\n', "# Licence\n\n", "#!/usr/bin/python\n# Licence\n\n"],
    "future": ["", "from __future__ import annotations\n"],
    "standard": ["import os\n", "import sys\n", "from pathlib import Path\n", "import json as j\n"],
    "third": [
        "import celery\n",
        "import zebra\n",
        "from celery import shared_task\n",
        "from django.db import models\n",
        "from celery.app import (\n    task,  # this\n)\n",
    ],
    "own": ["import shop\n", "from shop import tasks\n", "from shop.tasks import (\n    sync,\n)\n"],
    "relative": ["from . import a\n", "from .. import b\n", "from .celery import app\n"],
    "code": ["", "a = 1\n\n\n", "# about f\n", "@a\nclass C: ...\n\n\n", "if a:\n    import b\n\n\n", "# section\n\n\n"],
}


def drawn_head(dice: random.Random) -> str:
    """Lines above a function, in an order that may be wrong."""
    one = {name: dice.choice(_DRAWN[name]) for name in ("doc", "future", "code")}
    several = [line for name in ("standard", "third", "own", "relative") for line in dice.sample(_DRAWN[name], dice.choice([0, 0, 1, 2]))]
    return one["doc"] + one["future"] + "".join(several) + one["code"]


def sort(folder: Path, *arguments: str) -> list[str]:
    """The files in which ruff finds imports out of order."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "I001,E402,F811", "--output-format", "json"]
    done = subprocess.run(
        [*command, "--config", 'lint.isort.known-first-party=["shop"]', *arguments, str(folder)], capture_output=True, text=True, check=False
    )
    return [f"{one['code']} {(folder / one['filename']).name}" for one in json.loads(done.stdout)]


def test_any_imports_that_are_sorted_stay_sorted(mended: Callable[..., str], tmp_path: Path) -> None:
    dice = random.Random(1)  # noqa: S311
    for number in range(200):
        (tmp_path / f"m{number:03}.py").write_text((drawn_head(dice) or "import os\n") + LOOP)
    sort(tmp_path, "--fix")
    dirty = set(sort(tmp_path))
    for file in tmp_path.glob("*.py"):
        file.write_text(mended(file.read_text(), "shop"))

    assert len(dirty) < 30
    assert set(sort(tmp_path)) - dirty == set()
