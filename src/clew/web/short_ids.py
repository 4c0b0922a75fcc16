"""Addresses with the beginning of a session's id: pages move to the whole one, the API takes it."""

import asyncio
from typing import Any, Final
from urllib.parse import quote

from litestar import Request, Response

from clew.errors import SessionNotFoundError
from clew.render.site import APP
from clew.web.params import require_id
from clew.web.state import cache_of

_FOUND: Final = 302
_NAME: Final = "session_id"
_UUID_LENGTH: Final = 36


async def complete_id(request: Request[Any, Any, Any]) -> Response[bytes] | None:
    """Let a request name the session of its path by the beginning of an id.

    What is deleted must be named in full.

    Raises:
        SessionNotFoundError: Several sessions have such an id.
    """
    params = request.scope["path_params"]
    name = params.get(_NAME, "")
    if not name or len(name) >= _UUID_LENGTH or request.method == "DELETE":
        return None
    try:
        found = await asyncio.to_thread(cache_of(request).full_id, require_id(name))
    except SessionNotFoundError as error:
        if error.matches:
            raise
        # The rest of the request is checked first.
        return None
    if found == name:
        return None
    path = request.url.path
    start = f"{APP.sessions}/{name}"
    if path.startswith(start):
        query = f"?{request.url.query}" if request.url.query else ""
        address = f"{APP.session(found)}{quote(path.removeprefix(start))}{query}"
        return Response(b"", status_code=_FOUND, headers={"location": address})
    request.scope["path_params"] = {**params, _NAME: found}
    return None
