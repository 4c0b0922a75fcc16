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
from clew.notes import SessionNote
from clew.search import Results
from clew.server.audit_reads import FOUND, LISTED, ReadLog
from clew.server.principal import Principal
from clew.server.viewer_archive import SeenSession, ViewerArchive
from clew.server.viewer_catalogue import CatalogueReader, SharedLists, ViewerCatalogue
from clew.server.written import WriteMarks
from clew.store import ArchivedFile, SessionOverview
from clew.store.postgres_location import PostgresLocation
from clew.view import PageIndex, make_index
from clew.web.cache import READ, ArchiveCache, SessionLinks, Shapes
from clew.web.session_cache import OpenSession, SessionCache, SessionShelf
from clew.web.settings import CacheLimits, Settings
from clew.web.state import cache_of

T = TypeVar("T")
# Such a URL works whatever is revoked meanwhile.
_URL_SECONDS: Final = 60
_LISTED_SECONDS: Final = 60
# How the version of a session ends of which the viewer has no note.
_NO_NOTE: Final = "0"


def viewer_cache_of(request: ASGIConnection[Any, Any, Any, Any]) -> "ViewerCache":
    """Return the cache of the member who makes a request."""
    cache = cache_of(request)
    if not isinstance(cache, ViewerCache):
        raise TypeError("requests of a server have a viewer's cache")
    return cache


