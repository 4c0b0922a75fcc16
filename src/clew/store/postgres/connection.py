"""Connections to PostgreSQL: made, kept for whoever needs one next; tables brought up to date."""

import atexit
import os
import select
import threading
import time
from collections.abc import Iterable
from importlib import resources
from itertools import islice
from typing import Any, Final, TypeAlias

import psycopg
from psycopg import ClientCursor

from clew.store.dialect import translate_schema
from clew.store.errors import NewerArchiveError, OlderArchiveError
from clew.store.migrations import Migration, common_migrations, read_migrations
from clew.store.postgres.address import connection_options
from clew.store.postgres.values import adapt
from clew.store.protocols import Parameters
from clew.store.queries import statement

PostgresConnection: TypeAlias = psycopg.Connection[tuple[Any, ...]]

# A server answers that many requests at once: to connect takes longer than most statements.
_MOST_IDLE: Final = 24
_AT_ONCE: Final = 500
_RECENT_SECONDS: Final = 5.0


class CannotConnectError(psycopg.OperationalError):
    """The server cannot be reached, or refuses the connection."""


class ConnectionPool:
    """Connections that nobody uses at the moment, by the address of their database.

    A connection that was lost while it was idle is replaced by a new one. Those of the process
    that this one is a copy of are not used: two would speak on one line.
    """

    def __init__(self) -> None:
        self._idle: dict[tuple[int, str], list[tuple[PostgresConnection, float]]] = {}
        self._lock = threading.Lock()

    def take(self, url: str) -> PostgresConnection:
        """Return a connection that works, a new one if need be."""
        while True:
            with self._lock:
                idle = self._idle.get((os.getpid(), url))
                found = idle.pop() if idle else None
            if found is None:
                return connect(url)
            connection, since = found
            if _is_alive(connection, is_recent=time.monotonic() - since < _RECENT_SECONDS):
                return connection
            connection.close()

    def give(self, url: str, connection: PostgresConnection, *, has_locks: bool = True) -> None:
        """Keep a connection for the next one, without its locks, unless there are enough."""
        if not connection.closed and (has_locks or connection.info.transaction_status):
            _clear(connection)
        with self._lock:
            idle = self._idle.setdefault((os.getpid(), url), [])
            if not connection.closed and len(idle) < _MOST_IDLE:
                idle.append((connection, time.monotonic()))
                return
        connection.close()

    def clear(self) -> None:
        """Close all of them."""
        with self._lock:
            ours = [key for key in self._idle if key[0] == os.getpid()]
            connections = [one for key in ours for one, _ in self._idle.pop(key)]
        for connection in connections:
            connection.close()


pool: Final = ConnectionPool()
atexit.register(pool.clear)


def connect(url: str) -> PostgresConnection:
    """Open a connection on which statements run as on SQLite.

    Values become part of the text of a statement: so it is planned for them, which takes a
    hundredth of the time where there are lists, and they have the types of what they are compared
    with.

    Raises:
        BadUrlError: The address cannot be understood.
        CannotConnectError: There is no such server, or it does not let this user in.
    """
    try:
        connection: PostgresConnection = psycopg.connect(
            **connection_options(url),
            autocommit=True,
            prepare_threshold=None,
            cursor_factory=ClientCursor,
        )
    except psycopg.Error as error:
        raise CannotConnectError(str(error)) from error
    adapt(connection)
    run(connection, "configure_connection")
    return connection


def run(connection: PostgresConnection, name: str, **values: object) -> None:
    """Run a statement for what it does."""
    connection.execute(statement(name, "postgres").encode(), values)


def run_many(connection: PostgresConnection, name: str, values: Iterable[Parameters]) -> None:
    """Run a statement once for each set of values, many of them in one message."""
    text = statement(name, "postgres").encode()
    cursor = ClientCursor(connection)
    waiting = iter(values)
    while some := list(islice(waiting, _AT_ONCE)):
        cursor.execute("".join(cursor.mogrify(text, one) for one in some).encode())


def _clear(connection: PostgresConnection) -> None:
    """End a transaction and release locks; a connection that cannot do that is of no use."""
    try:
        if connection.info.transaction_status:
            run(connection, "rollback")
        run(connection, "release_all")
    except psycopg.Error:
        connection.close()


def _is_alive(connection: PostgresConnection, *, is_recent: bool) -> bool:
    """Tell whether a connection can be used.

    A server that ends a connection says so on it. If it was used a moment ago, that is all that is
    checked: to ask the server takes longer than most statements.
    """
    if connection.closed:
        return False
    if is_recent and not select.select([connection.fileno()], (), (), 0)[0]:
        return True
    try:
        connection.execute(b"")
    except psycopg.Error:
        return False
    return not connection.closed


def schema_version(connection: PostgresConnection) -> int:
    """Return how many migrations the database has; 0 if it is empty."""
    if not _one(connection, "has_schema"):
        return 0
    return _one(connection, "schema_version")


def require_current(connection: PostgresConnection) -> None:
    """Make sure that the tables are those of this version of clew.

    Raises:
        NewerArchiveError: They are those of a later one.
        OlderArchiveError: They are those of an earlier one.
    """
    found, known = schema_version(connection), len(common_migrations())
    if found > known:
        raise NewerArchiveError(found, known)
    if found < known:
        raise OlderArchiveError


def migrate(connection: PostgresConnection) -> None:
    """Apply the migrations the database does not have yet, all or none, one process at a time."""
    steps = common_migrations()
    found = schema_version(connection)
    if found == len(steps):
        return
    if found > len(steps):
        raise NewerArchiveError(found, len(steps))
    run(connection, "begin_migrations")
    try:
        # Another process may have been faster.
        for step in steps[_one(connection, "schema_version") :]:
            _apply(connection, step)
        run(connection, "set_schema_version", number=len(steps))
    except BaseException:
        run(connection, "rollback")
        raise
    run(connection, "commit")


def require_writable(connection: PostgresConnection) -> None:
    """Make sure that rows can be written, before any bytes are.

    Raises:
        InsufficientPrivilege: They cannot.
    """
    row = connection.execute(statement("may_write", "postgres").encode()).fetchone()
    if row and not row[0]:
        raise psycopg.errors.InsufficientPrivilege(f"{row[1]} may only read")


def _apply(connection: PostgresConnection, step: Migration) -> None:
    connection.execute(translate_schema(step.text).encode())
    for own in read_migrations(resources.files("clew.store") / "schema" / "postgres"):
        if own.number == step.number:
            connection.execute(own.text.encode())


def _one(connection: PostgresConnection, name: str) -> int:
    row = connection.execute(statement(name, "postgres").encode()).fetchone()
    return int(row[0]) if row else 0
