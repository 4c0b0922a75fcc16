"""Search, with the hits grouped by session."""

import datetime as dt
import time
from typing import Annotated, Final

import msgspec
from litestar import Response, get
from litestar.params import QueryParameter

from clew.clock import LocalZone
from clew.render.site import APP, render_search
from clew.render.site.search import Given, SearchHit, SearchPage, group_hits, narrowing_filters
from clew.search import Hit, QueryError, Results
from clew.web.page_response import archiving_of, respond_empty, respond_page, shell, version_while
from clew.web.params import Flag, PageParam, TheFilters, make_cursor
from clew.web.responses import AppRequest, filter_params
from clew.web.state import account_of, cache_of

Text = Annotated[str, QueryParameter(max_length=1000)]
_HITS: Final = 30


@get("/search", sync_to_thread=True, include_in_schema=False)
def search_page(
    request: AppRequest,
    filters: TheFilters,
    page: PageParam,
    q: Text = "",
    *,
    with_hidden: Flag = False,
) -> Response[bytes]:
    """Show the hits."""
    cache = cache_of(request)
    if cache.is_empty:
        return respond_empty(request)
    now = dt.datetime.now(LocalZone())
    limit = min(page.limit, _HITS)
    given = filter_params(request)
    archiving = archiving_of(request)

    base = shell(archiving, account_of(request))

    def make() -> str:
        if not q.strip():
            return render_search(SearchPage(given=given), base)
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
            return render_search(
                SearchPage(query=q, given=given, problem=str(error)),
                base,
            )
        took = (time.perf_counter() - started) * 1000
        results = _page(q, given, found, took)
        if with_hidden and results.more:
            more = f"{results.more}&with_hidden=true"
            results = msgspec.structs.replace(results, more=more)
        return render_search(results, base)

    version = version_while(f"{cache.catalogue_version()}-{now:%Y%m%d%H%M}", archiving)
    return respond_page(request, cache, version, make, allow_stale=True)


def _page(text: str, given: Given, found: Results, took_ms: float) -> SearchPage:
    following = found.next_offset
    cursor = [] if following is None else [("cursor", make_cursor(following))]
    return SearchPage(
        query=text,
        given=given,
        sessions=group_hits([_raw(hit) for hit in found.hits], APP),
        total=found.total,
        is_exact=found.is_exact,
        notes=found.notes,
        more=APP.search_results(text, [*given, *cursor]) if cursor else "",
        hidden=found.hidden_sessions,
        chips=narrowing_filters(text, _suggested(found), APP, given),
        took_ms=took_ms,
    )


def _suggested(found: Results) -> dict[str, str]:
    """Suggest filters that narrow the hits."""
    projects = {hit.project for hit in found.hits}
    filters = {"is": "error", "in": "all"}
    if len(projects) > 1:
        first = found.hits[0].project.replace("\\", "/").rstrip("/").rpartition("/")[2]
        if first and " " not in first:
            filters["project"] = first
    return {**filters, "after": "7d"}


def _raw(hit: Hit) -> SearchHit:
    return SearchHit(
        session_id=hit.session_id,
        title=hit.title,
        project=hit.project,
        field=str(hit.field),
        message_id=hit.message_id,
        at=hit.at,
        text=hit.snippet.text,
        marks=[(mark.start, mark.end) for mark in hit.snippet.marks],
        copies=hit.copies,
        member=hit.member or "",
    )
