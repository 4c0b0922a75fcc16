"""What the commands of `clew admin` share: the organisation they are about, and their output."""

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from clew.cli.table import Column, Item, print_table
from clew.errors import UsageError

if TYPE_CHECKING:
    from clew.server.accounts import Organisation
    from clew.store.postgres.team import TeamDatabase


organisation_option: Final = click.option(
    "--org",
    "organisation",
    metavar="NAME",
    default="",
    help="Organisation. Default: the only one there is.",
)
public_url_option: Final = click.option(
    "--public-url",
    envvar="CLEW_PUBLIC_URL",
    default="http://127.0.0.1:8378",
    show_default=True,
    metavar="URL",
    help="URL of the server, with which links start.",
)


class WhichOrganisationError(UsageError):
    """There is none, or several."""

    def __init__(self, names: Sequence[str]) -> None:
        advice = (
            f"choose one with --org: {', '.join(names)}"
            if names
            else "create one with `clew admin org create NAME`"
        )
        super().__init__(f"there are {len(names) or 'no'} organisations; {advice}")


def read_size(text: str) -> int:
    """Return a number of bytes, such as that of 500M or 20G."""
    from clew.server.sizes import parse_size

    try:
        return parse_size(text)
    except UsageError as error:
        raise click.BadParameter(str(error)) from error


def find_chosen_organisation(team: "TeamDatabase", name: str) -> "Organisation":
    """Return the organisation of a name, or the only one.

    Raises:
        WhichOrganisationError: No name is given, and there are none or several.
    """
    from clew.server.accounts import list_organisations, require_organisation

    if name:
        return require_organisation(team, name)
    found = list_organisations(team)
    if len(found) != 1:
        raise WhichOrganisationError([one.name for one in found])
    return found[0]


def print_found(
    name: str, columns: Sequence[Column[Item]], items: Sequence[Item], *, as_json: bool
) -> None:
    """Print a table for people, or JSON for programs."""
    from clew.cli.output import make_console, write_json

    if as_json:
        write_json({"schema": f"clew.{name}/1", name: items})
    elif items:
        print_table(columns, items, make_console())
    else:
        click.echo(f"No {name}.", err=True)


def day(moment: dt.datetime | None) -> str:
    """Return the day of a moment, or nothing."""
    return f"{moment.astimezone():%Y-%m-%d}" if moment else ""


def minute(moment: dt.datetime | None) -> str:
    """Return a moment to the minute, or nothing."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M}" if moment else ""
