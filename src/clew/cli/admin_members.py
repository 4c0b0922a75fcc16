"""`clew admin member`: who belongs to an organisation, and what happens when they leave."""

from typing import Final

import click

from clew.cli.admin_options import (
    day,
    find_chosen_organisation,
    organisation_option,
    print_found,
    public_url_option,
    read_size,
)
from clew.cli.options import archive_option, json_option
from clew.cli.table import Column
from clew.cli.team_archive import blobs_option, opened_team
from clew.cli.text import visible
from clew.errors import UsageError
from clew.figures import plural

_ROLES: Final = ("member", "lead", "auditor", "admin")
_INVITE: Final = """\
Invite a member; print a link to send them.

Creates the member unless they exist. The link can be used once, within 7 days, to choose a password
or to connect an account of the identity provider. Earlier links stop working.
"""
_TRANSFER: Final = """\
Show all sessions of a member to another one, or to a project.

The sessions keep their author. Use this when somebody leaves: disable, then transfer or delete.
"""
_DELETE: Final = """\
Delete a member with all their sessions.

Workers delete the rows at once and the files after the quarantine. Sessions on legal hold stay. The
member's name stays in the audit log and cannot be used again.
"""


class NoReceiverError(UsageError):
    """Nobody, or more than one, shall get the sessions."""

    def __init__(self) -> None:
        super().__init__("choose who gets the sessions: either --to or --to-project")


@click.group("member")
def member() -> None:
    """Invite, change and remove members."""


@member.command("invite", help=_INVITE, short_help="Invite a member.")
@click.argument("name")
@click.option(
    "--role", type=click.Choice(_ROLES), default="member", show_default=True, help="Role."
)
@click.option("--display-name", default="", metavar="TEXT", help="Name to show.")
@organisation_option
@public_url_option
@blobs_option
@archive_option
def invite(name: str, role: str, display_name: str, organisation: str, public_url: str) -> None:
    """Print an invite link."""
    from clew.server.accounts import NoSuchNameError, create_member, require_member
    from clew.server.links import make_link
    from clew.server.principal import Role
    from clew.server.settings import require_public_url
    from clew.server.tokens import TokenKind

    url = require_public_url(public_url)
    with opened_team() as team, team.transaction():
        found = find_chosen_organisation(team, organisation)
        try:
            invited = require_member(team, name, found.id)
        except NoSuchNameError:
            invited = create_member(team, found.id, name, Role(role), display_name=display_name)
        token = make_link(team, TokenKind.INVITE, invited)
    click.echo(f"{url}/invite/{token}")


@member.command("reset")
@click.argument("name")
@public_url_option
@blobs_option
@archive_option
def reset(name: str, public_url: str) -> None:
    """Print a link with which a member sets a new password."""
    from clew.server.accounts import require_member
    from clew.server.links import make_link
    from clew.server.settings import require_public_url
    from clew.server.tokens import TokenKind

    url = require_public_url(public_url)
    with opened_team() as team:
        token = make_link(team, TokenKind.RESET, require_member(team, name))
    click.echo(f"{url}/reset/{token}")


@member.command("list")
@organisation_option
@blobs_option
@archive_option
@json_option
def list_all(organisation: str, *, as_json: bool) -> None:
    """List members."""
    from clew.server.accounts import Member, list_members

    columns: list[Column[Member]] = [
        Column("name", lambda one: one.name, takes_rest=True),
        Column("role", lambda one: one.role),
        Column("login", _logins),
        Column("created", lambda one: day(one.created_at), 1),
        Column("disabled", lambda one: day(one.disabled_at)),
    ]
    with opened_team() as team:
        found = list_members(team, find_chosen_organisation(team, organisation).id)
    print_found("members", columns, found, as_json=as_json)


@member.command("role")
@click.argument("name")
@click.argument("role", type=click.Choice(_ROLES))
@blobs_option
@archive_option
def change_role(name: str, role: str) -> None:
    """Change what a member may do."""
    from clew.server.accounts import require_member, set_role
    from clew.server.principal import Role

    with opened_team() as team:
        found = require_member(team, name)
        set_role(team, found, Role(role))
    click.echo(f"{visible(found.name)}: {found.role} → {role}")


@member.command("quota")
@click.argument("name")
@click.argument("quota", type=read_size)
@blobs_option
@archive_option
def change_quota(name: str, quota: int) -> None:
    """Change how much a member may push; 0 for the organisation's quota."""
    from clew.server.accounts import require_member, set_quota

    with opened_team() as team:
        found = require_member(team, name)
        set_quota(team, found, quota or None)
    click.echo(f"Changed the quota of {visible(found.name)}")


@member.command("disable")
@click.argument("name")
@blobs_option
@archive_option
def disable(name: str) -> None:
    """Refuse a member's logins and devices from now on."""
    from clew.server.accounts import disable_member, require_member

    with opened_team() as team:
        found = require_member(team, name)
        disable_member(team, found)
    click.echo(f"Disabled {visible(found.name)}")


@member.command("enable")
@click.argument("name")
@blobs_option
@archive_option
def enable(name: str) -> None:
    """Let a disabled member in again."""
    from clew.server.accounts import enable_member, require_member

    with opened_team() as team:
        found = require_member(team, name)
        enable_member(team, found)
    click.echo(f"Enabled {visible(found.name)}")


@member.command("transfer", help=_TRANSFER, short_help="Show a member's sessions to others.")
@click.argument("name")
@click.option("--to", "receiver", default="", metavar="MEMBER", help="Member who sees them.")
@click.option("--to-project", "project", default="", metavar="PROJECT", help="Project to share.")
@blobs_option
@archive_option
def transfer(name: str, receiver: str, project: str) -> None:
    """Move all sessions of a member to another scope."""
    from clew.server.accounts import require_member
    from clew.server.off_boarding import private_scope, transfer_sessions
    from clew.server.projects import require_project

    if bool(receiver) == bool(project):
        raise NoReceiverError
    with opened_team() as team:
        found = require_member(team, name)
        if receiver:
            scope = private_scope(team, require_member(team, receiver, found.organisation_id))
        else:
            scope = require_project(team, found.organisation_id, project).scope_id
        count = transfer_sessions(team, found, scope, receiver or project)
    click.echo(f"{visible(receiver or project)} sees {plural(count, 'session')} of {found.name}")


@member.command("delete", help=_DELETE, short_help="Delete a member with all their sessions.")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@blobs_option
@archive_option
def delete(name: str, *, yes: bool) -> None:
    """Delete a member."""
    from clew.server.accounts import require_member
    from clew.server.off_boarding import delete_member

    with opened_team() as team:
        found = require_member(team, name)
        if not yes:
            click.confirm(f"Delete {found.name} with all their sessions?", abort=True)
        count, held = delete_member(team, found)
    kept = f"; {plural(held, 'session')} on hold" if held else ""
    click.echo(f"Deleted {visible(found.name)} with {plural(count, 'session')}{kept}")


def _logins(found: object) -> str:
    from clew.server.accounts import Member

    if not isinstance(found, Member):
        return ""
    kinds = [
        *(["password"] if found.has_password else []),
        *(["single sign-on"] if found.has_identity else []),
    ]
    return ", ".join(kinds) or "none yet"
