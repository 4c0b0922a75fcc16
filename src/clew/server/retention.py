"""Sessions that have been kept for long enough → deleted ones, as the project or team has it."""

from typing import Final

from clew.server.audit import write_audit
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation

_MOST: Final = 50


def expire_sessions(location: PostgresLocation) -> int:
    """Delete some sessions whose time is over, unless they are held; return how many."""
    with open_team(location) as team, team.transaction():
        found = team.rows("expire_sessions", {"most": _MOST})
        for owner, session_id, organisation in found:
            write_audit(team, organisation, "session.expire", owner=owner, session_id=session_id)
        team.run("record_changes", {"owners": sorted({owner for owner, _, _ in found})})
    return len(found)
