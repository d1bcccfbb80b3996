from __future__ import annotations

import re
import runpy
import textwrap
from pathlib import Path

import pytest

from flake8_deadline import rule_pages
from flake8_deadline.check import analyse
from flake8_deadline.options import Options
from flake8_deadline.rules import RULES

README = Path(__file__).parents[2] / "README.md"
ids = [rule.code for rule in RULES]


@pytest.mark.parametrize("rule", RULES, ids=ids)
def test_a_page_has_a_summary_and_every_section_in_order(rule):
    assert re.fullmatch(r"[A-Z][^\n]{20,140}", rule_pages.summary(rule))
    assert rule_pages.page(rule).partition("\n")[0].endswith(".")
    assert list(rule_pages.sections(rule)) == list(rule_pages.HEADINGS)
    assert all(rule_pages.sections(rule).values())


@pytest.mark.parametrize("rule", RULES, ids=ids)
@pytest.mark.parametrize(("section", "is_found"), [("Bad", True), ("Good", False)])
def test_the_bad_example_has_the_finding_and_the_good_one_has_none(tmp_path, rule, section, is_found):
    (tmp_path / "tasks.py").write_text(textwrap.dedent(rule_pages.sections(rule)[section]))
    analysis = analyse(Options(root=str(tmp_path), enable=(rule.code,), cache_dir="none"))
    assert analysis.errors == ()
    assert {finding.code for finding in analysis.findings} == ({rule.code} if is_found else set())


def test_codes_and_names_are_unique_and_well_formed():
    assert len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES)
    assert all(re.fullmatch(r"LIM[1-9]\d\d", rule.code) for rule in RULES)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)+", rule.name) for rule in RULES)


def test_readmes_table_is_up_to_date():
    text = README.read_text(encoding="utf-8")
    assert rule_pages.with_table(text) == text, f"README's rule table is stale; run: {rule_pages.REFRESH}"


def test_the_table_is_printed(capsys):
    assert rule_pages.main([]) == 0
    table = capsys.readouterr().out
    assert table.startswith("| code | name | what | default | fix |\n|---|---|---|---|---|\n| LIM101 | deadline-swallowed-in-loop | ")
    assert table.count("\n") == len(RULES) + 2


def test_the_table_is_renewed_between_its_markers_and_nothing_else_changes(tmp_path):
    path = tmp_path / "README.md"
    path.write_bytes(b"before\r\n<!-- rules: begin -->\nold\n<!-- rules: end -->\r\nafter\n")
    assert rule_pages.main(["--write", str(path)]) == 0
    text = path.read_bytes()
    assert text.startswith(b"before\r\n<!-- rules: begin -->\n\n| code |")
    assert text.endswith(b" |\n\n<!-- rules: end -->\r\nafter\n")
    changed = path.stat().st_mtime_ns
    assert rule_pages.main(["--write", str(path)]) == 0
    assert path.stat().st_mtime_ns == changed


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "No such file"),
        (b"no markers", "put <!-- rules: begin --> and <!-- rules: end --> where it belongs"),
        (b"<!-- rules: begin -->", "put <!-- rules: begin --> and"),
        (b"\xff", "can't decode"),
    ],
)
def test_a_file_without_a_place_for_the_table_is_refused(tmp_path, capsys, text, reason):
    path = tmp_path / "README.md"
    if text is not None:
        path.write_bytes(text)
    assert rule_pages.main(["--write", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"{path}: ")
    assert reason in error


@pytest.mark.parametrize("arguments", [["--write"], ["README.md"], ["--write", "a", "b"]])
def test_any_other_arguments_are_answered_with_the_right_ones(capsys, arguments):
    assert rule_pages.main(arguments) == 2
    assert capsys.readouterr().err == f"usage: {rule_pages.REFRESH}\n"


def test_it_runs_as_a_program(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["rule_pages.py"])
    with pytest.raises(SystemExit) as caught:
        runpy.run_path(rule_pages.__file__, run_name="__main__")
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith("| code |")
