"""Organisations and their members. Every change is written to the audit log.

`by` is the member who makes a change; it is None for `clew admin` and the server itself.
"""

import datetime as dt

import msgspec

from clew.errors import NotFoundError, UsageError
from clew.server.audit import write_audit
from clew.server.names import label, member_name
from clew.server.principal import Principal, Role
from clew.server.tokens import TokenKind
from clew.store.postgres.team import TeamDatabase


class Organisation(msgspec.Struct, frozen=True):
    """An organisation, and what it allows and keeps."""

    id: int
    name: str
    shows_members: bool
    retention_days: int | None
    quota_bytes: int | None
    created_at: dt.datetime


class Member(msgspec.Struct, frozen=True):
    """Somebody who belongs to an organisation."""

    id: int
    organisation_id: int
    organisation: str
    name: str
    display_name: str
    role: Role
    quota_bytes: int | None
    created_at: dt.datetime
    disabled_at: dt.datetime | None
    has_password: bool
    has_identity: bool


class NameTakenError(UsageError):
    """There is already something with this name."""

    def __init__(self, what: str, name: str) -> None:
        article = "an" if what[0] in "aeio" else "a"
        super().__init__(f"there is already {article} {what} named {name!r}; choose another name")


class NoSuchNameError(NotFoundError):
    """There is nothing with this name."""

    def __init__(self, what: str, name: str) -> None:
        super().__init__(f"there is no {what} named {name[:100]!r}; check the name")


def create_organisation(team: TeamDatabase, name: str) -> Organisation:
    """Create an organisation with its scope.

    Raises:
        NameTakenError: There is one of this name.
    """
    name = label(name, "organisation")
    with team.transaction():
        found = team.record("add_organisation", {"name": name})
        if found is None:
            raise NameTakenError("organisation", name)
        _add_scope(team, found["id"], "organisation")
        write_audit(team, found["id"], "organisation.create", detail=name)
    return require_organisation(team, name)


def list_organisations(team: TeamDatabase) -> list[Organisation]:
    """Return all organisations, by name."""
    return [_to_organisation(found) for found in team.records("list_organisations")]


def require_organisation(team: TeamDatabase, name: str) -> Organisation:
    """Find an organisation by its name.

    Raises:
        NoSuchNameError: There is none.
    """
    found = team.record("find_organisation", {"name": name})
    if found is None:
        raise NoSuchNameError("organisation", name)
    return _to_organisation(found)


def get_organisation(team: TeamDatabase, organisation_id: int) -> Organisation:
    """Return an organisation that exists."""
    found = team.record("get_organisation", {"id": organisation_id})
    if found is None:
        raise NoSuchNameError("organisation", str(organisation_id))
    return _to_organisation(found)


def set_organisation(team: TeamDatabase, changed: Organisation, by: int | None = None) -> None:
    """Change what an organisation allows and keeps: all but its name."""
    detail = (
        f"shows members: {'yes' if changed.shows_members else 'no'}, "
        f"retention: {changed.retention_days}, quota: {changed.quota_bytes}"
    )
    with team.transaction():
        team.run("set_organisation", msgspec.structs.asdict(changed))
        write_audit(team, changed.id, "organisation.set", actor=by, detail=detail)


def create_member(
    team: TeamDatabase,
    organisation_id: int,
    name: str,
    role: Role = Role.MEMBER,
    *,
    display_name: str = "",
    by: int | None = None,
) -> Member:
    """Create a member with a private scope; an invite lets them choose a password.

    Raises:
        NameTakenError: There is one of this name, in this organisation or another.
    """
    name = member_name(name)
    shown = label(display_name, "member") if display_name else ""
    values = {"organisation_id": organisation_id, "name": name, "display_name": shown, "role": role}
    with team.transaction():
        found = team.record("add_member", values)
        if found is None:
            raise NameTakenError("member", name)
        _add_scope(team, organisation_id, "private", member_id=found["id"])
        write_audit(
            team, organisation_id, "member.create", actor=by, owner=found["id"], detail=role
        )
    return get_member(team, found["id"])


def list_members(team: TeamDatabase, organisation_id: int) -> list[Member]:
    """Return the members of an organisation, by name."""
    found = team.records("list_members", {"organisation_id": organisation_id})
    return [_to_member(one) for one in found]


def require_member(team: TeamDatabase, name: str, organisation_id: int | None = None) -> Member:
    """Find a member by name, of one organisation if it is given.

    Raises:
        NoSuchNameError: There is none; those of other organisations do not exist.
    """
    found = team.record("find_member", {"name": name.strip().lower()})
    if found is None or organisation_id not in (None, found["organisation_id"]):
        raise NoSuchNameError("member", name)
    return _to_member(found)


def get_member(team: TeamDatabase, member_id: int) -> Member:
    """Return a member who exists."""
    found = team.record("get_member", {"id": member_id})
    if found is None:
        raise NoSuchNameError("member", str(member_id))
    return _to_member(found)


def set_role(team: TeamDatabase, member: Member, role: Role, by: int | None = None) -> None:
    """Change what a member may do."""
    with team.transaction():
        team.run("set_member_role", {"id": member.id, "role": role})
        _audit(team, member, "member.role", by, f"{member.role} → {role}")


def set_quota(
    team: TeamDatabase, member: Member, quota_bytes: int | None, by: int | None = None
) -> None:
    """Change how much a member may push; None is the organisation's quota."""
    with team.transaction():
        team.run("set_member_quota", {"id": member.id, "quota_bytes": quota_bytes})
        _audit(team, member, "member.quota", by, str(quota_bytes))


def disable_member(team: TeamDatabase, member: Member, by: int | None = None) -> None:
    """Let a member in no longer: their tokens are refused at once, and browsers logged out."""
    with team.transaction():
        team.run("disable_member", {"id": member.id})
        over = [TokenKind.BROWSER, TokenKind.INVITE, TokenKind.RESET]
        team.run("revoke_credentials", {"member_id": member.id, "kinds": over})
        _audit(team, member, "member.disable", by)


def enable_member(team: TeamDatabase, member: Member, by: int | None = None) -> None:
    """Let a member in again, with the devices that were not revoked."""
    with team.transaction():
        team.run("enable_member", {"id": member.id})
        _audit(team, member, "member.enable", by)


def scopes_of(team: TeamDatabase, principal: Principal) -> tuple[int, ...]:
    """Return the scopes that a member may see.

    These are their own, the organisation's, and those of the projects they belong to. An auditor
    sees all of the organisation.
    """
    values = {
        "organisation_id": principal.organisation_id,
        "member_id": principal.member_id,
        "sees_all": principal.role is Role.AUDITOR,
    }
    return tuple(row[0] for row in team.rows("list_viewer_scopes", values))


def _add_scope(
    team: TeamDatabase, organisation_id: int, kind: str, *, member_id: int | None = None
) -> None:
    values = {
        "organisation_id": organisation_id,
        "kind": kind,
        "member_id": member_id,
        "project_id": None,
    }
    team.run("add_scope", values)


def _audit(
    team: TeamDatabase, member: Member, action: str, by: int | None, detail: str = ""
) -> None:
    write_audit(team, member.organisation_id, action, actor=by, owner=member.id, detail=detail)


def _to_organisation(found: dict[str, object]) -> Organisation:
    return msgspec.convert(found, Organisation, strict=False)


def _to_member(found: dict[str, object]) -> Member:
    return msgspec.convert(found, Member, strict=False)
