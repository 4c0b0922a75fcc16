"""The projects of an organisation, with which members share sessions."""

import datetime as dt

import msgspec

from clew.errors import UsageError
from clew.server.accounts import Member, NameTakenError, NoSuchNameError
from clew.server.audit import write_audit
from clew.server.names import label
from clew.server.off_boarding import withdraw_sessions
from clew.store.postgres.team import TeamDatabase


class TeamProject(msgspec.Struct, frozen=True):
    """A project on the server; `members` counts them."""

    id: int
    organisation_id: int
    name: str
    retention_days: int | None
    created_at: dt.datetime
    scope_id: int
    members: int


class OtherOrganisationError(UsageError):
    """A member and a project belong to different organisations."""

    def __init__(self, member: str, project: str) -> None:
        super().__init__(
            f"{member} and {project} are not in the same organisation; check the names"
        )


def create_project(
    team: TeamDatabase, organisation_id: int, name: str, by: int | None = None
) -> TeamProject:
    """Create a project with its scope.

    Raises:
        NameTakenError: The organisation has one of this name.
    """
    name = label(name, "project")
    values = {"organisation_id": organisation_id, "name": name, "created_by": by}
    with team.transaction():
        found = team.record("add_project", values)
        if found is None:
            raise NameTakenError("project", name)
        scope = {"organisation_id": organisation_id, "kind": "project", "member_id": None}
        team.run("add_scope", {**scope, "project_id": found["id"]})
        write_audit(team, organisation_id, "project.create", actor=by, detail=name)
    return require_project(team, organisation_id, name)


def list_team_projects(team: TeamDatabase, organisation_id: int) -> list[TeamProject]:
    """Return the projects of an organisation, by name."""
    found = team.records("list_team_projects", {"organisation_id": organisation_id})
    return [TeamProject(**one) for one in found]


def require_project(team: TeamDatabase, organisation_id: int, name: str) -> TeamProject:
    """Find a project of an organisation by its name.

    Raises:
        NoSuchNameError: There is none.
    """
    found = team.record("find_team_project", {"organisation_id": organisation_id, "name": name})
    if found is None:
        raise NoSuchNameError("project", name)
    return TeamProject(**found)


def set_project_retention(
    team: TeamDatabase, project: TeamProject, days: int | None, by: int | None = None
) -> None:
    """Change after how many days a project's sessions are deleted; None is the organisation's."""
    with team.transaction():
        team.run("set_project_retention", {"id": project.id, "retention_days": days})
        detail = f"{project.name}: {days}"
        write_audit(team, project.organisation_id, "project.retention", actor=by, detail=detail)


def add_project_member(
    team: TeamDatabase, project: TeamProject, member: Member, by: int | None = None
) -> None:
    """Let a member see what is shared with a project; they may belong to it already.

    Raises:
        OtherOrganisationError: They are in different organisations.
    """
    if project.organisation_id != member.organisation_id:
        raise OtherOrganisationError(member.name, project.name)
    values = {"project_id": project.id, "member_id": member.id, "added_by": by}
    with team.transaction():
        if team.run("add_project_member", values):
            _audit(team, project, member, "project.add", by)


def remove_project_member(
    team: TeamDatabase, project: TeamProject, member: Member, by: int | None = None
) -> None:
    """Let a member no longer see what is shared with a project.

    What they shared with it themselves is theirs alone again: otherwise others would see it, but
    they would not.
    """
    with team.transaction():
        if team.run("remove_project_member", {"project_id": project.id, "member_id": member.id}):
            _audit(team, project, member, "project.remove", by)
    withdraw_sessions(team, member, project.scope_id)


def _audit(
    team: TeamDatabase, project: TeamProject, member: Member, action: str, by: int | None
) -> None:
    write_audit(
        team, project.organisation_id, action, actor=by, owner=member.id, detail=project.name
    )
