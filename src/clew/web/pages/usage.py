"""Usage: tokens and cost, with charts."""

import datetime as dt
from typing import Final

import msgspec
from litestar import Response, get

from clew.analytics import UsageOverview
from clew.archive import FilterSet
from clew.clock import format_time, parse_time
from clew.render.formatting import money_usd
from clew.render.site import UsagePage, render_usage
from clew.render.site.filter_chips import make_chips
from clew.web.cache import Catalogue
from clew.web.page_response import archiving_of, respond_empty, respond_page, shell, version_while
from clew.web.params import TheFilters, Zone, read_zone
from clew.web.responses import AppRequest, query_params
from clew.web.state import account_of, cache_of

_FIELDS: Final = ("since", "until", "project", "model")
_PARAMS: Final = (*FilterSet.__struct_fields__, "tz")


@get("/usage", sync_to_thread=True, include_in_schema=False)
def usage_page(request: AppRequest, filters: TheFilters, tz: Zone = None) -> Response[bytes]:
    """Show cost and tokens."""
    cache = cache_of(request)
    if cache.is_empty:
        return respond_empty(request)
    zone = read_zone(tz)
    now = dt.datetime.now(dt.UTC)
    archiving = archiving_of(request)
    asked = [pair for pair in query_params(request) if pair[0] in _PARAMS]

    def make() -> str:
        archive = cache.archive
        overview = archive.usage_overview(filters, zone, period_before(filters, now))
        cache.note_titles(row.key for row in overview.by_session.rows)
        catalogue = cache.catalogue()
        local = now.astimezone(zone)
        page = UsagePage(
            overview=overview,
            tools=list(archive.tool_stats(filters)),
            cache=archive.cache_usage(filters, zone),
            labels=archive.session_labels(),
            params=dict(asked),
            filters=filters,
            chips=make_chips("/usage", asked, (*_FIELDS, "tz")),
            extra_params=[pair for pair in asked if pair[0] not in _FIELDS],
            today=local.date(),
            zone=tz or local.tzname() or "",
            whole_costs=_whole_costs(overview, catalogue),
            unlisted=_count_unlisted(overview, catalogue),
        )
        return render_usage(page, shell(archiving, account_of(request)))

    version = version_while(f"{cache.catalogue_version()}-{now:%Y%m%d%H%M}", archiving)
    return respond_page(request, cache, version, make, allow_stale=True)


def period_before(filters: FilterSet, now: dt.datetime) -> FilterSet | None:
    """Return the filters for the period of the same length just before."""
    start = parse_time(filters.since or "")
    if start is None:
        return None
    end = parse_time(filters.until or "") or now
    try:
        since = format_time(start - (end - start))
    except OverflowError:
        return None
    return msgspec.structs.replace(filters, since=since, until=filters.since)


def _whole_costs(overview: UsageOverview, catalogue: Catalogue) -> dict[str, str]:
    """Return what sessions cost in all, where the period or the filters leave out some of it."""
    found = {}
    for row in overview.by_session.rows:
        session = catalogue.by_id.get(row.key)
        if session is not None and session.total_tokens > row.total_tokens:
            found[row.key] = money_usd(session.cost_usd, session.usage.quality)
    return found


def _count_unlisted(overview: UsageOverview, catalogue: Catalogue) -> int:
    """Count the sessions that are counted, but not in lists."""
    sessions = (catalogue.by_id.get(row.key) for row in overview.by_session.rows)
    return sum(1 for one in sessions if one is None or not one.is_talk or one.is_hidden)
