"""A named statement with values → a cursor with its rows."""

from collections.abc import Iterator
from typing import Any

import psycopg

from clew.store.postgres.connection import PostgresConnection
from clew.store.postgres.values import encode_values
from clew.store.protocols import Parameters
from clew.store.queries import statement


def execute(
    connection: PostgresConnection, name: str, values: Parameters, owner: int
) -> psycopg.Cursor[tuple[Any, ...]]:
    """Run a statement for an owner."""
    text = statement(name, "postgres").encode()
    return connection.execute(text, encode_values(values, owner))


def to_records(cursor: psycopg.Cursor[tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    """Return rows by the names of their columns."""
    names = [column.name for column in cursor.description or ()]
    return (dict(zip(names, row, strict=True)) for row in cursor.fetchall())
