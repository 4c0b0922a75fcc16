"""A manifest → what the server has of a file, all in one transaction.

Locks are taken in one order, so that no two requests wait for each other: the consent, the session,
the file, its frames. Who holds a session's lock is the only one who changes its files.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import msgspec

from clew.protocol import Commit, FileHead, FileManifest, Tier, make_receipt
from clew.server.consents import to_state
from clew.server.manifest_fields import BadFieldError, check_manifest
from clew.server.principal import Principal
from clew.server.queue import WORK_CHANNEL
from clew.server.receive_frames import read_hashes
from clew.server.refusals import (
    DeletedSessionError,
    DeletionPendingError,
    MissingFramesError,
    NoConsentError,
    OldEpochError,
    StaleParentError,
)
from clew.server.session_scope import scope_by_consent, scope_of_session
from clew.store.postgres.team import TeamDatabase


class FileChange(StrEnum):
    """What a manifest does to a file."""

    CREATED = "created"
    GROWN = "grown"
    REPLACED = "replaced"
    SAME = "same"
    IGNORED = "ignored"


class KnownFile(msgspec.Struct, frozen=True):
    """A file as it was pushed before, with the hashes of its frames."""

    id: int
    session_id: str
    tier: Tier
    epoch: int
    project_key: str
    generation: int
    receipt: str
    frames: tuple[bytes, ...] = ()


def commit(team: TeamDatabase, principal: Principal, manifest: FileManifest) -> Commit:
    """Take over what a manifest says of a file, all or nothing of it.

    Raises:
        RefusedPushError: It makes no sense, is not allowed, or something has changed since.
    """
    check_manifest(manifest)
    with team.transaction():
        consent = _require_consent(team, principal, manifest)
        _begin_session(team, principal, manifest, consent)
        file = _lock_file(team, principal, manifest)
        frames = read_hashes(frame.sha256 for frame in manifest.frames)
        change = _decide(file, frames, manifest)
        if change not in {FileChange.SAME, FileChange.IGNORED}:
            _require_parent(file, manifest)
            ids = _claim_frames(team, principal, manifest, frames)
            head = _write_file(team, principal, manifest, file, ids, change)
            _grow_session(team, principal, manifest)
        else:
            head = _repeat_file(team, principal, manifest, file, change)
    return Commit(head=head, change=change)


def decide_change(old: Sequence[bytes], new: Sequence[bytes]) -> FileChange:
    """Return what becomes of a file that consisted of some frames, and now consists of others."""
    if old == new:
        return FileChange.SAME
    if old == new[: len(old)]:
        return FileChange.GROWN
    if new == old[: len(new)]:
        return FileChange.IGNORED
    return FileChange.REPLACED


def _decide(file: KnownFile | None, frames: Sequence[bytes], manifest: FileManifest) -> FileChange:
    """Decide what a manifest does; less that is meant to replace more is not ignored."""
    if file is None:
        return FileChange.CREATED
    change = decide_change(file.frames, tuple(frames))
    is_lowered = manifest.tier.rank < file.tier.rank
    return FileChange.REPLACED if is_lowered and change is FileChange.IGNORED else change


def _require_consent(
    team: TeamDatabase, principal: Principal, manifest: FileManifest
) -> dict[str, Any]:
    """Return the consent that a manifest is sent under; it stays until the end of the transaction.

    Raises:
        NoConsentError: There is none, or it allows less.
        OldEpochError: It has changed since.
    """
    values = {"member_id": principal.member_id, "project_key": manifest.project_key}
    found = team.record("use_consent", values)
    if found is None:
        raise NoConsentError(manifest.tier, Tier.NOTHING)
    state = to_state(found)
    if manifest.epoch != state.epoch:
        raise OldEpochError(state)
    if manifest.tier.rank > state.tier.rank:
        raise NoConsentError(manifest.tier, state.tier)
    return found


def _begin_session(
    team: TeamDatabase, principal: Principal, manifest: FileManifest, consent: dict[str, Any]
) -> None:
    """Lock a session, which begins with its first file.

    Raises:
        DeletedSessionError: Its owner has deleted it.
        DeletionPendingError: A changed consent has, and it is not deleted everywhere yet.
    """
    scope = scope_by_consent(team, principal, consent["visibility"], consent["project_id"])
    values = {
        **msgspec.structs.asdict(scope),
        "owner": principal.member_id,
        "session": manifest.session,
        "organisation_id": principal.organisation_id,
        "tier": manifest.tier,
    }
    team.run("begin_session", values)
    found = team.record("lock_session", values) or {}
    if not found["is_deleted"]:
        return
    if not found["may_return"]:
        raise DeletedSessionError
    if (team.record("has_files", values) or {})["has_files"]:
        raise DeletionPendingError


def _lock_file(
    team: TeamDatabase, principal: Principal, manifest: FileManifest
) -> KnownFile | None:
    values = {
        "member_id": principal.member_id,
        "root": manifest.root,
        "file": manifest.file,
    }
    found = team.record("lock_file", values)
    if found is None:
        return None
    if found["session_id"] != manifest.session:
        raise BadFieldError("session", "the one that this file was pushed with before")
    frames = tuple(bytes(frame[0]) for frame in team.rows("file_frames", found))
    return msgspec.convert({**found, "frames": frames}, KnownFile)


def _require_parent(file: KnownFile | None, manifest: FileManifest) -> None:
    """Make sure that a laptop knows what it changes.

    Raises:
        StaleParentError: Another push has changed the file since.
    """
    if file is None:
        if manifest.parent is not None:
            raise StaleParentError(None)
    elif manifest.parent != file.receipt:
        raise StaleParentError(_head(manifest, file.receipt, file.generation))


def _claim_frames(
    team: TeamDatabase, principal: Principal, manifest: FileManifest, frames: Sequence[bytes]
) -> list[int]:
    """Return the numbers of frames, which stay at least until the end of the transaction.

    Raises:
        MissingFramesError: The member has not sent some, or they are lost.
        BadFieldError: One has another size.
    """
    values = {"member_id": principal.member_id, "hashes": sorted(set(frames))}
    found = {bytes(row[0]): (row[1], row[2]) for row in team.rows("claim_frames", values)}
    if missing := [digest.hex() for digest in dict.fromkeys(frames) if digest not in found]:
        raise MissingFramesError(missing)
    for digest, frame in zip(frames, manifest.frames, strict=True):
        if found[digest][1] != frame.size:
            raise BadFieldError("frames", "hashes with the sizes of their contents")
    return [found[digest][0] for digest in frames]


def _write_file(
    team: TeamDatabase,
    principal: Principal,
    manifest: FileManifest,
    file: KnownFile | None,
    ids: Sequence[int],
    change: FileChange,
) -> FileHead:
    """Write a file and its frames: only the new ones of a file that has grown."""
    generation = file.generation if file else 1
    if change is FileChange.REPLACED:
        generation += 1
    known = len(file.frames) if file and change is FileChange.GROWN else 0
    hashes = [frame.sha256 for frame in manifest.frames]
    receipt = make_receipt(manifest.root, manifest.file, generation, hashes)
    values = _file_values(principal, manifest) | {"generation": generation, "receipt": receipt}
    if file is None:
        added = team.record("add_file", values)
        if added is None:
            # It has just become a file of another session.
            raise StaleParentError(None)
        values["id"] = added["id"]
    else:
        values["id"] = file.id
        team.run("change_file", values)
    team.run("add_file_frames", {**values, "first": known, "ids": list(ids[known:])})
    team.run("commit_frames", {"ids": sorted(set(ids[known:]))})
    return _head(manifest, receipt, generation)


def _repeat_file(
    team: TeamDatabase,
    principal: Principal,
    manifest: FileManifest,
    file: KnownFile | None,
    change: FileChange,
) -> FileHead:
    """Answer a manifest that brings no bytes: its consent may be another, the session may end."""
    if file is None:
        raise AssertionError("a file that is not there is created")
    if change is FileChange.SAME and _is_under_other_consent(file, manifest):
        values = _file_values(principal, manifest)
        values |= {"id": file.id, "generation": file.generation, "receipt": file.receipt}
        team.run("change_file", values)
        _grow_session(team, principal, manifest)
    elif change is FileChange.SAME and manifest.has_ended:
        team.run("session_ends", {"owner": principal.member_id, "session": manifest.session})
        team.notify(WORK_CHANNEL)
    return _head(manifest, file.receipt, file.generation)


def _is_under_other_consent(file: KnownFile, manifest: FileManifest) -> bool:
    before = (file.tier, file.epoch, file.project_key)
    return before != (manifest.tier, manifest.epoch, manifest.project_key)


def _grow_session(team: TeamDatabase, principal: Principal, manifest: FileManifest) -> None:
    """Let workers derive a session again, which shows it to whom all of its consents allow."""
    values = {"owner": principal.member_id, "session": manifest.session}
    tiers = [Tier(found[0]) for found in team.rows("session_tiers", values)]
    scope = scope_of_session(team, principal, manifest.session)
    growth = {
        **msgspec.structs.asdict(scope),
        "tier": min(tiers, key=lambda tier: tier.rank),
        "has_ended": manifest.has_ended,
    }
    team.run("session_grows", {**values, **growth})
    team.notify(WORK_CHANNEL)


def _file_values(principal: Principal, manifest: FileManifest) -> dict[str, Any]:
    fields = msgspec.structs.asdict(manifest)
    del fields["frames"]
    return {**fields, "member_id": principal.member_id, "device_id": principal.device_id}


def _head(manifest: FileManifest, receipt: str, generation: int) -> FileHead:
    return FileHead(manifest.root, manifest.file, receipt, generation)
