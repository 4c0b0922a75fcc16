"""Pages that a laptop's app has not: sharing a session, who read what, usage of a team."""

import asyncio
from typing import Any, Final

from litestar import Request, Response, get, post

from clew.errors import UsageError
from clew.protocol import Visibility
from clew.render.formatting import money_usd, scaled
from clew.render.site import (
    TeamCell,
    TeamForm,
    TeamInput,
    TeamPage,
    TeamRow,
    TeamTable,
    render_team,
)
from clew.server.account_links import AUDIT, TEAM_USAGE
from clew.server.account_responses import read_form, redirect
from clew.server.accounts import get_organisation
from clew.server.audit import AuditEvent
from clew.server.audit_words import action_text
from clew.server.requests import principal_of, team_of, team_settings_of
from clew.server.session_routes import BeforeLine, RowNumber, audit_page, own_session
from clew.server.session_states import read_session_state
from clew.server.shared_usage import SharedUsage, read_shared_usage
from clew.server.sharing import (
    MAX_HOURS,
    list_share_links,
    make_share_link,
    revoke_share_link,
    share_session,
)
from clew.web.page_response import HTML, draw_for, shell_of
from clew.web.params import Id, TheFilters
from clew.web.state import cache_of

AnyRequest = Request[Any, Any, Any]
_DAY_HOURS: Final = "24"


def respond_team(request: AnyRequest, page: TeamPage) -> Response[bytes]:
    """Respond with a page of tables and forms, which is never cached."""
    return Response(draw_for(request, render_team(page, shell_of(request))), media_type=HTML)


@get("/sessions/{session_id:str}/share", sync_to_thread=True, include_in_schema=False)
def share_page(request: AnyRequest, session_id: Id) -> Response[bytes]:
    """Show who sees a session of the member's own, and its links."""
    return _share_page(request, session_id)


def _share_page(request: AnyRequest, session_id: str, link: str = "") -> Response[bytes]:
    principal, name = principal_of(request), own_session(request, session_id)
    cache = cache_of(request)
    own = cache.urls.session(session_id)
    with team_of(request) as team:
        state = read_session_state(team, principal, principal.member_id, name)
        links = list_share_links(team, principal, name)
        own_projects = team.rows("projects_to_share", {"member_id": principal.member_id})
    choices = ["private", *(f"project {row[0]}" for row in own_projects), "organisation"]
    present = f"project {state.project}" if state.project else state.visibility
    page = TeamPage(
        title="Share a session",
        lines=[
            cache.overview(session_id).title,
            "Whoever has a link to it reads this session without logging in, until it expires.",
        ],
        links=[("Back to the session", own)],
        message="This is the link. It is shown only now." if link else "",
        code=link,
        forms=[
            TeamForm(
                title="Who sees it",
                action=f"{own}/share",
                button="Save",
                inputs=[TeamInput(name="visibility", value=present, options=choices)],
            )
        ],
        tables=[
            TeamTable(
                title="Links",
                columns=("Link", "Expires", ""),
                empty="No link shows this session.",
                rows=[
                    TeamRow(
                        (TeamCell(f"Link {one.id}"), _time(one.expires_at.isoformat())),
                        (_button(f"{own}/links/{one.id}/revoke", "Revoke"),),
                    )
                    for one in links
                ],
                forms=[
                    TeamForm(
                        action=f"{own}/links",
                        button="Make a link",
                        inputs=[
                            TeamInput(
                                name="hours",
                                label="Expires after hours",
                                kind="number",
                                value=_DAY_HOURS,
                            )
                        ],
                    )
                ],
            )
        ],
    )
    return respond_team(request, page)


@post("/sessions/{session_id:str}/share", status_code=303, include_in_schema=False)
async def change_visibility(request: AnyRequest, session_id: Id) -> Response[bytes]:
    """Change who sees a session."""
    chosen = (await read_form(request)).get("visibility", "")
    kind, _, project = chosen.partition(" ")
    if kind not in list(Visibility):
        raise UsageError("choose who sees the session: private, a project or organisation")

    def change() -> Response[bytes]:
        name = own_session(request, session_id)
        with team_of(request) as team:
            share_session(team, principal_of(request), name, Visibility(kind), project or None)
        return redirect(f"{cache_of(request).urls.session(session_id)}/share")

    return await asyncio.to_thread(change)


