"""Sessions as requests read them: built once for all requests, and few of them at a time."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any, Final, TypeVar

import msgspec

from clew.render.site import APP, SiteUrls
from clew.view import FrameView, Layout, PageIndex, ViewOptions, make_frame, make_layout
from clew.web.key_locks import KeyLocks
from clew.web.lru_cache import LruCache
from clew.web.memory import release_memory
from clew.web.section_checksums import section_checksums
from clew.web.settings import CacheLimits

T = TypeVar("T")

VIEW: Final = ViewOptions()
"""How much of a session the app shows, at first."""
# A session takes more memory as objects than its transcript has bytes, and more while it is built.
_OBJECT_FACTOR: Final = 1.5
_BUILD_FACTOR: Final = 2.5
# A long session is built again within a second or two: it is not worth its memory for long.
_IDLE_SECONDS: Final = 20.0


class SessionLayout(msgspec.Struct, frozen=True):
    """A session's page before its sections are made, and a checksum for each of them."""

    layout: Layout
    frame: FrameView
    checksums: tuple[int, ...]


class OpenSession:
    """A session that is built, with the layout of its page once somebody needs it.

    `author` is who wrote the prompts, if that is somebody else than the reader.
    """

    def __init__(
        self, session_id: str, index: PageIndex, urls: SiteUrls = APP, author: str = ""
    ) -> None:
        self.id = session_id
        self.index = index
        self.urls = urls
        self.author = author

    @cached_property
    def page(self) -> SessionLayout:
        """The layout of its page."""
        layout = make_layout(self.index, VIEW)
        frame = make_frame(self.index, VIEW, layout)
        return SessionLayout(layout, frame, section_checksums(layout, frame.turns))


class SessionCache:
    """Sessions in memory, up to a limit; a session that is larger is cached alone.

    `build` makes a session, and `size_of` returns how many bytes its transcripts have. Caches that
    share `long_session` have one long session in memory together.
    """

    def __init__(
        self,
        limits: CacheLimits,
        build: Callable[[str], PageIndex],
        size_of: Callable[[str], int],
        open_session: Callable[[str, PageIndex], OpenSession] = OpenSession,
        long_session: AbstractContextManager[bool] | None = None,
    ) -> None:
        self._limits = limits
        self._build = build
        self._size_of = size_of
        self._open_session = open_session
        self._sessions = LruCache(limits.sessions)
        self._lock = threading.Lock()
        self._locks = KeyLocks()
        self._long_session = long_session or threading.Lock()

    @property
    def size_bytes(self) -> int:
        """How much memory the sessions take, as an estimate."""
        return self._sessions.size_bytes

    def is_long(self, session_id: str) -> bool:
        """Return whether a session is used only while no other long one is."""
        return self._size_of(session_id) >= self._limits.long_session

    def use(self, session_id: str, version: str, make: Callable[[OpenSession], T]) -> T:
        """Return what `make` makes of a session, which is built first if it is not cached.

        Of the long sessions, one is used at a time, so that only one is in memory. `make` must
        therefore not use another session, and not wait for a thread that may.
        """
        if not self.is_long(session_id):
            return make(self._get_or_build(session_id, version))
        with self._long_session:
            return make(self._get_or_build(session_id, version))

    def drop_idle(self) -> None:
        """Free the memory of sessions that nobody has read for some seconds."""
        with self._lock:
            freed = self._sessions.drop_idle(_IDLE_SECONDS)
        if freed >= self._limits.long_session:
            release_memory()

    def _get_or_build(self, session_id: str, version: str) -> OpenSession:
        """Return a session; one thread builds it for all."""
        found: Any
        with self._locks.of(session_id):
            with self._lock:
                found = self._sessions.get(session_id, version)
            session: OpenSession = found or self._open(session_id, version)
        return session

    def _open(self, session_id: str, version: str) -> OpenSession:
        """Build a session; it takes the place of others before it is built, not afterwards."""
        size = self._size_of(session_id)
        with self._lock:
            self._sessions.drop(session_id)
            self._sessions.make_room(round(size * _BUILD_FACTOR))
        try:
            session = self._open_session(session_id, self._build(session_id))
        finally:
            if size >= self._limits.long_session:
                release_memory()
        with self._lock:
            self._sessions.put(session_id, version, session, round(size * _OBJECT_FACTOR))
        return session
