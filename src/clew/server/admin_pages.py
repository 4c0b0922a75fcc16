"""The pages of administrators: members, devices, projects, settings, what failed. No content."""

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, Final

import msgspec
from litestar import Request, Response, get, post
from litestar.exceptions import PermissionDeniedException
from litestar.params import PathParameter

from clew.errors import UsageError
from clew.render.site import TeamCell, TeamForm, TeamInput, TeamPage, TeamRow, TeamTable
from clew.server.account_links import ADMIN, ADMIN_AUDIT
from clew.server.account_responses import read_form, redirect
from clew.server.accounts import (
    Member,
    Organisation,
    create_member,
    disable_member,
    enable_member,
    get_organisation,
    list_members,
    require_member,
    set_organisation,
    set_role,
)
from clew.server.admin_digests import ADMIN_DIGESTS, digest_form, digest_lines, save_digests
from clew.server.devices import list_devices, revoke_device
from clew.server.links import make_link
from clew.server.principal import Principal, Role
from clew.server.projects import (
    add_project_member,
    create_project,
    list_team_projects,
    remove_project_member,
    require_project,
)
from clew.server.queue import retry_session
from clew.server.requests import browser_of, team_of, team_settings_of
from clew.server.session_routes import BeforeLine, RowNumber, audit_page
from clew.server.sizes import parse_size, write_size
from clew.server.team_pages import audit_table, respond_team
from clew.server.tokens import TokenKind
from clew.store.postgres.team import TeamDatabase

AnyRequest = Request[Any, Any, Any]
Word = Annotated[str, PathParameter(max_length=200)]
_MOST_FAILED: Final = 100
_MAX_NUMBER: Final = 1 << 53
_LINKS: Final = [("Administration", ADMIN), ("Audit log", ADMIN_AUDIT)]
_FAILED: Final = "Failed sessions"
_STAGES: Final = {
    "parsed": "parsed",
    "summarised": "of them summarised",
    "received": "received and not parsed yet",
    "working": "being parsed",
    "failed": "failed",
    "held": "under legal hold",
}
_ROLES: Final = [str(role) for role in Role]


def require_admin(request: AnyRequest) -> Principal:
    """Return who makes a request with a browser, if they are an administrator.

    Raises:
        PermissionDeniedException: They are not.
        NotAllowedError: It comes from a device.
    """
    principal = browser_of(request)
    if principal.role is not Role.ADMIN:
        raise PermissionDeniedException("only administrators may do this")
    return principal


@get(ADMIN, sync_to_thread=True, include_in_schema=False)
def admin_page(request: AnyRequest) -> Response[bytes]:
    """Show the organisation."""
    return _admin_page(request, require_admin(request))


def _admin_page(
    request: AnyRequest, principal: Principal, message: str = "", link: str = ""
) -> Response[bytes]:
    with team_of(request) as team:
        organisation = get_organisation(team, principal.organisation_id)
        tables = [
            _members(team, principal),
            _projects(team, organisation),
            _devices(team, organisation),
            _failed(team, organisation),
        ]
        tables.sort(key=lambda table: table.title != _FAILED or not table.rows)
        lines = [_stages(team, organisation), *digest_lines(team, organisation.id)]
        digests = digest_form(team, organisation.id)
    page = TeamPage(
        title=organisation.name,
        links=_LINKS,
        message=message,
        code=link,
        lines=lines,
        tables=tables,
        last_forms=[_settings(organisation), digests],
    )
    return respond_team(request, page)


def _stages(team: TeamDatabase, organisation: Organisation) -> str:
    found = team.record("count_stages", {"organisation_id": organisation.id}) or dict.fromkeys(
        _STAGES, 0
    )
    return (
        "Sessions: " + ", ".join(f"{found[name]:,} {text}" for name, text in _STAGES.items()) + "."
    )


