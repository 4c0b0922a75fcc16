"""Which files are archived, and how far: the rows that all others are made from."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from clew.source import FileKind, SourceFile
from clew.store.blob_names import blob_name
from clew.store.compare import Edges
from clew.store.errors import DamagedRowError
from clew.store.frames import Frame
from clew.store.protocols import Database, DatabaseRow

Rows = TypeVar("Rows", bound=list[Any])
# A cache of the client, which it rebuilds as needed.
NOT_ARCHIVED: Final = frozenset({FileKind.RESUME_CACHE})


class ArchivedFile(msgspec.Struct, frozen=True, array_like=True):
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
        """Return the name of the blob of one of its generations."""
        return blob_name(self.root, self.path, generation, self.blob_path)

    @property
    def edges(self) -> Edges:
        """The hashes of its first and last archived bytes."""
        return Edges(self.head_hash, self.head_bytes, self.tail_hash, self.tail_bytes)

    def as_source(self) -> SourceFile:
        """Return it in the shape in which files are found."""
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


def load_files(database: Database) -> dict[tuple[str, str], ArchivedFile]:
    """Read what is known of all files."""
    rows = database.rows("source_files")
    return {(file.root, file.path): file for file in _read_rows(rows, list[ArchivedFile])}


def load_session_files(database: Database, session_id: str) -> list[ArchivedFile]:
    """Read what is known of one session's files."""
    rows = database.rows("source_files_of_session", {"session_id": session_id})
    return _read_rows(rows, list[ArchivedFile])


def find_files(
    database: Database, session_ids: Iterable[str], keys: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], ArchivedFile]:
    """Read what is known of the files of some sessions, and of those at some places."""
    places = set(keys)
    rows = [*database.rows("source_files_of_sessions", {"names": list(session_ids)})]
    if places:
        roots, paths = ({place[part] for place in places} for part in (0, 1))
        values = {"roots": sorted(roots), "paths": sorted(paths)}
        rows += database.rows("source_files_at", values)
    return {(file.root, file.path): file for file in _read_rows(rows, list[ArchivedFile])}


def load_frames(database: Database, file_id: int, generation: int) -> list[Frame]:
    """Read the frames of one generation of a file, in order."""
    values = {"file_id": file_id, "generation": generation}
    rows = database.rows("frames_of_file", values)
    return _read_rows(rows, list[Frame])


def load_frames_of(
    database: Database, files: Iterable[ArchivedFile]
) -> dict[tuple[int, int], list[Frame]]:
    """Read the frames of the present generations of some files, by file and generation."""
    found: defaultdict[tuple[int, int], list[DatabaseRow]] = defaultdict(list)
    for file_id, generation, *frame in database.rows(
        "frames_of_files", {"ids": [file.id for file in files]}
    ):
        found[file_id, generation].append(tuple(frame))
    return {key: _read_rows(rows, list[Frame]) for key, rows in found.items()}


def _read_rows(rows: Iterable[DatabaseRow], kind: type[Rows]) -> Rows:
    """Return rows as structs; what does not fit is damage that the database does not notice."""
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


def is_unchanged(known: ArchivedFile | None, file: SourceFile) -> bool:
    """Tell by identity alone, without a look inside, that a file is as it was."""
    return (
        known is not None
        and known.state == "present"
        and known.size_bytes == file.size == known.kept_bytes
        and known.mtime_ns == file.mtime_ns
        and known.inode == file.inode
        and known.device == file.device
    )


def has_only_grown(known: ArchivedFile, file: SourceFile) -> bool:
    """Tell whether it is the same file, and longer than it was.

    One that was written to without growing was written to in its midst, and so was one that is
    here although it seems unchanged.
    """
    is_same = (known.device, known.inode) == (file.device, file.inode)
    return is_same and file.size > known.kept_bytes
