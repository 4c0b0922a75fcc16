"""Rows → Parquet: one file per table, for data frames.

Times become timestamps, flags booleans, lists of names lists, ids of entries text.
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
from clew.store.choice import decode_names
from clew.store.restore import FileExistsHereError

# The kept bytes stay behind, and so does the index.
TABLES: Final = (
    "project",
    "session",
    "transcript",
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
    "old_title",
    "source_file",
)
# Columns that the database computes are there too, but not in its usual list.
_COLUMNS: Final = "SELECT name, type FROM pragma_table_xinfo(?, 'main')"
_BATCH: Final = 20_000
_LISTS: Final = frozenset({"models", "thread_ids", "versions"})
_UUIDS: Final = frozenset({"leaf_uuid", "uuid"})
_FLAGS: Final = ("has_", "is_", "on_")
_UUID_BYTES: Final = 16


class ParquetMissingError(ClewError):
    """The library that writes Parquet is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "writing Parquet needs pyarrow, which is not installed; "
            "`uv sync --extra parquet` or `pip install 'clew[parquet]'` adds it"
        )


class Exported(msgspec.Struct, frozen=True):
    """A table that was written."""

    table: str
    path: Path
    rows: int


class _Column(msgspec.Struct, frozen=True):
    """A column as the database has it, and as Parquet gets it."""

    name: str
    kind: Any
    convert: Callable[[Any], Any] | None = None


def export_parquet(
    connection: apsw.Connection, folder: Path, *, overwrite: bool = False
) -> Iterator[Exported]:
    """Write each table to a file of its own; give each as it is done.

    Raises:
        ParquetMissingError: pyarrow is not installed.
        FileExistsHereError: A file stands there, and overwriting was not asked for.
    """
    arrow, parquet = _libraries()
    paths = {table: folder / f"{table}.parquet" for table in TABLES}
    for path in paths.values():
        if path.exists() and not overwrite:
            raise FileExistsHereError(path)
    folder.mkdir(parents=True, exist_ok=True)
    for table, path in paths.items():
        yield Exported(table, path, _write(connection, table, path, (arrow, parquet)))


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
    for row in connection.execute(f"SELECT * FROM {table}"):  # noqa: S608 (a table of ours)
        batch.append(row)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _columns(connection: apsw.Connection, table: str, arrow: Any) -> Iterator[_Column]:
    for row in connection.execute(_COLUMNS, (table,)):
        name, kind = str(row[0]), str(row[1])
        if name == "at" or name.endswith("_at"):
            yield _Column(name, arrow.timestamp("ms", "UTC"), _moment)
        elif name in _LISTS:
            yield _Column(name, arrow.list_(arrow.string()), decode_names)
        elif name in _UUIDS:
            yield _Column(name, arrow.string(), _uuid)
        elif name.startswith(_FLAGS):
            yield _Column(name, arrow.bool_(), bool)
        elif kind == "INTEGER":
            yield _Column(name, arrow.int64())
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
