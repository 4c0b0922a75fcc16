"""One session's work, done in any process: keep new bytes, build, make rows."""

import errno
from collections.abc import Iterator
from pathlib import Path

import msgspec

from clew.conversation import build
from clew.sessions import SessionFiles, gather
from clew.source import SourceFile
from clew.store.blobs import FolderBlobs, Frame
from clew.store.kept import Growth, Kept, keep
from clew.store.rows import SessionRows, to_rows


class FileWork(msgspec.Struct, frozen=True):
    """One file of a session: as found (None when it is gone), as known, with its kept frames."""

    root: str
    found: SourceFile | None
    known: Kept | None
    frames: tuple[Frame, ...]
    is_changed: bool


class Job(msgspec.Struct, frozen=True):
    """All files of one session, or files of no session that are only kept."""

    session_id: str | None
    files: tuple[FileWork, ...]
    blobs: str

    @property
    def new_bytes(self) -> int:
        """How much there is to read, at most."""
        return sum(
            work.found.size - (work.known.kept_bytes if work.known else 0)
            for work in self.files
            if work.is_changed and work.found is not None
        )


class FileDone(msgspec.Struct, frozen=True):
    """What became of one changed file."""

    root: str
    path: str
    growth: Growth | None
    error: str = ""


class Done(msgspec.Struct, frozen=True):
    """What a job brought."""

    session_id: str | None
    files: tuple[FileDone, ...]
    rows: SessionRows | None


def run(job: Job) -> Done:
    """Do one job. A file that cannot be read is reported, and the rest goes on."""
    blobs = FolderBlobs(Path(job.blobs))
    done: list[FileDone] = []
    content: dict[Path, _Content] = {}
    sources: list[SourceFile] = []
    for work in job.files:
        finished, source, held = _keep(blobs, work)
        if finished is not None:
            done.append(finished)
        if source is not None and held is not None:
            sources.append(source)
            content[source.path] = held
    rows = None
    if job.session_id is not None:
        session = SessionFiles(job.session_id, tuple(sources))
        material = gather(session, lambda file: content[file.path].read(blobs))
        rows = to_rows(material, build(material))
    return Done(job.session_id, tuple(done), rows)


class _Content(msgspec.Struct, frozen=True):
    """A file's bytes: kept frames, then what was just read."""

    blob: str
    frames: tuple[Frame, ...]
    new: bytes = b""

    def read(self, blobs: FolderBlobs) -> Iterator[bytes]:
        """Give the bytes, piece by piece."""
        if self.frames:
            yield from blobs.read(self.blob, self.frames)
        if self.new:
            yield self.new


def _keep(
    blobs: FolderBlobs, work: FileWork
) -> tuple[FileDone | None, SourceFile | None, _Content | None]:
    known = work.known
    old = None if known is None else _Content(known.blob, work.frames)
    if not work.is_changed or work.found is None:
        source = work.found or (known.as_source() if known else None)
        return None, source, old
    try:
        growth, data = keep(blobs, work.root, work.found, known, list(work.frames))
    except FileNotFoundError:
        return FileDone(work.root, work.found.relative, None, "vanished"), work.found, old
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in _FATAL:
            raise
        return FileDone(work.root, work.found.relative, None, reason), work.found, old
    grew = known is not None and growth.generation == known.generation and known.kept_bytes > 0
    frames = work.frames if grew else ()
    held = _Content(old.blob if old and grew else "", frames, data)
    return FileDone(work.root, work.found.relative, growth), work.found, held


def encode_done(done: Done) -> bytes:
    """Pack a result for the way between processes."""
    return msgspec.msgpack.encode(done)


def decode_done(raw: bytes) -> Done:
    """Unpack it again."""
    return msgspec.msgpack.decode(raw, type=Done)


def run_packed(job: Job) -> bytes:
    """Do one job in a worker process."""
    return encode_done(run(job))


_FATAL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)
"""No space, quota or limit exceeded, read-only: nothing else will go better."""
