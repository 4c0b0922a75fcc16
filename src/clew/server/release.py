"""Files that give up frames, without taking them away from other files.

An archived frame has no object of its own any longer: its bytes are in the blobs of the files that
have it. When such a file is deleted, a file of another session may have the same frame and not be
archived yet. That frame then gets an object again before its last copy is given up.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from clew.store.blob_names import blob_name
from clew.store.blobs import DamagedBlobError
from clew.store.frames import Frame, compress
from clew.store.location import blobs_of
from clew.store.objects import Objects, open_objects
from clew.store.postgres.team import TeamDatabase
from clew.store.postgres_location import PostgresLocation


class StrandedFramesError(Exception):
    """Without the files that give them up, some frames that others have would be nowhere."""

    def __init__(self, frames: list[int]) -> None:
        super().__init__(f"{len(frames)} frames need an object")
        self.frames = frames


@contextmanager
def releasing_frames(team: TeamDatabase, frames: Sequence[int]) -> Iterator[None]:
    """Let files give up frames, in a transaction; those that no file has then are deleted.

    Nobody else can come to refer to one of them until its end.

    Raises:
        StrandedFramesError: Some are needed elsewhere; the transaction must be undone.
    """
    if not frames:
        yield
        return
    values = {"ids": sorted(frames)}
    team.rows("lock_frames", values)
    yield
    if stranded := [row[0] for row in team.rows("stranded_frames", values)]:
        raise StrandedFramesError(stranded)
    team.run("delete_unused_frames", values)


def give_objects(location: PostgresLocation, team: TeamDatabase, frames: Sequence[int]) -> None:
    """Give frames of the location's owner an object of their own again, from an archived copy.

    What cannot be read any longer must be sent again.
    """
    objects, blobs = open_objects(location.blobs), blobs_of(location)
    saved = set()
    for number, root, path, place, generation, *where in team.rows(
        "archived_copies", {"ids": list(frames)}
    ):
        frame = Frame(*where)
        try:
            content = b"".join(blobs.read(blob_name(root, path, generation, place), [frame]))
        except DamagedBlobError:
            continue
        (packed, _), *_ = compress([content], 0, 0)
        _give_object(team, objects, location.owner, number, packed)
        saved.add(number)
    team.run("lose_frames", {"ids": sorted(set(frames) - saved), "paths": []})


def new_object_key(owner: int) -> str:
    """Return a key for an object of a member, which nothing ever had."""
    return f"pushed/{owner}/{secrets.token_hex(16)}"


def _give_object(
    team: TeamDatabase, objects: Objects, owner: int, number: int, packed: bytes
) -> None:
    key = new_object_key(owner)
    team.run("doom_object", {"object_key": key})
    objects.put(key, packed)
    values = {"id": number, "object_key": key, "packed_bytes": len(packed)}
    with team.transaction():
        if team.run("give_object", values):
            team.run("spare_object", values)
