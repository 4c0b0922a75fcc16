"""ArchiveUpkeep: sync, verify, restore, copy and export."""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from clew.archive.opened import OpenedArchive
from clew.archive.roots import default_roots
from clew.errors import UsageError
from clew.store import (
    CLEANUP_DAYS,
    ArchivedFile,
    ArchiveStatus,
    ExpiringSession,
    SyncProgress,
    SyncReport,
    find_expiring,
    read_status,
    sync,
    translate_errors,
)

if TYPE_CHECKING:
    from clew.store import CopyReport, ExportedTable, LakeReport, RestoredFile, VerifiedFile, Wait


class ArchiveUpkeep(OpenedArchive):
    """Sync, verify, restore, copy and export."""

    def sync(
        self,
        roots: Iterable[Path] | None = None,
        *,
        now: dt.datetime | None = None,
        rebuild: bool = False,
        may_defer: bool = False,
        max_bytes: int | None = None,
        on_progress: Callable[[SyncProgress], None] | None = None,
        workers: int | None = None,
    ) -> SyncReport:
        """Bring the archive up to date with the roots, by default all of this machine.

        With `may_defer`, the rows of long sessions that still grow wait until those pause.

        Raises:
            LargeSyncError: There is more to archive than `max_bytes`, and nothing was archived.
            ArchiveBusyError: Another process writes to it.
            ArchiveUnavailableError: Its disk, server or bucket cannot be reached or written.
        """
        places = default_roots() if roots is None else roots
        moment = dt.datetime.now(dt.UTC) if now is None else now
        with translate_errors(self.location):
            return sync(
                self.location,
                places,
                now=moment,
                rebuild=rebuild,
                may_defer=may_defer,
                max_bytes=max_bytes,
                on_progress=on_progress,
                workers=workers,
            )

    def follow(self, roots: Iterable[Path], wait: "Wait") -> Iterator[None]:
        """Return a sign whenever there may be something to sync, until `wait` says to end."""
        from clew.store import follow

        return follow(roots, wait)

    def status(self, now: dt.datetime, cleanup_days: int = CLEANUP_DAYS) -> ArchiveStatus:
        """Tell what is archived, and what the client will delete within a week."""
        return read_status(self._reader.database, self.location, now, cleanup_days)

    def expiring_sessions(
        self, now: dt.datetime, cleanup_days: int = CLEANUP_DAYS
    ) -> list[ExpiringSession]:
        """List the archived sessions that the client will delete within a week."""
        return find_expiring(self._reader.database, now, cleanup_days)

    def last_push(self, server: str) -> str:
        """Return when a team server last acknowledged something; "" if it never did."""
        [[found]] = self._reader.database.rows("last_push", {"server": server})
        return str(found or "")

    def archived_files(self, sessions: Iterable[str] = ()) -> list[ArchivedFile]:
        """List the archived files: all, or those of sessions named as in `restore`."""
        wanted = {self._reader.find_session(name) for name in sessions}
        return [file for file in self._reader.files() if not wanted or file.session_id in wanted]

    def session_files(self, session_id: str) -> list[ArchivedFile]:
        """List the archived files of one session."""
        return self._reader.session_files(session_id)

    def read_file(self, file: ArchivedFile) -> Iterator[bytes]:
        """Read an archived file, verified by its hashes.

        Raises:
            DamagedBlobError: The archived copy is damaged.
        """
        return self._reader.read_file(file)

    def file_hash(self, file: ArchivedFile) -> str | None:
        """Return the SHA-256 of an archived file in hex, if it is known without reading it."""
        return self._reader.file_hash(file)

    def verify(self, *, sources: bool = False, purged: bool = False) -> Iterator["VerifiedFile"]:
        """Verify every archived file by its hashes; return each with what is wrong, if anything is.

        Args:
            sources: Compare each file with its source as well, where that is there.
            purged: Earlier versions may have been deleted, as on a team server.
        """
        from clew.store import verify

        return verify(self._reader, sources=sources, purged=purged)

    def verify_database(self, *, kept_only: bool = False) -> list[str]:
        """Return what is wrong with the database: by SQLite's own check, and against the files.

        Args:
            kept_only: Check only the tables of archived files, not the rows derived from them.
        """
        from clew.store import unknown_blobs, verify_database

        faults = verify_database(self._reader.database, kept_only=kept_only)
        unknown = unknown_blobs(self._reader)
        return [*faults, *(f"the archived file {name} is not in it" for name in unknown)]

    def restore(
        self,
        folder: Path,
        *,
        sessions: Iterable[str] = (),
        overwrite: bool = False,
        earlier: bool = False,
    ) -> Iterator["RestoredFile"]:
        """Write archived files back, byte for byte, below a folder; return each as it is done.

        One that is damaged, or cannot be written, is given with its `fault`, and is not written.

        Args:
            folder: Where to; it is made when it is not there.
            sessions: Whose files, by their ids or the beginnings of them; by default all.
            overwrite: Write over files that are there.
            earlier: Also write earlier versions of rewritten files, as `NAME.g1`.

        Raises:
            FileExistsHereError: The file exists, and `overwrite` is not set.
            SessionNotFoundError: No session has such an id, or several have.
        """
        from clew.store import restore

        files = self.archived_files(sessions)
        return restore(self._reader, files, folder, overwrite=overwrite, earlier=earlier)

    def copy_to(
        self,
        destination: OpenedArchive,
        *,
        now: dt.datetime | None = None,
        on_copied: Callable[[int], object] = lambda _: None,
        on_progress: Callable[[SyncProgress], None] | None = None,
        workers: int | None = None,
    ) -> "CopyReport":
        """Copy all archived files into another archive, and derive their rows there.

        What the destination has is not copied again, so an interrupted copy can be continued.

        Args:
            destination: It need not exist yet; what else it has stays.
            now: The present time, by default that of the clock.
            on_copied: Called with the number of bytes that have been copied since.
            on_progress: Called while rows are derived, as by `sync`.
            workers: How many processes derive rows, by default one for each core.

        Raises:
            UsageError: It is the same archive.
            ArchiveBusyError: Another process writes to the destination.
        """
        from clew.store import copy_archive

        if destination.location == self.location:
            raise UsageError("the archive cannot be copied to itself; choose another destination")
        with translate_errors(destination.location):
            report = copy_archive(
                self._reader,
                destination.location,
                now=dt.datetime.now(dt.UTC) if now is None else now,
                on_copied=on_copied,
                on_progress=on_progress,
                workers=workers,
            )
        report.source, report.destination = self.location.name, destination.location.name
        return report

    def export_parquet(self, folder: Path, *, overwrite: bool = False) -> Iterator["ExportedTable"]:
        """Write the rows as Parquet, one file per table and view; return each as it is done.

        Raises:
            ParquetMissingError: pyarrow is not installed.
            FileExistsHereError: The file exists, and `overwrite` is not set.
        """
        from clew.store import export_parquet

        _ = self._reader
        return export_parquet(self.location, folder, overwrite=overwrite)

    def export_lake(
        self,
        place: str,
        *,
        rewrite: bool = False,
        now: dt.datetime | None = None,
        on_sessions: Callable[[int, int], object] | None = None,
    ) -> "LakeReport":
        """Write the rows as Parquet by month and project, only of sessions that changed.

        Args:
            place: A folder, or `s3://BUCKET/PREFIX`.
            rewrite: Also write what has not changed.
            now: The present.
            on_sessions: Called with how many sessions have been written, and will be.

        Raises:
            ParquetMissingError: pyarrow is not installed.
            LakeBusyError: Another export writes to the same place.
        """
        from clew.store import ParquetTables, export_lake

        database = self._reader.database
        tables = ParquetTables(self.location)
        try:
            return export_lake(
                database,
                tables,
                place,
                now=dt.datetime.now(dt.UTC) if now is None else now,
                rewrite=rewrite,
                on_sessions=on_sessions,
            )
        finally:
            tables.close()
