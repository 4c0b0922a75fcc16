"""`clew push`: send what may leave to a team server."""

import datetime as dt
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Final

import click

from clew.analytics import FilterSet
from clew.api import absolute_path
from clew.archive import Archive, open_archive
from clew.cli.options import archive_option, json_option, no_sync_option, root_option
from clew.cli.output import make_console, write_json
from clew.cli.search_paths import paths_or_roots
from clew.cli.sync import progress_bar, run_sync
from clew.cli.table import Column, print_table
from clew.cli.text import size, visible
from clew.errors import UsageError
from clew.figures import plural
from clew.store import ArchiveBusyError, SyncProgress

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from clew.push import OnPushProgress, PushItem, PushReport, ServerLogin

_TROUBLE_SECONDS: Final = 15.0
_HELP: Final = """\
Send new parts of your sessions to a team server.

Archives new transcripts first, then sends what the server lacks, of projects for which you have
allowed it with `clew consent`, and nothing else. An interrupted push continues where it was. While
the server is out of reach nothing is lost: the archive has it until the next push.

\b
Examples:
  clew push                    push all projects that may leave
  clew push --dry-run          list what would leave; send nothing
  clew push --project my-app   push one project
  clew push --watch            keep pushing as sessions grow, until Ctrl-C

\b
Exit codes:
  0  success, also if there was nothing to push
  1  not logged in, the server is out of reach or refuses, or some files were
     not pushed
  2  usage error
  3  no transcripts found
"""


@click.command("push", help=_HELP)
@click.option("--dry-run", is_flag=True, help="List what would leave; send nothing.")
@click.option("--project", metavar="TEXT", help="Only this project: a path, or part of one.")
@click.option("--server", metavar="URL", default="", help="Use this server, not the default one.")
@click.option("--watch", is_flag=True, help="Keep pushing as transcripts change, until Ctrl-C.")
@click.option("--background", is_flag=True, hidden=True, help="Do nothing if not logged in.")
@click.option("--ended", multiple=True, hidden=True, help="A session that was closed.")
@no_sync_option
@archive_option
@root_option
@json_option
def command(  # noqa: PLR0913 (one parameter for each option)
    project: str | None,
    server: str,
    ended: tuple[str, ...],
    roots: tuple[Path, ...],
    *,
    dry_run: bool,
    watch: bool,
    background: bool,
    no_sync: bool,
    as_json: bool,
) -> None:
    """Push, and print a report."""
    from clew.push import Logins, find_push_files

    if watch and (dry_run or no_sync):
        raise UsageError("--watch cannot be combined with --dry-run or --no-sync")
    with open_archive() as archive:
        logins = Logins(find_push_files(archive.location))
        if background and not logins.all():
            return
        login = logins.find(server)
        paths = [] if no_sync or background else paths_or_roots((), roots)
        if watch:
            _watch(archive, login, paths, project, as_json=as_json)
            return
        if paths:
            _sync(archive, paths)
        report = _push(archive, login, project, ended, dry_run=dry_run)
    _print(report, as_json=as_json)
    if report.problems:
        raise click.exceptions.Exit(1)


def _push(
    archive: Archive,
    login: "ServerLogin",
    project: str | None,
    ended: "Collection[str]" = (),
    *,
    dry_run: bool = False,
) -> "PushReport":
    from clew.push import preview_push, push

    started = time.monotonic()
    wanted = None
    if project is not None:
        wanted = archive.matching_sessions(FilterSet(project=absolute_path(project)))
    if dry_run:
        report = preview_push(archive, login, wanted=wanted)
    else:
        with _bar() as on_progress:
            report = push(archive, login, wanted=wanted, ended=ended, on_progress=on_progress)
    report.seconds = round(time.monotonic() - started, 3)
    return report


def _sync(archive: Archive, paths: list[Path]) -> None:
    """Archive what is new; what another process is archiving is pushed the next time."""
    try:
        report = run_sync(archive, paths, is_quiet=True)
    except ArchiveBusyError:
        return
    for error in report.errors:
        click.echo(f"clew: skipped: {visible(error)}", err=True)


@contextmanager
def _bar() -> "Iterator[OnPushProgress]":
    """Show a progress bar, if it takes long."""
    with progress_bar("Pushing", 1 << 20) as show:
        yield lambda done: show(SyncProgress(done.total_bytes, done.done_bytes, done.sessions))


def _watch(
    archive: Archive, login: "ServerLogin", paths: list[Path], project: str | None, *, as_json: bool
) -> None:
    """Push whenever something changes; Ctrl-C stops it, and is no error."""
    from clew.push import PushBusyError, ServerUnreachableError

    wait = Event().wait
    trouble = ""
    try:
        for number, _ in enumerate(archive.follow(paths, wait)):
            _sync(archive, paths)
            while True:
                try:
                    report = _push(archive, login, project)
                except (PushBusyError, ServerUnreachableError) as error:
                    if str(error) != trouble:
                        trouble = str(error)
                        click.echo(f"clew: not pushed, trying again: {visible(trouble)}", err=True)
                    wait(_TROUBLE_SECONDS)
                    continue
                trouble = ""
                break
            _print_change(report, as_json=as_json)
            if number == 0:
                click.echo("Watching for changes (Ctrl-C to stop)", err=True)
            sys.stdout.flush()
    except KeyboardInterrupt:
        return


def _print_change(report: "PushReport", *, as_json: bool) -> None:
    if as_json:
        write_json(report)
    elif report.files:
        clock = dt.datetime.now().astimezone()
        click.echo(f"{clock:%H:%M:%S}  {_describe(report)}")
    _print_problems(report)


def _print(report: "PushReport", *, as_json: bool) -> None:
    if as_json:
        write_json(report)
        return
    if report.is_dry_run:
        _print_items(report.items)
    click.echo(_describe(report))
    for held in report.held_back:
        count = plural(held.sessions, "session")
        click.echo(f"Not sent: {count} of {visible(held.project)}: {visible(held.reason)}")
    for note in report.notes:
        click.echo(f"Note: {visible(note)}")
    _print_problems(report)


def _print_problems(report: "PushReport") -> None:
    for problem in report.problems:
        text = f"clew: not pushed: {visible(problem.path)}: {visible(problem.reason)}"
        click.echo(text, err=True)


def _describe(report: "PushReport") -> str:
    if not report.files:
        if not report.projects:
            return "Nothing to push: no project may leave; `clew consent` shows and sets that"
        return "Nothing new to push"
    files = f"{plural(report.files, 'file')} of {plural(report.sessions, 'session')}"
    frames = f"{plural(report.frames, 'frame')}, {size(report.bytes)}"
    if report.is_dry_run:
        return f"Would push {files} to {visible(report.server)}: {frames} before compression"
    sent = f"{frames}, {size(report.packed_bytes)} compressed"
    return f"Pushed {files} to {visible(report.server)}: {sent}, {report.seconds:.1f} s"


def _print_items(items: "list[PushItem]") -> None:
    columns: list[Column[PushItem]] = [
        Column("tier", lambda item: item.tier),
        Column("session", lambda item: item.session_id[:8]),
        Column("file", lambda item: item.path, takes_rest=True, is_path=True),
        Column("frames", lambda item: f"{item.frames:,}", is_number=True),
        Column("size", lambda item: size(item.bytes), is_number=True),
    ]
    if items:
        print_table(columns, items, make_console())