def _members(team: TeamDatabase, principal: Principal) -> TeamTable:
    members = list_members(team, principal.organisation_id)
    return TeamTable(
        title="Members",
        columns=("Name", "Role", "State", ""),
        rows=[
            TeamRow(
                (TeamCell(one.name), TeamCell(one.role), TeamCell(_member_state(one))),
                _member_forms(one) if one.id != principal.member_id else (),
            )
            for one in members
        ],
        forms=[
            TeamForm(
                action=f"{ADMIN}/members",
                button="Invite",
                inputs=[
                    TeamInput(name="name", placeholder="Name"),
                    TeamInput(name="role", value=Role.MEMBER, options=_ROLES),
                ],
            )
        ],
    )


def _member_state(member: Member) -> str:
    if member.disabled_at is not None:
        return "disabled"
    return "" if member.has_password or member.has_identity else "invited"


def _member_forms(member: Member) -> tuple[TeamForm, ...]:
    place = f"{ADMIN}/members/{member.name}"
    if member.disabled_at is not None:
        return (TeamForm(action=f"{place}/enable", button="Enable"),)
    role = TeamInput(name="role", value=member.role, options=_ROLES)
    return (
        TeamForm(action=f"{place}/role", button="Change role", inputs=[role]),
        TeamForm(action=f"{place}/reset", button="Reset password"),
        TeamForm(action=f"{place}/disable", button="Disable"),
    )


def _projects(team: TeamDatabase, organisation: Organisation) -> TeamTable:
    found = list_team_projects(team, organisation.id)
    rows = []
    for one in found:
        names = [row[1] for row in team.rows("list_project_members", {"project_id": one.id})]
        place = f"{ADMIN}/projects/{one.id}"
        new = TeamInput(name="name", placeholder="Name of a member")
        forms = [TeamForm(action=f"{place}/add", button="Add", inputs=[new])]
        if names:
            old = TeamInput(name="name", value=names[0], options=names)
            forms.append(TeamForm(action=f"{place}/remove", button="Remove", inputs=[old]))
        rows.append(TeamRow((TeamCell(one.name), TeamCell(", ".join(names))), forms))
    form = TeamForm(
        action=f"{ADMIN}/projects",
        button="Create",
        inputs=[TeamInput(name="project", placeholder="Name of a project")],
    )
    return TeamTable(
        title="Projects",
        columns=("Name", "Members", ""),
        rows=rows,
        empty="No projects yet. Members share sessions with projects.",
        forms=[form],
    )


def _devices(team: TeamDatabase, organisation: Organisation) -> TeamTable:
    return TeamTable(
        title="Devices",
        columns=("Member", "Device", "Last used", ""),
        rows=[
            TeamRow(
                (
                    TeamCell(one.member),
                    TeamCell(one.name),
                    TeamCell(one.last_seen_at.isoformat(), "", "time")
                    if one.last_seen_at
                    else TeamCell("never"),
                ),
                (TeamForm(action=f"{ADMIN}/devices/{one.id}/revoke", button="Revoke"),),
            )
            for one in list_devices(team, organisation.id)
            if one.revoked_at is None
        ],
        empty="No devices.",
    )


def _failed(team: TeamDatabase, organisation: Organisation) -> TeamTable:
    values = {"organisation_id": organisation.id, "most": _MOST_FAILED}
    return TeamTable(
        title=_FAILED,
        columns=("Member", "Session", "Received", "Reason", ""),
        rows=[
            TeamRow(
                (
                    TeamCell(one["member"]),
                    TeamCell(one["session_id"]),
                    TeamCell(one["grown_at"].isoformat(), "", "time"),
                    TeamCell(one["failed_reason"]),
                ),
                (_retry_form(one["owner"], one["session_id"]),),
            )
            for one in team.records("failed_sessions", values)
        ],
        empty="No session failed.",
    )


def _retry_form(owner: int, session_id: str) -> TeamForm:
    return TeamForm(
        action=f"{ADMIN}/retry",
        button="Retry",
        inputs=[
            TeamInput(name="owner", kind="hidden", value=str(owner)),
            TeamInput(name="session", kind="hidden", value=session_id),
        ],
    )


