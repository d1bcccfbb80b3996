"""The table of library calls: every row can be read, found and believed."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from flake8_deadline.swallowers import KNOWN_CLEAN, SWALLOWERS, Clean, Swallower

ROWS = (*SWALLOWERS, *KNOWN_CLEAN)
DOTTED = re.compile(r"[A-Za-z_]\w*(\(\))?(\.[A-Za-z_]\w*(\(\))?)*\.?")
RELEASES = "0.1 0.18 0.125.0 1.0.0 1.43.127 1.44.0 1.109.1 2.0.0 3.0.0 3.3.9 3.14.0 3.14.1 4.1 4.2 5.5.0 7.17.12 8.0 8.1 9.5.1 16.1.0".split()


def _title(row: Swallower | Clean) -> str:
    return f"{row.distribution}-{getattr(row, 'does', 'clean')}-{row.versions}"


@pytest.mark.parametrize("row", ROWS, ids=_title)
def test_names_are_dotted_and_specifiers_can_be_parsed(row: Swallower | Clean) -> None:
    assert row.names
    assert [name for name in row.names if not DOTTED.fullmatch(name)] == []
    SpecifierSet(row.versions)


@pytest.mark.parametrize("row", ROWS, ids=_title)
def test_a_fact_says_how_it_is_known(row: Swallower | Clean) -> None:
    assert re.search(r"\b(live|by hand|read)\b", row.source)


@pytest.mark.parametrize("row", SWALLOWERS, ids=_title)
def test_an_error_that_leaves_in_the_signals_place_has_a_name_and_a_swallowed_signal_has_none(row: Swallower) -> None:
    assert bool(row.into) == (row.does != "swallows")
    assert not row.into or DOTTED.fullmatch(row.into)
    assert row.remedy
    assert not row.remedy.endswith(".")


@pytest.mark.parametrize("release", RELEASES)
def test_two_rows_never_say_two_things_of_one_call_at_one_version(release: str) -> None:
    for one, other in combinations(SWALLOWERS, 2):
        if one.names & other.names and release in SpecifierSet(one.versions) and release in SpecifierSet(other.versions):
            pairs = ((one.when, other.unless), (other.when, one.unless))
            assert any(when is not None and when == unless for when, unless in pairs), (one, other)


@pytest.mark.parametrize("row", KNOWN_CLEAN, ids=_title)
def test_what_lets_the_signal_out_is_not_in_the_other_table_at_the_same_version(row: Clean) -> None:
    rows = [other for other in SWALLOWERS if row.names & other.names]
    assert [other for other in rows if any(release in SpecifierSet(row.versions) & SpecifierSet(other.versions) for release in RELEASES)] == []


def test_a_distribution_is_spelt_as_pins_are_read() -> None:
    names = {name.strip() for row in ROWS for name in row.distribution.split(",")}
    assert {canonicalize_name(name) for name in names} == names
