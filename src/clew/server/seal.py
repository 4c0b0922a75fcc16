"""Archived files that nobody pushes to any longer → one object each."""

from typing import Final

import msgspec

from clew.store.archived_files import ArchivedFile, find_files, load_frames
from clew.store.blobs import DamagedBlobError
from clew.store.damage import BlobDamage, load_damage, save_damage
from clew.store.location import blobs_of
from clew.store.postgres.database import PostgresDatabase, open_owner_database
from clew.store.postgres.team import TeamDatabase, open_team
from clew.store.postgres_location import PostgresLocation
from clew.store.protocols import Blobs
from clew.store.sealing import IDLE

_MOST: Final = 20
_LOCK_BITS: Final = (1 << 31) - 1


class IdleFile(msgspec.Struct, frozen=True, array_like=True):
    """A file that nobody has pushed to for a while."""

    id: int
    owner: int
    root: str
    path: str
    receipt: str


def seal_idle_files(location: PostgresLocation, idle: float = IDLE.total_seconds()) -> int:
    """Seal some files that were not pushed to for so many seconds; return how many."""
    with open_team(location) as team:
        rows = team.rows("files_to_seal", {"idle": idle, "most": _MOST})
        return sum(_seal_alone(location, team, msgspec.convert(row, IdleFile)) for row in rows)


def _seal_alone(location: PostgresLocation, team: TeamDatabase, file: IdleFile) -> bool:
    """Seal a file, unless another worker does; return whether it was sealed."""
    lock = {"id": file.id & _LOCK_BITS}
    (is_ours,) = team.rows("claim_sealing", lock)[0]
    if not is_ours:
        return False
    _seal_file(location, file)
    team.run("set_sealed", {"id": file.id, "receipt": file.receipt})
    team.run("end_sealing", lock)
    return True


def _seal_file(location: PostgresLocation, file: IdleFile) -> None:
    own = msgspec.structs.replace(location, owner=file.owner, scopes=None)
    database = open_owner_database(own.database_url, file.owner)
    try:
        known = find_files(database, [], [(file.root, file.path)]).get((file.root, file.path))
        if known is not None:
            _seal_generations(database, blobs_of(own), known)
    finally:
        database.close()


def _seal_generations(database: PostgresDatabase, blobs: Blobs, known: ArchivedFile) -> None:
    damage = load_damage(database)
    for generation in range(1, known.generation + 1):
        name = known.blob_of(generation)
        frames = load_frames(database, known.id, generation)
        if not frames or (known.id, generation) in damage or not any(blobs.unsealed([name])):
            continue
        try:
            blobs.seal(name, frames)
        except DamagedBlobError as error:
            with database.transaction():
                save_damage(database, [BlobDamage(known.id, generation, error.reason)])
                values = {"owner": database.owner, "session": known.session_id}
                TeamDatabase(database.connection).run("redo_session", values)
