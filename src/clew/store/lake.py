"""Rows → a Parquet data set by month and project, of which an export writes only what changed.

Files never change: an export writes new ones, then the manifest that names all files that count,
then deletes those that it no longer names. Whoever reads by the manifest sees one export or the
next one, and nothing of an export that was interrupted.
"""

import datetime as dt
import io
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

import msgspec

from clew.clock import format_time
from clew.errors import ClewError
from clew.store.lake_places import LakePlace, open_place
from clew.store.lake_plan import (
    MANIFEST,
    SCHEMA,
    LakeFile,
    LakeManifest,
    LakePart,
    LakePlan,
    NewPart,
    SessionVersion,
    digest,
    load_sessions,
    plan_parts,
)
from clew.store.parquet import TABLES, ParquetColumn, ParquetTables
from clew.store.protocols import Database, DatabaseRow

# They have rows of no session.
_WHOLE: Final = ("project", "source_file", "digest", "note", "bookmark", "daily_cost")
# A path has a `project` of its own, which readers take instead of a column of that name.
_RENAMED: Final = {"project": "project_path"}
_KEY_COLUMNS: Final = ("session_key", "key")
# So much of transcripts is read from the database at a time, since some views read all rows.
_CHUNK_BYTES: Final = 64 << 20
_CHUNK_SESSIONS: Final = 500
_UPLOADS: Final = 8
# A file that no manifest names is no longer written after this time.
_LEFT_OVER: Final = dt.timedelta(days=1)

OnSessions = Callable[[int, int], object]
"""Called with the number of sessions that have been written, and that will be."""


class LakeBusyError(ClewError):
    """Another export has written to the same place meanwhile."""

    def __init__(self, address: str) -> None:
        super().__init__(
            f"another export wrote to {address} at the same time; run this again, and run one "
            "export at a time"
        )


class LakeDamagedError(ClewError):
    """The manifest of a data set cannot be read."""

    def __init__(self, address: str) -> None:
        super().__init__(
            f"{address}/{MANIFEST} is no manifest of this version of clew; use --rewrite to write "
            "everything again, or another place"
        )


class LakeTable(msgspec.Struct, frozen=True):
    """A table of a data set."""

    table: str
    rows: int
    files: int


class LakeReport(msgspec.Struct, kw_only=True):
    """What an export wrote; `faults` name the archived files that could not be read."""

    schema: str = "clew.export/1"
    folder: str = ""
    sessions: int = 0
    written: int = 0
    unchanged: int = 0
    removed: int = 0
    files_written: int = 0
    bytes_written: int = 0
    tables: list[LakeTable] = []
    faults: list[str] = []


def export_lake(
    database: Database,
    tables: ParquetTables,
    address: str,
    *,
    now: dt.datetime,
    rewrite: bool = False,
    on_sessions: OnSessions | None = None,
) -> LakeReport:
    """Bring a data set up to date; with `rewrite`, write everything again.

    Raises:
        LakeBusyError: Another export wrote to it meanwhile.
        LakeDamagedError: What is there is no data set.
        StorageError: The bucket cannot be used.
    """
    place = open_place(address)
    before = place.read(MANIFEST)
    layout = _layout(tables)
    found = _decode(before, address, is_needed=not rewrite)
    known = LakeManifest() if rewrite or found.layout != layout else found
    plan = plan_parts(load_sessions(database, now), known)
    export = _Export(place, tables, layout)
    after = LakeManifest(
        layout=layout,
        written_at=format_time(now),
        files=tuple(export.write(plan, known, on_sessions)),
        parts=(*plan.kept, *_new_parts(plan, export)),
    )
    if export.files_written or after.files != found.files:
        if place.read(MANIFEST) != before:
            raise LakeBusyError(address)
        place.write(MANIFEST, msgspec.json.format(msgspec.json.encode(after), indent=1))
        _clean(place, found, after)
    return _report(address, plan, export, after)


def _decode(raw: bytes | None, address: str, *, is_needed: bool) -> LakeManifest:
    """Return a manifest; an empty one if there is none, or it cannot be read and need not be."""
    if raw is None:
        return LakeManifest()
    try:
        found = msgspec.json.decode(raw, type=LakeManifest)
    except msgspec.DecodeError as error:
        if is_needed:
            raise LakeDamagedError(address) from error
        return LakeManifest()
    if found.schema != SCHEMA and is_needed:
        raise LakeDamagedError(address)
    return found


def _files_of(manifest: LakeManifest, parts: Iterable[LakePart]) -> Iterator[LakeFile]:
    names = {part.name for part in parts}
    return (file for file in manifest.files if file.part in names)


def _new_parts(plan: LakePlan, export: "_Export") -> Iterator[LakePart]:
    """Return the new parts; those in which values are missing are written again next time."""
    for new in plan.new:
        part = new.as_part(export.layout)
        if export.tables.faults:
            unknown = tuple(SessionVersion(each.id, "") for each in part.sessions)
            part = msgspec.structs.replace(part, sessions=unknown)
        yield part


def _layout(tables: ParquetTables) -> str:
    """Return a text that changes with the columns of any table."""
    columns = {table: tables.columns(table) for table in TABLES}
    return digest(
        *(f"{table}.{each.name} {each.kind}" for table in columns for each in columns[table])
    )


def _clean(place: LakePlace, known: LakeManifest, after: LakeManifest) -> None:
    """Delete files that no longer count, and what interrupted exports left long ago."""
    present = {file.path for file in after.files}
    old = {file.path for file in known.files}
    left = {
        path
        for path, written in place.files()
        if _is_ours(path) and dt.datetime.now(dt.UTC) - written > _LEFT_OVER
    }
    place.delete(sorted((old | left) - present))


