"""Which files are kept, how far, and what has changed since: the truth that rows are made from."""

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from clew.source import FileKind, SourceFile, open_regular
from clew.store.blob_names import blob_name, choose_blob_path
from clew.store.compare import (
    Comparison,
    Edges,
    KeptCopy,
    are_joined,
    compare_whole,
    compare_windows,
)
from clew.store.faults import DamagedRowError
from clew.store.frames import Frame
from clew.store.new_part import NewPart
from clew.store.protocols import Blobs, Database, DatabaseRow

Rows = TypeVar("Rows", bound=list[Any])
# A cache of the client's own, made again whenever it wants.
NOT_KEPT: Final = frozenset({FileKind.RESUME_CACHE})


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """One source file as the archive knows it."""

    id: int
    root: str
    path: str
    kind: FileKind
    session_id: str | None
    agent_id: str | None
    workflow_id: str | None
    project_folder: str | None
    device: int
    inode: int
    size_bytes: int
    mtime_ns: int
    generation: int
    kept_bytes: int
    head_hash: bytes | None
    head_bytes: int
    tail_hash: bytes | None
    tail_bytes: int
    state: str
    blob_path: str | None
    is_compared: int

    @property
    def blob(self) -> str:
        """The name of its blob: the source's own path, below a folder for the root."""
        return self.blob_of(self.generation)

    def blob_of(self, generation: int) -> str:
        """Give the name of the blob of one of its generations."""
        return blob_name(self.root, self.path, generation, self.blob_path)

    @property
    def edges(self) -> Edges:
        """The hashes of its first and last kept bytes."""
        return Edges(self.head_hash, self.head_bytes, self.tail_hash, self.tail_bytes)

    def as_source(self) -> SourceFile:
        """Give it in the shape in which files are found."""
        return SourceFile(
            path=Path(self.root, self.path),
            relative=self.path,
            kind=self.kind,
            session_id=self.session_id,
            agent_id=self.agent_id,
            workflow_id=self.workflow_id,
            project_folder=self.project_folder,
            size=self.size_bytes,
            mtime_ns=self.mtime_ns,
            inode=self.inode,
            device=self.device,
        )


class Growth(msgspec.Struct, frozen=True):
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
    is_anew: bool = False
    is_compared: bool = False


def load_kept(database: Database) -> dict[tuple[str, str], Kept]:
    """Read what is known of all files."""
    rows = database.rows("source_files")
    return {(file.root, file.path): file for file in _read_rows(rows, list[Kept])}


def load_kept_of(database: Database, session_id: str) -> list[Kept]:
    """Read what is known of one session's files."""
    rows = database.rows("source_files_of_session", {"session_id": session_id})
    return _read_rows(rows, list[Kept])


def load_frames(database: Database, file_id: int, generation: int) -> list[Frame]:
    """Read the frames of one generation of a file, in order."""
    values = {"file_id": file_id, "generation": generation}
    rows = database.rows("frames_of_file", values)
    return _read_rows(rows, list[Frame])


def _read_rows(rows: Iterable[DatabaseRow], kind: type[Rows]) -> Rows:
    """Give rows as structs; what does not fit is damage that the database does not notice."""
    try:
        found: Rows = msgspec.convert(list(rows), kind)
    except (UnicodeDecodeError, msgspec.ValidationError) as error:
        raise DamagedRowError(str(error)) from error
    return found


def insert_frames(
    database: Database, file_id: int, generation: int, frames: Iterable[Frame]
) -> None:
    """Remember frames behind those that are known of a generation."""
    blob = {"file_id": file_id, "generation": generation}
    first = int(next(database.rows("count_frames", blob))[0])
    database.run_many(
        "insert_frame",
        [
            {**blob, "number": first + number, **msgspec.structs.asdict(frame)}
            for number, frame in enumerate(frames)
        ],
    )


def is_unchanged(known: Kept | None, file: SourceFile) -> bool:
    """Tell by identity alone, without a look inside, that a file is as it was."""
    return (
        known is not None
        and known.state == "present"
        and known.size_bytes == file.size == known.kept_bytes
        and known.mtime_ns == file.mtime_ns
        and known.inode == file.inode
        and known.device == file.device
    )


def keep(
    blobs: Blobs,
    root: str,
    file: SourceFile,
    known: Kept | None,
    frames: Sequence[Frame],
    *,
    is_damaged: bool = False,
) -> tuple[Growth, list[bytes] | None]:
    """Read what is new of a file and write it to its blob; give also the new bytes, if few.

    A file that only grew is read from where it was kept to; any other change begins a generation.
    Of one whose blob is known or turns out to be damaged, all is kept again.
    The blob has yet to be made durable.
    """
    with open_regular(file.path) as stream:
        found = _compare(blobs, stream, file, known, frames, is_damaged=is_damaged)
        is_anew = found.is_same and (
            is_damaged or found.is_damaged or _is_short(blobs, known, frames)
        )
        before = known if known is not None and found.is_same and not is_anew else None
        generation = _generation(known, is_same=found.is_same)
        blob_path = choose_blob_path(file.relative) if known is None else known.blob_path
        blob = blob_name(root, file.relative, generation, blob_path)
        new = _write(blobs, blob, stream, before, frames)
    growth = Growth(
        generation,
        new.start + new.size,
        tuple(new.frames),
        new.edges(before.edges if before else None),
        file.mtime_ns,
        found.read_bytes + new.size,
        blob,
        blob_path,
        is_anew=is_anew,
        is_compared=found.is_whole or not new.start,
    )
    return growth, new.held


def _write(
    blobs: Blobs,
    blob: str,
    stream: io.FileIO,
    before: Kept | None,
    frames: Iterable[Frame],
) -> NewPart:
    """Write what a file has behind what was kept before, or all of it, to its blob.

    It is written as it is read: when either fails half-way, the blob ends with bytes that no row
    speaks of, as after any write that was cut off.
    """
    if before is None:
        new = NewPart(stream, 0, 0)
        blobs.replace(blob, new.packed())
        return new
    blob_start = sum(frame.blob_bytes for frame in frames)
    new = NewPart(stream, before.kept_bytes, blob_start)
    if not new.is_empty:
        blobs.append(blob, blob_start, new.packed())
    return new


def _is_short(blobs: Blobs, known: Kept | None, frames: Iterable[Frame]) -> bool:
    size = sum(frame.blob_bytes for frame in frames)
    return known is not None and blobs.size(known.blob) < size


def _generation(known: Kept | None, *, is_same: bool) -> int:
    if known is None:
        return 1
    return known.generation if is_same or known.kept_bytes == 0 else known.generation + 1


def _compare(
    blobs: Blobs,
    stream: io.FileIO,
    file: SourceFile,
    known: Kept | None,
    frames: Sequence[Frame],
    *,
    is_damaged: bool,
) -> Comparison:
    """Tell whether a file begins with the kept bytes, by some windows or by all of it."""
    is_kept = known is not None and 0 < known.kept_bytes <= file.size
    if known is None or not is_kept or not are_joined(frames, known.kept_bytes):
        return Comparison(is_same=False, is_whole=True, read_bytes=0)
    if is_damaged or not has_only_grown(known, file):
        return compare_whole(stream, frames)
    return compare_windows(stream, KeptCopy(known.blob, frames, known.edges), blobs)


def has_only_grown(known: Kept, file: SourceFile) -> bool:
    """Tell whether it is the same file, and longer than it was.

    One that was written to without growing was written to in its midst, and so was one that is
    here although it seems unchanged.
    """
    is_same = (known.device, known.inode) == (file.device, file.inode)
    return is_same and file.size > known.kept_bytes
