"""The rows that a plain sync makes of what was pushed, to compare a server's rows with."""

import datetime as dt
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import psycopg

from clew.source import discover
from clew.store import sync
from clew.store.archived_files import load_files, load_frames
from clew.store.location import blobs_of, open_index_for_writing
from clew.store.postgres.database import PostgresDatabase
from clew.store.postgres_location import PostgresLocation
from tests.postgres_dump import dump_postgres

_NOW: Final = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)


def server_rows(url: str) -> dict[str, list[Any]]:
    """Return all rows, but for roots, generations and names of blobs; of sessions only."""
    found = dump_postgres(url)
    files = [
        (path, kind, session, size, state, owner)
        for _, path, kind, session, _, size, state, owner in found.pop("file")
        if session is not None
    ]
    transcripts = [
        tuple("" if str(value).endswith(".zst") else value for value in row)
        for row in found.pop("transcript")
    ]
    return {
        **found,
        "file": sorted(files, key=repr),
        "transcript": sorted(transcripts, key=repr),
    }


def synced_rows(
    location: PostgresLocation, clean: PostgresLocation, roots: Mapping[int, Sequence[Path]]
) -> dict[str, list[Any]]:
    """Sync members' folders to an empty archive, as visible as on the server; return its rows.

    The folders are read in the order that their files have on the server.
    """
    copies = Path(clean.blobs).parent / "copies"
    with psycopg.connect(location.database_url) as connection:
        files = connection.execute(
            "SELECT member_id, file, root_id, size_bytes FROM received_file"
        ).fetchall()
        scopes = connection.execute("SELECT owner, session_id, scope_id FROM session_state")
        placed = scopes.fetchall()
    for member, folders in roots.items():
        own = msgspec.structs.replace(clean, owner=member)
        named = [
            copies / str(member) / _root_id(folder, [row[1:] for row in files if row[0] == member])
            for folder in folders
        ]
        for folder, copy in zip(folders, named, strict=True):
            shutil.copytree(folder, copy)
        sync(own, named, now=_NOW)
        database = open_index_for_writing(own).database
        assert isinstance(database, PostgresDatabase)
        with database.transaction():
            for owner, session, scope in placed:
                if owner == member:
                    database.move_session(session, scope)
        database.close()
    return server_rows(clean.database_url)


def archived_files(location: PostgresLocation, member: int) -> dict[tuple[str, str, int], bytes]:
    """Return the archived files of a member by root, path and generation."""
    own = msgspec.structs.replace(location, owner=member)
    database = open_index_for_writing(own).database
    blobs = blobs_of(own)
    try:
        return {
            (file.root, file.path, generation): b"".join(
                blobs.read(file.blob_of(generation), load_frames(database, file.id, generation))
            )
            for file in load_files(database).values()
            for generation in range(1, file.generation + 1)
        }
    finally:
        database.close()


def session_files(root: Path) -> dict[str, bytes]:
    """Return the files below a root that belong to sessions."""
    return {
        file.relative: file.path.read_bytes()
        for file in discover(root).files
        if file.session_id is not None
    }


def _root_id(folder: Path, received: Sequence[tuple[str, str, int]]) -> str:
    """Return the id that a folder's files have on the server: most of them are as long there."""
    own = {path: len(content) for path, content in session_files(folder).items()}
    ids = [root for file, root, size in received if own.get(file) == size]
    return max(set(ids), key=ids.count)
