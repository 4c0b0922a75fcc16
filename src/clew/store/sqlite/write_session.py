"""The rows of one session → SQLite: replaced as a whole, along with its texts in the index."""

from typing import TYPE_CHECKING, Final

import apsw

from clew.store.queries import statement
from clew.store.session_tables import SESSION_TABLES
from clew.store.sqlite.pending_texts import PendingTexts

if TYPE_CHECKING:
    from clew.store.entry_rows import Rows
    from clew.store.rows import SessionRows

# These are numbered over all sessions, so that the index can point at them.
_NUMBERED: Final = ("message", "block")


def write_session(
    connection: apsw.Connection, owner: int, rows: "SessionRows", pending: PendingTexts
) -> int:
    """Replace all rows of a session, and queue its texts; return how many rows were written."""
    key = delete_session(connection, owner, rows.session_id, pending)
    session = {
        **rows.session,
        "key": key,
        "owner": owner,
        "project_id": _project_id(connection, owner, rows.project),
    }
    [[key]] = connection.execute(statement("insert_session"), session)
    for table in filter(rows.tables.get, SESSION_TABLES):
        first = _insert(connection, table, rows.tables[table], key)
        if table == "block":
            connection.execute(statement("outdate_words"), {"first": first})
            pending.add(key, first, rows.texts)
    return 1 + sum(len(rows.tables[table]) for table in SESSION_TABLES)


def delete_session(
    connection: apsw.Connection, owner: int, session_id: str, pending: PendingTexts
) -> int | None:
    """Delete all rows of a session, and its texts; return the number it had."""
    found = connection.execute(
        statement("session_key"), {"id": session_id, "owner": owner}
    ).fetchone()
    if found is None:
        return None
    key = int(found[0])
    connection.execute(statement("delete_session"), {"key": key})
    pending.remove(key)
    return key


def _project_id(connection: apsw.Connection, owner: int, path: str) -> int:
    name = path.replace("\\", "/").rstrip("/").rpartition("/")[2] or path
    values = {"path": path, "name": name, "owner": owner}
    connection.execute(statement("add_project"), values)
    [[number]] = connection.execute(statement("find_project"), values)
    return int(number)


def _insert(connection: apsw.Connection, table: str, rows: "Rows", key: int) -> int:
    """Write the rows of a table; return the number of the first, where they are numbered."""
    first = 0
    if table in _NUMBERED:
        [[first]] = connection.execute(statement(f"next_{table}_id"))
        rows = [(first + number, key, *row) for number, row in enumerate(rows)]
    else:
        rows = [(key, *row) for row in rows]
    connection.executemany(statement(f"insert_{table}"), rows)
    return first
