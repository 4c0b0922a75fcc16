"""A changed source file → its blob: new bytes are appended, other changes start a generation."""

import io
from collections.abc import Iterable, Sequence

import msgspec

from clew.source import SourceFile, open_regular
from clew.store.archived_files import ArchivedFile, has_only_grown
from clew.store.blob_names import blob_name, choose_blob_path
from clew.store.compare import (
    ArchivedCopy,
    Edges,
    FileComparison,
    are_joined,
    compare_whole,
    compare_windows,
)
from clew.store.frame_writer import FrameWriter
from clew.store.frames import Frame
from clew.store.protocols import Blobs


class FileUpdate(msgspec.Struct, frozen=True):
    """What a look at a changed file brought: new frames behind the old, or a new generation.

    Where the old frames are no longer whole, the new ones have all of the file instead of them.
    `is_compared` says that no byte of the file was taken for granted.
    """

    generation: int
    kept_bytes: int
    frames: tuple[Frame, ...]
    edges: Edges
    mtime_ns: int
    read_bytes: int
    blob: str
    blob_path: str | None
    is_repaired: bool = False
    is_compared: bool = False


def archive_file(
    blobs: Blobs,
    root: str,
    file: SourceFile,
    known: ArchivedFile | None,
    frames: Sequence[Frame],
    *,
    is_damaged: bool = False,
) -> tuple[FileUpdate, list[bytes] | None]:
    """Read what is new of a file and write it to its blob; return also the new bytes, if few.

    Of a file that only grew the new bytes are read; any other change starts a generation.
    If its blob is damaged, the whole file is archived again.
    The blob has yet to be made durable.
    """
    with open_regular(file.path) as stream:
        found = _compare(blobs, stream, file, known, frames, is_damaged=is_damaged)
        is_repaired = found.is_same and (
            is_damaged or found.is_damaged or _is_short(blobs, known, frames)
        )
        before = known if known is not None and found.is_same and not is_repaired else None
        generation = _generation(known, is_same=found.is_same)
        blob_path = choose_blob_path(file.relative) if known is None else known.blob_path
        blob = blob_name(root, file.relative, generation, blob_path)
        new = _write(blobs, blob, stream, before, frames)
    growth = FileUpdate(
        generation,
        new.start + new.size,
        tuple(new.frames),
        new.edges(before.edges if before else None),
        file.mtime_ns,
        found.read_bytes + new.size,
        blob,
        blob_path,
        is_repaired=is_repaired,
        is_compared=found.is_whole or not new.start,
    )
    return growth, new.held


def _write(
    blobs: Blobs,
    blob: str,
    stream: io.FileIO,
    before: ArchivedFile | None,
    frames: Iterable[Frame],
) -> FrameWriter:
    """Write what a file has behind what was archived before, or all of it, to its blob.

    It is written as it is read: when either fails half-way, the blob ends with bytes that no row
    speaks of, as after any write that was cut off.
    """
    if before is None:
        new = FrameWriter(stream, 0, 0)
        blobs.replace(blob, new.packed())
        return new
    blob_start = sum(frame.blob_bytes for frame in frames)
    new = FrameWriter(stream, before.kept_bytes, blob_start)
    if not new.is_empty:
        blobs.append(blob, blob_start, new.packed())
    return new


def _is_short(blobs: Blobs, known: ArchivedFile | None, frames: Iterable[Frame]) -> bool:
    size = sum(frame.blob_bytes for frame in frames)
    return known is not None and blobs.size(known.blob) < size


def _generation(known: ArchivedFile | None, *, is_same: bool) -> int:
    if known is None:
        return 1
    return known.generation if is_same or known.kept_bytes == 0 else known.generation + 1


def _compare(
    blobs: Blobs,
    stream: io.FileIO,
    file: SourceFile,
    known: ArchivedFile | None,
    frames: Sequence[Frame],
    *,
    is_damaged: bool,
) -> FileComparison:
    """Tell whether a file begins with the archived bytes, by some windows or by all of it."""
    is_kept = known is not None and 0 < known.kept_bytes <= file.size
    if known is None or not is_kept or not are_joined(frames, known.kept_bytes):
        return FileComparison(is_same=False, is_whole=True, read_bytes=0)
    if is_damaged or not has_only_grown(known, file):
        return compare_whole(stream, frames)
    return compare_windows(stream, ArchivedCopy(known.blob, frames, known.edges), blobs)
