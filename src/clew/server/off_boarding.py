"""When a member leaves: others may see their sessions, or all of it is deleted."""

from clew.server.accounts import Member, disable_member
from clew.server.audit import write_audit
from clew.server.queue import WORK_CHANNEL
from clew.server.tokens import TokenKind
from clew.store.postgres import PostgresDatabase
from clew.store.postgres.team import TeamDatabase


def transfer_sessions(
    team: TeamDatabase, member: Member, scope_id: int, receiver: str, by: int | None = None
) -> int:
    """Show all sessions of a member in another scope; return how many there are.

    They stay the member's own, so that everybody sees who wrote them. It may be interrupted, and
    goes on when it is called again.
    """
    sessions = [row[0] for row in team.rows("list_live_sessions", {"owner": member.id})]
    for session in sessions:
        _show_in(team, member.id, session, scope_id)
    detail = f"{len(sessions)} → {receiver}"
    write_audit(
        team, member.organisation_id, "member.transfer", actor=by, owner=member.id, detail=detail
    )
    return len(sessions)


def private_scope(team: TeamDatabase, member: Member) -> int:
    """Return the scope that only a member sees."""
    return int(team.rows("find_private_scope", {"member_id": member.id})[0][0])


def withdraw_sessions(team: TeamDatabase, member: Member, scope_id: int) -> None:
    """Show the sessions that a member has in a scope to them alone, one after another."""
    own = private_scope(team, member)
    values = {"owner": member.id, "scope_id": scope_id}
    for (session,) in team.rows("sessions_shared_with", values):
        _show_in(team, member.id, session, own)


def delete_member(team: TeamDatabase, member: Member, by: int | None = None) -> tuple[int, int]:
    """Delete all sessions of a member, and let them in no longer.

    Their name stays in the audit log, and cannot be used again. Return how many sessions workers
    will delete, and how many stay because an administrator holds them.
    """
    with team.transaction():
        disable_member(team, member, by)
        team.run("forget_member", {"id": member.id})
        team.run("delete_notes_of", {"id": member.id})
        team.run("revoke_credentials", {"member_id": member.id, "kinds": list(TokenKind)})
        team.run("revoke_devices", {"member_id": member.id})
        count = team.run("delete_all_sessions", {"owner": member.id, "deleted_by": by})
        team.run("record_changes", {"owners": [member.id]})
        held = len(team.rows("list_live_sessions", {"owner": member.id}))
        detail = f"{count} sessions, {held} held"
        write_audit(
            team, member.organisation_id, "member.delete", actor=by, owner=member.id, detail=detail
        )
        team.notify(WORK_CHANNEL)
    return count, held


def _show_in(team: TeamDatabase, owner: int, session: str, scope_id: int) -> None:
    # The locks are those of a worker that writes the same rows.
    database = PostgresDatabase(team.connection, owner)
    with database.transaction():
        values = {"owner": owner, "session": session, "scope_id": scope_id}
        if team.run("choose_scope", values):
            database.move_session(session, scope_id)
