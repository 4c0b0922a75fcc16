"""A claimed session → archived files and rows, all in one transaction.

Rows are those that a sync of the same files makes: the same code derives them.
"""

from typing import Final

import msgspec

from clew.clock import format_time
from clew.collector import without_collector
from clew.protocol import Tier
from clew.server.collect import doomed_blob
from clew.server.place import FramePlacer, PlacedFile
from clew.server.queue import ClaimedSession, finish, hold
from clew.server.received import read_plans
from clew.server.release import StrandedFramesError, give_objects, releasing_frames
from clew.store.archived_files import insert_frames, load_session_files
from clew.store.blobs import DamagedBlobError
from clew.store.damage import BlobDamage, save_damage
from clew.store.derive import Derived, derive
from clew.store.location import blobs_of
from clew.store.objects import open_objects
from clew.store.ownership import find_related_sessions, resolve_ownership
from clew.store.postgres.database import PostgresDatabase, open_owner_database
from clew.store.postgres.known_words import WordMemory
from clew.store.postgres.team import TeamDatabase
from clew.store.postgres_location import PostgresLocation
from clew.store.pricing import has_current_prices, price_again

_NOT_STORED: Final = ("id", "state")


class DerivedSession(msgspec.Struct, frozen=True):
    """What became of a session: how long its files are, and how many rows they gave."""

    bytes_read: int
    bytes_placed: int
    rows_written: int


def derive_session(
    location: PostgresLocation, session: ClaimedSession, memory: WordMemory | None = None
) -> DerivedSession:
    """Archive what was pushed of a session and write its rows; all of it counts, or nothing does.

    `memory` is what a worker remembers from one session to the next.

    Raises:
        LostFramesError: Some of what was pushed is nowhere.
        LostClaimError: Another worker has the session by now.
    """
    own = msgspec.structs.replace(location, owner=session.owner, scopes=None)
    database = open_owner_database(own.database_url, own.owner, memory)
    try:
        _update_prices(database)
        with without_collector():
            try:
                return _derive(own, database, session)
            except DamagedBlobError as error:
                _record_damage(database, session, error)
                # Most of it is there, and the rest may have been sent again.
                return _derive(own, database, session)
            except StrandedFramesError as error:
                give_objects(own, TeamDatabase(database.connection), error.frames)
                return _derive(own, database, session)
    finally:
        database.close()


def _record_damage(
    database: PostgresDatabase, session: ClaimedSession, error: DamagedBlobError
) -> None:
    """Remember which archived file has to be made again."""
    files = load_session_files(database, session.session_id)
    found = [
        BlobDamage(file.id, generation, error.reason)
        for file in files
        for generation in range(1, file.generation + 1)
        if file.blob_of(generation) == error.name
    ]
    with database.transaction():
        save_damage(database, found)


def _derive(
    location: PostgresLocation, database: PostgresDatabase, session: ClaimedSession
) -> DerivedSession:
    team = TeamDatabase(database.connection)
    blobs = blobs_of(location)
    placer = FramePlacer(team, open_objects(location.blobs), blobs)
    placed = placer.place(read_plans(database, session.session_id))
    contents = [file.content for file in placed]
    derived = derive(session.session_id, contents, blobs, location.limits)
    with database.transaction():
        scope = hold(team, session)
        (now,) = team.rows("server_now")[0]
        is_less = [_write_file(database, file, format_time(now)) for file in placed]
        _update_digest(team, session, scope, is_less=any(is_less))
        rows = _write_rows(database, derived, scope)
        finish(team, session)
    new = [frame for file in placed for frames in file.added.values() for frame in frames]
    _doom_uploads(team, placed)
    return DerivedSession(
        bytes_read=sum(file.plan.known.kept_bytes for file in placed),
        bytes_placed=sum(frame.size_bytes for frame in new),
        rows_written=rows,
    )


def _update_prices(database: PostgresDatabase) -> None:
    """Price the calls of a member again if their costs rest on other prices."""
    if not has_current_prices(database):
        with database.transaction():
            price_again(database)


def _update_digest(
    team: TeamDatabase, session: ClaimedSession, scope: int, *, is_less: bool
) -> None:
    """Let a digest be seen where its session is; forget what quotes bytes that may not stay."""
    values = session.values(scope_id=scope)
    (tier,) = team.rows("session_tier", values)[0]
    if is_less or tier == Tier.STRUCTURE:
        team.run("forget_digest", values)
    else:
        team.run("move_digest", values)


def _write_file(database: PostgresDatabase, file: PlacedFile, now: str) -> bool:
    """Remember how far a file is archived; return whether less of it than before may stay."""
    known = file.plan.known
    team = TeamDatabase(database.connection)
    values = {
        name: value
        for name, value in msgspec.structs.asdict(known).items()
        if name not in _NOT_STORED
    }
    stored = {**values, "kind": str(known.kind), "first_seen_at": now}
    file_id = int(next(database.rows("upsert_file", stored))[0])
    for generation, frames in file.added.items():
        if generation in file.replaced:
            blob = {"file_id": file_id, "generation": generation}
            database.run("delete_frames", blob)
            database.run("delete_damage", blob)
            team.run("unseal_file", {"id": file.plan.received.id})
        insert_frames(database, file_id, generation, frames)
    if file.plan.keeps_generations:
        return False
    return _purge_generations(team, file, file_id, database.owner)


def _purge_generations(team: TeamDatabase, file: PlacedFile, file_id: int, owner: int) -> bool:
    """Delete all generations of a file but the present one; return whether less is there to read.

    Their objects go later on. Those of a session that is held stay until it is released.
    """
    known = file.plan.known
    values = {
        "file_id": file_id,
        "received_id": file.plan.received.id,
        "generation": known.generation,
    }
    older = [known.blob_of(row[0]) for row in team.rows("older_generations", values)]
    (is_held,) = team.rows("is_held", {"owner": owner, "session": known.session_id})[0]
    if is_held:
        return bool(older) and known.generation in file.added
    frames = [row[0] for row in team.rows("older_frames", values)]
    with releasing_frames(team, frames):
        team.run("doom_objects", {"paths": [doomed_blob(owner, name) for name in older]})
        team.run("purge_older_frames", values)
        team.run("purge_older_received", values)
    return bool(older)


def _write_rows(database: PostgresDatabase, derived: Derived, scope: int) -> int:
    """Write the rows of a session, and decide between it and others of its owner."""
    rows = derived.rows
    related = find_related_sessions(database, [rows.session_id])
    if rows.tables["entry"]:
        written = database.write_session(rows, scope)
    else:
        written = 0
        database.delete_session(rows.session_id)
    resolve_ownership(database, sorted({rows.session_id, *related}))
    return written


def _doom_uploads(team: TeamDatabase, placed: list[PlacedFile]) -> None:
    """Delete the objects of archived frames later on."""
    ids = {
        frame.id
        for file in placed
        for blob in file.plan.blobs
        if blob.is_changed
        for frame in blob.received
    }
    if ids:
        team.run("doom_archived_uploads", {"ids": sorted(ids)})
