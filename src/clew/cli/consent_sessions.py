"""`clew consent delete` and `revive`: one session on a team server."""

from typing import Final

import click

from clew.archive import open_archive
from clew.cli.options import archive_option
from clew.cli.text import visible

_DELETE: Final = """\
Delete a session from the server.

It disappears there at once, and later pushes of it are refused until you run `clew consent revive`.
On this machine it stays. SESSION is an id, the beginning of one, or `latest`.

\b
Exit codes:
  0  success
  1  not logged in, declined, or the server is out of reach or refuses
  2  usage error
  3  no such session, here or on the server
"""
_REVIVE: Final = """\
Let a session that was deleted on the server be pushed again.

The next `clew push` sends it, as far as its projects allow.

\b
Exit codes:
  0  success
  1  not logged in, or the server is out of reach
  2  usage error
  3  no such session, here or on the server
"""
_server_option = click.option(
    "--server", metavar="URL", default="", help="Use this server, not the default one."
)


@click.command("delete", help=_DELETE, short_help="Delete a session from the server.")
@click.argument("session")
@_server_option
@click.option("--yes", is_flag=True, help="Do not ask.")
@archive_option
def delete(session: str, server: str, *, yes: bool) -> None:
    """Delete a session."""
    from clew.push import Logins, delete_pushed, find_push_files

    with open_archive() as archive:
        files = find_push_files(archive.location)
        login, name = Logins(files).find(server), archive.find_session(session)
    question = f"Delete session {name[:8]} from {visible(login.server)}?"
    if not yes and not click.confirm(question):
        click.echo("Nothing was deleted", err=True)
        raise click.exceptions.Exit(1)
    delete_pushed(files, login, name)
    click.echo(f"Deleted session {name[:8]} from {visible(login.server)}")


@click.command("revive", help=_REVIVE, short_help="Let a deleted session be pushed again.")
@click.argument("session")
@_server_option
@archive_option
def revive(session: str, server: str) -> None:
    """Let a session be pushed again."""
    from clew.push import Logins, find_push_files, revive_pushed

    with open_archive() as archive:
        files = find_push_files(archive.location)
        login, name = Logins(files).find(server), archive.find_session(session)
    revive_pushed(files, login, name)
    click.echo(f"Session {name[:8]} may be pushed again; `clew push` sends it")
