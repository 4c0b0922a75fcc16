"""State: what all requests of one app share."""

from typing import Any

from litestar.connection import ASGIConnection

from clew.web.asked import require_id
from clew.web.live import Live
from clew.web.shelf import Shelf


def shelf_of(request: ASGIConnection[Any, Any, Any, Any]) -> Shelf:
    """Give the shelf of the app that is asked."""
    shelf: Shelf = request.app.state.shelf
    return shelf


def session_of(request: ASGIConnection[Any, Any, Any, Any], session_id: str) -> tuple[Shelf, str]:
    """Give the shelf with a session on it, and a word that changes whenever more is kept of it.

    Raises:
        SessionNotFoundError: There is none of that id.
    """
    shelf = shelf_of(request)
    return shelf, shelf.session_version(require_id(session_id))


def live_of(request: ASGIConnection[Any, Any, Any, Any]) -> Live:
    """Give the follower of the app that is asked."""
    live: Live = request.app.state.live
    return live


def nonce_of(request: ASGIConnection[Any, Any, Any, Any]) -> str:
    """Give the word that scripts and styles of this answer must carry."""
    nonce: str = request.scope["state"]["nonce"]
    return nonce
