from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError

import pytest
from flake8.discover_files import expand_paths
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flake8_deadline import selection
from flake8_deadline.check import Analysis, FileError, Statistics
from flake8_deadline.options import Options
from flake8_deadline.rule import Finding
from flake8_deadline.selection import Visits, flake8_options, select, selects_any

AGGREGATE = selection.aggregator.aggregate_options
"""flake8's own function, before Flake8-pyproject puts its own in its place."""


@pytest.fixture
def selected(engine):
    """Run the engine and the selection in the current directory; rows of (path, line, code), and the selection itself."""

    def run(*arguments, paths=(), enable=()):
        namespace, _ = flake8_options(arguments, paths)
        found = select(engine(Options(root=os.getcwd(), enable=tuple(enable))), namespace)
        return [(one.path, one.finding.line, one.finding.code) for one in found.shown], found

    return run


def rows(selected, *arguments, **more):
    return selected(*arguments, **more)[0]


def test_without_arguments_everything_under_the_current_directory_is_shown_in_flake8s_order(project, selected):
    project({"b.py": "x  #! LIM101\ny  #! LIM201\n", "a/c.py": "\nx  #! LIM101\n"})
    assert rows(selected) == [("./a/c.py", 2, "LIM101"), ("./b.py", 1, "LIM101"), ("./b.py", 2, "LIM201")]


def test_paths_are_named_as_they_were_given(project, selected):
    root = project({"shop/a.py": "x  #! LIM101", "b.py": "x  #! LIM101"})
    assert rows(selected, paths=["shop/"]) == [("shop/a.py", 1, "LIM101")]
    assert rows(selected, paths=["shop/a.py", "shop"]) == [("shop/a.py", 1, "LIM101")]
    assert rows(selected, paths=[str(root / "b.py")]) == [(str(root / "b.py"), 1, "LIM101")]


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        ((), ["LIM101", "LIM201", "LIM301"]),
        (("--select=LIM2",), ["LIM201"]),
        (("--select=LIM101,LIM301",), ["LIM101", "LIM301"]),
        (("--select=E",), []),
        (("--ignore=LIM101",), ["LIM201", "LIM301"]),
        (("--extend-ignore=LIM1,LIM2",), ["LIM301"]),
        (("--extend-ignore=LIM",), []),
        (("--extend-ignore=L",), ["LIM101", "LIM201", "LIM301"]),
        (("--select=LIM2", "--extend-select=LIM301"), ["LIM201", "LIM301"]),
        (("--select=LIM1", "--ignore=LIM101"), []),
        (("--select=LIM101", "--ignore=LIM1"), ["LIM101"]),
        (("--per-file-ignores=a.py:LIM101",), ["LIM201", "LIM301"]),
        (("--per-file-ignores=b.py:LIM101",), ["LIM101", "LIM201", "LIM301"]),
        (("--exclude=a.py",), []),
        (("--extend-exclude=./",), []),
        (("--filename=*.wsgi",), []),
    ],
)
def test_codes_are_selected_as_flake8_does(project, selected, arguments, codes):
    project({"a.py": "x  #! LIM101\nx  #! LIM201\nx  #! LIM301\n"})
    assert [code for _, _, code in rows(selected, *arguments)] == codes


@pytest.mark.parametrize(
    ("section", "codes"),
    [
        ("select = E,F", ["LIM101", "LIM201"]),
        ("select = E,F,LIM2", ["LIM201"]),
        ("select = L", ["LIM101", "LIM201"]),
        ("select =", ["LIM101", "LIM201"]),
        ("ignore = LIM1", ["LIM201"]),
        ("extend-ignore = LIM", []),
        ("per-file-ignores =\n    a.py: LIM2", ["LIM101"]),
        ("exclude = a.py", []),
        ("max-complexity = 10\nextend-select = B9", ["LIM101", "LIM201"]),
    ],
)
def test_the_configuration_file_counts_but_a_select_without_our_codes_does_not_hide_everything(project, selected, section, codes):
    project({"a.py": "x  #! LIM101\nx  #! LIM201\n", ".flake8": f"[flake8]\n{section}\n"})
    assert [code for _, _, code in rows(selected)] == codes


