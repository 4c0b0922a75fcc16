"""A named statement with values → a cursor with its rows."""

from collections.abc import Iterator
from typing import Any, Final

import psycopg

from clew.store.postgres.connection import PostgresConnection
from clew.store.postgres.scopes import Viewer
from clew.store.postgres.values import encode_values
from clew.store.protocols import Parameters
from clew.store.queries import statement

_BEFORE_ROLLBACK: Final = -2


def execute(
    connection: PostgresConnection, name: str, values: Parameters, owner: int, viewer: int
) -> psycopg.Cursor[tuple[Any, ...]]:
    """Run a statement for a viewer of an owner's sessions."""
    text = statement(name, "postgres").encode()
    return connection.execute(text, encode_values(values, owner, viewer))


def execute_alone(
    connection: PostgresConnection, name: str, values: Parameters, owner: int, viewer: Viewer
) -> psycopg.Cursor[tuple[Any, ...]]:
    """Run a statement in a transaction of its own, as what a viewer sees.

    All of it is one message: three would take longer than most statements.
    """
    texts = (statement(each, "postgres") for each in ("begin_scoped", name, "rollback"))
    encoded = encode_values({**values, "scopes": viewer.scopes}, owner, viewer.member)
    cursor = connection.execute(";\n".join(text.rstrip(";") for text in texts).encode(), encoded)
    cursor.set_result(_BEFORE_ROLLBACK)
    return cursor


def to_records(cursor: psycopg.Cursor[tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    """Return rows by the names of their columns."""
    names = [column.name for column in cursor.description or ()]
    return (dict(zip(names, row, strict=True)) for row in cursor.fetchall())
