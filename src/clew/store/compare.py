"""Compare a source file with its archived copy: did it grow, was it rewritten, is the copy damaged?

Only the whole of a file proves that it is as it was. A file that grew is looked at in a few
windows, which change with its size; the whole follows once nobody writes to it any more.
"""

import io
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from clew.store.blobs import DamagedBlobError
from clew.store.frames import Frame, is_hash_of
from clew.store.protocols import Blobs

COMPARED_BYTES: Final = 256 << 10
"""How much is read of a file that grew, at most, besides what is new."""

EDGE_BYTES: Final = 4096
_WINDOWS: Final = 8
_WINDOW_BYTES: Final = 24 << 10
_LAST_BYTES: Final = COMPARED_BYTES - _WINDOWS * _WINDOW_BYTES - 2 * EDGE_BYTES
# Spreads the windows of files whose sizes are close to each other (2^32 by the golden ratio).
_SPREAD: Final = 2_654_435_769


class Edges(msgspec.Struct, frozen=True):
    """Hashes of a file's first and last archived bytes, to be compared without opening its blob."""

    head_hash: bytes | None
    head_bytes: int
    tail_hash: bytes | None
    tail_bytes: int


class ArchivedCopy(msgspec.Struct, frozen=True):
    """What is archived of one file, to compare it with."""

    blob: str
    frames: Sequence[Frame]
    edges: Edges

    @property
    def size_bytes(self) -> int:
        """How much that is."""
        return sum(frame.size_bytes for frame in self.frames)


class FileComparison(msgspec.Struct, frozen=True):
    """Whether a file begins with all archived bytes of it, as far as it was read.

    `is_damaged` says that it does, and that its blob does not.
    """

    is_same: bool
    is_whole: bool
    read_bytes: int
    is_damaged: bool = False


def are_joined(frames: Sequence[Frame], size: int) -> bool:
    """Tell whether frames follow each other without a gap, and make so many bytes."""
    start = blob_start = 0
    for frame in frames:
        if (frame.start_bytes, frame.blob_start) != (start, blob_start):
            return False
        start += frame.size_bytes
        blob_start += frame.blob_bytes
    return start == size


def compare_whole(stream: io.FileIO, frames: Sequence[Frame]) -> FileComparison:
    """Compare all that is archived, frame by frame, with what the file has there."""
    read = 0
    for frame in frames:
        data = _at(stream, frame.start_bytes, frame.size_bytes)
        read += len(data)
        if not is_hash_of(frame.hash, data):
            return FileComparison(is_same=False, is_whole=True, read_bytes=read)
    return FileComparison(is_same=True, is_whole=True, read_bytes=read)


def compare_windows(stream: io.FileIO, copy: ArchivedCopy, blobs: Blobs) -> FileComparison:
    """Compare a file's beginning, the end of what is archived, and some windows between them.

    Where any differ, the whole tells whether it is the file that changed, or the blob.
    """
    size = copy.size_bytes
    if size <= COMPARED_BYTES:
        return compare_whole(stream, copy.frames)
    read = copy.edges.head_bytes + copy.edges.tail_bytes
    is_same = _has_edges(stream, copy.edges, size)
    for start, length in windows(size, copy.frames):
        if is_same:
            read += length
            is_same = _kept_part(blobs, copy, start, length) == _at(stream, start, length)
    if is_same:
        return FileComparison(is_same=True, is_whole=False, read_bytes=read)
    whole = compare_whole(stream, copy.frames)
    return msgspec.structs.replace(
        whole, read_bytes=read + whole.read_bytes, is_damaged=whole.is_same
    )


def _has_edges(stream: io.FileIO, edges: Edges, size: int) -> bool:
    head = _at(stream, 0, edges.head_bytes)
    tail = _at(stream, size - edges.tail_bytes, edges.tail_bytes)
    return is_hash_of(edges.head_hash, head) and is_hash_of(edges.tail_hash, tail)


def windows(size: int, frames: Sequence[Frame]) -> Iterator[tuple[int, int]]:
    """Return where to look: at the end of the last frame, and once in each eighth of the file."""
    last = max(frame.start_bytes for frame in frames if frame.size_bytes)
    start = max(last, size - _LAST_BYTES)
    yield start, size - start
    stretch = size // _WINDOWS
    for number in range(_WINDOWS):
        room = stretch - _WINDOW_BYTES
        yield number * stretch + (size + number) * _SPREAD % (room + 1), _WINDOW_BYTES


def _kept_part(blobs: Blobs, copy: ArchivedCopy, start: int, size: int) -> bytes | None:
    try:
        return blobs.read_range(copy.blob, copy.frames, start, size)
    except DamagedBlobError:
        return None


def _at(stream: io.FileIO, offset: int, size: int) -> bytes:
    stream.seek(offset)
    return stream.read(size)
