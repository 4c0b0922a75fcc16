"""Blobs that no row mentions → their rows, so that a lost database can be rebuilt.

A blob's name is that of its source, and its content gives the rest, except when it was written.
"""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Final

import msgspec

from clew.source import TRANSCRIPT_KINDS, classify, split_lines
from clew.store.archived_files import insert_frames, load_files
from clew.store.blob_names import blob_name, root_folder, source_name
from clew.store.blobs import DamagedBlobError
from clew.store.compare import EDGE_BYTES, Edges
from clew.store.damage import BlobDamage, load_damage, save_damage
from clew.store.frame_writer import edges_of
from clew.store.frames import Frame
from clew.store.protocols import Blobs, Database

# Each dash in a folder's name may have been a slash: with more parts there are too many ways.
_MOST_PARTS: Final = 17


class RecoveredBlobs(msgspec.Struct, frozen=True):
    """The recovered files, the sessions they belong to, and what could not be recovered."""

    paths: set[tuple[str, str]]
    sessions: set[str]
    errors: list[str]


class _BlobSource(msgspec.Struct, frozen=True):
    """A source file, with its blobs by generation."""

    root: str
    path: str
    blobs: dict[int, str]


class _Generation(msgspec.Struct, frozen=True):
    """The content of one blob."""

    frames: list[Frame]
    edges: Edges
    session_id: str | None
    fault: str

    @property
    def size_bytes(self) -> int:
        return sum(frame.size_bytes for frame in self.frames)


def recover_blobs(
    database: Database,
    blobs: Blobs,
    roots: Iterable[str],
    now: str,
    written_before_ns: int | None = None,
) -> RecoveredBlobs:
    """Add the blobs that the database does not know, of roots of which none was written since.

    Their sources count as deleted until a sync finds them.
    """
    found = RecoveredBlobs(set(), set(), [])
    _recover_again(database, blobs, now, found)
    known = {root_folder(file.root) for file in load_files(database).values()}
    for folder in blobs.folders():
        files = _sources(blobs, folder) if folder not in known else {}
        if written_before_ns is not None and any(
            blobs.modified_ns(name) > written_before_ns for name in _newest(files)
        ):
            continue
        root = _root_of(folder, roots) if files else None
        if files and root is None:
            found.errors.append(
                f"{folder}: archived from an unknown directory; use --root to name it"
            )
        if root is not None:
            with database.transaction():
                # Another sync may have written rows since they were looked for.
                present = load_files(database)
                for path, names in sorted(files.items()):
                    if (root, path) not in present:
                        _recover_file(database, blobs, _BlobSource(root, path, names), now, found)
    return found


def _newest(files: dict[str, dict[int, str]]) -> Iterator[str]:
    """Return the blobs of the newest generation of each source."""
    return (names[max(names)] for names in files.values())


def _recover_again(database: Database, blobs: Blobs, now: str, recovered: RecoveredBlobs) -> None:
    """Recover again what was damaged when it was recovered, and has been restored since."""
    damaged = {key[0] for key, damage in load_damage(database).items() if damage.is_incomplete}
    for file in [file for file in load_files(database).values() if file.id in damaged]:
        rows = database.rows("generations_of_file", {"file_id": file.id})
        numbers = {file.generation, *(int(row[0]) for row in rows)}
        names = {number: file.blob_of(number) for number in numbers}
        if all(_is_whole(blobs, name) for name in names.values()):
            with database.transaction():
                for name in ("delete_frames_of_file", "delete_damage_of_file", "delete_file"):
                    database.run(name, {"id": file.id})
                _recover_file(
                    database, blobs, _BlobSource(file.root, file.path, names), now, recovered
                )


def _is_whole(blobs: Blobs, name: str) -> bool:
    try:
        scan = blobs.scan(name)
    except DamagedBlobError:
        return False
    for _ in scan:
        pass
    return not scan.fault


def _sources(blobs: Blobs, folder: str) -> dict[str, dict[int, str]]:
    """Return the blobs below a folder, by path and generation of their source."""
    found: dict[str, dict[int, str]] = {}
    for name in blobs.names(folder):
        path, generation = source_name(name.removeprefix(f"{folder}/"))
        found.setdefault(path, {})[generation] = name
    return found


def _root_of(folder: str, roots: Iterable[str]) -> str | None:
    """Find the root that a folder of blobs is named after, among `roots` or by trying."""
    slug = folder.rpartition("-")[0].split("-")
    guesses: Iterable[str] = ()
    if len(slug) <= _MOST_PARTS:
        ways = product("/-", repeat=len(slug) - 1)
        guesses = ("".join(map("".join, zip(("/", *way), slug, strict=True))) for way in ways)
    return next((root for root in (*roots, *guesses) if root_folder(root) == folder), None)


def _recover_file(
    database: Database, blobs: Blobs, source: _BlobSource, now: str, recovered: RecoveredBlobs
) -> None:
    try:
        owner = _write_file(database, blobs, source, now)
    except DamagedBlobError as error:
        recovered.errors.append(str(error))
        return
    recovered.paths.add((source.root, source.path))
    recovered.sessions.update([owner] if owner else [])


def _write_file(database: Database, blobs: Blobs, source: _BlobSource, now: str) -> str | None:
    """Write the rows of one file, all its generations; return the session it belongs to."""
    place = classify(source.path)
    is_flat = place.session_id is None and place.kind in TRANSCRIPT_KINDS
    found = {
        number: _read(blobs, blob_name(source.root, source.path, number), is_flat=is_flat)
        for number in sorted(source.blobs)
    }
    newest = max(found)
    last = found[newest]
    owner = place.session_id or last.session_id
    values = {
        "root": source.root,
        "path": source.path,
        "kind": str(place.kind),
        "session_id": owner,
        "agent_id": place.agent_id,
        "workflow_id": place.workflow_id,
        "project_folder": place.project_folder,
        "device": 0,
        "inode": 0,
        "size_bytes": last.size_bytes,
        "mtime_ns": blobs.modified_ns(source.blobs[newest]),
        "generation": newest,
        "kept_bytes": last.size_bytes,
        **msgspec.structs.asdict(last.edges),
        "first_seen_at": now,
        "blob_path": None,
        "is_compared": False,
    }
    file_id = int(next(database.rows("upsert_file", values))[0])
    database.run("mark_vanished", {"id": file_id, "now": now})
    for number, generation in found.items():
        insert_frames(database, file_id, number, generation.frames)
        if generation.fault:
            # The rest may still come back from the source or a backup.
            damage = BlobDamage(file_id, number, generation.fault, is_incomplete=True)
            save_damage(database, [damage])
    return owner


def _read(blobs: Blobs, name: str, *, is_flat: bool) -> _Generation:
    """Read a blob as far as it is intact, and say what is wrong with the rest.

    That may be an interrupted write or damage: without a database there is no telling.
    """
    scan = blobs.scan(name)
    head = tail = b""
    for data in scan:
        head = head or data[:EDGE_BYTES]
        tail = (tail + data)[-EDGE_BYTES:]
    owner = _session_in(blobs.scan(name)) if is_flat else None
    return _Generation(scan.frames(), edges_of(head, tail), owner, scan.fault)


def _session_in(pieces: Iterable[bytes]) -> str | None:
    """Find the session of a flat agent file in its first rows."""
    from clew.entries import Marker, Row, decode

    for line in split_lines(pieces, ""):
        for entry in decode(line):
            if isinstance(entry.body, Row | Marker) and entry.body.session_id:
                return entry.body.session_id
    return None
