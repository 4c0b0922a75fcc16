"""Files that are no longer written to, compared with their archived copies once, byte by byte."""

import datetime as dt
from typing import Final

from clew.source import SourceFile, open_regular
from clew.store.archived_files import ArchivedFile, load_frames
from clew.store.compare import compare_whole
from clew.store.protocols import Database

IDLE: Final = dt.timedelta(minutes=10)
"""For so long must nobody have written to a file."""

_ROOM_BYTES: Final = 64 << 20
_NANO: Final = 1_000_000_000


class IdleFileCheck:
    """The comparisons of one sync: a bounded amount, so that no sync takes long by them.

    A file that grew was only looked at in a few windows. The whole of it is compared at the first
    sync that finds it unchanged and idle; its row remembers that, until it grows again.
    """

    def __init__(self, database: Database, now: dt.datetime, *, is_on: bool = True) -> None:
        self._database = database
        self._before_ns = round((now - IDLE).timestamp() * _NANO)
        self._room = _ROOM_BYTES if is_on else 0
        self.read_bytes = 0
        self.same: list[ArchivedFile] = []
        """The files that are as they were archived."""

    def finds_change(self, known: ArchivedFile, file: SourceFile) -> bool:
        """Compare an unchanged file, if it is time to; tell whether it differs from its copy."""
        is_due = not known.is_compared and file.mtime_ns <= self._before_ns
        if not is_due or self._room <= 0:
            return False
        frames = load_frames(self._database, known.id, known.generation)
        try:
            with open_regular(file.path) as stream:
                found = compare_whole(stream, frames)
        except OSError:
            return False
        self._room -= found.read_bytes
        self.read_bytes += found.read_bytes
        if found.is_same:
            self.same.append(known)
        return not found.is_same
