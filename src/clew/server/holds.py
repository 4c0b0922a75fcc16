"""Legal hold: sessions that nobody may delete."""

from clew.server.audit import write_audit
from clew.store.postgres.team import TeamDatabase


def set_held(
    team: TeamDatabase, owner: int, session_id: str, *, is_held: bool, actor: int | None = None
) -> bool:
    """Keep a session from being deleted, or no longer; return whether that changed anything."""
    values = {"owner": owner, "session": session_id, "held": is_held}
    with team.transaction():
        found = team.record("set_held", values)
        if found is not None:
            write_audit(
                team,
                int(found["organisation_id"]),
                "session.hold" if is_held else "session.release",
                actor=actor,
                owner=owner,
                session_id=session_id,
            )
    return found is not None