def _settings(organisation: Organisation) -> TeamForm:
    return TeamForm(
        title="Settings",
        action=f"{ADMIN}/settings",
        button="Save",
        inputs=[
            TeamInput(
                name="shows_members",
                label="Leads see usage by member",
                value="yes" if organisation.shows_members else "no",
                options=["no", "yes"],
            ),
            TeamInput(
                name="retention_days",
                label="Delete sessions after days",
                kind="number",
                value=_number(organisation.retention_days),
                placeholder="never",
            ),
            TeamInput(
                name="quota_bytes",
                label="Storage per member",
                value="" if not organisation.quota_bytes else write_size(organisation.quota_bytes),
                placeholder="any, or 20 GB",
            ),
        ],
    )


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


@get(ADMIN_AUDIT, sync_to_thread=True, include_in_schema=False)
def admin_audit_page(request: AnyRequest, before: BeforeLine = None) -> Response[bytes]:
    """Show the audit log of the organisation."""
    require_admin(request)
    found = audit_page(request, before, of_all=True)
    table = audit_table(found.events, ADMIN_AUDIT, found.next_before)
    return respond_team(request, TeamPage(title="Audit log", links=_LINKS, tables=[table]))


async def _change(
    request: AnyRequest,
    change: Callable[[TeamDatabase, Principal, dict[str, str]], None],
) -> Response[bytes]:
    """Change something as an administrator, then show the page again."""
    principal, form = require_admin(request), await read_form(request)

    def run() -> Response[bytes]:
        with team_of(request) as team:
            change(team, principal, form)
        return redirect(ADMIN)

    return await asyncio.to_thread(run)


async def _make_link(
    request: AnyRequest,
    kind: TokenKind,
    find: Callable[[TeamDatabase, Principal, dict[str, str]], Member],
) -> Response[bytes]:
    """Make a link for a member as an administrator, and show it once."""
    principal, form = require_admin(request), await read_form(request)

    def run() -> Response[bytes]:
        with team_of(request) as team:
            member = find(team, principal, form)
            token = make_link(team, kind, member, by=principal.member_id)
        link = f"{team_settings_of(request).url}/{kind}/{token}"
        text = f"Send this link to {member.name}. It is shown only now, and works once."
        return _admin_page(request, principal, text, link)

    return await asyncio.to_thread(run)


@post(f"{ADMIN}/members", status_code=200, include_in_schema=False)
async def invite_member(request: AnyRequest) -> Response[bytes]:
    """Create a member, and show their invite."""

    def find(team: TeamDatabase, by: Principal, form: dict[str, str]) -> Member:
        role = _role(form)
        return create_member(team, by.organisation_id, form.get("name", ""), role, by=by.member_id)

    return await _make_link(request, TokenKind.INVITE, find)


@post(f"{ADMIN}/members/{{name:str}}/reset", status_code=200, include_in_schema=False)
async def reset_member(request: AnyRequest, name: Word) -> Response[bytes]:
    """Show a new link with which a member sets a password."""

    def find(team: TeamDatabase, by: Principal, _form: dict[str, str]) -> Member:
        return require_member(team, name, by.organisation_id)

    return await _make_link(request, TokenKind.RESET, find)


@post(f"{ADMIN}/members/{{name:str}}/role", status_code=303, include_in_schema=False)
async def change_role(request: AnyRequest, name: Word) -> Response[bytes]:
    """Change the role of a member."""

    def change(team: TeamDatabase, by: Principal, form: dict[str, str]) -> None:
        set_role(team, _other(team, by, name), _role(form), by=by.member_id)

    return await _change(request, change)


@post(f"{ADMIN}/members/{{name:str}}/disable", status_code=303, include_in_schema=False)
async def disable(request: AnyRequest, name: Word) -> Response[bytes]:
    """Let a member in no longer."""

    def change(team: TeamDatabase, by: Principal, _form: dict[str, str]) -> None:
        disable_member(team, _other(team, by, name), by=by.member_id)

    return await _change(request, change)


@post(f"{ADMIN}/members/{{name:str}}/enable", status_code=303, include_in_schema=False)
async def enable(request: AnyRequest, name: Word) -> Response[bytes]:
    """Let a member in again."""

    def change(team: TeamDatabase, by: Principal, _form: dict[str, str]) -> None:
        enable_member(team, _other(team, by, name), by=by.member_id)

    return await _change(request, change)