def _is_ours(path: str) -> bool:
    return path.partition("/")[0] in TABLES and path.endswith(".parquet")


def _report(address: str, plan: LakePlan, export: "_Export", after: LakeManifest) -> LakeReport:
    rows: defaultdict[str, int] = defaultdict(int)
    files: defaultdict[str, int] = defaultdict(int)
    for file in after.files:
        rows[file.table] += file.rows
        files[file.table] += 1
    return LakeReport(
        folder=address,
        sessions=plan.written + plan.unchanged,
        written=plan.written,
        unchanged=plan.unchanged,
        removed=plan.removed,
        files_written=export.files_written,
        bytes_written=export.bytes_written,
        tables=[LakeTable(table, rows[table], files[table]) for table in TABLES],
        faults=list(export.tables.faults),
    )


class _Export:
    """Writes the files of one export, several at a time."""

    def __init__(self, place: LakePlace, tables: ParquetTables, layout: str) -> None:
        self.place = place
        self.tables = tables
        self.layout = layout
        self.files_written = self.bytes_written = 0

    def write(
        self, plan: LakePlan, known: LakeManifest, on_sessions: OnSessions | None
    ) -> list[LakeFile]:
        """Write the new parts, and what else changed; return all files that count."""
        found = list(_files_of(known, plan.kept))
        done = 0
        with ThreadPoolExecutor(_UPLOADS) as pool:
            for chunk in _chunks(plan.new):
                found += self._write_parts(chunk, pool)
                done += sum(len(part.sessions) for part in chunk)
                if on_sessions is not None:
                    on_sessions(done, plan.written)
            found += self._write_whole(known, pool)
        written = {file.table for file in found}
        return [
            *found,
            *(self._write_empty(table, known) for table in TABLES if table not in written),
        ]

    def _write_empty(self, table: str, known: LakeManifest) -> LakeFile:
        """Write a file without rows, so that every table can be read."""
        path = f"{table}/month=unknown/project=unknown/empty-{self.layout}.parquet"
        same = next((file for file in known.files if file.path == path), None)
        if same is not None:
            return same
        file, data = self._encode(table, self.tables.columns(table), (), path)
        self.place.write(path, data)
        return file

    def _write_parts(self, parts: Sequence[NewPart], pool: ThreadPoolExecutor) -> list[LakeFile]:
        """Write parts whose rows are in memory together."""
        named = [part.as_part(self.layout) for part in parts]
        numbers = {each.key: at for at, part in enumerate(parts) for each in part.sessions}
        found: list[LakeFile] = []
        writing: list[Future[None]] = []
        for table in TABLES:
            if table in _WHOLE:
                continue
            columns = self.tables.columns(table)
            rows = self.tables.rows_of_sessions(table, list(numbers))
            for at, own in sorted(_by_part(columns, rows, numbers).items()):
                part = named[at]
                path = f"{table}/month={part.month}/project={part.project}/{part.name}.parquet"
                file, data = self._encode(table, columns, own, path)
                found.append(msgspec.structs.replace(file, part=part.name))
                writing.append(pool.submit(self.place.write, path, data))
        for each in writing:
            each.result()
        return found

    def _write_whole(self, known: LakeManifest, pool: ThreadPoolExecutor) -> Iterator[LakeFile]:
        """Write the tables that have rows of no session, named after their content."""
        before = {file.path for file in known.files}
        writing: list[Future[None]] = []
        for table in _WHOLE:
            columns = self.tables.columns(table)
            rows = list(self.tables.rows(table))
            path = f"{table}/all-{digest(self.layout, *map(repr, rows))}.parquet"
            if path in before:
                yield next(file for file in known.files if file.path == path)
                continue
            file, data = self._encode(table, columns, rows, path)
            writing.append(pool.submit(self.place.write, path, data))
            yield file
        for each in writing:
            each.result()

    def _encode(
        self,
        table: str,
        columns: Sequence[ParquetColumn],
        rows: Iterable[DatabaseRow],
        path: str,
    ) -> tuple[LakeFile, bytes]:
        is_partitioned = table not in _WHOLE
        renamed = [
            msgspec.structs.replace(each, name=_RENAMED.get(each.name, each.name))
            if is_partitioned
            else each
            for each in columns
        ]
        stream = io.BytesIO()
        count = self.tables.write(renamed, rows, stream)
        data = stream.getvalue()
        self.files_written += 1
        self.bytes_written += len(data)
        return LakeFile(table, path, count, len(data)), data


def _by_part(
    columns: Sequence[ParquetColumn], rows: Iterable[DatabaseRow], numbers: dict[int, int]
) -> dict[int, list[DatabaseRow]]:
    """Group rows by the parts that their sessions are in."""
    names = [column.name for column in columns]
    at = next(names.index(name) for name in _KEY_COLUMNS if name in names)
    found: defaultdict[int, list[DatabaseRow]] = defaultdict(list)
    for row in rows:
        found[numbers[row[at]]].append(row)
    return found


def _chunks(parts: Iterable[NewPart]) -> Iterator[list[NewPart]]:
    chunk: list[NewPart] = []
    size = count = 0
    for part in parts:
        own = sum(each.size_bytes for each in part.sessions)
        is_full = size + own > _CHUNK_BYTES or count + len(part.sessions) > _CHUNK_SESSIONS
        if chunk and is_full:
            yield chunk
            chunk, size, count = [], 0, 0
        chunk.append(part)
        size += own
        count += len(part.sessions)
    if chunk:
        yield chunk
