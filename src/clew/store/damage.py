"""Damaged archive files: recorded by whoever finds one, repaired by the next sync."""

from collections.abc import Iterable
from typing import Protocol

import msgspec

from clew.store.archived_files import ArchivedFile
from clew.store.protocols import Blobs, Database


class BlobDamage(msgspec.Struct, frozen=True):
    """One generation of an archived file that is not what it was.

    It is incomplete where even its rows were made from what was left of it.
    """

    file_id: int
    generation: int
    reason: str
    is_incomplete: bool = False


Damages = dict[tuple[int, int], BlobDamage]


class RecordDamage(Protocol):
    """Records damage that a reader found; `is_all` forgets other damage."""

    def __call__(self, found: Iterable[BlobDamage], *, is_all: bool = False) -> None:
        """Record it."""


def load_damage(database: Database) -> Damages:
    """Read what is recorded, by file and generation."""
    rows = database.rows("damaged_blobs")
    found = (BlobDamage(row[0], row[1], row[2], bool(row[3])) for row in rows)
    return {(damage.file_id, damage.generation): damage for damage in found}


def save_damage(database: Database, found: Iterable[BlobDamage]) -> None:
    """Record damage within a transaction of the one writer."""
    database.run_many("record_damage", [msgspec.structs.asdict(damage) for damage in found])


def write_damage(database: Database, found: Iterable[BlobDamage], *, is_all: bool) -> None:
    """Record damage in a transaction of its own; `is_all` forgets other damage."""
    with database.transaction():
        if is_all:
            database.run("delete_all_damage")
        save_damage(database, found)


def find_short_blobs(
    database: Database, blobs: Blobs, files: Iterable[ArchivedFile]
) -> list[BlobDamage]:
    """Find blobs that are gone or too short by their size alone, without opening any."""
    by_id = {file.id: file for file in files}
    found = []
    for file_id, generation, expected in database.rows("blob_sizes"):
        file = by_id.get(file_id)
        if file is None:
            continue
        size = blobs.size(file.blob_of(generation))
        if size < expected:
            reason = f"{size:,} of {expected:,} bytes are present"
            found.append(BlobDamage(file_id, generation, reason))
    return found
