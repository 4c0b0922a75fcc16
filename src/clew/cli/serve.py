"""`clew serve`: the web app."""

import gc
import socket
import sys
from collections.abc import Callable
from typing import Any, Final

import click

from clew.archive import open_archive
from clew.cli.options import archive_option, no_sync_option, root_option
from clew.cli.search_paths import paths_or_roots
from clew.cli.text import visible
from clew.errors import PathNotFoundError, UsageError
from clew.store import location_exists

_HOST: Final = "127.0.0.1"
_PORT: Final = 8377
_SERVE: Final = """\
Serve the web app.

Browse and search sessions, follow running ones, and see usage. Only this machine can connect unless
you set --host, which requires an access token; browsers ask for it once. New transcripts are
archived while the server runs, the newest first. Press Ctrl-C to stop it.

\b
Examples:
  clew serve                       serve on http://127.0.0.1:8377
  clew serve --port 9000           serve on another port
  clew --demo serve                serve sample sessions
  CLEW_TOKEN=… clew serve --host 0.0.0.0
                                   let other machines connect

\b
Environment:
  CLEW_TOKEN   access token; other users of this machine can see --token

\b
Exit codes:
  0  stopped
  1  cannot bind to that port
  2  usage error, such as --host without a token
  3  no such directory
"""


def server_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the server's options to a command."""
    for option in reversed(
        (
            click.option(
                "--host",
                default=_HOST,
                show_default=True,
                metavar="ADDRESS",
                help="Address to listen on.",
            ),
            click.option(
                "--port",
                type=click.IntRange(0, 65535),
                metavar="PORT",
                help=f"Port to listen on. Default: {_PORT}, or the next free one.",
            ),
            click.option(
                "--token",
                envvar="CLEW_TOKEN",
                metavar="TOKEN",
                default="",
                help="Access token that clients must send.",
            ),
            click.option(
                "--terminal",
                is_flag=True,
                help="Let the app open a terminal to resume a session, on this machine only.",
            ),
            archive_option,
            root_option,
            no_sync_option,
        )
    ):
        function = option(function)
    return function


@click.command("serve", help=_SERVE)
@server_options
def command(**chosen: Any) -> None:
    """Serve until stopped."""
    serve(chosen, lambda address: click.echo(f"Serving on {address} (Ctrl-C to stop)", err=True))


def serve(chosen: dict[str, Any], on_ready: Callable[[str], None]) -> None:
    """Serve until stopped; call `on_ready` with the address."""
    from clew.web import Settings, is_any, is_loopback, open_socket, require_safe, start_follower

    roots = chosen["roots"]
    for root in roots:
        if not root.exists():
            raise PathNotFoundError(root)
    port = chosen["port"]
    settings = Settings(
        host=chosen["host"],
        port=_PORT if port is None else port,
        token=chosen["token"],
        roots=tuple(paths_or_roots((), roots)) if roots else (),
        is_followed=not chosen["no_sync"],
        opens_terminal=chosen["terminal"],
    )
    require_safe(settings)
    if settings.opens_terminal and not is_loopback(settings.host):
        raise UsageError("--terminal works only where no other machine can connect; omit --host")
    with open_archive() as archive:
        # A server that cannot be reached, or lets nobody in, is better known now.
        location_exists(archive.location)
    listener = open_socket(settings, any_port=port is None)
    host, taken = listener.getsockname()[:2]
    host = socket.gethostname() if is_any(host) else host
    address = f"http://{f'[{host}]' if ':' in host else host}:{taken}/"
    # Archiving begins while the application is imported.
    follower = start_follower(settings) if settings.is_followed else None
    from clew.web import make_server, run

    # Pages consist of many small long-lived objects: frequent garbage collections would take longer
    # than making the pages.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    try:
        run(make_server(settings, lambda: on_ready(visible(address)), follower), listener)
    except KeyboardInterrupt:
        sys.stderr.write("\n")
