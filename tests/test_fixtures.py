"""One runner for all fixtures: what comments in them expect is what all rules together find, and what the fix makes of it is stored.

A folder of `fixtures/rules` is named for a rule's module, `<rule>--<topic>` if there are several. In it `bad.py` and `good.py` are projects
of one file, `fixed.py` is what the safe fixes make of `bad.py` and, for a rule with an unsafe fix, `unsafe.py` what all make of it; a
subfolder is a project of several files, `<project>.fixed` what the fix makes of it.
An expectation is a comment, `# expect: LIM101` or `# expect: LIM101 "part of the message"`, at the end of the line or alone on the one above;
`(not fixed)` after it says that the fix refuses this one, or that the rule offers none for it.
"""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import sys
import textwrap
import tokenize
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from flake8_deadline import rule_pages
from flake8_deadline.check import analyse
from flake8_deadline.codemods.first_party import first_party
from flake8_deadline.codemods.mend import mend_in_rounds
from flake8_deadline.codemods.wishes import NOTHING, Limits, Wishes
from flake8_deadline.options import Options
from flake8_deadline.rules import RULES
from flake8_deadline.tree import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flake8_deadline.rule import Finding

FIXTURES = Path(__file__).parent / "fixtures"
ENDS_AS_SUCCESS = "LIM108"
"""True of so much good code that it is asked for only where it is the subject."""
EVERY_CODE = tuple(rule.code for rule in RULES if rule.code != ENDS_AS_SUCCESS)
FIXED_CODES = {rule.code for rule in RULES if rule.fixable == "safe"}
UNSAFE_CODES = {rule.code for rule in RULES if rule.fixable == "unsafe"}
NEVER_FIXED = {rule.code for rule in RULES if not rule.fixable}
CODE_OF = {rule.check.__module__.rpartition(".")[2]: rule.code for rule in RULES}
EXPECTED = re.compile(r" (LIM\d{3})(?: \"([^\"]+)\")?( \(not fixed\))?")
EXPECTATION = re.compile(rf"# expect:(?:{EXPECTED.pattern})+")

Place = tuple[str, int, str]


class Expected(NamedTuple):
    part: str
    """Of the message."""
    refused: bool
    """Whether the fix leaves it."""


class Project(NamedTuple):
    """The Python files of a project, by path, and where its fixed version is kept."""

    name: str
    texts: dict[str, str]
    fixed: Path | None

    @property
    def expected(self) -> dict[Place, Expected]:
        return {place: expected for path, text in self.texts.items() for place, expected in expectations(path, text).items()}

    @property
    def enable(self) -> tuple[str, ...]:
        return (*EVERY_CODE, ENDS_AS_SUCCESS) if self.name.startswith("task_ends_as_success") else EVERY_CODE

    @property
    def rule(self) -> str:
        return self.name.partition("/")[0].partition("--")[0]

    @property
    def codes(self) -> set[str]:
        return {code for _, _, code in self.expected}


def comments(text: str) -> Iterator[tokenize.TokenInfo]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and token.string.startswith("# expect"):
            assert EXPECTATION.fullmatch(token.string), f"not an expectation: {token.string}"
            yield token


def expectations(path: str, text: str) -> dict[Place, Expected]:
    """Path, line and code of every finding expected in a file."""
    found: dict[Place, Expected] = {}
    for token in comments(text):
        alone = not token.line[: token.start[1]].strip()
        for code, part, refused in EXPECTED.findall(token.string):
            found[path, token.start[0] + alone, code] = Expected(part, bool(refused))
    return found


def stripped(text: str) -> str:
    """The text without its expectations, every line at its number."""
    lines = text.splitlines()
    for token in comments(text):
        number, column = token.start
        lines[number - 1] = lines[number - 1][:column].rstrip()
    return "".join(f"{line}\n" for line in lines)


def texts_below(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))}


def projects() -> Iterator[Project]:
    for folder in sorted((FIXTURES / "rules").iterdir()):
        for entry in sorted(folder.iterdir()):
            name = f"{folder.name}/{entry.name}"
            if entry.name in ("bad.py", "good.py"):
                fixed = folder / "fixed.py" if entry.name == "bad.py" else None
                yield Project(name, {entry.name: entry.read_text(encoding="utf-8")}, fixed)
            elif entry.is_dir() and entry.suffix != ".fixed":
                yield Project(name, texts_below(entry), entry.with_suffix(".fixed"))


