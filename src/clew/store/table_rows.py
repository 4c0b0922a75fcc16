"""Whole rows of tables and views, as queries see them, wherever an archive is."""

import json
from collections.abc import Iterator, Sequence
from typing import Protocol

from clew.store.home import Home
from clew.store.location import Location
from clew.store.postgres_location import PostgresLocation
from clew.store.protocols import DatabaseRow
from clew.store.queries import statement, statement_on
from clew.store.session_tables import rows_statement
from clew.store.sqlite import open_for_reading
from clew.store.text_functions import TextFunctions
from clew.store.view_names import VIEWS
from clew.store.views import make_views


class TableRows(Protocol):
    """The rows of an archive as they are at one moment."""

    @property
    def faults(self) -> list[str]:
        """The archived files that could not be read so far."""

    def columns(self, table: str) -> list[tuple[str, str]]:
        """Return the columns of a table: their names, and their types as SQLite calls them."""

    def rows(self, table: str) -> Iterator[DatabaseRow]:
        """Return all rows of a table."""

    def rows_of_sessions(self, table: str, keys: Sequence[int]) -> Iterator[DatabaseRow]:
        """Return the rows that a table has of some sessions, by their keys."""

    def close(self) -> None:
        """Close the database."""


class SqliteRows:
    """The rows of an archive in a folder."""

    def __init__(self, home: Home) -> None:
        self._lookup = TextFunctions(home)
        self._connection = open_for_reading(
            home.database, lambda opened: make_views(opened, self._lookup)
        )

    @property
    def faults(self) -> list[str]:
        """The archived files that could not be read so far."""
        return self._lookup.faults

    def columns(self, table: str) -> list[tuple[str, str]]:
        """Return the columns of a table."""
        values = {"table": table, "schema": "temp" if table in ("tool_call", *VIEWS) else "main"}
        found = self._connection.execute(statement("columns_of_table"), values)
        return [(str(name), str(kind)) for name, kind in found]

    def rows(self, table: str) -> Iterator[DatabaseRow]:
        """Return all rows of a table."""
        yield from self._connection.execute(statement_on("rows_of_table", table))

    def rows_of_sessions(self, table: str, keys: Sequence[int]) -> Iterator[DatabaseRow]:
        """Return the rows that a table has of some sessions."""
        text = statement_on(rows_statement(table), table)
        yield from self._connection.execute(text, {"keys": json.dumps(keys)})

    def close(self) -> None:
        """Close the database."""
        self._connection.close()
        self._lookup.close()


def open_rows(location: Location) -> TableRows:
    """Open the rows of an archive."""
    if isinstance(location, PostgresLocation):
        from clew.store.postgres.table_rows import PostgresRows  # noqa: PLC0415 (may be missing)

        return PostgresRows(location)
    return SqliteRows(location)
