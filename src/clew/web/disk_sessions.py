"""Sessions on disk, for requests that come before these are archived."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from clew.conversation import Conversation, Material
from clew.sessions import (
    SessionFiles,
    gather,
    group_sessions,
    link_neighbours,
    list_files,
    load_files,
    read_chunks,
)
from clew.source import SourceFile

# Files are listed again no more often, and for no larger share of the time.
_LIST_SECONDS: Final = 1.0
_LIST_SHARE: Final = 0.05


class DiskListing(msgspec.Struct, frozen=True):
    """All files, and the sessions they belong to by id."""

    files: Sequence[SourceFile] = ()
    sessions: dict[str, SessionFiles] = {}


class DiskSessions:
    """The sessions below some roots; the list of them is cached for a moment."""

    def __init__(self, roots: Callable[[], Sequence[Path]]) -> None:
        self._roots = roots
        self._lock = threading.Lock()
        self._listing: DiskListing | None = None
        self._list_after = 0.0

    def find(self, session_id: str) -> SessionFiles | None:
        """Return a session's files; None if it has none."""
        return self._list().sessions.get(session_id)

    def ids(self) -> set[str]:
        """Return the ids of all sessions."""
        return set(self._list().sessions)

    def written_before(self, nanoseconds: int) -> set[str]:
        """Return the ids of the sessions that nobody wrote to since."""
        found = self._list().sessions
        return {name for name, own in found.items() if own.modified_ns < nanoseconds}

    def load(self, session: SessionFiles) -> Conversation:
        """Build a session's conversation from its files."""
        return load_files(session, self._list().files)

    def material(self, session: SessionFiles) -> Material:
        """Read all entries of a session from its files."""
        return link_neighbours(gather(session), session, self._list().files)

    def forget(self) -> None:
        """Free the memory of the list."""
        with self._lock:
            self._listing = None

    def _list(self) -> DiskListing:
        with self._lock:
            started = time.monotonic()
            if self._listing is None or started >= self._list_after:
                files = list_files(self._roots())
                sessions = {session.session_id: session for session in group_sessions(files)}
                self._listing = DiskListing(files, sessions)
                ended = time.monotonic()
                pause = max(_LIST_SECONDS, (ended - started) / _LIST_SHARE)
                self._list_after = ended + pause
            return self._listing


def version_of(session: SessionFiles) -> str:
    """Return a string that changes whenever a session's files do."""
    return f"disk-{len(session.files)}-{session.size}-{session.modified_ns}"


def read_source_line(session: SessionFiles, file: str, offset: int) -> str | None:
    """Return a line of a session's transcript; None if the session has no such file."""
    for source in session.files:
        if source.relative == file:
            with source.path.open("rb") as stream:
                stream.seek(offset)
                return stream.readline().rstrip(b"\n").decode("utf-8", "replace")
    return None


def read_source(file: SourceFile) -> Iterator[bytes]:
    """Read a file, as far as it was written when it was listed."""
    left = file.size
    for piece in read_chunks(file):
        yield piece[:left]
        left -= len(piece)
        if left <= 0:
            return
