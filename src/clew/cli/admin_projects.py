"""`clew admin project`: the projects with which members share sessions."""

import click

from clew.cli.admin_options import day, find_chosen_organisation, organisation_option, print_found
from clew.cli.options import archive_option, json_option
from clew.cli.table import Column
from clew.cli.team_archive import blobs_option, opened_team
from clew.cli.text import visible
from clew.figures import plural


@click.group("project")
def project() -> None:
    """Create projects, and choose who belongs to them."""


@project.command("create")
@click.argument("name")
@organisation_option
@blobs_option
@archive_option
def create(name: str, organisation: str) -> None:
    """Create a project; members name it in `clew consent`."""
    from clew.server.projects import create_project

    with opened_team() as team:
        made = create_project(team, find_chosen_organisation(team, organisation).id, name)
    click.echo(f"Created the project {visible(made.name)}")


@project.command("list")
@organisation_option
@blobs_option
@archive_option
@json_option
def list_all(organisation: str, *, as_json: bool) -> None:
    """List projects."""
    from clew.server.projects import TeamProject, list_team_projects

    columns: list[Column[TeamProject]] = [
        Column("project", lambda one: one.name, takes_rest=True),
        Column("members", lambda one: str(one.members), is_number=True),
        Column("retention", lambda one: f"{one.retention_days} d" if one.retention_days else "-"),
        Column("created", lambda one: day(one.created_at)),
    ]
    with opened_team() as team:
        found = list_team_projects(team, find_chosen_organisation(team, organisation).id)
    print_found("projects", columns, found, as_json=as_json)


@project.command("add")
@click.argument("name", metavar="PROJECT")
@click.argument("members", nargs=-1, required=True, metavar="MEMBER...")
@organisation_option
@blobs_option
@archive_option
def add(name: str, members: tuple[str, ...], organisation: str) -> None:
    """Let members see what is shared with a project."""
    from clew.server.accounts import require_member
    from clew.server.projects import add_project_member, require_project

    with opened_team() as team, team.transaction():
        found = require_project(team, find_chosen_organisation(team, organisation).id, name)
        for each in members:
            member = require_member(team, each, found.organisation_id)
            add_project_member(team, found, member)
    click.echo(f"Added {plural(len(members), 'member')} to {visible(found.name)}")


@project.command("remove")
@click.argument("name", metavar="PROJECT")
@click.argument("members", nargs=-1, required=True, metavar="MEMBER...")
@organisation_option
@blobs_option
@archive_option
def remove(name: str, members: tuple[str, ...], organisation: str) -> None:
    """Let members no longer see what is shared with a project."""
    from clew.server.accounts import require_member
    from clew.server.projects import remove_project_member, require_project

    with opened_team() as team, team.transaction():
        found = require_project(team, find_chosen_organisation(team, organisation).id, name)
        for each in members:
            member = require_member(team, each, found.organisation_id)
            remove_project_member(team, found, member)
    click.echo(f"Removed {plural(len(members), 'member')} from {visible(found.name)}")


@project.command("set")
@click.argument("name", metavar="PROJECT")
@click.option(
    "--retention",
    type=click.IntRange(0, 36_500),
    required=True,
    metavar="DAYS",
    help="Delete sessions this many days after they last changed; 0 for the organisation's.",
)
@organisation_option
@blobs_option
@archive_option
def change(name: str, retention: int, organisation: str) -> None:
    """Change how long a project's sessions are archived."""
    from clew.server.projects import require_project, set_project_retention

    with opened_team() as team:
        found = require_project(team, find_chosen_organisation(team, organisation).id, name)
        set_project_retention(team, found, retention or None)
    click.echo(f"Changed {visible(found.name)}")
