"""One archive → another: bytes are copied, rows derived from them where they arrive.

What is there is not copied again, so a copy that was interrupted goes on where it was. A row speaks
of a file only after its bytes are durable, and of a session only after all of its files are there.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Final

import msgspec

from clew.clock import format_time
from clew.store.archived_files import ArchivedFile, insert_frames
from clew.store.blobs import DamagedBlobError
from clew.store.copy_plan import ArchiveFiles, BlobCopy, DifferentFileError, FileCopy, plan_file
from clew.store.deferral import mark_stale
from clew.store.digests import copy_digests
from clew.store.frames import Frame, compress
from clew.store.location import (
    Location,
    blobs_of,
    open_index_for_writing,
    require_own_blobs,
    translate_errors,
    writer_lock,
)
from clew.store.lock import enter
from clew.store.notes import copy_notes
from clew.store.protocols import Database
from clew.store.reader import ArchiveReader
from clew.store.sync import sync
from clew.store.sync_report import OnProgress

# Objects on a server take their time, whatever their size.
_AT_ONCE: Final = 8
_BATCH_FILES: Final = 64
_BATCH_BYTES: Final = 32 << 20


class CopyFault(msgspec.Struct, frozen=True):
    """A file that was not copied, and why."""

    path: str
    fault: str


class CopyReport(msgspec.Struct, kw_only=True):
    """What a copy did; `files` and `sessions` are those of the source."""

    schema: str = "clew.copy/1"
    source: str = ""
    destination: str = ""
    files: int = 0
    files_copied: int = 0
    bytes: int = 0
    bytes_copied: int = 0
    sessions: int = 0
    sessions_written: int = 0
    digests_copied: int = 0
    notes_copied: int = 0
    faults: list[CopyFault] = []
    seconds: float = 0.0


class _CopiedBlobs(msgspec.Struct, frozen=True):
    """The new frames of each blob of a file, or what is wrong with one of them."""

    plan: FileCopy
    frames: list[list[Frame]]
    fault: str = ""


def copy_archive(
    reader: ArchiveReader,
    destination: Location,
    *,
    now: dt.datetime,
    on_copied: Callable[[int], object],
    on_progress: OnProgress | None = None,
    workers: int | None = None,
) -> CopyReport:
    """Copy all files of an archive into another one, derive their rows there, and prove it.

    `on_copied` is called with the number of bytes that have been copied or found since.

    Raises:
        ArchiveBusyError: Another process writes to the destination.
    """
    report = CopyReport()
    with _opened(destination) as target:
        _copy_files(ArchiveFiles(reader.database, reader.blobs), target, report, now, on_copied)
    synced = sync(destination, [], now=now, on_progress=on_progress, workers=workers)
    report.sessions_written = synced.sessions_written
    report.faults += [CopyFault("", fault) for fault in synced.faults]
    with _opened(destination) as target:
        report.digests_copied = copy_digests(reader.database, target.database, destination)
        report.notes_copied = copy_notes(reader.database, target.database, destination)
        _prove(reader, target, report)
    return report


@contextmanager
def _opened(location: Location) -> Iterator[ArchiveFiles]:
    with translate_errors(location), writer_lock(location):
        database = open_index_for_writing(location).database
        try:
            enter(database, is_alone=True)
            found = ArchiveFiles(database, blobs_of(location))
            require_own_blobs(location, found.blobs, found.files.values())
            yield found
        finally:
            database.close()


def _copy_files(
    source: ArchiveFiles,
    target: ArchiveFiles,
    report: CopyReport,
    now: dt.datetime,
    on_copied: Callable[[int], object],
) -> None:
    files = sorted(source.files.values(), key=_order)
    report.files, report.bytes = len(files), sum(file.kept_bytes for file in files)
    times = {int(row[0]): (row[1], row[2]) for row in source.database.rows("file_times")}
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for batch in _batches(_plans(source, target, files, report, on_copied)):
            written = list(pool.map(partial(_copy_blobs, source, target), batch))
            done = [copy for copy in written if not copy.fault]
            target.blobs.flush(blob.name for copy in done for blob in copy.plan.blobs)
            with target.database.transaction():
                for copy in done:
                    _write_rows(target.database, copy, times[copy.plan.file.id], now)
            report.files_copied += len(done)
            report.bytes_copied += sum(copy.plan.size_bytes for copy in done)
            report.faults += [CopyFault(c.plan.file.path, c.fault) for c in written if c.fault]
            on_copied(sum(plan.file.kept_bytes for plan in batch))


def _order(file: ArchivedFile) -> tuple[str, str, str]:
    """Return what keeps the files of a session together."""
    return file.session_id or "", file.root, file.path


def _plans(
    source: ArchiveFiles,
    target: ArchiveFiles,
    files: Iterable[ArchivedFile],
    report: CopyReport,
    on_copied: Callable[[int], object],
) -> Iterator[FileCopy]:
    """Find what is to be copied; files that cannot be are reported."""
    for file in files:
        try:
            plan = plan_file(source, target, file)
        except (DamagedBlobError, DifferentFileError) as error:
            report.faults.append(CopyFault(file.path, str(error)))
            plan = None
        if plan is None:
            on_copied(file.kept_bytes)
        else:
            yield plan


def _batches(plans: Iterable[FileCopy]) -> Iterator[list[FileCopy]]:
    batch: list[FileCopy] = []
    for plan in plans:
        batch.append(plan)
        if len(batch) >= _BATCH_FILES or sum(each.size_bytes for each in batch) >= _BATCH_BYTES:
            yield batch
            batch = []
    if batch:
        yield batch


def _copy_blobs(source: ArchiveFiles, target: ArchiveFiles, plan: FileCopy) -> _CopiedBlobs:
    """Copy the blobs of a file, verified on the way."""
    try:
        return _CopiedBlobs(plan, [_copy_blob(source, target, blob) for blob in plan.blobs])
    except DamagedBlobError as error:
        return _CopiedBlobs(plan, [], str(error))


def _copy_blob(source: ArchiveFiles, target: ArchiveFiles, blob: BlobCopy) -> list[Frame]:
    pieces = (piece for piece in source.blobs.read(blob.source_name, blob.frames) if piece)
    start = sum(frame.size_bytes for frame in blob.present)
    at = sum(frame.blob_bytes for frame in blob.present)
    found: list[Frame] = []

    def packed() -> Iterator[tuple[bytes, Frame]]:
        for data, frame in compress(pieces, start, at):
            found.append(frame)
            yield data, frame

    target.blobs.append(blob.name, at, packed())
    return found


def _write_rows(
    database: Database, copy: _CopiedBlobs, times: tuple[str, str | None], now: dt.datetime
) -> None:
    """Write the rows of a file and its blobs; its session's are to be derived."""
    file, known = copy.plan.file, copy.plan.known
    if known is None or copy.plan.is_newest:
        file_id = _write_file(database, file, known, times)
    else:
        file_id = known.id
    for blob, new in zip(copy.plan.blobs, copy.frames, strict=True):
        values = {"file_id": file_id, "generation": blob.generation}
        if not blob.present:
            database.run("delete_frames", values)
        database.run("delete_damage", values)
        insert_frames(database, file_id, blob.generation, new)
    if file.session_id:
        mark_stale(database, file.session_id, format_time(now))


