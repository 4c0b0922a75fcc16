"""What may be asked for."""

import datetime as dt

import pytest

from clew.errors import SessionNotFoundError, UsageError
from clew.web.asked import Cut, make_cursor, read_cut, read_filters, read_zone, require_id


def test_a_page_knows_where_the_next_one_begins() -> None:
    page, cursor = Cut(0, 2).take("abc")

    assert page == ("a", "b")
    assert read_cut(cursor, 2) == Cut(2, 2)
    assert Cut(2, 2).take("abc") == (("c",), None)


@pytest.mark.parametrize("cursor", ["!", "eA==", make_cursor(-1), make_cursor(10**9), "é"])
def test_a_cursor_that_is_none_is_refused(cursor: str) -> None:
    with pytest.raises(UsageError):
        read_cut(cursor, 2)


@pytest.mark.parametrize("name", ["", "a/b", "a\\b", "a b", "\x00", "x" * 201])
def test_nothing_like_a_path_is_an_id(name: str) -> None:
    with pytest.raises(SessionNotFoundError):
        require_id(name)


def test_empty_filters_filter_nothing() -> None:
    assert read_filters(project="", model="", since=None).project is None


@pytest.mark.parametrize("since", ["never", "0000-00-00", "99999999999d"])
def test_a_time_that_is_none_is_refused(since: str) -> None:
    with pytest.raises(UsageError):
        read_filters(since=since)


def test_a_zone_is_read_by_its_name() -> None:
    assert str(read_zone("Europe/Paris")) == "Europe/Paris"
    assert isinstance(read_zone(None), dt.tzinfo)
    with pytest.raises(UsageError):
        read_zone("/etc/passwd")
