"""Server-sent events about changes."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec
from litestar import get
from litestar.response import ServerSentEvent
from litestar.response.sse import ServerSentEventMessage

from clew.web.live import Live
from clew.web.params import Id, require_id
from clew.web.responses import AppRequest
from clew.web.state import live_of


@get("/api/events", tags=["events"], operation_id="events")
async def events(request: AppRequest) -> ServerSentEvent:
    """Stream all changes: `change` events with the ids of sessions that grew."""
    return ServerSentEvent(_stream(live_of(request), None))


@get("/api/sessions/{session_id:str}/events", tags=["events"], operation_id="sessionEvents")
async def session_events(request: AppRequest, session_id: Id) -> ServerSentEvent:
    """Stream the changes of one session."""
    return ServerSentEvent(_stream(live_of(request), require_id(session_id)))


async def _stream(live: Live, session_id: str | None) -> AsyncIterator[Any]:
    # An immediate event tells the client that it is connected.
    yield ServerSentEventMessage(event="ready", data="{}")
    async for change in live.listen():
        if change is None:
            yield ServerSentEventMessage(comment="still here")
        elif session_id is None or session_id in change.sessions:
            yield ServerSentEventMessage(event="change", data=msgspec.json.encode(change).decode())
