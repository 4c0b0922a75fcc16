"""An archive's rows as plain values, without numbers that depend on the order of writing."""

from decimal import Decimal
from pathlib import Path
from typing import Any, Final, LiteralString

import apsw
import psycopg

from clew.archive import Archive
from clew.store import Home, Location
from clew.store.session_tables import SESSION_TABLES

_NUMBERED: Final = ("message", "block")
# What depends on where an archive is: whole texts on a server, and how often a file was rewritten.
_OWN_TABLE: Final = "hook_entry"
_OWN_COLUMNS: Final = {"transcript": {"blob"}, "tool_call": {"input", "cwd"}}
_OF_BLOCKS: Final = (
    "block.id, block.session_key, message_ordinal, ordinal, kind, field, substr(text, 1, 256), "
    "size_bytes, tool_call_id, transcript, offset_bytes, entry_bytes"
)
_WORDS: Final = ("the", "file", "test", "error", "def")
_UUID_BYTES: Final = 16
_PLACES: Final = "SELECT session.id, block.message_ordinal, block.ordinal FROM "
_BLOCKS: Final = "JOIN session ON session.key = block.session_key WHERE "


def home_of(archive: Archive) -> Home:
    """Give the folder of an archive that is in one."""
    assert isinstance(archive.location, Home)
    return archive.location


def dump(location: Location) -> dict[str, list[tuple[Any, ...]]]:
    """Give all derived rows, sorted, with sessions and projects by name."""
    tables = {name: _rows(location, name) for name in SESSION_TABLES if name != _OWN_TABLE}
    sessions = select(
        location,
        "SELECT project.path, session.* FROM session "
        "LEFT JOIN project ON project.id = session.project_id",
    )
    tables["session"] = _sorted(sessions, drop=(1, 3))
    tables["index"] = _index(location)
    return tables


def kept(location: Location) -> list[tuple[Any, ...]]:
    """Give what is kept of each file."""
    columns = "path, kind, session_id, generation, kept_bytes, state"
    return sorted(select(location, f"SELECT {columns} FROM source_file"), key=repr)  # noqa: S608


def select(location: Location, query: str) -> list[tuple[Any, ...]]:
    """Run a query on the database of an archive, without any code of clew."""
    if not isinstance(location, Home):
        with psycopg.connect(location.database_url) as server:
            found = server.execute(query.encode()).fetchall()
        return [tuple(map(_plain, row)) for row in found]
    connection = apsw.Connection(str(location.database), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def _plain(value: Any) -> Any:
    """Give a value as SQLite has it: sums are whole numbers, and an id that is no UUID is text."""
    if isinstance(value, bytes) and len(value) != _UUID_BYTES:
        return value.decode()
    return int(value) if isinstance(value, Decimal) else value


def execute(location: Location, statement: LiteralString) -> None:
    """Change the database of an archive, without any code of clew."""
    if not isinstance(location, Home):
        with psycopg.connect(location.database_url) as server:
            server.execute(statement)
        return
    connection = apsw.Connection(str(location.database))
    try:
        connection.execute(statement)
    finally:
        connection.close()


def _rows(location: Location, table: str) -> list[tuple[Any, ...]]:
    columns = _OF_BLOCKS if table == "block" else ", ".join(_columns(location, table))
    found = select(
        location,
        f"SELECT session.id, {columns} FROM {table} "  # noqa: S608 (a table of ours)
        f"JOIN session ON session.key = {table}.session_key",
    )
    return _sorted(found, drop=(1, 2) if table in _NUMBERED else (1,))


def _columns(location: Location, table: str) -> list[str]:
    """Give the columns that do not depend on where an archive is."""
    query = (
        f"SELECT name FROM pragma_table_xinfo('{table}') ORDER BY cid"  # noqa: S608 (a table of ours)
        if isinstance(location, Home)
        else f"SELECT attname FROM pg_attribute WHERE attrelid = '{table}'::regclass "  # noqa: S608
        "AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
    )
    names = [name for (name,) in select(location, query)]
    return [f"{table}.{name}" for name in names if name not in _OWN_COLUMNS.get(table, ())]


def _index(location: Location) -> list[tuple[Any, ...]]:
    """Give what common words find, by session and place."""
    found: list[tuple[Any, ...]] = []
    for group in ("prose", "result"):
        for word in _WORDS:
            table = f"{group}_text"
            matches = (
                f"{table} JOIN block ON block.id = {table}.rowid {_BLOCKS} {table} MATCH '{word}'"
                if isinstance(location, Home)
                else f"search_text JOIN block ON block.id = block_id {_BLOCKS} "
                f"search_text.kind LIKE '{group}%' AND words @@ '{word}'"
            )
            found.extend((group, word, *row) for row in select(location, _PLACES + matches))
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
