"""`clew sync`: archive new transcripts."""

import datetime as dt
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Final

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.progress import Progress as Bar

from clew.archive import Archive, NoArchiveError, open_archive
from clew.cli.options import archive_option, json_option, root_option
from clew.cli.output import write_json
from clew.cli.search_paths import find_existing_roots, no_transcripts, paths_or_roots
from clew.cli.text import size, visible
from clew.errors import UsageError
from clew.figures import plural
from clew.store import (
    DEFERRED_PAUSE,
    ArchiveBusyError,
    ArchiveUnavailableError,
    OnProgress,
    SyncProgress,
    SyncReport,
    Wait,
)

# Less than this takes a moment.
_QUIET_BYTES: Final = 20_000_000
_QUIET_SECONDS: Final = 1.0
_TROUBLE_SECONDS: Final = 15.0
_TURN_SECONDS: Final = 1.0
# In fewer columns, the progress bar takes several lines.
_ROOM_FOR_ALL: Final = 72
_HELP: Final = """\
Archive new transcripts and update the index.

Reads only new data, and stores transcripts and their sidecar files byte for byte. Transcripts
that Claude Code deletes after 30 days stay in the archive. Most commands sync first, so you rarely
need to run this yourself. Files that cannot be read are listed and skipped; damaged files in the
archive are repaired if their source still exists.

\b
Examples:
  clew sync                  archive all transcripts on this machine
  clew sync --root /backup   also archive those in another directory
  clew sync --watch          keep syncing as sessions grow, until Ctrl-C
  clew sync --rebuild        rebuild the database from the archived files
  clew sync --json           print a report as JSON

\b
Exit codes:
  0  success
  1  some files could not be read, an archived file is damaged, or the archive
     cannot be written (in use by another clew, disk full, read-only)
  2  usage error
  3  no transcripts found
"""


@click.command("sync", help=_HELP)
@archive_option
@root_option
@click.option("--watch", is_flag=True, help="Keep syncing as transcripts change, until Ctrl-C.")
@click.option("--rebuild", is_flag=True, help="Rebuild the database from the archived files.")
@json_option
def command(roots: tuple[Path, ...], *, watch: bool, rebuild: bool, as_json: bool) -> None:
    """Sync, and print a report."""
    if watch and rebuild:
        raise UsageError("--rebuild cannot be combined with --watch")
    with open_archive() as archive:
        paths = _paths(archive, roots, rebuild=rebuild)
        if watch:
            _watch(archive, paths, as_json=as_json)
        else:
            report = run_sync(archive, paths, rebuild=rebuild)
            if not (report.files_seen or report.errors or report.sessions_total):
                raise no_transcripts(paths)
            _report(report, as_json=as_json)
            if report.errors or report.faults:
                raise click.exceptions.Exit(1)


def _paths(archive: Archive, roots: tuple[Path, ...], *, rebuild: bool) -> list[Path]:
    """Give the directories to search; a rebuild from archived files needs none."""
    if archive.location.has_lost_database:
        return find_existing_roots(roots)
    if rebuild and not archive.exists:
        raise NoArchiveError(archive.location.name)
    return [] if rebuild and not roots else paths_or_roots((), roots)


def run_sync(
    archive: Archive,
    roots: list[Path],
    *,
    rebuild: bool = False,
    is_quiet: bool = False,
    may_defer: bool = False,
    max_bytes: int | None = None,
) -> SyncReport:
    """Sync with a progress bar on a terminal; with `is_quiet`, only if it takes long."""
    started = time.monotonic()
    with progress_bar("Archiving", _QUIET_BYTES if is_quiet else 0) as on_progress:
        report = archive.sync(
            roots,
            rebuild=rebuild,
            may_defer=may_defer,
            max_bytes=max_bytes,
            on_progress=on_progress,
        )
    report.seconds = round(time.monotonic() - started, 3)
    return report


@contextmanager
def progress_bar(label: str, least: int = _QUIET_BYTES) -> Iterator[OnProgress]:
    """Show a progress bar on a terminal, if there are so many bytes to do or it takes long."""
    bar = _ProgressBar(label, least)
    is_shown = sys.stderr is not None and sys.stderr.isatty()
    try:
        yield bar.move if is_shown else _ignore
    finally:
        bar.close()


def _ignore(_: SyncProgress) -> None:
    """Show nothing."""


