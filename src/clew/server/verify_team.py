"""The tables of a team → whether the bytes are there that they speak of.

What is missing, after a restore say, is put right without a hand: damaged files are archived again
from the frames that there are, and frames that are nowhere are sent again by the devices.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.archive import Archive
from clew.store import translate_errors
from clew.store.frames import BadFrameError, Frame, unpack
from clew.store.objects import NoSuchObjectError, Objects, open_objects
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation

_MOST: Final = 200


class TeamVerification(msgspec.Struct):
    """What was verified, and what was found; `damaged` names files without quoting them."""

    members: int = 0
    files: int = 0
    uploads: int = 0
    frames_lost: int = 0
    sessions_redone: int = 0
    damaged: list[str] = []

    @property
    def is_whole(self) -> bool:
        """Whether everything is there."""
        return not self.damaged and not self.frames_lost


class UploadedFrame(msgspec.Struct, frozen=True):
    """A frame that is in an object of its own, because no worker has archived it yet."""

    id: int
    hash: bytes
    size_bytes: int
    object_key: str


def verify_team(location: PostgresLocation) -> TeamVerification:
    """Read all that was archived or sent; let workers and devices replace what is missing.

    Raises:
        ArchiveUnavailableError: The database or the objects cannot be reached.
    """
    report = TeamVerification()
    with translate_errors(location):
        _verify_uploads(location, report)
        with open_team(location) as team:
            owners = [row[0] for row in team.rows("archive_owners")]
        for owner in owners:
            _verify_files(msgspec.structs.replace(location, owner=owner), report)
    report.members = len(owners)
    return report


def _verify_files(location: PostgresLocation, report: TeamVerification) -> None:
    """Verify the archived files of a member; damage is recorded, and its sessions are redone."""
    redone = set()
    with Archive(location) as archive:
        for verified in archive.verify(purged=True):
            report.files += 1
            if verified.fault:
                report.damaged.append(f"member {location.owner}: {verified.fault}")
                redone.add((verified.file.root, verified.file.path))
    with open_team(location) as team:
        values = {"owner": location.owner}
        sessions = {
            row[0]
            for root, path in redone
            for row in team.rows("session_of_file", {**values, "root": root, "path": path})
        }
        for session in sorted(sessions):
            report.sessions_redone += team.run("redo_session", {**values, "session": session})


def _verify_uploads(location: PostgresLocation, report: TeamVerification) -> None:
    """Read the frames that wait to be archived; those that are not there are sent again."""
    objects = open_objects(location.blobs)
    for frames in _uploads(location):
        lost = [frame for frame in frames if not _is_whole(objects, frame)]
        report.uploads += len(frames)
        report.frames_lost += len(lost)
        ids, keys = [frame.id for frame in lost], [frame.object_key for frame in lost]
        with open_team(location) as team:
            team.run("lose_frames", {"ids": ids, "paths": keys})


def _uploads(location: PostgresLocation) -> Iterator[list[UploadedFrame]]:
    last = 0
    while True:
        with open_team(location) as team:
            rows = team.records("uploads_after", {"after": last, "most": _MOST})
        if not rows:
            return
        yield [msgspec.convert(row, UploadedFrame) for row in rows]
        last = rows[-1]["id"]


def _is_whole(objects: Objects, frame: UploadedFrame) -> bool:
    try:
        data = objects.get(frame.object_key)
        unpack(data, Frame(0, frame.size_bytes, 0, len(data), frame.hash))
    except (BadFrameError, NoSuchObjectError):
        return False
    return True
