"""The implementations that the contract suites run on.

A second one is one more entry of `BACKENDS`: everything else in the suites goes through protocols.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import msgspec

from clew.conversation import build
from clew.sessions import gather, group_sessions
from clew.source import discover
from clew.store import (
    ArchiveReader,
    Blobs,
    FolderBlobs,
    Home,
    SearchIndex,
    open_any_version,
)
from clew.store.location import blobs_of, open_index_for_writing
from clew.store.ownership import find_related_sessions, resolve_ownership
from clew.store.postgres_location import PostgresLocation
from clew.store.rows import SessionRows, material_rows, to_rows
from clew.store.sqlite import FullTextIndex, SqliteDatabase, open_for_writing
from tests.build import SessionBuilder


class Backend(Protocol):
    """One implementation, in a place of its own that is empty at first."""

    def writer(self, owner: int = 0) -> SearchIndex:
        """Open the index and the database behind it for writing what an owner has."""

    def reader(self) -> ArchiveReader:
        """Open the archive for reading; it has been written to."""

    def blobs(self) -> Blobs:
        """Open the blobs."""


class LocalBackend:
    """SQLite, FTS5 and a folder."""

    def __init__(self, folder: Path) -> None:
        self.home = Home(folder)

    def writer(self, owner: int = 0) -> SearchIndex:
        """Open the database."""
        return FullTextIndex(SqliteDatabase(open_for_writing(self.home.database), owner))

    def reader(self) -> ArchiveReader:
        """Open the archive."""
        return open_any_version(self.home)

    def blobs(self) -> Blobs:
        """Open the folder."""
        return FolderBlobs(self.home.blobs)


class TeamBackend:
    """PostgreSQL and a bucket."""

    def __init__(self, url: str, bucket: str) -> None:
        self.location = PostgresLocation(url, bucket)

    def writer(self, owner: int = 0) -> SearchIndex:
        """Open the database."""
        return open_index_for_writing(msgspec.structs.replace(self.location, owner=owner))

    def reader(self) -> ArchiveReader:
        """Open the archive."""
        return open_any_version(self.location)

    def blobs(self) -> Blobs:
        """Open the bucket."""
        return blobs_of(self.location)


@contextmanager
def writing(backend: Backend, owner: int = 0) -> Iterator[SearchIndex]:
    """Open a backend for writing, and close it at the end."""
    index = backend.writer(owner)
    try:
        yield index
    finally:
        index.database.close()


@contextmanager
def reading(backend: Backend) -> Iterator[ArchiveReader]:
    """Open a backend for reading, and close it at the end."""
    reader = backend.reader()
    try:
        yield reader
    finally:
        reader.close()


def rows_of(session: SessionBuilder, folder: Path) -> SessionRows:
    """Derive the rows of a session."""
    session.write(folder)
    [files] = [
        found
        for found in group_sessions(discover(folder).files)
        if found.session_id == session.session_id
    ]
    material = gather(files)
    return to_rows(material_rows(material), build(material))


def write_sessions(index: SearchIndex, sessions: Iterable[SessionRows]) -> None:
    """Write sessions one after the other, each in a transaction, as a sync does."""
    for rows in sessions:
        with index.database.transaction():
            related = find_related_sessions(index.database, [rows.session_id])
            index.database.write_session(rows)
            resolve_ownership(index.database, sorted([rows.session_id, *related]))
