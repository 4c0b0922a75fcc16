"""Sessions that their owner deletes on the server, or lets in again.

What is deleted is marked here, and nobody sees it from then on. Workers delete the rows and bytes;
the mark stays, and refuses the session until its owner revives it.
"""

from clew.protocol import Tier
from clew.server.audit import write_audit
from clew.server.manifest_fields import check_session
from clew.server.principal import Principal
from clew.server.queue import WORK_CHANNEL
from clew.server.refusals import HeldSessionError, UnknownSessionError
from clew.store.postgres.team import TeamDatabase


def delete_own_session(team: TeamDatabase, principal: Principal, session: str) -> None:
    """Delete a session of the member's own; it may be deleted already.

    Raises:
        UnknownSessionError: They have pushed none of this id.
        HeldSessionError: An administrator keeps it from being deleted.
    """
    values = _values(principal, session) | {"deleted_by": principal.member_id}
    with team.transaction():
        found = team.record("lock_session", values)
        if found is None:
            raise UnknownSessionError
        if found["held"]:
            raise HeldSessionError
        if found["is_deleted"]:
            team.run("keep_deleted", values)
            return
        team.run("delete_session_state", {**values, "may_return": False})
        _audit(team, principal, "session.delete", session)
        team.notify(WORK_CHANNEL)


def revive_own_session(team: TeamDatabase, principal: Principal, session: str) -> None:
    """Let a deleted session be pushed again; it may never have been deleted.

    Raises:
        UnknownSessionError: They have pushed none of this id.
    """
    values = _values(principal, session)
    with team.transaction():
        if team.record("lock_session", values) is None:
            raise UnknownSessionError
        if team.run("revive_session", values):
            _audit(team, principal, "session.revive", session)
            team.notify(WORK_CHANNEL)


def purge_sessions(
    team: TeamDatabase, principal: Principal, project_key: str, tier: Tier
) -> tuple[int, int]:
    """Delete the sessions of a project that have more than a tier allows.

    They may be pushed again with less. Return how many are deleted, and how many stay because an
    administrator holds them.
    """
    allowed = [each for each in Tier if each.rank <= tier.rank]
    sought = {"member_id": principal.member_id, "project_key": project_key, "allowed": allowed}
    mark = {"deleted_by": principal.member_id, "may_return": True}
    sessions = [found[0] for found in team.rows("sessions_beyond", sought)]
    count = sum(
        team.run("delete_session_state", {**_values(principal, session), **mark})
        for session in sessions
    )
    if count:
        team.notify(WORK_CHANNEL)
    return count, len(sessions) - count


def _values(principal: Principal, session: str) -> dict[str, object]:
    check_session(session)
    return {"owner": principal.member_id, "session": session}


def _audit(team: TeamDatabase, principal: Principal, action: str, session: str) -> None:
    write_audit(
        team,
        principal.organisation_id,
        action,
        actor=principal.member_id,
        device_id=principal.device_id,
        owner=principal.member_id,
        session_id=session,
    )
