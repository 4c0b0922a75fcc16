"""`clew archive`: inspect, verify and restore the archive."""

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from clew.archive import Archive, NoArchiveError, open_archive
from clew.cli.archive_copy import copy
from clew.cli.options import (
    archive_option,
    json_option,
    output_option,
    overwrite_option,
    root_option,
)
from clew.cli.output import make_console, progress, write_json
from clew.cli.refresh import fresh_archive, no_sync_option
from clew.cli.session_table import id_width, project_name, when
from clew.cli.table import Column, print_table
from clew.cli.text import size, visible
from clew.figures import plural
from clew.source import to_text
from clew.store import CLEANUP_DAYS, ArchiveStatus, ExpiringSession, RestoredFile

_FOUND_DAMAGE: Final = 4
_FEW: Final = 20
_DATABASE_ADVICE: Final = (
    "move archive.db out of the archive's directory and run `clew sync` to rebuild it from the "
    "archived files"
)
_HELP: Final = """\
Inspect, verify, restore and copy the archive.

\b
Examples:
  clew archive status                show size and content
  clew archive verify                verify all files and the database
  clew archive verify --sources      also compare with the source files
  clew archive restore -o DIR        restore all files
  clew archive restore 3f2a -o DIR   restore the files of one session
  clew archive copy --to DIR         copy it into another archive

\b
Exit codes:
  0  success
  1  a file already exists, or cannot be written
  2  usage error
  3  no archive, or no such session
  4  `verify` found damage, or some files could not be restored or copied
"""
_STATUS: Final = """\
Show the archive's size and content, and which sessions Claude Code deletes within a week.

When it starts, Claude Code deletes transcripts that have not changed for 30 days, or for
`cleanupPeriodDays` in its settings. clew does not read those settings: set --cleanup-days to match.
Deleted transcripts stay in the archive.
"""
_VERIFY: Final = """\
Verify the checksum of every archived file, earlier versions included, and the database.

The next `clew sync` repairs damaged files whose source still exists. A damaged database can be
rebuilt from the archived files.
"""
_RESTORE: Final = """\
Restore archived files to a directory, byte for byte, with their times.

Restores the files of the given sessions, or all files. If a file already exists, nothing is written
unless you use --overwrite. Files of different roots go to different subdirectories. Files that are
damaged or cannot be written are listed at the end; all others are restored.
"""


@click.group("archive", help=_HELP)
def command() -> None:
    """Group the commands about the archive."""


@command.command("status", help=_STATUS, short_help="Show size, content and sessions deleted soon.")
@click.option(
    "--cleanup-days",
    type=click.IntRange(min=0),
    default=CLEANUP_DAYS,
    show_default=True,
    metavar="N",
    help="Days after which Claude Code deletes transcripts.",
)
@archive_option
@root_option
@no_sync_option
@json_option
def status(cleanup_days: int, roots: tuple[Path, ...], *, no_sync: bool, as_json: bool) -> None:
    """Print the status."""
    now = dt.datetime.now().astimezone()
    with fresh_archive(roots, no_sync=no_sync) as archive:
        found = archive.status(now, cleanup_days)
    if as_json:
        write_json(found)
        return
    for line in _describe(found):
        click.echo(line)
    if found.expiring:
        _print_expiring(found.expiring, now)


@command.command("verify", help=_VERIFY, short_help="Verify all files and the database.")
@click.option(
    "--sources", is_flag=True, help="Also compare with the source files that still exist."
)
@archive_option
@json_option
def verify(*, sources: bool, as_json: bool) -> None:
    """Verify archived files and the database."""
    faults = []
    files = verified = 0
    with open_archive() as archive:
        total = _count_bytes(archive, ())
        with progress("Verifying", total) as advance:
            for found in archive.verify(sources=sources):
                advance(found.file.kept_bytes)
                files += 1
                verified += 0 if found.fault else found.file.kept_bytes
                if found.fault:
                    names = {"root": found.file.root, "path": found.file.path}
                    faults.append({**names, "fault": found.fault})
        wrong = archive.verify_database()
    if as_json:
        found_all = {"schema": "clew.verify/1", "files": files, "bytes": verified}
        write_json({**found_all, "faults": faults, "database_faults": wrong})
    else:
        for item in faults:
            click.echo(
                f"clew: damaged: {visible(item['path'])}: {visible(item['fault'])}", err=True
            )
        _report_database(wrong)
        whole = files - len(faults)
        click.echo(f"Verified {size(verified)}: {whole:,} of {plural(files, 'file')} intact")
    if faults or wrong:
        raise click.exceptions.Exit(_FOUND_DAMAGE)


