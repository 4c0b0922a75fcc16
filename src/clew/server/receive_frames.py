"""Frames that a device sends: checked, stored and remembered, each for its member alone.

Nothing here depends on what other members have sent: who knows the hash of a colleague's frame
learns nothing about it, and has to send the frame like everybody else.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from clew.protocol import MAX_FRAME_BYTES, MAX_NAMED_FRAMES, MAX_PACKED_BYTES
from clew.server.principal import Principal
from clew.server.queue import WORK_CHANNEL
from clew.server.refusals import (
    FrameTooLargeError,
    QuotaExceededError,
    RefusedPushError,
    UncommittedLimitError,
    UnusableFrameError,
)
from clew.server.release import new_object_key
from clew.store.frames import BadFrameError, LongFrameError, content_hash, unpack_foreign
from clew.store.objects import Objects
from clew.store.postgres.team import TeamDatabase

MAX_UNCOMMITTED_BYTES: Final = 1 << 30
"""How many bytes a device may have sent without a manifest that names them."""
_HASH: Final = re.compile(r"[0-9a-f]{64}")


def find_missing(team: TeamDatabase, principal: Principal, frames: Sequence[str]) -> list[str]:
    """Return those of some frames that this member has to send, in the same order.

    Raises:
        RefusedPushError: They are too many, or not SHA-256 sums.
    """
    if len(frames) > MAX_NAMED_FRAMES:
        raise RefusedPushError(f"a question names at most {MAX_NAMED_FRAMES:,} frames; ask twice")
    hashes = read_hashes(frames)
    values = {"member_id": principal.member_id, "hashes": hashes}
    present = {bytes(found[0]) for found in team.rows("present_frames", values)}
    missing = dict.fromkeys(digest for digest in hashes if digest not in present)
    return [digest.hex() for digest in missing]


def read_hashes(texts: Iterable[str]) -> list[bytes]:
    """Return SHA-256 sums as bytes.

    Raises:
        RefusedPushError: They are written in another way.
    """
    return [_read_hash(text) for text in texts]


def receive_frame(
    team: TeamDatabase, objects: Objects, principal: Principal, sha256: str, packed: bytes
) -> None:
    """Store a compressed frame; it may be there already.

    Its object counts as forgotten until a row refers to it, so nothing remains of an upload that
    is interrupted, wherever that happens.

    Raises:
        FrameTooLargeError: It is longer than a frame may be, or its content is.
        UnusableFrameError: It is not one frame of that content.
        UncommittedLimitError: The device has sent much that no manifest names.
        QuotaExceededError: The member has no storage left.
    """
    digest = _read_hash(sha256)
    size = _check_content(digest, packed)
    values = {"member_id": principal.member_id, "hashes": [digest]}
    if team.rows("present_frames", values):
        return
    _require_room(team, principal, size, len(packed))
    key = new_object_key(principal.member_id)
    team.run("doom_object", {"object_key": key})
    objects.put(key, packed)
    frame = {
        "member_id": principal.member_id,
        "device_id": principal.device_id,
        "hash": digest,
        "size_bytes": size,
        "packed_bytes": len(packed),
        "object_key": key,
    }
    with team.transaction():
        _remember(team, frame)


def storage_left(team: TeamDatabase, principal: Principal) -> int | None:
    """Return how many bytes of content a member may still push; None without a quota."""
    found = team.rows("storage_left", {"member_id": principal.member_id})[0][0]
    return None if found is None else max(0, int(found))


def _remember(team: TeamDatabase, frame: Mapping[str, object]) -> None:
    """Add the row of a frame, unless another request has just done so.

    Sessions that lacked it are derived again. They are locked before the frame, as in a commit.
    """
    if sessions := [found[0] for found in team.rows("sessions_without_frame", frame)]:
        team.run("derive_again", {"owner": frame["member_id"], "sessions": sessions})
        team.notify(WORK_CHANNEL)
    if team.record("add_pushed_frame", frame) is None:
        return
    if not team.run("spare_object", {"object_key": frame["object_key"]}):
        raise UnusableFrameError("it took too long")


def _read_hash(text: str) -> bytes:
    if _HASH.fullmatch(text) is None:
        raise RefusedPushError("a frame is named by its SHA-256 in 64 hexadecimal digits")
    return bytes.fromhex(text)


def _check_content(digest: bytes, packed: bytes) -> int:
    """Return how much content a frame has, if it is what its name says."""
    if len(packed) > MAX_PACKED_BYTES:
        raise FrameTooLargeError(MAX_PACKED_BYTES)
    try:
        content = unpack_foreign(packed)
    except LongFrameError as error:
        raise FrameTooLargeError(MAX_FRAME_BYTES) from error
    except BadFrameError as error:
        raise UnusableFrameError(str(error)) from error
    if content_hash(content) != digest:
        raise UnusableFrameError("its SHA-256 differs")
    return len(content)


def _require_room(team: TeamDatabase, principal: Principal, size: int, packed: int) -> None:
    waiting = team.rows("uncommitted_bytes", {"device_id": principal.device_id})[0][0]
    if waiting + packed > MAX_UNCOMMITTED_BYTES:
        raise UncommittedLimitError(MAX_UNCOMMITTED_BYTES)
    left = storage_left(team, principal)
    if left is not None and size > left:
        raise QuotaExceededError
