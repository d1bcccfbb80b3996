from __future__ import annotations

import os

import hypothesis
import pytest

# A run says of a change what it said of the one before: the same examples each time. Who looks for new ones says how many.
hypothesis.settings.register_profile("same", derandomize="THOROUGH_EXAMPLES" not in os.environ)
hypothesis.settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-fixtures", action="store_true", help="rewrite the fixed versions of the rule fixtures; read the diff")


@pytest.fixture
def update_fixtures(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-fixtures"))
