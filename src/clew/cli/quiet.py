"""Keeping the archive fresh, quietly, before a command reads it."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from clew.archive import Archive, open_archive
from clew.cli.options import no_sync_option
from clew.cli.places import look_in_roots, no_transcripts
from clew.cli.sync import run_sync
from clew.cli.text import visible
from clew.errors import ClewError, NotFoundError
from clew.store import ArchiveBusyError, DiskFullError, NotWritableError, SyncReport

__all__ = ["fresh_archive", "no_sync_option", "refresh"]

_NOTHING_KEPT: Final = "nothing is kept yet; run it without --no-sync"


@contextmanager
def fresh_archive(roots: Iterable[Path], *, no_sync: bool) -> Iterator[Archive]:
    """Open the archive with what is new in it; there must be something.

    Raises:
        NotFoundError: There are no transcripts, and there never were.
    """
    with open_archive() as archive:
        places = refresh(archive, roots, no_sync=no_sync)
        if archive.is_empty:
            raise NotFoundError(_NOTHING_KEPT) if no_sync else no_transcripts(places)
        yield archive


def refresh(archive: Archive, roots: Iterable[Path], *, no_sync: bool) -> list[Path]:
    """Take in what is new, unless told not to; give the places that were looked in.

    A sync that runs elsewhere is no hindrance, and neither is an archive that cannot be written:
    what it holds can still be read, if it holds anything.
    """
    places = list(roots) if no_sync else look_in_roots(roots)
    if no_sync or not places:
        return places
    try:
        _warn(run_sync(archive, places, is_quiet=True))
    except ArchiveBusyError:
        if not _can_be_read(archive):
            raise
    except (DiskFullError, NotWritableError) as error:
        if not _can_be_read(archive):
            raise
        click.echo(f"clew: shown as it was kept: {visible(str(error))}", err=True)
    return places


def _warn(report: SyncReport) -> None:
    """Say that something could not be read: it is not archived, and may be deleted meanwhile."""
    if warning := report.warning():
        click.echo(f"clew: {visible(warning)}", err=True)


def _can_be_read(archive: Archive) -> bool:
    """Tell whether there is anything to show; a half-made archive is none."""
    try:
        return not archive.is_empty
    except ClewError:
        return False
