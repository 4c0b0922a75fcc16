"""Archive: open, sync, list, load, search, count; the one object that surfaces share.

Methods import what only they use: lists and counts start without the code of conversations.
"""

import datetime as dt
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

import msgspec

from clew.analytics import (
    HOUR,
    TOOL_GROUPS,
    FilterSet,
    SessionLabel,
    UsageGroup,
    UsageOverview,
    UsageReport,
    bucket_letters,
    hours_of,
    make_overview,
    narrows_calls,
    sessions_in_groups,
    summarise,
)
from clew.errors import NotFoundError, UsageError
from clew.settings import choose_archive
from clew.source import find_roots, possible_roots
from clew.store import (
    CLEANUP_DAYS,
    AgentRunOverview,
    ArchiveAddress,
    ArchivedFile,
    ArchiveReader,
    ArchiveStatus,
    FileEdit,
    FileOverview,
    FileUse,
    Location,
    Order,
    ProjectOverview,
    RecentUsage,
    SessionOverview,
    SyncProgress,
    SyncReport,
    ToolCallOverview,
    ToolStats,
    count_hidden_sessions,
    count_listed,
    explain_error,
    filter_values,
    find_location,
    find_matching_sessions,
    find_tool_sessions,
    list_agent_runs,
    list_file_edits,
    list_file_uses,
    list_projects,
    list_sessions,
    list_tool_calls,
    list_tool_stats,
    list_touched_files,
    open_reader,
    read_recent,
    read_shapes,
    read_status,
    sync,
    translate_errors,
)

if TYPE_CHECKING:
    from clew.conversation import Conversation
    from clew.search import Results
    from clew.store import (
        CopyReport,
        DigestUsage,
        ExportedTable,
        LakeReport,
        QueryResult,
        RestoredFile,
        VerifiedFile,
        Wait,
    )

__all__ = [
    "Archive",
    "FilterSet",
    "NoArchiveError",
    "Order",
    "default_roots",
    "open_archive",
    "search_paths",
]

EVERYTHING: Final = FilterSet()
LATEST_FIRST: Final = Order()


class NoArchiveError(NotFoundError):
    """There is no archive yet."""

    def __init__(self, place: str) -> None:
        super().__init__(f"no archive in {place} yet; run `clew sync` to create it")


