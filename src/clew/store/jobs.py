"""One session's work, done in any process: archive new bytes, build, make rows."""

import errno
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from clew.source import TRANSCRIPT_KINDS, SourceFile
from clew.store.archive_file import FileUpdate, archive_file
from clew.store.archived_files import ArchivedFile
from clew.store.blobs import DamagedBlobError, UnreadableBlobError
from clew.store.derive import BlobContent, Derived, FileContent, derive
from clew.store.frames import Frame
from clew.store.inline_limits import LAPTOP_LIMITS, InlineLimits
from clew.store.open_blobs import open_blobs
from clew.store.protocols import Blobs

_FLUSH_THREADS: Final = 16
_Flush: TypeAlias = Callable[[Blobs, Iterable[str]], None]


class FileTask(msgspec.Struct, frozen=True):
    """One file of a session: as found (None if it is gone), as archived, and its frames."""

    root: str
    found: SourceFile | None
    known: ArchivedFile | None
    frames: tuple[Frame, ...]
    is_changed: bool
    is_damaged: bool = False

    def as_source(self) -> SourceFile | None:
        """Return the file as found or, when it is gone, as known."""
        return self.found or (self.known.as_source() if self.known else None)


class Job(msgspec.Struct, frozen=True):
    """All files of one session, or files of no session that are only archived.

    The rows of a session that still grows may be derived later. They have texts up to `limits`.
    """

    session_id: str | None
    files: tuple[FileTask, ...]
    blobs: str
    is_deferred: bool = False
    limits: InlineLimits = LAPTOP_LIMITS

    @property
    def new_bytes(self) -> int:
        """How much there is to read, at most."""
        return sum(
            work.found.size - (work.known.kept_bytes if work.known else 0)
            for work in self.files
            if work.is_changed and work.found is not None
        )

    @property
    def derives_session(self) -> bool:
        """Whether it makes the rows of a session now; sidecars alone are no session."""
        if self.session_id is None or self.is_deferred:
            return False
        sources = (work.as_source() for work in self.files)
        return any(file is not None and file.kind in TRANSCRIPT_KINDS for file in sources)

    @property
    def work_bytes(self) -> int:
        """How much there is to go through: what is new, or all that is archived when nothing is."""
        return self.new_bytes or sum(work.known.kept_bytes for work in self.files if work.known)


class FileResult(msgspec.Struct, frozen=True):
    """What became of one changed file."""

    root: str
    path: str
    growth: FileUpdate | None
    error: str = ""


class JobResult(msgspec.Struct, frozen=True):
    """What a job brought; `faults` tell of archived files that cannot be used.

    `damaged` is the blob that turned out to be damaged, if any.
    """

    session_id: str | None
    files: tuple[FileResult, ...]
    derived: Derived | None
    faults: tuple[str, ...] = ()
    is_deferred: bool = False
    damaged: str = ""


def run_jobs(jobs: Sequence[Job]) -> list[JobResult]:
    """Do some jobs. A file that cannot be read is reported, and the rest goes on.

    What they archive is durable when they are done.
    """
    # The disk takes its time, needs no processor for it, and does several files in the time of one.
    with ThreadPoolExecutor(_FLUSH_THREADS) as beside:
        flushes: list[Future[None]] = []

        def flush(blobs: Blobs, names: Iterable[str]) -> None:
            flushes.extend(beside.submit(blobs.flush, [name]) for name in names)

        done = [_run_job(job, flush) for job in jobs]
        for flushed in flushes:
            flushed.result()
    return done


def _run_job(job: Job, flush: _Flush) -> JobResult:
    """Do one job.

    A blob that turns out to be damaged is written again from its source, if that exists; else the
    session's rows stay as they were.
    """
    present = {work.known.blob for work in job.files if work.is_changed and work.known}
    damaged = {work.known.blob for work in job.files if work.is_damaged and work.known}
    while True:
        done = _run_once(job, damaged, flush)
        if done.damaged not in present - damaged:
            return done
        damaged.add(done.damaged)


def _run_once(job: Job, damaged: set[str], flush: _Flush) -> JobResult:
    """Do one job, given the blobs that are known to be damaged."""
    blobs = open_blobs(job.blobs)
    broken = ""
    done: list[FileResult] = []
    files: list[FileContent] = []
    faults: list[str] = []
    for work in job.files:
        try:
            finished, held = _archive(blobs, work, damaged)
        except DamagedBlobError as error:
            faults.append(str(error))
            continue
        if finished is not None:
            done.append(finished)
        if held is not None:
            files.append(held)
    flush(blobs, (name for file in done for name in _written(file)))
    derived = None
    if job.session_id is not None and not faults and not job.is_deferred:
        try:
            derived = derive(job.session_id, files, blobs, job.limits)
        except DamagedBlobError as error:
            faults.append(str(error))
            broken = "" if isinstance(error, UnreadableBlobError) else error.name
    is_deferred = job.is_deferred and not faults
    return JobResult(job.session_id, tuple(done), derived, tuple(faults), is_deferred, broken)


def _written(file: FileResult) -> Iterator[str]:
    """Return the name of a file's blob if anything was written to it."""
    growth = file.growth
    if growth is not None and (growth.frames or not growth.kept_bytes):
        yield growth.blob


def _archive(
    blobs: Blobs, work: FileTask, damaged: set[str]
) -> tuple[FileResult | None, FileContent | None]:
    known, found = work.known, work.found
    old = None if known is None else BlobContent(known.blob, work.frames)
    if not work.is_changed or found is None:
        return None, _file_content(work.as_source(), old)
    try:
        is_damaged = known is not None and known.blob in damaged
        growth, new = archive_file(
            blobs, work.root, found, known, work.frames, is_damaged=is_damaged
        )
    except FileNotFoundError:
        # As if it had gone before anybody looked; the next sync knows.
        return FileResult(work.root, found.relative, None), _file_content(found, old)
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in _FATAL:
            raise
        return FileResult(work.root, found.relative, None, reason), _file_content(found, old)
    done = FileResult(work.root, found.relative, growth)
    # As it will be known from now on: rows speak of files by what is archived of their names.
    source = msgspec.structs.replace(found, path=Path(work.root, found.relative))
    return done, FileContent(source, _content(work, growth, new))


def _content(work: FileTask, growth: FileUpdate, new: list[bytes] | None) -> BlobContent:
    """Return a changed file's content; new bytes that are not in memory are read from its blob."""
    known = work.known
    grew = known is not None and growth.generation == known.generation and known.kept_bytes > 0
    before = work.frames if grew and not growth.is_repaired else ()
    if new is None:
        return BlobContent(growth.blob, (*before, *growth.frames))
    return BlobContent(growth.blob, before, tuple(new))


def _file_content(source: SourceFile | None, content: BlobContent | None) -> FileContent | None:
    return FileContent(source, content) if source is not None and content is not None else None


def encode_done(done: list[JobResult]) -> bytes:
    """Pack results for the way between processes."""
    return msgspec.msgpack.encode(done)


def decode_done(raw: bytes) -> list[JobResult]:
    """Unpack them again."""
    return msgspec.msgpack.decode(raw, type=list[JobResult])


def run_jobs_packed(jobs: Sequence[Job]) -> bytes:
    """Do some jobs in a worker process."""
    return encode_done(run_jobs(jobs))


_FATAL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)
"""No space, quota or limit exceeded, read-only: nothing else will go better."""
