"""`clew server`: the team server."""

import os
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import click

from clew.cli.options import archive_option
from clew.cli.team_archive import blobs_option, team_location
from clew.cli.text import visible
from clew.errors import UsageError

if TYPE_CHECKING:
    from clew.cli.server_trial import OnReady
    from clew.server.settings import OidcSettings

_HOST: Final = "127.0.0.1"
_PORT: Final = 8378
_USE_HTTPS: Final = "put a reverse proxy with HTTPS in front, and set --public-url to its address"
_HELP: Final = """\
Serve the archive of a team.

Members log in with a browser or with `clew login`, push their sessions, and read those that are
shared with them. The archive must be a PostgreSQL database; its tables are created or upgraded when
the server starts. Create the first organisation and member with `clew admin`. Put a reverse proxy
that speaks HTTPS in front of the server, and set --public-url to its address.

\b
Examples:
  clew server --try                try it out on this machine
  clew server --try --demo         the same with sample sessions
  clew server --archive postgresql://db/clew --blobs s3://bucket/clew
                                   serve on http://127.0.0.1:8378
  clew server --public-url https://clew.example.org --behind-proxy
                                   serve to a reverse proxy

\b
Environment:
  CLEW_ARCHIVE              postgresql:// address of the database
  CLEW_BLOBS                files: s3://… or a directory
  CLEW_BLOBS_PUBLIC_URL     URL by which members reach the S3 server, if it
                            has another one inside your network
  CLEW_PUBLIC_URL           URL that members use
  CLEW_OIDC_ISSUER          URL of an identity provider to log in with
  CLEW_OIDC_CLIENT_ID       id of this server there
  CLEW_OIDC_CLIENT_SECRET   secret of this server there
  CLEW_OIDC_NAME            what the login page calls the provider
  CLEW_METRICS_TOKEN        token that /metrics asks for; without it, /metrics
                            answers only on this machine

\b
Exit codes:
  0  stopped
  1  cannot bind to that port, or cannot reach the database
  2  usage error
"""


class OidcSettingsError(UsageError):
    """Only some of the settings of an identity provider are set."""

    def __init__(self) -> None:
        super().__init__("set both CLEW_OIDC_ISSUER and CLEW_OIDC_CLIENT_ID, or neither")


class PublicUrlNeededError(UsageError):
    """The server listens on all addresses, and cannot know under which name members reach it."""

    def __init__(self, host: str) -> None:
        super().__init__(
            f"--host {host} listens on all addresses; set --public-url to the URL that members use"
        )


@click.command("server", help=_HELP)
@click.option(
    "--host", default=_HOST, show_default=True, metavar="ADDRESS", help="Address to listen on."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=_PORT,
    show_default=True,
    metavar="PORT",
    help="Port to listen on.",
)
@click.option(
    "--public-url",
    envvar="CLEW_PUBLIC_URL",
    default="",
    metavar="URL",
    help="URL that members use. Default: that of the host and port.",
)
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="Trust the X-Forwarded-For header of a reverse proxy.",
)
@click.option(
    "--workers",
    type=click.IntRange(0, 64),
    default=0,
    show_default=True,
    metavar="N",
    help="Also run this many worker processes (see `clew worker`).",
)
@click.option("--log-requests", is_flag=True, help="Write a line of JSON per request to stderr.")
@click.option(
    "--try",
    "is_trial",
    is_flag=True,
    help="Try it out: with an own PostgreSQL server, an organisation and a login.",
)
@click.option("--demo", is_flag=True, help="With --try: with sample sessions of three members.")
@blobs_option
@archive_option
@click.pass_context
def command(context: click.Context, /, *, is_trial: bool, demo: bool, **chosen: Any) -> None:
    """Serve until stopped."""
    if demo and not is_trial:
        raise UsageError("--demo needs --try: the samples go to a server to try out")
    if context.find_root().params.get("is_demo"):
        raise UsageError("write --demo at the end: clew server --try --demo")
    if not is_trial:
        serve_team(chosen)
        return
    from clew.cli.server_trial import trial_archive

    with trial_archive(context, is_demo=demo) as on_ready:
        serve_team(chosen, on_ready)


def serve_team(chosen: dict[str, Any], on_ready: "OnReady | None" = None) -> None:
    """Serve the archive that is set until the process is stopped.

    Once it listens, `on_ready` is called with its URL and with what says so.
    """
    location = team_location()
    from clew.store.location import TeamMissingError

    try:
        from clew.server.run import make_team_server, run_team_server
        from clew.server.worker_processes import WorkerRun, background_workers
    except ImportError as error:
        raise TeamMissingError from error
    from clew.server.health import objects_problem
    from clew.server.logs import log_to_stderr
    from clew.server.settings import TeamSettings, require_public_url
    from clew.web import Settings, is_any, open_socket

    url = require_public_url(chosen["public_url"]) if chosen["public_url"] else ""
    if not url and is_any(chosen["host"]):
        raise PublicUrlNeededError(chosen["host"])
    oidc = _oidc_settings()
    listener = open_socket(Settings(host=chosen["host"], port=chosen["port"]), any_port=False)
    settings = TeamSettings(
        location=location,
        host=chosen["host"],
        port=listener.getsockname()[1],
        public_url=url,
        trusts_proxy=chosen["behind_proxy"],
        oidc=oidc,
        metrics_token=os.environ.get("CLEW_METRICS_TOKEN", ""),
        blobs_public_url=os.environ.get("CLEW_BLOBS_PUBLIC_URL", ""),
    )
    log_to_stderr(is_verbose=chosen["log_requests"])
    if not settings.is_private:
        click.echo(f"Warning: {visible(settings.url)} is not encrypted; {_USE_HTTPS}", err=True)

    def announce() -> None:
        click.echo(f"Serving on {visible(settings.url)} (Ctrl-C to stop)", err=True)

    def on_start() -> None:
        if on_ready is None:
            announce()
        else:
            on_ready(settings.url, announce)

    try:
        with closing(listener):
            server = make_team_server(settings, on_start)
            if problem := objects_problem(location):
                # It may be there soon: until then, `/ready` says that it is not.
                click.echo(f"Warning: {visible(problem)}", err=True)
            run = WorkerRun(
                location=location, count=chosen["workers"], is_verbose=chosen["log_requests"]
            )
            with background_workers(run):
                run_team_server(server, listener)
    except KeyboardInterrupt:
        sys.stderr.write("\n")


def _oidc_settings() -> "OidcSettings | None":
    from clew.server.settings import OidcSettings

    issuer = os.environ.get("CLEW_OIDC_ISSUER", "")
    client_id = os.environ.get("CLEW_OIDC_CLIENT_ID", "")
    if bool(issuer) != bool(client_id):
        raise OidcSettingsError
    if not issuer:
        return None
    return OidcSettings(
        issuer=issuer,
        client_id=client_id,
        client_secret=os.environ.get("CLEW_OIDC_CLIENT_SECRET", ""),
        name=os.environ.get("CLEW_OIDC_NAME") or "single sign-on",
    )