@post(f"{ADMIN}/projects", status_code=303, include_in_schema=False)
async def add_project(request: AnyRequest) -> Response[bytes]:
    """Create a project."""

    def change(team: TeamDatabase, by: Principal, form: dict[str, str]) -> None:
        create_project(team, by.organisation_id, form.get("project", ""), by=by.member_id)

    return await _change(request, change)


@post(f"{ADMIN}/projects/{{project_id:int}}/{{how:str}}", status_code=303, include_in_schema=False)
async def change_project(request: AnyRequest, project_id: RowNumber, how: Word) -> Response[bytes]:
    """Add a member to a project, or remove one."""
    changes = {"add": add_project_member, "remove": remove_project_member}
    if how not in changes:
        raise UsageError("a member can be added or removed")

    def change(team: TeamDatabase, by: Principal, form: dict[str, str]) -> None:
        found = list_team_projects(team, by.organisation_id)
        name = next((one.name for one in found if one.id == project_id), "")
        project = require_project(team, by.organisation_id, name)
        member = require_member(team, form.get("name", ""), by.organisation_id)
        changes[how](team, project, member, by.member_id)

    return await _change(request, change)


@post(f"{ADMIN}/devices/{{device_id:int}}/revoke", status_code=303, include_in_schema=False)
async def refuse_device(request: AnyRequest, device_id: RowNumber) -> Response[bytes]:
    """Refuse a device from now on."""

    def change(team: TeamDatabase, by: Principal, _form: dict[str, str]) -> None:
        revoke_device(team, by.organisation_id, device_id, by=by.member_id)

    return await _change(request, change)


@post(f"{ADMIN}/retry", status_code=303, include_in_schema=False)
async def retry(request: AnyRequest) -> Response[bytes]:
    """Let workers try a session again."""

    def change(team: TeamDatabase, by: Principal, form: dict[str, str]) -> None:
        owner = form.get("owner", "")
        members = {str(one.id): one.id for one in list_members(team, by.organisation_id)}
        if owner not in members:
            raise UsageError("there is no such session; reload the page")
        retry_session(team, members[owner], form.get("session", "")[:200])

    return await _change(request, change)


@post(f"{ADMIN}/settings", status_code=303, include_in_schema=False)
async def change_settings(request: AnyRequest) -> Response[bytes]:
    """Change what the organisation allows and keeps."""

    def change(team: TeamDatabase, by: Principal, form: dict[str, str]) -> None:
        changed = msgspec.structs.replace(
            get_organisation(team, by.organisation_id),
            shows_members=form.get("shows_members") == "yes",
            retention_days=_read_number(form.get("retention_days", "")),
            quota_bytes=_read_size(form.get("quota_bytes", "")),
        )
        set_organisation(team, changed, by=by.member_id)

    return await _change(request, change)


@post(ADMIN_DIGESTS, status_code=303, include_in_schema=False)
async def change_digests(request: AnyRequest) -> Response[bytes]:
    """Change whether a model writes digests, which one, and for how much."""
    return await _change(request, save_digests)


def _other(team: TeamDatabase, by: Principal, name: str) -> Member:
    """Return another member of the organisation: nobody locks themselves out.

    Raises:
        UsageError: It is the administrator.
    """
    member = require_member(team, name, by.organisation_id)
    if member.id == by.member_id:
        raise UsageError("another administrator must change your own account")
    return member


def _role(form: dict[str, str]) -> Role:
    if form.get("role") not in _ROLES:
        raise UsageError(f"choose a role: {', '.join(_ROLES)}")
    return Role(form["role"])


def _read_number(text: str) -> int | None:
    if not text.strip():
        return None
    if not text.isdecimal() or len(text) > len(str(_MAX_NUMBER)) or not int(text):
        raise UsageError("write a whole number above 0, or nothing")
    return int(text)


def _read_size(text: str) -> int | None:
    return (parse_size(text) or None) if text.strip() else None


ADMIN_PAGES: Final = (
    admin_page,
    admin_audit_page,
    invite_member,
    reset_member,
    change_role,
    disable,
    enable,
    add_project,
    change_project,
    refuse_device,
    retry,
    change_settings,
    change_digests,
)
