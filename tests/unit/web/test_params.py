"""What may be asked for."""

import datetime as dt
import time

import pytest

from clew.analytics import FilterSet, UsageGroup
from clew.errors import SessionNotFoundError, UsageError
from clew.web.params import (
    Counting,
    PageRange,
    make_cursor,
    read_counting,
    read_filters,
    read_page,
    read_zone,
    require_id,
)


def test_a_page_knows_where_the_next_one_begins() -> None:
    page, cursor = PageRange(0, 2).take("abc")

    assert page == ("a", "b")
    assert read_page(cursor, 2) == PageRange(2, 2)
    assert PageRange(2, 2).take("abc") == (("c",), None)


@pytest.mark.parametrize("cursor", ["!", "eA==", make_cursor(-1), make_cursor(10**9), "é"])
def test_a_cursor_that_is_none_is_refused(cursor: str) -> None:
    with pytest.raises(UsageError):
        read_page(cursor, 2)


@pytest.mark.parametrize("name", ["", "a/b", "a\\b", "a b", "\x00", "x" * 201])
def test_nothing_like_a_path_is_an_id(name: str) -> None:
    with pytest.raises(SessionNotFoundError):
        require_id(name)


def test_empty_filters_filter_nothing() -> None:
    assert read_filters(since="", until=None, project="", model="") == FilterSet()


@pytest.mark.parametrize("since", ["never", "0000-00-00", "99999999999d"])
def test_a_time_that_is_none_is_refused(since: str) -> None:
    with pytest.raises(UsageError):
        read_filters(since=since)


def test_a_zone_is_read_by_its_name() -> None:
    assert str(read_zone("Europe/Paris")) == "Europe/Paris"
    assert isinstance(read_zone(None), dt.tzinfo)
    with pytest.raises(UsageError):
        read_zone("/etc/passwd")


def test_days_are_those_of_the_machine_in_their_own_season(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        summer, winter = (read_filters(since=day).since for day in ("2026-07-01", "2026-12-01"))
    finally:
        monkeypatch.undo()
        time.tzset()

    assert (summer, winter) == ("2026-06-30T22:00:00.000Z", "2026-11-30T23:00:00.000Z")


def test_days_are_those_of_the_zone_that_is_asked_for() -> None:
    assert read_filters(since="2026-07-01", tz="Asia/Tokyo").since == "2026-06-30T15:00:00.000Z"


@pytest.mark.parametrize("counted", ["", "hour", "colour:red", "any:thing"])
def test_a_number_that_is_none_is_refused(counted: str) -> None:
    with pytest.raises(UsageError, match="for counted; use any or"):
        read_counting([counted])


def test_numbers_are_read_with_their_zone() -> None:
    found = read_counting(["hour:mon-14", "model:Opus 4.5"], "Europe/Paris")

    assert found.groups == (UsageGroup("hour", "mon-14"), UsageGroup("model", "Opus 4.5"))
    assert found.tz == "Europe/Paris"
    assert read_counting() == Counting()
    with pytest.raises(UsageError):
        read_counting(["any"], "Nowhere")
