"""Read-only SQL on PostgreSQL: one query, of which everything is known before it runs.

The server itself reads the query first, as the definition of a view: so it is a single SELECT, and
the server tells each table it reads and each function it calls. Only then it runs, in a transaction
that cannot write.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import psycopg

from clew.errors import ClewError
from clew.store.postgres.connection import (
    PostgresConnection,
    connect,
    require_current,
    run,
)
from clew.store.postgres.errors import explain, translate_errors
from clew.store.postgres.query_errors import explain_error, explain_refusal
from clew.store.postgres.values import read_as_text
from clew.store.postgres.views import make_views
from clew.store.postgres_location import PostgresLocation
from clew.store.queries import statement
from clew.store.query_result import (
    LISTED,
    QueryClock,
    QueryRefusedError,
    QueryResult,
    QueryRow,
    QueryTimeoutError,
    chain,
)

_OF_SERVER: Final = (
    psycopg.errors.DataCorrupted,
    psycopg.errors.DiskFull,
    psycopg.errors.IndexCorrupted,
    psycopg.errors.InsufficientPrivilege,
    psycopg.errors.OutOfMemory,
)
_AT_ONCE: Final = 200
_FUNCTION_IDS: Final = re.compile(r":(?:funcid|opfuncid|aggfnoid|winfnoid|tsmhandler) (\d+)")
_RELATION_IDS: Final = re.compile(r":relid (\d+)")
# Volatile in name only: no two calls return the same.
_HARMLESS: Final = (
    "clock_timestamp",
    "gen_random_uuid",
    "random",
    "random_normal",
    "timeofday",
    "uuidv4",
    "uuidv7",
)
_OWN: Final = ("block_text", "tool_input", "tool_result", "uuid", "uuid_bytes")


def run_query(location: PostgresLocation, query: str, seconds: float) -> QueryResult:
    """Run one query that only reads.

    The time counts while the server works, not while somebody looks at what was found.

    Raises:
        QueryRefusedError: It is no SQL, asks for something it may not touch, or is not one query.
        QueryTimeoutError: It takes longer than it may, which can also be told on the way.
    """
    if location.scopes is not None:
        raise QueryRefusedError("it would see sessions that this viewer may not see")
    text = query.strip().rstrip(";")
    if not text:
        raise QueryRefusedError("it is empty")
    explain_refusal(text)
    with translate_errors(location):
        connection = connect(location.database_url)
    asked = _Query(location, connection, text, seconds)
    rows = asked.rows()
    # The first row is asked for at once, so that the columns are known and mistakes are told.
    first = next(rows, None)
    return QueryResult(asked.columns, rows if first is None else chain(first, rows))


class _Query:
    """A query on a connection of its own."""

    def __init__(
        self, location: PostgresLocation, connection: PostgresConnection, text: str, seconds: float
    ) -> None:
        self.location = location
        self.connection = connection
        self.text = text
        self.columns: tuple[str, ...] = ()
        self._clock = QueryClock(seconds)

    def rows(self) -> Iterator[QueryRow]:
        """Check it, run it and return its rows; at the end nothing of it is left."""
        try:
            self._prepare()
            with self.connection.cursor("clew_query") as cursor:
                self._limit_time()
                cursor.execute(self.text.encode())
                self.columns = tuple(column.name for column in cursor.description or ())
                while found := self._fetch(cursor):
                    yield from found
        except psycopg.errors.QueryCanceled as error:
            raise QueryTimeoutError(self._clock.seconds) from error
        except psycopg.Error as error:
            raise self._explain(error) from error
        finally:
            with suppress(psycopg.Error):
                self.connection.close()

    def _explain(self, error: psycopg.Error) -> ClewError:
        """Return whether the query is to blame, or the server."""
        is_of_server = not error.sqlstate or isinstance(error, _OF_SERVER)
        explained = explain(self.location, error) if is_of_server else None
        return explained or QueryRefusedError(explain_error(self.connection, error, self.text))

    def _prepare(self) -> None:
        """Make sure that the query does nothing but read, and that it cannot."""
        require_current(self.connection)
        read_as_text(self.connection)
        run(self.connection, "begin_query")
        make_views(self.connection)
        self._limit_time()
        self._parse()
        view = statement("query_view", "postgres").replace("$query", self.text)
        self.connection.execute(view.encode())
        [[tree]] = self.connection.execute(statement("query_tree", "postgres").encode())
        self._refuse("refused_functions", _FUNCTION_IDS.findall(tree), "the function {}() is not")
        self._refuse("refused_relations", _RELATION_IDS.findall(tree), "reading {} is not")
        run(self.connection, "set_read_only")

    def _parse(self) -> None:
        """Let the server read the query, which it does not run, and which must be one statement."""
        found = self.connection.pgconn.prepare(b"", self.text.encode())
        if found.status != psycopg.pq.ExecStatus.COMMAND_OK:
            raise psycopg.errors.error_from_result(found)

    def _refuse(self, name: str, ids: list[str], what: str) -> None:
        values = {"ids": ids, "harmless": list(_HARMLESS), "own": list(_OWN)}
        found = self.connection.execute(statement(name, "postgres").encode(), values).fetchone()
        if found:
            raise QueryRefusedError(f"{what.format(found[0])} allowed; {LISTED}")

    def _limit_time(self) -> None:
        self._clock.check()
        milliseconds = max(1, round(self._clock.left * 1_000))
        run(self.connection, "limit_time", milliseconds=str(milliseconds))

    def _fetch(self, cursor: psycopg.ServerCursor[QueryRow]) -> list[QueryRow]:
        self._clock.start()
        self._limit_time()
        found = cursor.fetchmany(_AT_ONCE)
        self._clock.stop()
        return found
