"""`clew archive`: what is kept, verified by hash, restored byte for byte."""

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from clew.archive import Archive, NoArchiveError, open_archive
from clew.cli.options import json_option, output_option, overwrite_option, root_option
from clew.cli.output import make_console, progress, write_json
from clew.cli.refresh import fresh_archive, no_sync_option
from clew.cli.session_table import id_width, last_part, when
from clew.cli.table import Column, print_table
from clew.cli.text import size, visible
from clew.figures import plural
from clew.source import to_text
from clew.store import CLEANUP_DAYS, ArchiveStatus, ExpiringSession, RestoredFile

_FOUND_DAMAGE: Final = 4
_FEW: Final = 20
_DATABASE_ADVICE: Final = (
    "move archive.db out of the archive's folder and run `clew sync`: it is made again from the "
    "kept files"
)
_HELP: Final = """\
Inspect, verify and restore the archive.

\b
Examples:
  clew archive status                what is kept, and what is deleted soon
  clew archive verify                check every kept file and the database
  clew archive verify --sources      compare with the sources, too
  clew archive restore -o DIR        restore all files, byte for byte
  clew archive restore 3f2a -o DIR   one session's files

\b
Exit codes:
  0  done
  1  a file is there already, or cannot be written
  2  wrong use
  3  nothing is kept, or no such session
  4  `verify` found damage, or `restore` could not restore some files
"""
_STATUS: Final = """\
Say what is kept, how large it is, and what Claude Code deletes within a week.

Claude Code deletes transcripts that nobody wrote to for 30 days, at its next start; its settings
(`cleanupPeriodDays`) may say otherwise, and are not opened: --cleanup-days tells. Whatever it
deletes stays here.
"""
_VERIFY: Final = """\
Check every kept file, earlier versions too, by its hash, and the database by SQLite's own check.

Damaged files are recorded: the next `clew sync` repairs those whose source still exists. A damaged
database can be made again from the kept files.
"""
_RESTORE: Final = """\
Restore kept files as they were, with their times, below a folder: all of them, or some sessions'.

Nothing is written when a file is there already, unless --overwrite is given. Files of several roots
come into a folder each. Files that are damaged or cannot be written are listed at the end; all
others are restored.
"""


@click.group("archive", help=_HELP)
def command() -> None:
    """Group the commands on kept bytes."""


@command.command("status", help=_STATUS, short_help="What is kept, and what is deleted soon.")
@click.option(
    "--cleanup-days",
    type=click.IntRange(min=0),
    default=CLEANUP_DAYS,
    show_default=True,
    metavar="N",
    help="After how many days Claude Code deletes.",
)
@root_option
@no_sync_option
@json_option
def status(cleanup_days: int, roots: tuple[Path, ...], *, no_sync: bool, as_json: bool) -> None:
    """Print what is kept."""
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


@command.command("verify", help=_VERIFY, short_help="Check every kept file and the database.")
@click.option(
    "--sources", is_flag=True, help="Compare with the source files too, where they still exist."
)
@json_option
def verify(*, sources: bool, as_json: bool) -> None:
    """Verify kept files and the database."""
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
            click.echo(f"damaged: {visible(item['path'])}: {visible(item['fault'])}", err=True)
        _report_database(wrong)
        whole = files - len(faults)
        click.echo(f"{whole:,} of {plural(files, 'file')} intact, {size(verified)} verified")
    if faults or wrong:
        raise click.exceptions.Exit(_FOUND_DAMAGE)


@command.command("restore", help=_RESTORE, short_help="Restore kept files, byte for byte.")
@click.argument("sessions", nargs=-1, metavar="[SESSION]...")
@output_option
@overwrite_option
@click.option(
    "--earlier", is_flag=True, help="Earlier versions of rewritten files too, as NAME.g1."
)
@json_option
def restore(
    sessions: tuple[str, ...], output: Path, *, overwrite: bool, earlier: bool, as_json: bool
) -> None:
    """Write kept files."""
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
        click.echo(f"{plural(files, 'file')} restored to {visible(str(output))}, {size(written)}")
        for file in faulty:
            click.echo(f"not restored: {_shown(file.path)}: {visible(file.fault)}", err=True)
        _report_database(wrong)
    if faulty or wrong:
        raise click.exceptions.Exit(_FOUND_DAMAGE)


def _shown(path: Path) -> str:
    return visible(to_text(str(path)))


def _report_database(faults: list[str]) -> None:
    """Say what is wrong with the database, and what to do."""
    for fault in faults[:_FEW]:
        click.echo(f"damaged: archive.db: {visible(fault)}", err=True)
    if faults:
        click.echo(f"clew: the database is damaged; {_DATABASE_ADVICE}", err=True)


def _count_bytes(archive: Archive, sessions: Sequence[str]) -> int:
    """Count what is kept of some sessions, or of all; there must be something."""
    kept = archive.archived_files(sessions)
    if not kept:
        raise NoArchiveError(archive.home.folder)
    return sum(file.kept_bytes for file in kept)


def _describe(found: ArchiveStatus) -> list[str]:
    kept = found.kept_bytes + found.database_bytes
    # Rows and index of few sessions are larger than those: a share tells nothing yet.
    share = f", {kept / found.source_bytes:.0%} of that" if kept < found.source_bytes else ""
    held = f"{plural(found.sessions, 'session')} in {plural(found.files, 'file')}"
    rows = f"{size(found.database_bytes)} of rows and index"
    lines = [
        visible(found.folder),
        f"{held}, {size(found.source_bytes)} at the source",
        f"{size(found.kept_bytes)} of kept bytes and {rows}{share}",
    ]
    if found.vanished_files:
        files = plural(found.vanished_files, "file")
        lines.append(f"{files} gone from the source, {size(found.vanished_bytes)}, kept here")
    if found.earlier_versions:
        lines.append(f"{plural(found.earlier_versions, 'earlier version')} of rewritten files")
    if found.damaged_files:
        files = plural(found.damaged_files, "damaged file")
        lines.append(f"{files}: `clew sync` repairs those whose source exists, as far as it can")
    return [*lines, _describe_clean_up(found)]


def _describe_clean_up(found: ArchiveStatus) -> str:
    rule = f"Claude Code deletes after {plural(found.cleanup_days, 'day')}"
    if not found.expiring:
        return f"{rule}: nothing within a week"
    return f"{rule}: {plural(len(found.expiring), 'session')} within a week, which stay here"


def _print_expiring(expiring: list[ExpiringSession], now: dt.datetime) -> None:
    width = id_width(session.session_id for session in expiring)
    columns: list[Column[ExpiringSession]] = [
        Column("deleted", lambda session: _due(session.deleted_at, now), is_number=True),
        Column("session", lambda session: session.session_id[:width]),
        Column("title", lambda session: session.title or "(no title)", takes_rest=True),
        Column("project", lambda session: last_part(session.project), 1),
    ]
    print_table(columns, expiring[:_FEW], make_console(), indent="  ")
    if len(expiring) > _FEW:
        click.echo(f"the first {_FEW}; --json lists all", err=True)


def _due(deleted_at: str, now: dt.datetime) -> str:
    moment = dt.datetime.fromisoformat(deleted_at)
    return "next start" if moment <= now else when(deleted_at, now)
