"""Shelf: the archive as many requests at once read it, with what they share kept at hand.

Each thread has a database connection of its own. Lists and conversations are kept until the rows
they come from change; what has been made for one reader is there for the next.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import msgspec

from clew.archive import Archive, Order, open_archive
from clew.store import SessionOverview
from clew.view import Frame, Index, Layout, ViewOptions, make_frame, make_index, make_layout
from clew.web.settings import Settings

T = TypeVar("T")
Shape: TypeAlias = list[tuple[int, int, int, int]]

VIEW: Final = ViewOptions()
"""How much of a session the app shows, at first."""
_MOST_SESSIONS: Final = 24
_MOST_ANSWERS: Final = 256
_MOST_SHAPES: Final = 5_000
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
    frame: Frame


class _Kept(msgspec.Struct):
    """Things by key, each as of a version; those asked for longest ago go first."""

    most: int
    things: OrderedDict[Hashable, tuple[str, Any]] = msgspec.field(default_factory=OrderedDict)

    def get(self, key: Hashable, version: str) -> Any | None:
        found = self.things.get(key)
        if found is None or found[0] != version:
            return None
        self.things.move_to_end(key)
        return found[1]

    def get_old(self, key: Hashable) -> Any | None:
        found = self.things.get(key)
        return None if found is None else found[1]

    def put(self, key: Hashable, version: str, thing: object) -> None:
        self.things[key] = (version, thing)
        self.things.move_to_end(key)
        while len(self.things) > self.most:
            self.things.popitem(last=False)


class Shelf:
    """What the app reads from."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._own = threading.local()
        self._opened: list[Archive] = []
        self._lock = threading.Lock()
        self._making: dict[Hashable, threading.Lock] = {}
        self._indexes = _Kept(_MOST_SESSIONS)
        self._layouts = _Kept(_MOST_SESSIONS)
        self._answers = _Kept(_MOST_ANSWERS)
        self._shapes = _Kept(_MOST_SHAPES)
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
        return not self.archive.exists or not self.archive.reader.has_sessions()

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
        if not self.archive.exists:
            return "empty"
        return self.archive.reader.version()

    def session_version(self, session_id: str) -> str:
        """Give a word that changes whenever more is kept of a session."""
        return self.archive.reader.session_version(session_id)

    def index(self, session_id: str) -> Index:
        """Give a session ready to be shown.

        Raises:
            SessionNotFoundError: There is none of that id.
        """
        return self.share(
            ("index", session_id),
            self.session_version(session_id),
            lambda: make_index(self.archive.conversation(session_id)),
            self._indexes,
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
                self._shapes.put(name, states[name], read.get(name, []))
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
            self._layouts,
        )

    def share(
        self,
        key: Hashable,
        version: str,
        make: Callable[[], T],
        kept: _Kept | None = None,
        *,
        may_be_old: bool = False,
    ) -> T:
        """Give what was made for this version before, or make it; one thread makes it for all.

        The others wait, or take what was made for the version before where it `may_be_old`.
        """
        place = self._answers if kept is None else kept
        found: Any
        with self._lock:
            found = place.get(key, version)
            old = place.get_old(key) if may_be_old else None
        lock = self._lock_of(key)
        if found is None and not lock.acquire(blocking=old is None):
            found = old
        elif found is None:
            try:
                found = self._make(place, key, version, make)
            finally:
                lock.release()
        made: T = found
        return made

    def _make(self, place: _Kept, key: Hashable, version: str, make: Callable[[], object]) -> Any:
        with self._lock:
            found = place.get(key, version)
        if found is None:
            found = make()
            with self._lock:
                place.put(key, version, found)
        return found

    def close(self) -> None:
        """Let go of all connections."""
        with self._lock:
            for archive in self._opened:
                archive.close()
            self._opened.clear()

    def _lock_of(self, key: Hashable) -> threading.Lock:
        with self._lock:
            if len(self._making) > 4 * _MOST_ANSWERS:
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
