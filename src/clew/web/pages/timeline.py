"""A session as a timeline with swim lanes."""

from typing import Annotated

from litestar import Response, get
from litestar.params import QueryParameter

from clew.render.site import TimelinePage, render_timeline
from clew.view import make_timeline
from clew.web.page_response import respond_page, session_shell
from clew.web.params import Id
from clew.web.responses import AppRequest
from clew.web.session_cache import OpenSession
from clew.web.state import session_of

Zoom = Annotated[int, QueryParameter(ge=1, le=16)]


@get("/sessions/{session_id:str}/timeline", sync_to_thread=True, include_in_schema=False)
def timeline_page(request: AppRequest, session_id: Id, zoom: Zoom = 1) -> Response[bytes]:
    """Show a session over time."""
    cache, version = session_of(request, session_id)

    def make(session: OpenSession) -> str:
        conversation = session.index.conversation
        page = TimelinePage(
            session_id=session_id,
            title=conversation.session.title or "(no title)",
            timeline=make_timeline(conversation),
            duration_ms=conversation.session.duration_ms,
            zoom=zoom,
            address=f"{cache.urls.session(session_id)}/timeline",
        )
        return render_timeline(page, session_shell(request, cache, session, "timeline"))

    return respond_page(
        request, cache, version, lambda: cache.with_session(session_id, version, make)
    )
