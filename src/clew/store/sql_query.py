"""Read-only SQL: what a query may touch, and for how long.

A query runs on a connection of its own that cannot write. It may read our tables and call
functions that do nothing but compute; files, other databases and extensions are out of reach.
"""

import uuid
from collections.abc import Callable, Iterator
from typing import Any, Final

import apsw
import msgspec

from clew.store.errors import translate_errors
from clew.store.home import Home
from clew.store.location import Location
from clew.store.postgres_location import PostgresLocation
from clew.store.queries import statement
from clew.store.query_errors import explain_error, explain_refusal
from clew.store.query_result import (
    SEVERAL,
    QueryClock,
    QueryRefusedError,
    QueryResult,
    QueryRow,
    QueryTimeoutError,
    chain,
)
from clew.store.sqlite import limit_time, open_for_reading
from clew.store.text_functions import LONGEST_TEXT, TextFunctions
from clew.store.view_names import VIEWS
from clew.store.views import make_views

# How many steps of SQLite's machine pass between two looks at the clock: well under a millisecond.
_STEPS: Final = 10_000
_INNOCUOUS: Final = 0x200000
_UUID_BYTES: Final = 16
_READABLE: Final = frozenset(
    {
        "json_each",
        "json_tree",
        "pragma_table_info",
        "pragma_table_list",
        "pragma_table_xinfo",
        "sqlite_master",
        "sqlite_schema",
    }
)
# Full-text tables read the version of the data by themselves.
_PRAGMAS: Final = frozenset({"data_version", "table_info", "table_list", "table_xinfo"})
# SQLite does not call these harmless, since they belong to extensions: they only compute.
_MORE_FUNCTIONS: Final = frozenset(
    {
        "bm25",
        "highlight",
        "match",
        "median",
        "percentile",
        "percentile_cont",
        "percentile_disc",
        "snippet",
        "uuid",
        "uuid_bytes",
    }
)


def run_query(location: Location, query: str, seconds: float) -> QueryResult:
    """Run one query that only reads, in the SQL of the archive's database.

    The time counts while SQLite works, not while somebody looks at what was found.

    Raises:
        QueryRefusedError: It is no SQL, asks for something it may not touch, or is not one query.
        QueryTimeoutError: It takes longer than it may, which can also be told on the way.
    """
    if isinstance(location, PostgresLocation):
        from clew.store.postgres import sql_query  # noqa: PLC0415 (may not be installed)

        return sql_query.run_query(location, query, seconds)
    return _run_on_sqlite(location, query, seconds)


def _run_on_sqlite(home: Home, query: str, seconds: float) -> QueryResult:
    if not query.strip():
        raise QueryRefusedError("it is empty")
    clock = QueryClock(seconds)
    lookup = TextFunctions(home, clock.check)
    with translate_errors(home):
        connection = open_for_reading(home.database, lambda opened: make_views(opened, lookup))
    refused = _restrict(connection, clock)
    columns: list[str] = []
    cursor = connection.cursor()
    cursor.exec_trace = _single_statement(query, columns)
    rows = _rows(_RunningQuery(connection, cursor, lookup, clock, refused), query)
    # The first row is asked for at once, so that the columns are known and mistakes are told.
    first = next(rows, None)
    found = rows if first is None else chain(first, rows)
    return QueryResult(tuple(columns), found, lookup.faults)


class _RunningQuery(msgspec.Struct, frozen=True):
    """A query that runs: what it runs on, and what the authorizer refused it."""

    connection: apsw.Connection
    cursor: apsw.Cursor
    lookup: TextFunctions
    clock: QueryClock
    refused: list[str]


def _rows(run: _RunningQuery, query: str) -> Iterator[QueryRow]:
    try:
        run.clock.start()
        for row in run.cursor.execute(query):
            run.clock.stop()
            yield row
            run.clock.start()
    except apsw.InterruptError as error:
        raise QueryTimeoutError(run.clock.seconds) from error
    except apsw.Error as error:
        refused = run.refused[-1] if run.refused else explain_error(run.connection, str(error))
        raise QueryRefusedError(refused) from error
    finally:
        run.connection.close(force=True)
        run.lookup.close()


def _single_statement(query: str, columns: list[str]) -> Callable[[apsw.Cursor, str, Any], bool]:
    """Note the columns of the first statement, and refuse to run a second one."""

    def trace(cursor: apsw.Cursor, text: str, _bindings: Any) -> bool:
        if len(text) < len(query):
            raise QueryRefusedError(SEVERAL)
        columns.extend(column[0] for column in cursor.get_description())
        return True

    return trace


def _restrict(connection: apsw.Connection, clock: QueryClock) -> list[str]:
    """Let a connection only read, for so long; return the list of what it will refuse."""
    refused: list[str] = []
    connection.create_scalar_function("uuid", _print_uuid, 1, deterministic=True)
    connection.create_scalar_function("uuid_bytes", _pack_uuid, 1, deterministic=True)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
    connection.limit(apsw.SQLITE_LIMIT_LENGTH, LONGEST_TEXT)
    connection.authorizer = _authorizer(connection, refused)
    limit_time(connection, _STEPS, clock.is_over)
    return refused


def _authorizer(
    connection: apsw.Connection, refused: list[str]
) -> Callable[[int, str | None, str | None, str | None, str | None], int]:
    tables = {str(row[0]) for row in connection.execute(statement("table_names"))}
    tables.update(VIEWS)
    listed = connection.execute(statement("function_names"))
    functions = {str(row[0]) for row in listed if row[5] & _INNOCUOUS} | _MORE_FUNCTIONS

    def decide(action: int, first: str | None, second: str | None, *_place: str | None) -> int:
        match action:
            case apsw.SQLITE_SELECT | apsw.SQLITE_RECURSIVE:
                allowed = True
            case apsw.SQLITE_READ:
                # A name without a column tells no value; names of a WITH clause come so.
                allowed = not second or first in tables or first in _READABLE
            case apsw.SQLITE_FUNCTION:
                allowed = (second or "").lower() in functions
            case apsw.SQLITE_PRAGMA:
                allowed = first in _PRAGMAS
            case _:
                allowed = False
        if not allowed:
            refused.append(explain_refusal(action, first or "", second or ""))
        return apsw.SQLITE_OK if allowed else apsw.SQLITE_DENY

    return decide


def _print_uuid(*values: Any) -> Any:
    """Write the 16 bytes of a UUID in letters; any other id as it is."""
    [value] = values
    if isinstance(value, bytes) and len(value) == _UUID_BYTES:
        return str(uuid.UUID(bytes=value))
    return value


def _pack_uuid(*values: Any) -> Any:
    """Return the 16 bytes of a UUID, as rows keep it; any other id as it is."""
    [value] = values
    try:
        return uuid.UUID(value).bytes if isinstance(value, str) else value
    except ValueError:
        return value
