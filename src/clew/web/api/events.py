"""Events: word of every change, as it happens."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec
from litestar import get
from litestar.response import ServerSentEvent
from litestar.response.sse import ServerSentEventMessage

from clew.web.answers import Asked
from clew.web.asked import Id, require_id
from clew.web.live import Live
from clew.web.state import live_of


@get("/api/events", tags=["events"], operation_id="events")
async def events(request: Asked) -> ServerSentEvent:
    """Tell of every change: `change` events with the sessions of which there is more."""
    return ServerSentEvent(_stream(live_of(request), None))


@get("/api/sessions/{session_id:str}/events", tags=["events"], operation_id="sessionEvents")
async def session_events(request: Asked, session_id: Id) -> ServerSentEvent:
    """Tell of every change of one session."""
    return ServerSentEvent(_stream(live_of(request), require_id(session_id)))


async def _stream(live: Live, session_id: str | None) -> AsyncIterator[Any]:
    # The first word goes out at once, so that the asker knows that it is connected.
    yield ServerSentEventMessage(event="ready", data="{}")
    async for change in live.listen():
        if change is None:
            yield ServerSentEventMessage(comment="still here")
        elif session_id is None or session_id in change.sessions:
            yield ServerSentEventMessage(event="change", data=msgspec.json.encode(change).decode())