def test_the_command_line_beats_the_file(project, selected):
    project({"a.py": "x  #! LIM101\nx  #! LIM201\n", ".flake8": "[flake8]\nselect = LIM1\n"})
    assert [code for _, _, code in rows(selected, "--select=LIM2")] == ["LIM201"]


@pytest.mark.parametrize(
    ("section", "arguments", "codes"),
    [
        ("extend-select = LIM", ["--select=LIM2"], ["LIM201"]),
        ("extend-select = LIM,C4", ["--select=LIM101,LIM3"], ["LIM101", "LIM301"]),
        ("select = E\nextend-select = LIM1", ["--select=LIM3"], ["LIM301"]),
        ("extend-select = LIM", ["--select=E5"], []),
        ("extend-select = LIM", ["--select="], []),
        ("extend-select = LIM", ["--select=LIM101", "--extend-select=LIM2"], ["LIM101", "LIM201"]),
        ("extend-select = LIM", ["--extend-select=LIM2"], ["LIM101", "LIM201", "LIM301"]),
        ("extend-select = LIM201\nignore = LIM2", ["--select=LIM"], ["LIM101", "LIM201", "LIM301"]),
        ("extend-select = LIM\nextend-ignore = LIM201", ["--select=LIM2"], []),
    ],
)
def test_a_select_on_the_command_line_is_not_widened_by_the_file(project, selected, section, arguments, codes):
    project({"a.py": "x  #! LIM101\nx  #! LIM201\nx  #! LIM301\n", ".flake8": f"[flake8]\n{section}\n"})
    assert [code for _, _, code in rows(selected, *arguments)] == codes


def test_pyproject_toml_is_read_where_the_plugin_for_it_is_installed(project, selected):
    project({"a.py": "x  #! LIM101\nx  #! LIM201\n", "pyproject.toml": "[tool.flake8]\nextend-ignore = ['LIM1']\n"})
    assert [code for _, _, code in rows(selected)] == ["LIM201"]


def test_nothing_else_of_that_plugin_is_loaded(project, monkeypatch):
    project({"a.py": ""})
    monkeypatch.setattr(selection.aggregator, "aggregate_options", AGGREGATE)

    class Point:
        group = "flake8.report"

        def load(self):
            return self

        def add_options(self, manager):
            manager.add_option("--toml-config")

    class Other(Point):
        group = "console_scripts"

        def load(self):
            raise AssertionError("not ours to run")

    class Distribution:
        entry_points = (Other(), Point())

    monkeypatch.setattr(selection, "distribution", lambda name: Distribution)
    assert flake8_options(["--toml-config=x.toml"], [])[0].toml_config == "x.toml"


def test_that_plugin_is_not_needed(project, monkeypatch):
    project({"a.py": ""})
    monkeypatch.setattr(selection.aggregator, "aggregate_options", AGGREGATE)

    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(selection, "distribution", missing)
    assert flake8_options([], ["a.py"])[0].filenames == ["a.py"]


