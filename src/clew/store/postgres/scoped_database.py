"""A database as one viewer sees it: the same statements, over views of what is theirs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NoReturn

from psycopg import Cursor

from clew.errors import ClewError
from clew.store.postgres.connection import PostgresConnection, pool, run
from clew.store.postgres.execute import execute, execute_alone, to_records
from clew.store.postgres.scopes import NoReaderRoleError, NoScopesError, Viewer, are_ready
from clew.store.protocols import DatabaseRow, Parameters

_NONE: Final[Parameters] = {}


class ReadOnlyViewerError(ClewError):
    """A viewer's archive was asked for what only its owner does."""

    def __init__(self) -> None:
        super().__init__("viewers can only read; open the archive as its owner to change it")


class ScopedDatabase:
    """Reads for a viewer, in transactions of a role that may read nothing but views.

    It has a connection only while it reads: a server has more viewers than connections.
    """

    is_shared = True

    def __init__(
        self, connection: PostgresConnection, owner: int, viewer: Viewer, *, url: str = ""
    ) -> None:
        """Make sure that there is something to see; with a `url`, the pool gets the connection.

        Raises:
            NoScopesError: The viewer has no scopes.
            NoReaderRoleError: There are no views, or this user may not use them.
        """
        if not viewer.scopes:
            raise NoScopesError
        if not are_ready(connection):
            raise NoReaderRoleError(connection.info.user)
        self.owner = owner
        self.viewer = viewer
        self._url = url
        self._connection: PostgresConnection | None = connection
        self._is_open = False
        self._release()

    def rows(self, name: str, values: Parameters = _NONE) -> Iterator[DatabaseRow]:
        """Run a statement and return its rows."""
        return iter(self._execute(name, values).fetchall())

    def records(self, name: str, values: Parameters = _NONE) -> Iterator[dict[str, Any]]:
        """Run a statement and return its rows by the names of their columns."""
        return to_records(self._execute(name, values))

    def _execute(self, name: str, values: Parameters) -> Cursor[tuple[Any, ...]]:
        if self._is_open:
            return execute(self._take(), name, values, self.owner, self.viewer.member)
        with self._borrowed() as connection:
            return execute_alone(connection, name, values, self.owner, self.viewer)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all statements in it see the same rows."""
        if self._is_open:
            yield
            return
        with self._borrowed() as connection:
            values = {"scopes": list(self.viewer.scopes), "viewer": self.viewer.member}
            run(connection, "begin_scoped", **values)
            self._is_open = True
            try:
                yield
            finally:
                self._is_open = False

    @contextmanager
    def _borrowed(self) -> Iterator[PostgresConnection]:
        """Take a connection, and leave no transaction behind on it."""
        connection = self._take()
        try:
            yield connection
        finally:
            if not connection.closed and connection.info.transaction_status:
                run(connection, "rollback")
            self._release()

    def _take(self) -> PostgresConnection:
        if self._connection is None:
            self._connection = pool.take(self._url)
        return self._connection

    def _release(self) -> None:
        if self._url and self._connection is not None:
            pool.give(self._url, self._connection, has_locks=False)
            self._connection = None

    def version(self) -> int:
        """Return a number that changes when anybody writes of whom the viewer sees sessions."""
        return int(next(self.rows("seen_changes"))[0])

    def close(self) -> None:
        """Close the connection, unless the pool has it."""
        if self._connection is not None:
            self._connection.close()

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise ReadOnlyViewerError

    # A viewer writes nothing, and only whoever sees all tables can verify them.
    run = run_many = write_session = delete_session = transaction = check = _refuse
