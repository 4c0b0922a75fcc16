"""Rows → Parquet: one file per table and view, for data frames.

Times become timestamps, flags booleans, lists of names lists, ids of entries text. Tables are as
queries see them, so the inputs of tool calls are whole, as JSON.
"""

import os
import uuid
from collections.abc import Callable, Iterator
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec

from clew.clock import parse_time
from clew.errors import ClewError
from clew.store.filters import decode_names
from clew.store.home import Home
from clew.store.queries import statement, statement_on
from clew.store.restore import FileExistsHereError
from clew.store.session_tables import SESSION_TABLES
from clew.store.sqlite import open_for_reading
from clew.store.text_functions import TextFunctions
from clew.store.views import VIEWS, make_views

# The archived bytes stay behind, and so does the index.
TABLES: Final = (
    "project",
    "session",
    *SESSION_TABLES,
    "source_file",
    *VIEWS,
)
_TEMPORARY: Final = frozenset({"tool_call", *VIEWS})
_BATCH: Final = 20_000
_BATCH_CHARACTERS: Final = 32 << 20
_LISTS: Final = frozenset({"models", "thread_ids", "versions"})
_UUIDS: Final = frozenset({"leaf_uuid", "uuid"})
# What SQLite calls it: of a column, of an expression, of the columns that a UNION joins.
_INTEGERS: Final = ("INTEGER", "INT", "NUM")
_FLAGS: Final = ("has_", "is_", "on_")
_UUID_BYTES: Final = 16


class ParquetMissingError(ClewError):
    """The library that writes Parquet is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "Parquet export requires pyarrow; install it with "
            "`uv sync --extra parquet` or `pip install 'clew[parquet]'`"
        )


class ExportedTable(msgspec.Struct, frozen=True):
    """A table that was written; `faults` name the archived files that could not be read for it."""

    table: str
    path: Path
    rows: int
    faults: tuple[str, ...] = ()


class _Column(msgspec.Struct, frozen=True):
    """A column as the database has it, and as Parquet gets it."""

    name: str
    kind: Any
    convert: Callable[[Any], Any] | None = None


def export_parquet(home: Home, folder: Path, *, overwrite: bool = False) -> Iterator[ExportedTable]:
    """Write each table and view to a file of its own; return each as it is done.

    Raises:
        ParquetMissingError: pyarrow is not installed.
        FileExistsHereError: A file stands there, and overwriting was not asked for.
    """
    libraries = _libraries()
    paths = {table: folder / f"{table}.parquet" for table in TABLES}
    for path in paths.values():
        if path.exists() and not overwrite:
            raise FileExistsHereError(path)
    folder.mkdir(parents=True, exist_ok=True)
    lookup = TextFunctions(home)
    connection = open_for_reading(home.database, lambda opened: make_views(opened, lookup))
    try:
        for table, path in paths.items():
            known = len(lookup.faults)
            count = _write(connection, table, path, libraries)
            yield ExportedTable(table, path, count, tuple(lookup.faults[known:]))
    finally:
        connection.close()
        lookup.close()


def _libraries() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise ParquetMissingError from error


def _write(connection: apsw.Connection, table: str, path: Path, libraries: tuple[Any, Any]) -> int:
    """Write a table beside its place, and move it there when it is whole."""
    arrow, parquet = libraries
    columns = list(_columns(connection, table, arrow))
    schema = arrow.schema([(column.name, column.kind) for column in columns])
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    count = 0
    try:
        with parquet.ParquetWriter(part, schema, compression="zstd") as writer:
            for batch in _batches(connection, table):
                arrays = [
                    arrow.array(_converted(column, values), column.kind)
                    for column, values in zip(columns, zip(*batch, strict=True), strict=True)
                ]
                writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))
                count += len(batch)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return count


def _batches(connection: apsw.Connection, table: str) -> Iterator[list[tuple[Any, ...]]]:
    batch: list[tuple[Any, ...]] = []
    characters = 0
    for row in connection.execute(statement_on("rows_of_table", table)):
        batch.append(row)
        characters += sum(len(value) for value in row if isinstance(value, str))
        if len(batch) == _BATCH or characters > _BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _columns(connection: apsw.Connection, table: str, arrow: Any) -> Iterator[_Column]:
    schema = "temp" if table in _TEMPORARY else "main"
    values = {"table": table, "schema": schema}
    for row in connection.execute(statement("columns_of_table"), values):
        name, kind = str(row[0]), str(row[1])
        if name == "at" or name.endswith("_at"):
            yield _Column(name, arrow.timestamp("ms", "UTC"), _moment)
        elif name in _LISTS:
            yield _Column(name, arrow.list_(arrow.string()), decode_names)
        elif name in _UUIDS:
            yield _Column(name, arrow.string(), _uuid)
        elif name.startswith(_FLAGS):
            yield _Column(name, arrow.bool_(), bool)
        elif kind in _INTEGERS:
            yield _Column(name, arrow.int64())
        elif kind == "REAL":
            yield _Column(name, arrow.float64())
        elif kind == "BLOB":
            yield _Column(name, arrow.binary())
        else:
            yield _Column(name, arrow.string())


def _converted(column: _Column, values: tuple[Any, ...]) -> list[Any]:
    if column.convert is None:
        return list(values)
    return [None if value is None else column.convert(value) for value in values]


def _moment(text: str) -> datetime | None:
    return parse_time(text) if text else None


def _uuid(value: bytes | str) -> str:
    if isinstance(value, bytes) and len(value) == _UUID_BYTES:
        return str(uuid.UUID(bytes=value))
    return str(value)
