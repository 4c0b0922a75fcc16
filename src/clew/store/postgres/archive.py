"""A PostgreSQL database as a part of an archive: opened for reading or writing, and measured."""

from collections.abc import Iterable
from contextlib import suppress

import psycopg

from clew.analytics import digest
from clew.errors import ClewError
from clew.store.damage import BlobDamage, write_damage
from clew.store.migrations import common_migrations
from clew.store.postgres.connection import pool, schema_version
from clew.store.postgres.database import (
    PostgresDatabase,
    open_postgres,
    open_postgres_for_writing,
)
from clew.store.postgres.errors import explain, translate_errors
from clew.store.postgres.index import PostgresIndex
from clew.store.postgres.scoped_database import ReadOnlyViewerError
from clew.store.postgres.scopes import Viewer
from clew.store.postgres_location import PostgresLocation
from clew.store.protocols import Database
from clew.store.queries import statement

__all__ = [
    "OutdatedPricesError",
    "explain",
    "has_tables",
    "measure_database",
    "open_for_reading",
    "open_for_writing",
    "record_damage",
    "translate_errors",
]


class OutdatedPricesError(ClewError):
    """The costs in the database rest on another price table than that of this version of clew."""

    def __init__(self) -> None:
        super().__init__(
            "the costs in the archive rest on the prices of another version of clew; run "
            "`clew sync` to compute them again, or use the same version"
        )


def has_tables(location: PostgresLocation) -> bool:
    """Tell whether anybody has made the tables of an archive."""
    connection = pool.take(location.database_url)
    try:
        return schema_version(connection) > 0
    finally:
        pool.give(location.database_url, connection)


def open_for_reading(location: PostgresLocation) -> PostgresIndex:
    """Open the index and its database, whatever version its tables have.

    Viewers see the costs that are stored: they cannot have them computed again, and workers do so
    member by member.

    Raises:
        OutdatedPricesError: Its costs are not those of this version's prices.
        NoScopesError: It is opened for a viewer who has no scopes.
        NoReaderRoleError: It is opened for a viewer, and has no views for them.
    """
    database = open_postgres(location.database_url, location.owner)
    try:
        if location.scopes is not None or not _has_other_prices(database):
            return PostgresIndex(_as_seen(database, location))
    except BaseException:
        database.close()
        raise
    database.close()
    raise OutdatedPricesError


def open_for_writing(location: PostgresLocation) -> PostgresIndex:
    """Open the index and its database, and bring its tables up to date.

    Raises:
        ReadOnlyViewerError: It is opened for a viewer.
    """
    if location.scopes is not None:
        raise ReadOnlyViewerError
    return PostgresIndex(open_postgres_for_writing(location.database_url, location.owner))


def _as_seen(database: PostgresDatabase, location: PostgresLocation) -> Database:
    if location.scopes is None:
        return database
    return database.scoped(Viewer(location.scopes, location.viewer))


def record_damage(location: PostgresLocation, found: Iterable[BlobDamage], *, is_all: bool) -> None:
    """Record damage that a reader met, if it may write."""
    with suppress(psycopg.Error):
        database = open_postgres(location.database_url, location.owner)
        try:
            write_damage(database, found, is_all=is_all)
        finally:
            database.close()


def measure_database(location: PostgresLocation) -> int:
    """Return how many bytes the rows and the index take."""
    connection = pool.take(location.database_url)
    try:
        found = connection.execute(statement("database_bytes", "postgres").encode()).fetchone()
    finally:
        pool.give(location.database_url, connection)
    return int(found[0]) if found else 0


def _has_other_prices(database: PostgresDatabase) -> bool:
    if schema_version(database.connection) != len(common_migrations()):
        # Whoever opens it finds out that the tables are not those of this version.
        return False
    found = next(database.rows("stored_prices"), None)
    return found is not None and found[0] != digest()
