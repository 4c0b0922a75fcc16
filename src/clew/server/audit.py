"""The audit log: who did what, and whose content it was."""

import datetime as dt

import msgspec

from clew.server.principal import Principal
from clew.store.postgres.team import TeamDatabase


class AuditEvent(msgspec.Struct, frozen=True):
    """One line of the log. Without an actor, it was done with `clew admin` or by the server."""

    id: int
    at: dt.datetime
    actor: str | None
    device: str | None
    action: str
    owner: str | None
    session_id: str | None
    detail: str


def write_audit(
    team: TeamDatabase,
    organisation_id: int,
    action: str,
    *,
    actor: int | None = None,
    device_id: int | None = None,
    owner: int | None = None,
    session_id: str | None = None,
    detail: str = "",
) -> None:
    """Add a line; `owner` is the member that it is about, or whose session it is."""
    team.run(
        "add_audit_event",
        {
            "organisation_id": organisation_id,
            "action": action,
            "actor": actor,
            "device_id": device_id,
            "about": owner,
            "session_id": session_id,
            "detail": detail,
        },
    )


def audit_read(
    team: TeamDatabase, principal: Principal, action: str, owner: int, session_id: str | None
) -> None:
    """Note that somebody read another member's session, or something of several of them.

    Reading one's own is not noted.
    """
    if owner == principal.member_id:
        return
    write_audit(
        team,
        principal.organisation_id,
        action,
        actor=principal.member_id,
        device_id=principal.device_id,
        owner=owner,
        session_id=session_id,
    )


def list_audit(
    team: TeamDatabase,
    organisation_id: int,
    *,
    member_id: int | None = None,
    before: int | None = None,
    maximum: int = 100,
) -> list[AuditEvent]:
    """Return the latest lines of an organisation, or those by or about one member."""
    values = {
        "organisation_id": organisation_id,
        "member_id": member_id,
        "before": before,
        "maximum": maximum,
    }
    return [AuditEvent(**found) for found in team.records("list_audit_events", values)]
