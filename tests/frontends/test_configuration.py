from __future__ import annotations

import os
from pathlib import Path

import pytest

from flake8_deadline import configuration
from flake8_deadline.configuration import Configuration, ConfigurationError, project_root
from flake8_deadline.options import Options


def loaded(config=None, extra=(), *, isolated=False):
    return configuration.load(config, list(extra), isolated=isolated)[2]


def options(used=Configuration(), paths=(), **values):
    return configuration.options(values, used, list(paths))


def test_everything_works_with_no_option_set(project):
    root = project({"a.py": ""})
    assert options() == Options(root=str(root))


def test_every_option_reaches_the_engine_as_a_value(project):
    root = project({"a.py": "", "inner/b.py": ""})
    found = options(
        deadline_root="inner",
        deadline_enable="LIM109, LIM307",
        deadline_scope="everywhere",
        deadline_task_decorators="shop.job\nshop.other",
        deadline_signals="shop.errors.Deadline",
        deadline_cheap_calls="shop.log",
        deadline_exclude_from_index="*/generated/*,old_*.py",
        deadline_cache_dir="none",
        deadline_celery_version="5.6",
    )
    assert found == Options(
        root=str(root / "inner"),
        enable=("LIM109", "LIM307"),
        scope="everywhere",
        task_decorators=("shop.job", "shop.other"),
        signals=("shop.errors.Deadline",),
        cheap_calls=("shop.log",),
        exclude_from_index=("*/generated/*", "old_*.py"),
        cache_dir="none",
        celery_version="5.6",
    )


def test_a_list_from_a_toml_file_is_a_list(project):
    project({"a.py": ""})
    assert options(deadline_signals=["a.B", "c.D"]).signals == ("a.B", "c.D")


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("deadline_scope", "all", "'all' is neither 'tasks' nor 'everywhere'"),
        ("deadline_enable", "LIM", "'LIM' is not a code such as LIM109"),
        ("deadline_signals", "a.b-c", "'a.b-c' is not a dotted name such as project.tasks.job"),
        ("deadline_task_decorators", "task()", "'task()' is not a dotted name"),
        ("deadline_cheap_calls", "1x", "'1x' is not a dotted name"),
        ("deadline_celery_version", "latest", "'latest' is not a version such as 5.6"),
        ("deadline_root", "nowhere", "is not a directory"),
    ],
)
def test_a_bad_value_is_refused_by_name_and_reason(project, name, value, reason):
    project({"a.py": ""})
    with pytest.raises(ConfigurationError) as caught:
        options(**{name: value})
    assert str(caught.value).startswith(name.replace("_", "-") + ": ")
    assert reason in str(caught.value)


def test_a_root_whose_name_is_no_text_is_refused(tmp_path, monkeypatch):
    odd = tmp_path / os.fsdecode(b"caf\xe9")
    odd.mkdir()
    monkeypatch.chdir(odd)
    with pytest.raises(ConfigurationError, match=r"caf\\xe9: the name of the project's root is not valid UTF-8$"):
        options()


def test_a_path_in_the_file_is_relative_to_the_file_and_one_on_the_command_line_to_the_current_directory(project, monkeypatch):
    root = project({".flake8": "[flake8]\ndeadline-root = inner\ndeadline_cache_dir = .cache", "inner/a.py": "", "inner/deep/b.py": ""})
    monkeypatch.chdir(root / "inner")
    used = loaded()
    assert options(used, deadline_root="inner", deadline_cache_dir=".cache").root == str(root / "inner")
    assert options(used, deadline_root="inner", deadline_cache_dir=".cache").cache_dir == str(root / ".cache")
    assert options(used, deadline_root="deep").root == str(root / "inner/deep")
    assert options(used, deadline_cache_dir="other").cache_dir == str(root / "inner/other")


def test_a_misspelt_option_in_the_file_is_refused_with_the_file_and_the_right_name(project):
    root = project({"setup.cfg": "[metadata]\nname = x", "tox.ini": "[flake8]\ndeadline-scop = tasks"})
    with pytest.raises(ConfigurationError) as caught:
        loaded()
    assert str(caught.value) == f"deadline-scop: no such option, in the [flake8] section of {root / 'tox.ini'}; did you mean deadline-scope?"


def test_an_option_like_no_other_is_refused_without_a_guess(project):
    project({"own.cfg": "[flake8]\ndeadline-zzzzzz = 1"})
    with pytest.raises(ConfigurationError, match=r"^deadline-zzzzzz: no such option, in the \[flake8\] section of own.cfg$"):
        loaded("own.cfg")


def test_options_of_other_plugins_are_nobodys_business(project):
    project({".flake8": "[flake8]\nmax-complexity = 10\nquotes = double"})
    assert loaded().written == {}


@pytest.mark.parametrize("text", ["[flake8", "no section = 1", b"[flake8]\nexclude = \xff\xfe"])
def test_a_named_file_that_is_no_configuration_is_refused_in_one_line(project, text):
    project({"own.cfg": text})
    with pytest.raises(ConfigurationError, match=r"^own.cfg: cannot be read as configuration: [^\n]+$"):
        loaded("own.cfg")


