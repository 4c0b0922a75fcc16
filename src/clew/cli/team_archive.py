"""The archive of a team, for the commands that run or manage its server."""

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from clew.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.store.postgres.team import TeamDatabase
    from clew.store.postgres_location import PostgresLocation


class NoTeamArchiveError(UsageError):
    """The archive that is set is not one of a team."""

    def __init__(self, archive: str) -> None:
        super().__init__(
            f"a team server needs a PostgreSQL database, but the archive is {archive}; set "
            "--archive or CLEW_ARCHIVE to a postgresql:// address, or try one out with "
            "`clew server --try`"
        )


def _use_blobs(_context: click.Context, _option: click.Parameter, place: str | None) -> None:
    if place is not None:
        if not place:
            raise click.BadParameter("the address is empty")
        os.environ["CLEW_BLOBS"] = place


blobs_option: Final = click.option(
    "--blobs",
    metavar="URL",
    expose_value=False,
    is_eager=True,
    callback=_use_blobs,
    help="Directory or s3:// address of the team's files. Default: CLEW_BLOBS.",
)


def team_location() -> "PostgresLocation":
    """Return the location of the team's archive that is set.

    Raises:
        NoTeamArchiveError: It is not a PostgreSQL database.
    """
    from clew.settings import choose_archive, hide_password
    from clew.store import ArchiveAddress, find_location
    from clew.store.postgres_location import PostgresLocation

    choice = choose_archive(os.environ, Path.home())
    address = ArchiveAddress(choice.archive.value, choice.blobs.value if choice.blobs else "")
    location = find_location(address)
    if not isinstance(location, PostgresLocation):
        raise NoTeamArchiveError(hide_password(choice.archive.value))
    return location


@contextmanager
def opened_team() -> "Iterator[TeamDatabase]":
    """Open the tables of the team's archive, and bring them up to date."""
    from clew.store import translate_errors
    from clew.store.location import TeamMissingError

    location = team_location()
    try:
        from clew.store.postgres.team import open_team, prepare_team
    except ImportError as error:
        raise TeamMissingError from error
    with translate_errors(location):
        prepare_team(location)
        with open_team(location) as team:
            yield team