def _write_file(
    database: Database,
    file: ArchivedFile,
    known: ArchivedFile | None,
    times: tuple[str, str | None],
) -> int:
    first_seen_at, vanished_at = times
    values = msgspec.structs.asdict(file)
    blob_path = file.blob_path if known is None else known.blob_path
    values.update(kind=str(file.kind), first_seen_at=first_seen_at, blob_path=blob_path)
    file_id = int(next(database.rows("upsert_file", values))[0])
    if file.state == "vanished":
        database.run("mark_vanished", {"id": file_id, "now": vanished_at})
    return file_id


def _prove(reader: ArchiveReader, target: ArchiveFiles, report: CopyReport) -> None:
    """Compare both archives: each file by its hashes, and which sessions have rows."""
    source = ArchiveFiles(reader.database, reader.blobs)
    failed = {fault.path for fault in report.faults}
    for file in source.files.values():
        if file.path not in failed and _differs(source, target, file):
            report.faults.append(CopyFault(file.path, "the copy is not complete; run this again"))
    found = {str(row[0]) for row in target.database.rows("session_ids")}
    ours = {str(row[0]) for row in reader.database.rows("session_ids")}
    report.sessions = len(ours)
    with_faults = {file.session_id for file in source.files.values() if file.path in failed}
    for name in sorted(ours - found - with_faults):
        report.faults.append(CopyFault("", f"session {name} has no rows; run this again"))


def _differs(source: ArchiveFiles, target: ArchiveFiles, file: ArchivedFile) -> bool:
    try:
        return plan_file(source, target, file) is not None
    except (DamagedBlobError, DifferentFileError):
        return True
