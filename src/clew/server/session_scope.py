"""Whom a session is shown to: what the consents for all of its files allow.

A session that its owner has shared themselves stays as they chose.
"""

import msgspec

from clew.protocol import Visibility
from clew.server.principal import Principal
from clew.store.postgres import PostgresDatabase
from clew.store.postgres.team import TeamDatabase


class ConsentedScope(msgspec.Struct, frozen=True):
    """The scope that a session's rows get, and its project on the server."""

    scope_id: int
    project_id: int | None


def scope_by_consent(
    team: TeamDatabase, principal: Principal, visibility: str, project_id: int | None
) -> ConsentedScope:
    """Return the scope of a visibility: the member's own if they do not belong to the project."""
    values = {
        "member_id": principal.member_id,
        "organisation_id": principal.organisation_id,
        "visibility": visibility,
        "project_id": project_id,
    }
    return ConsentedScope(int(team.rows("consented_scope", values)[0][0]), project_id)


def scope_of_session(team: TeamDatabase, principal: Principal, session: str) -> ConsentedScope:
    """Return the scope of a session; its owner's own if the consents for its files differ."""
    values = {"owner": principal.member_id, "session": session}
    consents = team.rows("session_consents", values)
    visibility, project_id = consents[0] if len(consents) == 1 else (Visibility.PRIVATE, None)
    return scope_by_consent(team, principal, visibility, project_id)


def move_consented_sessions(team: TeamDatabase, principal: Principal, project_key: str) -> None:
    """Show the sessions of a project to whom the present consent allows, one after another.

    It may be interrupted, and goes on where it was when it is called again.
    """
    sought = {"member_id": principal.member_id, "project_key": project_key}
    for (session,) in team.rows("consented_sessions", sought):
        _move(team, principal, session)


def _move(team: TeamDatabase, principal: Principal, session: str) -> None:
    """Move the rows of a session, unless they are where they belong."""
    values = {"owner": principal.member_id, "session": session}
    # The locks are those of a worker that writes the same rows.
    database = PostgresDatabase(team.connection, principal.member_id)
    with database.transaction():
        found = team.record("lock_session", values) or {}
        scope = scope_of_session(team, principal, session)
        wanted = {"scope_id": scope.scope_id, "project_id": scope.project_id}
        if (
            found["scope_chosen"]
            or found["is_deleted"]
            or not team.run("set_consented_scope", {**values, **wanted})
        ):
            return
        database.move_session(session, scope.scope_id)