def test_a_named_file_that_does_not_exist_is_refused(project):
    project({"a.py": ""})
    with pytest.raises(Exception, match=r"config file does not exist: nowhere.cfg"):
        loaded("nowhere.cfg")


def test_two_values_for_one_option_are_refused(project):
    project({".flake8": "[flake8]\nselect = LIM\nselect = E"})
    with pytest.raises(ConfigurationError, match=r"^configuration file: cannot be read as configuration: .*already exists"):
        loaded()


def test_a_file_that_flake8_passes_over_is_complained_about(project):
    root = project({"setup.cfg": "[flake8", ".flake8": "[flake8]\ndeadline-scope = tasks"})
    used = loaded()
    assert used.directory == str(root)
    assert used.written == {"deadline_scope": "tasks"}
    assert len(used.complaints) == 1
    assert used.complaints[0].startswith(f"{root / 'setup.cfg'}: cannot be read as configuration: ")


def test_an_extra_file_adds_values_and_is_not_the_project(project):
    project({"extra.cfg": "[flake8]\ndeadline-scope = everywhere"})
    used = loaded(extra=["extra.cfg"])
    assert used.directory is None
    assert used.written == {"deadline_scope": "everywhere"}


def test_isolated_reads_nothing(project):
    project({".flake8": "[flake8]\ndeadline-scop = 1"})
    assert loaded(isolated=True).written == {}


@pytest.mark.parametrize("program", ["/usr/bin/flake8", "flake8", "C:\\Scripts\\flake8.exe", "/lib/flake8/__main__.py"])
def test_the_plugin_knows_the_file_that_flake8_was_given(project, monkeypatch, program):
    root = project({"ci/own.cfg": "[flake8]\ndeadline-scope = everywhere", "a.py": ""})
    monkeypatch.setattr("sys.argv", [program, "--config", "ci/own.cfg", "--max-line-length=100", "a.py"])
    used = configuration.of_running_flake8()
    assert (used.directory, used.written) == (str(root / "ci"), {"deadline_scope": "everywhere"})


def test_the_arguments_of_another_program_are_not_read(project, monkeypatch):
    root = project({".flake8": "[flake8]\ndeadline-scope = tasks", "a.py": ""})
    monkeypatch.setattr("sys.argv", ["/usr/bin/editor", "--config", "nowhere.ini"])
    assert configuration.of_running_flake8().directory == str(root)


class TestProjectRoot:
    def test_is_the_directory_of_the_configuration_file(self, project, monkeypatch):
        root = project({".flake8": "[flake8]", "shop/tasks.py": ""})
        monkeypatch.chdir(root / "shop")
        assert project_root(loaded(), []) == str(root)

    def test_is_else_the_repository(self, project, monkeypatch):
        root = project({".git/HEAD": "", "shop/tasks.py": ""})
        monkeypatch.chdir(root / "shop")
        assert project_root(loaded(), []) == str(root)

    def test_is_else_the_current_directory(self, project):
        root = project({"a.py": ""})
        assert project_root(loaded(), []) == str(root)

    def test_is_never_the_directory_of_files_named_inside_it(self, project):
        root = project({".git/HEAD": "", "shop/tasks.py": "", "other/a.py": ""})
        assert project_root(loaded(), ["shop/tasks.py"]) == str(root)
        assert project_root(loaded(), ["-"]) == str(root)

    def test_is_not_where_a_shared_configuration_lies(self, project):
        root = project({".git/HEAD": "", "ci/own.cfg": "[flake8]", "a.py": ""})
        assert project_root(loaded("ci/own.cfg"), []) == str(root)

    def test_does_not_reach_beyond_the_repository(self, project, monkeypatch):
        root = project({".flake8": "[flake8]", "inner/.git/HEAD": "", "inner/a.py": ""})
        monkeypatch.chdir(root / "inner")
        assert project_root(loaded(), []) == str(root / "inner")

    def test_is_the_named_directory_where_it_lies_elsewhere(self, project, tmp_path):
        project({"a.py": ""})
        elsewhere = tmp_path / "elsewhere"
        (elsewhere / "deep").mkdir(parents=True)
        (elsewhere / "deep/b.py").touch()
        (elsewhere / "c.py").touch()
        assert project_root(Configuration(), [str(elsewhere)]) == str(elsewhere)
        assert project_root(Configuration(), [str(elsewhere / "deep/b.py"), str(elsewhere / "c.py")]) == str(elsewhere)

    def test_is_the_repository_of_what_lies_elsewhere(self, project, tmp_path):
        project({"a.py": ""})
        elsewhere = tmp_path / "elsewhere"
        (elsewhere / "deep").mkdir(parents=True)
        (elsewhere / ".git").touch()
        assert project_root(Configuration(), [str(elsewhere / "deep")]) == str(elsewhere)

    def test_stays_where_one_path_lies_inside(self, project, tmp_path):
        root = project({"a.py": ""})
        assert project_root(Configuration(), ["a.py", str(tmp_path / "b.py")]) == str(root)
        assert project_root(Configuration(), ["..", "a.py"]) == str(root)

    def test_is_the_named_directory_above_where_nothing_inside_is_named(self, project):
        root = project({"a.py": ""})
        assert project_root(Configuration(), [".."]) == str(root.parent)

    def test_is_never_the_whole_disk(self, project, tmp_path):
        root = project({"a.py": ""})
        assert project_root(Configuration(), ["/nowhere/a.py", str(tmp_path / "b.py")]) == str(root)

    def test_stays_where_paths_have_nothing_in_common(self, project, monkeypatch):
        root = project({"a.py": ""})

        def on_two_drives(paths):
            raise ValueError("Paths don't have the same drive")

        monkeypatch.setattr(os.path, "commonpath", on_two_drives)
        assert project_root(Configuration(), ["/b/a.py"]) == str(root)


