"""Usage: tokens and cost, by whatever is asked."""

from typing import Annotated

from litestar import Response, get
from litestar.params import QueryParameter

from clew.analytics import GROUPS, UsageReport
from clew.errors import UsageError
from clew.web.answers import Asked, answer_json
from clew.web.api.shapes import told
from clew.web.asked import TheFilters, Zone, read_zone
from clew.web.state import shelf_of

By = Annotated[str, QueryParameter(max_length=20, description=f"One of {', '.join(GROUPS)}.")]


@get(
    "/api/usage",
    sync_to_thread=True,
    tags=["usage"],
    operation_id="usage",
    responses=told(UsageReport, "Tokens and cost"),
)
def usage(
    request: Asked,
    filters: TheFilters,
    by: By = "day",
    tz: Zone = None,
) -> Response[bytes]:
    """Count tokens and cost; costs are API-equivalent estimates."""
    if by not in GROUPS:
        raise UsageError(f"there is no {by!r} to count by; it is one of {', '.join(GROUPS)}")
    zone, shelf = read_zone(tz), shelf_of(request)
    return answer_json(
        request, shelf, shelf.held_version(), lambda: shelf.archive.usage(filters, by, zone)
    )