def describe(report: SyncReport) -> list[str]:
    """Describe what a sync did."""
    updated = f"{report.sessions_written:,} of {plural(report.sessions_total, 'session')}"
    if not report.files_seen and report.sessions_written:
        return [f"Rebuilt {updated} in {report.seconds:.1f} s"]
    parts = [
        f"{count:,} {word}"
        for count, word in (
            (report.files_new, "new"),
            (report.files_grown, "grown"),
            (report.files_rewritten, "rewritten"),
            (report.files_repaired, "repaired"),
            (report.files_vanished, "deleted from the source"),
            (len(report.errors), "skipped"),
        )
        if count
    ]
    files = plural(report.files_seen, "file")
    lines = [f"{files}: {', '.join(parts)}" if parts else f"{files}, no changes"]
    if report.bytes_read or report.sessions_written:
        read = f"Read {size(report.bytes_read)} in {report.seconds:.1f} s"
        lines.append(f"{read}; updated {updated}")
    if report.sessions_busy:
        lines.append(f"Left {plural(report.sessions_busy, 'session')} to another sync")
    if report.sessions_newer:
        lines.append(
            f"Archived {plural(report.sessions_newer, 'session')} without new rows: upgrade clew, "
            "a newer version wrote those"
        )
    return lines


def describe_change(report: SyncReport) -> str:
    """Describe in one line what changed since the last sync; empty if nothing did."""
    parts = []
    if report.bytes_read:
        changed = report.files_new + report.files_grown + report.files_rewritten
        changed += report.files_repaired
        parts += [plural(changed, "file"), size(report.bytes_read)]
        parts.append(f"{plural(report.sessions_written, 'session')} updated")
    if report.files_vanished:
        parts.append(f"{plural(report.files_vanished, 'file')} deleted from the source")
    return ", ".join(parts)


def _report(report: SyncReport, *, as_json: bool) -> None:
    if as_json:
        write_json(report)
    else:
        for line in describe(report):
            click.echo(line)
        _report_errors(report)


def _report_errors(report: SyncReport) -> None:
    for error in report.errors:
        click.echo(f"clew: skipped: {visible(error)}", err=True)
    for fault in report.faults:
        click.echo(f"clew: {visible(fault)}", err=True)


def _watch(archive: Archive, places: list[Path], *, as_json: bool) -> None:
    """Sync whenever something changes; Ctrl-C stops it, and is no error."""
    wait = Event().wait
    changes = archive.follow(places, wait)
    try:
        next(changes)
        _report(_sync_in_turn(archive, places, wait), as_json=as_json)
        click.echo("Watching for changes (Ctrl-C to stop)", err=True)
        sys.stdout.flush()
        for _ in changes:
            while _sync_change(archive, places, wait, as_json=as_json).is_unfinished:
                wait(DEFERRED_PAUSE)
    except KeyboardInterrupt:
        return


def _sync_change(archive: Archive, places: list[Path], wait: Wait, *, as_json: bool) -> SyncReport:
    report = _sync_in_turn(archive, places, wait, may_defer=True)
    _report_change(report, as_json=as_json)
    return report


def _sync_in_turn(
    archive: Archive, places: list[Path], wait: Wait, *, may_defer: bool = False
) -> SyncReport:
    """Sync as soon as no other process does and, once it has worked, as soon as it works again."""
    trouble = ""
    while True:
        try:
            return run_sync(archive, places, is_quiet=may_defer, may_defer=may_defer)
        except ArchiveBusyError:
            wait(_TURN_SECONDS)
        except ArchiveUnavailableError as error:
            if not may_defer:
                raise
            if str(error) != trouble:
                trouble = str(error)
                click.echo(f"clew: not synced, trying again: {visible(trouble)}", err=True)
            wait(_TROUBLE_SECONDS)


def _report_change(report: SyncReport, *, as_json: bool) -> None:
    if as_json:
        write_json(report)
    elif change := describe_change(report):
        clock = dt.datetime.now().astimezone()
        click.echo(f"{clock:%H:%M:%S}  {change}")
        _report_errors(report)
    sys.stdout.flush()


class _ProgressBar:
    """A progress bar on stderr, shown only if there is enough to do."""

    def __init__(self, label: str, least: int) -> None:
        self._label = label
        self._least = least
        self._started = time.monotonic()
        self._bar: Bar | None = None

    def move(self, progress: SyncProgress) -> None:
        """Update the bar."""
        if self._bar is None and not self._is_worth_it(progress):
            return
        bar = self._bar or self._start()
        bar.update(
            bar.task_ids[0],
            total=progress.total_bytes,
            completed=progress.done_bytes,
            description=plural(progress.sessions, "session"),
        )

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()

    def _is_worth_it(self, progress: SyncProgress) -> bool:
        is_long = time.monotonic() - self._started > _QUIET_SECONDS
        return is_long or progress.total_bytes >= self._least

    def _start(self) -> Bar:
        console = Console(stderr=True)
        columns: list[ProgressColumn] = [TextColumn(self._label), BarColumn()]
        if console.width >= _ROOM_FOR_ALL:
            columns += [TextColumn("{task.description}"), DownloadColumn(), TransferSpeedColumn()]
        self._bar = Bar(
            *columns,
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=console.is_dumb_terminal,
        )
        self._bar.add_task("", total=None)
        self._bar.start()
        return self._bar
