"""A session that a link shows: its page, its sections and lines, and nothing else."""
# mypy: disable-error-code="explicit-override"
# `typing.override` comes with Python 3.12.

import asyncio
import threading
from collections import OrderedDict
from typing import Any, Final

import msgspec
from litestar import Request, Router, get

from clew.render.site import SiteUrls
from clew.server.audit_reads import ReadLog
from clew.server.requests import team_of
from clew.server.sharing import SharedSession, find_shared_session
from clew.server.viewer_archive import SeenSession, ViewerArchive
from clew.store.postgres_location import PostgresLocation
from clew.web.cache import ArchiveCache, Catalogue, SessionLinks
from clew.web.pages.session import (
    find_part,
    frame_part,
    lines_part,
    run_page,
    section_part,
    session_page,
)
from clew.web.settings import CacheLimits, Settings

_URLS: Final = SiteUrls(sessions="", search="", usage="", session_prefix="/shared/")
_PARTS: Final = {
    "": session_page,
    "/sections/{number:int}": section_part,
    "/frame": frame_part,
    "/find": find_part,
    "/lines": lines_part,
    "/runs/{run_id:str}": run_page,
}
_LIMITS: Final = CacheLimits(sessions=4_000_000, responses=1_000_000, shapes=0)
_MOST_LINKS: Final = 16


class SharedArchive(ViewerArchive):
    """An archive with one session, which is called by the token of a link."""

    def __init__(self, location: PostgresLocation, link: SharedSession, token: str) -> None:
        super().__init__(location)
        self._link = link
        self._token = token

    def named(self, name: str) -> list[SeenSession]:
        """Return the session, if that is what is asked for."""
        if name != self._token:
            return []
        found = self.of_id(self._link.session_id)
        return [one for one in found if one.owner == self._link.owner]

    def session_version(self, session_id: str) -> str:
        """Return a text that changes with the session."""
        found = self.find(session_id)
        return f"{found.address}-{self.of_owner(found.owner).session_version(found.id)}"


class SharedCache(ArchiveCache):
    """What is made of one session for all who have a link to it."""

    urls = _URLS

    def __init__(
        self, location: PostgresLocation, link: SharedSession, token: str, log: ReadLog
    ) -> None:
        self.viewer = f"link:{link.id}:{link.scope_id}"
        self._location = msgspec.structs.replace(location, scopes=(link.scope_id,))
        self._link = link
        self._token = token
        self._log = log
        super().__init__(Settings(location=self._location, is_followed=False, cache=_LIMITS))

    def open(self) -> SharedArchive:
        """Open the archive."""
        return SharedArchive(self._location, self._link, self._token)

    def page_links(self, session_id: str) -> SessionLinks:
        """Return whose session it is."""
        del session_id
        return SessionLinks(self._link.member, self._link.member)

    def catalogue(self) -> Catalogue:
        """Return an empty list: a link leads to no other session."""
        return Catalogue("", (), {})

    def session_version(self, session_id: str) -> str:
        """Return a text that changes with the session; note that it is read."""
        version = super().session_version(session_id)
        self._log.note_link(self._link)
        return version


class SharedCaches:
    """The caches of the links that were used last."""

    def __init__(self, location: PostgresLocation, log: ReadLog) -> None:
        self._location = location
        self._log = log
        self._caches: OrderedDict[tuple[int, int], SharedCache] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, link: SharedSession, token: str) -> SharedCache:
        """Return the cache of a link, as long as its session is in the same scope."""
        key = (link.id, link.scope_id)
        with self._lock:
            if key not in self._caches:
                self._caches[key] = SharedCache(self._location, link, token, self._log)
            self._caches.move_to_end(key)
            while len(self._caches) > _MOST_LINKS:
                self._caches.popitem(last=False)
            return self._caches[key]

    def drop_idle_sessions(self) -> None:
        """Free the memory of sessions that nobody has read for some seconds."""
        with self._lock:
            caches = list(self._caches.values())
        for cache in caches:
            cache.drop_idle_sessions()


async def attach_shared(request: Request[Any, Any, Any]) -> None:
    """Give a request the cache of its link, which is looked up every time.

    Raises:
        LinkOverError: The link can no longer be used.
    """
    await asyncio.to_thread(_attach, request, request.path_params["session_id"])


def _attach(request: Request[Any, Any, Any], token: str) -> None:
    caches: SharedCaches = request.app.state.shared_caches
    with team_of(request) as team:
        link = find_shared_session(team, token)
    request.scope["state"]["cache"] = caches.of(link, token)


def shared_router() -> Router:
    """Make the routes below a link: those of a session's page."""
    return Router(
        "/shared/{session_id:str}",
        route_handlers=[
            get(path, sync_to_thread=True, include_in_schema=False)(part.fn)
            for path, part in _PARTS.items()
        ],
        before_request=attach_shared,
    )
