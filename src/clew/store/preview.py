"""A preview of the archive: as it would be after a sync, made from the files in a moment.

It is a temporary database with the rows of the archive and those of transcripts that are not
archived yet, the newest first and no more of them than an answer needs. All lists and sums read it
with the same statements as they read the archive, so their answers are equal.
"""

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from clew.analytics import FilterSet
from clew.collector import without_collector
from clew.processes import count_cores, share
from clew.source import SourceFile, to_text
from clew.store.filters import decode_names
from clew.store.home import Home
from clew.store.jobs import Job, JobResult, decode_done
from clew.store.last_times import last_time
from clew.store.lists import Order, list_sessions
from clew.store.location import blobs_of, record_damage
from clew.store.preview_jobs import (
    NameSearch,
    begins_in_midst,
    find_relevant,
    preview_sessions,
)
from clew.store.pricing import has_current_prices, price_again
from clew.store.reader import ArchiveReader
from clew.store.session_tables import PARSER_VERSION
from clew.store.sqlite import FullTextIndex, SqliteDatabase, open_temporary_copy
from clew.store.sync_jobs import make_jobs
from clew.store.sync_report import OnProgress, SyncProgress
from clew.store.sync_sources import find_changes
from clew.store.sync_state import SyncState
from clew.store.sync_write import write_results

# With less to read, starting processes costs more than it saves.
_WORTH_PROCESSES: Final = 4 << 20
_BATCH_BYTES: Final = 2 << 20
_BATCH_JOBS: Final = 50
# The last client that wrote titles into other transcripts was 2.1.29.
_WITHOUT_OLD_TITLES: Final = (2, 1, 30)

Batch = TypeVar("Batch")
Result = TypeVar("Result")


