"""Where a session is on its way from the first pushed frame to its pages."""

import datetime as dt
from enum import StrEnum
from typing import Any

import msgspec

from clew.errors import SessionNotFoundError
from clew.server.principal import Principal, Role
from clew.store.postgres.team import TeamDatabase
from clew.store.session_tables import PARSER_VERSION


class Stage(StrEnum):
    """What has become of a session."""

    RECEIVED = "received"
    WORKING = "working"
    PARSED = "parsed"
    OUTDATED = "outdated"
    SUMMARISED = "summarised"
    FAILED = "failed"
    DELETED = "deleted"


class SessionState(msgspec.Struct, frozen=True, kw_only=True):
    """Where a session is; its owner and administrators see why it failed, or what it waits for.

    `digest_skip` says why a parsed session has no digest for now: `off` (not switched on), `tier`
    (no text was pushed), `budget`, `empty` (nobody said anything) or `failed`.
    """

    schema: str = "clew.state/1"
    session_id: str
    state: Stage
    is_held: bool
    received_at: dt.datetime
    grown_at: dt.datetime
    visibility: str
    project: str | None = None
    reason: str | None = None
    digest_skip: str | None = None


def read_session_state(
    team: TeamDatabase, principal: Principal, owner: int, session_id: str
) -> SessionState:
    """Return where a session is.

    Raises:
        SessionNotFoundError: It was never pushed.
    """
    found = team.record("state_of_session", {"owner": owner, "session": session_id})
    if found is None or found["organisation_id"] != principal.organisation_id:
        raise SessionNotFoundError(session_id)
    seen = team.record("visibility_of_scope", {"scope_id": found["scope_id"]}) or {}
    stage = stage_of(found)
    is_told = owner == principal.member_id or principal.role is Role.ADMIN
    return SessionState(
        session_id=session_id,
        state=stage,
        is_held=bool(found["held"]),
        received_at=found["received_at"],
        grown_at=found["grown_at"],
        visibility=seen.get("kind", "private"),
        project=seen.get("project"),
        reason=_reason(found) if is_told else None,
        digest_skip=found["digest_skip"] if stage is Stage.PARSED else None,
    )


def _reason(row: dict[str, Any]) -> str | None:
    reason = row["failed_reason"] or row["waiting_reason"] or row["digest_reason"]
    return None if reason is None else str(reason)


def stage_of(row: dict[str, Any]) -> Stage:
    """Return what has become of a session, from its row in the table of states."""
    if row["deleted_at"] is not None:
        return Stage.DELETED
    if row["is_working"]:
        return Stage.WORKING
    if row["failed_reason"] is not None:
        return Stage.FAILED
    if row["head_seq"] > row["derived_seq"]:
        return Stage.RECEIVED
    if row["derived_parser"] < PARSER_VERSION:
        return Stage.OUTDATED
    is_done = row["digest_seq"] == row["derived_seq"]
    return Stage.SUMMARISED if is_done else Stage.PARSED


def find_owner(team: TeamDatabase, principal: Principal, session_id: str) -> int:
    """Return whose session it is that no page shows yet: one's own, or any for administrators.

    Raises:
        SessionNotFoundError: There is none, or several.
    """
    values = {"session": session_id, "organisation_id": principal.organisation_id}
    owners = [row[0] for row in team.rows("states_of_id", values)]
    if principal.member_id in owners:
        return principal.member_id
    if principal.role is not Role.ADMIN or len(owners) != 1:
        raise SessionNotFoundError(session_id)
    return int(owners[0])
