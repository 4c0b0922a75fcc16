"""What all requests of one app share, or those of one viewer where an app has several."""

from typing import Any

from litestar.connection import ASGIConnection

from clew.render.site import AccountLinks
from clew.web.cache import ArchiveCache
from clew.web.live import Live
from clew.web.params import require_id


def cache_of(request: ASGIConnection[Any, Any, Any, Any]) -> ArchiveCache:
    """Return the cache of the viewer, or the one that all requests share."""
    cache: ArchiveCache = request.scope["state"].get("cache") or request.app.state.cache
    return cache


def session_of(
    request: ASGIConnection[Any, Any, Any, Any], session_id: str
) -> tuple[ArchiveCache, str]:
    """Return the cache, and the version of a session in the archive or on disk.

    Raises:
        SessionNotFoundError: There is no session with this id.
    """
    cache = cache_of(request)
    return cache, cache.session_version(require_id(session_id))


def session_named(
    request: ASGIConnection[Any, Any, Any, Any], name: str
) -> tuple[ArchiveCache, str, str]:
    """Return the cache, and id and version of the session of an id or the beginning of one.

    Raises:
        SessionNotFoundError: There is no session with this id, or several.
    """
    cache = cache_of(request)
    session_id = cache.full_id(require_id(name))
    return cache, session_id, cache.session_version(session_id)


def archived_session_of(
    request: ASGIConnection[Any, Any, Any, Any], session_id: str
) -> tuple[ArchiveCache, str]:
    """Return the cache, and the version of a session in the archive.

    Raises:
        NotArchivedYetError: The session is only on disk so far.
        SessionNotFoundError: There is no session with this id.
    """
    cache, version = session_of(request, session_id)
    cache.require_archived(session_id)
    return cache, version


def live_of(request: ASGIConnection[Any, Any, Any, Any]) -> Live:
    """Return the live updates of the viewer, or those that all requests share."""
    live: Live = request.scope["state"].get("live") or request.app.state.live
    return live


def account_of(request: ASGIConnection[Any, Any, Any, Any]) -> AccountLinks | None:
    """Return who is signed in, where an app has several users."""
    account: AccountLinks | None = request.scope["state"].get("account")
    return account


def has_tabs(request: ASGIConnection[Any, Any, Any, Any]) -> bool:
    """Return whether whoever makes a request may open the app's pages."""
    found: bool = request.scope["state"].get("has_tabs", True)
    return found


def nonce_of(request: ASGIConnection[Any, Any, Any, Any]) -> str:
    """Return the nonce that scripts and styles of this response must have."""
    nonce: str = request.scope["state"]["nonce"]
    return nonce
