"""Findings in, checked texts and reasons out."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from flake8_deadline.codemods.first_party import first_party
from flake8_deadline.codemods.mend import Refused, apply, mend
from flake8_deadline.rule import Finding, Fix
from flake8_deadline.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Set
    from pathlib import Path

    Relint = Callable[[Mapping[str, bytes]], Set[tuple[str, int, str]]]
    Findings = Callable[[str, bytes], list[Finding]]

LOOP = b"def f(rows):\n    for row in rows:\n        try:\n            row.go()\n        except Exception:\n            pass\n"
IMPORT = b"from celery.exceptions import SoftTimeLimitExceeded\n"
CLAUSE = b"        except SoftTimeLimitExceeded:\n            raise\n"
MENDED = IMPORT + b"\n" + LOOP.replace(b"        except", CLAUSE + b"        except")


def plant(root: Path, path: str, text: bytes = LOOP) -> bytes:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(text)
    return text


def test_each_file_gets_its_new_text_and_nothing_is_written(tmp_path: Path, findings: Findings, relint: Relint) -> None:
    found = [finding for path in ("shop/b.py", "a.py") for finding in findings(path, plant(tmp_path, path))]

    first, second = mend(tmp_path, found, relint)

    assert (first.path, first.old, first.new, first.refused) == ("a.py", LOOP, MENDED, ())
    assert [finding.line for finding in first.fixed] == [5]
    assert (first.imports, first.first_imports) == (("celery.exceptions",), ("celery",))
    assert (second.path, second.new) == ("shop/b.py", MENDED)
    assert (tmp_path / "a.py").read_bytes() == LOOP


def test_applied_is_what_was_mended(tmp_path: Path, findings: Findings, relint: Relint) -> None:
    mended = mend(tmp_path, findings("a.py", plant(tmp_path, "a.py")), relint)

    assert apply(tmp_path, mended) == []
    assert (tmp_path / "a.py").read_bytes() == MENDED
    assert mend(tmp_path, findings("a.py", MENDED), relint) == []


def test_a_file_without_an_edit_is_not_written(tmp_path: Path, findings: Findings, relint: Relint) -> None:
    text = plant(tmp_path, "a.py", b"SoftTimeLimitExceeded = 1\n" + LOOP)
    before = (tmp_path / "a.py").stat()

    mended = mend(tmp_path, findings("a.py", text), relint)

    assert apply(tmp_path, mended) == []
    assert (tmp_path / "a.py").stat() == before
    assert mended[0].refused == (Refused("a.py", 6, "LIM101", "the name SoftTimeLimitExceeded is bound elsewhere (line 1, assignment)"),)


def test_a_file_that_cannot_be_written_is_told_and_the_others_are_written(tmp_path: Path, findings: Findings, relint: Relint) -> None:
    found = [finding for path in ("a.py", "b.py") for finding in findings(path, plant(tmp_path, path))]
    mended = mend(tmp_path, found, relint)
    plant(tmp_path, "a.py", b"pass\n")

    assert apply(tmp_path, mended) == [Refused("a.py", 5, "LIM101", "the file has changed since it was read")]
    assert (tmp_path / "b.py").read_bytes() == MENDED


def test_findings_without_a_safe_fix_are_passed_over(tmp_path: Path, relint: Relint) -> None:
    plant(tmp_path, "a.py")
    unsafe = Fix(5, "celery.exceptions", "SoftTimeLimitExceeded", "unsafe")
    found = [Finding("a.py", 5, 1, "LIM101", "n", "m", (), fix) for fix in (None, unsafe)]

    assert mend(tmp_path, found, relint) == []


def test_two_findings_of_one_clause_are_both_fixed_by_one_clause(tmp_path: Path, findings: Findings, relint: Relint) -> None:
    (finding,) = findings("a.py", plant(tmp_path, "a.py"))
    other = Finding("a.py", 5, 1, "LIM102", "n", "m", (), finding.fix)

    (mended,) = mend(tmp_path, [other, finding], relint)

    assert mended.fixed == (finding, other)
    assert mended.new == MENDED


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("none.py", "cannot be found: No such file or directory"),
        ("../a.py", "the file lies outside the project's root"),
        ("shop", "not a regular file"),
    ],
)
def test_a_path_that_is_no_file_of_the_project_is_refused(tmp_path: Path, findings: Findings, relint: Relint, path: str, why: str) -> None:
    plant(tmp_path, "a.py")
    plant(tmp_path, "root/shop/b.py")

    (mended,) = mend(tmp_path / "root", findings(path, LOOP), relint)

    assert (mended.old, mended.new, mended.fixed) == (b"", b"", ())
    assert mended.refused == (Refused(path, 5, "LIM101", why),)


def test_an_edit_that_fails_its_check_is_refused(tmp_path: Path, findings: Findings, relint: Relint, monkeypatch: pytest.MonkeyPatch) -> None:
    from flake8_deadline.codemods import verify  # noqa: PLC0415

    monkeypatch.setattr(verify, "same_tree", lambda one, other: False)

    (mended,) = mend(tmp_path, findings("a.py", plant(tmp_path, "a.py")), relint)

    assert mended.new == LOOP
    assert mended.refused[0].reason.startswith("the edit did not pass its check: the result would mean something else")


def test_an_edit_after_which_the_finding_is_still_there_is_refused(tmp_path: Path, findings: Findings) -> None:
    def relint(texts: Mapping[str, bytes]) -> set[tuple[str, int, str]]:
        return {("a.py", 9 if texts else 5, "LIM101")}

    (mended,) = mend(tmp_path, findings("a.py", plant(tmp_path, "a.py")), relint)

    assert (mended.new, mended.fixed) == (LOOP, ())
    assert mended.refused == (Refused("a.py", 5, "LIM101", "the linter would still find LIM101 on line 5"),)


def test_an_edit_that_brings_a_new_finding_is_refused(tmp_path: Path, findings: Findings) -> None:
    def relint(texts: Mapping[str, bytes]) -> set[tuple[str, int, str]]:
        return {("a.py", 9, "LIM108")} if texts else {("a.py", 5, "LIM101")}

    (mended,) = mend(tmp_path, findings("a.py", plant(tmp_path, "a.py")), relint)

    assert mended.new == LOOP
    assert mended.refused[0].reason == "the linter would find LIM108 on line 9 of the result"


def test_findings_that_were_there_before_may_stay(tmp_path: Path, findings: Findings) -> None:
    def relint(texts: Mapping[str, bytes]) -> set[tuple[str, int, str]]:
        return {("a.py", 4 if texts else 2, "LIM201"), ("b.py", 1, "LIM301")} | (set() if texts else {("a.py", 5, "LIM101")})

    (mended,) = mend(tmp_path, findings("a.py", plant(tmp_path, "a.py")), relint)

    assert mended.new == MENDED


def test_a_refused_edit_does_not_stop_the_others_which_are_linted_again_without_it(tmp_path: Path, findings: Findings) -> None:
    asked: list[list[str]] = []

    def relint(texts: Mapping[str, bytes]) -> set[tuple[str, int, str]]:
        asked.append(sorted(texts))
        return {("b.py", 1, "LIM301")} if "b.py" in texts else set()

    found = [finding for path in ("a.py", "b.py") for finding in findings(path, plant(tmp_path, path))]

    first, second = mend(tmp_path, found, relint)

    assert asked == [[], ["a.py", "b.py"], ["a.py"]]
    assert (first.new, second.new) == (MENDED, LOOP)


def test_where_every_edit_is_refused_the_linter_is_not_asked_in_vain(tmp_path: Path, findings: Findings) -> None:
    asked: list[list[str]] = []

    def relint(texts: Mapping[str, bytes]) -> set[tuple[str, int, str]]:
        asked.append(sorted(texts))
        return {("a.py", 1, "LIM301")} if texts else set()

    mend(tmp_path, findings("a.py", plant(tmp_path, "a.py")), relint)

    assert asked == [[], ["a.py"]]


def test_the_place_of_the_import_knows_the_project_s_own_packages(tmp_path: Path, findings: Findings, relint: Relint) -> None:
    text = plant(tmp_path, "a.py", b"import aaa\n\n\n" + LOOP)

    (mended,) = mend(tmp_path, findings("a.py", text), relint, frozenset({"aaa"}))

    assert mended.new.startswith(IMPORT + b"\nimport aaa\n")


def test_own_packages_are_what_stands_where_imports_start() -> None:
    files = ("app.py", "backend/manage.py", "backend/shop/__init__.py", "backend/shop/tasks.py", "src/lib/__init__.py", "docs/conf.py")

    assert first_party(Tree(files)) == {"app", "backend", "src", "docs", "manage", "shop", "lib"}


def test_libcst_is_imported_for_a_fix_alone() -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom flake8_deadline.codemods.mend import mend\n"
        "assert mend(Path('.'), [], lambda texts: set()) == []\nassert 'libcst' not in sys.modules"
    )

    subprocess.run([sys.executable, "-c", program], check=True)


def test_no_such_name_in_the_package() -> None:
    from flake8_deadline import codemods  # noqa: PLC0415

    with pytest.raises(AttributeError, match="has no attribute 'Nonsense'"):
        codemods.Nonsense  # noqa: B018
