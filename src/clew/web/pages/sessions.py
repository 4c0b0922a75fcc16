"""The list of sessions: filters in the address, rows a page at a time."""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Annotated, Final

from litestar import Response, get
from litestar.params import QueryParameter

from clew.analytics import FilterSet
from clew.archive import Archive
from clew.clock import format_time
from clew.render.site import ListPage, render_sessions
from clew.render.site.filter_chips import make_chips, make_url
from clew.render.site.sessions import OPTIONS
from clew.store import SessionOverview
from clew.web.page_response import archiving_of, respond_empty, respond_page, shell, version_while
from clew.web.params import PageParam, read_zone
from clew.web.responses import AppRequest, query_params
from clew.web.session_query import SessionQuery, SessionQueryParam, find_sessions
from clew.web.state import account_of, cache_of, live_of

_LIVE: Final = dt.timedelta(minutes=5)
_MAX_OPTIONS: Final = 60
_NOT_CHIPS: Final = ("cursor", "limit", "sort", "group", "text", "tz")
_FIELDS: Final = (
    *OPTIONS,
    "text",
    "since",
    "min_cost",
    "sort",
    "group",
    "has_errors",
    "cursor",
    "limit",
)
_FLAGS: Final = ("has_errors", "with_hidden", "is_reversed")
_KNOWN: Final = frozenset((*_FIELDS, *_FLAGS, *FilterSet.__struct_fields__, "counted", "tz"))
# What a form sends without scripts when no cost is selected.
_ANY_COST: Final = ("min_cost", "0")
Group = Annotated[str, QueryParameter(max_length=20)]


@get("/", sync_to_thread=True, include_in_schema=False)
def session_list(
    request: AppRequest, session_query: SessionQueryParam, page: PageParam, group: Group = ""
) -> Response[bytes]:
    """Show sessions, the latest first."""
    cache = cache_of(request)
    catalogue = cache.catalogue()
    if not catalogue.sessions:
        return respond_empty(request)
    now = dt.datetime.now(dt.UTC)
    trouble = live_of(request).trouble
    archiving = archiving_of(request)

    def make() -> str:
        found, hidden = find_sessions(cache, catalogue, session_query)
        if group == "project":
            # Before paging: otherwise each page would start with the first project again.
            found.sort(key=lambda session: (session.project.casefold(), session.project))
        sessions, following = page.take(found)
        asked = _query(request, session_query)
        listed = ListPage(
            sessions=sessions,
            total=len(found),
            hidden=hidden,
            hidden_url=make_url("/", [*_without(asked, "cursor"), ("with_hidden", "true")]),
            params=dict(asked),
            chips=make_chips("/", [pair for pair in asked if pair != _ANY_COST], _NOT_CHIPS),
            extra_params=[pair for pair in asked if pair[0] not in _FIELDS],
            more=_more(asked, following),
            by_project=group == "project",
            zone=read_zone(session_query.counting.tz),
            shapes=cache.shapes(sessions),
            live=_live(sessions, now),
            options=cache.get_or_make(
                "options", catalogue.version, lambda: _options(cache.archive)
            ),
            trouble=trouble,
        )
        return render_sessions(listed, shell(archiving, account_of(request)))

    # Which sessions are live, and what "today" means, changes by the minute.
    version = version_while(f"{catalogue.version}-{now:%Y%m%d%H%M}-{trouble}", archiving)
    return respond_page(request, cache, version, make, allow_stale=True)


def _query(request: AppRequest, query: SessionQuery) -> list[tuple[str, str]]:
    """Return the known query parameters, without flags that are off."""
    pairs = (pair for pair in query_params(request) if pair[0] in _KNOWN)
    return [pair for pair in pairs if pair[0] not in _FLAGS or getattr(query, pair[0])]


def _more(asked: Sequence[tuple[str, str]], cursor: str | None) -> str:
    if cursor is None:
        return ""
    return make_url("/", [*_without(asked, "cursor"), ("cursor", cursor)])


def _without(asked: Sequence[tuple[str, str]], name: str) -> list[tuple[str, str]]:
    return [pair for pair in asked if pair[0] != name]


def _live(sessions: Iterable[SessionOverview], now: dt.datetime) -> frozenset[str]:
    start = format_time(now - _LIVE)
    return frozenset(session.id for session in sessions if (session.ended_at or "") >= start)


def _options(archive: Archive) -> dict[str, list[str]]:
    """Return the values of each filter, the most used first."""
    found = {name: archive.filter_values(name)[:_MAX_OPTIONS] for name in OPTIONS}
    return {name: values for name, values in found.items() if values}
