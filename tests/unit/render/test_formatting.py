"""Numbers as people read them."""

import datetime as dt

import pytest

from clew.render.formatting import (
    clock_time,
    cost,
    cost_of_all,
    day,
    dollars,
    duration,
    local_time,
    money,
    plural,
    scaled,
)
from clew.view import UsageView


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1.0 k"),
        (12_440, "12.4 k"),
        (99_960, "100 k"),
        (168_000, "168 k"),
        (999_600, "1.0 M"),
        (1_900_000, "1.9 M"),
        (7_000_000_000_000, "7,000 G"),
    ],
)
def test_large_numbers_are_scaled(number: int, written: str) -> None:
    assert scaled(number) == written


def test_a_unit_stands_with_its_prefix() -> None:
    assert (scaled(12, "B"), scaled(34_000, "B")) == ("12 B", "34.0 kB")


@pytest.mark.parametrize(
    ("milliseconds", "written"),
    [
        (400, "0.4 s"),
        (12_400, "12.4 s"),
        (60_000, "1 min"),
        (130_000, "2 min 10 s"),
        (4_320_000, "1 h 12 min"),
        (90_000_000, "1 d 1 h"),
    ],
)
def test_a_length_of_time_has_at_most_two_units(milliseconds: int, written: str) -> None:
    assert duration(milliseconds) == written


@pytest.mark.parametrize(
    ("nano_dollars", "written"),
    [
        (None, ""),
        (0, "$0.00"),
        (1, "<$0.01"),
        (10_000_000, "$0.01"),
        (1_234_560_000_000, "$1,234.56"),
    ],
)
def test_money_is_told_to_the_cent(nano_dollars: int | None, written: str) -> None:
    assert dollars(nano_dollars) == written


@pytest.mark.parametrize(
    ("nano_dollars", "written"),
    [(None, ""), (4_200_000, "≥ $0.0042"), (40_000_000, "≥ $0.04"), (0, "≥ $0.00")],
)
def test_a_cost_that_may_be_more_says_so(nano_dollars: int | None, written: str) -> None:
    assert cost(UsageView(cost_nano_usd=nano_dollars, quality="lower_bound")) == written


def test_costs_together_are_as_sure_as_the_least_sure_of_them() -> None:
    cent = UsageView(cost_nano_usd=10_000_000)
    unpriced = UsageView(has_unpriced=True, quality="lower_bound")
    inherited = UsageView(cost_nano_usd=0, quality="inherited")

    assert cost_of_all((cent, cent)) == "$0.02"
    assert cost_of_all((cent, unpriced)) == "≥ $0.01"
    assert cost_of_all((cent, inherited)) == "$0.01"
    assert cost_of_all((unpriced,)) == "unpriced"
    assert cost_of_all((inherited, inherited)) == "inherited"
    assert cost_of_all((UsageView(),)) == ""


@pytest.mark.parametrize(
    ("nano_dollars", "quality", "written"),
    [
        (4_180_000_000, "exact", "$4.18"),
        (4_180_000_000, "lower_bound", "≥ $4.18"),
        (4_180_000_000, "inherited", "$4.18 inherited"),
        (4_180_000_000, "inherited_lower_bound", "≥ $4.18 inherited"),
        (0, "inherited", "inherited"),
        (None, "lower_bound", "unpriced"),
        (None, "inherited_lower_bound", "inherited"),
    ],
)
def test_a_cost_has_the_one_mark_of_its_quality(
    nano_dollars: int | None, quality: str, written: str
) -> None:
    assert money(nano_dollars, quality) == written


def test_a_time_is_told_in_its_zone() -> None:
    at = local_time("2026-11-14T23:30:00.000Z", dt.timezone(dt.timedelta(hours=1)))

    assert (day(at), clock_time(at)) == ("15 Nov 2026", "00:30")


def test_what_is_no_time_is_told_by_nothing() -> None:
    assert (day(local_time("soon", None)), clock_time(local_time("", None))) == ("", "")


def test_a_noun_goes_with_its_number() -> None:
    told = (plural(1, "call"), plural(2000, "call"), plural(2, "try", "tries"))

    assert told == ("1 call", "2,000 calls", "2 tries")
