"""Database, implemented with PostgreSQL."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import psycopg

from clew.store.errors import WriteConflictError
from clew.store.postgres.connection import (
    PostgresConnection,
    migrate,
    pool,
    require_writable,
    run_many,
)
from clew.store.postgres.execute import to_records
from clew.store.postgres.known_words import WordMemory
from clew.store.postgres.scoped_database import ScopedDatabase
from clew.store.postgres.scopes import Viewer, prepare_scopes
from clew.store.postgres.values import encode_values
from clew.store.postgres.write_session import SessionWriter
from clew.store.protocols import DatabaseRow, Parameters
from clew.store.queries import statement, statement_on

if TYPE_CHECKING:
    from clew.store.rows import SessionRows

_NONE: Final[Parameters] = {}
_CONFLICTS: Final = (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure)


class PostgresDatabase:
    """A connection to an archive's database, for the sessions of one owner."""

    is_shared = True

    def __init__(
        self,
        connection: PostgresConnection,
        owner: int = 0,
        *,
        url: str = "",
        is_writer: bool = True,
        memory: WordMemory | None = None,
    ) -> None:
        self.connection = connection
        self.owner = owner
        self._url = url
        self._is_writer = is_writer
        self._sessions = SessionWriter(connection, owner, memory)
        self._is_open = False
        self._in_snapshot = False
        self._has_written = False

    def rows(self, name: str, values: Parameters = _NONE) -> Iterator[DatabaseRow]:
        """Run a statement and return its rows."""
        return iter(self._execute(name, values).fetchall())

    def records(self, name: str, values: Parameters = _NONE) -> Iterator[dict[str, Any]]:
        """Run a statement and return its rows by the names of their columns."""
        return to_records(self._execute(name, values))

    def run(self, name: str, values: Parameters = _NONE) -> None:
        """Run a statement that returns nothing."""
        self._execute(name, values)

    def run_many(self, name: str, values: Iterable[Parameters]) -> None:
        """Run a statement once for each set of values, many of them in one message."""
        self._sessions.flush()
        encoded = [encode_values(one, self.owner) for one in values]
        self._has_written = self._has_written or bool(encoded)
        run_many(self.connection, name, encoded)

    def write_session(self, rows: "SessionRows", scope: int | None = None) -> int:
        """Replace all rows of a session and its texts in the index; return their number.

        They are written before any other statement runs, and at the end of the transaction. A
        session that is written again keeps its scope if none is given.
        """
        self._require_transaction()
        return self._sessions.add(rows, scope)

    def delete_session(self, session_id: str) -> None:
        """Delete all rows of a session and its texts in the index."""
        self._require_transaction()
        self._sessions.delete(session_id)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all or nothing, while no other writer of the same owner does."""
        self._run("begin")
        self._is_open, self._has_written = True, False
        try:
            yield
            self._sessions.flush()
            if self._has_written:
                self._run("record_change")
        except BaseException as error:
            self._is_open = False
            self._sessions.forget()
            self._roll_back()
            if isinstance(error, _CONFLICTS):
                raise WriteConflictError from error
            raise
        self._is_open = False
        self._run("commit")
        self._sessions.texts.known.remember()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all statements in it see the same rows."""
        if self.connection.info.transaction_status:
            yield
            return
        self._run("begin_snapshot")
        self._in_snapshot = True
        try:
            yield
        finally:
            self._in_snapshot = False
            self._roll_back()

    def scoped(self, viewer: Viewer) -> ScopedDatabase:
        """Return the same database as a viewer sees it, to which the connection then belongs.

        Raises:
            NoScopesError: The viewer has no scopes.
            NoReaderRoleError: There are no views, or this user may not use them.
        """
        return ScopedDatabase(self.connection, self.owner, viewer, url=self._url)

    def move_session(self, session_id: str, scope: int) -> None:
        """Let a session be seen in another scope, in a transaction."""
        self._require_transaction()
        found = next(self.rows("session_key", {"id": session_id}), None)
        if found is not None:
            self.run("move_session", {"key": found[0], "scope": scope})

    def version(self) -> int:
        """Return a number that changes when anybody has written."""
        return int(next(self.rows("data_version"))[0])

    def check(self, tables: Sequence[str] = ()) -> list[str]:
        """Read all rows of some tables, or of all: PostgreSQL verifies what it reads."""
        found = []
        for table in tables or [str(row[0]) for row in self.rows("table_names")]:
            try:
                self.connection.execute(statement_on("check_table", table, "postgres").encode())
            except psycopg.errors.InternalError as error:
                found.append(f"{table}: {error}")
        return found

    def close(self) -> None:
        """Give the connection to whoever needs one next."""
        if self._url:
            pool.give(self._url, self.connection)
        else:
            self.connection.close()

    def _execute(self, name: str, values: Parameters) -> psycopg.Cursor[tuple[Any, ...]]:
        self._sessions.flush()
        self._has_written = True
        return self._send(name, encode_values(values, self.owner))

    def _run(self, name: str) -> None:
        self._send(name, {"owner": self.owner})

    def _send(self, name: str, values: Parameters) -> psycopg.Cursor[tuple[Any, ...]]:
        """Send a statement; a reader whose connection is lost between statements makes another."""
        text = statement(name, "postgres").encode()
        try:
            return self.connection.execute(text, values)
        except psycopg.OperationalError:
            is_part = self._is_writer or self._is_open or self._in_snapshot
            if is_part or not self.connection.closed:
                raise
        self.connection = pool.take(self._url)
        return self.connection.execute(text, values)

    def _roll_back(self) -> None:
        """End a transaction; where the connection is lost, the server has done it."""
        if not self.connection.closed:
            self._run("rollback")

    def _require_transaction(self) -> None:
        if not self._is_open:
            raise RuntimeError("a session is written in a transaction")
        self._has_written = True


def open_owner_database(url: str, owner: int, memory: WordMemory | None = None) -> PostgresDatabase:
    """Open a database for writing whose tables are known to be up to date.

    Whoever opens it often gives the same `memory` each time.
    """
    return PostgresDatabase(pool.take(url), owner, url=url, memory=memory)


def open_postgres(url: str, owner: int = 0) -> PostgresDatabase:
    """Open a database for reading."""
    return PostgresDatabase(pool.take(url), owner, url=url, is_writer=False)


def open_postgres_for_writing(url: str, owner: int = 0) -> PostgresDatabase:
    """Open a database for writing, and bring its tables up to date."""
    connection = pool.take(url)
    try:
        migrate(connection)
        require_writable(connection)
        prepare_scopes(connection)
    except BaseException:
        pool.give(url, connection)
        raise
    return PostgresDatabase(connection, owner, url=url)