@post("/sessions/{session_id:str}/links", status_code=200, include_in_schema=False)
async def add_link(request: AnyRequest, session_id: Id) -> Response[bytes]:
    """Make a link, and show it once."""
    hours = (await read_form(request)).get("hours", "")
    if not hours.isdecimal() or not 1 <= int(hours[:6]) <= MAX_HOURS:
        raise UsageError(f"choose a time of 1 to {MAX_HOURS} hours")

    def make() -> Response[bytes]:
        name = own_session(request, session_id)
        with team_of(request) as team:
            token, _ = make_share_link(team, principal_of(request), name, int(hours))
        return _share_page(request, session_id, f"{team_settings_of(request).url}/shared/{token}")

    return await asyncio.to_thread(make)


@post(
    "/sessions/{session_id:str}/links/{link_id:int}/revoke",
    status_code=303,
    sync_to_thread=True,
    include_in_schema=False,
)
def drop_link(request: AnyRequest, session_id: Id, link_id: RowNumber) -> Response[bytes]:
    """Revoke a link."""
    with team_of(request) as team:
        revoke_share_link(team, principal_of(request), link_id)
    return redirect(f"{cache_of(request).urls.session(session_id)}/share")


@get(AUDIT, sync_to_thread=True, include_in_schema=False)
def own_audit_page(request: AnyRequest, before: BeforeLine = None) -> Response[bytes]:
    """Show what a member did, and who read sessions of theirs."""
    found = audit_page(request, before)
    lines = [
        "What you did, and who read your sessions.",
        "Whoever runs the database and the bucket of this server can read everything in them.",
    ]
    return respond_team(
        request,
        TeamPage(
            title="Activity",
            lines=lines,
            tables=[audit_table(found.events, AUDIT, found.next_before)],
        ),
    )


def audit_table(events: list[AuditEvent], place: str, following: int | None) -> TeamTable:
    """Return lines of the log as a table."""
    return TeamTable(
        columns=("When", "Who", "What", "Member", "Session", "Details"),
        rows=[
            TeamRow(
                (
                    _time(event.at.isoformat()),
                    TeamCell(event.actor or "the server"),
                    TeamCell(action_text(event.action)),
                    TeamCell(event.owner or ""),
                    TeamCell((event.session_id or "")[:8], _session_url(event)),
                    TeamCell(event.detail),
                )
            )
            for event in events
        ],
        empty="Nothing yet.",
        more=f"{place}?before={following}" if following else "",
    )


def _session_url(event: AuditEvent) -> str:
    return f"/sessions/{event.session_id}" if event.session_id else ""


@get(TEAM_USAGE, sync_to_thread=True, include_in_schema=False)
def team_usage_page(request: AnyRequest, filters: TheFilters) -> Response[bytes]:
    """Show leads what shared sessions used by project, and by member where that is switched on."""
    principal = principal_of(request)
    with team_of(request) as team:
        found = [read_shared_usage(team, principal, filters, "project")]
        if get_organisation(team, principal.organisation_id).shows_members:
            found.append(read_shared_usage(team, principal, filters, "member"))
    lines = [
        "Sessions that members share with a project or with the organisation.",
        "What they keep to themselves is not counted. Costs are estimates from list prices.",
    ]
    if len(found) == 1:
        lines.append("Your organisation does not show usage by member.")
    periods = [("All time", TEAM_USAGE)]
    periods += [(f"Last {days} days", f"{TEAM_USAGE}?since={days}d") for days in (7, 30, 90)]
    tables = [_usage_table(one) for one in found]
    return respond_team(
        request, TeamPage(title="Team usage", lines=lines, links=periods, tables=tables)
    )


def _usage_table(usage: SharedUsage) -> TeamTable:
    is_project = usage.by == "project"
    members = ("Members",) if is_project else ()
    return TeamTable(
        title="By project" if is_project else "By member",
        columns=(usage.by.capitalize(), *members, "Sessions", "Tokens", "Cost"),
        rows=[
            TeamRow(
                (
                    TeamCell(row.name or "without a project"),
                    *(_figure(str(row.members)) for _ in members),
                    _figure(f"{row.sessions:,}"),
                    _figure(scaled(row.total_tokens)),
                    _figure(money_usd(row.cost_usd, "exact")),
                )
            )
            for row in usage.rows
        ],
        empty="Nothing is shared yet.",
    )


def _time(text: str) -> TeamCell:
    return TeamCell(text, "", "time")


def _figure(text: str) -> TeamCell:
    return TeamCell(text, "", "figure")


def _button(action: str, word: str) -> TeamForm:
    return TeamForm(action=action, button=word)


TEAM_PAGES: Final = (
    share_page,
    change_visibility,
    add_link,
    drop_link,
    own_audit_page,
    team_usage_page,
)
