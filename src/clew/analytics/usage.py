"""Tokens and cost over many model calls, by day, model, project and other groups."""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from clew.analytics.compare import is_equal_cost
from clew.analytics.filters import FilterSet, accepts_calls
from clew.analytics.groups import TIMES, find_key
from clew.analytics.prices import digest, price_table
from clew.analytics.sums import NO_MODEL, CallSum
from clew.conversation import make_quality
from clew.figures import plural

SORTS: Final = ("key", "cost", "tokens", "calls")

_NANO: Final = 1_000_000_000
_SOME_NAMES: Final = 5
_CENT: Final = 0.01
_WHY_MORE: Final = (
    "they include calls that are in no transcript, such as compactions, and costs"
    " inherited by a fork"
)
_WHY_LESS: Final = "they exclude interrupted calls and calls made after they were written"


class UsageRow(msgspec.Struct, kw_only=True):
    """What the calls of one group used.

    Its quality is that of its worst call: one whose price is not known, or not all of it, is a
    lower bound, and so is all that a transcript is missing of. Its cost is None when none of its
    calls has a price; `unpriced_calls` is there when some have none. `label` is what a commit is
    called.
    """

    key: str
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_5m_tokens: int = 0
    cache_write_1h_tokens: int = 0
    web_searches: int = 0
    web_fetches: int = 0
    total_tokens: int = 0
    cost_usd: float | None = 0.0
    sessions: int = 0
    model_calls: int = 0
    quality: str = "exact"
    unpriced_calls: int | msgspec.UnsetType = msgspec.UNSET
    label: str | msgspec.UnsetType = msgspec.UNSET


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
        self.nano_dollars = 0
        self.unpriced_calls = 0
        self.lower_bound_calls = 0
        self.partial_calls = 0
        self.corrupt_calls = 0
        self.bounds = 0
        self.incomplete_sessions: set[str] = set()
        self.sessions: set[str] = set()

    def add(self, calls: CallSum) -> None:
        """Count calls."""
        row = self.row
        row.input_tokens += calls.input_tokens
        row.output_tokens += calls.output_tokens
        row.cache_read_tokens += calls.cache_read_tokens
        row.cache_write_5m_tokens += calls.cache_write_5m_tokens
        row.cache_write_1h_tokens += calls.cache_write_1h_tokens
        row.web_searches += calls.web_searches
        row.web_fetches += calls.web_fetches
        row.model_calls += calls.calls
        self.nano_dollars += calls.cost_nano_usd
        self.unpriced_calls += calls.unpriced_calls
        self.lower_bound_calls += calls.lower_bound_calls
        self.partial_calls += calls.partial_calls
        self.corrupt_calls += calls.corrupt_calls
        self.bounds += calls.count_bounds()
        self.sessions.add(calls.session_id)
        if calls.missing_transcripts:
            self.incomplete_sessions.add(calls.session_id)

    def finish(self) -> UsageRow:
        """Return the row; without a single priced call its cost is unknown, not nothing."""
        row = self.row
        row.sessions = len(self.sessions)
        row.total_tokens = (
            row.input_tokens
            + row.output_tokens
            + row.cache_read_tokens
            + row.cache_write_5m_tokens
            + row.cache_write_1h_tokens
        )
        row.quality = make_quality(is_lower_bound=bool(self.bounds))
        if self.unpriced_calls:
            row.unpriced_calls = self.unpriced_calls
        is_unknown = 0 < row.model_calls == self.unpriced_calls
        row.cost_usd = None if is_unknown else _dollars(self.nano_dollars)
        return row


def summarise(
    sums: Iterable[CallSum],
    by: str,
    zone: dt.tzinfo,
    filters: FilterSet | None = None,
    client_costs: Mapping[str, float] | None = None,
    hours: Iterable[str] = (),
) -> UsageReport:
    """Group calls and add them up.

    Args:
        sums: All calls of the time that is requested, each counted once.
        by: One of `GROUPS`.
        zone: Whose days, weeks and months are meant.
        filters: Other filters; `sums` are already filtered by time and session.
        client_costs: The client's own totals in dollars, by session.
        hours: Those of all calls, of which only some are given: blocks depend on all of them.
    """
    chosen = filters or FilterSet()
    given = list(sums)
    key = find_key(by, zone, given, hours)
    counted = [calls for calls in given if accepts_calls(chosen, calls)]
    groups: dict[str, _Sum] = {}
    total = _Sum("total")
    for calls in counted:
        total.add(calls)
        if by == "model" and calls.model == NO_MODEL:
            continue
        name = key(calls)
        group = groups.get(name)
        if group is None:
            group = groups[name] = _Sum(name)
        group.add(calls)
    totals = total.finish()
    unpriced = sorted({calls.model for calls in counted if calls.unpriced_calls})
    notes = _notes(total, unpriced)
    if counts_whole_sessions(chosen):
        notes += _compare(counted, client_costs or {})
    return UsageReport(
        by=by,
        rows=sort_rows([group.finish() for group in groups.values()], _usual_sort(by)),
        totals=totals,
        unpriced_models=unpriced,
        price_table=price_table_note(),
        notes=notes,
    )


