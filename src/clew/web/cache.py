"""The archive as many requests read it at once, with a cache of what they have in common.

Each thread has its own database connection. Lists, conversations and pages are cached until the
rows they were made from change, up to the limits of the settings.
"""

import threading
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, TypeAlias, TypeVar

import msgspec

from clew.archive import Archive, FilterSet, NoArchiveError, Order, default_roots, open_archive
from clew.conversation import Conversation, Material
from clew.digest import SessionDigest
from clew.errors import ClewError, NotFoundError, SessionNotFoundError
from clew.notes import SessionNote
from clew.render.site import APP
from clew.sessions import SessionFiles
from clew.store import ArchivedFile, SessionOverview
from clew.view import PageIndex, make_index
from clew.web.disk_sessions import DiskSessions, read_source_line, version_of
from clew.web.key_locks import KeyLocks
from clew.web.lru_cache import LruCache, estimate_size
from clew.web.session_cache import OpenSession, SessionCache
from clew.web.settings import Settings

T = TypeVar("T")
Shape: TypeAlias = list[tuple[int, int, int, int]]

_MAX_RESPONSE: Final = 8_000_000
# Without a word of a change, the list is read again no more often than this.
_CATALOGUE_SECONDS: Final = 15.0
# While archiving goes on, reading the list may take this share of the time, however long it is.
_CATALOGUE_SHARE: Final = 0.05


READ: Final = "session.read"
EXPORT: Final = "session.export"
RAW: Final = "session.raw"
"""What is noted of a session that is read; the last two are of a whole one."""


NOT_ARCHIVED: Final = "Notes can be added when this session is archived."


