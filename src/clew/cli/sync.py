"""`clew sync`: new bytes into the archive."""

import datetime as dt
import sys
import time
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
from clew.cli.options import json_option, root_option
from clew.cli.output import write_json
from clew.cli.search_paths import no_transcripts, paths_or_roots
from clew.cli.text import size, visible
from clew.errors import UsageError
from clew.figures import plural
from clew.store import DEFERRED_PAUSE, ArchiveBusyError, SyncProgress, SyncReport, Wait

# Less than this is done before anybody wonders.
_QUIET_BYTES: Final = 20_000_000
_QUIET_SECONDS: Final = 1.0
_TURN_SECONDS: Final = 1.0
# In fewer columns, what a bar tells takes several lines.
_ROOM_FOR_ALL: Final = 72
_HELP: Final = """\
Keep what is new, byte for byte, with rows and an index.

Transcripts and what belongs to them; only new bytes are read. What Claude Code deletes after 30
days stays in the archive. Other commands that read the archive do this by themselves. Files and
folders that cannot be read are listed, and all others are archived. Kept files that are damaged are
repaired while their source exists.

\b
Examples:
  clew sync                  everything on this machine
  clew sync --root /backup   another folder too
  clew sync --watch          and go on as sessions grow, until Ctrl-C
  clew sync --rebuild        make all rows again from the kept bytes
  clew sync --json           what was done, counted

\b
Environment:
  CLEW_HOME   where the archive lives

\b
Exit codes:
  0  done
  1  some files or folders could not be read, or a kept file cannot be used;
     or the archive cannot be written: another clew does, the disk is full,
     the folder is read-only
  2  wrong use
  3  no transcripts there
"""


@click.command("sync", help=_HELP)
@root_option
@click.option("--watch", is_flag=True, help="Go on whenever something changes, until Ctrl-C.")
@click.option("--rebuild", is_flag=True, help="Derive all rows again from the kept bytes.")
@json_option
def command(roots: tuple[Path, ...], *, watch: bool, rebuild: bool, as_json: bool) -> None:
    """Sync, and say what was done."""
    if watch and rebuild:
        raise UsageError("--rebuild is done once; run it without --watch")
    with open_archive() as archive:
        places = [] if rebuild and not roots else list(paths_or_roots((), roots))
        if rebuild and not archive.exists:
            raise NoArchiveError(archive.home.folder)
        if watch:
            _watch(archive, places, as_json=as_json)
        else:
            report = run_sync(archive, places, rebuild=rebuild)
            if not (report.files_seen or report.errors or report.sessions_total):
                raise no_transcripts(places)
            _tell(report, as_json=as_json)
            if report.errors or report.faults:
                raise click.exceptions.Exit(1)


def run_sync(
    archive: Archive,
    roots: list[Path],
    *,
    rebuild: bool = False,
    is_quiet: bool = False,
    may_defer: bool = False,
) -> SyncReport:
    """Sync with a bar on stderr, when that is a terminal; a quiet one is for long work alone."""
    started = time.monotonic()
    if sys.stderr is None or not sys.stderr.isatty():
        report = archive.sync(roots, rebuild=rebuild, may_defer=may_defer)
    else:
        bar = _SyncBar(_QUIET_BYTES if is_quiet else 0)
        try:
            report = archive.sync(roots, rebuild=rebuild, may_defer=may_defer, on_progress=bar.move)
        finally:
            bar.close()
    report.seconds = round(time.monotonic() - started, 3)
    return report


def describe(report: SyncReport) -> list[str]:
    """Say what a sync did, for people."""
    written = f"{report.sessions_written:,} of {plural(report.sessions_total, 'session')} written"
    if not report.files_seen and report.sessions_written:
        return [f"{written} again from the kept bytes in {report.seconds:.1f} s"]
    parts = [
        f"{count:,} {word}"
        for count, word in (
            (report.files_new, "new"),
            (report.files_grown, "grown"),
            (report.files_rewritten, "rewritten"),
            (report.files_repaired, "repaired"),
            (report.files_vanished, "gone from the source, kept here"),
            (len(report.errors), "passed over"),
        )
        if count
    ]
    files = plural(report.files_seen, "file")
    lines = [f"{files}: {', '.join(parts)}" if parts else f"{files}, all as kept"]
    if report.bytes_read or report.sessions_written:
        lines.append(f"{size(report.bytes_read)} read in {report.seconds:.1f} s, {written}")
    return lines


def describe_change(report: SyncReport) -> str:
    """Say on one line what came and went since the sync before; nothing, if nothing did."""
    parts = []
    if report.bytes_read:
        changed = report.files_new + report.files_grown + report.files_rewritten
        changed += report.files_repaired
        parts += [plural(changed, "file"), size(report.bytes_read)]
        parts.append(f"{plural(report.sessions_written, 'session')} written")
    if report.files_vanished:
        parts.append(f"{plural(report.files_vanished, 'file')} gone from the source, kept here")
    return ", ".join(parts)


def _tell(report: SyncReport, *, as_json: bool) -> None:
    if as_json:
        write_json(report)
    else:
        for line in describe(report):
            click.echo(line)
        _tell_errors(report)


def _tell_errors(report: SyncReport) -> None:
    for error in report.errors:
        click.echo(f"passed over: {visible(error)}", err=True)
    for fault in report.faults:
        click.echo(f"clew: {visible(fault)}", err=True)


def _watch(archive: Archive, places: list[Path], *, as_json: bool) -> None:
    """Sync whenever something changes; Ctrl-C is the way to end it, so it is no failure."""
    wait = Event().wait
    signs = archive.follow(places, wait)
    try:
        next(signs)
        _tell(_sync_in_turn(archive, places, wait), as_json=as_json)
        click.echo("watching; Ctrl-C ends it", err=True)
        sys.stdout.flush()
        for _ in signs:
            while _sync_change(archive, places, wait, as_json=as_json).sessions_deferred:
                wait(DEFERRED_PAUSE)
    except KeyboardInterrupt:
        return


def _sync_change(archive: Archive, places: list[Path], wait: Wait, *, as_json: bool) -> SyncReport:
    report = _sync_in_turn(archive, places, wait, may_defer=True)
    _tell_change(report, as_json=as_json)
    return report


def _sync_in_turn(
    archive: Archive, places: list[Path], wait: Wait, *, may_defer: bool = False
) -> SyncReport:
    """Sync once nobody else writes."""
    while True:
        try:
            return run_sync(archive, places, is_quiet=may_defer, may_defer=may_defer)
        except ArchiveBusyError:
            wait(_TURN_SECONDS)


def _tell_change(report: SyncReport, *, as_json: bool) -> None:
    if as_json:
        write_json(report)
    elif told := describe_change(report):
        clock = dt.datetime.now().astimezone()
        click.echo(f"{clock:%H:%M:%S}  {told}")
        _tell_errors(report)
    sys.stdout.flush()


class _SyncBar:
    """A bar on stderr, from the moment when there is enough to do."""

    def __init__(self, least: int) -> None:
        self._least = least
        self._started = time.monotonic()
        self._bar: Bar | None = None

    def move(self, progress: SyncProgress) -> None:
        """Show how far it is."""
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
        """Take the bar off the screen."""
        if self._bar is not None:
            self._bar.stop()

    def _is_worth_it(self, progress: SyncProgress) -> bool:
        is_long = time.monotonic() - self._started > _QUIET_SECONDS
        return is_long or progress.total_bytes >= self._least

    def _start(self) -> Bar:
        console = Console(stderr=True)
        columns: list[ProgressColumn] = [TextColumn("Keeping"), BarColumn()]
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
