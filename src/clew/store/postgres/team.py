"""The tables of the team server: accounts, what was pushed, and where each session is."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg

from clew.store.postgres.connection import PostgresConnection, migrate, pool
from clew.store.postgres.execute import to_records
from clew.store.postgres.scopes import prepare_scopes
from clew.store.postgres.values import encode_values
from clew.store.postgres_location import PostgresLocation
from clew.store.protocols import DatabaseRow, Parameters
from clew.store.queries import statement

_NONE: Final[Parameters] = {}
# Statements that do not lock have nothing to release, which takes longer than most of them.
_ADVISORY: Final = "advisory"


class TeamDatabase:
    """A connection that runs named statements, each for itself or several in a transaction."""

    def __init__(self, connection: PostgresConnection) -> None:
        self.connection = connection
        self.may_have_locks = False

    def rows(self, name: str, values: Parameters = _NONE) -> list[DatabaseRow]:
        """Run a statement and return its rows."""
        return self._execute(name, values).fetchall()

    def records(self, name: str, values: Parameters = _NONE) -> list[dict[str, Any]]:
        """Run a statement and return its rows by the names of their columns."""
        return list(to_records(self._execute(name, values)))

    def record(self, name: str, values: Parameters = _NONE) -> dict[str, Any] | None:
        """Run a statement and return its first row by the names of its columns, if any."""
        return next(iter(self.records(name, values)), None)

    def run(self, name: str, values: Parameters = _NONE) -> int:
        """Run a statement; return how many rows it changed."""
        return self._execute(name, values).rowcount

    def notify(self, channel: str) -> None:
        """Wake up whoever listens, when the transaction is committed."""
        self.run("notify", {"channel": channel})

    def _execute(self, name: str, values: Parameters) -> psycopg.Cursor[DatabaseRow]:
        text = statement(name, "team")
        self.may_have_locks = self.may_have_locks or _ADVISORY in text
        return self.connection.execute(text.encode(), encode_values(values, _owner(values)))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all or nothing; a transaction within another is part of it."""
        with self.connection.transaction():
            yield


@contextmanager
def open_team(location: PostgresLocation) -> Iterator[TeamDatabase]:
    """Take a connection to the team's tables, and give it back.

    A transaction that was not ended is undone.
    """
    connection = pool.take(location.database_url)
    team = TeamDatabase(connection)
    try:
        yield team
    finally:
        pool.give(location.database_url, connection, has_locks=team.may_have_locks)


def prepare_team(location: PostgresLocation) -> None:
    """Bring the tables up to date, one process at a time, and make the views of viewers.

    Raises:
        NewerArchiveError: The tables are those of a later version.
    """
    connection = pool.take(location.database_url)
    try:
        migrate(connection)
        prepare_scopes(connection)
    finally:
        pool.give(location.database_url, connection)


def _owner(values: Parameters) -> int:
    owner = values.get("owner", 0)
    return owner if isinstance(owner, int) else 0
