"""The archive as it would be after a sync, for answers that cannot wait for one."""

import datetime as dt
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from clew.analytics import (
    WORK_GROUPS,
    FilterSet,
    ScanOptions,
    SessionLabel,
    UsageReport,
    bucket_letters,
    given_filters,
    scan,
    scan_files,
    summarise,
)
from clew.archive import EVERYTHING, LATEST_FIRST, Archive
from clew.collector import without_collector
from clew.store import Home, Order, Preview, SyncProgress, translate_errors


class ArchivePreview(Archive):
    """An archive that also has transcripts that are not archived yet, as far as they were added.

    Lists and usage read it like any archive; conversations and search do not. Nothing is written.
    """

    def __init__(self, home: Home, roots: Iterable[Path], now: dt.datetime | None = None) -> None:
        super().__init__(home)
        self.roots = list(roots)
        with translate_errors(home):
            self._preview = Preview(home, self.roots, now or dt.datetime.now(dt.UTC))
        self._opened = self._preview.reader()

    @property
    def new_sessions(self) -> int:
        """How many sessions are not archived yet, or not all of them."""
        return self._preview.sessions

    @property
    def new_bytes(self) -> int:
        """How much there is to archive."""
        return self._preview.bytes

    @property
    def is_empty(self) -> bool:  # type: ignore[explicit-override]  # typing.override: Python 3.12
        """Whether there is no session at all, archived or not."""
        return not self.new_sessions and super().is_empty

    @property
    def is_complete(self) -> bool:  # type: ignore[explicit-override]
        """Whether all that is not archived yet was added."""
        return not self._preview.jobs

    @property
    def waiting_sessions(self) -> int:
        """How many sessions were not added, and are not archived at all."""
        return self._preview.waiting

    @property
    def is_all_on_disk(self) -> bool:
        """Whether the files on the disk have all that is archived."""
        return self._preview.is_all_on_disk(self.roots)

    def count(  # type: ignore[explicit-override]
        self,
        what: str,
        filters: FilterSet = EVERYTHING,
        order: Order = LATEST_FIRST,
        path: str | None = None,
    ) -> int:
        """Count what a list would have without a limit; sessions that were not added count too."""
        is_all = what == "sessions" and filters == EVERYTHING
        waiting = self.waiting_sessions if is_all else 0
        return super().count(what, filters, order, path) + waiting

    def usage(  # type: ignore[explicit-override]
        self, filters: FilterSet = EVERYTHING, by: str = "day", zone: dt.tzinfo = dt.UTC
    ) -> UsageReport:
        """Count tokens and cost: straight in the files, unless all transcripts were added.

        That takes a fraction of the time that it takes to add them.
        """
        if filters.outcome is not None or any(
            each.is_of_notes for each, _ in given_filters(filters)
        ):
            # Rows say what came of a session; digests and notes are in the archive alone.
            self.add_all()
        if self.is_complete or by in WORK_GROUPS:
            return super().usage(filters, by, zone)
        options = ScanOptions(
            filters=filters,
            letters=bucket_letters(zone),
            with_agents=by == "agent" or filters.agent is not None,
        )
        files = self._preview.files
        with without_collector():
            found = scan(self.roots, options) if files is None else scan_files(files, options)
        return summarise(found.sums, by, zone, filters, found.client_costs, found.hours)

    def session_labels(  # type: ignore[explicit-override]
        self, session_ids: Collection[str] | None = None
    ) -> dict[str, SessionLabel]:
        """Return what people know sessions by, by their ids; those that are named are added."""
        self._preview.add_sessions(session_ids or ())
        return super().session_labels(session_ids)

    def add_all(self, on_progress: Callable[[SyncProgress], None] | None = None) -> None:
        """Add all transcripts that are not archived yet."""
        self._preview.add_all(on_progress)

    def add_since(
        self, since: str, on_progress: Callable[[SyncProgress], None] | None = None
    ) -> None:
        """Add the transcripts that were written to at a time or later."""
        self._preview.add_since(since, on_progress)

    def add_newest(
        self,
        order: Order = LATEST_FIRST,
        on_progress: Callable[[SyncProgress], None] | None = None,
    ) -> None:
        """Add transcripts, the newest first, until a list of the newest sessions is complete.

        All sessions that then still wait would be listed as well.
        """
        self._preview.add_newest(order, on_progress)
