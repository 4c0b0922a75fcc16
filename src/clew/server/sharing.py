"""Who sees a session, as its owner decides: themselves, a project, everybody, or who has a link."""

import datetime as dt
from typing import Final

import msgspec

from clew.errors import NotFoundError, UsageError
from clew.protocol import Visibility
from clew.server.audit import write_audit
from clew.server.links import LinkOverError
from clew.server.principal import Principal
from clew.server.tokens import hash_token, is_token_text, make_token
from clew.store.postgres import PostgresDatabase
from clew.store.postgres.team import TeamDatabase

MAX_HOURS: Final = 30 * 24
"""How long a link to a session can be used at most."""

_SENDER: Final = "whoever sent it"


class NotYourSessionError(NotFoundError):
    """Only the owner of a session shares it."""

    def __init__(self) -> None:
        super().__init__("you have no such session; only its owner can share a session")


class NoSuchProjectError(UsageError):
    """A session cannot be shared with a project that its owner does not belong to."""

    def __init__(self) -> None:
        super().__init__("you belong to no such project; name one of your projects on the server")


class ShareLink(msgspec.Struct, frozen=True):
    """A link that shows one session; its token is known only when it is made.

    `is_masked` says whether it shows marks in place of what may be secret; of `reads`, those within
    ten minutes count as one.
    """

    id: int
    created_at: dt.datetime
    expires_at: dt.datetime
    is_masked: bool
    reads: int = 0
    last_read_at: dt.datetime | None = None


class SharedSession(msgspec.Struct, frozen=True):
    """The session that a link shows."""

    id: int
    owner: int
    session_id: str
    organisation_id: int
    scope_id: int
    member: str
    expires_at: dt.datetime
    is_masked: bool


def share_session(
    team: TeamDatabase,
    principal: Principal,
    session_id: str,
    visibility: Visibility,
    project: str | None = None,
) -> None:
    """Let a session of the member's own be seen by others, or by nobody else again.

    Without a name, the project is the one that the session was pushed for.

    Raises:
        NotYourSessionError: They have no such session.
        NoSuchProjectError: They do not belong to the project.
    """
    values = {"owner": principal.member_id, "session": session_id}
    # The locks are those of a worker that writes the same rows.
    database = PostgresDatabase(team.connection, principal.member_id)
    with database.transaction():
        found = team.record("lock_session", values)
        if found is None or found["is_deleted"]:
            raise NotYourSessionError
        scope = _scope(team, principal, session_id, visibility, project)
        team.run("choose_scope", {**values, "scope_id": scope})
        database.move_session(session_id, scope)
        detail = f"{visibility} {project}" if project else str(visibility)
        _audit(team, principal, "session.share", session_id, detail)


def _scope(
    team: TeamDatabase,
    principal: Principal,
    session_id: str,
    visibility: Visibility,
    project: str | None,
) -> int:
    own = {"owner": principal.member_id, "session": session_id}
    values = {
        "organisation_id": principal.organisation_id,
        "member_id": principal.member_id,
        "visibility": visibility,
        "project": project,
        "project_id": team.rows("session_project", own)[0][0],
    }
    found = team.record("scope_to_share", values)
    if found is None:
        raise NoSuchProjectError
    return int(found["id"])


def make_share_link(
    team: TeamDatabase,
    principal: Principal,
    session_id: str,
    hours: int,
    *,
    is_masked: bool = False,
) -> tuple[str, ShareLink]:
    """Return the token of a new link to a session of the member's own, and what is known of it.

    Raises:
        NotYourSessionError: They have no such session.
    """
    own = {"owner": principal.member_id, "session": session_id}
    token = make_token()
    with team.transaction():
        found = team.record("lock_session", own)
        if found is None or found["is_deleted"]:
            raise NotYourSessionError
        values = {"hash": hash_token(token), "created_by": principal.member_id, "hours": hours}
        [made] = team.records("add_share_link", {**own, **values, "is_masked": is_masked})
        shown = "masked" if is_masked else "not masked"
        _audit(team, principal, "link.create", session_id, f"link {made['id']}, {hours} h, {shown}")
    return token, msgspec.convert(made, ShareLink, strict=False)


def list_share_links(team: TeamDatabase, principal: Principal, session_id: str) -> list[ShareLink]:
    """Return the links to a session of the member's own that can be used."""
    values = {"owner": principal.member_id, "session": session_id}
    found = list(team.records("list_share_links", values))
    return msgspec.convert(found, list[ShareLink], strict=False)


def is_share_link(team: TeamDatabase, principal: Principal, session_id: str, token: str) -> bool:
    """Return whether a token is that of a link to a session of the member's own."""
    own = {"owner": principal.member_id, "session": session_id}
    if not is_token_text(token):
        return False
    return team.record("share_link_of_token", {**own, "hash": hash_token(token)}) is not None


def revoke_share_link(team: TeamDatabase, principal: Principal, link_id: int) -> None:
    """Let a link to a session of the member's own be used no longer.

    Raises:
        NotYourSessionError: There is no such link.
    """
    values = {"id": link_id, "owner": principal.member_id}
    with team.transaction():
        found = team.record("revoke_share_link", values)
        if found is None:
            raise NotYourSessionError
        _audit(team, principal, "link.revoke", found["session_id"], f"link {link_id}")


def find_shared_session(team: TeamDatabase, token: str) -> SharedSession:
    """Return the session that a link shows.

    Raises:
        LinkOverError: The link has expired or was revoked, or there never was one.
    """
    if not is_token_text(token):
        raise LinkOverError(_SENDER)
    values = {"hash": hash_token(token)}
    found = team.record("find_share_link", values)
    if found is None:
        # Whoever has the token was given the link: they may hear what became of it.
        known = team.record("revoked_share_link", values)
        raise LinkOverError(_SENDER, is_revoked=known is not None and known["is_revoked"])
    return msgspec.convert(found, SharedSession, strict=False)


def _audit(
    team: TeamDatabase, principal: Principal, action: str, session_id: str, detail: str
) -> None:
    write_audit(
        team,
        principal.organisation_id,
        action,
        actor=principal.member_id,
        device_id=principal.device_id,
        owner=principal.member_id,
        session_id=session_id,
        detail=detail,
    )
