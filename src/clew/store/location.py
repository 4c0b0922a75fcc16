"""Where an archive is, and how its parts are opened there.

Whoever reads or writes an archive names its location, and comes by its database, index and blobs
here.
"""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeAlias

import msgspec

from clew.store import damage, errors, lock
from clew.store.blobs import FolderBlobs
from clew.store.damage import BlobDamage
from clew.store.home import Home
from clew.store.protocols import Blobs, SearchIndex
from clew.store.sqlite import (
    FullTextIndex,
    SqliteDatabase,
    open_for_reading,
    open_for_writing,
)

Location: TypeAlias = Home
"""A folder on this machine."""


class ArchiveAddress(msgspec.Struct, frozen=True):
    """Where an archive is, in words that another process can be told; `archive` may be secret."""

    archive: str
    blobs: str = ""


def address_of(location: Location) -> ArchiveAddress:
    """Return what `find_location` finds an archive by."""
    return ArchiveAddress(str(location.folder.absolute()))


def find_location(address: ArchiveAddress) -> Location:
    """Return where an archive is."""
    return Home(Path(address.archive).expanduser())


def location_exists(location: Location) -> bool:
    """Tell whether there is an archive, or at least the beginning of one."""
    return location.database.exists()


def open_index(location: Location) -> SearchIndex:
    """Open the index and its database so that nothing can be written."""
    return FullTextIndex(SqliteDatabase(open_for_reading(location.database)))


def open_index_for_writing(location: Location) -> SearchIndex:
    """Open the index and its database for writing, and bring its tables up to date."""
    return FullTextIndex(SqliteDatabase(open_for_writing(location.database)))


def blobs_of(location: Location) -> Blobs:
    """Open the blobs of an archive."""
    return FolderBlobs(location.blobs)


def blobs_address(location: Location) -> str:
    """Return what other processes open the blobs by."""
    return str(location.blobs)


def writer_lock(location: Location) -> AbstractContextManager[None]:
    """Keep other syncs out, where an archive has room for one only.

    Raises:
        ArchiveBusyError: Another process has the lock.
    """
    return lock.writer_lock(location.lock)


def translate_errors(location: Location) -> AbstractContextManager[None]:
    """Turn errors of the system and of the database into ours, which say what to do."""
    return errors.translate_errors(location)


def record_damage(location: Location, found: Iterable[BlobDamage], *, is_all: bool = False) -> None:
    """Record damage that a reader met, if that can be done at once; `is_all` forgets other damage.

    Nobody waits for it: what is not recorded now is met again.
    """
    damage.record_damage(location, found, is_all=is_all)


def database_bytes(location: Location) -> int:
    """Return how much room the rows and the index take."""
    beside = location.database.with_name(f"{location.database.name}-wal")
    return sum(path.stat().st_size for path in (location.database, beside) if path.exists())
