"""What the steps of one sync share."""

import datetime as dt
from typing import TypeAlias

from clew.clock import format_time
from clew.source import SourceFile
from clew.store.archived_files import load_files
from clew.store.damage import load_damage
from clew.store.deferral import Deferral
from clew.store.idle_files import IdleFileCheck
from clew.store.location import Location, blobs_of
from clew.store.protocols import SearchIndex
from clew.store.sync_report import SyncReport

FileKey: TypeAlias = tuple[str, str]
"""The root of a source file, and its path below it."""


class SyncState:
    """The archive as it was at the beginning of a sync, and what the sync has found since.

    `known` are the archived files, `found` the source files that changed.
    """

    def __init__(
        self,
        location: Location,
        index: SearchIndex,
        now: dt.datetime,
        *,
        compares_idle_files: bool = True,
    ) -> None:
        self.location = location
        self.index = index
        self.database = index.database
        self.blobs = blobs_of(location)
        self.started = now
        self.now = format_time(now)
        self.deferral = Deferral(self.database, now)
        self.idle = IdleFileCheck(self.database, now, is_on=compares_idle_files)
        self.known = load_files(self.database)
        self.damage = load_damage(self.database)
        self.found = dict[FileKey, SourceFile]()
        self.report = SyncReport()
