"""Whole rows of tables and views in PostgreSQL, all as they are at one moment."""

from collections.abc import Iterator, Sequence
from typing import Final

from clew.errors import ClewError
from clew.store.postgres.connection import connect, require_current, run
from clew.store.postgres.errors import translate_errors
from clew.store.postgres.values import read_as_text
from clew.store.postgres.views import make_views
from clew.store.postgres_location import PostgresLocation
from clew.store.protocols import DatabaseRow
from clew.store.queries import statement_on
from clew.store.session_tables import rows_statement

_AT_ONCE: Final = 2_000
# The types of columns by their numbers, as SQLite calls them; all others are text.
_TYPES: Final = {17: "BLOB", 20: "INTEGER", 701: "REAL"}


class ViewerExportError(ClewError):
    """A viewer wants rows of all sessions."""

    def __init__(self) -> None:
        super().__init__(
            "this export would have sessions that the viewer may not see; export as somebody who "
            "sees all of them"
        )


class PostgresRows:
    """The rows of an archive on a server, read in one transaction."""

    def __init__(self, location: PostgresLocation) -> None:
        if location.scopes is not None:
            raise ViewerExportError
        self.location = location
        with translate_errors(location):
            self._connection = connect(location.database_url)
            require_current(self._connection)
            read_as_text(self._connection)
            run(self._connection, "begin_query")
            make_views(self._connection)
            run(self._connection, "set_read_only")

    @property
    def faults(self) -> list[str]:
        """Rows have all texts, so no archived file is read."""
        return []

    def columns(self, table: str) -> list[tuple[str, str]]:
        """Return the columns of a table."""
        text = statement_on("no_rows_of_table", table, "postgres")
        found = self._connection.execute(text.encode()).description or ()
        return [(column.name, _TYPES.get(column.type_code, "TEXT")) for column in found]

    def rows(self, table: str) -> Iterator[DatabaseRow]:
        """Return all rows of a table."""
        return self._select(statement_on("rows_of_table", table, "postgres"), ())

    def rows_of_sessions(self, table: str, keys: Sequence[int]) -> Iterator[DatabaseRow]:
        """Return the rows that a table has of some sessions."""
        return self._select(statement_on(rows_statement(table), table, "postgres"), keys)

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def _select(self, text: str, keys: Sequence[int]) -> Iterator[DatabaseRow]:
        """Run a query, and read some of its rows at a time."""
        with translate_errors(self.location), self._connection.cursor("rows") as cursor:
            cursor.itersize = _AT_ONCE
            cursor.execute(text.encode(), {"keys": list(keys)})
            yield from cursor
