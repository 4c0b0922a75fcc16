"""The rows of one session → SQLite: replaced as a whole, along with its texts in the index."""

from typing import Any, Final

import apsw

from clew.store.queries import statement
from clew.store.rows import SESSION_TABLES, SessionRows

# These are numbered over all sessions, so that the index can point at them.
_NUMBERED: Final = ("message", "block")
# The fields of `result_text`, which is searched only on request; all others are in `prose_text`.
_RESULTS: Final = ("result", "injection")


def write_session(connection: apsw.Connection, rows: SessionRows) -> int:
    """Replace all rows of a session; return how many were written."""
    key = delete_session(connection, rows.session_id)
    session = {**rows.session, "key": key, "project_id": _project_id(connection, rows.project)}
    [[key]] = connection.execute(statement("insert_session"), session)
    for table in SESSION_TABLES:
        _insert(connection, table, rows, key)
    return 1 + sum(len(rows.tables[table]) for table in SESSION_TABLES)


def delete_session(connection: apsw.Connection, session_id: str) -> int | None:
    """Delete all rows of a session; return the number it had."""
    found = connection.execute(statement("session_key"), {"id": session_id}).fetchone()
    if found is None:
        return None
    key = int(found[0])
    connection.execute(statement("delete_session"), {"key": key})
    return key


def _project_id(connection: apsw.Connection, path: str) -> int:
    name = path.replace("\\", "/").rstrip("/").rpartition("/")[2] or path
    connection.execute(statement("add_project"), {"path": path, "name": name})
    [[number]] = connection.execute(statement("find_project"), {"path": path})
    return int(number)


def _insert(connection: apsw.Connection, table: str, session: SessionRows, key: int) -> None:
    """Write the rows of a table, and the texts of blocks to the index."""
    rows: list[tuple[Any, ...]] = session.tables[table]
    if table in _NUMBERED:
        [[first]] = connection.execute(statement(f"next_{table}_id"))
        rows = [(first + number, key, *row) for number, row in enumerate(rows)]
        if table == "block":
            connection.execute(statement("outdate_words"), {"first": first})
            _index(connection, first, session.texts)
    else:
        rows = [(key, *row) for row in rows]
    connection.executemany(statement(f"insert_{table}"), rows)


def _index(connection: apsw.Connection, first: int, texts: list[tuple[int, str, str]]) -> None:
    prose = [(first + number, text) for number, field, text in texts if field not in _RESULTS]
    results = [(first + number, text) for number, field, text in texts if field in _RESULTS]
    connection.executemany(statement("add_prose_text"), prose)
    connection.executemany(statement("add_result_text"), results)
