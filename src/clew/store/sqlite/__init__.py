"""The database and the index on a laptop: SQLite with FTS5.

Only this package, and the modules for SQL queries of users, know the library.
"""

from clew.store.sqlite.connection import (
    limit_memory,
    limit_time,
    migrate,
    migrations,
    open_for_reading,
    open_for_update,
    open_for_writing,
    open_temporary_copy,
    schema_version,
)
from clew.store.sqlite.database import SqliteDatabase
from clew.store.sqlite.index import FullTextIndex

__all__ = [
    "FullTextIndex",
    "SqliteDatabase",
    "limit_memory",
    "limit_time",
    "migrate",
    "migrations",
    "open_for_reading",
    "open_for_update",
    "open_for_writing",
    "open_temporary_copy",
    "schema_version",
]
