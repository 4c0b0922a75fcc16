"""`clew serve`: the web app, for browsers."""

import gc
import socket
import sys
from collections.abc import Callable
from typing import Any, Final

import click

from clew.cli.options import no_sync_option, root_option
from clew.cli.search_paths import paths_or_roots
from clew.cli.text import visible
from clew.errors import PathNotFoundError

_HOST: Final = "127.0.0.1"
_PORT: Final = 8377
_SERVE: Final = """\
Serve the web app.

Browse, search, follow running sessions, count. Only this machine can reach it, unless --host says
otherwise; then a token is needed, which browsers are asked for once. New lines are taken in while
it runs. Ctrl-C ends it.

\b
Examples:
  clew serve                       on http://127.0.0.1:8377
  clew serve --port 9000           elsewhere
  clew --demo serve                with sample sessions
  CLEW_TOKEN=… clew serve --host 0.0.0.0
                                   for others, who must know the token

\b
Environment:
  CLEW_TOKEN   the token; others on this machine see a flag, not this

\b
Exit codes:
  0  ended
  1  nothing can listen there
  2  wrong use, as listening for others without a token
  3  no such folder
"""


def server_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of the server."""
    for option in reversed(
        (
            click.option("--host", default=_HOST, show_default=True, help="Where to listen."),
            click.option("--port", type=click.IntRange(0, 65535), help=f"By default {_PORT}."),
            click.option("--token", envvar="CLEW_TOKEN", default="", help="What askers must show."),
            root_option,
            no_sync_option,
        )
    ):
        function = option(function)
    return function


@click.command("serve", help=_SERVE)
@server_options
def command(**chosen: Any) -> None:
    """Serve until told to stop."""
    serve(chosen, lambda address: click.echo(f"clew is at {address} (Ctrl-C ends it)", err=True))


def serve(chosen: dict[str, Any], on_ready: Callable[[str], None]) -> None:
    """Serve until told to stop; `on_ready` is told the address."""
    from clew.web import Settings, is_any, make_server, open_socket, require_safe, run

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
    )
    require_safe(settings)
    listener = open_socket(settings, any_port=port is None)
    host, taken = listener.getsockname()[:2]
    host = socket.gethostname() if is_any(host) else host
    address = f"http://{f'[{host}]' if ':' in host else host}:{taken}/"
    # What is there now stays, and pages are made of many small things that do: looking through
    # all of them again and again would take longer than making the pages.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    try:
        run(make_server(settings, lambda: on_ready(visible(address))), listener)
    except KeyboardInterrupt:
        sys.stderr.write("\n")
