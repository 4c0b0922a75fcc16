"""Why a query was refused, and what to do instead: SQLite itself says only "not authorized"."""

import re
from typing import Final

import apsw

from clew.store.queries import statement
from clew.store.query_result import LISTED, READ_ONLY, suggest

_WRITES: Final = {
    apsw.SQLITE_INSERT: "insert into",
    apsw.SQLITE_UPDATE: "update",
    apsw.SQLITE_DELETE: "delete from",
}
# Changes of the schema come as changes of the table that describes it.
_SCHEMA_TABLES: Final = ("sqlite_master", "sqlite_temp_master", "sqlite_schema")
_NO_TABLE: Final = re.compile(r"no such table: (?:\w+\.)?(\w+)$")
_NO_COLUMN: Final = re.compile(r"no such column: (?:\w+\.)*(\w+)")
_NO_FUNCTION: Final = re.compile(r"no such function: (\w+)")


def explain_refusal(action: int, first: str, second: str) -> str:
    """Say what the authorizer refused; the arguments are those that SQLite gave it."""
    if action in _WRITES and first not in _SCHEMA_TABLES:
        return f"cannot {_WRITES[action]} {first}; {READ_ONLY}"
    match action:
        case apsw.SQLITE_READ:
            return f"cannot read {first}; {LISTED}"
        case apsw.SQLITE_FUNCTION:
            return (
                f"the function {second}() is not allowed; "
                "`clew sql --schema` lists the functions of clew, sqlite.org those of SQLite"
            )
        case apsw.SQLITE_PRAGMA:
            return (
                f"the pragma {first} is not allowed; only PRAGMA table_info(NAME), "
                "table_xinfo(NAME) and table_list are"
            )
        case apsw.SQLITE_ATTACH | apsw.SQLITE_DETACH:
            return (
                "cannot open other databases (ATTACH); use `clew export parquet` or "
                "`clew sql --csv` to combine data"
            )
        case apsw.SQLITE_TRANSACTION | apsw.SQLITE_SAVEPOINT:
            return f"transactions are not allowed; {READ_ONLY}"
        case _:
            return f"cannot change tables, views or indexes; {READ_ONLY}"


def explain_error(connection: apsw.Connection, message: str) -> str:
    """Add to SQLite's message what the name that it does not know may have been meant for."""
    for pattern, names in (
        (_NO_TABLE, "readable_tables"),
        (_NO_COLUMN, "readable_columns"),
        (_NO_FUNCTION, "readable_functions"),
    ):
        if found := pattern.search(message):
            return suggest(message, found[1], _names(connection, names))
    return message


def _names(connection: apsw.Connection, name: str) -> list[str]:
    """Ask the connection for names, which no query of a user is about to do any more."""
    connection.authorizer = None
    connection.set_progress_handler(None)
    try:
        return sorted({str(row[0]).lower() for row in connection.execute(statement(name))})
    except apsw.Error:
        return []
