"""`clew logout`: forget a team server."""

from typing import Final

import click

from clew.archive import open_archive
from clew.cli.options import archive_option
from clew.cli.text import visible

_HELP: Final = """\
Log out of a team server.

Revokes the token of this device and deletes it here. What was pushed stays on the server, and what
is allowed to leave stays in `clew consent`. Without a URL, it logs out of the default server, which
is the one that you logged in to last.

\b
Examples:
  clew logout
  clew logout https://clew.example.com

\b
Exit codes:
  0  success
  1  not logged in, or the server could not be reached to revoke the token
  2  usage error
"""


@click.command("logout", help=_HELP)
@click.argument("url", default="")
@archive_option
def command(url: str) -> None:
    """Log out."""
    from clew.push import Logins, find_push_files, log_out

    logins = Logins(find_push_files(open_archive().location))
    login = logins.find(url)
    problem = log_out(logins, login)
    click.echo(f"Logged out of {visible(login.server)}")
    if problem:
        click.echo(
            f"clew: the token is deleted here, but not revoked: {visible(problem)}. Revoke the "
            "device on the server's page.",
            err=True,
        )
        raise click.exceptions.Exit(1)
