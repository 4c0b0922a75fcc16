"""Deleted sessions → nothing: their rows at once, their objects when it is safe.

Whoever deletes a session marks it in the table of states; from then on nobody can push to it. A
worker records that in the bucket, so that it can be done again after a restore, and deletes all
that there is of the session.
"""

import datetime as dt
import hashlib
import logging
from typing import Final

import msgspec

from clew.clock import format_time
from clew.server.collect import doomed_blob
from clew.server.received import name_blobs
from clew.server.release import StrandedFramesError, give_objects, releasing_frames
from clew.store.blob_names import blob_name
from clew.store.location import translate_errors
from clew.store.objects import Objects, open_objects
from clew.store.ownership import find_related_sessions, resolve_ownership
from clew.store.postgres.database import PostgresDatabase, open_owner_database
from clew.store.postgres.team import TeamDatabase, open_team
from clew.store.postgres_location import PostgresLocation

_log: Final = logging.getLogger(__name__)
_RECORDS: Final = "deletions/"
_MOST: Final = 20
_PURGES: Final = (
    "purge_archived",
    "purge_digest",
    "purge_notes",
    "purge_received",
    "end_share_links",
    "finish_purge",
)


class DeletionRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A deletion as it is recorded in the bucket; members are named, since numbers may change."""

    organisation: str
    member: str
    session_id: str
    tier: str
    deleted_at: dt.datetime
    deleted_by: str | None = None
    may_return: bool = False


def purge_deleted(location: PostgresLocation) -> int:
    """Delete what there is of some deleted sessions; return how many there were."""
    with open_team(location) as team:
        found = team.rows("sessions_to_purge", {"most": _MOST})
    for owner, session_id in found:
        purge_session(location, owner, session_id)
    return len(found)


def purge_session(location: PostgresLocation, owner: int, session_id: str) -> bool:
    """Delete all that there is of a deleted session; return whether it is deleted, and not held."""
    values = {"owner": owner, "session": session_id}
    database = open_owner_database(location.database_url, owner)
    try:
        team = TeamDatabase(database.connection)
        facts = team.record("deletion_facts", values)
        if facts is None:
            return False
        _record(open_objects(location.blobs), msgspec.convert(facts, DeletionRecord, strict=False))
        own = msgspec.structs.replace(location, owner=owner, scopes=None)
        is_deleted = _purge(own, database, team, session_id)
    finally:
        database.close()
    if is_deleted:
        _log.info("session %s of member %d: deleted", session_id, owner)
    return is_deleted


def _purge(
    location: PostgresLocation, database: PostgresDatabase, team: TeamDatabase, session_id: str
) -> bool:
    """Delete all rows of a session in one transaction, again if other files need its bytes."""
    values = {"owner": database.owner, "session": session_id}
    while True:
        try:
            with database.transaction():
                if team.record("hold_deleted", values) is None:
                    return False
                frames = [row[0] for row in team.rows("frames_of_session", values)]
                with releasing_frames(team, frames):
                    _purge_rows(database, session_id)
                    _doom_blobs(team, database.owner, session_id)
                    for name in _PURGES:
                        team.run(name, values)
        except StrandedFramesError as error:
            give_objects(location, team, error.frames)
        else:
            return True


def replay_deletions(location: PostgresLocation) -> int:
    """Delete sessions again whose deletion is recorded in the bucket; return how many.

    A session that has grown after its deletion is one that its owner has pushed again.
    """
    objects = open_objects(location.blobs)
    count = 0
    with translate_errors(location), open_team(location) as team:
        for key in objects.keys(_RECORDS):
            record = msgspec.json.decode(objects.get(key), type=DeletionRecord)
            values = {**msgspec.structs.asdict(record), "session": record.session_id}
            count += team.run("restore_deletion", values)
    return count


def _purge_rows(database: PostgresDatabase, session_id: str) -> None:
    """Delete the rows of a session, whose answers may belong to others of its owner now."""
    related = find_related_sessions(database, [session_id])
    database.delete_session(session_id)
    resolve_ownership(database, sorted(related))


def _doom_blobs(team: TeamDatabase, owner: int, session_id: str) -> None:
    rows = team.rows("archived_blobs", {"owner": owner, "session": session_id})
    names = {blob_name(root, path, number, place) for _, root, path, place, number in rows}
    names.update(name_blobs(team, owner, session_id))
    team.run("doom_objects", {"paths": [doomed_blob(owner, name) for name in sorted(names)]})


def _record(objects: Objects, record: DeletionRecord) -> None:
    """Record a deletion in the bucket; doing it twice records it once."""
    name = hashlib.sha256(f"{record.member}\0{record.session_id}".encode()).hexdigest()[:32]
    moment = format_time(record.deleted_at).replace(":", "")
    objects.put(f"{_RECORDS}{name}-{moment}.json", msgspec.json.encode(record))
