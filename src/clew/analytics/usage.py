"""Tokens and cost over many model calls, by day, model, project or whatever is asked."""

import datetime as dt
from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from clew.analytics.models import is_synthetic, normalise
from clew.analytics.prices import digest, price_table
from clew.clock import parse_time

GROUPS: Final = ("day", "week", "month", "session", "project", "model", "agent", "block")
BLOCK: Final = dt.timedelta(hours=5)
NANO: Final = 1_000_000_000
_WORST: Final = {"inherited": 0, "exact": 1, "lower_bound": 2}


class CountedCall(msgspec.Struct, frozen=True, gc=False):
    """One model call with what it may be grouped by; `cost_nano_usd` is None without a price."""

    at: str
    model: str
    session_id: str
    project: str
    agent: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_5m_tokens: int
    cache_write_1h_tokens: int
    web_searches: int
    web_fetches: int
    quality: str
    cost_nano_usd: int | None


class UsageRow(msgspec.Struct, kw_only=True):
    """What the calls of one group used; `quality` is that of its worst call."""

    key: str
    label: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_5m_tokens: int = 0
    cache_write_1h_tokens: int = 0
    web_searches: int = 0
    web_fetches: int = 0
    total_tokens: int = 0
    cost_usd: float | None = 0.0
    unpriced_calls: int = 0
    sessions: int = 0
    model_calls: int = 0
    quality: str = "exact"


class PriceTableNote(msgspec.Struct, frozen=True):
    """Which price table a cost rests on."""

    date: str
    digest: str


class UsageReport(msgspec.Struct, kw_only=True):
    """The answer to `clew usage`: rows, their sum, and what to know about them."""

    schema: str = "clew.usage/1"
    by: str
    rows: list[UsageRow]
    totals: UsageRow
    unpriced_models: list[str]
    price_table: PriceTableNote
    notes: list[str]


class _Sum:
    """A running sum; money stays in whole nano-dollars until the end."""

    def __init__(self, key: str) -> None:
        self.row = UsageRow(key=key)
        self.nano = 0
        self.priced = 0
        self.sessions: set[str] = set()

    def add(self, call: CountedCall) -> None:
        """Count one call."""
        row = self.row
        row.input_tokens += call.input_tokens
        row.output_tokens += call.output_tokens
        row.cache_read_tokens += call.cache_read_tokens
        row.cache_write_5m_tokens += call.cache_write_5m_tokens
        row.cache_write_1h_tokens += call.cache_write_1h_tokens
        row.web_searches += call.web_searches
        row.web_fetches += call.web_fetches
        row.model_calls += 1
        self.sessions.add(call.session_id)
        if call.cost_nano_usd is None:
            row.unpriced_calls += 1
        else:
            self.nano += call.cost_nano_usd
            self.priced += 1
        row.quality = max(row.quality, call.quality, key=_WORST.__getitem__)

    def finish(self) -> UsageRow:
        """Give the row; without a single priced call its cost is unknown, not nothing."""
        row = self.row
        row.sessions = len(self.sessions)
        row.total_tokens = (
            row.input_tokens
            + row.output_tokens
            + row.cache_read_tokens
            + row.cache_write_5m_tokens
            + row.cache_write_1h_tokens
        )
        row.cost_usd = self.nano / NANO if self.priced or not row.model_calls else None
        return row


def summarise(calls: Iterable[CountedCall], by: str, zone: dt.tzinfo) -> UsageReport:
    """Group calls and add them up; calls that a session only inherited are not counted."""
    counted = [call for call in calls if call.quality != "inherited"]
    key = _block_key(counted, zone) if by == "block" else _key(by, zone)
    sums: dict[str, _Sum] = {}
    total = _Sum("total")
    unpriced: dict[str, None] = {}
    for call in counted:
        name = key(call)
        if name not in sums:
            sums[name] = _Sum(name)
        sums[name].add(call)
        total.add(call)
        if call.cost_nano_usd is None and not is_synthetic(call.model):
            unpriced[call.model] = None
    rows = [found.finish() for _, found in sorted(sums.items())]
    totals = total.finish()
    table = PriceTableNote(str(price_table().date), digest())
    return UsageReport(
        by=by,
        rows=rows,
        totals=totals,
        unpriced_models=sorted(unpriced),
        price_table=table,
        notes=_notes(totals, list(unpriced)),
    )


def _notes(totals: UsageRow, unpriced: list[str]) -> list[str]:
    notes = ["Costs are API-equivalent estimates from public list prices, not a bill."]
    if totals.quality == "lower_bound":
        notes.append(
            "Some answers were recorded before they ended: their output tokens are a lower bound."
        )
    if unpriced:
        names = ", ".join(sorted(unpriced)[:5])
        notes.append(f"{totals.unpriced_calls} calls have no known price ({names}).")
    return notes


def _key(by: str, zone: dt.tzinfo) -> Callable[[CountedCall], str]:
    match by:
        case "session":
            return lambda call: call.session_id
        case "project":
            return lambda call: call.project or "(unknown)"
        case "model":
            return lambda call: normalise(call.model)
        case "agent":
            return lambda call: call.agent or "(main thread)"
        case _:
            return _time_key(by, zone)


def _time_key(by: str, zone: dt.tzinfo) -> Callable[[CountedCall], str]:
    """Group by the local day on which an answer came; days of one hour are looked up once."""
    known: dict[str, str] = {}

    def key(call: CountedCall) -> str:
        # Zones differ from UTC by whole quarters of an hour, so sixteen letters tell the day.
        minute = call.at[:15]
        if minute not in known:
            known[minute] = _period(call.at, by, zone)
        return known[minute]

    return key


def _period(at: str, by: str, zone: dt.tzinfo) -> str:
    moment = parse_time(at)
    if moment is None:
        return "(no time)"
    day = moment.astimezone(zone).date()
    if by == "month":
        return f"{day:%Y-%m}"
    if by == "week":
        return (day - dt.timedelta(days=day.weekday())).isoformat()
    return day.isoformat()


def _block_key(calls: list[CountedCall], zone: dt.tzinfo) -> Callable[[CountedCall], str]:
    """Five-hour blocks: each begins at the full hour of the first call after the one before."""
    starts: dict[str, str] = {}
    end: dt.datetime | None = None
    name = "(no time)"
    for call in sorted(calls, key=lambda call: call.at):
        moment = parse_time(call.at)
        if moment is not None and (end is None or moment >= end):
            start = moment.replace(minute=0, second=0, microsecond=0)
            end = start + BLOCK
            name = start.astimezone(zone).isoformat(timespec="minutes")
        starts[call.at] = name if moment is not None else "(no time)"
    return lambda call: starts[call.at]
