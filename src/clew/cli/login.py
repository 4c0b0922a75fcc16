"""`clew login`: let a team server know this device."""

import sys
from typing import TYPE_CHECKING, Final

import click

from clew.archive import open_archive
from clew.cli.options import archive_option, json_option
from clew.cli.output import write_json
from clew.cli.text import visible
from clew.errors import UsageError

if TYPE_CHECKING:
    from clew.protocol import LoginStart
    from clew.push import LoginOutcome, Logins

_HELP: Final = """\
Log in to a team server.

Opens a page of the server in the browser, where you confirm the code that is shown here. The token
of this device is stored in the system's keyring if there is one, else in a file that only you can
read. Logging in sends nothing: `clew consent` decides what may leave, by project. Without a URL, it
lists the servers that you are logged in to, the default one first.

\b
Examples:
  clew login https://clew.example.com
  clew login https://clew.example.com --no-browser     only print the address
  clew login https://clew.example.com --token - <FILE  use a token
  clew login                                           list your servers

\b
Exit codes:
  0  success
  1  the server cannot be reached, nobody confirmed the code, or you are not
     logged in to any server
  2  usage error: not the address of a server, or not encrypted
"""


@click.command("login", help=_HELP)
@click.argument("url", default="")
@click.option("--token", metavar="TOKEN", help="Use this token; `-` reads it from stdin.")
@click.option("--device", metavar="NAME", default="", help="Name of this device on the server.")
@click.option("--no-browser", is_flag=True, help="Do not open the browser.")
@click.option("--insecure", is_flag=True, help="Allow http:// to other machines.")
@archive_option
@json_option
def command(
    url: str, token: str | None, device: str, *, no_browser: bool, insecure: bool, as_json: bool
) -> None:
    """Log in."""
    from clew.push import Logins, find_push_files, log_in, log_in_with_token, normalise_server

    logins = Logins(find_push_files(open_archive().location))
    if not url:
        _list(logins, as_json=as_json)
        return
    server = normalise_server(url, is_insecure=insecure)
    if token is not None:
        secret = sys.stdin.read().strip() if token == "-" else token.strip()  # noqa: S105
        if not secret.isprintable() or not secret.isascii() or not secret:
            raise UsageError(
                "the token is empty or has characters that no token has; copy it again"
            )
        outcome = log_in_with_token(logins, server, secret, is_insecure=insecure)
    else:
        outcome = log_in(
            logins,
            server,
            on_code=lambda start: _show_code(start, no_browser=no_browser),
            device_name=device,
            is_insecure=insecure,
        )
    _report(outcome, as_json=as_json)


def _list(logins: "Logins", *, as_json: bool) -> None:
    from clew.push import NotLoggedInError

    found = logins.all()
    if not found:
        raise NotLoggedInError
    if as_json:
        servers = [
            {"server": each.server, "member": each.member, "organisation": each.organisation}
            for each in found
        ]
        write_json({"schema": "clew.logins/1", "default": found[0].server, "servers": servers})
        return
    for number, each in enumerate(found):
        who = f"{visible(each.member)} ({visible(each.organisation)})"
        click.echo(f"{visible(each.server)} as {who}{'' if number else ', default'}")


def _show_code(start: "LoginStart", *, no_browser: bool) -> None:
    """Print the code and open the page on which the user confirms it."""
    click.echo(f"Your code: {visible(start.user_code)}", err=True)
    click.echo(f"Confirm it at {visible(start.verification_url)}", err=True)
    is_web = start.verification_url.startswith(("https://", "http://"))
    if is_web and not no_browser:
        import webbrowser

        webbrowser.open(start.verification_url)
    click.echo("Waiting (Ctrl-C to stop)", err=True)


def _report(outcome: "LoginOutcome", *, as_json: bool) -> None:
    if as_json:
        write_json(outcome)
        return
    who = f"{visible(outcome.member)} ({visible(outcome.organisation)})"
    click.echo(f"Logged in to {visible(outcome.server)} as {who}")
    place = "the system's keyring" if outcome.is_in_keyring else "a file that only you can read"
    click.echo(f"The token of this device is in {place}.")
    for line in outcome.may_be_read_by:
        click.echo(visible(line))
    click.echo("Nothing is sent yet: `clew consent` shows and sets what may leave, by project.")
