"""Bring the archive up to date: find changes, archive them, derive rows, write them."""

import datetime as dt
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from clew.collector import without_collector
from clew.processes import count_cores
from clew.source import to_text
from clew.store.archived_files import load_files
from clew.store.blob_checksums import add_checksums
from clew.store.blobs import DamagedBlobError
from clew.store.damage import find_short_blobs, load_damage, save_damage
from clew.store.home import Home
from clew.store.jobs import Job, JobResult, run_job
from clew.store.lock import writer_lock
from clew.store.pricing import has_current_prices, price_again
from clew.store.recover_blobs import recover_blobs
from clew.store.session_tables import PARSER_VERSION
from clew.store.sqlite import FullTextIndex, SqliteDatabase, open_for_writing
from clew.store.sync_jobs import defer_jobs, make_jobs
from clew.store.sync_report import OnProgress, SyncProgress, SyncReport
from clew.store.sync_sources import find_changes
from clew.store.sync_state import SyncState
from clew.store.sync_write import write_results
from clew.store.workers import run_in_processes

# With less to do, starting processes costs more than it saves.
_WORTH_PROCESSES: Final = 8 << 20
_BATCH_BYTES: Final = 32 << 20
_BATCH_JOBS: Final = 200


def sync(
    home: Home,
    roots: Iterable[Path],
    *,
    now: dt.datetime,
    rebuild: bool = False,
    may_defer: bool = False,
    on_progress: OnProgress | None = None,
    workers: int | None = None,
) -> SyncReport:
    """Bring the archive up to date with the roots, or derive all rows again.

    With `may_defer`, rows of long sessions that still grow are derived when those pause; sync again
    soon after.
    """
    with writer_lock(home.lock), without_collector():
        database = SqliteDatabase(open_for_writing(home.database))
        try:
            state = SyncState(home, FullTextIndex(database), now)
            running = _Sync(state, on_progress, workers)
            return running.run(list(roots), rebuild=rebuild, may_defer=may_defer)
        finally:
            database.close()


class _Sync:
    """One sync from start to end."""

    def __init__(
        self, state: SyncState, on_progress: OnProgress | None, workers: int | None
    ) -> None:
        self.state = state
        self.on_progress = on_progress
        self.workers = workers or count_cores()

    def run(self, roots: list[Path], *, rebuild: bool, may_defer: bool) -> SyncReport:
        """Do all steps."""
        state = self.state
        report = state.report
        report.roots = [to_text(str(root)) for root in roots]
        self._update_prices()
        recovered = self._recover(roots)
        new_damage = self._find_damage()
        for root in roots:
            state.found.update(find_changes(state, root))
        outdated = self._outdated(rebuild=rebuild) | recovered
        jobs = make_jobs(state, outdated | state.deferral.stale.keys())
        if may_defer:
            jobs = list(defer_jobs(state, jobs, outdated))
        self._run(jobs)
        self._report_damage(new_damage)
        add_checksums(state.database, state.blobs)
        state.index.update_words()
        report.sessions_total = int(next(state.database.rows("count_archive"))[0])
        report.bytes_read += state.idle.read_bytes
        return report

    def _update_prices(self) -> None:
        """Price all calls again if their costs rest on other prices."""
        database = self.state.database
        if not has_current_prices(database):
            with database.transaction():
                price_again(database)

    def _recover(self, roots: list[Path]) -> set[str]:
        """Add blobs that the database does not know; return the sessions they belong to."""
        state = self.state
        names = [to_text(str(root.absolute())) for root in roots]
        recovered = recover_blobs(state.database, state.blobs, names, state.now)
        state.report.faults.extend(recovered.errors)
        if recovered.paths:
            state.known = load_files(state.database)
        return recovered.sessions

    def _find_damage(self) -> set[tuple[int, int]]:
        """Find damaged blobs without opening any; return those that are new."""
        state = self.state
        before = set(state.damage)
        short = find_short_blobs(state.database, state.blobs, state.known.values())
        with state.database.transaction():
            save_damage(state.database, short)
        state.damage = load_damage(state.database)
        return set(state.damage) - before

    def _report_damage(self, new: set[tuple[int, int]]) -> None:
        """Report the damaged blobs that were found and could not be repaired."""
        left = load_damage(self.state.database)
        files = {known.id: known for known in self.state.known.values()}
        for key in sorted(new & set(left)):
            if key[0] in files:
                blob = files[key[0]].blob_of(key[1])
                self.state.report.faults.append(str(DamagedBlobError(blob, left[key].reason)))

    def _outdated(self, *, rebuild: bool) -> set[str]:
        """Return the sessions whose rows an older parser made, or all of them."""
        if rebuild:
            return {known.session_id for known in self.state.known.values() if known.session_id}
        values = {"parser_version": PARSER_VERSION}
        return {str(row[0]) for row in self.state.database.rows("outdated_sessions", values)}

    def _run(self, jobs: list[Job]) -> None:
        """Run all jobs, commit their results in batches, and report progress."""
        progress = SyncProgress(
            sum(job.work_bytes for job in jobs),
            total_sessions=sum(job.derives_session for job in jobs),
        )
        if jobs:
            self._show(progress)
        for batch in _batches(self._results(jobs, progress)):
            write_results(self.state, batch)
            progress.committed_bytes = progress.done_bytes
            progress.committed_sessions = progress.sessions
            self._show(progress)

    def _results(self, jobs: list[Job], progress: SyncProgress) -> Iterator[tuple[JobResult, int]]:
        """Run all jobs and report progress; return each result with the bytes it stands for."""
        for job, result in self._run_jobs(jobs):
            progress.done_bytes += job.work_bytes
            progress.sessions += job.derives_session
            self._show(progress)
            yield result, job.work_bytes

    def _show(self, progress: SyncProgress) -> None:
        if self.on_progress is not None:
            self.on_progress(progress)

    def _run_jobs(self, jobs: list[Job]) -> Iterator[tuple[Job, JobResult]]:
        """Run all jobs, with other processes if there is enough to do."""
        workers = min(self.workers, len(jobs))
        if workers == 1 or sum(job.work_bytes for job in jobs) < _WORTH_PROCESSES:
            return ((job, run_job(job)) for job in jobs)
        return run_in_processes(jobs, workers)


def _batches(results: Iterable[tuple[JobResult, int]]) -> Iterator[list[JobResult]]:
    """Group results into batches that are worth a transaction, and small enough for memory."""
    batch: list[JobResult] = []
    size = 0
    for result, weight in results:
        batch.append(result)
        size += weight
        if size >= _BATCH_BYTES or len(batch) >= _BATCH_JOBS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