class NotArchivedYetError(ClewError):
    """A session is on disk, but what was requested comes from the archive."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"session {session_id[:80]!r} is not archived yet; try again in a moment")


class SessionLinks(msgspec.Struct, frozen=True):
    """Whose session it is, where there are several people, and pages that only some have.

    `author` is the same, unless it is the reader. `shared_until` is when a link to it expires, and
    `is_masked` whether that link hides what may be secret.
    """

    member: str = ""
    author: str = ""
    links: tuple[tuple[str, str], ...] = ()
    shared_until: str = ""
    is_masked: bool = False


class Catalogue(msgspec.Struct, frozen=True):
    """All sessions, the latest first, as of one version of the archive."""

    version: str
    sessions: tuple[SessionOverview, ...]
    by_id: dict[str, SessionOverview]


class Shapes:
    """The activity of sessions over time, up to a limit in bytes; several caches can have one."""

    def __init__(self, max_bytes: int) -> None:
        self._shapes = LruCache(max_bytes)
        self._lock = threading.Lock()

    @property
    def size_bytes(self) -> int:
        """How much memory they take, as an estimate."""
        return self._shapes.size_bytes

    def get(self, key: Hashable, state: str) -> Shape | None:
        """Return the activity of a session in this state, if it is known."""
        with self._lock:
            return self._shapes.get(key, state)

    def put(self, key: Hashable, state: str, shape: Shape) -> None:
        """Keep the activity of a session in this state."""
        with self._lock:
            self._shapes.put(key, state, shape, estimate_size(shape))


class ArchiveCache:
    """The archive and its caches, shared by all requests, or by those of one viewer.

    `viewer` says whose requests they are, and is part of every ETag; `urls` are those of the pages.
    """

    viewer = ""
    urls = APP

    def __init__(
        self, settings: Settings, long_session: AbstractContextManager[bool] | None = None
    ) -> None:
        self.settings = settings
        self.disk = DiskSessions(lambda: settings.roots or default_roots())
        self._local = threading.local()
        self._opened: list[Archive] = []
        self._lock = threading.Lock()
        self._locks = KeyLocks()
        self._sessions = SessionCache(
            settings.cache, self._build, self._size_of, self._open_session, long_session
        )
        self._responses = LruCache(settings.cache.responses, _MAX_RESPONSE)
        self._shapes = Shapes(settings.cache.shapes)
        self._catalogue: Catalogue | None = None
        self._check_after = 0.0
        self._pause = 0.0
        # How often the list was said to be outdated, and how often when it was read.
        self._news = self._read_news = 0

    @property
    def archive(self) -> Archive:
        """The archive, opened once for each thread."""
        archive: Archive | None = getattr(self._local, "archive", None)
        if archive is None:
            archive = self.open()
            self._local.archive = archive
            with self._lock:
                self._opened.append(archive)
        return archive

    def open(self) -> Archive:
        """Open the archive."""
        return open_archive(self.settings.location)

    @property
    def is_empty(self) -> bool:
        """Whether the archive has no sessions."""
        return self.archive.is_empty

    @property
    def size_bytes(self) -> int:
        """How much memory sessions and responses take, as an estimate."""
        return self._sessions.size_bytes + self._responses.size_bytes + self._shapes.size_bytes

    def catalogue(self) -> Catalogue:
        """Return all sessions, as they are or as they were some seconds ago."""
        known = self._catalogue
        if known is not None and time.monotonic() < self._check_after:
            return known
        lock = self._locks.of("catalogue")
        # While one thread reads the list, the others use the previous one, unless there is news.
        must_wait = known is None or self._read_news != self._news
        if not lock.acquire(blocking=must_wait) and known is not None:
            return known
        try:
            return self._refresh_catalogue()
        finally:
            lock.release()

    def _refresh_catalogue(self) -> Catalogue:
        known, started = self._catalogue, time.monotonic()
        if known is not None and started < self._check_after:
            return known
        self._check_after = started + _CATALOGUE_SECONDS
        news, version = self._news, self.version()
        if known is None or known.version != version:
            known = self._read_catalogue(version)
            self._catalogue = known
            ended = time.monotonic()
            self._pause = ended + (ended - started) / _CATALOGUE_SHARE
        self._read_news = news
        return known

    def invalidate_catalogue(self, *, is_archiving: bool = False) -> None:
        """Make the next request check for new sessions; while archiving goes on, after a pause.

        Many commits follow one another then, and reading all sessions after each would take
        longer the more there are.
        """
        self._news += not is_archiving
        self._check_after = min(self._check_after, self._pause) if is_archiving else 0.0

    def catalogue_version(self) -> str:
        """Return the version of the archive that the catalogue was read from."""
        return self.catalogue().version

    def version(self) -> str:
        """Return a string that changes whenever the archive's rows do."""
        return self.archive.version() or "empty"

    def session_version(self, session_id: str) -> str:
        """Return a string that changes whenever a session does, archived or not.

        Raises:
            SessionNotFoundError: There is no session with this id.
        """
        try:
            return self.archive.session_version(session_id)
        except (SessionNotFoundError, NoArchiveError):
            if not self.settings.is_followed:
                raise
        found = self.find_on_disk(session_id)
        if found is None:
            raise SessionNotFoundError(session_id)
        return version_of(found)

    def is_archived(self, session_id: str) -> bool:
        """Return whether the archive has a session."""
        try:
            self.archive.session_version(session_id)
        except (SessionNotFoundError, NoArchiveError):
            return False
        return True

    def require_archived(self, session_id: str) -> None:
        """Make sure that the archive has a session.

        Raises:
            NotArchivedYetError: It is only on disk so far.
            SessionNotFoundError: There is no session with this id.
        """
        self.session_version(session_id)
        if not self.is_archived(session_id):
            raise NotArchivedYetError(session_id)

    def require_session(self, session_id: str) -> None:
        """Make sure that there is a session, without reading anything of it.

        Raises:
            SessionNotFoundError: There is no session with this id.
        """
        self.session_version(session_id)

    def find_on_disk(self, session_id: str) -> SessionFiles | None:
        """Return the files of a session that may not be archived yet."""
        return self.disk.find(session_id) if self.settings.is_followed else None

    def full_id(self, name: str) -> str:
        """Return the id of the session that a name is, or that it is the beginning of.

        Raises:
            SessionNotFoundError: No session has such an id, or several have.
            AmbiguousSessionError: Several members have a session of this id.
        """
        try:
            self.require_session(name)
        except (SessionNotFoundError, NoArchiveError) as error:
            found = [one for one in self.session_ids() if one.startswith(name)]
            if not found:
                raise
            if len(found) > 1:
                raise SessionNotFoundError(name, found) from error
            return found[0]
        return name

    def session_ids(self) -> set[str]:
        """Return the ids of all sessions, archived or not."""
        ids = set(self.catalogue().by_id)
        return ids | self.disk.ids() if self.settings.is_followed else ids

    def overview(self, session_id: str) -> SessionOverview:
        """Return what lists show of a session.

        Raises:
            NotArchivedYetError: It is only on disk so far.
            SessionNotFoundError: There is no session with this id.
        """
        found = self.catalogue().by_id.get(session_id)
        if found is None:
            # The catalogue may be some commits behind.
            self.require_archived(session_id)
            order = Order(with_hidden=True)
            found = next(self.archive.sessions(FilterSet(session=session_id), order))
        return found

    def note(self, session_id: str, action: str) -> None:
        """Note that a session is read, where there is a log of who reads what."""

    def note_listed(self, session_ids: Iterable[str]) -> None:
        """Note that a list shows something out of sessions, where there is such a log."""

    def note_titles(self, session_ids: Iterable[str]) -> None:
        """Note that a list names sessions by title or prompt, where there is such a log."""

    def listed_version(self, version: str = "") -> str:
        """Return the version of lists of which it is noted whose sessions they show.

        It is made of the version of the catalogue that a list is made from.
        """
        return version or self.catalogue_version()

    def sealed_url(self, file: ArchivedFile) -> str | None:
        """Return a URL outside of the app from which a file can be downloaded for a moment."""
        del file
        return None

    def page_links(self, session_id: str) -> SessionLinks:
        """Return what a session's page says of it where there are several people."""
        del session_id
        return SessionLinks()

    def session_filter(self, session_id: str) -> FilterSet:
        """Return the filters that only one session matches."""
        return FilterSet(session=session_id)

    def with_session(self, session_id: str, version: str, make: Callable[[OpenSession], T]) -> T:
        """Return what `make` makes of a session, which is built first if it is not cached.

        While `make` has a long session, no other long one is in memory: it must return what it
        made before anything else is taken from the cache.

        Raises:
            SessionNotFoundError: There is no session with this id.
        """
        return self._sessions.use(session_id, version, make)

    def is_long(self, session_id: str) -> bool:
        """Return whether a session is so long that it may have to be built for each request."""
        return self._sessions.is_long(session_id)

    def _build(self, session_id: str) -> PageIndex:
        try:
            conversation = self._load(session_id)
            digest = self._digest(session_id, conversation)
            return make_index(conversation, digest, self._note(session_id))
        finally:
            # Each thread would keep some megabytes of decompressed files otherwise.
            self.archive.forget()

    def _open_session(self, session_id: str, index: PageIndex) -> OpenSession:
        author, reason = self.page_links(session_id).author, self.note_reason(session_id)
        return OpenSession(session_id, index, self.urls, author, reason)

    def _load(self, session_id: str) -> Conversation:
        """Build a conversation from the archive, or from disk until it is there."""
        found = None if self.is_archived(session_id) else self.find_on_disk(session_id)
        if found is None:
            return self.archive.conversation(session_id)
        return self.disk.load(found)

    def _digest(self, session_id: str, conversation: Conversation) -> SessionDigest | None:
        """Return what a model wrote of a session, if one did and the session is archived."""
        if not self.is_archived(session_id):
            return None
        return self.archive.kept_digest(session_id, conversation)

    def _note(self, session_id: str) -> SessionNote | None:
        """Return what the reader added to a session, if it is archived."""
        return self.archive.note(session_id) if self.is_archived(session_id) else None

    def note_reason(self, session_id: str) -> str:
        """Return why the reader's note of a session cannot be changed; nothing if it can."""
        return "" if self.is_archived(session_id) else NOT_ARCHIVED

    def material(self, session_id: str) -> Material:
        """Read all entries of a session, from the archive, or from disk until it is there.

        Raises:
            SessionNotFoundError: There is no session with this id.
        """
        found = None if self.is_archived(session_id) else self.find_on_disk(session_id)
        if found is None:
            return self.archive.material(session_id)
        return self.disk.material(found)

    def read_line(self, session_id: str, file: str, offset: int) -> str:
        """Return a line of a session's transcript.

        Raises:
            NotFoundError: The session has no such file.
        """
        found = None if self.is_archived(session_id) else self.find_on_disk(session_id)
        if found is None:
            return self.archive.read_line(session_id, file, offset)
        line = read_source_line(found, file, offset)
        if line is None:
            raise NotFoundError(f"session {session_id} has no file {file}")
        return line

    def shapes(self, sessions: Sequence[SessionOverview]) -> dict[str, Shape]:
        """Return the activity of sessions over time, for the small charts in lists.

        Reading a shape takes longer than drawing its row, so that each is cached.
        """
        keys = {session.id: self._shape_key(session.id) for session in sessions}
        states = {session.id: _state(session) for session in sessions}
        found = {name: self._shapes.get(key, states[name]) for name, key in keys.items()}
        missing = [name for name, shape in found.items() if shape is None]
        read = self.archive.shapes(missing) if missing else {}
        for name in missing:
            found[name] = shape = read.get(name, [])
            self._shapes.put(keys[name], states[name], shape)
        return {name: shape or [] for name, shape in found.items()}

    def _shape_key(self, session_id: str) -> Hashable:
        """Return what the activity of a session is cached under."""
        return session_id

    def get_or_make(
        self, key: Hashable, version: str, make: Callable[[], T], *, allow_stale: bool = False
    ) -> T:
        """Return the cached item of this version, or make it; one thread makes it for all.

        The other threads wait, or get the previous version with `allow_stale`.
        """
        found: Any
        with self._lock:
            found = self._responses.get(key, version)
            stale = self._responses.get_stale(key) if allow_stale else None
        lock = self._locks.of(key)
        if found is None and not lock.acquire(blocking=stale is None):
            found = stale
        elif found is None:
            try:
                found = self._make(key, version, make)
            finally:
                lock.release()
        made: T = found
        return made

    def _make(self, key: Hashable, version: str, make: Callable[[], object]) -> Any:
        found = self.peek(key, version)
        if found is None:
            try:
                found = make()
            finally:
                # Each thread would keep some megabytes of decompressed files otherwise.
                self.archive.forget()
            self.put(key, version, found)
        return found

    def peek(self, key: Hashable, version: str) -> Any | None:
        """Return the cached item of this version, if there is one."""
        with self._lock:
            return self._responses.get(key, version)

    def put(self, key: Hashable, version: str, item: object) -> None:
        """Cache an item that somebody may request soon."""
        size = estimate_size((key, version, item))
        with self._lock:
            self._responses.put(key, version, item, size)

    def drop_idle_sessions(self) -> None:
        """Free the memory of sessions that nobody has read for some seconds."""
        self._sessions.drop_idle()

    def _size_of(self, session_id: str) -> int:
        """Return how many bytes the transcripts of a session have."""
        known = None if self._catalogue is None else self._catalogue.by_id.get(session_id)
        if known is not None:
            return known.size_bytes
        if self.is_archived(session_id):
            return sum(file.kept_bytes for file in self.archive.session_files(session_id))
        found = self.find_on_disk(session_id)
        return 0 if found is None else found.size

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            for archive in self._opened:
                archive.close()
            self._opened.clear()

    def _read_catalogue(self, version: str) -> Catalogue:
        if not self.archive.exists:
            return Catalogue(version, (), {})
        sessions = tuple(self.archive.sessions(order=Order(with_hidden=True)))
        return Catalogue(version, sessions, {session.id: session for session in sessions})


def _state(session: SessionOverview) -> str:
    """Return a string that changes when there is more of a session to draw."""
    return f"{session.messages} {session.tool_calls} {session.errors} {session.ended_at}"
