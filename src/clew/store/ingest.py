"""Rows → the database: one session replaced at a time, then what lies between sessions settled."""

from collections.abc import Iterable
from typing import Any, Final

import apsw
import msgspec

from clew.store.cuts import NUMBERED, ROW_TABLES, TailRows, delete_cut, save_cut, tail_rows
from clew.store.past import CUT_TABLES, Cut, Past
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
    "file_change",
    "edge",
    "problem",
)
_RESULT: Final = "result"


def write_session(connection: apsw.Connection, rows: SessionRows, cut: Cut | None = None) -> int:
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
    tails = {table: _insert(connection, table, rows, key, cut) for table in _TABLES}
    if cut is not None:
        save_cut(connection, key, cut, {table: tails[table] for table in ROW_TABLES})
    return 1 + sum(len(rows.tables[table]) for table in _TABLES)


def write_end(
    connection: apsw.Connection, rows: SessionRows, since: Past, cut: Cut | None
) -> tuple[int, bool]:
    """Replace the rows behind a session's past.

    Give how many rows were written, and whether nothing between sessions can have changed.
    """
    key, claim = next(connection.execute(statement("session_claim"), {"id": rows.session_id}))
    _delete_end(connection, key, since)
    kept = cut or Cut(since)
    tails = {table: _insert(connection, table, rows, key, kept) for table in CUT_TABLES}
    save_cut(connection, key, kept, {table: tails[table] for table in ROW_TABLES})
    _grow_counts(connection, key, rows, since)
    _update_session(connection, key, rows.session)
    written = 1 + sum(len(rows.tables[table]) for table in CUT_TABLES)
    return written, claim == rows.session["claim"] and not _is_shared(connection, key, rows)


def _delete_end(connection: apsw.Connection, key: int, since: Past) -> None:
    for table in ("prose_text", "result_text"):
        connection.execute(
            f"DELETE FROM {table} WHERE rowid IN (SELECT id FROM block "  # noqa: S608
            "WHERE session_key = ? AND message_ordinal >= ? AND field <> '')",
            (key, since.messages),
        )
    for table, column in (("block", "message_ordinal"), ("message", "ordinal")):
        connection.execute(
            f"DELETE FROM {table} WHERE session_key = ? AND {column} >= ?",  # noqa: S608
            (key, since.messages),
        )
    for table, tail in tail_rows(connection, key).items():
        connection.execute(
            f"DELETE FROM {table} WHERE session_key = ? AND rowid >= ?",  # noqa: S608
            (key, tail.first),
        )


def _grow_counts(connection: apsw.Connection, key: int, rows: SessionRows, since: Past) -> None:
    """Tell transcripts and the thread how long they are now."""
    for number, _, _, _, entries, _ in rows.tables["transcript"]:
        before = since.entries if number == since.number else 0
        values = {"session_key": key, "number": number, "entries": before + entries}
        connection.execute(statement("grow_transcript"), values)
    for thread, _, _, messages, _ in rows.tables["thread"]:
        count = since.thread_messages + messages
        values = {"session_key": key, "thread": thread, "messages": count}
        connection.execute(statement("grow_thread"), values)


def _update_session(connection: apsw.Connection, key: int, session: dict[str, Any]) -> None:
    """Write a session's row anew; an old title from elsewhere stays, unless it has a better one."""
    columns = ", ".join(f"{name} = :{name}" for name in session)
    connection.execute(
        f"UPDATE session SET {columns} WHERE key = :key",  # noqa: S608 (our own columns)
        {**session, "key": key},
    )
    connection.execute(statement("take_own_title"), {"key": key})


def _is_shared(connection: apsw.Connection, key: int, rows: SessionRows) -> bool:
    """Tell whether another session has an answer of these rows, or an old title for one."""
    ids = msgspec.json.encode([row[0] for row in rows.tables["model_call"]]).decode()
    values = {"ids": ids, "session_key": key}
    if connection.execute(statement("tail_answers_elsewhere"), values).fetchone():
        return True
    uuids = [row[4] for row in rows.tables["entry"] if row[4] is not None]
    return any(connection.execute(statement("old_title_of"), (u,)).fetchone() for u in uuids)


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
    delete_cut(connection, int(found[0]))
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
    for name in ("settle_calls", "settle_kin", "settle_titles", "settle_elders", "settle_lineage"):
        connection.execute(statement(name))
    connection.execute(statement("settle_end"))


def _project(connection: apsw.Connection, path: str) -> int:
    name = path.replace("\\", "/").rstrip("/").rpartition("/")[2] or path
    connection.execute(statement("add_project"), {"path": path, "name": name})
    found = next(connection.execute(statement("find_project"), {"path": path}))
    return int(found[0])


def _insert(
    connection: apsw.Connection, table: str, session: SessionRows, key: int, cut: Cut | None
) -> TailRows:
    """Write the rows of a table, those before a cut first; tell where those behind it stand."""
    rows: list[tuple[Any, ...]] = session.tables[table]
    if table in NUMBERED:
        first = _next_id(connection, table)
        rows = [(first + number, key, *row) for number, row in enumerate(rows)]
        if table == "block":
            outdate_words(connection, first)
            _index(connection, first, session.texts)
    else:
        rows = [(key, *row) for row in rows]
    before = cut.counts.get(table, 0) if cut is not None else len(rows)
    _insert_rows(connection, table, rows[:before])
    tail = TailRows(_next_id(connection, table) if cut else 0, len(rows) - before)
    _insert_rows(connection, table, rows[before:])
    return tail


def _insert_rows(connection: apsw.Connection, table: str, rows: list[tuple[Any, ...]]) -> None:
    if rows:
        places = ", ".join("?" for _ in rows[0])
        connection.executemany(f"INSERT INTO {table} VALUES ({places})", rows)  # noqa: S608


def _index(connection: apsw.Connection, first: int, texts: list[tuple[int, str, str]]) -> None:
    prose = [(first + number, text) for number, field, text in texts if field != _RESULT]
    results = [(first + number, text) for number, field, text in texts if field == _RESULT]
    connection.executemany("INSERT INTO prose_text (rowid, text) VALUES (?, ?)", prose)
    connection.executemany("INSERT INTO result_text (rowid, text) VALUES (?, ?)", results)


def _next_id(connection: apsw.Connection, table: str) -> int:
    query = f"SELECT coalesce(max(rowid), 0) + 1 FROM {table}"  # noqa: S608 (our own tables)
    return int(next(connection.execute(query))[0])
