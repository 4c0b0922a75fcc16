"""Where an archive is, and how its parts are opened there.

Whoever reads or writes an archive names its location, and comes by its database, index and blobs
here.
"""

from collections.abc import Collection, Iterable
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

import apsw
import msgspec

from clew.errors import ClewError
from clew.figures import plural
from clew.settings import is_database
from clew.store import errors, lock
from clew.store.archived_files import ArchivedFile
from clew.store.damage import BlobDamage, write_damage
from clew.store.errors import ArchiveUnavailableError
from clew.store.home import Home
from clew.store.open_blobs import address_below, is_bucket, open_blobs
from clew.store.postgres_location import PostgresLocation
from clew.store.protocols import Blobs, SearchIndex
from clew.store.sqlite import (
    FullTextIndex,
    SqliteDatabase,
    open_for_reading,
    open_for_update,
    open_for_writing,
)

Location: TypeAlias = Home | PostgresLocation
"""A folder on this machine, or a PostgreSQL database with its blobs."""


class TeamMissingError(ClewError):
    """The packages for PostgreSQL and S3 are not installed."""

    def __init__(self) -> None:
        super().__init__(
            "archives in PostgreSQL require psycopg; install it with `uv sync --extra team` or "
            "`pip install 'clew[team]'`"
        )


class WrongBlobsError(ArchiveUnavailableError):
    """The blobs are not those of the database."""

    def __init__(self, location: PostgresLocation, count: int) -> None:
        super().__init__(
            f"{location.blobs} has none of the {plural(count, 'file')} that are archived in "
            f"{location.name}; correct CLEW_BLOBS, or restore the files from a backup"
        )


class ArchiveAddress(msgspec.Struct, frozen=True):
    """Where an archive is, in words that another process can be told; `archive` may be secret."""

    archive: str
    blobs: str = ""


def address_of(location: Location) -> ArchiveAddress:
    """Return what `find_location` finds an archive by: as its owner, never as a viewer."""
    if isinstance(location, PostgresLocation):
        if location.scopes is not None:
            raise ValueError("another process would see more than this viewer")
        return ArchiveAddress(location.database_url, location.blobs)
    return ArchiveAddress(str(location.folder.absolute()))


def find_location(address: ArchiveAddress) -> Location:
    """Return where an archive is."""
    if is_database(address.archive):
        return PostgresLocation(address.archive, address.blobs)
    return Home(Path(address.archive).expanduser())


def location_exists(location: Location) -> bool:
    """Tell whether there is an archive, or at least the beginning of one."""
    if isinstance(location, PostgresLocation):
        with translate_errors(location):
            return bool(_postgres().has_tables(location))
    return location.database.exists()


def open_index(location: Location) -> SearchIndex:
    """Open the index and its database so that nothing can be written."""
    if isinstance(location, PostgresLocation):
        index: SearchIndex = _postgres().open_for_reading(location)
        return index
    return FullTextIndex(SqliteDatabase(open_for_reading(location.database)))


def open_index_for_writing(location: Location) -> SearchIndex:
    """Open the index and its database for writing, and bring its tables up to date."""
    if isinstance(location, PostgresLocation):
        index: SearchIndex = _postgres().open_for_writing(location)
        return index
    return FullTextIndex(SqliteDatabase(open_for_writing(location.database)))


def blobs_of(location: Location) -> Blobs:
    """Open the blobs of an archive."""
    return open_blobs(blobs_address(location))


def blobs_address(location: Location) -> str:
    """Return what other processes open the blobs by.

    Those of several owners have the same names where their files have.
    """
    if isinstance(location, PostgresLocation):
        return address_below(location.blobs, str(location.owner))
    return str(location.blobs)


def sealed_url(location: Location, blob: str, seconds: int, endpoint: str = "") -> str | None:
    """Return a URL by which anybody can get a blob for a time, if a bucket has it as one object.

    With an `endpoint`, it is the address by which browsers reach the bucket's server.
    """
    address = blobs_address(location)
    if not is_bucket(address):
        return None
    from clew.store.s3 import S3Blobs, open_bucket  # noqa: PLC0415 (may not be installed)

    return S3Blobs(open_bucket(address)).presigned_url(blob, seconds, endpoint)


def require_own_blobs(location: Location, blobs: Blobs, files: Collection[ArchivedFile]) -> None:
    """Make sure that the blobs belong to the database, where the two are set one by one.

    Otherwise all files would be missing, and be archived again in the wrong place.

    Raises:
        WrongBlobsError: None of the files is there.
    """
    if isinstance(location, PostgresLocation):
        expected = [file for file in files if file.kept_bytes]
        if expected and not any(blobs.size(file.blob) for file in expected):
            raise WrongBlobsError(location, len(expected))


def writer_lock(location: Location) -> AbstractContextManager[None]:
    """Keep other syncs out, where an archive has room for one only.

    Raises:
        ArchiveBusyError: Another process has the lock.
    """
    if isinstance(location, PostgresLocation):
        return nullcontext()
    return lock.writer_lock(location.lock)


def translate_errors(location: Location) -> AbstractContextManager[None]:
    """Turn errors of the system and of the database into ours, which say what to do."""
    if isinstance(location, PostgresLocation):
        translated: AbstractContextManager[None] = _postgres().translate_errors(location)
        return translated
    return errors.translate_errors(location)


def explain_error(location: Location, error: BaseException | None) -> ClewError | None:
    """Return what an error while reading says to the user, if it is one of the database."""
    if isinstance(location, PostgresLocation):
        explained: ClewError | None = _postgres().explain(location, error)
        return explained
    if isinstance(error, errors.DAMAGE):
        return errors.DamagedDatabaseError(location, str(error))
    return None


def record_damage(location: Location, found: Iterable[BlobDamage], *, is_all: bool = False) -> None:
    """Record damage that a reader met, if that can be done at once; `is_all` forgets other damage.

    Nobody waits for it: what is not recorded now is met again.
    """
    if isinstance(location, PostgresLocation):
        _postgres().record_damage(location, found, is_all=is_all)
        return
    with suppress(apsw.Error):
        database = SqliteDatabase(open_for_update(location.database))
        try:
            write_damage(database, found, is_all=is_all)
        finally:
            database.close()


def database_bytes(location: Location) -> int:
    """Return how much room the rows and the index take."""
    if isinstance(location, PostgresLocation):
        return int(_postgres().measure_database(location))
    beside = location.database.with_name(f"{location.database.name}-wal")
    return sum(path.stat().st_size for path in (location.database, beside) if path.exists())


def _postgres() -> ModuleType:
    """Import what opens PostgreSQL databases, which laptops need not have.

    Raises:
        TeamMissingError: It is not installed.
    """
    try:
        from clew.store.postgres import archive  # noqa: PLC0415 (may not be installed)
    except ImportError as error:
        raise TeamMissingError from error
    return archive
