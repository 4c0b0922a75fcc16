"""`clew open`: the web app in the browser."""

import webbrowser
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import click

from clew.cli.refresh import fresh_archive
from clew.cli.serve import serve, server_options
from clew.cli.temporary_home import temporary_home
from clew.errors import PathNotFoundError
from clew.sessions import LATEST, is_path

_HELP: Final = """\
Open the web app in the browser.

All sessions, or one. The server runs until Ctrl-C.

\b
Examples:
  clew open               all sessions
  clew open latest        the latest one
  clew open 3f2a          one by the beginning of its id
  clew open a.jsonl       any transcript, or a folder of them; not kept
  clew --demo open        with sample sessions

\b
Exit codes:
  0  ended
  1  nothing can listen there
  2  wrong use
  3  no transcripts, or no such session
"""


@click.command("open", help=_HELP)
@click.argument("session", required=False)
@server_options
def command(session: str | None, **chosen: Any) -> None:
    """Serve, and show it."""
    if session is None or not is_path(session):
        _open(session, chosen)
        return
    # What stands elsewhere is shown alone, and not kept.
    path = Path(session).absolute()
    if not path.exists():
        raise PathNotFoundError(path)
    with temporary_home():
        _open(None if path.is_dir() else LATEST, {**chosen, "roots": (path,)})


def _open(session: str | None, chosen: dict[str, Any]) -> None:
    path = "" if session is None else f"sessions/{quote(_find(session, chosen), safe='')}"

    def show(address: str) -> None:
        click.echo(f"clew is at {address}{path} (Ctrl-C ends it)", err=True)
        if not webbrowser.open(f"{address}{path}"):
            click.echo("no browser could be opened; open the address yourself", err=True)

    serve(chosen, show)


def _find(session: str, chosen: dict[str, Any]) -> str:
    """Find a session among all there are, also those that nobody has taken in yet."""
    with fresh_archive(chosen["roots"], no_sync=chosen["no_sync"]) as archive:
        return archive.find_session(session)
