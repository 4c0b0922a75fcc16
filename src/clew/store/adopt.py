"""Kept files that no row speaks of → their rows again: so a database that was lost is made anew.

What a blob is named after tells its source; what stands in it tells all but when that was written.
"""

from collections.abc import Iterable
from itertools import product
from typing import Final

import msgspec

from clew.entries import Marker, Row, decode
from clew.source import TRANSCRIPT_KINDS, classify, split_lines
from clew.store.blob_names import blob_name, root_folder, source_name
from clew.store.blobs import DamagedBlobError
from clew.store.compare import EDGE_BYTES, Edges
from clew.store.damage import Damage, load_damage, save_damage
from clew.store.frames import Frame
from clew.store.kept import insert_frames, load_kept
from clew.store.new_part import edges_of
from clew.store.protocols import Blobs, Database

# Each dash in a folder's name may have been a slash: with more parts there are too many ways.
_MOST_PARTS: Final = 17


class Adopted(msgspec.Struct, frozen=True):
    """The files that are known again, the sessions they belong to, and what was passed over."""

    paths: set[tuple[str, str]]
    sessions: set[str]
    errors: list[str]


class _Source(msgspec.Struct, frozen=True):
    """What blobs are named after; they come by their generation."""

    root: str
    path: str
    blobs: dict[int, str]


class _Generation(msgspec.Struct, frozen=True):
    """What stands in one blob."""

    frames: list[Frame]
    edges: Edges
    session_id: str | None
    fault: str

    @property
    def size_bytes(self) -> int:
        return sum(frame.size_bytes for frame in self.frames)


def adopt(database: Database, blobs: Blobs, roots: Iterable[str], now: str) -> Adopted:
    """Take in the kept files of roots that the database does not know.

    They count as gone from their source until they are seen there.
    """
    found = Adopted(set(), set(), [])
    _adopt_again(database, blobs, now, found)
    known = {root_folder(file.root) for file in load_kept(database).values()}
    for folder in blobs.folders():
        files = _sources(blobs, folder) if folder not in known else {}
        root = _root_of(folder, roots) if files else None
        if files and root is None:
            found.errors.append(f"{folder}: kept from a folder that is not known; give its --root")
        if root is not None:
            with database.transaction():
                for path, names in sorted(files.items()):
                    _adopt_file(database, blobs, _Source(root, path, names), now, found)
    return found


def _adopt_again(database: Database, blobs: Blobs, now: str, adopted: Adopted) -> None:
    """Take in once more what was damaged when it was taken in, and has been put back since."""
    damaged = {key[0] for key, damage in load_damage(database).items() if damage.is_incomplete}
    for file in [file for file in load_kept(database).values() if file.id in damaged]:
        rows = database.rows("generations_kept", {"file_id": file.id})
        numbers = {file.generation, *(int(row[0]) for row in rows)}
        names = {number: file.blob_of(number) for number in numbers}
        if all(_is_whole(blobs, name) for name in names.values()):
            with database.transaction():
                for name in ("forget_all_frames", "forget_damage_of", "forget_file"):
                    database.run(name, {"id": file.id})
                _adopt_file(database, blobs, _Source(file.root, file.path, names), now, adopted)


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
    """Find the root that a folder of blobs is named after, among those given or by trying."""
    slug = folder.rpartition("-")[0].split("-")
    guesses: Iterable[str] = ()
    if len(slug) <= _MOST_PARTS:
        ways = product("/-", repeat=len(slug) - 1)
        guesses = ("".join(map("".join, zip(("/", *way), slug, strict=True))) for way in ways)
    return next((root for root in (*roots, *guesses) if root_folder(root) == folder), None)


def _adopt_file(
    database: Database, blobs: Blobs, source: _Source, now: str, adopted: Adopted
) -> None:
    try:
        owner = _take_in(database, blobs, source, now)
    except DamagedBlobError as error:
        adopted.errors.append(str(error))
        return
    adopted.paths.add((source.root, source.path))
    adopted.sessions.update([owner] if owner else [])


def _take_in(database: Database, blobs: Blobs, source: _Source, now: str) -> str | None:
    """Write the rows of one kept file, all its generations; give the session that it belongs to."""
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
    database.run("lose_file", {"id": file_id, "now": now})
    for number, generation in found.items():
        insert_frames(database, file_id, number, generation.frames)
        if generation.fault:
            # Until a source or a backup brings back the rest, what is left of it is known.
            damage = Damage(file_id, number, generation.fault, is_incomplete=True)
            save_damage(database, [damage])
    return owner


def _read(blobs: Blobs, name: str, *, is_flat: bool) -> _Generation:
    """Read a blob as far as it is whole, and say what is wrong with the rest.

    That may be a write that was cut off, or damage: without a database nobody knows.
    """
    scan = blobs.scan(name)
    head = tail = b""
    for data in scan:
        head = head or data[:EDGE_BYTES]
        tail = (tail + data)[-EDGE_BYTES:]
    owner = _session_in(blobs.scan(name)) if is_flat else None
    return _Generation(scan.frames(), edges_of(head, tail), owner, scan.fault)


def _session_in(pieces: Iterable[bytes]) -> str | None:
    """Tell the session of a flat agent file from its first rows."""
    for line in split_lines(pieces, ""):
        for entry in decode(line):
            if isinstance(entry.body, Row | Marker) and entry.body.session_id:
                return entry.body.session_id
    return None