class Archive:
    """One archive: a database, blobs and an index."""

    def __init__(self, location: Location) -> None:
        self.location = location
        self._opened: ArchiveReader | None = None

    def __enter__(self) -> Self:
        """Use it in a `with` block, so that the database is closed."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the database; where it turned out to be damaged or out of reach, say what to do.

        Raises:
            ClewError: It did.
        """
        self.close()
        if explained := explain_error(self.location, error):
            raise explained from error

    def close(self) -> None:
        """Close the database."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def forget(self) -> None:
        """Free the memory of cached file contents."""
        if self._opened is not None:
            self._opened.blobs.clear_cache()

    @property
    def exists(self) -> bool:
        """Whether anything was synced yet."""
        if self._opened is None:
            self._opened = open_reader(self.location)
        return self._opened is not None

    @property
    def is_empty(self) -> bool:
        """Whether no session has been archived yet."""
        return not self.exists or not self._reader.has_sessions()

    @property
    def is_complete(self) -> bool:
        """Whether it has all that it knows of: only previews leave something out."""
        return True

    def version(self) -> str:
        """Return a text that changes with every change of the archive; "" if there is none yet."""
        return self._reader.version() if self.exists else ""

    def session_version(self, session_id: str) -> str:
        """Return a text that changes with every change of a session.

        Raises:
            SessionNotFoundError: No session has that id.
        """
        return self._reader.session_version(session_id)

    def session_versions(self) -> dict[str, str]:
        """Return the versions of all sessions, by id."""
        return self._reader.session_versions() if self.exists else {}

    def find_session(self, name: str) -> str:
        """Return the full id of a session, given an id, a unique prefix or `latest`.

        Raises:
            SessionNotFoundError: No session has that id, or several have.
        """
        return self._reader.find_session(name)

    @property
    def _reader(self) -> ArchiveReader:
        """The archive, opened for reading.

        Raises:
            NoArchiveError: Nothing was synced yet.
        """
        if self._opened is None:
            self._opened = open_reader(self.location)
        if self._opened is None:
            raise NoArchiveError(self.location.name)
        return self._opened

    def sync(
        self,
        roots: Iterable[Path] | None = None,
        *,
        now: dt.datetime | None = None,
        rebuild: bool = False,
        may_defer: bool = False,
        max_bytes: int | None = None,
        on_progress: Callable[[SyncProgress], None] | None = None,
        workers: int | None = None,
    ) -> SyncReport:
        """Bring the archive up to date with the roots, by default all of this machine.

        With `may_defer`, the rows of long sessions that still grow wait until those pause.

        Raises:
            LargeSyncError: There is more to archive than `max_bytes`, and nothing was archived.
            ArchiveBusyError: Another process writes to it.
            ArchiveUnavailableError: Its disk, server or bucket cannot be reached or written.
        """
        places = default_roots() if roots is None else roots
        moment = dt.datetime.now(dt.UTC) if now is None else now
        with translate_errors(self.location):
            return sync(
                self.location,
                places,
                now=moment,
                rebuild=rebuild,
                may_defer=may_defer,
                max_bytes=max_bytes,
                on_progress=on_progress,
                workers=workers,
            )

    def follow(self, roots: Iterable[Path], wait: "Wait") -> Iterator[None]:
        """Return a sign whenever there may be something to sync, until `wait` says to end."""
        from clew.store import follow

        return follow(roots, wait)

    def sessions(
        self, filters: FilterSet = EVERYTHING, order: Order = LATEST_FIRST
    ) -> Iterator[SessionOverview]:
        """List sessions."""
        return list_sessions(self._reader.database, filters, order)

    def count(
        self,
        what: str,
        filters: FilterSet = EVERYTHING,
        order: Order = LATEST_FIRST,
        path: str | None = None,
    ) -> int:
        """Count what a list has without its limit.

        Args:
            what: `sessions`, `projects`, `tool_calls`, `agent_runs`, `files` or `file_uses`.
            filters: What the listed items must match.
            order: Whether usually hidden items count too.
            path: Of files, count those at a path.
        """
        return count_listed(self._reader.database, what, filters, order, path)

    def hidden_sessions(self, filters: FilterSet = EVERYTHING) -> int:
        """Count the sessions that lists leave out, since nobody said anything in them."""
        return count_hidden_sessions(self._reader.database, filters)

    def matching_sessions(self, filters: FilterSet) -> frozenset[str]:
        """Return the ids of the sessions that match, hidden ones too."""
        return frozenset(find_matching_sessions(self._reader.database, filters).values())

    def filter_values(self, name: str) -> list[str]:
        """Return the values that a filter may be set to, the most used first."""
        return filter_values(self._reader.database, name)

    def projects(
        self, filters: FilterSet = EVERYTHING, order: Order = LATEST_FIRST
    ) -> Iterator[ProjectOverview]:
        """List projects."""
        return list_projects(self._reader.database, filters, order)

    def tool_calls(
        self, filters: FilterSet = EVERYTHING, order: Order = LATEST_FIRST
    ) -> Iterator[ToolCallOverview]:
        """List tool calls."""
        return list_tool_calls(self._reader.database, filters, order)

    def agent_runs(
        self, filters: FilterSet = EVERYTHING, order: Order = LATEST_FIRST
    ) -> Iterator[AgentRunOverview]:
        """List agent runs."""
        return list_agent_runs(self._reader.database, filters, order)

    def files(
        self,
        filters: FilterSet = EVERYTHING,
        order: Order = LATEST_FIRST,
        path: str | None = None,
    ) -> Iterator[FileOverview]:
        """List files that were read or changed: all, or those at a path."""
        return list_touched_files(self._reader.database, filters, order, path)

    def file_uses(
        self, path: str, filters: FilterSet = EVERYTHING, order: Order = LATEST_FIRST
    ) -> Iterator[FileUse]:
        """List which sessions read or changed the files at a path, or with that end of one."""
        return list_file_uses(self._reader.database, filters, order, path)

    def file_edits(self, path: str, limit: int = 100) -> Iterator[FileEdit]:
        """List the tool calls that changed one file, the latest first."""
        return list_file_edits(self._reader.database, path, limit)

    def shapes(
        self, session_ids: Iterable[str], pieces: int = 24
    ) -> dict[str, list[tuple[int, int, int, int]]]:
        """Return of each session, piece by piece, how much was said, done and went wrong."""
        return read_shapes(self._reader.database, session_ids, pieces)

    def usage(
        self, filters: FilterSet = EVERYTHING, by: str = "day", zone: dt.tzinfo = dt.UTC
    ) -> UsageReport:
        """Count tokens and cost, by one of `clew.analytics.GROUPS`."""
        sums = self._reader.counted_calls(filters, bucket_letters(zone))
        hours = self._hours(filters) if by == "block" else ()
        return summarise(sums, by, zone, filters, self._reader.client_costs(), hours)

    def usage_overview(
        self,
        filters: FilterSet = EVERYTHING,
        zone: dt.tzinfo = dt.UTC,
        before: FilterSet | None = None,
    ) -> UsageOverview:
        """Count one period by every group; `before` is the period to compare it with."""
        letters = bucket_letters(zone)
        sums = self._reader.counted_calls(filters, letters)
        earlier = None if before is None else self._reader.counted_calls(before, letters)
        costs = self._reader.client_costs()
        return make_overview(sums, zone, filters, costs, earlier, self._hours(filters))

    def usage_of_sessions(
        self, session_ids: Collection[str], zone: dt.tzinfo = dt.UTC
    ) -> UsageOverview:
        """Count some sessions by every group, as if there were no others."""
        sums = self._reader.counted_calls(EVERYTHING, bucket_letters(zone))
        costs = self._reader.client_costs()
        return make_overview(
            [calls for calls in sums if calls.session_id in session_ids],
            zone,
            EVERYTHING,
            {name: cost for name, cost in costs.items() if name in session_ids},
        )

    def _hours(self, filters: FilterSet) -> set[str]:
        """Return the hours of all calls, where counting leaves some out: blocks depend on them."""
        if not narrows_calls(filters):
            return set()
        return hours_of(self._reader.counted_calls(EVERYTHING, HOUR))

    def digest_usage(self, filters: FilterSet = EVERYTHING) -> "list[DigestUsage]":
        """Count what digests cost in a period, by model; no other total contains it."""
        from clew.store import read_digest_usage

        return read_digest_usage(self._reader.database, filters.since, filters.until)

    def tool_stats(self, filters: FilterSet = EVERYTHING, limit: int = 100) -> Iterator[ToolStats]:
        """List tools, the one called most first, with how they went."""
        return list_tool_stats(self._reader.database, filters, limit)

    def sessions_in_groups(
        self,
        groups: Sequence[UsageGroup],
        filters: FilterSet = EVERYTHING,
        zone: dt.tzinfo = dt.UTC,
    ) -> frozenset[str]:
        """Return the ids of the sessions that a number of the usage counts, by its groups."""
        reader = self._reader
        tools = [group for group in groups if group.by in TOOL_GROUPS]
        found = [
            find_tool_sessions(reader.database, filters, group.key, group.by) for group in tools
        ]
        if len(tools) < len(groups):
            sums = reader.counted_calls(filters, bucket_letters(zone))
            found.append(sessions_in_groups(sums, groups, zone, filters))
        return frozenset.intersection(*found) if found else frozenset()

    def search(
        self,
        text: str,
        *,
        now: dt.datetime | None = None,
        limit: int = 20,
        offset: int = 0,
        with_hidden: bool = False,
        filters: FilterSet = EVERYTHING,
    ) -> "Results":
        """Find a query's words in all sessions, the best first.

        Args:
            text: The query, as `clew search` takes it.
            now: From when on `after:7d` counts back, by default from now.
            limit: How many hits at most.
            offset: How many hits to pass over.
            with_hidden: Also search sessions in which nobody said anything, as warm-ups are.
            filters: What hits must match, beside the filters in the query.

        Raises:
            QueryError: The query cannot be read; it points at the character.
        """
        from clew.search import narrow_query, parse_query, search

        reader = self._reader
        moment = dt.datetime.now().astimezone() if now is None else now
        query = narrow_query(parse_query(text, now=moment), filters)
        return search(
            reader.index,
            msgspec.structs.replace(query, with_hidden=with_hidden),
            now=moment,
            limit=limit,
            offset=offset,
            read_text=self.block_text,
        )

    def block_text(self, block_id: int) -> str | None:
        """Return the whole text of a block, from the archived bytes if it is long."""
        from clew.store import read_block_text

        return read_block_text(self._reader, block_id)

    def session_labels(self, session_ids: Collection[str] | None = None) -> dict[str, SessionLabel]:
        """Return what people know sessions by, by their ids: of all, or of some."""
        found = self._reader.session_labels()
        if session_ids is None:
            return found
        return {name: found[name] for name in session_ids if name in found}

    def recent(self, since: dt.datetime) -> RecentUsage:
        """Count all sessions, and what model calls used from a moment on."""
        return read_recent(self._reader.database, since)

    def conversation(self, name: str) -> "Conversation":
        """Build one session from the archive; `name` is an id, a unique prefix or `latest`."""
        from clew.session_lookup import build_session

        return build_session(self._reader, name)

    def load(
        self, target: str | os.PathLike[str], roots: Sequence[Path] | None = None
    ) -> "Conversation":
        """Build one session from the disk or, if it is gone from there, from the archive.

        Args:
            target: A path, an id or the beginning of one, or `latest`.
            roots: Where to look on the disk, by default where Claude Code keeps its data.

        Raises:
            PathNotFoundError: The path does not exist.
            SessionNotFoundError: No session has that id, or several have.
        """
        from clew.session_lookup import load_session

        return load_session(self._opened if self.exists else None, target, roots)

    def locate(self, name: str, roots: Sequence[Path] | None = None) -> str:
        """Return the full id of a session on the disk or in the archive, without reading any.

        Args:
            name: An id or the beginning of one, or `latest`.
            roots: Where to look on the disk, by default where Claude Code keeps its data.

        Raises:
            SessionNotFoundError: No session has that id, or several have.
        """
        from clew.session_lookup import locate_session

        return locate_session(self._opened if self.exists else None, name, roots)

    def read_line(self, session_id: str, file: str, offset: int) -> str:
        """Return a line of an archived transcript; bytes that are no text are replaced.

        Raises:
            NotFoundError: The session has no such archived file.
        """
        reader = self._reader
        for kept in reader.session_files(session_id):
            if kept.path == file or kept.path.endswith(file):
                return reader.read_line(kept, offset).decode("utf-8", "replace")
        raise NotFoundError(f"session {session_id} has no file {file}")

    def query(self, query: str, seconds: float = 30) -> "QueryResult":
        """Run one SQL query that only reads, for so long at most.

        Raises:
            QueryRefusedError: It is no SQL, or asks for something it may not touch.
            QueryTimeoutError: It takes longer than it may.
        """
        from clew.store import run_query

        _ = self._reader
        return run_query(self.location, query, seconds)

    def status(self, now: dt.datetime, cleanup_days: int = CLEANUP_DAYS) -> ArchiveStatus:
        """Tell what is archived, and what the client will delete within a week."""
        return read_status(self._reader.database, self.location, now, cleanup_days)

    def archived_files(self, sessions: Iterable[str] = ()) -> list[ArchivedFile]:
        """List the archived files: all, or those of sessions named as in `restore`."""
        wanted = {self._reader.find_session(name) for name in sessions}
        return [file for file in self._reader.files() if not wanted or file.session_id in wanted]

    def session_files(self, session_id: str) -> list[ArchivedFile]:
        """List the archived files of one session."""
        return self._reader.session_files(session_id)

    def read_file(self, file: ArchivedFile) -> Iterator[bytes]:
        """Read an archived file, verified by its hashes.

        Raises:
            DamagedBlobError: The archived copy is damaged.
        """
        return self._reader.read_file(file)

    def file_hash(self, file: ArchivedFile) -> str | None:
        """Return the SHA-256 of an archived file in hex, if it is known without reading it."""
        return self._reader.file_hash(file)

    def verify(self, *, sources: bool = False, purged: bool = False) -> Iterator["VerifiedFile"]:
        """Verify every archived file by its hashes; return each with what is wrong, if anything is.

        Args:
            sources: Compare each file with its source as well, where that is there.
            purged: Earlier versions may have been deleted, as on a team server.
        """
        from clew.store import verify

        return verify(self._reader, sources=sources, purged=purged)

    def verify_database(self, *, kept_only: bool = False) -> list[str]:
        """Return what is wrong with the database: by SQLite's own check, and against the files.

        Args:
            kept_only: Check only the tables of archived files, not the rows derived from them.
        """
        from clew.store import unknown_blobs, verify_database

        faults = verify_database(self._reader.database, kept_only=kept_only)
        unknown = unknown_blobs(self._reader)
        return [*faults, *(f"the archived file {name} is not in it" for name in unknown)]

    def restore(
        self,
        folder: Path,
        *,
        sessions: Iterable[str] = (),
        overwrite: bool = False,
        earlier: bool = False,
    ) -> Iterator["RestoredFile"]:
        """Write archived files back, byte for byte, below a folder; return each as it is done.

        One that is damaged, or cannot be written, is given with its `fault`, and is not written.

        Args:
            folder: Where to; it is made when it is not there.
            sessions: Whose files, by their ids or the beginnings of them; by default all.
            overwrite: Write over files that are there.
            earlier: Also write earlier versions of rewritten files, as `NAME.g1`.

        Raises:
            FileExistsHereError: The file exists, and `overwrite` is not set.
            SessionNotFoundError: No session has such an id, or several have.
        """
        from clew.store import restore

        files = self.archived_files(sessions)
        return restore(self._reader, files, folder, overwrite=overwrite, earlier=earlier)

    def copy_to(
        self,
        destination: "Archive",
        *,
        now: dt.datetime | None = None,
        on_copied: Callable[[int], object] = lambda _: None,
        on_progress: Callable[[SyncProgress], None] | None = None,
        workers: int | None = None,
    ) -> "CopyReport":
        """Copy all archived files into another archive, and derive their rows there.

        What the destination has is not copied again, so an interrupted copy can be continued.

        Args:
            destination: It need not exist yet; what else it has stays.
            now: The present time, by default that of the clock.
            on_copied: Called with the number of bytes that have been copied since.
            on_progress: Called while rows are derived, as by `sync`.
            workers: How many processes derive rows, by default one for each core.

        Raises:
            UsageError: It is the same archive.
            ArchiveBusyError: Another process writes to the destination.
        """
        from clew.store import copy_archive

        if destination.location == self.location:
            raise UsageError("the archive cannot be copied to itself; choose another destination")
        with translate_errors(destination.location):
            report = copy_archive(
                self._reader,
                destination.location,
                now=dt.datetime.now(dt.UTC) if now is None else now,
                on_copied=on_copied,
                on_progress=on_progress,
                workers=workers,
            )
        report.source, report.destination = self.location.name, destination.location.name
        return report

    def export_parquet(self, folder: Path, *, overwrite: bool = False) -> Iterator["ExportedTable"]:
        """Write the rows as Parquet, one file per table and view; return each as it is done.

        Raises:
            ParquetMissingError: pyarrow is not installed.
            FileExistsHereError: The file exists, and `overwrite` is not set.
        """
        from clew.store import export_parquet

        _ = self._reader
        return export_parquet(self.location, folder, overwrite=overwrite)

    def export_lake(
        self,
        place: str,
        *,
        rewrite: bool = False,
        now: dt.datetime | None = None,
        on_sessions: Callable[[int, int], object] | None = None,
    ) -> "LakeReport":
        """Write the rows as Parquet by month and project, only of sessions that changed.

        Args:
            place: A folder, or `s3://BUCKET/PREFIX`.
            rewrite: Also write what has not changed.
            now: The present.
            on_sessions: Called with how many sessions have been written, and will be.

        Raises:
            ParquetMissingError: pyarrow is not installed.
            LakeBusyError: Another export writes to the same place.
        """
        from clew.store import ParquetTables, export_lake

        database = self._reader.database
        tables = ParquetTables(self.location)
        try:
            return export_lake(
                database,
                tables,
                place,
                now=dt.datetime.now(dt.UTC) if now is None else now,
                rewrite=rewrite,
                on_sessions=on_sessions,
            )
        finally:
            tables.close()


def open_archive(
    archive: "str | os.PathLike[str] | Location | None" = None,
    blobs: str | os.PathLike[str] | None = None,
) -> Archive:
    """Open an archive, by default the one that `clew config` shows.

        with clew.open_archive() as archive:
            archive.sync()
            for session in archive.sessions():
                print(session.ended_at, session.title, session.cost_usd)

    It need not be there yet: the first sync makes it.

    Args:
        archive: A folder, or a `postgresql://` address.
        blobs: Where the files of a `postgresql://` archive are: a folder, or `s3://BUCKET/PREFIX`.

    Raises:
        SettingsError: An address cannot be used, or a setting.
    """
    if archive is not None and not isinstance(archive, str | os.PathLike):
        return Archive(archive)
    given = (os.fspath(archive or ""), os.fspath(blobs or ""))
    choice = choose_archive(os.environ, Path.home(), *given)
    place = "" if choice.blobs is None else choice.blobs.value
    return Archive(find_location(ArchiveAddress(choice.archive.value, place)))


def default_roots() -> list[Path]:
    """Return the folders in which Claude Code keeps its data on this machine."""
    return find_roots(os.environ, Path.home())


def search_paths() -> list[Path]:
    """Return the folders in which clew looks for data of Claude Code, present or not."""
    return possible_roots(os.environ, Path.home())
