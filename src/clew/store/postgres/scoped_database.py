"""A database as one viewer sees it: the same statements, over views of what is theirs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NoReturn

import psycopg

from clew.errors import ClewError
from clew.store.postgres.connection import PostgresConnection, pool, run
from clew.store.postgres.execute import execute, to_records
from clew.store.postgres.scopes import NoReaderRoleError, NoScopesError, Viewer, are_ready
from clew.store.protocols import DatabaseRow, Parameters

_NONE: Final[Parameters] = {}


class ReadOnlyViewerError(ClewError):
    """A viewer's archive was asked for what only its owner does."""

    def __init__(self) -> None:
        super().__init__("viewers can only read; open the archive as its owner to change it")


class ScopedDatabase:
    """Reads for a viewer, in transactions of a role that may read nothing but views."""

    is_shared = True

    def __init__(
        self, connection: PostgresConnection, owner: int, viewer: Viewer, *, url: str = ""
    ) -> None:
        """Make sure that there is something to see.

        Raises:
            NoScopesError: The viewer has no scopes.
            NoReaderRoleError: There are no views, or this user may not use them.
        """
        if not viewer.scopes:
            raise NoScopesError
        if not are_ready(connection):
            raise NoReaderRoleError(connection.info.user)
        self.connection = connection
        self.owner = owner
        self.viewer = viewer
        self._url = url
        self._is_open = False

    def rows(self, name: str, values: Parameters = _NONE) -> Iterator[DatabaseRow]:
        """Run a statement and return its rows."""
        with self.snapshot():
            return iter(execute(self.connection, name, values, self.owner).fetchall())

    def records(self, name: str, values: Parameters = _NONE) -> Iterator[dict[str, Any]]:
        """Run a statement and return its rows by the names of their columns."""
        with self.snapshot():
            return to_records(execute(self.connection, name, values, self.owner))

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all statements in it see the same rows."""
        if self._is_open:
            yield
            return
        self._begin()
        self._is_open = True
        try:
            yield
        finally:
            self._is_open = False
            if not self.connection.closed:
                run(self.connection, "rollback")

    def _begin(self) -> None:
        """Begin a transaction; one whose connection was lost before begins on another."""
        scopes = list(self.viewer.scopes)
        try:
            run(self.connection, "begin_scoped", scopes=scopes)
        except psycopg.OperationalError:
            if not (self.connection.closed and self._url):
                raise
            self.connection = pool.take(self._url)
            run(self.connection, "begin_scoped", scopes=scopes)

    def version(self) -> int:
        """Return a number that changes when anybody has written."""
        return int(next(self.rows("data_version"))[0])

    def close(self) -> None:
        """Give the connection to whoever needs one next."""
        if self._url:
            pool.give(self._url, self.connection)
        else:
            self.connection.close()

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise ReadOnlyViewerError

    # A viewer writes nothing, and only whoever sees all tables can verify them.
    run = run_many = write_session = delete_session = transaction = check = _refuse
