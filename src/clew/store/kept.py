"""Which files are kept, how far, and what has changed since: the truth that rows are made from."""

import hashlib
import io
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import apsw
import msgspec

from clew.source import FileKind, SourceFile, open_regular
from clew.store.blobs import FolderBlobs, Frame, compress, content_hash

EDGE_BYTES: Final = 4096
# No name of a file or folder may be longer than 255 bytes, and blobs add a few to their source's.
_MOST_NAME_BYTES: Final = 240
_NUMBERED: Final = re.compile(r"(.*)\.g([0-9]+)", re.DOTALL).fullmatch
# A cache of the client's own, made again whenever it wants.
NOT_KEPT: Final = frozenset({FileKind.RESUME_CACHE})


class Kept(msgspec.Struct, frozen=True):
    """One source file as the archive knows it."""

    id: int
    root: str
    path: str
    kind: str
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

    @property
    def blob(self) -> str:
        """The name of its blob: the source's own path, below a folder for the root."""
        return blob_name(self.root, self.path, self.generation)

    def as_source(self) -> SourceFile:
        """Give it in the shape in which files are found."""
        return SourceFile(
            path=Path(self.root, self.path),
            relative=self.path,
            kind=FileKind(self.kind),
            session_id=self.session_id,
            agent_id=self.agent_id,
            workflow_id=self.workflow_id,
            project_folder=self.project_folder,
            size=self.size_bytes,
            mtime_ns=self.mtime_ns,
            inode=self.inode,
            device=self.device,
        )


class Edges(msgspec.Struct, frozen=True):
    """Hashes of a file's first and last kept bytes: enough to know its growth from a rewrite."""

    head_hash: bytes
    head_bytes: int
    tail_hash: bytes
    tail_bytes: int


class Growth(msgspec.Struct, frozen=True):
    """What a look at a changed file brought: new frames behind the old, or a new generation.

    Where the old frames are no longer whole, the new ones hold all of the file instead of them.
    """

    generation: int
    kept_bytes: int
    frames: tuple[Frame, ...]
    edges: Edges
    mtime_ns: int
    read_bytes: int
    is_anew: bool = False


def blob_name(root: str, path: str, generation: int) -> str:
    """Name a blob after its source; a rewritten file's later generations are numbered.

    So is the first one of a file that has such a number in its own name.
    """
    folders = [_shortened(part) for part in path.split("/")]
    is_plain = generation == 1 and _NUMBERED(path) is None
    suffix = ".zst" if is_plain else f".g{generation}.zst"
    return f"{root_folder(root)}/{'/'.join(folders)}{suffix}"


def root_folder(root: str) -> str:
    """Name the folder in which the blobs of a root stand."""
    slug = root.strip("/\\").replace("/", "-").replace("\\", "-").replace(":", "") or "root"
    return f"{_shortened(slug)}-{_digest(root)}"


def source_name(blob: str) -> tuple[str, int]:
    """Give the path and the generation that a blob is named after, below its root's folder."""
    name = blob.removesuffix(".zst")
    numbered = _NUMBERED(name)
    return (numbered[1], int(numbered[2])) if numbered else (name, 1)


def _shortened(name: str) -> str:
    """Cut a name that is too long for the disk; a digest tells it from others."""
    raw = name.encode("utf-8", "surrogateescape")
    if len(raw) <= _MOST_NAME_BYTES:
        return name
    return f"{raw[: _MOST_NAME_BYTES - 40].decode('utf-8', 'ignore')}-{_digest(name)}"