PROJECTS = list(projects())
EXAMPLE = Project("example", texts_below(FIXTURES / "example"), None)
each_project = pytest.mark.parametrize("project", [pytest.param(project, id=project.name) for project in PROJECTS])
each_rule = pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.code) for rule in RULES])


def write(texts: Mapping[str, str], root: Path) -> Path:
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8", newline="\n")
    return root


def lint(root: Path, enable: tuple[str, ...] = EVERY_CODE, overrides: Mapping[str, bytes] | None = None) -> tuple[Finding, ...]:
    analysis = analyse(Options(root=str(root), enable=enable, cache_dir="none"), overrides)
    assert analysis.errors == ()
    return analysis.findings


def places(findings: tuple[Finding, ...]) -> set[Place]:
    return {(finding.path, finding.line, finding.code) for finding in findings}


def fix(root: Path, enable: tuple[str, ...] = EVERY_CODE, wishes: Wishes = NOTHING) -> tuple[dict[str, str], dict[Place, str]]:
    """The files that the fix changes, with their new texts, and what it leaves of what its rules find, with the reasons."""
    findings = lint(root, enable)
    own = first_party(walk(str(root)))
    mended = mend_in_rounds(root, findings, lambda overrides: lint(root, enable, overrides), lambda found: found, own, wishes).files
    refused = {(one.path, one.line, one.code): one.reason for file in mended for one in file.refused}
    refused |= {(one.path, one.line, one.code): "no fix" for one in findings if one.code in FIXED_CODES and one.fix is None}
    return {one.path: one.new.decode() for one in mended if one.new != one.old}, refused


def check_expectations(project: Project, root: Path, enable: tuple[str, ...]) -> None:
    findings = lint(write({path: stripped(text) for path, text in project.texts.items()}, root), enable)
    assert sorted(places(findings)) == sorted(project.expected)
    for finding in findings:
        assert project.expected[finding.path, finding.line, finding.code].part in finding.message


@each_project
def test_what_is_found_is_what_the_comments_expect(project, tmp_path):
    check_expectations(project, tmp_path, project.enable)


def test_what_is_found_by_default_in_the_example_is_what_its_comments_expect(tmp_path):
    assert EXAMPLE.codes
    check_expectations(EXAMPLE, tmp_path, ())


@each_project
def test_a_bad_file_expects_its_own_code_and_a_good_one_nothing(project):
    name = project.name.partition("/")[2]
    assert project.rule in CODE_OF, f"no rule has the module {project.rule}"
    if name == "bad.py":
        assert CODE_OF[project.rule] in project.codes
    if name == "good.py":
        assert not project.codes


@pytest.mark.parametrize("project", [pytest.param(one, id=one.name) for one in PROJECTS if one.name.endswith("/good.py")])
def test_a_good_file_says_of_each_task_why_it_is_in_order(project):
    text = project.texts["good.py"]
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.decorator_list:
            above = lines[node.decorator_list[0].lineno - 2]
            assert above.startswith("#"), f"no comment above {node.name}"


@each_project
def test_the_fix_makes_of_it_what_is_stored(project, tmp_path, update_fixtures):
    texts = {path: stripped(text) for path, text in project.texts.items()}
    fixed, refused = fix(write(texts, tmp_path / "bad"), project.enable)
    assert set(refused) == {place for place, expected in project.expected.items() if expected.refused}, refused
    if project.fixed is None:
        assert fixed == {}
        return
    single = project.fixed.suffix == ".py"
    if update_fixtures and fixed:
        write({project.fixed.name: fixed["bad.py"]} if single else {**texts, **fixed}, project.fixed.parent if single else project.fixed)
    assert project.fixed.exists() == bool(fixed), f"run pytest --update-fixtures, or delete {project.fixed}"
    if not fixed:
        return
    stored = {"bad.py": project.fixed.read_text(encoding="utf-8")} if single else texts_below(project.fixed)
    assert stored == {**texts, **fixed}, "run pytest --update-fixtures and read the diff"
    root = write(stored, tmp_path / "fixed")
    bad = lint(tmp_path / "bad", project.enable)
    safe = {(one.path, one.line, one.code) for one in bad if one.fix is not None and one.fix.safety == "safe"} - refused.keys()
    unfixable = [code for path, line, code in project.expected if (path, line, code) not in safe]
    assert sorted(finding.code for finding in lint(root, project.enable)) == sorted(unfixable)
    assert fix(root, project.enable)[0] == {}


UNSAFE = [project for project in PROJECTS if project.name.endswith("/bad.py") and CODE_OF[project.rule] in UNSAFE_CODES]


