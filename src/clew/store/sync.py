"""Bring the archive up to date: find changes, archive them, derive rows, write them."""

import datetime as dt
from collections.abc import Generator, Iterable
from contextlib import closing
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
from clew.store.job_order import weigh
from clew.store.jobs import Job, JobResult
from clew.store.lock import writer_lock
from clew.store.pricing import has_current_prices, price_again
from clew.store.recover_blobs import recover_blobs
from clew.store.session_tables import PARSER_VERSION
from clew.store.sqlite import FullTextIndex, SqliteDatabase, open_for_writing
from clew.store.sync_jobs import defer_jobs, make_jobs, require_small
from clew.store.sync_report import OnProgress, SyncProgress, SyncReport
from clew.store.sync_sources import find_changes
from clew.store.sync_state import SyncState
from clew.store.sync_write import write_results
from clew.store.workers import Load, run_here, run_in_processes

# With less to do, starting processes costs more than it saves.
_WORTH_PROCESSES: Final = 8 << 20
_FIRST_BATCH_BYTES: Final = 2 << 20
_BATCH_BYTES: Final = 32 << 20


def sync(
    home: Home,
    roots: Iterable[Path],
    *,
    now: dt.datetime,
    rebuild: bool = False,
    may_defer: bool = False,
    max_bytes: int | None = None,
    on_progress: OnProgress | None = None,
    workers: int | None = None,
) -> SyncReport:
    """Bring the archive up to date with the roots, or derive all rows again.

    With `may_defer`, rows of long sessions that still grow are derived when those pause; sync again
    soon after.

    Raises:
        LargeSyncError: There is more to do than `max_bytes`, and nothing was done.
    """
    with writer_lock(home.lock), without_collector():
        database = SqliteDatabase(open_for_writing(home.database))
        try:
            state = SyncState(home, FullTextIndex(database), now)
            running = _Sync(state, on_progress, workers)
            running.max_bytes = max_bytes
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
        self.max_bytes: int | None = None

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
        require_small(jobs, self.max_bytes)
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
        batch = _Batch()
        # Closed before the archive is unlocked: until then other processes write to it.
        with closing(self._run_jobs(jobs)) as bundles:
            for bundle, load in bundles:
                self._add(batch, bundle, load, progress)
                # It refers to packed results, which are needed no longer.
                del load
                if batch.is_full:
                    self._commit(batch, progress)
            self._commit(batch, progress)

    def _add(self, batch: "_Batch", bundle: list[Job], load: Load, progress: SyncProgress) -> None:
        """Add what jobs brought to the batch, or to the next one."""
        weight = weigh(bundle)
        if not batch.has_room(weight):
            self._commit(batch, progress)
        batch.add(load(), weight)
        for job in bundle:
            progress.done_bytes += job.work_bytes
            progress.sessions += job.derives_session
            self._show(progress)

    def _commit(self, batch: "_Batch", progress: SyncProgress) -> None:
        if not batch.results:
            return
        write_results(self.state, batch.results)
        batch.clear()
        progress.committed_bytes = progress.done_bytes
        progress.committed_sessions = progress.sessions
        self._show(progress)

    def _show(self, progress: SyncProgress) -> None:
        if self.on_progress is not None:
            self.on_progress(progress)

    def _run_jobs(self, jobs: list[Job]) -> Generator[tuple[list[Job], Load]]:
        """Run all jobs, with other processes if there is enough to do."""
        workers = min(self.workers, len(jobs))
        if workers <= 1 or weigh(jobs) < _WORTH_PROCESSES:
            return run_here(jobs)
        return run_in_processes(jobs, workers)


class _Batch:
    """Results that are committed together: few at first, so that the newest can be read soon."""

    def __init__(self) -> None:
        self.results: list[JobResult] = []
        self._bytes = 0
        self._most_bytes = _FIRST_BATCH_BYTES

    @property
    def is_full(self) -> bool:
        """Whether it is worth a transaction."""
        return self._bytes >= self._most_bytes

    def has_room(self, weight: int) -> bool:
        """Tell whether more results fit, as far as memory allows."""
        return self._bytes + weight <= self._most_bytes

    def add(self, results: list[JobResult], weight: int) -> None:
        """Add results."""
        self.results += results
        self._bytes += weight

    def clear(self) -> None:
        """Begin the next batch, which may be larger."""
        self.results = []
        self._bytes = 0
        self._most_bytes = min(2 * self._most_bytes, _BATCH_BYTES)
