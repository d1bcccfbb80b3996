"""Which versions a project pins, and what that means for facts about some versions of a library."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from flake8_deadline.check import analyse
from flake8_deadline.options import Options
from flake8_deadline.requirements import allows, is_pinning, pins

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("requirements.txt", "shop"),
        ("requirements-dev.in", "shop"),
        ("base_requirements.txt", "shop"),
        ("constraints.txt", "shop"),
        ("poetry.lock", "shop"),
        ("uv.lock", "shop"),
        ("pdm.lock", "shop"),
        ("Pipfile.lock", "shop"),
        ("base.txt", "requirements"),
        ("prod.in", "reqs"),
    ],
)
def test_requirement_and_lock_files_may_pin(name: str, folder: str) -> None:
    assert is_pinning(name, folder)


@pytest.mark.parametrize(
    ("name", "folder"),
    [("base.txt", "shop"), ("requirements.md", "shop"), ("package.lock", "shop"), ("base.toml", "requirements"), ("Pipfile", "pip")],
)
def test_other_files_do_not_pin(name: str, folder: str) -> None:
    assert not is_pinning(name, folder)


def test_exact_requirements_are_pins_and_others_are_not() -> None:
    text = """\
    # openai==0.1
    -r base.txt
    OpenAI==1.2.3  # why
    django_import.export [extra] == 4.0
    boto3[crt]===1.44.8
    celery == v5.6 ; python_version > "3.9"
    groq>=1.0
    stripe~=16.1
    redis
    kombu==
    git+https://example.org/a.git@main#egg=a==1
    """
    assert set(pins(text)) == {("openai", "1.2.3"), ("boto3", "1.44.8"), ("celery", "5.6")}


def test_a_name_is_written_in_one_way() -> None:
    assert list(pins("Django_Import.Export==4.0\n")) == [("django-import-export", "4.0")]


def test_the_entries_of_a_toml_lock_file_are_pins() -> None:
    entries = ('name = "OpenAI"\nversion = "1.2.3"\n', 'name = "groq"\r\nversion = "1.7"\r\n', 'name = "shop"\nsource = "."\n')
    text = "\n".join(f"[[package]]\n{entry}" for entry in entries)
    assert list(pins(text)) == [("openai", "1.2.3"), ("groq", "1.7")]


def test_the_entries_of_a_pipfile_lock_are_pins() -> None:
    entries = {
        "openai": {"hashes": ["sha256:00"], "index": "pypi", "markers": "python_version >= '3.8'", "version": "==1.2.3"},
        "shop": {"editable": True, "path": "."},
    }
    text = json.dumps({"_meta": {"requires": {"python_version": "3.11"}}, "default": entries, "develop": {"groq": {"version": "==1.7"}}}, indent=4)
    assert list(pins(text)) == [("openai", "1.2.3"), ("groq", "1.7")]


@pytest.mark.parametrize(
    ("specifier", "version"),
    [
        ("", "1.0"),
        ("", None),
        (">=1.0", None),
        (">1.0", None),
        (">=1.0", "1"),
        (">=1.0,<3.14.1", "3.14.0"),
        ("<3.14.1", "3.9"),
        ("<=2", "2.0.0"),
        ("==2.1", "2.1.0"),
        ("!=2.1", "2.2"),
        (">2", "2.0.1"),
        (">=3.14.1", "3.14.1rc1"),
        ("<1", "0"),
        ("<1", "unknown"),
        (">=1", "99999999999999999999"),
    ],
)
def test_a_fact_holds_of_the_versions_that_it_is_about(specifier: str, version: str | None) -> None:
    assert allows(specifier, version)


@pytest.mark.parametrize(
    ("specifier", "version"),
    [
        ("<2", None),
        (">=1.0,<3.14.1", None),
        ("==1.0", None),
        (">=1.1", "1.0.9"),
        ("<3.14.1", "3.14.1"),
        ("<3.14.1", "3.100"),
        ("<=2", "2.0.1"),
        ("==2.1", "2.1.1"),
        ("!=2.1", "2.1"),
        (">2", "2.0"),
        (">=1", "unknown"),
    ],
)
def test_a_fact_holds_of_no_other_version(specifier: str, version: str | None) -> None:
    assert not allows(specifier, version)


TASKS = """\
import boto3
import openai
from celery import shared_task


@shared_task(soft_time_limit=60, time_limit=90)
def ask(messages):
    return openai.OpenAI(timeout=20).chat.completions.create(messages=messages)


@shared_task(soft_time_limit=60, time_limit=90)
def keep(key):
    boto3.client("s3").put_object(Key=key)


@shared_task(soft_time_limit=60, time_limit=90)
def keep_all(keys):
    for key in keys:
        try:
            boto3.client("s3").put_object(Key=key)
        except Exception:
            print(key)
"""
ASK, KEEP, KEPT, CLAUSE = 8, 13, 20, 21


@pytest.mark.parametrize(
    ("versions", "found"),
    [
        pytest.param({}, {(CLAUSE, "LIM101")}, id="nothing is pinned"),
        pytest.param({"openai": "1.109.1"}, {(CLAUSE, "LIM101"), (ASK, "LIM105")}, id="a client that retries"),
        pytest.param({"openai": "3.14.1"}, {(CLAUSE, "LIM101")}, id="a client that was mended"),
        pytest.param({"openai": "0.28"}, {(CLAUSE, "LIM101")}, id="a client from before it retried"),
        pytest.param({"botocore": "1.44.8"}, {(CLAUSE, "LIM101"), (KEEP, "LIM105"), (KEPT, "LIM105")}, id="retries by default"),
        pytest.param({"botocore": "1.43.9"}, {(CLAUSE, "LIM101"), (KEPT, "LIM102")}, id="retypes by default"),
        pytest.param(
            {"boto3": "1.44.8"}, {(CLAUSE, "LIM101"), (KEEP, "LIM105"), (KEPT, "LIM105")}, id="the version of the distribution that needs it"
        ),
        pytest.param(
            {"boto3": "1.43.0", "botocore": "1.44.8"}, {(CLAUSE, "LIM101"), (KEEP, "LIM105"), (KEPT, "LIM105")}, id="its own version before that"
        ),
    ],
)
def test_what_a_call_of_a_library_does_depends_on_the_version_that_is_pinned(
    versions: dict[str, str], found: set[tuple[int, str]], tmp_path: Path
) -> None:
    (tmp_path / "tasks.py").write_text(TASKS)
    analysis = analyse(Options(root=str(tmp_path), cache_dir="none", versions=tuple(sorted(versions.items()))))
    assert analysis.errors == ()
    assert {(finding.line, finding.code) for finding in analysis.findings} == found
