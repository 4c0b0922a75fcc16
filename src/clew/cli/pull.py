"""`clew pull`: fetch sessions from a team server into the local archive."""

import time
from typing import TYPE_CHECKING, Final

import click

from clew.archive import open_archive
from clew.cli.options import archive_option, json_option
from clew.cli.output import write_json
from clew.cli.text import size, visible
from clew.errors import UsageError
from clew.figures import plural

if TYPE_CHECKING:
    from clew.push import PullReport

_HELP: Final = """\
Fetch sessions from a team server into the local archive.

Downloads the files of sessions that you may read, byte for byte, if they are new or have changed.
`clew list`, `clew show` and all other commands then have them, offline too. They are never pushed.
Sessions of this machine are left alone.

\b
Examples:
  clew pull 3f2a54c1-0000-4000-8000-000000000001
  clew pull --member ada --since 7d   pull a colleague's last week
  clew pull --project payments        pull a project
  clew pull --all                     pull all that you may read

\b
Exit codes:
  0  success
  1  not logged in, the server is out of reach or refuses, or some sessions
     were not pulled
  2  usage error
"""


@click.command("pull", help=_HELP)
@click.argument("sessions", nargs=-1, metavar="[SESSION]...")
@click.option("--project", metavar="TEXT", help="Only this project: a path, or part of one.")
@click.option("--member", metavar="NAME", help="Only sessions of this member.")
@click.option("--since", metavar="TIME", help="Only since then: 7d, 2026-11-01.")
@click.option("--all", "everything", is_flag=True, help="All sessions that you may read.")
@click.option("--server", metavar="URL", default="", help="Use this server, not the default one.")
@archive_option
@json_option
def command(
    sessions: tuple[str, ...],
    project: str | None,
    member: str | None,
    since: str | None,
    server: str,
    *,
    everything: bool,
    as_json: bool,
) -> None:
    """Pull, and print a report."""
    from clew.push import Logins, find_push_files, pull

    chosen = {"project": project, "member": member, "since": since}
    filters = {name: value for name, value in chosen.items() if value}
    if bool(sessions) + bool(filters) + everything != 1:
        raise UsageError("name sessions, or use --project, --member and --since, or --all")
    started = time.monotonic()
    with open_archive() as archive:
        login = Logins(find_push_files(archive.location)).find(server)
        report = pull(archive, login, sessions, filters)
    report.seconds = round(time.monotonic() - started, 3)
    _print(report, as_json=as_json)
    if report.problems:
        raise click.exceptions.Exit(1)


def _print(report: "PullReport", *, as_json: bool) -> None:
    if as_json:
        write_json(report)
        return
    for item in report.items:
        title = visible(item.title) or "untitled"
        click.echo(f"{item.session_id[:8]}  {visible(item.member)}  {title}")
    done = f"{plural(report.sessions, 'session')} ({size(report.bytes)})"
    click.echo(f"Pulled {done} from {visible(report.server)} in {report.seconds:.1f} s")
    for count, text in (
        (report.sessions_unchanged, "had not changed"),
        (report.sessions_own, "of this machine, left alone"),
    ):
        if count:
            click.echo(f"{plural(count, 'session')} {text}")
    for problem in report.problems:
        text = f"clew: not pulled: {visible(problem.session_id)}: {visible(problem.reason)}"
        click.echo(text, err=True)
