"""Rows → the database: one session replaced at a time, then what lies between sessions settled."""

from collections.abc import Iterable
from typing import Any, Final

import apsw

from clew.store.queries import statement
from clew.store.rows import SessionRows
from clew.store.vocabulary import outdate_words

_TABLES: Final = (
    "transcript",
    "old_title",
    "entry",
    "message",
    "block",
    "tool_call",
    "agent_run",
    "thread",
    "turn",
    "epoch",
    "model_call",
    "missing_transcript",
    "file_change",
    "edge",
    "problem",
)
# These are numbered over all sessions, so that the index can point at them.
_NUMBERED: Final = ("message", "block")
# The fields of `result_text`, which is searched only on request; all others are in `prose_text`.
_RESULTS: Final = ("result", "injection")
# A call is lowered before its maker is found, and raised afterwards if a copy of it counts more.
_SETTLING: Final = (
    "settle_shared",
    "lower_calls",
    "settle_calls",
    "raise_calls",
    "settle_kin",
    "settle_runs",
    "settle_titles",
    "settle_elders",
    "settle_lineage",
)


def write_session(connection: apsw.Connection, rows: SessionRows) -> int:
    """Replace all that is known of a session; give how many rows were written."""
    key = delete_session(connection, rows.session_id)
    session = {**rows.session, "key": key, "project_id": _project(connection, rows.project)}
    columns = ", ".join(session)
    places = ", ".join(f":{name}" for name in session)
    connection.execute(
        f"INSERT INTO session ({columns}, title, title_source) "  # noqa: S608 (our own columns)
        f"VALUES ({places}, :own_title, :own_title_source)",
        session,
    )
    key = key or int(connection.last_insert_rowid())
    for table in _TABLES:
        _insert(connection, table, rows, key)
    return 1 + sum(len(rows.tables[table]) for table in _TABLES)


def delete_session(connection: apsw.Connection, session_id: str) -> int | None:
    """Take a session's derived rows out; its kept bytes stay. Give the number it had."""
    found = connection.execute("SELECT key FROM session WHERE id = ?", (session_id,)).fetchone()
    if found is None:
        return None
    for table in ("prose_text", "result_text"):
        connection.execute(
            f"DELETE FROM {table} WHERE rowid IN "  # noqa: S608 (our own tables)
            "(SELECT id FROM block WHERE session_key = ? AND field <> '')",
            found,
        )
    for table in _TABLES:
        connection.execute(f"DELETE FROM {table} WHERE session_key = ?", found)  # noqa: S608
    connection.execute("DELETE FROM session WHERE key = ?", found)
    return int(found[0])


def neighbours(connection: apsw.Connection, session_id: str) -> list[str]:
    """Give the sessions that rows of this one decide something of, as long as they stand."""
    return [str(row[0]) for row in connection.execute(statement("neighbours"), {"id": session_id})]


def settle(connection: apsw.Connection, session_ids: Iterable[str]) -> None:
    """Decide what lies between sessions: who made a copied answer, old titles, lineage.

    The result depends only on the rows, not on the order in which sessions came.
    """
    connection.execute(statement("settle_begin"))
    connection.executemany(statement("settle_add"), [(name,) for name in session_ids])
    for name in _SETTLING:
        connection.execute(statement(name))
    connection.execute(statement("settle_end"))


def _project(connection: apsw.Connection, path: str) -> int:
    name = path.replace("\\", "/").rstrip("/").rpartition("/")[2] or path
    connection.execute(statement("add_project"), {"path": path, "name": name})
    found = next(connection.execute(statement("find_project"), {"path": path}))
    return int(found[0])


def _insert(connection: apsw.Connection, table: str, session: SessionRows, key: int) -> None:
    """Write the rows of a table, and the texts of blocks to the index."""
    rows: list[tuple[Any, ...]] = session.tables[table]
    if table in _NUMBERED:
        first = _next_id(connection, table)
        rows = [(first + number, key, *row) for number, row in enumerate(rows)]
        if table == "block":
            outdate_words(connection, first)
            _index(connection, first, session.texts)
    else:
        rows = [(key, *row) for row in rows]
    if rows:
        places = ", ".join("?" for _ in rows[0])
        connection.executemany(f"INSERT INTO {table} VALUES ({places})", rows)  # noqa: S608


def _index(connection: apsw.Connection, first: int, texts: list[tuple[int, str, str]]) -> None:
    prose = [(first + number, text) for number, field, text in texts if field not in _RESULTS]
    results = [(first + number, text) for number, field, text in texts if field in _RESULTS]
    connection.executemany("INSERT INTO prose_text (rowid, text) VALUES (?, ?)", prose)
    connection.executemany("INSERT INTO result_text (rowid, text) VALUES (?, ?)", results)


def _next_id(connection: apsw.Connection, table: str) -> int:
    query = f"SELECT coalesce(max(rowid), 0) + 1 FROM {table}"  # noqa: S608 (our own tables)
    return int(next(connection.execute(query))[0])
