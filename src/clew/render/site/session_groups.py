"""Sessions below headings: by day, or by repository with its worktrees, with totals."""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final, Literal, TypeAlias

import msgspec

from clew.analytics import find_checkout
from clew.clock import parse_time
from clew.conversation import make_quality, sum_quality
from clew.render.formatting import duration, money_usd, plural
from clew.store import SessionOverview

By: TypeAlias = Literal["day", "project", ""]
NO_NAMES: Final[Mapping[str, str]] = {}
_NO_DATE: Final = "Without a date"
_EXACT: Final = make_quality()
_AT_LEAST: Final = make_quality(is_lower_bound=True)


class ListTotals(msgspec.Struct, frozen=True):
    """What several sessions come to; without the cost of those that have no price."""

    sessions: int = 0
    active_ms: int = 0
    cost_usd: float = 0.0
    quality: str = _EXACT

    @property
    def count(self) -> str:
        """How many sessions there are."""
        return plural(self.sessions, "session")

    @property
    def active(self) -> str:
        """How long somebody worked, or nothing."""
        return f"{duration(self.active_ms)} active" if self.active_ms else ""

    @property
    def cost(self) -> str:
        """What they cost, or nothing where no model was called."""
        return money_usd(self.cost_usd, self.quality) if self.cost_usd else ""


class SessionGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions below one heading: those of this page, and the totals of all.

    `key` is the day or the path of the repository; without one there is no heading.
    """

    key: str
    title: str
    sessions: Sequence[SessionOverview]
    totals: ListTotals


def sum_sessions(sessions: Iterable[SessionOverview]) -> ListTotals:
    """Add up sessions."""
    count, active, cost = 0, 0, 0.0
    qualities: set[str] = set()
    for session in sessions:
        count += 1
        active += session.active_ms or session.duration_ms
        if session.cost_usd:
            cost += session.cost_usd
            qualities.add(session.usage.quality)
        elif session.cost_usd is None and session.total_tokens:
            qualities.add(_AT_LEAST)
    return ListTotals(count, active, cost, sum_quality(qualities))


def sort_by_repository(sessions: list[SessionOverview]) -> None:
    """Put the sessions of a repository side by side, each repository's in the order they have."""
    keys = {path: _sorting_key(path) for path in {session.project for session in sessions}}
    sessions.sort(key=lambda session: keys[session.project])


def group_page(
    found: Sequence[SessionOverview],
    start: int,
    end: int,
    by: By,
    zone: dt.tzinfo,
    names: Mapping[str, str] = NO_NAMES,
) -> list[SessionGroup]:
    """Group the sessions of one page; totals count those of other pages, too.

    Sessions of one group must be side by side. `names` are those of repositories by their paths.
    """
    if not by:
        shown = found[start:end]
        return (
            [SessionGroup(key="", title="", sessions=shown, totals=ListTotals())] if shown else []
        )
    key_of = _day_of(zone) if by == "day" else _repository_of
    shown = found[start:end]
    groups = [(key, list(own)) for key, own in groupby(shown, key_of)]
    made = []
    for number, (key, own) in enumerate(groups):
        whole = list(own)
        if number == 0:
            whole += _reach(found[:start][::-1], key, key_of)
        if number == len(groups) - 1:
            whole += _reach(found[end:], key, key_of)
        title = _day_title(key) if by == "day" else names.get(key) or find_checkout(key).name
        made.append(SessionGroup(key=key, title=title, sessions=own, totals=sum_sessions(whole)))
    return made


def _reach(
    others: Sequence[SessionOverview], key: str, key_of: Callable[[SessionOverview], str]
) -> list[SessionOverview]:
    """Return the sessions of a group that are on the next pages."""
    found = []
    for session in others:
        if key_of(session) != key:
            break
        found.append(session)
    return found


def _day_of(zone: dt.tzinfo) -> Callable[[SessionOverview], str]:
    def day_of(session: SessionOverview) -> str:
        moment = parse_time(session.ended_at or "")
        return "" if moment is None else f"{moment.astimezone(zone):%Y-%m-%d}"

    return day_of


def _repository_of(session: SessionOverview) -> str:
    return find_checkout(session.project).repository


def _sorting_key(path: str) -> tuple[str, str]:
    checkout = find_checkout(path)
    return checkout.name.casefold(), checkout.repository


def _day_title(day: str) -> str:
    if not day:
        return _NO_DATE
    date = dt.date.fromisoformat(day)
    return f"{date:%A}, {date.day} {date:%B %Y}"
