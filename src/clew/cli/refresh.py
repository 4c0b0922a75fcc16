"""Bring the archive up to date before a command reads it."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from clew.archive import Archive, open_archive
from clew.cli.options import no_sync_option
from clew.cli.search_paths import find_existing_roots, no_transcripts
from clew.cli.sync import run_sync
from clew.cli.text import visible
from clew.errors import ClewError, NotFoundError
from clew.store import ArchiveBusyError, DiskFullError, NotWritableError, SyncReport

__all__ = ["fresh_archive", "no_sync_option", "refresh"]

_EMPTY: Final = "the archive is empty; run the command without --no-sync"


@contextmanager
def fresh_archive(roots: Iterable[Path], *, no_sync: bool) -> Iterator[Archive]:
    """Sync the archive and open it; it must have at least one session.

    Raises:
        NotFoundError: There are no transcripts, and there never were.
    """
    with open_archive() as archive:
        paths = refresh(archive, roots, no_sync=no_sync)
        if archive.is_empty:
            raise NotFoundError(_EMPTY) if no_sync else no_transcripts(paths)
        yield archive


def refresh(archive: Archive, roots: Iterable[Path], *, no_sync: bool) -> list[Path]:
    """Archive new transcripts, unless `no_sync`; give the directories that were searched.

    When another process syncs, or the archive cannot be written, its present content is used.
    """
    paths = list(roots) if no_sync else find_existing_roots(roots)
    if no_sync or not (paths or archive.home.has_lost_database):
        return paths
    try:
        _warn(run_sync(archive, paths, is_quiet=True))
    except ArchiveBusyError:
        if not _is_readable(archive):
            raise
    except (DiskFullError, NotWritableError) as error:
        if not _is_readable(archive):
            raise
        click.echo(
            f"clew: not synced, showing the archive as it is: {visible(str(error))}", err=True
        )
    return paths


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
