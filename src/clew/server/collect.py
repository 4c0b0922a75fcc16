"""Garbage: frames that no file has, and objects that nothing refers to.

Rows of frames are locked before it is looked a second time whether a file has them: nobody can
refer to a frame while it is locked. Objects are deleted only after a time that is longer than the
oldest backup that may be restored.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from clew.store.location import blobs_of
from clew.store.objects import open_objects
from clew.store.postgres.team import TeamDatabase, open_team
from clew.store.postgres_location import PostgresLocation

QUARANTINE_DAYS: Final = 14.0
"""How long objects stay that nothing refers to: longer than backups are restored from."""
GRACE_HOURS: Final = 24.0
"""How long a frame may wait for the manifest that names it."""

_BLOB: Final = "blob/"
_MOST: Final = 500


def doomed_blob(owner: int, name: str) -> str:
    """Return the key under which a blob waits to be deleted."""
    return f"{_BLOB}{owner}/{name}"


def collect_forgotten(location: PostgresLocation, hours: float = GRACE_HOURS) -> int:
    """Delete frames that were sent and never named by a manifest; return how many."""
    values = {"hours": hours, "most": _MOST}
    with open_team(location) as team, team.transaction():
        found = [row[0] for row in team.rows("lock_forgotten_frames", values)]
        team.run("delete_unused_frames", {"ids": found})
    return len(found)


def delete_unused(team: TeamDatabase, frames: Sequence[int]) -> None:
    """Delete those of some frames that no file has any longer."""
    for at in range(0, len(frames), _MOST):
        with team.transaction():
            some = {"ids": frames[at : at + _MOST]}
            locked = [row[0] for row in team.rows("lock_unused_frames", some)]
            team.run("delete_unused_frames", {"ids": locked})


def sweep_frames(location: PostgresLocation, after: int = 0, hours: float = GRACE_HOURS) -> int:
    """Look at some frames for what was left undone; return the last one, 0 at the end."""
    with open_team(location) as team:
        values = {"after": after, "hours": hours, "most": _MOST}
        found = team.rows("frames_after", values)
        delete_unused(team, [frame for frame, _, is_unused in found if is_unused])
        ids = [frame for frame, has_object, is_unused in found if has_object and not is_unused]
        team.run("doom_archived_uploads", {"ids": ids})
    return int(found[-1][0]) if len(found) == _MOST else 0


def delete_doomed(location: PostgresLocation, days: float = QUARANTINE_DAYS) -> int:
    """Delete some objects that nothing has referred to for so long; return how many."""
    with open_team(location) as team, team.transaction():
        values = {"days": days, "most": _MOST}
        doomed = [str(row[0]) for row in team.rows("lock_doomed", values)]
        used = {str(row[0]) for row in team.rows("used_objects", {"paths": doomed})}
        _delete_objects(location, [key for key in doomed if key not in used])
        team.run("delete_doomed", {"paths": doomed})
    return len(doomed)


def _delete_objects(location: PostgresLocation, keys: Iterable[str]) -> None:
    alone: list[str] = []
    of_owners: dict[str, list[str]] = {}
    for key in keys:
        if key.startswith(_BLOB):
            owner, _, name = key.removeprefix(_BLOB).partition("/")
            of_owners.setdefault(owner, []).append(name)
        else:
            alone.append(key)
    if alone:
        open_objects(location.blobs).delete(alone)
    for owner, names in of_owners.items():
        blobs_of(msgspec.structs.replace(location, owner=int(owner), scopes=None)).delete(names)
