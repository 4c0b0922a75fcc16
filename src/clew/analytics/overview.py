"""Overview: the counts of one period side by side, all from the same calls."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from clew.analytics.filters import FilterSet, accepts_calls
from clew.analytics.groups import WEEKDAYS, find_key
from clew.analytics.models import display_name, normalise
from clew.analytics.sums import NO_MODEL, CallSum
from clew.analytics.usage import UsageReport, summarise
from clew.conversation import make_quality

_MOST_DAYS: Final = 400
_HOURS: Final = tuple(tuple(f"{day}-{hour:02}" for hour in range(24)) for day in WEEKDAYS)


class DayCost(msgspec.Struct, frozen=True):
    """What one model cost on one day, in nano-dollars, its tokens, and how far that is known."""

    day: str
    model: str
    nano_dollars: int
    tokens: int
    quality: str = "exact"


class HourCount(msgspec.Struct, frozen=True):
    """How many model calls fell into an hour of the week, and of how many sessions."""

    calls: int = 0
    sessions: int = 0


class UsageOverview(msgspec.Struct, frozen=True, kw_only=True):
    """A period by day and model, by hour of the week, and in tables; `before` is the one before.

    `hours` has seven rows from Monday on, of 24 hours each.
    """

    days: tuple[DayCost, ...]
    hours: tuple[tuple[HourCount, ...], ...]
    by_model: UsageReport
    by_project: UsageReport
    by_agent: UsageReport
    by_session: UsageReport
    by_block: UsageReport
    before: UsageReport | None = None


def make_overview(
    sums: Iterable[CallSum],
    zone: dt.tzinfo,
    filters: FilterSet,
    client_costs: Mapping[str, float],
    before: Iterable[CallSum] | None = None,
    hours: Iterable[str] = (),
) -> UsageOverview:
    """Count calls in every way that a page shows; `hours` are those of all calls, for blocks."""
    given = list(sums)
    known = frozenset(hours)
    reports = {
        by: summarise(given, by, zone, filters, client_costs, known)
        for by in ("model", "project", "agent", "session", "block")
    }
    earlier = None if before is None else summarise(before, "model", zone, filters)
    counted = [calls for calls in given if accepts_calls(filters, calls)]
    return UsageOverview(
        days=_days(counted, zone),
        hours=_hours(counted, zone),
        by_model=reports["model"],
        by_project=reports["project"],
        by_agent=reports["agent"],
        by_session=reports["session"],
        by_block=reports["block"],
        before=earlier,
    )


def _days(counted: list[CallSum], zone: dt.tzinfo) -> tuple[DayCost, ...]:
    """Sum by day and model; of very many days, the last."""
    key = find_key("day", zone, counted)
    sums: dict[tuple[str, str], list[int]] = {}
    for calls in counted:
        if calls.model == NO_MODEL:
            continue
        total = sums.setdefault((key(calls), normalise(calls.model)), [0, 0, 0])
        total[0] += calls.cost_nano_usd
        total[1] += _tokens(calls)
        total[2] += calls.count_bounds()
    dated = sorted({day for day, _ in sums if not day.startswith("(")})[-_MOST_DAYS:]
    return tuple(
        DayCost(day, display_name(model), nano, tokens, make_quality(is_lower_bound=bool(bounds)))
        for (day, model), (nano, tokens, bounds) in sorted(sums.items())
        if dated and day >= dated[0] and not day.startswith("(")
    )


def _hours(counted: list[CallSum], zone: dt.tzinfo) -> tuple[tuple[HourCount, ...], ...]:
    key = find_key("hour", zone, counted)
    calls: Counter[str] = Counter()
    sessions: dict[str, set[str]] = {}
    for one in counted:
        if one.model == NO_MODEL:
            continue
        name = key(one)
        calls[name] += one.calls
        sessions.setdefault(name, set()).add(one.session_id)
    return tuple(
        tuple(HourCount(calls[name], len(sessions.get(name, ()))) for name in names)
        for names in _HOURS
    )


def _tokens(calls: CallSum) -> int:
    return (
        calls.input_tokens
        + calls.output_tokens
        + calls.cache_read_tokens
        + calls.cache_write_5m_tokens
        + calls.cache_write_1h_tokens
    )
