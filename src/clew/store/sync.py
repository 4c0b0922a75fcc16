"""Bring the archive up to date: find changes, archive them, derive rows, write them."""

import datetime as dt
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from clew.collector import without_collector
from clew.source import to_text
from clew.store.archived_files import load_files
from clew.store.blob_checksums import add_checksums
from clew.store.blobs import DamagedBlobError
from clew.store.damage import find_short_blobs, load_damage, save_damage
from clew.store.errors import WriteConflictError
from clew.store.home import Home
from clew.store.location import (
    Location,
    open_index_for_writing,
    require_own_blobs,
    writer_lock,
)
from clew.store.lock import enter
from clew.store.pricing import has_current_prices, price_again
from clew.store.recover_blobs import recover_blobs
from clew.store.sealing import seal_idle_blobs
from clew.store.session_tables import PARSER_VERSION
from clew.store.sync_report import OnProgress, SyncReport
from clew.store.sync_sources import find_changes
from clew.store.sync_state import SyncState

_UNFINISHED: Final = dt.timedelta(hours=1)
"""No sync takes so long from a blob to its rows."""
_NANO: Final = 1_000_000_000
_MOST_RETRIES: Final = 3


def sync(
    location: Location,
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
        ArchiveBusyError: Another process has the archive to itself.
    """
    places = list(roots)

    def run() -> SyncReport:
        index = open_index_for_writing(location)
        try:
            enter(index.database)
            state = SyncState(location, index, now)
            require_own_blobs(location, state.blobs, state.known.values())
            running = _Sync(state, on_progress, workers)
            running.max_bytes = max_bytes
            return running.run(places, rebuild=rebuild, may_defer=may_defer)
        finally:
            index.database.close()

    with writer_lock(location), without_collector():
        return _retry(run)


def _retry(run: Callable[[], SyncReport]) -> SyncReport:
    """Begin anew after a conflict, some times: what was committed before stays."""
    for _ in range(_MOST_RETRIES):
        with suppress(WriteConflictError):
            return run()
    return run()


class _Sync:
    """One sync from start to end."""

    def __init__(
        self, state: SyncState, on_progress: OnProgress | None, workers: int | None
    ) -> None:
        self.state = state
        self.on_progress = on_progress
        self.workers = workers
        self.max_bytes: int | None = None

    def run(self, roots: list[Path], *, rebuild: bool, may_defer: bool) -> SyncReport:
        """Do all steps."""
        state = self.state
        report = state.report
        report.roots = [to_text(str(root)) for root in roots]
        self._update_prices()
        recovered = self._recover(roots)
        self._recover_digests()
        self._recover_notes()
        new_damage = self._find_damage()
        for root in roots:
            state.found.update(find_changes(state, root))
        outdated = self._outdated(rebuild=rebuild) | recovered
        if state.found or outdated or state.deferral.stale:
            self._archive(outdated, rebuild=rebuild, may_defer=may_defer)
        self._report_damage(new_damage)
        add_checksums(state.database, state.blobs)
        seal_idle_blobs(state)
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
        # Where several sync at once, blobs without rows may be those of a sync that goes on.
        finished = None if isinstance(state.location, Home) else state.started - _UNFINISHED
        before_ns = None if finished is None else round(finished.timestamp() * _NANO)
        recovered = recover_blobs(state.database, state.blobs, names, state.now, before_ns)
        state.report.faults.extend(recovered.errors)
        if recovered.paths:
            state.known = load_files(state.database)
        return recovered.sessions

    def _recover_digests(self) -> None:
        """Add the digests that the database has lost."""
        location = self.state.location
        if isinstance(location, Home) and location.digests.is_dir():
            from clew.store.digests import recover_digests

            recover_digests(self.state.database, location)

    def _recover_notes(self) -> None:
        """Add the readers' notes that the database has lost."""
        location = self.state.location
        if isinstance(location, Home) and location.notes.is_dir():
            from clew.store.notes import recover_notes

            recover_notes(self.state.database, location)

    def _find_damage(self) -> set[tuple[int, int]]:
        """Find damaged blobs without opening any; return those that are new."""
        state = self.state
        before = set(state.damage)
        short = find_short_blobs(state.database, state.blobs, state.known.values())
        if short:
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

    def _archive(self, outdated: set[str], *, rebuild: bool, may_defer: bool) -> None:
        """Archive what changed and derive rows; a sync that finds nothing needs no code for it."""
        from clew.store.claims import SharedClaims, SoleClaims
        from clew.store.job_runner import JobRunner
        from clew.store.sync_jobs import defer_jobs, keep_newer_rows, make_jobs, require_small

        state = self.state
        jobs = make_jobs(state, outdated | state.deferral.stale.keys())
        jobs = list(keep_newer_rows(state, jobs))
        if may_defer:
            jobs = list(defer_jobs(state, jobs, outdated))
        require_small(jobs, self.max_bytes)
        is_shared = state.database.is_shared
        claims = SharedClaims(state, rebuild=rebuild) if is_shared else SoleClaims(state)
        JobRunner(claims, self.on_progress, self.workers).run(jobs)