def _digest(name: str) -> str:
    return hashlib.blake2b(name.encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()


def load_kept(connection: apsw.Connection) -> dict[tuple[str, str], Kept]:
    """Read what is known of all files."""
    columns = ", ".join(Kept.__struct_fields__)
    rows = connection.execute(f"SELECT {columns} FROM source_file")  # noqa: S608 (our own names)
    return {(row[1], row[2]): Kept(*row) for row in rows}


def load_kept_of(connection: apsw.Connection, session_id: str) -> list[Kept]:
    """Read what is known of one session's files."""
    columns = ", ".join(Kept.__struct_fields__)
    rows = connection.execute(
        f"SELECT {columns} FROM source_file WHERE session_id = ?",  # noqa: S608 (our own names)
        (session_id,),
    )
    return [Kept(*row) for row in rows]


def load_frames(connection: apsw.Connection, file_id: int, generation: int) -> list[Frame]:
    """Read the frames of one generation of a file, in order."""
    rows = connection.execute(
        "SELECT start_bytes, size_bytes, blob_start, blob_bytes, hash FROM frame "
        "WHERE file_id = ? AND generation = ? ORDER BY number",
        (file_id, generation),
    )
    return [Frame(*row) for row in rows]


def insert_frames(
    connection: apsw.Connection, file_id: int, generation: int, frames: Iterable[Frame]
) -> None:
    """Remember frames behind those that are known of a generation."""
    counted = connection.execute(
        "SELECT count(*) FROM frame WHERE file_id = ? AND generation = ?", (file_id, generation)
    )
    first = int(next(counted)[0])
    connection.executemany(
        "INSERT INTO frame VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (file_id, generation, first + number, *msgspec.structs.astuple(frame))
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
    blobs: FolderBlobs,
    root: str,
    file: SourceFile,
    known: Kept | None,
    frames: list[Frame],
    *,
    is_damaged: bool = False,
) -> tuple[Growth, bytes]:
    """Read what is new of a file and write it to its blob; give also the new bytes.

    A file that only grew is read from where it was kept to; any other change begins a generation.
    One that was replaced, or written to without growing, is compared with all that is kept. Of one
    whose blob is known to be damaged, or is too short, all is kept again.
    The blob has yet to be made durable.
    """
    with open_regular(file.path) as stream:
        grew, looked = _grew(stream, file, known, frames)
        is_anew = grew and (is_damaged or _is_short(blobs, known, frames))
        start = known.kept_bytes if known is not None and grew and not is_anew else 0
        generation = _generation(known, grew)
        stream.seek(start)
        data = stream.readall()
    blob_start = sum(frame.blob_bytes for frame in frames) if start else 0
    packed = list(compress(data, start, blob_start))
    if packed or not start:
        name = blob_name(root, file.relative, generation)
        blobs.append(name, blob_start, (piece for piece, _ in packed))
    growth = Growth(
        generation,
        start + len(data),
        tuple(frame for _, frame in packed),
        _edges(data, known if start else None),
        file.mtime_ns,
        looked + len(data),
        is_anew,
    )
    return growth, data


def _is_short(blobs: FolderBlobs, known: Kept | None, frames: Iterable[Frame]) -> bool:
    size = sum(frame.blob_bytes for frame in frames)
    return known is not None and blobs.size(known.blob) < size


def _generation(known: Kept | None, grew: bool) -> int:  # noqa: FBT001 (a fact)
    if known is None:
        return 1
    return known.generation if grew or known.kept_bytes == 0 else known.generation + 1


def _grew(
    stream: io.FileIO, file: SourceFile, known: Kept | None, frames: Iterable[Frame]
) -> tuple[bool, int]:
    """Tell whether the kept bytes still stand at the file's start, by its edges or by all of it."""
    if known is None or known.kept_bytes == 0 or file.size < known.kept_bytes:
        return False, 0
    head = _at(stream, 0, known.head_bytes)
    tail = _at(stream, known.kept_bytes - known.tail_bytes, known.tail_bytes)
    same = content_hash(head) == known.head_hash and content_hash(tail) == known.tail_hash
    looked = len(head) + len(tail)
    if same and not _may_have_grown(known, file):
        same = all(_stands(stream, frame) for frame in frames)
        looked += known.kept_bytes
    return same, looked


def _may_have_grown(known: Kept, file: SourceFile) -> bool:
    """Tell whether it is the same file, and longer if it was written to."""
    is_same = (known.device, known.inode) == (file.device, file.inode)
    return is_same and (file.size > known.kept_bytes or file.mtime_ns == known.mtime_ns)


def _stands(stream: io.FileIO, frame: Frame) -> bool:
    return content_hash(_at(stream, frame.start_bytes, frame.size_bytes)) == frame.hash


def _at(stream: io.FileIO, offset: int, size: int) -> bytes:
    stream.seek(offset)
    return stream.read(size)


def _edges(data: bytes, known: Kept | None) -> Edges:
    tail = data[-EDGE_BYTES:]
    if known is None or known.head_hash is None:
        return edges_of(data[:EDGE_BYTES], tail)
    if not data and known.tail_hash is not None:
        return Edges(known.head_hash, known.head_bytes, known.tail_hash, known.tail_bytes)
    return Edges(known.head_hash, known.head_bytes, content_hash(tail), len(tail))


def edges_of(head: bytes, tail: bytes) -> Edges:
    """Give the edges of a file that begins and ends so."""
    return Edges(content_hash(head), len(head), content_hash(tail), len(tail))
