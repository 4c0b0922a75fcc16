"""Which sessions a number counts."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from clew.analytics import CallSum, FilterSet, UsageGroup, read_group, sessions_in_groups

SUMS = (
    CallSum("2026-11-02T23:30:00Z", "claude-opus-4-5", "one", "/home/dev/a", "", ""),
    CallSum(
        "2026-11-03T10:00:00Z", "claude-opus-4-20250514", "two", "/home/dev/a/b", "", "Explore"
    ),
    CallSum("2026-07-06T12:00:00Z", "claude-opus-4-5-20251101[1m]", "three", "", "", ""),
    CallSum("soon", "", "four", "/home/dev/a", "", ""),
)


def counted(*texts: str, zone: dt.tzinfo = dt.UTC, filters: FilterSet | None = None) -> set[str]:
    groups = [group for text in texts if (group := read_group(text)) is not None]
    assert len(groups) == len(texts)
    return set(sessions_in_groups(SUMS, groups, zone, filters or FilterSet()))


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ("any", {"one", "two", "three", "four"}),
        ("hour:mon-23", {"one"}),
        ("hour:tue-23", set()),
        ("day:2026-11-03", {"two"}),
        ("model:Opus 4.5", {"one", "three"}),
        ("model:claude-opus-4", {"two"}),
        ("model:", {"four"}),
        ("project:/home/dev/a", {"one", "four"}),
        ("project:(no project)", {"three"}),
        ("agent:(main thread)", {"one", "three", "four"}),
        ("agent:Explore", {"two"}),
        ("block:2026-11-03T07:00+02:00", set()),
        ("block:2026-11-03T08:00+02:00", {"two"}),
        ("block:2026-11-03T13:00+02:00", set()),
        ("block:9999-12-31T23:00Z", set()),
        ("block:whenever", set()),
    ],
)
def test_a_group_has_the_sessions_of_its_calls_alone(group: str, expected: set[str]) -> None:
    assert counted(group) == expected


@pytest.mark.parametrize(
    ("zone", "hour", "expected"),
    [
        ("Europe/Paris", "tue-00", {"one"}),
        ("Asia/Kolkata", "tue-05", {"one"}),
        ("Europe/Paris", "mon-14", {"three"}),
        ("Europe/Paris", "tue-11", {"two"}),
    ],
)
def test_hours_are_those_of_a_zone_in_summer_and_winter(
    zone: str, hour: str, expected: set[str]
) -> None:
    assert counted(f"hour:{hour}", zone=ZoneInfo(zone)) == expected


def test_a_call_must_be_in_all_groups_and_pass_the_filters() -> None:
    assert counted("day:2026-11-02", "model:Opus 4.5") == {"one"}
    assert counted("day:2026-11-02", "model:Opus 4") == set()
    assert counted("model:Opus 4.5", filters=FilterSet(project="/home/dev/a")) == {"one"}


@pytest.mark.parametrize("text", ["", "any:", "any:thing", "colour:red", "hour", ":mon-14"])
def test_what_counts_nothing_is_no_group(text: str) -> None:
    assert read_group(text) is None


def test_a_key_may_have_a_colon_in_it() -> None:
    assert read_group("project:C:\\work") == UsageGroup("project", "C:\\work")
