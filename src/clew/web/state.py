"""State: what all requests of one app share."""

from typing import Any

from litestar.connection import ASGIConnection

from clew.web.live import Live
from clew.web.shelf import Shelf


def shelf_of(request: ASGIConnection[Any, Any, Any, Any]) -> Shelf:
    """Give the shelf of the app that is asked."""
    shelf: Shelf = request.app.state.shelf
    return shelf


def live_of(request: ASGIConnection[Any, Any, Any, Any]) -> Live:
    """Give the follower of the app that is asked."""
    live: Live = request.app.state.live
    return live


def nonce_of(request: ASGIConnection[Any, Any, Any, Any]) -> str:
    """Give the word that scripts and styles of this answer must carry."""
    nonce: str = request.scope["state"]["nonce"]
    return nonce
