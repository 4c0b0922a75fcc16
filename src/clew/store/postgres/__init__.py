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

__all__ = [
    "PostgresDatabase",
    "PostgresIndex",
    "migrate",
    "open_postgres",
    "open_postgres_for_writing",
    "pool",
    "require_current",
    "schema_version",
]
