"""The list of sessions: filters in the address, rows a page at a time."""

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Final

from litestar import Litestar, Response, get
from litestar.params import QueryParameter

from clew.analytics import ALL_FILTERS, ANY, FilterSet, find_checkout, name_repositories
from clew.render.site import APP, ListPage, render_sessions
from clew.render.site.filter_chips import Chip, make_chips, make_url
from clew.render.site.filter_line import make_fields
from clew.render.site.session_groups import sort_by_repository
from clew.render.site.sessions import SelectionActions
from clew.search import describe_unknown_filters, query_of_options
from clew.store import SessionOverview
from clew.web.live_sessions import find_waiting
from clew.web.page_response import archiving_of, respond_empty, respond_page, shell, version_while
from clew.web.params import PageParam
from clew.web.responses import AppRequest, query_params
from clew.web.session_query import (
    SessionQuery,
    SessionQueryParam,
    find_sessions,
    running_since,
)
from clew.web.state import account_of, cache_of, live_of
from clew.web.typed_filters import make_quick_chips, make_text_chips

_NOT_CHIPS: Final = ("cursor", "limit", "sort", "group", "text", "tz")
_FIELDS: Final = (
    *(each.name for each in ALL_FILTERS if each.has_values),
    "text",
    "since",
    "min_cost",
    "sort",
    "group",
    "has_errors",
    "cursor",
    "limit",
)
_FLAGS: Final = ("has_errors", "is_running", "with_hidden", "is_reversed")
_FILTERS: Final = tuple(FilterSet.__struct_fields__)
_KNOWN: Final = frozenset((*_FIELDS, *_FLAGS, *_FILTERS, "counted", "tz", "day", "repository"))
# `ls -la` may find something without its option; `-flaky` is meant to be left out.
_SHORT_OPTION: Final = re.compile(r'"-\w{1,3}"')
# What a form sends without scripts when no cost is selected.
_ANY_COST: Final = ("min_cost", "0")
# Filters that select some of the calls of a session.
_PARTIAL: Final = ("since", "until", "model", "agent", "counted")
_EXPORT: Final = "/export"
_NOTES: Final = "/api/notes"
Group = Annotated[str, QueryParameter(max_length=20)]


@get(APP.sessions, sync_to_thread=True, include_in_schema=False)
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
            sort_by_repository(found)
        sessions, following = page.take(found)
        cache.note_titles(session.id for session in sessions)
        asked = _query(request, session_query)
        account = account_of(request)
        as_text = query_of_options(session_query.text)
        if found and not _SHORT_OPTION.search(as_text):
            as_text = ""
        listed = ListPage(
            sessions=found,
            start=page.start,
            end=page.start + len(sessions),
            hidden=hidden,
            hidden_url=make_url(
                APP.sessions, [*_without(asked, "cursor"), ("with_hidden", "true")]
            ),
            query=asked,
            chips=_chips(asked),
            quick_chips=make_quick_chips(APP.sessions, asked, _FILTERS),
            fields=make_fields(dict(asked), is_team=account is not None),
            extra_params=[pair for pair in asked if pair[0] not in _FIELDS],
            more=_more(asked, following),
            by_project=group == "project",
            zone=session_query.zone,
            shapes=cache.shapes(sessions),
            live=_live(sessions, now),
            waiting=find_waiting(cache, now),
            trouble=trouble,
            problem=session_query.read_text().problem
            or ("" if found else describe_unknown_filters(session_query.text)),
            as_text=as_text,
            as_text_url=make_url(APP.sessions, [*_without(asked, "text"), ("text", as_text)]),
            search_url=APP.search_results(session_query.text) if session_query.text else "",
            is_partial=any(name in _PARTIAL for name, _ in asked),
            usage_url=_usage_url(asked),
            actions=_actions(request.app),
            names=name_repositories(
                {find_checkout(session.project).repository for session in catalogue.sessions}
            ),
        )
        return render_sessions(listed, shell(archiving, account))

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
    return make_url(APP.sessions, [*_without(asked, "cursor"), ("cursor", cursor)])


def _without(asked: Sequence[tuple[str, str]], name: str) -> list[tuple[str, str]]:
    return [pair for pair in asked if pair[0] != name]


def _usage_url(asked: Sequence[tuple[str, str]]) -> str:
    """Return the usage of what the filters select, where it has all of them."""
    given = [pair for pair in asked if pair not in (("counted", ANY), _ANY_COST)]
    given = [pair for pair in given if pair[0] not in ("cursor", "limit", "sort", "group")]
    can_count = all(name in (*_FILTERS, "tz") for name, _ in given)
    return make_url(APP.usage, given) if can_count else ""


def _chips(asked: Sequence[tuple[str, str]]) -> list[Chip]:
    """Return what is set in the address, and what is typed in the box."""
    params = [pair for pair in asked if pair != _ANY_COST]
    return [
        *make_chips(APP.sessions, params, _NOT_CHIPS),
        *make_text_chips(APP.sessions, params, "text"),
    ]


def _actions(app: Litestar) -> SelectionActions:
    """Return what can be done with several sessions, as far as there are routes for it."""
    paths = {route.path for route in app.routes}
    return SelectionActions(
        compare=APP.compare,
        export=_EXPORT if _EXPORT in paths else "",
        notes=_NOTES if _NOTES in paths else "",
    )


def _live(sessions: Iterable[SessionOverview], now: dt.datetime) -> frozenset[str]:
    start = running_since(now)
    return frozenset(session.id for session in sessions if (session.ended_at or "") >= start)
