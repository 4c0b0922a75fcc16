"""The table of filters: what its rows have, and which values they read."""

import datetime as dt
from pathlib import Path

import pytest

from clew.analytics import (
    ALL_FILTERS,
    FILTERS,
    Filter,
    FilterSet,
    FilterValues,
    ReadContext,
    Thing,
    read_filter,
)
from clew.analytics.filters import matches_version
from clew.errors import UsageError
from clew.store.queries import statements

ZONE = dt.timezone(dt.timedelta(hours=2))
CONTEXT = ReadContext(dt.datetime(2026, 11, 15, 10, 30, tzinfo=ZONE), lambda path: f"/x/{path}")


def test_every_filter_has_a_field_for_its_value() -> None:
    assert list(FilterSet.__struct_fields__) == [each.name for each in ALL_FILTERS]
    assert list(FilterValues.__annotations__) == [each.name for each in FILTERS]


@pytest.mark.parametrize("each", ALL_FILTERS, ids=lambda each: each.name)
def test_every_filter_has_its_sql(each: Filter) -> None:
    known = statements()

    assert f"{each.name}_of_session" in known
    assert (f"known_{each.name}" in known) is each.has_values
    for thing in each.own - {Thing.MODEL_CALL, Thing.HIT}:
        assert f"{each.name}_of_{thing}" in known


@pytest.mark.parametrize("each", FILTERS, ids=lambda each: each.name)
def test_what_is_selected_by_its_session_has_a_reason(each: Filter) -> None:
    assert bool(each.reason) is (each.own < frozenset(Thing))


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("branch", "fix/*", "fix/*"),
        ("project", "app", "/x/app"),
        ("project", Path("app"), "/x/app"),
        ("client_version", "v2.1.47-beta.1", "2.1.47-beta.1"),
        ("since", "2026-11-14", "2026-11-13T22:00:00.000Z"),
        ("until", dt.date(2026, 11, 14), "2026-11-14T22:00:00.000Z"),
    ],
)
def test_a_value_is_read(name: str, value: object, expected: str) -> None:
    assert read_filter(name, value, CONTEXT) == expected


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("since", "soon", "since='soon' is not a time; write it as 2026-11-14"),
        ("branch", 7, "branch=7 is not text"),
        ("client_version", "2.*", "client_version='2.*' is not a version; write it as 2.1.47"),
    ],
)
def test_a_value_that_cannot_be_read_says_how_to_write_it(
    name: str, value: object, problem: str
) -> None:
    with pytest.raises(UsageError) as caught:
        read_filter(name, value, CONTEXT)

    assert str(caught.value).startswith(problem)


@pytest.mark.parametrize(
    ("pattern", "version", "expected"),
    [
        ("2.1", "2.1.47", True),
        ("2.1", "2.1", True),
        ("2.1", "2.10.3", False),
        ("2.1.47", "2.1.47-beta.1", True),
        ("2.1.4", "2.1.47", False),
    ],
)
def test_a_version_matches_by_all_of_its_first_numbers(
    pattern: str, version: str, *, expected: bool
) -> None:
    assert matches_version(pattern, version) is expected


@pytest.mark.parametrize("text", ["7d", "soon", "", "2026-13-01"])
@pytest.mark.parametrize("name", ["since", "until"])
def test_a_time_that_is_not_one_is_rejected(name: str, text: str) -> None:
    with pytest.raises(UsageError, match=f"{name}=.* is not a time"):
        FilterSet(**{name: text})


@pytest.mark.parametrize("name", FilterSet.__struct_fields__)
def test_a_value_that_is_not_text_is_rejected(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name}=7 is not text"):
        FilterSet(**{name: 7})  # type: ignore[arg-type]
