"""What home counts: today and this week, repositories with their worktrees, and what to note."""

import datetime as dt
import time
from collections.abc import Collection, Iterable, Sequence
from typing import Final

import msgspec

from clew.analytics import FilterSet, find_checkout, matches_project
from clew.clock import format_time
from clew.conversation import make_quality, sum_quality
from clew.figures import duration, plural
from clew.insight import find_lessons
from clew.render.formatting import money_usd
from clew.render.site import APP
from clew.render.site.home import HomeExpiring, HomeFigure, HomeLesson, HomePeriod
from clew.store import CLEANUP_DAYS, SessionOverview
from clew.web.cache import ArchiveCache, Catalogue

_WEEK: Final = dt.timedelta(days=7)
_LESSON_DAYS: Final = 30
_LONGEST_LESSON: Final = 140
_MOST_MISSING: Final = 10
_DAY_NS: Final = 86_400 * 1_000_000_000


class SessionTotals(msgspec.Struct, frozen=True):
    """What several sessions come to; without the cost of those that have no price."""

    sessions: int
    active_ms: int
    cost_usd: float
    quality: str

    @property
    def cost(self) -> str:
        """What they cost."""
        return money_usd(self.cost_usd, self.quality) if self.cost_usd else "$0.00"


class GatheredRepository(msgspec.Struct, frozen=True):
    """Sessions of a repository and of its worktrees, the latest first.

    `pattern` is the filter by project that finds them and no others, if there is one.
    """

    path: str
    sessions: list[SessionOverview]
    pattern: str = ""


def add_up(sessions: Iterable[SessionOverview]) -> SessionTotals:
    """Add up sessions."""
    found = list(sessions)
    qualities = {s.usage.quality for s in found if s.cost_usd}
    if any(s.cost_usd is None and s.total_tokens for s in found):
        qualities.add(make_quality(is_lower_bound=True))
    return SessionTotals(
        len(found),
        sum(s.active_ms or s.duration_ms for s in found),
        sum(s.cost_usd or 0.0 for s in found),
        sum_quality(qualities),
    )


def gather_repositories(sessions: Iterable[SessionOverview]) -> list[GatheredRepository]:
    """Gather sessions by repository; the one that was worked on last comes first."""
    found: dict[str, list[SessionOverview]] = {}
    for session in sessions:
        found.setdefault(find_checkout(session.project).repository, []).append(session)
    projects = {session.project for own in found.values() for session in own}
    return [
        GatheredRepository(path, own, _pattern(path, own, projects)) for path, own in found.items()
    ]


def _pattern(path: str, own: Iterable[SessionOverview], projects: Collection[str]) -> str:
    """Return the filter for a repository: by its folder, or by its name for worktrees beside it."""
    wanted = {session.project for session in own}
    for pattern in filter(None, (path, path.lstrip("/"))):
        if {each for each in projects if matches_project(pattern, each)} == wanted:
            return pattern
    return ""


def make_periods(
    cache: ArchiveCache, catalogue: Catalogue, now: dt.datetime, zone: dt.tzinfo
) -> list[HomePeriod]:
    """Count today and the last seven days, each against the same time a week before."""
    local = now.astimezone(zone)
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    counter = _Counter(cache, catalogue)
    day = f"{local:%A}"
    return [
        counter.period("Today", "today", midnight, now, f"last {day}, by this time"),
        counter.period("Last 7 days", "7d", now - _WEEK, now, "the 7 days before"),
    ]


class _Counter:
    def __init__(self, cache: ArchiveCache, catalogue: Catalogue) -> None:
        self._cache = cache
        self._talks = [session for session in catalogue.sessions if session.is_listed]

    def period(
        self, name: str, since: str, start: dt.datetime, end: dt.datetime, before: str
    ) -> HomePeriod:
        """Count from a moment on, and the same time a week before."""
        earlier = self._figures(FilterSet(since=format_time(start - _WEEK), until=_last(end)))
        current = self._figures(FilterSet(since=format_time(start)))
        urls = (
            APP.filtered_sessions(since=since),
            APP.filtered_sessions(since=since, sort="duration"),
            f"{APP.usage}?since={since}",
        )
        figures = [HomeFigure(*each) for each in zip(current, urls, earlier, strict=True)]
        return HomePeriod(name, figures, before)

    def _figures(self, filters: FilterSet) -> tuple[str, str, str]:
        totals = add_up(session for session in self._talks if _is_in(session, filters))
        usage = self._cache.archive.usage(filters).totals
        cost = money_usd(usage.cost_usd, usage.quality) if usage.cost_usd else "$0.00"
        return (
            plural(totals.sessions, "session"),
            f"{duration(totals.active_ms)} active" if totals.active_ms else "0 min active",
            cost,
        )


def _is_in(session: SessionOverview, filters: FilterSet) -> bool:
    """Return whether a session is in a period, as the filters by time find it."""
    ended_at, started_at = session.ended_at or "", session.started_at or ""
    is_before = filters.until is None or "" < started_at < filters.until
    return ended_at >= (filters.since or "") and is_before


def _last(end: dt.datetime) -> str:
    return format_time(end - _WEEK)


def make_lesson(cache: ArchiveCache, now: dt.datetime) -> HomeLesson | None:
    """Return what went wrong in most sessions of the last 30 days."""
    since = now - dt.timedelta(days=_LESSON_DAYS)
    report = find_lessons(cache.archive, FilterSet(since=format_time(since)))
    if not report.lessons:
        return None
    first = report.lessons[0]
    cache.note_listed(call.session_id for call in first.examples)
    what = " ".join(f"{f'{first.tool} {first.command}'.strip()}: {first.text}".split())
    url = f"{APP.lessons}?since={_LESSON_DAYS}d"
    text = what[:_LONGEST_LESSON].removesuffix(".")
    return HomeLesson(text, first.sessions, len(report.lessons), url)


def make_expiring(
    cache: ArchiveCache, catalogue: Catalogue, now: dt.datetime, zone: dt.tzinfo
) -> HomeExpiring | None:
    """Return what the client deletes within a week, if anything, on the machine where it runs."""
    found = cache.archive.expiring_sessions(now)
    missing = _missing(cache, catalogue) if cache.settings.is_followed else ()
    if not found and not missing:
        return None
    first = found[0].deleted_at if found else ""
    day = dt.datetime.fromisoformat(first).astimezone(zone) if first else None
    return HomeExpiring(
        archived=len(found),
        missing=missing,
        first_at=first,
        first_day="" if day is None else f"{day.day} {day:%b %Y}",
        is_due=day is not None and day <= now,
    )


def _missing(cache: ArchiveCache, catalogue: Catalogue) -> Sequence[tuple[str, str]]:
    """Return the sessions on disk that are about to be deleted and not archived: id and URL."""
    before = time.time_ns() - (CLEANUP_DAYS - _WEEK.days) * _DAY_NS
    ids = cache.disk.written_before(before) - catalogue.by_id.keys()
    return [(name[:8], APP.session(name)) for name in sorted(ids)[:_MOST_MISSING]]
