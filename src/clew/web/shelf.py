"""Shelf: the archive as many requests at once read it, with what they share kept at hand.

Each thread has a database connection of its own. Lists and conversations are kept until the rows
they come from change; what has been made for one reader is there for the next.
"""

import threading
import time
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import msgspec

from clew.archive import Archive, Order, open_archive
from clew.store import SessionOverview
from clew.view import FrameView, Index, Layout, ViewOptions, make_frame, make_index, make_layout
from clew.web.keeping import Kept, weigh
from clew.web.settings import Settings

T = TypeVar("T")
Shape: TypeAlias = list[tuple[int, int, int, int]]

VIEW: Final = ViewOptions()
"""How much of a session the app shows, at first."""
# What may be kept at hand: pages and answers, sessions ready to be shown, their small drawings.
_ANSWERS_BYTES: Final = 32_000_000
_LARGEST_ANSWER: Final = 8_000_000
_SESSIONS_BYTES: Final = 128_000_000
_SHAPES_BYTES: Final = 8_000_000
# A session takes up more room when it is understood than when it is kept.
_UNDERSTOOD: Final = 1.5
_SMALL_SESSION: Final = 1_000_000
_MOST_LOCKS: Final = 1_024
# While much comes in, lists are made again no more often than this; at its end at once.
_SHORTEST_AGE: Final = 15.0


class Catalogue(msgspec.Struct, frozen=True):
    """All sessions, the latest first, as of one state of the rows."""

    version: str
    sessions: tuple[SessionOverview, ...]
    by_id: dict[str, SessionOverview]


class LaidOut(msgspec.Struct, frozen=True):
    """A session's page before its sections are made."""

    layout: Layout
    frame: FrameView


class Shelf:
    """What the app reads from."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._own = threading.local()
        self._opened: list[Archive] = []
        self._lock = threading.Lock()
        self._making: dict[Hashable, threading.Lock] = {}
        self._sessions = Kept(_SESSIONS_BYTES)
        self._answers = Kept(_ANSWERS_BYTES, _LARGEST_ANSWER)
        self._shapes = Kept(_SHAPES_BYTES)
        self._catalogue: Catalogue | None = None
        self._looked_at = 0.0

    @property
    def archive(self) -> Archive:
        """The archive, for the thread that asks."""
        archive: Archive | None = getattr(self._own, "archive", None)
        if archive is None:
            archive = open_archive(self.settings.home)
            self._own.archive = archive
            with self._lock:
                self._opened.append(archive)
        return archive

    @property
    def is_empty(self) -> bool:
        """Whether nothing was kept yet."""
        return self.archive.is_empty

    def catalogue(self) -> Catalogue:
        """Give all sessions, as they stand or as they stood some seconds ago."""
        known = self._catalogue
        if known is not None and time.monotonic() - self._looked_at < _SHORTEST_AGE:
            return known
        lock = self._lock_of("catalogue")
        # While one looks, the others take what there is.
        if not lock.acquire(blocking=known is None) and known is not None:
            return known
        try:
            return self._look()
        finally:
            lock.release()

    def _look(self) -> Catalogue:
        known, moment = self._catalogue, time.monotonic()
        if known is not None and moment - self._looked_at < _SHORTEST_AGE:
            return known
        version = self.version()
        if known is None or known.version != version:
            known = self._read_catalogue(version)
            self._catalogue = known
        self._looked_at = moment
        return known

    def look_again(self) -> None:
        """Let the next one who asks for all sessions see what has just come in."""
        self._looked_at = 0.0

    def held_version(self) -> str:
        """Give the version of the rows that all sessions were read from."""
        return self.catalogue().version

    def version(self) -> str:
        """Give a word that changes whenever the rows do."""
        return self.archive.version() or "empty"

    def session_version(self, session_id: str) -> str:
        """Give a word that changes whenever more is kept of a session."""
        return self.archive.session_version(session_id)

    def index(self, session_id: str) -> Index:
        """Give a session ready to be shown.

        Raises:
            SessionNotFoundError: There is none of that id.
        """
        return self.share(
            ("index", session_id),
            self.session_version(session_id),
            lambda: make_index(self.archive.conversation(session_id)),
            session_id,
        )

    def shapes(self, sessions: Sequence[SessionOverview]) -> dict[str, Shape]:
        """Give how much was said, done and went wrong in sessions, each read once while it stays.

        Reading a shape takes longer than drawing its row.
        """
        states = {session.id: _state(session) for session in sessions}
        with self._lock:
            found = {name: self._shapes.get(name, state) for name, state in states.items()}
        missing = [name for name, shape in found.items() if shape is None]
        read = self.archive.shapes(missing) if missing else {}
        with self._lock:
            for name in missing:
                shape = read.get(name, [])
                self._shapes.put(name, states[name], shape, weigh(shape))
        return {name: shape or read.get(name, []) for name, shape in found.items()}

    def layout(self, session_id: str, version: str) -> LaidOut:
        """Give a session's page laid out, with its frame, as of a version.

        Raises:
            SessionNotFoundError: There is none of that id.
        """
        return self.share(
            ("layout", session_id),
            version,
            lambda: lay_out(self.index(session_id)),
            session_id,
        )

    def share(
        self,
        key: Hashable,
        version: str,
        make: Callable[[], T],
        session_id: str = "",
        *,
        may_be_old: bool = False,
    ) -> T:
        """Give what was made for this version before, or make it; one thread makes it for all.

        The others wait, or take what was made for the version before where it `may_be_old`. With
        the id of a session, it is as large as that.
        """
        place = self._sessions if session_id else self._answers
        found: Any
        with self._lock:
            found = place.get(key, version)
            old = place.get_old(key) if may_be_old else None
        lock = self._lock_of(key)
        if found is None and not lock.acquire(blocking=old is None):
            found = old
        elif found is None:
            try:
                found = self._make(key, version, make, session_id)
            finally:
                lock.release()
        made: T = found
        return made

    def _make(
        self, key: Hashable, version: str, make: Callable[[], object], session_id: str
    ) -> Any:
        place = self._sessions if session_id else self._answers
        with self._lock:
            found = place.get(key, version)
        if found is None:
            try:
                found = make()
            finally:
                self.archive.forget()
            size = self._size_of(session_id) if session_id else weigh((key, version, found))
            with self._lock:
                place.put(key, version, found, size)
        return found

    def _size_of(self, session_id: str) -> int:
        known = None if self._catalogue is None else self._catalogue.by_id.get(session_id)
        return round((_SMALL_SESSION if known is None else known.size_bytes) * _UNDERSTOOD)

    def close(self) -> None:
        """Let go of all connections."""
        with self._lock:
            for archive in self._opened:
                archive.close()
            self._opened.clear()

    def _lock_of(self, key: Hashable) -> threading.Lock:
        with self._lock:
            if len(self._making) > _MOST_LOCKS:
                self._making = {k: lock for k, lock in self._making.items() if lock.locked()}
            return self._making.setdefault(key, threading.Lock())

    def _read_catalogue(self, version: str) -> Catalogue:
        if not self.archive.exists:
            return Catalogue(version, (), {})
        sessions = tuple(self.archive.sessions(order=Order(with_hidden=True)))
        return Catalogue(version, sessions, {session.id: session for session in sessions})


def lay_out(index: Index) -> LaidOut:
    """Lay out a session's page."""
    layout = make_layout(index, VIEW)
    return LaidOut(layout, make_frame(index, VIEW, layout))


def _state(session: SessionOverview) -> str:
    """Give a word that changes when there is more of a session to draw."""
    return f"{session.messages} {session.tool_calls} {session.errors} {session.ended_at}"
