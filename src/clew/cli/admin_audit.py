"""`clew admin audit`: who did what."""

import click

from clew.cli.admin_options import (
    find_chosen_organisation,
    minute,
    organisation_option,
    print_found,
)
from clew.cli.options import archive_option, json_option
from clew.cli.table import Column
from clew.cli.team_archive import blobs_option, opened_team


@click.command("audit")
@click.option(
    "--member", "name", default="", metavar="NAME", help="Only what this member did or had done."
)
@click.option(
    "--limit",
    type=click.IntRange(1, 100_000),
    default=100,
    show_default=True,
    metavar="N",
    help="Maximum number of results.",
)
@organisation_option
@blobs_option
@archive_option
@json_option
def audit(name: str, limit: int, organisation: str, *, as_json: bool) -> None:
    """Show the audit log, the latest first."""
    from clew.server.accounts import require_member
    from clew.server.audit import AuditEvent, list_audit

    columns: list[Column[AuditEvent]] = [
        Column("time", lambda one: minute(one.at)),
        Column("by", lambda one: one.actor or "(admin)"),
        Column("action", lambda one: one.action),
        Column("about", lambda one: one.owner or ""),
        Column("session", lambda one: (one.session_id or "")[:8]),
        Column("detail", lambda one: one.detail, takes_rest=True),
    ]
    with opened_team() as team:
        owner = find_chosen_organisation(team, organisation).id
        member_id = require_member(team, name, owner).id if name else None
        found = list_audit(team, owner, member_id=member_id, maximum=limit)
    print_found("audit", columns, found, as_json=as_json)
