"""Jobs → committed rows: run them here or in other processes, and write results in batches."""

from collections.abc import Generator, Iterable
from contextlib import closing
from typing import Final

from clew.processes import count_cores
from clew.store.claims import Claims, Finished
from clew.store.job_order import weigh
from clew.store.jobs import Job
from clew.store.sync_report import OnProgress, SyncProgress
from clew.store.workers import Load, run_here, run_in_processes

# With less to do, starting processes costs more than it saves.
_WORTH_PROCESSES: Final = 8 << 20
# The newest sessions can be read as soon as they are committed, so the first batches are small.
_FIRST_BATCH_BYTES: Final = 2 << 20
_FIRST_BATCHES: Final = 8
_BATCH_BYTES: Final = 32 << 20


class JobRunner:
    """Runs the jobs of one sync."""

    def __init__(self, claims: Claims, on_progress: OnProgress | None, workers: int | None) -> None:
        self.claims = claims
        self.on_progress = on_progress
        self.workers = workers or count_cores()

    def run(self, jobs: list[Job]) -> None:
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
                if batch.is_full or not self.claims.has_room:
                    self._commit(batch, progress)
            self._commit(batch, progress)
        if progress.done_bytes != progress.total_bytes:
            # Other syncs did the rest, or are at it.
            progress.total_bytes = progress.done_bytes
            progress.total_sessions = progress.sessions
            self._show(progress)

    def _add(self, batch: "_Batch", bundle: list[Job], load: Load, progress: SyncProgress) -> None:
        """Add what jobs brought to the batch, or to the next one."""
        weight = weigh(bundle)
        if not batch.has_room(weight):
            self._commit(batch, progress)
        batch.add(zip(bundle, load(), strict=True), weight)
        for job in bundle:
            progress.done_bytes += job.work_bytes
            progress.sessions += job.derives_session
            self._show(progress)

    def _commit(self, batch: "_Batch", progress: SyncProgress) -> None:
        if not batch.finished:
            return
        self.claims.commit(batch.finished)
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
            return run_here(jobs, self.claims)
        return run_in_processes(jobs, self.claims, workers)


class _Batch:
    """Results that are committed together: few at first, so that the newest can be read soon."""

    def __init__(self) -> None:
        self.finished: list[Finished] = []
        self._bytes = 0
        self._most_bytes = _FIRST_BATCH_BYTES
        self._committed = 0

    @property
    def is_full(self) -> bool:
        """Whether it is worth a transaction."""
        return self._bytes >= self._most_bytes

    def has_room(self, weight: int) -> bool:
        """Tell whether more results fit, as far as memory allows."""
        return self._bytes + weight <= self._most_bytes

    def add(self, finished: Iterable[Finished], weight: int) -> None:
        """Add jobs with their results."""
        self.finished += finished
        self._bytes += weight

    def clear(self) -> None:
        """Begin the next batch, which may be larger."""
        self.finished = []
        self._bytes = 0
        self._committed += 1
        if self._committed >= _FIRST_BATCHES:
            self._most_bytes = min(2 * self._most_bytes, _BATCH_BYTES)