def test_a_path_is_found_below_another_as_written_or_in_reality(tmp_path):
    real = tmp_path / "real"
    (real / "deep").mkdir(parents=True)
    (real / "deep/a.py").touch()
    (tmp_path / "link").symlink_to(real)
    assert configuration.inner_path(str(real / "deep/a.py"), str(real)) == ["deep", "a.py"]
    assert configuration.inner_path(str(tmp_path / "link/deep/a.py"), str(real)) == ["deep", "a.py"]
    assert configuration.inner_path(str(tmp_path / "link"), str(real)) == []
    assert configuration.inner_path(str(real), str(real / "deep")) is None
    assert configuration.inner_path(str(tmp_path / "really"), str(real)) is None
    assert configuration.inner_path(str(real), "/") == list(Path(real).parts[1:])


# What is pinned


def test_the_versions_that_files_of_the_root_and_below_pin_reach_the_engine(project):
    root = project(
        {
            "pyproject.toml": "",
            "requirements.txt": "OpenAI==1.2.3\nredis>=4\n",
            "uv.lock": '[[package]]\nname = "boto3"\nversion = "1.44.8"\n',
            "Pipfile.lock": '{"default": {"groq": {"version": "==1.7.0"}}}',
            "services/mail/requirements/base.txt": "stripe==16.1.0\n",
            "notes.txt": "celery==5.0\n",
        }
    )
    expected = (("boto3", "1.44.8"), ("groq", "1.7.0"), ("openai", "1.2.3"), ("stripe", "16.1.0"))
    assert configuration.pinned(str(root)) == expected
    assert options(deadline_root=str(root)).versions == expected


def test_two_pins_of_one_version_are_one_and_of_two_versions_are_none(project):
    root = project(
        {"requirements.txt": "celery==5.6\nopenai==1.2.3\n", "constraints.txt": "celery==5.6\n", "poetry/requirements.txt": "openai==2.0\n"}
    )
    assert configuration.pinned(str(root)) == (("celery", "5.6"),)


def test_requirement_files_far_below_the_root_and_in_hidden_folders_are_not_looked_for(project):
    root = project(
        {
            "a/b/c/requirements.txt": "celery==5.6\n",
            "a/b/c/d/requirements.txt": "openai==1.2.3\n",
            ".venv/requirements.txt": "groq==1.7\n",
            "node_modules/requirements.txt": "stripe==16.1\n",
        }
    )
    assert configuration.pinned(str(root)) == (("celery", "5.6"),)


def test_in_a_root_of_very_many_folders_the_first_are_looked_into(project, monkeypatch):
    root = project({"a/requirements.txt": "celery==5.6\n", "b/requirements.txt": "openai==1.2.3\n"})
    monkeypatch.setattr(configuration, "_MOST_FOLDERS", 2)
    assert configuration.pinned(str(root)) == (("celery", "5.6"),)


def test_requirement_files_behind_links_are_not_read(project, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "requirements.txt").write_text("celery==5.6\n")
    root = project({"a.py": ""})
    (root / "linked").symlink_to(elsewhere)
    (root / "requirements.txt").symlink_to(elsewhere / "requirements.txt")
    (root / "loop").symlink_to(root)
    assert configuration.pinned(str(root)) == ()


def test_a_requirement_file_or_a_root_that_cannot_be_read_pins_nothing(project, monkeypatch):
    root = project({"requirements.txt": "celery==5.6\n", "constraints.txt": "openai==1.2.3\n"})
    (root / "pip-requirements.txt").write_bytes(b"\xff\xfe\x00==1\ngroq==1.7\n")
    opened = open

    def unreadable(path, *arguments, **named):
        if str(path).endswith("constraints.txt"):
            raise PermissionError(13, "Permission denied", path)
        return opened(path, *arguments, **named)

    monkeypatch.setattr("builtins.open", unreadable)
    assert configuration.pinned(str(root)) == (("celery", "5.6"), ("groq", "1.7"))
    assert configuration.pinned(str(root / "nowhere")) == ()


def test_a_lock_file_is_read_no_further_than_any_sensible_one_goes(project, monkeypatch):
    root = project({"requirements.txt": "celery==5.6\n" + "#\n" * 20 + "openai==1.2.3\n"})
    monkeypatch.setattr(configuration, "_LONGEST_LOCK", 30)
    assert configuration.pinned(str(root)) == (("celery", "5.6"),)
