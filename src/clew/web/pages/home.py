"""Home: what is running, what waits for the reader, and what happened lately."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Final

from litestar import Response, get

from clew.analytics import find_checkout, name_repositories
from clew.clock import format_time, parse_time
from clew.figures import duration, plural
from clew.render.formatting import UNTITLED
from clew.render.site import APP, render_home, render_live_strip
from clew.render.site.home import HomeFigure, HomePage, HomeProject, HomeSession
from clew.store import SessionOverview
from clew.web.cache import ArchiveCache, Catalogue
from clew.web.home_figures import (
    GatheredRepository,
    add_up,
    gather_repositories,
    make_expiring,
    make_lesson,
    make_periods,
)
from clew.web.page_response import (
    HTML,
    archiving_of,
    respond_empty,
    respond_page,
    shell,
    version_while,
)
from clew.web.params import Flag, Zone, read_zone
from clew.web.responses import AppRequest, query_params, respond_uncached
from clew.web.state import account_of, cache_of, live_of
from clew.web.strip import make_strip

_MOVED: Final = 307
_PROJECTS: Final = 8
_MOST_OTHERS: Final = 100
_SESSIONS: Final = 24
_FEWEST: Final = 3
_LIVE: Final = dt.timedelta(minutes=5)


@get(APP.home, sync_to_thread=True, include_in_schema=False)
def home_page(request: AppRequest, tz: Zone = None) -> Response[bytes]:
    """Show home, or the list for an old link: the list of sessions was here once."""
    if any(name != "tz" for name, _ in query_params(request)):
        query = request.scope["query_string"].decode("latin-1")
        return Response(b"", status_code=_MOVED, headers={"location": f"{APP.sessions}?{query}"})
    cache = cache_of(request)
    catalogue = cache.catalogue()
    if not catalogue.sessions:
        return respond_empty(request)
    now, zone = dt.datetime.now(dt.UTC), read_zone(tz)
    trouble, archiving = live_of(request).trouble, archiving_of(request)

    def make() -> str:
        page = _page(cache, catalogue, now, zone, trouble, has_client=account_of(request) is None)
        return render_home(page, shell(archiving, account_of(request)))

    listed = cache.listed_version(catalogue.version)
    version = version_while(f"{listed}-{now:%Y%m%d%H%M}-{trouble}", archiving)
    return respond_page(request, cache, version, make, allow_stale=True)


@get("/live", sync_to_thread=True, include_in_schema=False)
def live_strip(request: AppRequest, tz: Zone = None, *, compact: Flag = False) -> Response[bytes]:
    """Get the live strip alone, for a page that is there already."""
    now = dt.datetime.now(dt.UTC)
    strip = make_strip(cache_of(request), now, read_zone(tz), is_compact=compact)
    return respond_uncached(request, render_live_strip(strip).encode("utf-8", "replace"), HTML)


def _page(
    cache: ArchiveCache,
    catalogue: Catalogue,
    now: dt.datetime,
    zone: dt.tzinfo,
    trouble: str,
    *,
    has_client: bool,
) -> HomePage:
    talks = [session for session in catalogue.sessions if session.is_listed]
    repositories = gather_repositories(talks)
    names = name_repositories([one.path for one in repositories])
    first, rest = repositories[:_PROJECTS], repositories[_PROJECTS:]
    most = max(_FEWEST, _SESSIONS // max(1, len(first)))
    cache.note_titles(session.id for one in first for session in one.sessions[:most])
    # What takes longer is counted again every hour, or whenever a viewer may see something else.
    hour = cache.listed_version(catalogue.version) if cache.viewer else f"{now:%Y%m%d%H}"
    strip = make_strip(cache, now, zone)
    waiting = frozenset(row.session_id for row in strip.rows if row.state == "waiting")
    return HomePage(
        strip=strip,
        periods=make_periods(cache, catalogue, now, zone),
        lesson=cache.get_or_make("home lesson", hour, lambda: (make_lesson(cache, now),))[0],
        expiring=make_expiring(cache, catalogue, now, zone) if has_client else None,
        projects=[_project(one, names, now, zone, most, waiting) for one in first],
        others=[_project(one, names, now, zone, 0, waiting) for one in rest[:_MOST_OTHERS]],
        total=len(talks),
        trouble=trouble,
    )


def _project(
    one: GatheredRepository,
    names: Mapping[str, str],
    now: dt.datetime,
    zone: dt.tzinfo,
    most: int,
    waiting: frozenset[str],
) -> HomeProject:
    totals = add_up(one.sessions)
    given = {"project": one.pattern}
    urls = (
        APP.filtered_sessions(**given),
        APP.filtered_sessions(**given, sort="duration"),
        APP.filtered_sessions(**given, sort="cost"),
    )
    texts = (plural(totals.sessions, "session"), f"{duration(totals.active_ms)} active")
    return HomeProject(
        name=names[one.path] or "No project",
        path=one.path,
        url=urls[0] if one.pattern else APP.filtered_sessions(group="project"),
        totals=[
            HomeFigure(text, url if one.pattern else "")
            for text, url in zip((*texts, totals.cost), urls, strict=True)
        ],
        worktrees=_worktrees(one.sessions) if most else (),
        sessions=[_session(each, now, zone, waiting) for each in one.sessions[:most]],
    )


def _worktrees(sessions: Sequence[SessionOverview]) -> list[HomeFigure]:
    """Return the worktrees with their sessions; none where there are no worktrees."""
    counts: dict[str, int] = {}
    for session in sessions:
        counts[session.project] = counts.get(session.project, 0) + 1
    return [
        HomeFigure(find_checkout(path).worktree, APP.filtered_sessions(project=path), str(count))
        for path, count in counts.items()
        if find_checkout(path).worktree
    ]


def _session(
    session: SessionOverview, now: dt.datetime, zone: dt.tzinfo, waiting: frozenset[str]
) -> HomeSession:
    moment = parse_time(session.ended_at or "")
    local = None if moment is None else moment.astimezone(zone)
    return HomeSession(
        id=session.id,
        url=APP.session(session.id),
        title=" ".join((session.title or session.first_prompt).split()) or UNTITLED,
        worktree=find_checkout(session.project).worktree,
        at=session.ended_at or "",
        clock="" if local is None else _clock(local, now.astimezone(zone)),
        length=duration(session.active_ms or session.duration_ms),
        cost=add_up([session]).cost if session.cost_usd else "",
        member=session.member or "",
        is_live=(session.ended_at or "") >= format_time(now - _LIVE),
        is_waiting=session.id in waiting,
    )


def _clock(at: dt.datetime, now: dt.datetime) -> str:
    return f"{at:%H:%M}" if at.date() == now.date() else f"{at.day} {at:%b %Y}"
