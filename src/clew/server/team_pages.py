"""Pages that a laptop's app has not: who read what, usage of a team."""

from typing import Any, Final

from litestar import Request, Response, get

from clew.render.formatting import money_usd, scaled
from clew.render.site import (
    TeamCell,
    TeamPage,
    TeamRow,
    TeamTable,
    render_team,
)
from clew.server.account_links import AUDIT, TEAM_USAGE
from clew.server.accounts import get_organisation
from clew.server.audit import AuditEvent
from clew.server.audit_reads import LINK_READ
from clew.server.audit_words import action_text
from clew.server.requests import principal_of, team_of
from clew.server.session_routes import BeforeLine, audit_page
from clew.server.shared_usage import SharedUsage, read_shared_usage
from clew.web.page_response import HTML, draw_for, shell_of
from clew.web.params import TheFilters

AnyRequest = Request[Any, Any, Any]


def respond_team(request: AnyRequest, page: TeamPage) -> Response[bytes]:
    """Respond with a page of tables and forms, which is never cached."""
    return Response(draw_for(request, render_team(page, shell_of(request))), media_type=HTML)


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
                    TeamCell(_actor(event)),
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


def _actor(event: AuditEvent) -> str:
    if event.actor:
        return event.actor
    return "somebody with the link" if event.action == LINK_READ else "the server"


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


TEAM_PAGES: Final = (own_audit_page, team_usage_page)
