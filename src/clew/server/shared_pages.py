"""A session that a link shows: its page, its sections and lines, and nothing else."""
# mypy: disable-error-code="explicit-override"
# `typing.override` comes with Python 3.12.

import asyncio
import datetime as dt
import threading
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any, Final, TypeVar

import msgspec
from litestar import Request, Router, get
from litestar.exceptions import NotFoundException

from clew.conversation import Material
from clew.errors import NotFoundError
from clew.export import learn_session
from clew.redact import redact_tree
from clew.render.site import SiteUrls
from clew.server.audit_reads import ReadLog
from clew.server.requests import team_of
from clew.server.sharing import SharedSession, find_shared_session
from clew.server.viewer_archive import SeenSession, ViewerArchive
from clew.store.postgres_location import PostgresLocation
from clew.view import PageIndex
from clew.web.cache import ArchiveCache, Catalogue, SessionLinks
from clew.web.pages.session import (
    find_part,
    frame_part,
    lines_part,
    run_page,
    section_part,
    session_page,
)
from clew.web.session_cache import OpenSession
from clew.web.settings import CacheLimits, Settings

T = TypeVar("T")
_URLS: Final = SiteUrls(sessions="", search="", usage="", session_prefix="/shared/")
_PARTS: Final = {
    "": session_page,
    "/sections/{number:int}": section_part,
    "/frame": frame_part,
    "/find": find_part,
    "/lines": lines_part,
    "/runs/{run_id:str}": run_page,
}
# Only these are drawn of what is masked: a link that masks has no other route.
_MASKED_PARTS: Final = frozenset(_PARTS) - {"/lines"}
_MASKS: Final = "masks"
_LIMITS: Final = CacheLimits(sessions=4_000_000, responses=1_000_000, shapes=0)
_MOST_LINKS: Final = 16


class SharedArchive(ViewerArchive):
    """An archive with one session, which is called by the token of a link."""

    def __init__(self, location: PostgresLocation, link: SharedSession, token: str) -> None:
        super().__init__(location)
        self._link = link
        self._token = token

    def all_named(self, names: Iterable[str]) -> list[SeenSession]:
        """Return the session, if that is what is asked for."""
        if self._token not in names:
            return []
        found = self.of_ids([self._link.session_id])
        return [one for one in found if one.owner == self._link.owner]

    def session_version(self, session_id: str) -> str:
        """Return a text that changes with the session."""
        found = self.find(session_id)
        return f"{found.address}-{self.of_owner(found.owner).session_version(found.id)}"


class MaskedSession(OpenSession):
    """A session that is built, of which readers see marks in place of what may be secret."""

    def __init__(self, session: OpenSession) -> None:
        super().__init__(
            session.id, session.index, session.urls, session.author, session.note_reason
        )
        self._redactor = learn_session(session.index.conversation)
        # The redactor remembers what it finds, and several threads draw pieces of a page.
        self._masking = threading.Lock()

    def mask(self, value: T) -> T:
        """Return a part of the page without what may be secret."""
        with self._masking:
            return redact_tree(value, self._redactor)


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
        link = self._link
        until = link.expires_at.astimezone(dt.UTC).isoformat(timespec="seconds")
        return SessionLinks(link.member, link.member, shared_until=until, is_masked=link.is_masked)

    def read_line(self, session_id: str, file: str, offset: int) -> str:
        """Return a line of the transcript, unless the link masks.

        Raises:
            NotFoundError: The session has no such file, or its link shows no lines.
        """
        self._require_unmasked()
        return super().read_line(session_id, file, offset)

    def material(self, session_id: str) -> Material:
        """Read all entries of the session, unless the link masks.

        Raises:
            NotFoundError: The link shows no entries.
        """
        self._require_unmasked()
        return super().material(session_id)

    def _require_unmasked(self) -> None:
        if self._link.is_masked:
            raise NotFoundError("page not found")

    def _open_session(self, session_id: str, index: PageIndex) -> OpenSession:
        session = super()._open_session(session_id, index)
        return MaskedSession(session) if self._link.is_masked else session

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
        NotFoundException: It masks, and what is asked for is not masked.
    """
    await asyncio.to_thread(_attach, request, request.path_params["session_id"])


def _attach(request: Request[Any, Any, Any], token: str) -> None:
    caches: SharedCaches = request.app.state.shared_caches
    with team_of(request) as team:
        link = find_shared_session(team, token)
    if link.is_masked and not request.route_handler.opt[_MASKS]:
        raise NotFoundException
    request.scope["state"]["cache"] = caches.of(link, token)


def shared_router() -> Router:
    """Make the routes below a link: those of a session's page."""
    return Router(
        "/shared/{session_id:str}",
        route_handlers=[
            get(
                path,
                sync_to_thread=True,
                include_in_schema=False,
                opt={_MASKS: path in _MASKED_PARTS},
            )(part.fn)
            for path, part in _PARTS.items()
        ],
        before_request=attach_shared,
    )
