"""The rows of sessions → PostgreSQL: replaced as a whole, by COPY.

Rows wait for each other, so that a table is written once for many sessions: a server may be far
away. Blocks and messages are numbered within their session, and the session's own number is in the
upper bits: nothing has to be counted that several writers would wait for.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from clew.store.postgres.connection import PostgresConnection, run_many
from clew.store.postgres.known_words import WordMemory
from clew.store.postgres.values import encode_values
from clew.store.postgres.write_texts import BlockText, SessionTexts, TextWriter
from clew.store.protocols import Parameters
from clew.store.queries import statement
from clew.store.session_tables import SESSION_TABLES

if TYPE_CHECKING:
    from clew.store.entry_rows import Rows
    from clew.store.rows import SessionRows

ROWS_OF_SESSION: Final = 1 << 24
"""How many blocks or messages a session may have."""
_NUMBERED: Final = ("message", "block")
_BYTES: Final = ("uuid", "leaf_uuid")
# So many may wait, as far as memory allows.
_MOST_WAITING: Final = 20_000

ColumnTypes: TypeAlias = dict[tuple[str, str], int]
"""The number of each column's type, by the names of its table and itself."""
_Row: TypeAlias = tuple[Any, ...]


class _WaitingSession(NamedTuple):
    """The rows of a session that is yet to be written."""

    project: str
    values: dict[str, Any]
    tables: "dict[str, Rows]"
    texts: list[BlockText]
    scope: int | None


class _Numbers(NamedTuple):
    """What a session's rows have in common: its number, and who may see it."""

    session_id: str
    key: int
    scope: int
    project_id: int
    is_known: int


class SessionWriter:
    """Writes the rows and texts of an owner's sessions on one connection, in transactions."""

    def __init__(
        self, connection: PostgresConnection, owner: int, memory: WordMemory | None = None
    ) -> None:
        self.connection = connection
        self.owner = owner
        self.texts = TextWriter(connection, memory)
        self._types: ColumnTypes = {}
        self._waiting: dict[str, _WaitingSession] = {}
        self._waiting_rows = 0

    def add(self, rows: "SessionRows", scope: int | None = None) -> int:
        """Take all rows of a session, to be written in place of those it has; return how many.

        It keeps its scope if none is given.
        """
        count = 1 + sum(map(len, rows.tables.values()))
        # Whoever made them frees their memory.
        tables = dict(rows.tables)
        waiting = _WaitingSession(rows.project, rows.session, tables, rows.texts, scope)
        self._waiting[rows.session_id] = waiting
        self._waiting_rows += count
        if self._waiting_rows >= _MOST_WAITING:
            self.flush()
        return count

    def flush(self) -> None:
        """Write what waits."""
        if not self._waiting:
            return
        sessions, self._waiting, self._waiting_rows = self._waiting, {}, 0
        begun = self._begin(sessions)
        for table in SESSION_TABLES:
            rows = [
                _with_numbers(table, found, numbers)
                for numbers in begun
                if (found := sessions[numbers.session_id].tables.get(table))
            ]
            if rows:
                self._copy(table, chain.from_iterable(rows))
        self._execute("hide_sessions", {"keys": [each.key for each in begun]})
        self.texts.write(_texts(sessions[each.session_id], each) for each in begun)

    def forget(self) -> None:
        """Write nothing of what waits: the transaction failed."""
        self._waiting, self._waiting_rows = {}, 0
        self.texts.known.forget()

    def delete(self, session_id: str) -> None:
        """Delete all rows of a session."""
        self._waiting.pop(session_id, None)
        found = self._execute("session_key", {"id": session_id}).fetchone()
        if found is not None:
            self._execute("delete_sessions", {"keys": [found[0]]})

    def _begin(self, sessions: dict[str, _WaitingSession]) -> list[_Numbers]:
        """Write the sessions themselves, without other rows; return their numbers."""
        projects = [session.project for session in sessions.values()]
        self._run_many("add_project", map(_project, sorted(set(projects))))
        scopes = [session.scope for session in sessions.values()]
        listed = {"names": list(sessions), "paths": projects, "scopes": scopes}
        begun = [_Numbers(*row) for row in self._execute("session_numbers", listed)]
        if known := [each.key for each in begun if each.is_known]:
            self._execute("delete_sessions", {"keys": known})
        self._run_many("insert_session", (_session(sessions[each[0]], each) for each in begun))
        scoped = (each for each in begun if each.scope)
        self._run_many(
            "set_session_scope", ({"key": each.key, "scope": each.scope} for each in scoped)
        )
        return begun

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

    def _run_many(self, name: str, values: Iterable[Parameters]) -> None:
        run_many(self.connection, name, (encode_values(one, self.owner) for one in values))


@cache
def _columns(table: str) -> tuple[str, ...]:
    """Return the columns of a table that rows have values for, in their order."""
    listed = re.search(r"\((.*?)\)", statement(f"copy_{table}", "postgres"), re.DOTALL)
    return tuple(re.findall(r"\w+", listed[1] if listed else ""))


def _session(session: _WaitingSession, numbers: _Numbers) -> Parameters:
    return {**session.values, "key": numbers.key, "project_id": numbers.project_id}


def _texts(session: _WaitingSession, numbers: _Numbers) -> SessionTexts:
    first = numbers.key * ROWS_OF_SESSION
    return SessionTexts(numbers.key, numbers.scope, first, session.texts)


def _project(path: str) -> Parameters:
    name = path.replace("\\", "/").rstrip("/").rpartition("/")[2] or path
    return {"path": path, "name": name}


def _with_numbers(table: str, rows: "Rows", numbers: _Numbers) -> Iterator[_Row]:
    """Give rows the number of their session, their own if they have one, and their scope."""
    key, scope = numbers.key, numbers.scope
    if table in _NUMBERED:
        first = key * ROWS_OF_SESSION
        return ((first + number, key, *row, scope) for number, row in enumerate(rows))
    packed = [place for place, column in enumerate(_columns(table)) if column in _BYTES]
    if packed:
        return (_pack((key, *row, scope), packed[0]) for row in rows)
    return ((key, *row, scope) for row in rows)


def _pack(row: _Row, place: int) -> _Row:
    """Ids are bytes; one that is no UUID is a text on SQLite."""
    value = row[place]
    if type(value) is not str:
        return row
    return (*row[:place], value.encode("utf-8", "replace"), *row[place + 1 :])
