"""The table of library calls against the libraries: the signal raised in a call that waits, and what became of it.

The libraries are installed in environments of their own, which are kept for the next run in the user's cache.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from packaging.specifiers import SpecifierSet

from flake8_deadline.swallowers import KNOWN_CLEAN, SWALLOWERS, Clean, Swallower

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.live

PROBES = Path(__file__).parent / "probes"
SECONDS_TO_INSTALL = 300
SECONDS_TO_PROBE = 120
SCRIPTS_AT_ONCE = 4

ENVIRONMENTS = {
    "latest": """
        billiard==4.3.2 celery==5.7.0 kombu==5.7.0 openai==3.57.0 anthropic==2.14.0 groq==1.7.0 google-genai==3.6.1
        boto3==1.44.8 botocore==1.44.8 elasticsearch==9.5.1 opensearch-py==3.2.0 stripe==16.1.0 httpx==0.28.1 requests==2.34.2 urllib3==2.8.0
        redis==8.1.0 django==5.2.19 django-import-export==4.4.3
    """.split(),
    "earlier": "billiard==4.3.2 openai==2.54.0 langchain-openai==1.7.4 langchain-anthropic==1.7.10 anthropic==2.14.0".split(),
}
SCRIPTS = (
    ("latest", "openai_client"),
    ("latest", "model_clients"),
    ("latest", "search_and_storage"),
    ("latest", "plain_clients"),
    ("latest", "callbacks"),
    ("earlier", "openai_client"),
    ("earlier", "langchain_models"),
)


@dataclass(frozen=True)
class Measured:
    """What a probe prints of one call."""

    call: str
    keywords: dict[str, object]
    distribution: str
    version: str
    does: str
    error: str
    kinds: list[str]

    def is_covered_by(self, row: Swallower | Clean) -> bool:
        """A row counts for this call with these keywords, at this version."""
        if row.distribution != self.distribution or not any(_covers(name, self.call) for name in row.names):
            return False
        if self.version and self.version not in SpecifierSet(row.versions):
            return False
        if isinstance(row, Clean):
            return True
        passed = self.keywords.items()
        return (row.when is None or row.when in passed) and (row.unless is None or row.unless not in passed)


def _covers(name: str, call: str) -> bool:
    return call.startswith(name) if name.endswith(".") else call == name


def _environment(requirements: list[str]) -> Path:
    """The Python of an environment with these distributions; made once for all runs on this machine."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or tempfile.gettempdir()) / "flake8-deadline-probes"
    folder = cache / hashlib.sha256(" ".join([sys.version, *requirements]).encode()).hexdigest()[:16]
    python = folder / "bin" / "python"
    complete = folder / "complete"
    if not complete.exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=SECONDS_TO_INSTALL)
        install = [python, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check", *requirements]
        done = subprocess.run(install, capture_output=True, text=True, timeout=SECONDS_TO_INSTALL)
        assert done.returncode == 0, done.stderr
        complete.touch()
    return python


def _probe(python: Path, script: str) -> list[Measured]:
    errors = sorted({row.into for row in SWALLOWERS if row.into})
    done = subprocess.run(
        [python, "-W", "ignore", PROBES / f"{script}.py", *errors], capture_output=True, text=True, timeout=SECONDS_TO_PROBE, cwd=PROBES
    )
    assert done.returncode == 0, done.stderr
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return [Measured(**row) for row in rows]


@pytest.fixture(scope="module")
def measured() -> Iterator[dict[tuple[str, str], list[Measured]]]:
    """All that the probes measure, by environment and script; they wait more than they work, so they run side by side."""
    with ThreadPoolExecutor(len(ENVIRONMENTS)) as pool:
        pythons = dict(zip(ENVIRONMENTS, pool.map(_environment, ENVIRONMENTS.values())))
    with ThreadPoolExecutor(SCRIPTS_AT_ONCE) as pool:
        yield dict(zip(SCRIPTS, pool.map(lambda run: _probe(pythons[run[0]], run[1]), SCRIPTS)))


@pytest.mark.parametrize("run", SCRIPTS, ids="-".join)
def test_a_librarys_call_does_with_the_signal_what_the_table_says(measured: dict[tuple[str, str], list[Measured]], run: tuple[str, str]) -> None:
    assert measured[run]
    for call in measured[run]:
        if any(call.is_covered_by(row) for row in KNOWN_CLEAN):
            assert call.does == "passes", call
            continue
        rows = [row for row in SWALLOWERS if call.is_covered_by(row)]
        assert len(rows) == 1, call
        assert call.does == rows[0].does, call
        assert not rows[0].into or rows[0].into in call.kinds, call


def test_every_row_that_is_said_to_be_measured_live_is_measured(measured: dict[tuple[str, str], list[Measured]]) -> None:
    calls = [call for calls in measured.values() for call in calls]
    said = [row for row in (*SWALLOWERS, *KNOWN_CLEAN) if re.search(r"\blive\b", row.source)]
    assert [row for row in said if not any(call.is_covered_by(row) for call in calls)] == []
