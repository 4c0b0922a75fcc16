"""Archive: the one object that surfaces share, and how to open it."""

import os
from pathlib import Path

from clew.archive.contents import ArchiveContents
from clew.archive.counts import ArchiveCounts
from clew.archive.lists import ArchiveLists
from clew.archive.notes import ArchiveNotes
from clew.archive.upkeep import ArchiveUpkeep
from clew.settings import choose_archive
from clew.store import ArchiveAddress, Location, find_location


class Archive(ArchiveContents, ArchiveLists, ArchiveCounts, ArchiveNotes, ArchiveUpkeep):
    """One archive: a database, blobs and an index."""


def open_archive(
    archive: "str | os.PathLike[str] | Location | None" = None,
    blobs: str | os.PathLike[str] | None = None,
) -> Archive:
    """Open an archive, by default the one that `clew config` shows.

        with clew.open_archive() as archive:
            archive.sync()
            for session in archive.sessions():
                print(session.ended_at, session.title, session.cost_usd)

    It need not be there yet: the first sync makes it.

    Args:
        archive: A folder, or a `postgresql://` address.
        blobs: Where the files of a `postgresql://` archive are: a folder, or `s3://BUCKET/PREFIX`.

    Raises:
        SettingsError: An address cannot be used, or a setting.
    """
    if archive is not None and not isinstance(archive, str | os.PathLike):
        return Archive(archive)
    given = (os.fspath(archive or ""), os.fspath(blobs or ""))
    choice = choose_archive(os.environ, Path.home(), *given)
    place = "" if choice.blobs is None else choice.blobs.value
    return Archive(find_location(ArchiveAddress(choice.archive.value, place)))
