"""Keeping the archive fresh, quietly, before a command reads it."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from clew.archive import Archive, open_archive
from clew.cli.options import no_sync_option
from clew.cli.places import no_transcripts
from clew.cli.sync import run_sync
from clew.cli.text import visible
from clew.source import find_roots
from clew.store import ArchiveBusyError, DiskFullError, NotWritableError

__all__ = ["fresh_archive", "no_sync_option", "refresh"]


@contextmanager
def fresh_archive(roots: Iterable[Path], *, no_sync: bool) -> Iterator[Archive]:
    """Open the archive with what is new in it; there must be something.

    Raises:
        NotFoundError: There are no transcripts, and there never were.
    """
    with open_archive() as archive:
        places = refresh(archive, roots, no_sync=no_sync)
        if not archive.exists or not archive.reader.has_sessions():
            raise no_transcripts(places)
        yield archive


def refresh(archive: Archive, roots: Iterable[Path], *, no_sync: bool) -> list[Path]:
    """Take in what is new, unless told not to; give the places that were looked in.

    A sync that runs elsewhere is no hindrance, and neither is an archive that cannot be written:
    what it holds can still be read.
    """
    places = find_roots(os.environ, Path.home(), roots)
    if no_sync or not places:
        return places
    try:
        run_sync(archive, places, is_quiet=True)
    except ArchiveBusyError:
        if not archive.exists:
            raise
    except (DiskFullError, NotWritableError) as error:
        if not archive.exists:
            raise
        click.echo(f"clew: shown as it was kept: {visible(str(error))}", err=True)
    return places
