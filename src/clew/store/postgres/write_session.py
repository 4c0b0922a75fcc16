"""The rows of one session → PostgreSQL: replaced as a whole, by COPY.

Blocks and messages are numbered within their session, and the session's own number is in the upper
bits: nothing has to be counted that several writers would wait for.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from clew.store.postgres.connection import PostgresConnection
from clew.store.postgres.values import clean_text, encode_values
from clew.store.postgres.write_texts import TextWriter
from clew.store.protocols import Parameters
from clew.store.queries import statement
from clew.store.session_tables import SESSION_TABLES

if TYPE_CHECKING:
    from clew.store.rows import SessionRows

ROWS_OF_SESSION: Final = 1 << 24
"""How many blocks or messages a session may have."""
_NUMBERED: Final = ("message", "block")
_BYTES: Final = ("uuid", "leaf_uuid")

ColumnTypes: TypeAlias = dict[tuple[str, str], int]
"""The number of each column's type, by the names of its table and itself."""
_Row: TypeAlias = tuple[Any, ...]


class SessionWriter:
    """Writes the rows and texts of an owner's sessions on one connection, in transactions."""

    def __init__(self, connection: PostgresConnection, owner: int) -> None:
        self.connection = connection
        self.owner = owner
        self.texts = TextWriter(connection)
        self._types: ColumnTypes = {}

    def write(self, rows: "SessionRows") -> int:
        """Replace all rows of a session; return how many were written."""
        found = self.delete(rows.session_id)
        key, scope = found or (int(self._one("next_session_key", {})), 0)
        project = self._project_id(rows.project)
        self._one("insert_session", {**rows.session, "key": key, "project_id": project})
        if scope:
            self._execute("set_session_scope", {"key": key, "scope": scope})
        for table in filter(rows.tables.get, SESSION_TABLES):
            self._copy(table, _with_key(table, rows.tables[table], key, scope))
        self.texts.write(key, scope, key * ROWS_OF_SESSION, rows.texts)
        return 1 + sum(len(rows.tables[table]) for table in SESSION_TABLES)

    def delete(self, session_id: str) -> tuple[int, int] | None:
        """Delete all rows of a session; return the number it had, and who may see it."""
        found = self._execute("session_scope", {"id": session_id}).fetchone()
        if found is None:
            return None
        self._execute("delete_session", {"key": found[0]})
        return int(found[0]), int(found[1])

    def _project_id(self, path: str) -> int:
        name = path.replace("\\", "/").rstrip("/").rpartition("/")[2] or path
        values = {"path": path, "name": name}
        self._execute("add_project", values)
        return int(self._one("find_project", values))

    def _copy(self, table: str, rows: Iterable[_Row]) -> None:
        columns = _columns(table)
        types = [self._column_types()[table, column] for column in columns]
        copying = statement(f"copy_{table}", "postgres").encode()
        with self.connection.cursor() as cursor, cursor.copy(copying) as copy:
            copy.set_types(types)
            for row in rows:
                copy.write_row(row)

    def _column_types(self) -> ColumnTypes:
        if not self._types:
            found = self._execute("column_types", {"tables": list(SESSION_TABLES)})
            self._types = {(table, column): kind for table, column, kind in found}
        return self._types

    def _execute(self, name: str, values: Parameters) -> Any:
        encoded = encode_values(values, self.owner)
        return self.connection.execute(statement(name, "postgres").encode(), encoded)

    def _one(self, name: str, values: Parameters) -> Any:
        return self._execute(name, values).fetchone()[0]


@cache
def _columns(table: str) -> tuple[str, ...]:
    """Return the columns of a table that rows have values for, in their order."""
    listed = re.search(r"\((.*?)\)", statement(f"copy_{table}", "postgres"), re.DOTALL)
    return tuple(re.findall(r"\w+", listed[1] if listed else ""))


def _with_key(table: str, rows: list[_Row], key: int, scope: int) -> Iterator[_Row]:
    """Give rows the number of their session, their own if they have one, and their scope."""
    packed = [place for place, column in enumerate(_columns(table)) if column in _BYTES]
    first = key * ROWS_OF_SESSION
    for number, row in enumerate(rows):
        own = (first + number, key) if table in _NUMBERED else (key,)
        yield (
            tuple(map(_clean, (*own, *row, scope)))
            if not packed
            else _pack((*own, *row, scope), packed)
        )


def _pack(row: _Row, packed: list[int]) -> _Row:
    """Ids are bytes; one that is no UUID is a text on SQLite."""
    return tuple(
        value.encode("utf-8", "replace")
        if place in packed and isinstance(value, str)
        else _clean(value)
        for place, value in enumerate(row)
    )


def _clean(value: Any) -> Any:
    return clean_text(value) if type(value) is str else value
