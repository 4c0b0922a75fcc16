"""Search, with the hits grouped by session or by time."""

import datetime as dt
import time
from typing import Annotated, Final

import msgspec
from litestar import Response, get
from litestar.params import QueryParameter

from clew.analytics import find_checkout
from clew.clock import LocalZone
from clew.render.site import APP, render_search
from clew.render.site.filter_chips import YESTERDAY, Chip, make_chips
from clew.render.site.search import (
    Given,
    SearchHit,
    SearchPage,
    group_by_time,
    group_hits,
    narrowing_filters,
    wider_link,
)
from clew.search import Hit, QueryError, Results, filter_terms, parse_query, phrases_of
from clew.web.page_response import archiving_of, respond_empty, respond_page, shell, version_while
from clew.web.params import Flag, PageParam, TheFilters, make_cursor, read_zone
from clew.web.responses import AppRequest, filter_params
from clew.web.state import account_of, cache_of
from clew.web.typed_filters import make_text_chips

Text = Annotated[str, QueryParameter(max_length=1000)]
# Of each session, few are shown at once.
_HITS: Final = 60
# Sorting by time makes sense for many of the best.
_TIMED_HITS: Final = 200
_TIME: Final = "time"
Group = Annotated[str, QueryParameter(max_length=20)]
# Sessions of which all hits are shown.
Opened = Annotated[list[str] | None, QueryParameter(max_items=_HITS, required=False)]


@get("/search", sync_to_thread=True, include_in_schema=False)
def search_page(
    request: AppRequest,
    filters: TheFilters,
    page: PageParam,
    q: Text = "",
    *,
    group: Group = "",
    opened: Opened = None,
    with_hidden: Flag = False,
) -> Response[bytes]:
    """Show the hits."""
    cache = cache_of(request)
    if cache.is_empty:
        return respond_empty(request)
    now = dt.datetime.now(LocalZone())
    is_by_time = group == _TIME
    limit = _TIMED_HITS if is_by_time else min(page.limit, _HITS)
    given = filter_params(request)
    kept = [("with_hidden", "true")] if with_hidden else []
    view = [*kept, ("group", _TIME)] if is_by_time else kept
    archiving = archiving_of(request)

    base = shell(archiving, account_of(request))

    def make() -> str:
        blank = SearchPage(
            query=q,
            given=[*given, *view],
            set_chips=_set_chips(q, [*given, *view]),
            views=_views(q, [*given, *kept], is_by_time=is_by_time),
        )
        if not q.strip():
            return render_search(blank, base)
        started = time.perf_counter()
        try:
            found = cache.archive.search(
                q,
                now=now,
                limit=limit,
                offset=page.start,
                with_hidden=with_hidden,
                filters=filters,
            )
        except QueryError as error:
            return render_search(msgspec.structs.replace(blank, problem=str(error)), base)
        took = (time.perf_counter() - started) * 1000
        hits = [_raw(hit) for hit in found.hits]
        zone = read_zone(dict(given).get("tz"))
        groups = (
            group_by_time(hits, APP, zone)
            if is_by_time
            else group_hits(hits, APP, q, given, opened or ())
        )
        wider = cache.archive.wider_searches(
            found, now=now, with_hidden=with_hidden, filters=filters
        )
        shown = msgspec.structs.replace(
            _with_hits(blank, found, took),
            words=[one.text for one in phrases_of(parse_query(q, now=now).expression)],
            sessions=groups,
            wider=[
                wider_link(one.kind, (one.query, one.total, one.is_exact), APP, [*given, *view])
                for one in wider
            ],
        )
        return render_search(shown, base)

    version = version_while(f"{cache.catalogue_version()}-{now:%Y%m%d%H%M}", archiving)
    return respond_page(request, cache, version, make, allow_stale=True)


def _with_hits(page: SearchPage, found: Results, took_ms: float) -> SearchPage:
    following = found.next_offset
    cursor = [] if following is None else [("cursor", make_cursor(following))]
    return msgspec.structs.replace(
        page,
        total=found.total,
        is_exact=found.is_exact,
        notes=found.notes,
        more=APP.search_results(page.query, [*page.given, *cursor]) if cursor else "",
        hidden=found.hidden_sessions,
        chips=[
            *narrowing_filters(page.query, _suggested(found), APP, page.given),
            *_days(page.query, page.given),
        ],
        took_ms=took_ms,
    )


def _set_chips(query: str, given: Given) -> list[Chip]:
    """Return the filters that are set, in the address and in the query."""
    params = [("q", query), *given] if query else list(given)
    return [
        *make_chips(APP.search, params, ("q", "tz", "group")),
        *make_text_chips(APP.search, params, "q"),
    ]


def _views(query: str, given: Given, *, is_by_time: bool) -> list[tuple[str, str]]:
    """Return the ways to group hits, each with its address unless it is the one that is shown."""
    by_session = APP.search_results(query, given)
    by_time = APP.search_results(query, [*given, ("group", _TIME)])
    return [
        ("Session", by_session if is_by_time else ""),
        ("Time", "" if is_by_time else by_time),
    ]


def _suggested(found: Results) -> dict[str, str]:
    """Suggest filters that narrow the hits."""
    projects = {hit.project for hit in found.hits}
    filters = {"is": "error", "in": "all"}
    if len(projects) > 1:
        # A worktree's folder may be called just "1": its repository is what somebody knows.
        first = find_checkout(found.hits[0].project).name
        if first and " " not in first:
            filters["project"] = first
    return {**filters, "after": "7d"}


def _days(query: str, given: Given) -> list[tuple[str, str]]:
    """Suggest yesterday, unless a time is set."""
    names = {name for name, _ in given} | {term.name for term in filter_terms(query)}
    if names & {"since", "until", "after", "before"}:
        return []
    return [("Yesterday", APP.search_results(query, [*given, ("since", YESTERDAY)]))]


def _raw(hit: Hit) -> SearchHit:
    return SearchHit(
        session_id=hit.session_id,
        title=hit.title,
        project=hit.project,
        field=str(hit.field),
        message_id=hit.message_id,
        tool_call_id=hit.tool_call_id,
        at=hit.at,
        text=hit.snippet.text,
        marks=[(mark.start, mark.end) for mark in hit.snippet.marks],
        copies=hit.copies,
        member=hit.member or "",
    )
