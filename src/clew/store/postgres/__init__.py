"""The database and the index of a team: PostgreSQL.

Only this package knows the library, and it is imported only for such an archive.
"""

from clew.store.postgres.connection import migrate, pool, require_current, schema_version
from clew.store.postgres.database import (
    PostgresDatabase,
    open_postgres,
    open_postgres_for_writing,
)
from clew.store.postgres.index import PostgresIndex
from clew.store.postgres.scoped_database import ScopedDatabase
from clew.store.postgres.scopes import NoReaderRoleError, NoScopesError, Viewer

__all__ = [
    "NoReaderRoleError",
    "NoScopesError",
    "PostgresDatabase",
    "PostgresIndex",
    "ScopedDatabase",
    "Viewer",
    "migrate",
    "open_postgres",
    "open_postgres_for_writing",
    "pool",
    "require_current",
    "schema_version",
]
