"""What cache breaks cost: by cause, by project, by week."""

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

from clew.analytics.cache_breaks import CacheBreak, describe_cause
from clew.analytics.groups import find_key
from clew.analytics.sums import CallSum

CACHE_SCHEMA: Final = "clew.cache_breaks/1"
_NANO: Final = 1_000_000_000
_MOST_SESSIONS: Final = 20


class CountedBreak(msgspec.Struct, frozen=True, gc=False):
    """A cache break with its session, and its cost in nano-dollars if its model has a price."""

    session_id: str
    project: str
    branch: str
    agent: str
    found: CacheBreak
    cost_nano_usd: int | None

    @property
    def as_call(self) -> CallSum:
        """What it is grouped and selected by: its model call."""
        found = self.found
        return CallSum(
            found.at, found.model, self.session_id, self.project, self.branch, self.agent
        )


class BreakRow(msgspec.Struct, frozen=True, kw_only=True):
    """Cache breaks with something in common; `unpriced` ones have no part in the cost."""

    key: str
    label: str = ""
    breaks: int = 0
    sessions: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0


class CacheReport(msgspec.Struct, frozen=True, kw_only=True):
    """What cache breaks cost in a period; `cost_usd` is that of all model calls in it."""

    schema: str = CACHE_SCHEMA
    totals: BreakRow
    by_cause: list[BreakRow]
    by_project: list[BreakRow]
    by_week: list[BreakRow]
    by_session: list[BreakRow]
    cost_usd: float | None = None


def summarise_breaks(
    breaks: Iterable[CountedBreak], zone: dt.tzinfo, cost_usd: float | None = None
) -> CacheReport:
    """Sum cache breaks up; weeks begin on Monday in the time zone."""
    found = list(breaks)
    sums = {id(one): one.as_call for one in found}

    def by(group: str) -> Callable[[CountedBreak], str]:
        key = find_key(group, zone, [])
        return lambda one: key(sums[id(one)])

    causes = _group(found, lambda one: one.found.cause)
    return CacheReport(
        totals=_row("total", found),
        by_cause=_by_cost(
            msgspec.structs.replace(row, label=describe_cause(row.key)) for row in causes
        ),
        by_project=_by_cost(_group(found, by("project"))),
        by_week=sorted(_group(found, by("week")), key=lambda row: row.key),
        by_session=_by_cost(_group(found, lambda one: one.session_id))[:_MOST_SESSIONS],
        cost_usd=cost_usd,
    )


def _group(breaks: Sequence[CountedBreak], key: Callable[[CountedBreak], str]) -> list[BreakRow]:
    groups: dict[str, list[CountedBreak]] = {}
    for one in breaks:
        groups.setdefault(key(one), []).append(one)
    return [_row(name, own) for name, own in groups.items()]


def _row(key: str, breaks: Sequence[CountedBreak]) -> BreakRow:
    return BreakRow(
        key=key,
        label=key,
        breaks=len(breaks),
        sessions=len({one.session_id for one in breaks}),
        tokens=sum(one.found.tokens for one in breaks),
        cost_usd=sum(one.cost_nano_usd or 0 for one in breaks) / _NANO,
        unpriced=sum(one.cost_nano_usd is None for one in breaks),
    )


def _by_cost(rows: Iterable[BreakRow]) -> list[BreakRow]:
    return sorted(rows, key=lambda row: (-row.cost_usd, -row.tokens, row.key))
