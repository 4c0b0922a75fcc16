"""An archive's rows as plain values, without numbers that depend on the order of writing."""

from pathlib import Path
from typing import Any, Final

import apsw

from clew.archive import Archive
from clew.store import Home, require_folder

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


def home_of(archive: Archive) -> Home:
    """Give the folder of an archive that is in one."""
    return require_folder(archive.location, "a test")


def dump(home: Home) -> dict[str, list[tuple[Any, ...]]]:
    """Give all derived rows, sorted, with sessions and projects by name."""
    connection = apsw.Connection(str(home.database), flags=apsw.SQLITE_OPEN_READONLY)
    tables = {name: _rows(connection, name) for name in _TABLES}
    tables["session"] = _sorted(
        connection.execute(
            "SELECT project.path, session.* FROM session "
            "LEFT JOIN project ON project.id = session.project_id"
        ),
        drop=(1, 3),
    )
    tables["index"] = _index(connection)
    connection.close()
    return tables


def kept(home: Home) -> list[tuple[Any, ...]]:
    """Give what is kept of each file."""
    connection = apsw.Connection(str(home.database), flags=apsw.SQLITE_OPEN_READONLY)
    rows = connection.execute(
        "SELECT path, kind, session_id, generation, kept_bytes, state FROM source_file"
    )
    return sorted(rows, key=repr)


def _rows(connection: apsw.Connection, table: str) -> list[tuple[Any, ...]]:
    cursor = connection.execute(
        f"SELECT session.id, {table}.* FROM {table} "  # noqa: S608 (a table of ours)
        f"JOIN session ON session.key = {table}.session_key"
    )
    numbered = table in ("message", "block")
    return _sorted(cursor, drop=(1, 2) if numbered else (1,))


def _index(connection: apsw.Connection) -> list[tuple[Any, ...]]:
    """Give what common words find, by session and place."""
    found: list[tuple[Any, ...]] = []
    for table in ("prose_text", "result_text"):
        for word in ("the", "file", "test", "error", "def"):
            rows = connection.execute(
                f"SELECT session.id, block.message_ordinal, block.ordinal FROM {table} "  # noqa: S608
                f"JOIN block ON block.id = {table}.rowid "
                f"JOIN session ON session.key = block.session_key WHERE {table} MATCH ?",
                (word,),
            )
            found.extend((table, word, *row) for row in rows)
    return sorted(found)


def _sorted(rows: Any, drop: tuple[int, ...]) -> list[tuple[Any, ...]]:
    kept_columns = (
        tuple(value for index, value in enumerate(row) if index not in drop) for row in rows
    )
    return sorted(kept_columns, key=repr)


def tree(folder: Path) -> dict[str, bytes]:
    """Give all files below a folder with their bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