def counts_whole_sessions(filters: FilterSet) -> bool:
    """Return whether all calls of a session are counted, as in the client's own total of it."""
    return not (filters.since or filters.until or filters.model or filters.agent)


def sort_rows(rows: list[UsageRow], sort: str) -> list[UsageRow]:
    """Put rows in order: by key from the first, by anything else from the most."""
    rows = sorted(rows, key=lambda row: (row.key.startswith("("), row.key))
    match sort:
        case "cost":
            return sorted(rows, key=lambda row: (row.cost_usd or 0, row.total_tokens), reverse=True)
        case "tokens":
            return sorted(rows, key=lambda row: row.total_tokens, reverse=True)
        case "calls":
            return sorted(rows, key=lambda row: row.model_calls, reverse=True)
        case _:
            return rows


def price_table_note() -> PriceTableNote:
    """Describe the price table."""
    return PriceTableNote(str(price_table().date), digest())


def _usual_sort(by: str) -> str:
    return "key" if by in TIMES else "cost"


def _dollars(nano_dollars: int) -> float:
    return round(nano_dollars / _NANO, 9)


def _notes(total: _Sum, unpriced: list[str]) -> list[str]:
    notes = ["Costs are API-equivalent estimates from public list prices, not a bill."]
    if total.lower_bound_calls:
        share = f"{total.lower_bound_calls:,} of {total.row.model_calls:,} answers"
        were, its = ("was", "its") if total.lower_bound_calls == 1 else ("were", "their")
        notes.append(
            f"{share} {were} recorded before {its} end: output and cost are lower bounds (≥)."
        )
    if unpriced:
        more = len(unpriced) - _SOME_NAMES
        names = ", ".join(unpriced[:_SOME_NAMES]) + (f" and {more} more" if more > 0 else "")
        have = "call has" if total.unpriced_calls == 1 else "calls have"
        notes.append(f"{total.unpriced_calls:,} {have} no known price (≥): {names}.")
    if total.partial_calls:
        have = "call was" if total.partial_calls == 1 else "calls were"
        why = "in a mode or region, or with a fee, whose price is not known"
        notes.append(f"{total.partial_calls:,} {have} made {why}: the true cost is higher (≥).")
    if total.corrupt_calls:
        have = "call has" if total.corrupt_calls == 1 else "calls have"
        notes.append(f"{total.corrupt_calls:,} {have} an impossible token count: ignored (≥).")
    if total.incomplete_sessions:
        sessions = plural(len(total.incomplete_sessions), "session")
        are = "are missing: their usage is not counted (≥)."
        notes.append(f"Transcripts of {sessions} {are}")
    return notes


def _compare(counted: list[CallSum], client_costs: Mapping[str, float]) -> list[str]:
    """Compare the client's own totals with ours, where it wrote any."""
    own: dict[str, int] = {}
    for calls in counted:
        if calls.session_id in client_costs:
            own[calls.session_id] = own.get(calls.session_id, 0) + calls.cost_nano_usd
    other = {
        name: nano for name, nano in own.items() if not is_equal_cost(nano, client_costs[name])
    }
    if not other:
        return []
    difference = sum(client_costs[name] - nano / _NANO for name, nano in other.items())
    differ = "differs" if len(other) == 1 else "differ"
    how = "more" if difference > 0 else "less"
    why = _WHY_MORE if difference > 0 else _WHY_LESS
    # Small differences are written to the micro-dollar, the precision of the comparison.
    amount = f"${abs(difference):,.2f}" if abs(difference) >= _CENT else f"${abs(difference):.6f}"
    note = (
        f"Claude Code recorded its own totals for {plural(len(own), 'session')}; {len(other):,}"
        f" {differ} ({amount} {how} in total): {why}."
        " Run `clew usage --explain SESSION` to compare."
    )
    return [note]
