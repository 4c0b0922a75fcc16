"""`clew admin org`: organisations, and what they allow and keep."""

import click
import msgspec

from clew.cli.admin_options import day, find_chosen_organisation, print_found, read_size
from clew.cli.options import archive_option, json_option
from clew.cli.table import Column
from clew.cli.team_archive import blobs_option, opened_team
from clew.cli.text import size, visible


@click.group("org")
def org() -> None:
    """Create and change organisations."""


@org.command("create")
@click.argument("name")
@blobs_option
@archive_option
def create(name: str) -> None:
    """Create an organisation."""
    from clew.server.accounts import create_organisation

    with opened_team() as team:
        made = create_organisation(team, name)
    click.echo(f"Created the organisation {visible(made.name)}")


@org.command("list")
@blobs_option
@archive_option
@json_option
def list_all(*, as_json: bool) -> None:
    """List organisations."""
    from clew.server.accounts import Organisation, list_organisations

    columns: list[Column[Organisation]] = [
        Column("name", lambda one: one.name, takes_rest=True),
        Column("usage by member", lambda one: "shown" if one.shows_members else "hidden"),
        Column("retention", lambda one: f"{one.retention_days} d" if one.retention_days else "-"),
        Column("quota", lambda one: size(one.quota_bytes) if one.quota_bytes else "-"),
        Column("created", lambda one: day(one.created_at)),
    ]
    with opened_team() as team:
        print_found("organisations", columns, list_organisations(team), as_json=as_json)


@org.command("set")
@click.argument("name", default="")
@click.option(
    "--show-members/--hide-members",
    "shows_members",
    default=None,
    help="Let leads see usage by member; all members are shown that they can.",
)
@click.option(
    "--retention",
    type=click.IntRange(0, 36_500),
    metavar="DAYS",
    help="Delete sessions this many days after they last changed; 0 keeps them.",
)
@click.option("--quota", type=read_size, metavar="SIZE", help="Quota per member; 0 for none.")
@blobs_option
@archive_option
def change(
    name: str, *, shows_members: bool | None, retention: int | None, quota: int | None
) -> None:
    """Change what an organisation allows and keeps."""
    from clew.server.accounts import set_organisation

    with opened_team() as team:
        found = find_chosen_organisation(team, name)
        changed = msgspec.structs.replace(
            found,
            shows_members=found.shows_members if shows_members is None else shows_members,
            retention_days=found.retention_days if retention is None else retention or None,
            quota_bytes=found.quota_bytes if quota is None else quota or None,
        )
        set_organisation(team, changed)
    click.echo(f"Changed {visible(found.name)}")
