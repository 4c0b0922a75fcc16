"""Rows → Parquet: one file per table and view, for data frames.

Times become timestamps, flags booleans, lists of names lists, ids of entries text. Tables are as
queries see them, so the inputs of tool calls are whole, as JSON.
"""

import os
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import msgspec

from clew.clock import parse_time
from clew.errors import ClewError
from clew.store.filters import decode_names
from clew.store.location import Location
from clew.store.protocols import DatabaseRow
from clew.store.restore import FileExistsHereError
from clew.store.session_tables import SESSION_TABLES
from clew.store.table_rows import open_rows
from clew.store.view_names import VIEWS

# What the view `hook` has, and what would be written twice.
_LEFT_OUT: Final = frozenset({"hook_entry", "content_block"})
# What transcripts do not have.
_KEPT: Final = ("digest", "note", "bookmark")
# The archived bytes stay behind, and so does the index.
TABLES: Final = tuple(
    table
    for table in ("project", "session", *SESSION_TABLES, "source_file", *_KEPT, *VIEWS)
    if table not in _LEFT_OUT
)
_BATCH: Final = 20_000
_BATCH_CHARACTERS: Final = 32 << 20
_LISTS: Final = frozenset({"models", "tags", "thread_ids", "versions"})
_UUIDS: Final = frozenset({"leaf_uuid", "uuid"})
# What SQLite calls it: of a column, of an expression, of the columns that a UNION joins.
_INTEGERS: Final = ("INTEGER", "INT", "NUM")
_OTHERS: Final = {"REAL": "float64", "BLOB": "binary"}
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


class ParquetColumn(msgspec.Struct, frozen=True):
    """A column as the database has it, and as Parquet gets it."""

    name: str
    kind: Any
    convert: Callable[[Any], Any] | None = None


class ParquetTables:
    """The tables and views of an archive as queries see them, and what writes them."""

    def __init__(self, location: Location) -> None:
        self._arrow, self._parquet = _libraries()
        self._rows = open_rows(location)

    def close(self) -> None:
        """Close the database."""
        self._rows.close()

    @property
    def faults(self) -> list[str]:
        """The archived files that could not be read so far."""
        return self._rows.faults

    def columns(self, table: str) -> list[ParquetColumn]:
        """Return the columns of a table."""
        return [_column(name, kind, self._arrow) for name, kind in self._rows.columns(table)]

    def rows(self, table: str) -> Iterator[DatabaseRow]:
        """Return all rows of a table."""
        return self._rows.rows(table)

    def rows_of_sessions(self, table: str, keys: Sequence[int]) -> Iterator[DatabaseRow]:
        """Return the rows that a table has of some sessions, by their keys."""
        return self._rows.rows_of_sessions(table, keys)

    def write(
        self, columns: Sequence[ParquetColumn], rows: Iterable[DatabaseRow], target: Any
    ) -> int:
        """Write rows to a path or a stream, as a whole file; return how many there are."""
        schema = self._arrow.schema([(column.name, column.kind) for column in columns])
        count = 0
        with self._parquet.ParquetWriter(target, schema, compression="zstd") as writer:
            for batch in _batches(rows):
                arrays = [
                    self._arrow.array(_converted(column, values), column.kind)
                    for column, values in zip(columns, zip(*batch, strict=True), strict=True)
                ]
                writer.write_table(self._arrow.Table.from_arrays(arrays, schema=schema))
                count += len(batch)
        return count


def export_parquet(
    location: Location, folder: Path, *, overwrite: bool = False
) -> Iterator[ExportedTable]:
    """Write each table and view to a file of its own; return each as it is done.

    Raises:
        ParquetMissingError: pyarrow is not installed.
        FileExistsHereError: A file stands there, and overwriting was not asked for.
    """
    _libraries()
    paths = {table: folder / f"{table}.parquet" for table in TABLES}
    for path in paths.values():
        if path.exists() and not overwrite:
            raise FileExistsHereError(path)
    folder.mkdir(parents=True, exist_ok=True)
    tables = ParquetTables(location)
    try:
        for table, path in paths.items():
            known = len(tables.faults)
            count = _write(tables, table, path)
            yield ExportedTable(table, path, count, tuple(tables.faults[known:]))
    finally:
        tables.close()


def _libraries() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise ParquetMissingError from error


def _write(tables: ParquetTables, table: str, path: Path) -> int:
    """Write a table beside its place, and move it there when it is whole."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        count = tables.write(tables.columns(table), tables.rows(table), part)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return count


def _batches(rows: Iterable[DatabaseRow]) -> Iterator[list[DatabaseRow]]:
    batch: list[DatabaseRow] = []
    characters = 0
    for row in rows:
        batch.append(row)
        characters += sum(len(value) for value in row if isinstance(value, str))
        if len(batch) == _BATCH or characters > _BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _column(name: str, kind: str, arrow: Any) -> ParquetColumn:
    if name == "at" or name.endswith("_at"):
        return ParquetColumn(name, arrow.timestamp("ms", "UTC"), _moment)
    if name in _LISTS:
        return ParquetColumn(name, arrow.list_(arrow.string()), decode_names)
    if name in _UUIDS:
        return ParquetColumn(name, arrow.string(), _uuid)
    if name.startswith(_FLAGS):
        return ParquetColumn(name, arrow.bool_(), bool)
    if kind in _INTEGERS:
        return ParquetColumn(name, arrow.int64())
    if kind in _OTHERS:
        return ParquetColumn(name, getattr(arrow, _OTHERS[kind])())
    return ParquetColumn(name, arrow.string())


def _converted(column: ParquetColumn, values: tuple[Any, ...]) -> list[Any]:
    if column.convert is None:
        return list(values)
    return [None if value is None else column.convert(value) for value in values]


def _moment(text: str) -> datetime | None:
    return parse_time(text) if text else None


def _uuid(value: bytes | str) -> str:
    """Return an id as text; one that is no UUID is text already, which PostgreSQL has as bytes."""
    if isinstance(value, str):
        return value
    is_uuid = len(value) == _UUID_BYTES
    return str(uuid.UUID(bytes=value)) if is_uuid else value.decode("utf-8", "replace")
