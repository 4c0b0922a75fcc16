"""Sums of model calls, grouped."""

import datetime as dt
import json
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest

from clew.analytics import (
    GROUPS,
    CallSum,
    FilterSet,
    UsageReport,
    UsageRow,
    bucket_letters,
    digest,
    price_table,
    sort_rows,
    summarise,
)

DOLLAR = 1_000_000_000
BERLIN = ZoneInfo("Europe/Berlin")
KATHMANDU = ZoneInfo("Asia/Kathmandu")


def calls(at: str = "2026-11-14T09:30:00.000Z", **fields: Any) -> CallSum:
    """Make a sum of calls."""
    place = {"model": "claude-opus-5-5", "session_id": "s", "project": "/p", "branch": "main"}
    return CallSum(**{"at": at, "agent": "", "calls": 1, **place, **fields})


def keys(report: UsageReport) -> list[str]:
    """Give the keys of a report's rows."""
    return [row.key for row in report.rows]


@pytest.mark.parametrize(
    ("by", "key"),
    [
        ("day", "2026-11-14"),
        ("week", "2026-11-09"),
        ("month", "2026-11"),
        ("session", "s"),
        ("project", "/p"),
        ("model", "claude-opus-5-5"),
        ("agent", "(main thread)"),
        ("block", "2026-11-14T10:00+01:00"),
    ],
)
def test_calls_are_grouped_by_what_is_asked(by: str, key: str) -> None:
    assert keys(summarise([calls()], by, BERLIN)) == [key]


def test_there_is_a_group_for_each_of_the_words() -> None:
    assert GROUPS == ("day", "week", "month", "session", "project", "model", "agent", "block")


@pytest.mark.parametrize(
    ("at", "zone", "day"),
    [
        ("2026-11-14T23:30:00.000Z", dt.UTC, "2026-11-14"),
        ("2026-11-14T23:30:00.000Z", BERLIN, "2026-11-15"),
        ("2026-11-14T18:14:59.999Z", KATHMANDU, "2026-11-14"),
        ("2026-11-14T18:15:00.000Z", KATHMANDU, "2026-11-15"),
        ("", BERLIN, "(no time)"),
        ("soon", BERLIN, "(no time)"),
        ("0001-01-01T00:00:00.000Z", ZoneInfo("America/New_York"), "(no time)"),
    ],
)
def test_a_day_is_that_of_the_zone(at: str, zone: dt.tzinfo, day: str) -> None:
    assert keys(summarise([calls(at)], "day", zone)) == [day]


def test_a_week_before_all_weeks_has_no_time() -> None:
    early = calls("0001-01-01T00:00:00.000Z")

    assert keys(summarise([early], "week", dt.UTC)) == ["0001-01-01"]
    assert keys(summarise([calls("9999-12-31T23:00:00.000Z")], "block", BERLIN)) == ["(no time)"]


def test_sums_of_an_hour_tell_the_days_of_most_zones_and_of_a_minute_those_of_all() -> None:
    assert bucket_letters(BERLIN) == len("2026-11-14T09")
    assert bucket_letters(KATHMANDU) == len("2026-11-14T09:30")


def test_a_block_begins_at_the_full_hour_of_the_first_call_after_the_last_block() -> None:
    times = ["09:59", "14:00", "13:59", "19:30"]

    report = summarise([calls(f"2026-11-14T{time}:00.000Z") for time in times], "block", dt.UTC)

    assert [(row.key[11:16], row.model_calls) for row in report.rows] == [
        ("09:00", 2),
        ("14:00", 1),
        ("19:00", 1),
    ]


def test_blocks_are_those_of_all_calls_whatever_the_filter() -> None:
    given = [calls("2026-11-14T09:00:00.000Z"), calls("2026-11-14T12:00:00.000Z", session_id="t")]

    report = summarise(given, "block", dt.UTC, FilterSet(session="t"))

    assert keys(report) == ["2026-11-14T09:00+00:00"]


def test_counts_sessions_and_the_worst_quality_are_summed() -> None:
    given = [
        calls(output_tokens=1, input_tokens=10, cost_nano_usd=DOLLAR),
        calls(output_tokens=2, cache_read_tokens=20, session_id="t", lower_bound_calls=1),
        calls(output_tokens=4, cache_write_5m_tokens=3, cache_write_1h_tokens=5, calls=2),
    ]

    totals = summarise(given, "model", dt.UTC).totals

    assert (totals.sessions, totals.model_calls, totals.total_tokens) == (2, 4, 45)
    assert (totals.cost_usd, totals.quality) == (1.0, "lower_bound")


