"""`clew admin device`: the devices that push."""

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


@click.group("device")
def device() -> None:
    """List, add and revoke devices."""


@device.command("list")
@click.option("--member", "name", default="", metavar="NAME", help="Only devices of this member.")
@organisation_option
@blobs_option
@archive_option
@json_option
def list_all(name: str, organisation: str, *, as_json: bool) -> None:
    """List devices."""
    from clew.server.accounts import require_member
    from clew.server.devices import Device, list_devices

    columns: list[Column[Device]] = [
        Column("id", lambda one: str(one.id), is_number=True),
        Column("member", lambda one: one.member),
        Column("device", lambda one: one.name, takes_rest=True),
        Column("last used", lambda one: minute(one.last_seen_at)),
        Column("revoked", lambda one: minute(one.revoked_at)),
    ]
    with opened_team() as team:
        owner = find_chosen_organisation(team, organisation).id
        member_id = require_member(team, name, owner).id if name else None
        found = list_devices(team, owner, member_id)
    print_found("devices", columns, found, as_json=as_json)


@device.command("add")
@click.argument("member")
@click.argument("name")
@blobs_option
@archive_option
def add(member: str, name: str) -> None:
    """Add a device of a member, and print its token for `clew login --token`."""
    from clew.server.accounts import require_member
    from clew.server.devices import register_device

    with opened_team() as team:
        found = require_member(team, member)
        issued = register_device(team, found.organisation_id, found.id, name)
    click.echo(issued.token)


@device.command("revoke")
@click.argument("device_id", type=int, metavar="ID")
@organisation_option
@blobs_option
@archive_option
def revoke(device_id: int, organisation: str) -> None:
    """Refuse a device from now on."""
    from clew.server.devices import revoke_device

    with opened_team() as team:
        revoke_device(team, find_chosen_organisation(team, organisation).id, device_id)
    click.echo(f"Revoked device {device_id}")