def test_a_bad_value_in_the_file_is_refused_with_the_files_name(project):
    root = project({".flake8": "[flake8]\nmax-line-length = wide\n"})
    with pytest.raises(selection.ConfigurationError, match=f"^{root / '.flake8'}: invalid literal"):
        flake8_options([], [])


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        ("x  #! LIM101", ["LIM101"]),
        ("x  #! LIM101  # noqa", []),
        ("x  #! LIM101  # NOQA", []),
        ("x  #! LIM101  # noqa: LIM101", []),
        ("x  #! LIM101  # noqa: LIM1", []),
        ("x  #! LIM101  # noqa: E501,LIM101", []),
        ("x  #! LIM101  # noqa: LIM102", ["LIM101"]),
        ("x  #! LIM101  # noqa: E501", ["LIM101"]),
        ("# noqa\nx  #! LIM101", ["LIM101"]),
        ("x = '''  #! LIM101\n'''  # noqa", []),
        ("f(  #! LIM101\n)  # noqa", ["LIM101"]),
        ("# flake8: noqa\nx  #! LIM101", []),
    ],
)
def test_noqa_is_read_as_flake8_reads_it_and_what_it_silences_is_counted(project, selected, line, codes):
    project({"a.py": line + "\n"})
    shown, found = selected()
    assert [code for _, _, code in shown] == codes
    assert found.statistics.suppressed == 1 - len(codes)


def test_noqa_can_be_switched_off(project, selected):
    project({"a.py": "x  #! LIM101  # noqa\n", "b.py": "# flake8: noqa\nx  #! LIM101\n", "c.py": "@job  #! LIM301\ndef f(): ...  # noqa\n"})
    shown, found = selected("--disable-noqa")
    assert len(shown) == 3
    assert found.statistics.suppressed == 0


@pytest.mark.parametrize(
    ("source", "is_silenced"),
    [
        ("@job  #! LIM301\ndef f(): ...  # noqa: LIM301", True),
        ("@job  #! LIM301\ndef f(): ...  # noqa", True),
        ("@job  #! LIM301\nasync def f(): ...  # noqa", True),
        ("@job  #! LIM301\nclass F: ...  # noqa", True),
        ("@job(  #! LIM301\n    bind=True,\n)\n@other\n# a comment\n\ndef f(self): ...  # noqa", True),
        ("class F:\n    @job  #! LIM301\n    def f(self): ...  # noqa", True),
        ("@job  #! LIM301\ndef f(): ...  # noqa: LIM302", False),
        ("@job  #! LIM301\ndef f(\n    x,\n): ...  # noqa", False),
        ("@job(  #! LIM301\n    x,\n    [y async\n    for y in z]  # noqa\n)\ndef f(): ...", False),
        ("@job  #! LIM301\ndef f():\n    def g(): ...  # noqa", False),
        ("x = 1  #! LIM301\ndef f(): ...  # noqa", False),
    ],
)
def test_a_noqa_on_the_definition_counts_for_a_finding_on_its_decorator(project, selected, source, is_silenced):
    project({"a.py": source + "\n"})
    shown, found = selected()
    assert (not shown) is is_silenced
    assert found.statistics.suppressed == is_silenced


def test_a_decorator_in_a_file_that_cannot_be_tokenized_keeps_its_finding(project, selected):
    root = project({"a.py": "@job  #! LIM301\ndef f(): ...  # noqa\n"})
    found = selected()[1]
    assert found.shown == ()
    (root / "a.py").write_text("@job\nx = (\n'''\n")
    namespace, _ = flake8_options([], [])
    processor = selection.FileProcessor("a.py", namespace)
    finding = _a_finding("a.py")
    assert not selection.silenced_at_definition(processor, finding, disable_noqa=False)


def test_a_decorator_with_nothing_below_it_keeps_its_finding(project):
    project({"a.py": "@job\n"})
    processor = selection.FileProcessor("a.py", flake8_options([], [])[0])
    assert not selection.silenced_at_definition(processor, _a_finding("a.py"), disable_noqa=False)


def test_a_file_that_is_gone_or_shorter_keeps_its_findings(project):
    root = project({"short.py": ""})
    found = select(Analysis(str(root), (_a_finding("gone.py"), _a_finding("short.py", 7)), (), _NOTHING), flake8_options([], [])[0])
    assert [one.path for one in found.shown] == ["./gone.py", "./short.py"]


