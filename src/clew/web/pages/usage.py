"""Usage: what it all cost, in every way that can be counted."""

import datetime as dt
from typing import Final

import msgspec
from litestar import Response, get

from clew.archive import Filters
from clew.clock import format_time, parse_time
from clew.render.site import UsagePage, render_usage
from clew.render.site.filter_chips import make_chips
from clew.web.answers import Asked, asked_of
from clew.web.asked import TheFilters, Zone, read_zone
from clew.web.drawing import answer_empty, answer_page, shell
from clew.web.state import shelf_of

_FIELDS: Final = ("since", "project", "model")
_ASKED: Final = (*Filters.__struct_fields__, "tz")


@get("/usage", sync_to_thread=True, include_in_schema=False)
def usage_page(request: Asked, filters: TheFilters, tz: Zone = None) -> Response[bytes]:
    """Show cost and tokens."""
    shelf = shelf_of(request)
    if shelf.is_empty:
        return answer_empty(request)
    zone = read_zone(tz)
    now = dt.datetime.now(dt.UTC)
    asked = [pair for pair in asked_of(request) if pair[0] in _ASKED]

    def make() -> str:
        archive = shelf.archive
        page = UsagePage(
            overview=archive.usage_overview(filters, zone, period_before(filters, now)),
            tools=list(archive.tool_stats(filters)),
            labels=archive.session_labels(),
            params=dict(asked),
            filters=filters,
            chips=make_chips("/usage", asked, (*_FIELDS, "tz")),
            extra_params=[pair for pair in asked if pair[0] not in _FIELDS],
        )
        return render_usage(page, shell())

    return answer_page(
        request, shelf, f"{shelf.held_version()}-{now:%Y%m%d%H%M}", make, may_be_old=True
    )


def period_before(filters: Filters, now: dt.datetime) -> Filters | None:
    """Give the same filters for a time as long as the one that is asked for, just before it."""
    start = parse_time(filters.since or "")
    if start is None:
        return None
    end = parse_time(filters.until or "") or now
    try:
        since = format_time(start - (end - start))
    except OverflowError:
        return None
    return msgspec.structs.replace(filters, since=since, until=filters.since)
