"""The archive against itself and its sources: what is damaged, missing or different."""

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from clew.source import open_regular, to_name
from clew.store.archived_files import ArchivedFile, load_frames
from clew.store.blobs import DamagedBlobError
from clew.store.compare import compare_whole
from clew.store.damage import BlobDamage, Damages, load_damage
from clew.store.protocols import Database
from clew.store.reader import ArchiveReader

_KEPT_TABLES: Final = ("source_file", "frame")
_DIFFERS: Final = "differs from its source"


class VerifiedFile(msgspec.Struct, frozen=True):
    """One archived file, and what is wrong with it, if anything."""

    file: ArchivedFile
    fault: str = ""


def verify(
    reader: ArchiveReader, *, sources: bool = False, purged: bool = False
) -> Iterator[VerifiedFile]:
    """Read every archived file, earlier versions too, and return each with what is wrong.

    What is found is recorded, so that the next sync repairs it.

    Args:
        reader: The archive.
        sources: Compare each file with its source as well, where that is there.
        purged: Earlier versions may have been deleted, as on a team server.
    """
    known = load_damage(reader.database)
    damage: list[BlobDamage] = []
    for file in reader.read_ahead(reader.files()):
        found = list(_damage_of(reader, file, known))
        if not purged:
            found.extend(_missing_version(reader, file))
        if sources and not found:
            found.extend(_difference(reader, file))
        damage += found
        yield VerifiedFile(file, describe_damage(file, found[0]) if found else "")
    reader.record_damage(damage, is_all=True)


def verify_database(database: Database, *, kept_only: bool = False) -> list[str]:
    """Let the database verify itself, all of it or only what it knows of archived files."""
    return database.check(_KEPT_TABLES if kept_only else ())


def unknown_blobs(reader: ArchiveReader) -> list[str]:
    """Return the names of archived files that the database does not know."""
    known = {
        file.blob_of(number) for file in reader.files() for number in reader.all_generations(file)
    }
    return [name for name in reader.blobs.names() if name not in known]


def describe_damage(file: ArchivedFile, damage: BlobDamage) -> str:
    """Say what is wrong with an archived file, and what to do."""
    blob = file.blob_of(damage.generation)
    if damage.reason == _DIFFERS:
        return f"the archived copy {blob} {_DIFFERS}; `clew sync` archives a new version"
    return str(DamagedBlobError(blob, damage.reason))


def _damage_of(reader: ArchiveReader, file: ArchivedFile, known: Damages) -> Iterator[BlobDamage]:
    for number in reader.all_generations(file):
        recorded = known.get((file.id, number))
        if recorded is not None and recorded.is_incomplete:
            yield recorded
        elif fault := _fault(reader, file, number):
            yield BlobDamage(file.id, number, fault)


def _missing_version(reader: ArchiveReader, file: ArchivedFile) -> Iterator[BlobDamage]:
    numbers = reader.all_generations(file)
    if len(numbers) < max(numbers):
        missing = next(number for number in itertools.count(1) if number not in numbers)
        yield BlobDamage(file.id, missing, "this version is not in the database")


def _fault(reader: ArchiveReader, file: ArchivedFile, generation: int) -> str:
    try:
        size = sum(len(piece) for piece in reader.read_file(file, generation))
    except DamagedBlobError as error:
        return error.reason
    is_whole = generation != file.generation or size == file.kept_bytes
    return "" if is_whole else f"{size:,} of {file.kept_bytes:,} bytes are in the database"


def _difference(reader: ArchiveReader, file: ArchivedFile) -> Iterator[BlobDamage]:
    """Compare an archived file with its source, which may have grown since."""
    frames = load_frames(reader.database, file.id, file.generation)
    try:
        with open_regular(Path(to_name(file.root), to_name(file.path))) as stream:
            is_long_enough = os.fstat(stream.fileno()).st_size >= file.kept_bytes
            is_same = is_long_enough and compare_whole(stream, frames).is_same
    except OSError:
        return
    if not is_same:
        yield BlobDamage(file.id, file.generation, _DIFFERS)