def test_errors_are_shown_where_flake8_would_look_and_not_where_they_are_waived(project):
    section = "[flake8]\nper-file-ignores = b.py: E9\nexclude = c\nselect = LIM\n"
    root = project({"a.py": "", "b.py": "", "c/d.py": "", "e.py": "", ".flake8": section})
    errors = tuple(FileError(path, 1, "SyntaxError: no") for path in ("a.py", "b.py", "c/d.py", "e.py"))
    found = select(Analysis(str(root), (), errors, _NOTHING), flake8_options([], ["a.py", "b.py", "c"])[0])
    assert found.errors == (("a.py", errors[0]),)


def test_select_that_leaves_no_rule_is_noticed(project):
    project({"a.py": ""})
    assert selects_any(flake8_options([], [])[0], ["LIM101"])
    assert not selects_any(flake8_options(["--extend-ignore=LIM"], [])[0], ["LIM101"])
    assert not selects_any(flake8_options(["--select=LIM2"], [])[0], ["LIM101"])


_NAMES = st.sampled_from(["a", "b", ".c", "x.py", "y.py", "z.txt", "w.pyi"])
_TREES = st.lists(st.lists(_NAMES, min_size=1, max_size=4), min_size=1, max_size=6)
_PATTERNS = st.lists(st.sampled_from(["a", "b/*", "./b", "*.py", "x.*", "a/b/", "z*", ".c", "."]), max_size=3)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tree=_TREES, exclude=_PATTERNS, filename=st.sampled_from(["*.py", "*.py,*.txt", "x*", "a/*"]), tops=st.lists(st.integers(0, 20), max_size=3))
def test_the_files_visited_are_flake8s(tmp_path_factory, tree, exclude, filename, tops):
    root = tmp_path_factory.mktemp("tree")
    for parts in tree:
        path = root.joinpath(*parts)
        if not any(parent.is_file() for parent in path.parents) and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    inside = sorted(os.path.relpath(os.path.join(top, name), root) for top, directories, files in os.walk(root) for name in [*directories, *files])
    before = os.getcwd()
    os.chdir(root)
    try:
        spelled = [inside[index % len(inside)] for index in tops]
        paths = [f"./{path}" if len(path) % 2 else path for path in spelled]
        namespace, _ = flake8_options([f"--exclude={','.join(exclude)}", f"--filename={filename}"], paths)
        visits = Visits(namespace, str(root))
        files = [path for path in inside if os.path.isfile(path)]
        expected = set(expand_paths(paths=paths, stdin_display_name="stdin", filename_patterns=namespace.filename, exclude=namespace.exclude))
        found = {visits.display(path) for path in files} - {None}
        same = {os.path.normpath(path) for path in expected}
        assert {os.path.normpath(path) for path in found} == same
        assert found <= expected
    finally:
        os.chdir(before)


def test_a_linked_directory_is_not_walked_into_and_a_linked_file_is_a_file(project):
    root = project({"real/a.py": ""})
    (root / "link").symlink_to(root / "real")
    (root / "b.py").symlink_to(root / "real/a.py")
    visits = Visits(flake8_options([], [])[0], str(root))
    assert visits.display("link/a.py") is None
    assert visits.display("b.py") == "./b.py"
    assert Visits(flake8_options([], ["link"])[0], str(root)).display("link/a.py") == "link/a.py"


def test_a_root_above_or_below_the_current_directory_makes_no_difference_to_the_names(project, monkeypatch):
    root = project({"shop/inner/a.py": "", "b.py": ""})
    monkeypatch.chdir(root / "shop")
    visits = Visits(flake8_options([], [])[0], str(root))
    assert visits.display("shop/inner/a.py") == "./inner/a.py"
    assert visits.display("b.py") is None
    assert Visits(flake8_options([], [])[0], str(root / "shop/inner")).display("a.py") == "./inner/a.py"


_NOTHING = Statistics(0, 0, 0, 0, 0, 0, 0)


def _a_finding(path, line=1):
    return Finding(path, line, 1, "LIM301", "task-without-limit", "no limit")
