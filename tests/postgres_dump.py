"""The rows of an archive on a server as plain values, without numbers that depend on the writer."""

from typing import Any, Final

import psycopg
from psycopg.rows import dict_row

from clew.store.session_tables import SESSION_TABLES

_NUMBERED: Final = ("message", "block")

Dump = dict[str, list[Any]]


def dump_postgres(url: str) -> Dump:
    """Give all rows of sessions, sorted, with sessions and projects by name."""
    with psycopg.connect(url) as connection:
        tables = {name: _rows(connection, name) for name in SESSION_TABLES}
        tables["session"] = _select(
            connection,
            "SELECT project.path AS project, session.* FROM session "
            "JOIN project ON project.id = session.project_id",
            {"key", "project_id"},
        )
        tables["text"] = _select(
            connection,
            "SELECT session.id AS session, search_text.*, block_id & 16777215 AS block "
            "FROM search_text "
            "JOIN session ON session.key = search_text.session_key",
            {"block_id", "session_key"},
        )
        tables["word"] = _select(connection, "SELECT DISTINCT * FROM search_word", set())
        tables["file"] = _select(
            connection,
            "SELECT root, path, kind, session_id, generation, kept_bytes, state, owner "
            "FROM source_file",
            set(),
        )
        tables["stale"] = _select(connection, "SELECT * FROM stale_session", set())
        tables["damage"] = _select(connection, "SELECT * FROM damaged_blob", set())
    return tables


def frame_gaps(url: str) -> list[Any]:
    """Give the files whose frames do not follow each other, or do not make up what is archived."""
    with psycopg.connect(url) as connection:
        return connection.execute(
            "SELECT path FROM source_file LEFT JOIN (SELECT file_id, generation, "
            "  sum(size_bytes) AS size, bool_and(start_bytes = before AND blob_start = "
            "  blob_before) AS is_joined FROM (SELECT *, "
            "    coalesce(sum(size_bytes) OVER earlier, 0) AS before, "
            "    coalesce(sum(blob_bytes) OVER earlier, 0) AS blob_before FROM frame "
            "    WINDOW earlier AS (PARTITION BY file_id, generation ORDER BY number "
            "      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS placed "
            "  GROUP BY file_id, generation) AS blob "
            "ON file_id = source_file.id AND blob.generation = source_file.generation "
            "WHERE kept_bytes > 0 AND (size IS DISTINCT FROM kept_bytes OR NOT is_joined)"
        ).fetchall()


def _rows(connection: psycopg.Connection[Any], table: str) -> list[Any]:
    text = (
        f"SELECT owned.id AS session, {table}.* FROM {table} "  # noqa: S608 (a table of ours)
        f"JOIN session AS owned ON owned.key = {table}.session_key"
    )
    return _select(connection, text, {"session_key", *(["id"] if table in _NUMBERED else [])})


def _select(connection: psycopg.Connection[Any], text: str, without: set[str]) -> list[Any]:
    cursor = connection.cursor(row_factory=dict_row)
    rows = cursor.execute(text.encode()).fetchall()
    return sorted(
        (tuple(value for name, value in row.items() if name not in without) for row in rows),
        key=repr,
    )
