"""Findings in, checked texts and reasons out."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from flake8_deadline.codemods.first_party import first_party
from flake8_deadline.codemods.mend import ROUNDS, Refused, apply, mend_in_rounds
from flake8_deadline.codemods.wishes import Wishes
from flake8_deadline.rule import Finding, Reraise
from flake8_deadline.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from flake8_deadline.codemods.mend import Mended
    from flake8_deadline.rule import Safety

    Lint = Callable[[Mapping[str, bytes]], Iterable[Finding]]
    Findings = Callable[[str, bytes], list[Finding]]

LOOP = b"def f(rows):\n    for row in rows:\n        try:\n            row.go()\n        except Exception:\n            pass\n"
IMPORT = b"from celery.exceptions import SoftTimeLimitExceeded\n"
CLAUSE = b"        except SoftTimeLimitExceeded:\n            raise\n"
NEST = (
    b"def f(rows):\n    for row in rows:\n        try:\n            try:\n                row.go()\n"
    b"            except Exception:\n                pass\n        except Exception:\n            pass\n"
)
MENDED = IMPORT + b"\n" + LOOP.replace(b"        except", CLAUSE + b"        except")


def plant(root: Path, path: str, text: bytes = LOOP) -> bytes:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(text)
    return text


def finding(path: str, line: int, code: str = "LIM101", safety: Safety | None = "safe") -> Finding:
    fix = safety and Reraise(line, "celery.exceptions", "SoftTimeLimitExceeded", safety)
    return Finding(path, line, 1, code, "name", "message", (), fix)


def everything(findings: Iterable[Finding]) -> Iterable[Finding]:
    return findings


def nothing(findings: Iterable[Finding]) -> Iterable[Finding]:
    return ()


def mended(root: Path, asked: Iterable[Finding], lint: Lint) -> list[Mended]:
    """The files, where nothing comes to light that is left."""
    outcome = mend_in_rounds(root, asked, lint, everything)
    assert outcome.revealed == ()
    return list(outcome.files)


def clauses(text: bytes) -> list[int]:
    """The lines of a text on which a clause for Exception stands, and has not been mended."""
    lines = text.split(b"\n")
    return [number for number, line in enumerate(lines, 1) if b"except Exception" in line and b"raise" not in lines[number - 2]]


def inside_out(texts: Mapping[str, bytes]) -> list[Finding]:
    """Of each text the first clause that has not been mended, as it keeps the signal from the others."""
    return [finding(path, clauses(text)[0]) for path, text in texts.items() if clauses(text)]


def test_each_file_gets_its_new_text_and_nothing_is_written(tmp_path: Path, findings: Findings, lint: Lint) -> None:
    found = [finding for path in ("shop/b.py", "a.py") for finding in findings(path, plant(tmp_path, path))]

    first, second = mended(tmp_path, found, lint)

    assert (first.path, first.old, first.new, first.refused) == ("a.py", LOOP, MENDED, ())
    assert [one.line for one in first.fixed] == [5]
    assert (first.imports, first.first_imports, first.added) == (("celery.exceptions",), ("celery",), (1, 2, 7, 8))
    assert (second.path, second.new) == ("shop/b.py", MENDED)
    assert (tmp_path / "a.py").read_bytes() == LOOP


def test_applied_is_what_was_mended(tmp_path: Path, findings: Findings, lint: Lint) -> None:
    files = mended(tmp_path, findings("a.py", plant(tmp_path, "a.py")), lint)

    assert apply(tmp_path, files) == []
    assert (tmp_path / "a.py").read_bytes() == MENDED
    assert mended(tmp_path, findings("a.py", MENDED), lint) == []


def test_a_file_without_an_edit_is_not_written(tmp_path: Path, findings: Findings, lint: Lint) -> None:
    text = plant(tmp_path, "a.py", b"SoftTimeLimitExceeded = 1\n" + LOOP)
    before = (tmp_path / "a.py").stat()

    files = mended(tmp_path, findings("a.py", text), lint)

    assert apply(tmp_path, files) == []
    assert (tmp_path / "a.py").stat() == before
    assert files[0].refused == (Refused("a.py", 6, "LIM101", "the name SoftTimeLimitExceeded is bound elsewhere (line 1, assignment)"),)


def test_a_file_that_cannot_be_written_is_told_and_the_others_are_written(tmp_path: Path, findings: Findings, lint: Lint) -> None:
    found = [finding for path in ("a.py", "b.py") for finding in findings(path, plant(tmp_path, path))]
    files = mended(tmp_path, found, lint)
    plant(tmp_path, "a.py", b"pass\n")

    assert apply(tmp_path, files) == [Refused("a.py", 5, "LIM101", "the file has changed since it was read")]
    assert (tmp_path / "b.py").read_bytes() == MENDED


def test_findings_without_a_safe_fix_are_passed_over(tmp_path: Path, lint: Lint) -> None:
    plant(tmp_path, "a.py")

    assert mended(tmp_path, [finding("a.py", 5, safety=None), finding("a.py", 5, "LIM102", "unsafe")], lint) == []


def test_two_findings_of_one_clause_are_both_fixed_by_one_clause(tmp_path: Path, lint: Lint) -> None:
    plant(tmp_path, "a.py")
    both = finding("a.py", 5, "LIM101"), finding("a.py", 5, "LIM102")

    (one,) = mended(tmp_path, both[::-1], lint)

    assert one.fixed == both
    assert one.new == MENDED


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("none.py", "cannot be found: No such file or directory"),
        ("../a.py", "the file lies outside the project's root"),
        ("shop", "not a regular file"),
    ],
)
def test_a_path_that_is_no_file_of_the_project_is_refused(tmp_path: Path, lint: Lint, path: str, why: str) -> None:
    plant(tmp_path, "a.py")
    plant(tmp_path, "root/shop/b.py")

    (one,) = mended(tmp_path / "root", [finding(path, 5)], lint)

    assert (one.old, one.new, one.fixed) == (b"", b"", ())
    assert one.refused == (Refused(path, 5, "LIM101", why),)


def test_an_edit_that_fails_its_check_is_refused(tmp_path: Path, findings: Findings, lint: Lint, monkeypatch: pytest.MonkeyPatch) -> None:
    from flake8_deadline.codemods import verify  # noqa: PLC0415

    monkeypatch.setattr(verify, "same_tree", lambda one, other: False)

    (one,) = mended(tmp_path, findings("a.py", plant(tmp_path, "a.py")), lint)

    assert one.new == LOOP
    assert one.refused[0].reason.startswith("the edit did not pass its check: the result would mean something else")


def test_what_is_revealed_is_mended_in_the_same_run(tmp_path: Path) -> None:
    plant(tmp_path, "a.py", NEST)

    (one,) = mended(tmp_path, [finding("a.py", 6)], inside_out)

    assert one.new.count(b"except SoftTimeLimitExceeded:") == 2
    assert one.new.count(IMPORT) == 1
    assert [fixed.line for fixed in one.fixed] == [6, 8]
    assert inside_out({"a.py": one.new}) == []


def test_what_is_revealed_in_another_file_is_mended_too(tmp_path: Path) -> None:
    for path in ("caller.py", "helper.py"):
        plant(tmp_path, path)

    def lint(texts: Mapping[str, bytes]) -> list[Finding]:
        helper, caller = (clauses(texts.get(path, LOOP)) for path in ("helper.py", "caller.py"))
        return [finding("helper.py", helper[0], "LIM102")] if helper else [finding("caller.py", line) for line in caller]

    files = mended(tmp_path, [finding("helper.py", 5, "LIM102")], lint)

    assert [(one.path, one.old, one.new) for one in files] == [("caller.py", LOOP, MENDED), ("helper.py", LOOP, MENDED)]


def test_only_files_with_something_new_to_fix_are_edited_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from flake8_deadline.codemods import carrying_out  # noqa: PLC0415

    plant(tmp_path, "a.py", NEST)
    plant(tmp_path, "b.py")
    edited: list[int] = []
    insert = carrying_out.insert_reraise
    monkeypatch.setattr(carrying_out, "insert_reraise", lambda source, fixes, *more: edited.append(len(fixes)) or insert(source, fixes, *more))

    mended(tmp_path, [finding("a.py", 6), finding("b.py", 5)], inside_out)

    assert edited == [1, 1, 2]


def test_what_nobody_asked_for_is_revealed_and_left(tmp_path: Path) -> None:
    plant(tmp_path, "a.py", NEST)

    outcome = mend_in_rounds(tmp_path, [finding("a.py", 6)], inside_out, nothing)

    assert [fixed.line for fixed in outcome.files[0].fixed] == [6]
    assert outcome.revealed == (Refused("a.py", 8, "LIM101", "not asked for"),)


@pytest.mark.parametrize("safety", [None, "unsafe"])
def test_what_has_no_safe_fix_is_revealed_and_left(tmp_path: Path, safety: Safety | None) -> None:
    plant(tmp_path, "a.py")

    def lint(texts: Mapping[str, bytes]) -> list[Finding]:
        return [finding("a.py", 3, "LIM105", safety), finding("b.py", 7, "LIM106", safety)] if texts else [finding("a.py", 5)]

    outcome = mend_in_rounds(tmp_path, lint({}), lint, everything)

    assert outcome.files[0].new == MENDED
    assert outcome.revealed == (Refused("a.py", 1, "LIM105", "no safe fix"), Refused("b.py", 7, "LIM106", "no safe fix"))


def test_what_is_asked_for_is_told_by_its_line_on_disk(tmp_path: Path) -> None:
    plant(tmp_path, "a.py", NEST)
    offered: list[tuple[int, int]] = []

    def choose(findings: Iterable[Finding]) -> Iterable[Finding]:
        offered.extend((one.line, one.fix.line) for one in findings if one.fix is not None)
        return ()

    mend_in_rounds(tmp_path, [finding("a.py", 6)], inside_out, choose)

    assert set(offered) == {(8, 8)}


def test_a_chain_too_deep_for_the_rounds_takes_a_second_run(tmp_path: Path) -> None:
    deep = b"".join(LOOP.replace(b"f(", b"f%d(" % number) for number in range(ROUNDS + 1))
    plant(tmp_path, "a.py", deep)

    outcome = mend_in_rounds(tmp_path, inside_out({"a.py": deep}), inside_out, everything)

    assert len(outcome.files[0].fixed) == ROUNDS
    line = deep.count(b"\n") - 1
    assert outcome.revealed == (Refused("a.py", line, "LIM101", f"comes to light only after {ROUNDS} rounds: run this again"),)
    assert len(inside_out({"a.py": outcome.files[0].new})) == 1


@pytest.mark.parametrize("code", ["LIM101", "LIM102", "LIM108"])
def test_a_fix_that_does_not_help_is_refused(tmp_path: Path, code: str) -> None:
    plant(tmp_path, "a.py")

    (one,) = mended(tmp_path, [finding("a.py", 5)], lambda texts: [finding("a.py", 9 if texts else 5, code if texts else "LIM101")])

    assert (one.new, one.fixed) == (LOOP, ())
    assert one.refused == (Refused("a.py", 5, "LIM101", f"the linter would still find {code} on line 5"),)


def test_a_fix_that_does_not_help_does_not_stop_the_others_of_its_file(tmp_path: Path) -> None:
    plant(tmp_path, "a.py", LOOP + LOOP)
    asked = [finding("a.py", 5), finding("a.py", 11)]

    (one,) = mended(tmp_path, asked, lambda texts: [finding("a.py", 9 if b"raise\n        except" in texts["a.py"][:200] else 7)] if texts else asked)

    assert one.refused == (Refused("a.py", 5, "LIM101", "the linter would still find LIM101 on line 5"),)
    assert one.fixed == (asked[1],)
    assert one.new == IMPORT + b"\n" + LOOP + MENDED.removeprefix(IMPORT + b"\n")


def test_what_only_a_refused_fix_reveals_is_not_mended(tmp_path: Path) -> None:
    for path in ("a.py", "b.py", "c.py"):
        plant(tmp_path, path)

    def lint(texts: Mapping[str, bytes]) -> list[Finding]:
        found = [finding("a.py", 5)] if "a.py" not in texts else [finding("b.py", 5)] if "b.py" not in texts else [finding("a.py", 9)]
        return found if "c.py" in texts else [*found, finding("c.py", 5)]

    first, other = mended(tmp_path, [finding("a.py", 5), finding("c.py", 5)], lint)

    assert (first.path, first.new, first.refused[0].line) == ("a.py", LOOP, 5)
    assert (other.path, other.new) == ("c.py", MENDED)


def test_what_a_revealed_fix_does_not_mend_is_refused_as_well(tmp_path: Path) -> None:
    plant(tmp_path, "a.py", NEST)

    def lint(texts: Mapping[str, bytes]) -> list[Finding]:
        return [*inside_out(texts), *([finding("a.py", 14)] if b"    raise\n        except E" in texts.get("a.py", b"") else [])]

    (one,) = mended(tmp_path, [finding("a.py", 6)], lint)

    assert [fixed.line for fixed in one.fixed] == [6]
    assert one.refused == (Refused("a.py", 8, "LIM101", "the linter would still find LIM101 on line 8"),)


def test_another_finding_of_a_mended_clause_that_was_there_before_may_stay(tmp_path: Path) -> None:
    plant(tmp_path, "a.py")

    (one,) = mended(
        tmp_path,
        [finding("a.py", 5)],
        lambda texts: [finding("a.py", 9, "LIM105", None)] if texts else [finding("a.py", 5), finding("a.py", 5, "LIM105", None)],
    )

    assert one.new == MENDED


@pytest.mark.parametrize(("line", "code"), [(9, "LIM201"), (7, "LIM101"), (1, "LIM301")])
def test_an_edit_that_is_to_blame_for_a_new_finding_is_refused(tmp_path: Path, line: int, code: str) -> None:
    plant(tmp_path, "a.py")

    (one,) = mended(tmp_path, [finding("a.py", 5)], lambda texts: [finding("a.py", line, code)] if texts else [finding("a.py", 5)])

    assert one.new == LOOP
    assert one.refused[0].reason == f"the linter would find {code} on line {line} of the result"


@pytest.mark.parametrize(
    ("safeties", "to_blame"), [(("safe", "safe", "safe"), 11), (("unsafe", "safe", "safe"), 5), (("safe", "safe", "unsafe"), 17)]
)
def test_one_fix_is_given_up_for_a_new_finding_the_nearest_above_it_or_an_unsafe_one(tmp_path: Path, safeties: tuple[Safety], to_blame: int) -> None:
    plant(tmp_path, "a.py", LOOP * 3)
    asked = [finding("a.py", line, safety=safety) for line, safety in zip((5, 11, 17), safeties, strict=True)]
    tried: list[int] = []

    def lint(texts: Mapping[str, bytes]) -> list[Finding]:
        tried.extend(text.count(b"raise\n") for text in texts.values())
        return ([finding("a.py", 18, "LIM202")] if tried[-1] == 3 else []) if texts else asked

    (one,) = mend_in_rounds(tmp_path, asked, lint, everything, wishes=Wishes(unsafe=True)).files

    assert tried == [3, 2]
    assert [refusal.line for refusal in one.refused] == [to_blame]
    assert [fixed.line for fixed in one.fixed] == [line for line in (5, 11, 17) if line != to_blame]


@pytest.mark.parametrize(("line", "harmless", "tries"), [(12, 1, [4, 3, 1]), (12, 0, [4, 3, 1]), (1, 1, [4, 1])])
def test_all_unsafe_fixes_are_given_up_and_then_all_where_the_new_finding_stays(tmp_path: Path, line: int, harmless: int, tries: list[int]) -> None:
    plant(tmp_path, "a.py", LOOP * 4)
    asked = [finding("a.py", line, safety=safety) for line, safety in ((5, "unsafe"), (11, "unsafe"), (17, "unsafe"), (23, "safe"))]
    tried: list[int] = []

    def lint(texts: Mapping[str, bytes]) -> list[Finding]:
        tried.extend(text.count(b"raise\n") for text in texts.values())
        return ([finding("a.py", line, "LIM202")] if tried[-1] > harmless else []) if texts else asked

    (one,) = mend_in_rounds(tmp_path, asked, lint, everything, wishes=Wishes(unsafe=True)).files

    assert tried == tries
    assert [fixed.line for fixed in one.fixed] == [23] * harmless


def test_a_fix_for_an_added_line_is_an_objection(tmp_path: Path) -> None:
    plant(tmp_path, "a.py")
    odd = Finding("a.py", 9, 1, "LIM101", "name", "message", (), Reraise(7, "celery.exceptions", "SoftTimeLimitExceeded", "safe"))

    (one,) = mended(tmp_path, [finding("a.py", 5)], lambda texts: [odd] if texts else [finding("a.py", 5)])

    assert one.refused[0].reason == "the linter would find LIM101 on line 9 of the result"


def test_findings_that_were_there_before_may_stay(tmp_path: Path) -> None:
    plant(tmp_path, "a.py")

    def lint(texts: Mapping[str, bytes]) -> list[Finding]:
        others = [finding("a.py", 4 if texts else 2, "LIM201", None), finding("b.py", 1, "LIM301", None)]
        return others if texts else [*others, finding("a.py", 5)]

    (one,) = mended(tmp_path, [finding("a.py", 5)], lint)

    assert one.new == MENDED


def test_a_refused_edit_does_not_stop_other_files_which_are_linted_again_without_it(tmp_path: Path, findings: Findings) -> None:
    asked: list[list[str]] = []

    def lint(texts: Mapping[str, bytes]) -> list[Finding]:
        asked.append(sorted(texts))
        return [finding("b.py", 1, "LIM301")] if "b.py" in texts else []

    found = [finding for path in ("a.py", "b.py") for finding in findings(path, plant(tmp_path, path))]

    first, second = mended(tmp_path, found, lint)

    assert asked == [[], ["a.py", "b.py"], ["a.py"]]
    assert (first.new, second.new) == (MENDED, LOOP)


def test_where_every_edit_is_refused_the_linter_is_not_asked_in_vain(tmp_path: Path, findings: Findings) -> None:
    asked: list[list[str]] = []

    def lint(texts: Mapping[str, bytes]) -> list[Finding]:
        asked.append(sorted(texts))
        return [finding("a.py", 1, "LIM301")] if texts else []

    mended(tmp_path, findings("a.py", plant(tmp_path, "a.py")), lint)

    assert asked == [[], ["a.py"]]


def test_the_place_of_the_import_knows_the_project_s_own_packages(tmp_path: Path, findings: Findings, lint: Lint) -> None:
    text = plant(tmp_path, "a.py", b"import aaa\n\n\n" + LOOP)

    outcome = mend_in_rounds(tmp_path, findings("a.py", text), lint, everything, frozenset({"aaa"}))

    assert outcome.files[0].new.startswith(IMPORT + b"\nimport aaa\n")


def test_own_packages_are_what_stands_where_imports_start() -> None:
    files = ("app.py", "backend/manage.py", "backend/shop/__init__.py", "backend/shop/tasks.py", "src/lib/__init__.py", "docs/conf.py")

    assert first_party(Tree(files)) == {"app", "backend", "src", "docs", "manage", "shop", "lib"}


def test_libcst_is_imported_for_a_fix_alone() -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom flake8_deadline.codemods.mend import mend_in_rounds\n"
        "assert mend_in_rounds(Path('.'), [], lambda texts: [], lambda found: found).files == ()\nassert 'libcst' not in sys.modules"
    )

    subprocess.run([sys.executable, "-c", program], check=True)


def test_no_such_name_in_the_package() -> None:
    from flake8_deadline import codemods  # noqa: PLC0415

    with pytest.raises(AttributeError, match="has no attribute 'Nonsense'"):
        codemods.Nonsense  # noqa: B018