class SharedByViewers:
    """What viewers have in common who see the same: lists, sessions that are built, and shapes."""

    def __init__(self, session_bytes: int, shape_bytes: int) -> None:
        self.lists = SharedLists()
        self.shelf = SessionShelf(session_bytes)
        self.shapes = Shapes(shape_bytes)


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
        seen = self.of_ids({hit.session_id for hit in found.hits})
        self._log.note_all(self._principal, FOUND, [(one.owner, one.id) for one in seen])
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
        shared: SharedByViewers | None = None,
    ) -> None:
        self.location = location
        self.principal = principal
        scopes = ",".join(map(str, location.scopes or ()))
        self.viewer = f"{principal.member_id}:{principal.role}:{scopes}"
        self._log = log
        self._reading = threading.Lock()
        self._catalogues = CatalogueReader(shared.lists if shared else None)
        self.written: WriteMarks | None = None
        self._learned_at = 0.0
        self._common_for: tuple[tuple[int, ...], str] = (), ""
        self._versions: dict[int, dict[SeenSession, str]] = {}
        super().__init__(Settings(location=location, is_followed=False, cache=limits), long_session)
        self._common: SessionCache | None = None
        if shared is not None:
            self._shapes = shared.shapes
            self._common = SessionCache(
                limits,
                self._build_common,
                self._size_of,
                self._open_session,
                long_session,
                shared.shelf,
                self._common_key,
            )

    @property
    def size_bytes(self) -> int:
        """How much memory takes what only this viewer has, as an estimate."""
        return self._sessions.size_bytes + self._responses.size_bytes

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

    def learn(self, written: WriteMarks, asked_at: float) -> None:
        """Learn what had been written when a request asked for it.

        Of requests at the same time, the one that asked last knows best.
        """
        with self._reading:
            if asked_at >= self._learned_at:
                self.written, self._learned_at = written, asked_at
                self._common_for = written.scopes, written.marks

    def catalogue(self) -> ViewerCatalogue:
        """Return all sessions as they are now, or were when the present request was made."""
        with self._reading:
            return self._catalogues.read(self.viewed, self.written)

    def invalidate_catalogue(self, *, is_archiving: bool = False) -> None:
        """Look again what has been written: the present request has written itself."""
        del is_archiving
        with self._reading:
            self.written = None

    @property
    def listed(self) -> ViewerCatalogue | None:
        """The sessions that are in memory."""
        return self._catalogues.listed

    def session_version(self, session_id: str) -> str:
        """Return a text that changes with a session; note that it is read.

        Raises:
            SessionNotFoundError: The viewer sees no such session.
            AmbiguousSessionError: They see several of this id.
        """
        found = self.viewed.find(session_id)
        self._log.note(self.principal, READ, found.owner, found.id)
        known = self.catalogue().versions.get(found)
        version = known or self.viewed.of_owner(found.owner).session_version(found.id)
        return f"{found.address}-{found.scope_id}-{version}"

    def require_session(self, session_id: str) -> None:
        """Make sure that the viewer sees a session.

        Raises:
            SessionNotFoundError: The viewer sees no such session.
            AmbiguousSessionError: They see several of this id.
        """
        self.viewed.find(session_id)

    def sealed_url(self, file: ArchivedFile) -> str | None:
        """Return a URL of a file in a bucket, which works for a minute."""
        return self.viewed.sealed_url(file, _URL_SECONDS, self.blobs_url)

    def page_links(self, session_id: str) -> SessionLinks:
        """Return whose session it is, and for its owner where to share it."""
        seen = self._find(session_id)
        member = self.overview(session_id).member or ""
        if seen.owner != self.principal.member_id:
            return SessionLinks(member, member)
        return SessionLinks(member, "", (("Share", f"{self.urls.session(session_id)}/share"),))

    def note(self, session_id: str, action: str) -> None:
        """Note that a session is read in a particular way."""
        found = self._find(session_id)
        self._log.note(self.principal, action, found.owner, found.id)

    def note_listed(self, session_ids: Iterable[str]) -> None:
        """Note that a list shows something out of sessions: tool calls, or agent runs."""
        seen = self.viewed.all_named(session_ids)
        self._log.note_all(self.principal, LISTED, [(one.owner, one.id) for one in seen])

    def note_titles(self, session_ids: Iterable[str]) -> None:
        """Note whose sessions a list names: a line for each member, however many they are."""
        names = set(session_ids)
        listed = self._catalogues.listed
        known = {} if listed is None else listed.seen
        seen = [known[name] for name in names & known.keys()]
        missing = names - known.keys()
        if missing:
            seen += self.viewed.all_named(missing)
        self._log.note_titles(self.principal, {one.owner for one in seen})

    def listed_version(self, version: str = "") -> str:
        """Return a text that changes every minute: what is cached for longer is not noted."""
        return f"{super().listed_version(version)}-{int(time.time() // _LISTED_SECONDS)}"

    def overview(self, session_id: str) -> SessionOverview:
        """Return what lists show of a session.

        Raises:
            SessionNotFoundError: The viewer sees no such session.
            AmbiguousSessionError: They see several of this id.
        """
        seen = self._find(session_id)
        listed = self.catalogue().by_id
        found = listed.get(seen.address) or listed.get(seen.id)
        if found is not None:
            return found
        order = Order(with_hidden=True)
        return self.viewed.keyed_sessions(FilterSet(session=seen.id), order)[seen.key]

    def session_filter(self, session_id: str) -> FilterSet:
        """Return the filters that only one session matches."""
        found = self.overview(session_id)
        return FilterSet(session=self._find(session_id).id, member=found.member or None)

    def is_archived(self, session_id: str) -> bool:
        """Return whether the viewer sees a session: all that they see are archived."""
        return session_id in self.catalogue().seen or super().is_archived(session_id)

    def with_session(self, session_id: str, version: str, make: Callable[[OpenSession], T]) -> T:
        """Return what `make` makes of a session, which is built for all who see the same of it.

        Raises:
            SessionNotFoundError: The viewer sees no such session.
            AmbiguousSessionError: They see several of this id.
        """
        common = self._common if self._is_common(session_id, version) else None
        return (common or self._sessions).use(session_id, version, make)

    def drop_idle_sessions(self) -> None:
        """Free the memory of sessions that nobody has read for some seconds."""
        super().drop_idle_sessions()
        if self._common is not None:
            self._common.drop_idle()

    def _is_common(self, session_id: str, version: str) -> bool:
        """Return whether a session is another member's, and has nothing of the viewer's own."""
        owner, written = self._find(session_id).owner, self.written
        has_note = version.rpartition("-")[2] != _NO_NOTE
        return not (
            has_note
            or written is None
            or owner == self.principal.member_id
            or owner in written.notes
        )

    def _common_key(self, session_id: str) -> Hashable:
        """Return for whom a session is built the same: it tells of others that they see."""
        return self._find(session_id), session_id, self._common_for

    def _build_common(self, session_id: str) -> PageIndex:
        """Build a session as somebody sees it who has the scopes of the key, and no notes."""
        scopes, _ = self._common_for
        with self.viewed.impersonal(scopes) as archive:
            conversation = archive.conversation(session_id)
            digest = archive.kept_digest(session_id, conversation)
        return make_index(conversation, digest, SessionNote(session_id=conversation.session.id))

    def _shape_key(self, session_id: str) -> Hashable:
        """Return a session as the server knows it: its activity is the same for all who see it."""
        return self._find(session_id)

    def _size_of(self, session_id: str) -> int:
        """Return how many bytes the transcripts of a session have."""
        return self.overview(session_id).size_bytes

    def _find(self, session_id: str) -> SeenSession:
        """Return a session that the viewer sees, from the list of all unless it is ambiguous."""
        return self.catalogue().seen.get(session_id) or self.viewed.find(session_id)

    def get_or_make(
        self, key: Hashable, version: str, make: Callable[[], T], *, allow_stale: bool = False
    ) -> T:
        """Return the cached item of this version, or make it; nobody gets an earlier one."""
        del allow_stale
        return super().get_or_make(key, version, make)

    def changed_names(self, owners: Iterable[int]) -> Iterator[str]:
        """Return what the changed sessions of some owners are called, as far as they are seen."""
        found_by_owner = self.viewed.versions_of_owners(list(owners))
        for owner, found in found_by_owner.items():
            known = self._versions.get(owner, {})
            self._versions[owner] = found
            for one in {**known, **found}:
                if known.get(one) != found.get(one):
                    yield from (one.id, one.address)
