"""What one archive lacks of another's files: whole blobs, or their ends.

Two archives may have got the same bytes in other steps, so where frames differ, bytes decide.
"""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from clew.store.archived_files import ArchivedFile, load_files, load_frames
from clew.store.blobs import DamagedBlobError
from clew.store.compare import are_joined
from clew.store.damage import find_short_blobs, load_damage
from clew.store.frames import Frame
from clew.store.protocols import Blobs, Database


class BlobCopy(msgspec.Struct, frozen=True):
    """One blob to copy: the frames to read, after those that the destination has of it.

    Without any of those, whatever the destination has of the blob is replaced.
    """

    generation: int
    name: str
    source_name: str
    frames: tuple[Frame, ...]
    present: tuple[Frame, ...] = ()


class FileCopy(msgspec.Struct, frozen=True):
    """A file of which the destination lacks something, or does not know that it has it.

    `known` is what the destination knows of it. If that is newer, only `blobs` are copied.
    """

    file: ArchivedFile
    known: ArchivedFile | None
    blobs: tuple[BlobCopy, ...]
    is_newest: bool

    @property
    def size_bytes(self) -> int:
        """How many bytes of the file are to be copied."""
        return sum(frame.size_bytes for blob in self.blobs for frame in blob.frames)


class DifferentFileError(Exception):
    """The destination has other bytes under the same name."""

    def __init__(self, path: str) -> None:
        super().__init__(f"the destination has another version of {path}; nothing was changed")


class ArchiveFiles:
    """The files of an archive, with their frames."""

    def __init__(self, database: Database, blobs: Blobs) -> None:
        self.database = database
        self.blobs = blobs
        self.files = load_files(database)
        short = find_short_blobs(database, blobs, self.files.values())
        self._damaged = {(damage.file_id, damage.generation) for damage in short}
        self._damaged.update(load_damage(database))

    def generations(self, file: ArchivedFile) -> list[int]:
        """Return the generations of a file, the first one first."""
        rows = self.database.rows("generations_of_file", {"file_id": file.id})
        return sorted({file.generation, *(int(row[0]) for row in rows)})

    def frames(self, file: ArchivedFile, generation: int) -> tuple[Frame, ...]:
        """Return the frames of a blob; none if it is damaged."""
        if (file.id, generation) in self._damaged:
            return ()
        return tuple(load_frames(self.database, file.id, generation))

    def intact_frames(self, file: ArchivedFile, generation: int) -> tuple[Frame, ...]:
        """Return the frames of a blob that has all bytes that were archived.

        Raises:
            DamagedBlobError: It does not.
        """
        frames = self.frames(file, generation)
        least = file.kept_bytes if generation == file.generation else 1
        size = sum(frame.size_bytes for frame in frames)
        if size < least or not are_joined(frames, size):
            raise DamagedBlobError(file.blob_of(generation), "parts of it are missing")
        return frames


def plan_file(source: ArchiveFiles, target: ArchiveFiles, file: ArchivedFile) -> FileCopy | None:
    """Return what is to be copied of a file; None if the destination has it all.

    Raises:
        DamagedBlobError: The file is damaged at the source.
        DifferentFileError: The destination has another file under its name.
    """
    known = target.files.get((file.root, file.path))
    blobs = []
    for number in source.generations(file):
        blob = _plan_blob(source, target, file, known, number)
        blobs += [] if blob is None else [blob]
    is_newest = known is None or _extent(file) > _extent(known)
    if not blobs and not is_newest:
        return None
    return FileCopy(file, known, tuple(blobs), is_newest)


def _extent(file: ArchivedFile) -> tuple[int, int]:
    return file.generation, file.kept_bytes


def _plan_blob(
    source: ArchiveFiles,
    target: ArchiveFiles,
    file: ArchivedFile,
    known: ArchivedFile | None,
    number: int,
) -> BlobCopy | None:
    frames = source.intact_frames(file, number)
    named = file if known is None else known
    name, source_name = named.blob_of(number), file.blob_of(number)
    present = () if known is None else target.frames(known, number)
    if not present:
        is_needed = bool(frames) or known is None
        return BlobCopy(number, name, source_name, frames) if is_needed else None
    ours, theirs = _content(frames), _content(present)
    if _is_start(ours, theirs):
        return None
    if _is_start(theirs, ours):
        return BlobCopy(number, name, source_name, tuple(ours[len(theirs) :]), present)
    if _begins_with(source.blobs.read(source_name, ours), target.blobs.read(name, theirs)):
        if sum(frame.size_bytes for frame in ours) > sum(frame.size_bytes for frame in theirs):
            # What the destination has ends within a frame: copied whole, frames stay as they are.
            return BlobCopy(number, name, source_name, frames)
        return None
    raise DifferentFileError(file.path)


def _content(frames: Iterable[Frame]) -> list[Frame]:
    """Return the frames that have content; others have checksums of those before them."""
    return [frame for frame in frames if frame.size_bytes]


def _is_start(first: Sequence[Frame], second: Sequence[Frame]) -> bool:
    """Tell whether some frames are the first of others."""
    return len(first) <= len(second) and all(map(_is_same, first, second))


def _is_same(one: Frame, other: Frame) -> bool:
    # Hashes of earlier versions are the beginnings of present ones.
    size = min(len(one.hash), len(other.hash))
    places = (one.start_bytes, one.size_bytes) == (other.start_bytes, other.size_bytes)
    return places and one.hash[:size] == other.hash[:size]


def _begins_with(one: Iterator[bytes], other: Iterator[bytes]) -> bool:
    """Tell whether the longer of two contents begins with the shorter one."""
    left = right = b""
    while True:
        left = left or next(one, b"")
        right = right or next(other, b"")
        size = min(len(left), len(right))
        if not size:
            return True
        if left[:size] != right[:size]:
            return False
        left, right = left[size:], right[size:]
