"""Usage as a table."""

import io

import pytest
from rich.console import Console

from clew.analytics import SessionLabel, UsageReport, UsageRow
from clew.analytics.usage import PriceTableNote
from clew.cli.session_table import cost as session_cost
from clew.cli.usage_table import (
    PLAIN,
    Marks,
    UsageContext,
    bar,
    cost,
    headline,
    key_text,
    print_usage,
)

PRICES = PriceTableNote("2026-11-15", "0" * 64)


def row(key: str, cost_usd: float | None = 1.0) -> UsageRow:
    """Make a row."""
    return UsageRow(key=key, output_tokens=1234, total_tokens=1234, cost_usd=cost_usd, sessions=1)


def table(report: UsageReport, width: int, labels: dict[str, SessionLabel] | None = None) -> str:
    """Print a report on a terminal of this width."""
    console = Console(
        file=io.StringIO(),
        force_terminal=True,
        width=width,
        color_system=None,
        legacy_windows=False,
    )
    print_usage(report, UsageContext(labels=labels or {}), None, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def report(by: str, *rows: UsageRow) -> UsageReport:
    """Make a report."""
    return UsageReport(
        by=by,
        rows=list(rows),
        totals=row("total", 3.0),
        unpriced_models=[],
        price_table=PRICES,
        notes=["Costs are estimates."],
    )


@pytest.mark.parametrize("width", [30, 40, 60, 80, 100, 140])
@pytest.mark.parametrize("by", ["day", "session", "project", "model"])
def test_no_line_is_wider_than_the_terminal(by: str, width: int) -> None:
    long = "/home/dev/" + "deep/" * 30
    labels = {"b" * 36: SessionLabel("A title that goes on and on " * 5, long)}
    key = {"day": "2026-11-14", "session": "b" * 36, "project": long, "model": "claude-opus-5-5"}

    lines = table(report(by, row(key[by])), width, labels).splitlines()

    assert max(map(len, lines)) <= max(width, 32)


def test_the_key_and_the_cost_are_never_left_out() -> None:
    text = table(report("day", row("2026-11-14")), 30)

    assert "2026-11-14 Sat" in text
    assert "$1.00" in text
    assert "cache read" not in text


def test_a_session_without_a_title_says_so() -> None:
    assert "(no title)" in table(report("session", row("abc")), 100)


@pytest.mark.parametrize(
    ("key", "by", "text"),
    [
        ("2026-11-14", "day", "2026-11-14 Sat"),
        ("2026-11-09", "week", "2026-11-09 to 11-15"),
        ("2026-11", "month", "2026-11"),
        ("2026-11-14T22:00+01:00", "block", "2026-11-14 22:00 to 03:00"),
        ("claude-opus-5-5", "model", "Opus 5.5"),
        ("(side_question)", "agent", "(side question)"),
        ("(no time)", "day", "(no time)"),
        ("9999-12-31", "week", "9999-12-31"),
    ],
)
def test_keys_are_written_for_people(key: str, by: str, text: str) -> None:
    assert key_text(key, by) == text


def test_a_bar_is_drawn_to_an_eighth_where_the_terminal_can() -> None:
    assert bar(1, Marks()) == "█" * 16
    assert bar(0.5 + 1 / 128, Marks()) == "█" * 8 + "▏"
    assert bar(1 / 32, Marks()) == "▌"
    assert bar(0, Marks()) == ""
    assert bar(0.5, PLAIN) == "#" * 8


def test_a_cost_says_what_it_leaves_open() -> None:
    bound = UsageRow(key="a", cost_usd=1.5, quality="lower_bound", unpriced_calls=2)

    assert cost(bound, Marks()) == "≥ $1.50"
    assert cost(bound, PLAIN) == ">= $1.50"
    assert cost(row("a", None), Marks()) == "unpriced"


def test_a_lower_bound_is_never_told_as_an_upper_one() -> None:
    small = UsageRow(key="a", cost_usd=0.0012, quality="lower_bound")

    assert cost(small, Marks()) == "≥ $0.0012"
    assert cost(row("a", 0.0012), Marks()) == "<$0.01"
    assert session_cost(0.0012, "lower_bound") == "≥ $0.0012"


def test_a_headline_without_any_reading_has_no_rate() -> None:
    assert headline(row("total"), None, Marks()) == "$1.00 · 1.2 k tokens · 1 session · 0 calls"


def test_bars_follow_tokens_where_nothing_has_a_price() -> None:
    assert "█" * 16 in table(report("model", row("house-model", None)), 120)


def test_an_ascii_terminal_gets_ascii_signs() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="backslashreplace")
    console = Console(file=stream, width=100)

    print_usage(report("day", row("2026-11-14")), UsageContext(), None, console)

    stream.seek(0)
    assert "################" in stream.read()
