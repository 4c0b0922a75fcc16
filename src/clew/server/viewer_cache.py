"""One viewer's cache of the archive: nothing in it comes from a request of anybody else."""
# mypy: disable-error-code="explicit-override"
# `typing.override` comes with Python 3.12.

import datetime as dt
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Final, TypeVar

from litestar.connection import ASGIConnection

from clew.analytics import FilterSet
from clew.archive import EVERYTHING, Order
from clew.search import Results
from clew.server.audit_reads import FOUND, LISTED, ReadLog
from clew.server.principal import Principal
from clew.server.viewer_archive import SeenSession, ViewerArchive
from clew.store import ArchivedFile, SessionOverview
from clew.store.postgres_location import PostgresLocation
from clew.web.cache import READ, ArchiveCache, Catalogue, SessionLinks
from clew.web.settings import CacheLimits, Settings
from clew.web.state import cache_of

T = TypeVar("T")
# Such a URL works whatever is revoked meanwhile.
_URL_SECONDS: Final = 60
_LISTED_SECONDS: Final = 60


def viewer_cache_of(request: ASGIConnection[Any, Any, Any, Any]) -> "ViewerCache":
    """Return the cache of the member who makes a request."""
    cache = cache_of(request)
    if not isinstance(cache, ViewerCache):
        raise TypeError("requests of a server have a viewer's cache")
    return cache


class ViewerCatalogue(Catalogue, frozen=True):
    """All sessions that a viewer sees, and whose each of them is."""

    seen: dict[str, SeenSession]


class AuditedArchive(ViewerArchive):
    """A viewer's archive, in which it is noted whose sessions a search has shown."""

    def __init__(self, location: PostgresLocation, principal: Principal, log: ReadLog) -> None:
        super().__init__(location)
        self._principal = principal
        self._log = log

    def search(
        self,
        text: str,
        *,
        now: dt.datetime | None = None,
        limit: int = 20,
        offset: int = 0,
        with_hidden: bool = False,
        filters: FilterSet = EVERYTHING,
    ) -> Results:
        """Find a query's words, and note whose sessions they are in.

        Raises:
            QueryError: The query cannot be read; it points at the character.
        """
        found = super().search(
            text, now=now, limit=limit, offset=offset, with_hidden=with_hidden, filters=filters
        )
        for name in {hit.session_id for hit in found.hits}:
            for one in self.of_id(name):
                self._log.note(self._principal, FOUND, one.owner, one.id)
        return found


class ViewerCache(ArchiveCache):
    """The archive as one viewer sees it, and what was made of it for them.

    Every request checks whether anybody has written, so that what is no longer shared is gone at
    once.
    """

    blobs_url = ""

    def __init__(
        self,
        location: PostgresLocation,
        principal: Principal,
        log: ReadLog,
        limits: CacheLimits,
        long_session: AbstractContextManager[bool],
    ) -> None:
        self.location = location
        self.principal = principal
        scopes = ",".join(map(str, location.scopes or ()))
        self.viewer = f"{principal.member_id}:{principal.role}:{scopes}"
        self._log = log
        self._reading = threading.Lock()
        self._listed: ViewerCatalogue | None = None
        self._changes = -1
        self._versions: dict[int, dict[SeenSession, str]] = {}
        super().__init__(Settings(location=location, is_followed=False, cache=limits), long_session)

    def open(self) -> AuditedArchive:
        """Open the archive."""
        return AuditedArchive(self.location, self.principal, self._log)

    @property
    def viewed(self) -> ViewerArchive:
        """The archive, opened once for each thread."""
        archive = self.archive
        if not isinstance(archive, ViewerArchive):
            raise TypeError("a viewer's cache opens a viewer's archive")
        return archive

    def catalogue(self) -> ViewerCatalogue:
        """Return all sessions as they are now."""
        with self._reading:
            changes = self.viewed.changes()
            if self._listed is None or changes != self._changes:
                self._listed = self._refreshed(self._listed)
                self._changes = changes
            return self._listed

    def _refreshed(self, known: ViewerCatalogue | None) -> ViewerCatalogue:
        version = self.version()
        if known is not None and known.version == version:
            return known
        archive = self.viewed
        with archive.snapshot():
            keyed = archive.keyed_sessions(order=Order(with_hidden=True))
            seen = archive.seen()
        return ViewerCatalogue(
            version,
            tuple(keyed.values()),
            {session.id: session for session in keyed.values()},
            {session.id: seen[key] for key, session in keyed.items()},
        )

    @property
    def size(self) -> int:
        """How many sessions are in memory."""
        return 0 if self._listed is None else len(self._listed.sessions)

    def session_version(self, session_id: str) -> str:
        """Return a text that changes with a session; note that it is read.

        Raises:
            SessionNotFoundError: The viewer sees no such session.
            AmbiguousSessionError: They see several of this id.
        """
        found = self.viewed.find(session_id)
        self._log.note(self.principal, READ, found.owner, found.id)
        return self.viewed.session_version(found.address)

    def sealed_url(self, file: ArchivedFile) -> str | None:
        """Return a URL of a file in a bucket, which works for a minute."""
        return self.viewed.sealed_url(file, _URL_SECONDS, self.blobs_url)

    def page_links(self, session_id: str) -> SessionLinks:
        """Return whose session it is, and for its owner where to share it."""
        seen = self.viewed.find(session_id)
        member = self.overview(session_id).member or ""
        if seen.owner != self.principal.member_id:
            return SessionLinks(member, member)
        return SessionLinks(member, "", (("Share", f"{self.urls.session(session_id)}/share"),))

    def note(self, session_id: str, action: str) -> None:
        """Note that a session is read in a particular way."""
        found = self.viewed.find(session_id)
        self._log.note(self.principal, action, found.owner, found.id)

    def note_listed(self, session_ids: Iterable[str]) -> None:
        """Note that a list shows something out of sessions: tool calls, or agent runs."""
        for name in set(session_ids):
            for one in self.viewed.named(name):
                self._log.note(self.principal, LISTED, one.owner, one.id)

    def listed_version(self) -> str:
        """Return a text that changes every minute: what is cached for longer is not noted."""
        return f"{self.catalogue_version()}-{int(time.time() // _LISTED_SECONDS)}"

    def overview(self, session_id: str) -> SessionOverview:
        """Return what lists show of a session.

        Raises:
            SessionNotFoundError: The viewer sees no such session.
            AmbiguousSessionError: They see several of this id.
        """
        seen = self.viewed.find(session_id)
        listed = self.catalogue().by_id
        found = listed.get(seen.address) or listed.get(seen.id)
        if found is not None:
            return found
        order = Order(with_hidden=True)
        return self.viewed.keyed_sessions(FilterSet(session=seen.id), order)[seen.key]

    def session_filter(self, session_id: str) -> FilterSet:
        """Return the filters that only one session matches."""
        found = self.overview(session_id)
        return FilterSet(session=self.viewed.find(session_id).id, member=found.member or None)

    def get_or_make(
        self, key: Hashable, version: str, make: Callable[[], T], *, allow_stale: bool = False
    ) -> T:
        """Return the cached item of this version, or make it; nobody gets an earlier one."""
        del allow_stale
        return super().get_or_make(key, version, make)

    def changed_names(self, owners: Iterable[int]) -> Iterator[str]:
        """Return what the changed sessions of some owners are called, as far as they are seen."""
        for owner in owners:
            known = self._versions.get(owner, {})
            found = self._versions[owner] = self.viewed.versions_of_owner(owner)
            for one in {**known, **found}:
                if known.get(one) != found.get(one):
                    yield from (one.id, one.address)
