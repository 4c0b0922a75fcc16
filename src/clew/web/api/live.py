"""What is running: the state of each session that grew lately."""

import datetime as dt

import msgspec
from litestar import Response

from clew.web.api.routes import json_route
from clew.web.live_sessions import LiveList, find_live
from clew.web.responses import AppRequest, respond_uncached
from clew.web.state import cache_of


@json_route("/api/live", "live", "sessions", LiveList, "Running sessions")
def live_sessions(request: AppRequest) -> Response[bytes]:
    """List sessions that grew in the last two hours, with what they do, wait for and cost."""
    found = find_live(cache_of(request), dt.datetime.now(dt.UTC))
    return respond_uncached(request, msgspec.json.encode(found))
