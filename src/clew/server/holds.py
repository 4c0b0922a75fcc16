"""Legal hold: sessions that nobody may delete."""

from clew.server.audit import write_audit
from clew.server.queue import WORK_CHANNEL
from clew.store.postgres.team import TeamDatabase


def set_held(
    team: TeamDatabase, owner: int, session_id: str, *, is_held: bool, actor: int | None = None
) -> bool:
    """Keep a session from being deleted, or no longer; return whether that changed anything.

    Until it is released, workers keep what was replaced by less, too: nobody can read that.
    """
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
            if not is_held and team.rows("has_replaced", values)[0][0]:
                team.run("redo_session", values)
                team.notify(WORK_CHANNEL)
    return found is not None