@command.command("restore", help=_RESTORE, short_help="Restore archived files.")
@click.argument("sessions", nargs=-1, metavar="[SESSION]...")
@output_option
@overwrite_option
@click.option(
    "--earlier", is_flag=True, help="Also restore earlier versions of rewritten files, as NAME.g1."
)
@archive_option
@json_option
def restore(
    sessions: tuple[str, ...], output: Path, *, overwrite: bool, earlier: bool, as_json: bool
) -> None:
    """Restore archived files."""
    done: list[RestoredFile] = []
    with open_archive() as archive:
        total = _count_bytes(archive, sessions)
        wrong = archive.verify_database(kept_only=True)
        with progress("Restoring", total) as advance:
            for file in archive.restore(
                output, sessions=sessions, overwrite=overwrite, earlier=earlier
            ):
                advance(file.size_bytes)
                done.append(file)
    faulty = [file for file in done if file.fault]
    files = len(done) - len(faulty)
    written = sum(file.size_bytes for file in done)
    if as_json:
        found = {"schema": "clew.restore/1", "folder": str(output), "files": files}
        faults = [{"path": to_text(str(file.path)), "fault": file.fault} for file in faulty]
        write_json({**found, "bytes": written, "faults": faults, "database_faults": wrong})
    else:
        restored = f"{plural(files, 'file')} ({size(written)})"
        click.echo(f"Restored {restored} to {visible(str(output))}")
        for file in faulty:
            click.echo(f"clew: not restored: {_shown(file.path)}: {visible(file.fault)}", err=True)
        _report_database(wrong)
    if faulty or wrong:
        raise click.exceptions.Exit(_FOUND_DAMAGE)


command.add_command(copy)


def _shown(path: Path) -> str:
    return visible(to_text(str(path)))


def _report_database(faults: list[str]) -> None:
    """Report a damaged database, and what to do."""
    for fault in faults[:_FEW]:
        click.echo(f"clew: damaged: archive.db: {visible(fault)}", err=True)
    if faults:
        click.echo(f"clew: the database is damaged; {_DATABASE_ADVICE}", err=True)


def _count_bytes(archive: Archive, sessions: Sequence[str]) -> int:
    """Count the archived bytes of some sessions, or of all; there must be some."""
    kept = archive.archived_files(sessions)
    if not kept:
        raise NoArchiveError(archive.location.name)
    return sum(file.kept_bytes for file in kept)


def _describe(found: ArchiveStatus) -> list[str]:
    total = found.kept_bytes + found.database_bytes
    source = f"{size(found.source_bytes)} of transcripts"
    # The index of a few sessions is larger than they are: a percentage would mislead.
    share = f"{total / found.source_bytes:.0%} of " if total < found.source_bytes else ""
    is_split = not Path(found.blobs).is_relative_to(found.folder)
    lines = [
        f"Location: {visible(found.folder)}",
        *([f"Blobs: {visible(found.blobs)}"] if is_split else []),
        f"Content: {plural(found.sessions, 'session')}, {plural(found.files, 'file')}",
        f"Archive: {size(total)} ({share}{source})",
        f"  Files: {size(found.kept_bytes)}",
        f"  Database and index: {size(found.database_bytes)}",
    ]
    if found.vanished_files:
        files = plural(found.vanished_files, "file")
        lines.append(f"Only in the archive: {files}, {size(found.vanished_bytes)}")
    if found.earlier_versions:
        lines.append(f"Earlier versions of rewritten files: {found.earlier_versions:,}")
    if found.damaged_files:
        files = plural(found.damaged_files, "file")
        lines.append(f"Damaged: {files}; run `clew sync` to repair those whose source exists")
    return [*lines, _describe_clean_up(found)]


def _describe_clean_up(found: ArchiveStatus) -> str:
    days = plural(found.cleanup_days, "day")
    count = plural(len(found.expiring), "session")
    return f"Claude Code deletes within a week: {count} (unchanged for {days})"


def _print_expiring(expiring: list[ExpiringSession], now: dt.datetime) -> None:
    width = id_width(session.session_id for session in expiring)
    columns: list[Column[ExpiringSession]] = [
        Column("deleted", lambda session: _due(session.deleted_at, now), is_number=True),
        Column("session", lambda session: session.session_id[:width]),
        Column("title", lambda session: session.title or "(no title)", takes_rest=True),
        Column("project", lambda session: project_name(session.project), 1),
    ]
    print_table(columns, expiring[:_FEW], make_console(), indent="  ")
    if len(expiring) > _FEW:
        click.echo(f"Showing {_FEW} of {len(expiring):,} (`--json` for all)", err=True)


def _due(deleted_at: str, now: dt.datetime) -> str:
    moment = dt.datetime.fromisoformat(deleted_at)
    return "next start" if moment <= now else when(deleted_at, now)