def test_a_cost_is_unknown_only_when_no_call_has_a_price() -> None:
    unpriced = calls(model="odd", unpriced_calls=1)

    alone = summarise([unpriced], "day", dt.UTC)
    beside = summarise([unpriced, calls(cost_nano_usd=DOLLAR)], "day", dt.UTC)

    assert (alone.totals.cost_usd, alone.unpriced_models) == (None, ["odd"])
    assert (beside.totals.cost_usd, beside.totals.unpriced_calls) == (1.0, 1)


def test_nothing_costs_nothing() -> None:
    report = summarise([], "day", dt.UTC)

    assert (report.rows, report.totals.cost_usd, report.totals.quality) == ([], 0.0, "exact")


def test_times_come_in_order_and_all_else_by_cost() -> None:
    given = [
        calls("2026-11-14T09:00:00.000Z", project="/b", cost_nano_usd=2),
        calls("2026-11-13T09:00:00.000Z", project="/c", cost_nano_usd=3),
        calls("", project="/a", cost_nano_usd=1),
    ]

    assert keys(summarise(given, "day", dt.UTC)) == ["2026-11-13", "2026-11-14", "(no time)"]
    assert keys(summarise(given, "project", dt.UTC)) == ["/c", "/b", "/a"]


@pytest.mark.parametrize(
    ("sort", "order"), [("key", "abc"), ("cost", "cba"), ("tokens", "bca"), ("calls", "acb")]
)
def test_rows_are_sorted_as_asked(sort: str, order: str) -> None:
    rows = [
        UsageRow(key="c", cost_usd=3.0, total_tokens=2, model_calls=2),
        UsageRow(key="a", cost_usd=None, total_tokens=1, model_calls=3),
        UsageRow(key="b", cost_usd=2.0, total_tokens=3, model_calls=1),
    ]

    assert [row.key for row in sort_rows(rows, sort)] == list(order)


def test_the_json_has_the_documented_keys() -> None:
    report = json.loads(msgspec.json.encode(summarise([calls()], "day", dt.UTC)))

    assert list(report) == [
        *("schema", "by", "rows", "totals", "unpriced_models", "price_table", "notes"),
    ]
    assert report["schema"] == "clew.usage/1"
    assert report["price_table"] == {"date": str(price_table().date), "digest": digest()}
    assert list(report["rows"][0]) == [
        "key",
        "input_tokens",
        "output_tokens",
        "cache_read_tokens",
        "cache_write_5m_tokens",
        "cache_write_1h_tokens",
        "web_searches",
        "web_fetches",
        "total_tokens",
        "cost_usd",
        "sessions",
        "model_calls",
        "quality",
    ]


def test_a_difference_to_the_client_is_told_where_whole_sessions_are_counted() -> None:
    given = [calls(cost_nano_usd=DOLLAR), calls(session_id="t", cost_nano_usd=DOLLAR)]
    client = {"s": 1.0000005, "t": 1.25}

    whole = summarise(given, "day", dt.UTC, None, client)
    part = summarise(given, "day", dt.UTC, FilterSet(model="opus"), client)

    (note,) = (note for note in whole.notes if "its own totals" in note)
    assert "for 2 sessions; 1 differs" in note
    assert "$0.25 more" in note
    assert not any("its own totals" in note for note in part.notes)


@pytest.mark.parametrize(
    ("client_usd", "words"),
    [
        (1.25, ("$0.25 more", "in no transcript")),
        (0.75, ("$0.25 less", "interrupted calls")),
    ],
)
def test_why_the_client_differs_depends_on_who_counts_more(
    client_usd: float, words: tuple[str, str]
) -> None:
    report = summarise([calls(cost_nano_usd=DOLLAR)], "day", dt.UTC, None, {"s": client_usd})

    assert all(word in report.notes[-1] for word in words)


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (1, "1 of 3 answers was recorded before its end: output and cost are lower bounds"),
        (2, "2 of 3 answers were recorded before their end: output and cost are lower bounds"),
    ],
)
def test_one_answer_and_several_are_told_apart(count: int, text: str) -> None:
    notes = summarise([calls(calls=3, lower_bound_calls=count)], "day", dt.UTC).notes

    assert notes[1].startswith(text)


def test_many_unpriced_models_are_named_in_part() -> None:
    given = [calls(model=f"odd-{number}", unpriced_calls=1) for number in range(7)]

    notes = summarise(given, "day", dt.UTC).notes

    assert notes[-1].endswith("odd-0, odd-1, odd-2, odd-3, odd-4 and 2 more.")
