"""The previous and the next session of a project, for readers without scripts, too."""

import datetime as dt
from collections.abc import Callable
from typing import Annotated, Final

from litestar import Response, get
from litestar.params import QueryParameter

from clew.web.neighbours import Around, Neighbour, find_around
from clew.web.params import Id
from clew.web.responses import AppRequest
from clew.web.state import archived_session_of

_FOUND: Final = 302
_PARTS: Final = ("agents", "changes", "context", "timeline")
Part = Annotated[str, QueryParameter(max_length=20)]


@get("/sessions/{session_id:str}/previous", sync_to_thread=True, include_in_schema=False)
def previous_session(request: AppRequest, session_id: Id, part: Part = "") -> Response[bytes]:
    """Redirect to the session before; the first one has none and stays."""
    return _redirect(request, session_id, part, lambda around: around.previous)


@get("/sessions/{session_id:str}/next", sync_to_thread=True, include_in_schema=False)
def next_session(request: AppRequest, session_id: Id, part: Part = "") -> Response[bytes]:
    """Redirect to the session after; the last one has none and stays."""
    return _redirect(request, session_id, part, lambda around: around.next)


def _redirect(
    request: AppRequest, session_id: str, part: str, choose: Callable[[Around], Neighbour | None]
) -> Response[bytes]:
    cache, _ = archived_session_of(request, session_id)
    found = choose(find_around(cache, session_id, dt.datetime.now(dt.UTC)))
    url = cache.urls.session(session_id) if found is None else found.url
    own = f"/{part}" if part in _PARTS else ""
    return Response(b"", status_code=_FOUND, headers={"location": f"{url}{own}"})
