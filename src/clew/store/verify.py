"""The archive against itself and its sources: what is damaged, missing or different."""

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import apsw
import msgspec

from clew.source import open_regular, to_name
from clew.store.blobs import DamagedBlobError
from clew.store.compare import compare_whole
from clew.store.damage import Damage, Damages, load_damage, record_damage
from clew.store.faults import DAMAGE
from clew.store.kept import Kept, load_frames
from clew.store.reader import Reader

_KEPT_TABLES: Final = ("source_file", "frame")
_MOST_FAULTS: Final = 20
_FINE: Final = "ok"
_DIFFERS: Final = "differs from its source"


class Verified(msgspec.Struct, frozen=True):
    """One kept file, and what is wrong with it, if anything."""

    file: Kept
    fault: str = ""


def verify(reader: Reader, *, sources: bool = False) -> Iterator[Verified]:
    """Read every kept file, earlier versions too, and give each with what is wrong.

    What is found is recorded, so that the next sync repairs it.

    Args:
        reader: The archive.
        sources: Compare each file with its source as well, where that is there.
    """
    known = load_damage(reader.connection)
    damage: list[Damage] = []
    for file in reader.kept():
        found = list(_damage_of(reader, file, known))
        if sources and not found:
            found.extend(_difference(reader, file))
        damage += found
        yield Verified(file, describe_damage(file, found[0]) if found else "")
    record_damage(reader.home, damage, is_all=True)


def verify_database(connection: apsw.Connection, *, kept_only: bool = False) -> list[str]:
    """Run SQLite's own check, on the whole or only on what is known of kept files."""
    checks = [f"({name})" for name in _KEPT_TABLES] if kept_only else [f"({_MOST_FAULTS})"]
    found: list[str] = []
    try:
        for check in checks:
            rows = connection.execute(f"PRAGMA integrity_check{check}")
            found += [str(row[0]) for row in rows if row[0] != _FINE]
    except DAMAGE as error:
        found.append(str(error))
    # Each finding may have several lines, all but the first of them as technical as can be.
    return [text.splitlines()[-1] for text in found]


def unknown_blobs(reader: Reader) -> list[str]:
    """Give the names of kept files that the database does not know."""
    known = {
        reader.blobs.path(file.blob_of(number))
        for file in reader.kept()
        for number in reader.all_generations(file)
    }
    blobs = (path for path in reader.blobs.folder.rglob("*.zst") if path not in known)
    return sorted(path.relative_to(reader.blobs.folder).as_posix() for path in blobs)


def describe_damage(file: Kept, damage: Damage) -> str:
    """Say what is wrong with a kept file, and what to do."""
    blob = file.blob_of(damage.generation)
    if damage.reason == _DIFFERS:
        return f"the kept copy {blob} {_DIFFERS}; `clew sync` keeps that as a new version"
    return str(DamagedBlobError(blob, damage.reason))


def _damage_of(reader: Reader, file: Kept, known: Damages) -> Iterator[Damage]:
    numbers = reader.all_generations(file)
    for number in numbers:
        recorded = known.get((file.id, number))
        if recorded is not None and recorded.is_incomplete:
            yield recorded
        elif fault := _fault(reader, file, number):
            yield Damage(file.id, number, fault)
    if len(numbers) < max(numbers):
        missing = next(number for number in itertools.count(1) if number not in numbers)
        yield Damage(file.id, missing, "the database does not know this version")


def _fault(reader: Reader, file: Kept, generation: int) -> str:
    try:
        size = sum(len(piece) for piece in reader.content(file, generation))
    except DamagedBlobError as error:
        return error.reason
    is_whole = generation != file.generation or size == file.kept_bytes
    return "" if is_whole else f"{size:,} bytes of {file.kept_bytes:,} are known"


def _difference(reader: Reader, file: Kept) -> Iterator[Damage]:
    """Compare a kept file with its source, which may have grown since."""
    frames = load_frames(reader.connection, file.id, file.generation)
    try:
        with open_regular(Path(to_name(file.root), to_name(file.path))) as stream:
            is_long_enough = os.fstat(stream.fileno()).st_size >= file.kept_bytes
            is_same = is_long_enough and compare_whole(stream, frames).is_same
    except OSError:
        return
    if not is_same:
        yield Damage(file.id, file.generation, _DIFFERS)
