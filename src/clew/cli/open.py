"""`clew open`: open the web app in the browser."""

import webbrowser
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import click

from clew.archive import open_archive
from clew.cli.refresh import fresh_archive
from clew.cli.search_paths import find_existing_roots, no_transcripts
from clew.cli.serve import serve, server_options
from clew.cli.temporary_home import temporary_home
from clew.errors import PathNotFoundError, SessionNotFoundError
from clew.sessions import group_sessions, is_path, list_files
from clew.source import LATEST

_HELP: Final = """\
Open the web app in the browser.

Shows all sessions, or one, without waiting until new transcripts are archived: that happens in the
background, the newest first. The server runs until you press Ctrl-C.

\b
Examples:
  clew open               show all sessions
  clew open latest        show the latest session
  clew open 3f2a          show the session whose id starts with 3f2a
  clew open a.jsonl       show a transcript, or a directory of them
  clew --demo open        show sample sessions

\b
Exit codes:
  0  stopped
  1  cannot bind to that port
  2  usage error
  3  no transcripts found, or no such session
"""


@click.command("open", help=_HELP)
@click.argument("session", required=False)
@server_options
def command(session: str | None, **chosen: Any) -> None:
    """Serve, and open the browser."""
    if session is None or not is_path(session):
        _open(session, chosen)
        return
    # Transcripts named by path are not archived.
    path = Path(session).absolute()
    if not path.exists():
        raise PathNotFoundError(path)
    with temporary_home():
        _open(None if path.is_dir() else LATEST, {**chosen, "roots": (path,)})


def _open(session: str | None, chosen: dict[str, Any]) -> None:
    path = "" if session is None else f"sessions/{quote(_find(session, chosen), safe='')}"

    def show(address: str) -> None:
        click.echo(f"Serving on {address}{path} (Ctrl-C to stop)", err=True)
        if not webbrowser.open(f"{address}{path}"):
            click.echo("Could not open a browser; open this address yourself", err=True)

    serve(chosen, show)


def _find(session: str, chosen: dict[str, Any]) -> str:
    """Find a session among the files and in the archive; the app archives it while it is shown."""
    if chosen["no_sync"]:
        with fresh_archive(chosen["roots"], no_sync=True) as archive:
            return archive.find_session(session)
    with open_archive() as archive:
        paths = find_existing_roots(chosen["roots"])
        try:
            return archive.locate(session, paths)
        except SessionNotFoundError:
            if archive.is_empty and not group_sessions(list_files(paths)):
                raise no_transcripts(paths) from None
            raise