@pytest.mark.parametrize("project", [pytest.param(project, id=project.name) for project in UNSAFE])
def test_all_fixes_make_of_it_what_is_stored(project, tmp_path, update_fixtures):
    wishes = Wishes(unsafe=True, limits=Limits(600, 900, "as many as come in a day"))
    root = write({path: stripped(text) for path, text in project.texts.items()}, tmp_path)
    kept = FIXTURES / "rules" / project.name.replace("bad.py", "unsafe.py")
    fixed, refused = fix(root, project.enable, wishes)
    if update_fixtures and fixed:
        write({kept.name: fixed["bad.py"]}, kept.parent)
    assert kept.exists() == bool(fixed), f"run pytest --update-fixtures, or delete {kept}"
    assert not fixed or fixed["bad.py"] == kept.read_text(encoding="utf-8"), "run pytest --update-fixtures and read the diff"
    write(fixed, root)
    left = {(finding.code, finding.fix) for finding in lint(root, project.enable)}
    assert {code for code, remedy in left if remedy} <= {code for _, _, code in refused} | NEVER_FIXED
    assert fix(root, project.enable, wishes)[0] == {}


@each_project
def test_every_file_compiles(project):
    for path, text in project.texts.items():
        compile(text, path, "exec")
    if project.fixed is not None and project.fixed.exists():
        for path in [project.fixed] if project.fixed.is_file() else project.fixed.rglob("*.py"):
            compile(path.read_text(encoding="utf-8"), str(path), "exec")


def test_every_rule_module_is_listed():
    folder = Path(rule_pages.__file__).parent / "rules"
    assert {path.stem for path in folder.glob("*.py")} - {"__init__"} == set(CODE_OF)


@each_rule
def test_every_rule_has_fixtures(rule):
    folder = FIXTURES / "rules" / rule.check.__module__.rpartition(".")[2]
    assert (folder / "bad.py").is_file(), f"write {folder / 'bad.py'}"
    assert (folder / "good.py").is_file(), f"write {folder / 'good.py'}"


def test_a_fixed_version_belongs_to_a_project():
    kept = {path for path in (FIXTURES / "rules").glob("*/*") if path.name == "fixed.py" or path.suffix == ".fixed"}
    assert kept <= {project.fixed for project in PROJECTS}


@each_rule
@pytest.mark.parametrize(("section", "codes"), [("Bad", 1), ("Good", 0)])
def test_all_rules_together_find_what_a_page_says_of_its_examples(rule, section, codes, tmp_path):
    write({"tasks.py": textwrap.dedent(rule_pages.sections(rule)[section])}, tmp_path)
    assert {finding.code for finding in lint(tmp_path, (*EVERY_CODE, rule.code))} == set([rule.code][:codes])


def complaints(root: Path) -> dict[tuple[str, str], int]:
    """How often ruff complains about imports and names, by file and code; each folder is a project of its own."""
    for folder in root.iterdir():
        (folder / "ruff.toml").write_text('src = ["."]\n[lint]\nselect = ["I001", "F401", "F811", "F821", "E402"]\n')
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--exit-zero", "--output-format", "json", "."]
    found = json.loads(subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout)
    return dict(Counter((str(Path(one["filename"]).relative_to(root)), one["code"]) for one in found))


def is_a_lone_statement(text: str) -> bool:
    """Whether nothing says how far apart things stand in a file: there is no import to be kept sorted either."""
    return len(ast.parse(text).body) == 1


def test_the_fix_leaves_imports_as_sorted_and_names_as_used_as_they_were(tmp_path):
    lone: set[str] = set()
    for number, project in enumerate(PROJECTS):
        texts = {path: stripped(text) for path, text in project.texts.items()}
        if project.fixed is not None and project.fixed.exists():
            single = project.fixed.suffix == ".py"
            fixed = {"bad.py": project.fixed.read_text(encoding="utf-8")} if single else texts_below(project.fixed)
            write(texts, tmp_path / "before" / str(number))
            write(fixed, tmp_path / "after" / str(number))
            lone |= {f"{number}/{path}" for path, text in texts.items() if is_a_lone_statement(text)}
    before, after = complaints(tmp_path / "before"), complaints(tmp_path / "after")
    assert len({path for path, _ in before}) < len(list((tmp_path / "before").rglob("*.py"))) / 2
    assert {place for place, count in after.items() if count > before.get(place, 0) and place[0] not in lone} == set()
