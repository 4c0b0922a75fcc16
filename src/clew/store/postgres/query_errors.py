"""Why PostgreSQL does not run a query, and what to do instead."""

import re
from typing import Final

import psycopg
from psycopg import errors

from clew.store.postgres.connection import PostgresConnection, run
from clew.store.queries import statement
from clew.store.query_result import READ_ONLY, SEVERAL, QueryRefusedError, suggest
from clew.store.schema_descriptions import descriptions

_FIRST_WORD: Final = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*([a-z]+)", re.DOTALL | re.IGNORECASE)
_WRITES: Final = {
    "delete": "cannot delete rows",
    "insert": "cannot insert rows",
    "merge": "cannot change rows",
    "update": "cannot update rows",
}
_TABLES: Final = ("alter", "comment", "create", "drop", "grant", "reindex", "revoke", "truncate")
_TRANSACTIONS: Final = ("abort", "begin", "commit", "end", "rollback", "savepoint", "start")
_OTHERS: Final = (
    "analyze", "call", "checkpoint", "close", "cluster", "copy", "deallocate", "declare", "discard",
    "do", "execute", "explain", "fetch", "import", "listen", "load", "lock", "move", "notify",
    "prepare", "reassign", "refresh", "release", "reset", "security", "set", "show", "unlisten",
    "vacuum",
)  # fmt: skip
_IDENTIFIER: Final = re.compile(r'(?:"[^"]*"|\w+)(?:\s*\.\s*(?:"[^"]*"|\w+))*')
_LAST_NAME: Final = re.compile(r'(?:"([^"]*)"|(\w+))$')
_FILES_ONLY: Final = "raw_line"


def explain_refusal(query: str) -> None:
    """Refuse what is a statement, but no query.

    Raises:
        QueryRefusedError: It is one.
    """
    found = _FIRST_WORD.match(query)
    word = found[1].lower() if found else ""
    if word in _WRITES:
        raise QueryRefusedError(f"{_WRITES[word]}; {READ_ONLY}")
    if word in _TABLES:
        raise QueryRefusedError(f"cannot change tables, views or indexes; {READ_ONLY}")
    if word in _TRANSACTIONS:
        raise QueryRefusedError(f"transactions are not allowed; {READ_ONLY}")
    if word in _OTHERS:
        raise QueryRefusedError(f"{word.upper()} is not allowed; {READ_ONLY}")


def explain_error(connection: PostgresConnection, error: psycopg.Error, sent: str) -> str:
    """Return the server's words, and what a name that it does not know may have been meant for."""
    message = error.diag.message_primary or str(error).strip()
    position = int(error.diag.statement_position or 0)
    at = sent[position - 1 :] if position else ""
    if isinstance(error, errors.SyntaxError) and not position:
        return SEVERAL
    if isinstance(error, errors.ReadOnlySqlTransaction | errors.FeatureNotSupported):
        return f"{message}; {READ_ONLY}"
    name = _name_at(at)
    if not name:
        return message
    match error:
        case errors.UndefinedTable():
            return suggest(message, name, list(descriptions().tables))
        case errors.UndefinedColumn():
            tables = descriptions().tables.values()
            return suggest(message, name, [column for one in tables for column in one.columns])
        case errors.UndefinedFunction() if name == _FILES_ONLY:
            return f"{message}; it needs an archive in a directory"
        case errors.UndefinedFunction():
            return suggest(message, name, _functions(connection))
        case _:
            return message


def _name_at(text: str) -> str:
    """Return the last part of the name that a text begins with."""
    whole = _IDENTIFIER.match(text)
    last = _LAST_NAME.search(whole[0]) if whole else None
    return (last[1] or last[2]) if last else ""


def _functions(connection: PostgresConnection) -> list[str]:
    """Ask the server for the names of functions, after the query has failed."""
    if connection.closed:
        return []
    run(connection, "rollback")
    found = connection.execute(statement("readable_functions", "postgres").encode())
    return [str(row[0]) for row in found]
