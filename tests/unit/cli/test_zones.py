"""Time zones of a command line."""

import datetime as dt
import time
from collections.abc import Iterator

import pytest

from clew.clock import LocalZone, parse_since


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalZone]:
    """Let this machine stand in Berlin."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield LocalZone()
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(("moment", "hour"), [("2026-07-01T10:00Z", 12), ("2026-11-14T10:00Z", 11)])
def test_the_zone_of_the_machine_knows_summer_and_winter(
    berlin: LocalZone, moment: str, hour: int
) -> None:
    assert dt.datetime.fromisoformat(moment).astimezone(berlin).hour == hour


def test_a_day_begins_at_midnight_of_its_own_season(berlin: LocalZone) -> None:
    now = dt.datetime(2026, 11, 14, 12, tzinfo=berlin)

    summer = parse_since("2026-07-01", now)

    assert summer is not None
    assert summer.astimezone(dt.UTC).isoformat() == "2026-06-30T22:00:00+00:00"


def test_hours_ago_are_hours_also_when_the_clocks_change(berlin: LocalZone) -> None:
    now = dt.datetime(2026, 10, 25, 12, tzinfo=berlin)

    then = parse_since("24h", now)

    assert then is not None
    assert then.astimezone(dt.UTC) == now.astimezone(dt.UTC) - dt.timedelta(hours=24)


def test_the_hour_that_comes_twice_is_told_apart(berlin: LocalZone) -> None:
    first = dt.datetime(2026, 10, 25, 0, 30, tzinfo=dt.UTC)

    local = [(first + dt.timedelta(hours=late)).astimezone(berlin) for late in range(3)]

    assert [moment.isoformat()[11:] for moment in local] == [
        "02:30:00+02:00",
        "02:30:00+01:00",
        "03:30:00+01:00",
    ]


def test_the_zone_has_a_name(berlin: LocalZone) -> None:
    assert dt.datetime(2026, 11, 14, tzinfo=berlin).tzname() == "CET"
    assert (berlin.utcoffset(None), berlin.dst(None), berlin.tzname(None)) == (None, None, None)
