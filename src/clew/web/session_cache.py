"""Sessions as requests read them: built once for all requests, and few of them at a time."""

import threading
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any, Final, TypeVar

import msgspec

from clew.collector import without_collector
from clew.digest import SessionDigest, extract_session
from clew.render.site import APP, SiteUrls
from clew.replay import SessionReplay, replay_session
from clew.view import (
    FrameView,
    Layout,
    PageIndex,
    RunTree,
    ViewOptions,
    make_frame,
    make_layout,
    make_run_tree,
)
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

    `author` is who wrote the prompts, if that is somebody else than the reader,
    and `note_reason` why the reader cannot add a note to it.
    """

    def __init__(
        self,
        session_id: str,
        index: PageIndex,
        urls: SiteUrls = APP,
        author: str = "",
        note_reason: str = "",
    ) -> None:
        self.id = session_id
        self.index = index
        self.urls = urls
        self.author = author
        self.note_reason = note_reason
        self._drawn: dict[Hashable, Any] = {}

    def draw_once(self, piece: Hashable, draw: Callable[[], T]) -> T:
        """Return a piece of its page that every page of it has, drawn once."""
        if piece not in self._drawn:
            self._drawn[piece] = draw()
        drawn: T = self._drawn[piece]
        return drawn

    def mask(self, value: T) -> T:
        """Return what the reader gets to see of a part of the page: here all of it."""
        return value

    @cached_property
    def digest(self) -> SessionDigest:
        """What a model wrote of it, else an extract."""
        return self.index.digest or extract_session(self.index.conversation)

    @cached_property
    def page(self) -> SessionLayout:
        """The layout of its page."""
        with without_collector():
            layout = make_layout(self.index, VIEW)
            frame = self.mask(make_frame(self.index, VIEW, layout))
            return SessionLayout(layout, frame, section_checksums(layout, frame.turns))

    @cached_property
    def run_tree(self) -> RunTree:
        """Its agent runs."""
        return self.mask(make_run_tree(self.index))

    @cached_property
    def replay(self) -> SessionReplay:
        """Its files through its calls."""
        return replay_session(self.index.conversation)


class SessionShelf:
    """Where sessions are kept that are built, up to a limit; several caches can have one."""

    def __init__(self, max_bytes: int) -> None:
        self.sessions = LruCache(max_bytes)
        self.lock = threading.Lock()
        self.locks = KeyLocks()

    def drop_idle(self) -> int:
        """Free the memory of sessions that nobody has read for some seconds; return how much."""
        with self.lock:
            return self.sessions.drop_idle(_IDLE_SECONDS)


class SessionCache:
    """Sessions in memory, up to a limit; a session that is larger is cached alone.

    `build` makes a session, and `size_of` returns how many bytes its transcripts have. Caches that
    share `long_session` have one long session in memory together. Those that share a `shelf` have
    all sessions together that they have the same `key` for.
    """

    def __init__(
        self,
        limits: CacheLimits,
        build: Callable[[str], PageIndex],
        size_of: Callable[[str], int],
        open_session: Callable[[str, PageIndex], OpenSession] = OpenSession,
        long_session: AbstractContextManager[bool] | None = None,
        shelf: SessionShelf | None = None,
        key: Callable[[str], Hashable] = str,
    ) -> None:
        self._limits = limits
        self._build = build
        self._size_of = size_of
        self._open_session = open_session
        self._shelf = shelf or SessionShelf(limits.sessions)
        self._key = key
        self._long_session = long_session or threading.Lock()

    @property
    def size_bytes(self) -> int:
        """How much memory the sessions take, as an estimate."""
        return self._shelf.sessions.size_bytes

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
        if self._shelf.drop_idle() >= self._limits.long_session:
            release_memory()

    def _get_or_build(self, session_id: str, version: str) -> OpenSession:
        """Return a session; one thread builds it for all."""
        found: Any
        shelf, key = self._shelf, self._key(session_id)
        with shelf.locks.of(key):
            with shelf.lock:
                found = shelf.sessions.get(key, version)
            session: OpenSession = found or self._open(session_id, key, version)
        return session

    def _open(self, session_id: str, key: Hashable, version: str) -> OpenSession:
        """Build a session; it takes the place of others before it is built, not afterwards."""
        size, shelf = self._size_of(session_id), self._shelf
        with shelf.lock:
            shelf.sessions.drop(key)
            shelf.sessions.make_room(round(size * _BUILD_FACTOR))
        try:
            with without_collector():
                session = self._open_session(session_id, self._build(session_id))
        finally:
            if size >= self._limits.long_session:
                release_memory()
        with shelf.lock:
            shelf.sessions.put(key, version, session, round(size * _OBJECT_FACTOR))
        return session
