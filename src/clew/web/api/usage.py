"""Usage: tokens and cost by day, model, project and more."""

from typing import Annotated

from litestar import Response
from litestar.params import QueryParameter

from clew.analytics import GROUPS, CacheReport, UsageReport
from clew.errors import UsageError
from clew.web.api.routes import json_route
from clew.web.params import TheFilters, Zone, read_zone
from clew.web.responses import AppRequest, respond_json
from clew.web.state import cache_of

By = Annotated[str, QueryParameter(max_length=20, description=f"One of {', '.join(GROUPS)}.")]


@json_route("/api/usage", "usage", "usage", UsageReport, "Tokens and cost")
def usage(
    request: AppRequest, filters: TheFilters, by: By = "day", tz: Zone = None
) -> Response[bytes]:
    """Count tokens and cost; costs are API-equivalent estimates."""
    if by not in GROUPS:
        raise UsageError(f"cannot group by {by!r}; use one of {', '.join(GROUPS)}")
    zone, cache = read_zone(tz), cache_of(request)
    return respond_json(
        request, cache, cache.catalogue_version(), lambda: cache.archive.usage(filters, by, zone)
    )


@json_route("/api/usage/cache", "cacheUsage", "usage", CacheReport, "Cost of cache breaks")
def cache_usage(request: AppRequest, filters: TheFilters, tz: Zone = None) -> Response[bytes]:
    """Count what cache breaks cost, by cause, project and week."""
    zone, cache = read_zone(tz), cache_of(request)
    return respond_json(
        request, cache, cache.catalogue_version(), lambda: cache.archive.cache_usage(filters, zone)
    )
