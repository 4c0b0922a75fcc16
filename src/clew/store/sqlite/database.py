"""Database, implemented with SQLite."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import apsw
import msgspec

from clew.storable import storable, storable_json
from clew.store.protocols import DatabaseRow, Parameters
from clew.store.queries import statement, statement_on
from clew.store.sqlite.pending_texts import PendingTexts
from clew.store.sqlite.write_session import delete_session, write_session

if TYPE_CHECKING:
    from clew.store.rows import SessionRows

_Value: TypeAlias = str | int | float | bytes | None
_NONE: Final[Parameters] = {}
_MOST_FINDINGS: Final = 20
_FINE: Final = "ok"
_DAMAGED: Final = (apsw.CorruptError, apsw.NotADBError)


class SqliteDatabase:
    """A connection to an archive's database."""

    is_shared = False

    def __init__(self, connection: apsw.Connection, owner: int = 0) -> None:
        self.connection = connection
        self.owner = owner
        self._pending: PendingTexts | None = None

    def rows(self, name: str, values: Parameters = _NONE) -> Iterator[DatabaseRow]:
        """Run a statement and return its rows."""
        return self.connection.execute(statement(name), self._encode(values))

    def records(self, name: str, values: Parameters = _NONE) -> Iterator[dict[str, Any]]:
        """Run a statement and return its rows by the names of their columns."""
        cursor = self.connection.cursor()
        names: list[str] = []
        for row in cursor.execute(statement(name), self._encode(values)):
            names = names or [column[0] for column in cursor.get_description()]
            yield dict(zip(names, row, strict=True))

    def run(self, name: str, values: Parameters = _NONE) -> None:
        """Run a statement that returns nothing."""
        self.connection.execute(statement(name), self._encode(values))

    def run_many(self, name: str, values: Iterable[Parameters]) -> None:
        """Run a statement once for each set of values."""
        self.connection.executemany(statement(name), map(self._encode, values))

    def write_session(self, rows: "SessionRows") -> int:
        """Replace all rows of a session and its texts in the index; return their number."""
        return write_session(self.connection, self.owner, rows, self._pending_texts())

    def delete_session(self, session_id: str) -> None:
        """Delete all rows of a session and its texts in the index."""
        delete_session(self.connection, self.owner, session_id, self._pending_texts())

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all or nothing; the index gets its texts last."""
        self.connection.execute(statement("begin"))
        self._pending = pending = PendingTexts()
        try:
            yield
            pending.write(self.connection)
        except BaseException:
            self.connection.execute(statement("rollback"))
            raise
        finally:
            self._pending = None
        self.connection.execute(statement("commit"))

    def _pending_texts(self) -> PendingTexts:
        """Return the texts that the transaction has yet to write to the index."""
        if self._pending is None:
            raise RuntimeError("a session is written in a transaction")
        return self._pending

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all statements in it see the same rows."""
        with self.connection:
            yield

    def version(self) -> int:
        """Return a number that changes when another connection has written."""
        return int(next(self.rows("data_version"))[0])

    def check(self, tables: Sequence[str] = ()) -> list[str]:
        """Run SQLite's integrity check on some tables, or on all."""
        found: list[str] = []
        try:
            for target in tables or (_MOST_FINDINGS,):
                rows = self.connection.execute(statement_on("check_integrity", target))
                found += [str(row[0]) for row in rows if row[0] != _FINE]
        except _DAMAGED as error:
            found.append(str(error))
        # A finding may have several lines, and only the last one is readable.
        return [text.splitlines()[-1] for text in found]

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def _encode(self, values: Parameters) -> dict[str, _Value]:
        """Add the owner, who is also the reader, and write lists as JSON for statements to read."""
        encoded = {name: _encode_value(value) for name, value in values.items()}
        encoded["owner"] = encoded["viewer"] = self.owner
        return encoded


def _encode_value(value: object) -> _Value:
    if isinstance(value, str):
        return storable(value)
    if value is None or isinstance(value, int | float | bytes):
        return value
    return storable_json(msgspec.json.encode(value).decode())
