"""The archive for a command that answers: brought up to date first, or afterwards if that is much.

With much to archive, the answer comes first, straight from the files. Then the transcripts are
archived, on a terminal with a progress bar.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import click
import msgspec

from clew.archive import Archive, Order, open_archive
from clew.cli.options import no_sync_option
from clew.cli.search_paths import find_existing_roots, no_transcripts
from clew.cli.sync import progress_bar, run_sync
from clew.cli.text import size, visible
from clew.errors import ClewError, NotFoundError
from clew.figures import plural
from clew.source import find_roots
from clew.store import (
    ArchiveBusyError,
    ArchiveUnavailableError,
    Home,
    LargeSyncError,
    OnProgress,
    SyncReport,
    location_exists,
)

if TYPE_CHECKING:
    from clew.preview import ArchivePreview

__all__ = [
    "MUCH_BYTES",
    "Fill",
    "SearchCoverage",
    "answer_archive",
    "archive_afterwards",
    "fill_all",
    "fresh_archive",
    "indexed_archive",
    "is_watched",
    "no_sync_option",
    "refresh",
    "sync_afterwards",
]

MUCH_BYTES: Final = 50_000_000
"""With more than this to archive, commands answer first."""

Fill: TypeAlias = Callable[["ArchivePreview", OnProgress], None]
"""Adds to a preview the transcripts that an answer needs."""

_EMPTY: Final = "the archive is empty; run the command without --no-sync"


def fill_all(preview: "ArchivePreview", on_progress: OnProgress) -> None:
    """Add everything that is not archived yet."""
    preview.add_all(on_progress)


@contextmanager
def fresh_archive(roots: Iterable[Path], *, no_sync: bool) -> Iterator[Archive]:
    """Sync the archive and open it; it must have at least one session.

    Raises:
        NotFoundError: There are no transcripts, and there never were.
    """
    with open_archive() as archive:
        paths = refresh(archive, roots, no_sync=no_sync)
        yield _require_sessions(archive, paths, no_sync=no_sync)


@contextmanager
def answer_archive(
    roots: Iterable[Path], fill: Fill, *, no_sync: bool, is_data: bool = False
) -> Iterator[Archive]:
    """Open the archive for an answer: up to date or, with much to archive, a preview of it.

    On a server, it is the archive as it is, unless that is empty. In both cases archiving follows
    the answer, unless that is data for a program.

    Raises:
        NotFoundError: There are no transcripts, and there never were.
    """
    with open_archive() as archive:
        paths = list(roots) if no_sync else find_existing_roots(roots)
        if not isinstance(archive.location, Home):
            # A preview copies all rows of an archive: on a server, there may be too many.
            missing = None if no_sync else _sync_some(archive, paths)
            yield _require_sessions(archive, paths, no_sync=no_sync)
            if missing is not None:
                much = _amount(missing.sessions, missing.size_bytes)
                archive_afterwards(archive, paths, much, is_data=is_data)
            return
        preview = None if no_sync else _sync_or_preview(archive, archive.location, paths)
        if preview is None:
            yield _require_sessions(archive, paths, no_sync=no_sync)
            return
        with preview:
            with progress_bar("Reading") as on_progress:
                fill(preview, on_progress)
            yield _require_sessions(preview, paths, no_sync=False)
        much = _amount(preview.new_sessions, preview.new_bytes)
        archive_afterwards(archive, paths, much, is_data=is_data)


class SearchCoverage(msgspec.Struct, frozen=True):
    """How many sessions a search covers, and how many there are; None means that nobody looked."""

    indexed_sessions: int
    all_sessions: int | None


@contextmanager
def indexed_archive(
    roots: Iterable[Path], *, no_sync: bool, is_data: bool = False
) -> Iterator[tuple[Archive, SearchCoverage]]:
    """Open the archive for a search, with how much of it is indexed.

    With much to archive, a search covers what is indexed, and archiving follows it. Only if nothing
    is indexed at all, the search waits.

    Raises:
        NotFoundError: There are no transcripts, and there never were.
    """
    with open_archive() as archive:
        paths = list(roots) if no_sync else find_existing_roots(roots)
        missing = None if no_sync else _index(archive, paths)
        is_first = missing is not None and not _is_readable(archive)
        if missing is not None and is_first:
            missing = _index_first(archive, paths, missing)
        _require_sessions(archive, paths, no_sync=no_sync)
        coverage = _coverage(archive, missing, is_known=not no_sync)
        yield archive, coverage
        if missing is not None:
            _report_coverage(coverage, is_data=is_data)
            if not is_first and is_watched() and not is_data:
                archive_afterwards(archive, paths, _amount(missing.sessions, missing.size_bytes))


def _coverage(
    archive: Archive, missing: LargeSyncError | None, *, is_known: bool
) -> SearchCoverage:
    count = archive.count("sessions", order=Order(with_hidden=True))
    if missing is None:
        return SearchCoverage(count, count if is_known else None)
    grown = missing.sessions - missing.new_sessions
    return SearchCoverage(count - grown, count + missing.new_sessions)


def _report_coverage(coverage: SearchCoverage, *, is_data: bool) -> None:
    sys.stdout.flush()
    indexed, total = coverage.indexed_sessions, coverage.all_sessions or 1
    share = f"{indexed:,} of {plural(total, 'session')} ({indexed * 100 // total} %)"
    if is_watched() and not is_data:
        click.echo(f"Searched {share}: the rest is not indexed yet", err=True)
    else:
        click.echo(f"clew: searched {share}; run `clew sync` to index the rest", err=True)


def _index(archive: Archive, paths: list[Path]) -> LargeSyncError | None:
    """Sync if that takes a moment only; return what is left to do."""
    if not (paths or archive.location.has_lost_database):
        return None
    try:
        _sync(archive, paths, max_bytes=MUCH_BYTES)
    except LargeSyncError as much:
        return much
    except ArchiveBusyError:
        if not _is_readable(archive):
            raise
        click.echo("clew: another process is archiving; searching what is indexed", err=True)
    return None


def _index_first(
    archive: Archive, paths: list[Path], much: LargeSyncError
) -> LargeSyncError | None:
    """Index everything before the first search; after Ctrl-C, what was indexed is searched."""
    hint = "; Ctrl-C searches what is indexed by then" if is_watched() else ""
    click.echo(
        f"Indexing {_amount(much.sessions, much.size_bytes)} before the first search{hint}",
        err=True,
    )
    try:
        _warn(run_sync(archive, paths))
    except KeyboardInterrupt:
        if not is_watched() or not _is_readable(archive):
            raise
        return _index(archive, paths)
    return None


def _amount(sessions: int, size_bytes: int) -> str:
    return f"{plural(sessions, 'session')} ({size(size_bytes)})"


def refresh(archive: Archive, roots: Iterable[Path], *, no_sync: bool) -> list[Path]:
    """Archive new transcripts, unless `no_sync`; give the directories that were searched.

    When another process syncs, or the archive cannot be written, its present content is used.
    """
    paths = list(roots) if no_sync else find_existing_roots(roots)
    if not no_sync and (paths or archive.location.has_lost_database):
        try:
            _sync(archive, paths)
        except ArchiveBusyError:
            if not _is_readable(archive):
                raise
    return paths


def archive_afterwards(
    archive: Archive, paths: list[Path], much: str, *, is_data: bool = False
) -> None:
    """Archive what an answer has not waited for; where nobody watches, say that it is to be done.

    Ctrl-C stops it. What was archived by then stays, and the next command goes on.
    """
    sys.stdout.flush()
    if is_data or not is_watched():
        click.echo(f"clew: {much} not archived yet; run `clew sync` to archive them", err=True)
        return
    with _stoppable():
        click.echo(f"Archiving {much}; Ctrl-C stops, the next command continues", err=True)
        report = run_sync(archive, paths)
        _warn(report)
        click.echo(f"Archived {plural(report.sessions_written, 'session')}", err=True)


def sync_afterwards(roots: Iterable[Path], *, is_data: bool) -> None:
    """Archive new transcripts after an answer that needed no archive, if somebody watches.

    Otherwise, say so if there is much and no archive at all.
    """
    from clew.sessions import list_files

    paths = find_roots(os.environ, Path.home(), roots)
    is_shown = is_watched() and not is_data
    with open_archive() as archive:
        is_new = not location_exists(archive.location)
        total = sum(file.size for file in list_files(paths)) if is_new else 0
        if total > MUCH_BYTES:
            archive_afterwards(archive, paths, f"transcripts ({size(total)})", is_data=is_data)
        elif is_shown and paths:
            _sync_all(archive, paths)


def _sync_all(archive: Archive, paths: list[Path]) -> None:
    """Archive new transcripts, with a word on it if there are many."""
    try:
        with _stoppable():
            _warn(run_sync(archive, paths, is_quiet=True, max_bytes=MUCH_BYTES))
    except LargeSyncError as much:
        archive_afterwards(archive, paths, _amount(much.sessions, much.size_bytes))


def is_watched() -> bool:
    """Return whether somebody sees the answer and the progress bar."""
    return sys.stdout.isatty() and sys.stderr is not None and sys.stderr.isatty()


def _sync_some(archive: Archive, paths: list[Path]) -> LargeSyncError | None:
    """Sync if that takes a moment only, or if there is nothing to show; return what is left."""
    try:
        if paths:
            _sync(archive, paths, max_bytes=MUCH_BYTES)
    except LargeSyncError as much:
        if _is_readable(archive):
            return much
        _sync(archive, paths)
    return None


def _sync_or_preview(
    archive: Archive, location: Home, paths: list[Path]
) -> "ArchivePreview | None":
    """Sync if that takes a moment only, else open a preview."""
    is_new = not (location_exists(location) or location.has_lost_database)
    try:
        if not is_new:
            _sync(archive, paths, max_bytes=MUCH_BYTES)
            return None
    except LargeSyncError:
        return _open_preview(location, paths)
    except ArchiveBusyError:
        is_new = not _is_readable(archive)
    preview = _open_preview(location, paths)
    if preview.new_bytes > MUCH_BYTES:
        return preview
    preview.close()
    if is_new and paths:
        _sync(archive, paths)
    return None


def _open_preview(home: Home, paths: list[Path]) -> "ArchivePreview":
    from clew.preview import ArchivePreview

    return ArchivePreview(home, paths)


def _sync(archive: Archive, paths: list[Path], max_bytes: int | None = None) -> None:
    """Archive new transcripts; where that is not possible, warn if there is an archive to show."""
    try:
        _warn(run_sync(archive, paths, is_quiet=True, max_bytes=max_bytes))
    except ArchiveUnavailableError as error:
        if not _is_readable(archive):
            raise
        click.echo(
            f"clew: not synced, showing the archive as it is: {visible(str(error))}", err=True
        )


@contextmanager
def _stoppable() -> Iterator[None]:
    """Let Ctrl-C end what follows an answer, and no trouble of it be an error."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo("Stopped; the next command continues, or run `clew sync`", err=True)
    except ArchiveBusyError:
        click.echo("Another clew process is archiving transcripts", err=True)
    except ArchiveUnavailableError as error:
        click.echo(f"clew: not archived: {visible(str(error))}", err=True)


def _require_sessions(archive: Archive, paths: list[Path], *, no_sync: bool) -> Archive:
    if archive.is_empty:
        raise NotFoundError(_EMPTY) if no_sync else no_transcripts(paths)
    return archive


def _warn(report: SyncReport) -> None:
    """Report what could not be read: it is not archived, and may be deleted meanwhile."""
    if warning := report.warning():
        click.echo(f"clew: {visible(warning)}", err=True)


def _is_readable(archive: Archive) -> bool:
    """Return whether there is anything to show; a half-written archive has nothing."""
    try:
        return not archive.is_empty
    except ClewError:
        return False
