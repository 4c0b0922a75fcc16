"""Server-sent events about changes."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec
from litestar import get
from litestar.response import ServerSentEvent
from litestar.response.sse import ServerSentEventMessage

from clew.web.follower_messages import Change
from clew.web.live import ArchivingProgress, Live
from clew.web.params import Id, require_id
from clew.web.responses import AppRequest
from clew.web.state import cache_of, live_of


@get("/api/events", tags=["events"], operation_id="events")
async def events(request: AppRequest) -> ServerSentEvent:
    """Stream `change` events with the ids of sessions that grew, and the `progress` of syncs."""
    return ServerSentEvent(_stream(live_of(request), None))


@get("/api/sessions/{session_id:str}/events", tags=["events"], operation_id="sessionEvents")
async def session_events(request: AppRequest, session_id: Id) -> ServerSentEvent:
    """Stream the changes of one session.

    Raises:
        SessionNotFoundError: There is no such session, or none that the reader may see.
    """
    await asyncio.to_thread(cache_of(request).require_session, require_id(session_id))
    return ServerSentEvent(_stream(live_of(request), session_id))


async def _stream(live: Live, session_id: str | None) -> AsyncIterator[Any]:
    # An immediate event tells the client that it is connected.
    yield ServerSentEventMessage(event="ready", data="{}")
    if session_id is None:
        yield _event("progress", ArchivingProgress(live.archiving))
    async for news in live.listen():
        match news:
            case None:
                yield ServerSentEventMessage(comment="still here")
            case ArchivingProgress() if session_id is None:
                yield _event("progress", news)
            case Change() if session_id is None or session_id in news.sessions:
                yield _event("change", news)


def _event(name: str, data: object) -> ServerSentEventMessage:
    return ServerSentEventMessage(event=name, data=msgspec.json.encode(data).decode())