class Preview:
    """The archive as it would be after a sync; sessions that are not archived yet wait in `jobs`.

    The archive itself is not touched.
    """

    def __init__(self, home: Home, roots: Iterable[Path], now: dt.datetime) -> None:
        database = SqliteDatabase(open_temporary_copy(home.database))
        self.state = SyncState(home, FullTextIndex(database), now, compares_idle_files=False)
        for root in roots:
            self.state.found.update(find_changes(self.state, root))
        if not has_current_prices(database):
            with database.transaction():
                price_again(database)
        jobs = make_jobs(self.state, self._outdated() | self.state.deferral.stale.keys())
        self.jobs = [job for job in jobs if job.session_id is not None]
        self._added: list[Job] = []
        self.sessions = len(self.jobs)
        self.bytes = sum(job.work_bytes for job in jobs)

    def reader(self) -> ArchiveReader:
        """Return it as an archive that is read like any other."""
        location = self.state.location
        return ArchiveReader(self.state.index, blobs_of(location), partial(record_damage, location))

    @property
    def files(self) -> list[SourceFile] | None:
        """All files on the disk, where none is archived yet."""
        return None if self.state.known else list(self.state.found.values())

    @property
    def waiting(self) -> int:
        """How many sessions wait of which the archive has nothing."""
        return sum(all(task.known is None for task in job.files) for job in self.jobs)

    def is_all_on_disk(self, roots: Iterable[Path]) -> bool:
        """Return whether all archived sessions still are in the files of some roots."""
        names = [to_text(str(root.absolute())) for root in roots]
        return next(self.state.database.rows("files_elsewhere", {"roots": names}), None) is None

    def add_all(self, on_progress: OnProgress | None = None) -> None:
        """Add all sessions that are not archived yet."""
        jobs, self.jobs = self.jobs, []
        self._add(jobs, on_progress)

    def add_sessions(self, session_ids: Collection[str]) -> None:
        """Add some sessions, and those that decide about their answers and titles."""
        named = [job for job in self.jobs if job.session_id in session_ids]
        if not named:
            return
        self.jobs = [job for job in self.jobs if job.session_id not in session_ids]
        self._add(named, None)
        self._add_relevant(list(session_ids), None)

    def add_since(self, since: str, on_progress: OnProgress | None = None) -> None:
        """Add the sessions that ended at a time or later, and those that decide about them."""
        later = [job for job in self.jobs if last_time(job) >= since]
        ids = {job.session_id for job in later}
        self.jobs = [job for job in self.jobs if job.session_id not in ids]
        self._add(later, on_progress)
        listed = list_sessions(self.state.database, FilterSet(since=since), Order(with_hidden=True))
        self._add_relevant([session.id for session in listed], on_progress)

    def add_newest(self, order: Order, on_progress: OnProgress | None = None) -> None:
        """Add sessions until a list of the newest ones has as many as it may.

        No session ends later than its files say. Those that wait are added from the last one on,
        until enough of the others end later than any that still waits.
        """
        waiting = sorted(((last_time(job), job) for job in self.jobs), key=_by_time, reverse=True)
        least = 1
        while waiting and (missing := self._count_missing(order, waiting[0][0])):
            chunk = max(missing, least)
            self._add([job for _, job in waiting[:chunk]], on_progress)
            del waiting[:chunk]
            least *= 2
        self.jobs = [job for _, job in waiting]
        listed = list_sessions(self.state.database, FilterSet(), order)
        self._add_relevant([session.id for session in listed], on_progress)

    def _count_missing(self, order: Order, bound: str) -> int:
        """Count how many more sessions a list needs that end at a time or later."""
        found = list_sessions(self.state.database, FilterSet(), order)
        later = sum(1 for session in found if (session.ended_at or "") >= bound)
        return (order.limit or 1) - later

    def _add_relevant(self, ids: list[str], on_progress: OnProgress | None) -> None:
        """Add the sessions that decide about answers and titles of others.

        And those that a list may hide, so that all that still wait are listed.
        """
        if not self.jobs:
            return
        answers = self._names("answers_of_sessions", ids)
        rows = self._names("rows_of_sessions", self._with_old_titles(ids))
        is_whole = any(begins_in_midst(job) for job in self._added if job.session_id in ids)
        searches = [NameSearch(batch, answers, rows, is_whole) for batch in _batches(self.jobs)]
        relevant = set(_share(searches, find_relevant, sum(job.work_bytes for job in self.jobs)))
        self._add([job for job in self.jobs if job.session_id in relevant], on_progress)
        self.jobs = [job for job in self.jobs if job.session_id not in relevant]

    def _with_old_titles(self, ids: list[str]) -> list[str]:
        """Return the sessions that may get their title from another transcript."""
        rows = self.state.database.rows("untitled_sessions", {"sessions": ids})
        return [
            str(name) for name, versions in rows if any(map(_wrote_titles, decode_names(versions)))
        ]

    def _names(self, statement: str, ids: list[str]) -> frozenset[bytes]:
        rows = self.state.database.rows(statement, {"sessions": ids})
        return frozenset(str(row[0]).encode("utf-8", "replace") for row in rows)

    def _add(self, jobs: list[Job], on_progress: OnProgress | None) -> None:
        """Make the rows of sessions, and write them."""
        self._added += jobs
        sizes = {job.session_id: job.work_bytes for job in jobs}
        progress = SyncProgress(sum(sizes.values()))
        batch: list[JobResult] = []
        with without_collector():
            for packed in _share(list(_batches(jobs)), preview_sessions, progress.total_bytes):
                batch += decode_done(packed)
                progress.done_bytes += sizes[batch[-1].session_id]
                progress.sessions += 1
                if on_progress is not None:
                    on_progress(progress)
                if len(batch) >= _BATCH_JOBS:
                    write_results(self.state, batch)
                    batch = []
            write_results(self.state, batch)

    def _outdated(self) -> set[str]:
        values = {"parser_version": PARSER_VERSION}
        return {str(row[0]) for row in self.state.database.rows("outdated_sessions", values)}


def _wrote_titles(version: str) -> bool:
    """Return whether a client wrote titles into other transcripts; of unknown ones, assume it."""
    numbers = tuple(int(part) for part in version.split(".") if part.isdecimal())
    return numbers < _WITHOUT_OLD_TITLES


def _by_time(waiting: tuple[str, Job]) -> str:
    return waiting[0]


def _batches(jobs: Iterable[Job]) -> Iterator[list[Job]]:
    """Put small sessions together, in their order."""
    batch: list[Job] = []
    size = 0
    for job in jobs:
        batch.append(job)
        size += job.work_bytes
        if size >= _BATCH_BYTES or len(batch) >= _BATCH_JOBS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _share(
    batches: list[Batch], work: Callable[[Batch], Sequence[Result]], size: int
) -> Iterator[Result]:
    """Do all the work, with other processes where that pays off."""
    workers = min(count_cores(), len(batches)) - 1
    if workers < 1 or size < _WORTH_PROCESSES:
        return (result for batch in batches for result in work(batch))
    return share(batches, work, workers)
