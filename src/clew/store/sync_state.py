"""What the steps of one sync share."""

import datetime as dt
from typing import TypeAlias

from clew.clock import format_time
from clew.source import SourceFile
from clew.store.archived_files import load_files
from clew.store.blobs import FolderBlobs
from clew.store.damage import load_damage
from clew.store.deferral import Deferral
from clew.store.home import Home
from clew.store.idle_files import IdleFileCheck
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
        home: Home,
        index: SearchIndex,
        now: dt.datetime,
        *,
        compares_idle_files: bool = True,
    ) -> None:
        self.home = home
        self.index = index
        self.database = index.database
        self.blobs = FolderBlobs(home.blobs)
        self.now = format_time(now)
        self.deferral = Deferral(self.database, now)
        self.idle = IdleFileCheck(self.database, now, is_on=compares_idle_files)
        self.known = load_files(self.database)
        self.damage = load_damage(self.database)
        self.found = dict[FileKey, SourceFile]()
        self.report = SyncReport()
