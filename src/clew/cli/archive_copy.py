"""`clew archive copy`: copy the archive into another one."""

import time
from contextlib import ExitStack
from typing import Final

import click

from clew.archive import Archive, NoArchiveError, open_archive
from clew.cli.options import archive_option, json_option
from clew.cli.output import progress, write_json
from clew.cli.sync import progress_bar
from clew.cli.text import size, visible
from clew.errors import UsageError
from clew.figures import plural
from clew.settings import is_database
from clew.store import CopyReport, SyncProgress

_FOUND_DAMAGE: Final = 4
_HELP: Final = """\
Copy the archive into another one, byte for byte, and derive its database there.

Copies archived files, earlier versions included, and keeps what else the destination contains.
What the destination already has is not copied again: run the command again to continue after an
interruption, or to add what is new. At the end, it compares the checksums of all files and the
sessions of both archives. The source does not change; run `clew sync` first to copy the latest
transcripts too.

\b
Examples:
  clew archive copy --to /backup/clew
  clew archive copy --to postgresql://clew@db.example.com/clew \\
                    --to-blobs s3://bucket/clew
  clew archive copy --archive postgresql://clew@db.example.com/clew --to DIR

\b
Exit codes:
  0  success
  1  the destination cannot be opened or written
  2  usage error
  3  no archive
  4  some files could not be copied: they are damaged, or differ from those in
     the destination
"""


@click.command("copy", help=_HELP, short_help="Copy the archive into another one.")
@click.option(
    "--to",
    "address",
    required=True,
    metavar="URL",
    help="Destination: a directory or a postgresql:// address.",
)
@click.option(
    "--to-blobs",
    "blobs",
    default="",
    metavar="URL",
    help="Files of a postgresql:// destination: s3://BUCKET/PREFIX or a directory.",
)
@archive_option
@json_option
def copy(address: str, blobs: str, *, as_json: bool) -> None:
    """Copy the archive."""
    _require_place(address, blobs)
    started = time.monotonic()
    with open_archive() as source, open_archive(address, blobs) as destination:
        report = _copy(source, destination)
    report.seconds = round(time.monotonic() - started, 3)
    if as_json:
        write_json(report)
    else:
        _print(report)
    if report.faults:
        raise click.exceptions.Exit(_FOUND_DAMAGE)


def _require_place(address: str, blobs: str) -> None:
    """Require blobs for a database, and for nothing else: those of the source are not meant."""
    if not address:
        raise click.BadParameter("the address is empty", param_hint="'--to'")
    if is_database(address) and not blobs:
        raise UsageError("--to-blobs is missing: use s3://BUCKET/PREFIX or a directory")
    if blobs and not is_database(address):
        raise UsageError(
            "an archive in a directory keeps its files there; remove --to-blobs, or copy to a "
            "postgresql:// address"
        )


def _copy(source: Archive, destination: Archive) -> CopyReport:
    kept = source.archived_files()
    if not kept:
        raise NoArchiveError(source.location.name)
    total = sum(file.kept_bytes for file in kept)
    with ExitStack() as copying, progress_bar("Archiving") as show:
        advance = copying.enter_context(progress("Copying", total))

        def on_progress(derived: SyncProgress) -> None:
            # One bar follows the other.
            copying.close()
            show(derived)

        return source.copy_to(destination, on_copied=advance, on_progress=on_progress)


def _print(report: CopyReport) -> None:
    copied = f"{report.files_copied:,} of {plural(report.files, 'file')}"
    there = report.files - report.files_copied - sum(bool(each.path) for each in report.faults)
    already = f"; {there:,} already there" if there > 0 else ""
    click.echo(
        f"Copied {copied} ({size(report.bytes_copied)}) to {visible(report.destination)}{already}"
    )
    sessions = f"{report.sessions_written:,} of {plural(report.sessions, 'session')}"
    click.echo(f"Updated {sessions} in {report.seconds:.1f} s")
    for fault in report.faults:
        path = f"{visible(fault.path)}: " if fault.path else ""
        click.echo(f"clew: not copied: {path}{visible(fault.fault)}", err=True)
