"""`clew worker`: derive the sessions that were pushed to a team server."""

import signal
from typing import TYPE_CHECKING, Final

import click

from clew.cli.options import archive_option, json_option
from clew.cli.output import write_json
from clew.cli.team_archive import blobs_option, team_location
from clew.cli.text import size
from clew.figures import plural

if TYPE_CHECKING:
    from clew.server.work_report import WorkerReport

_HELP: Final = """\
Parse the sessions that were pushed to a team server.

Workers take sessions that are due, one at a time, and write their rows. They also delete what was
deleted or is older than the retention, seal files that no longer grow, and collect garbage. Where
an organisation has switched digests on (`clew admin digests`), a model writes a digest of each
session that is idle. Run any number of workers, on any number of machines: a session whose worker
dies is taken by another one.
SIGTERM stops a worker when it has finished its session, a second one at once.

\b
Examples:
  clew worker                          work until stopped
  clew worker --processes 4            with four processes
  clew worker --once --json            do all that is due, and report

\b
Environment:
  CLEW_ARCHIVE            postgresql:// address of the database
  CLEW_BLOBS              files: s3://… or a directory
  CLEW_QUARANTINE_DAYS    days until unused objects are deleted
  ANTHROPIC_API_KEY       key for digests by a model of the API
  ANTHROPIC_BASE_URL      another address of the API

\b
Exit codes:
  0  stopped, or nothing is due any more
  1  cannot reach the database or the files
  2  usage error
"""


@click.command("worker", help=_HELP)
@click.option(
    "--processes",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    metavar="N",
    help="Number of worker processes.",
)
@click.option("--once", is_flag=True, help="Do all that is due now, then exit.")
@click.option(
    "--quarantine-days",
    type=click.FloatRange(0, 3650),
    default=14.0,
    show_default=True,
    envvar="CLEW_QUARANTINE_DAYS",
    metavar="DAYS",
    help="Delete objects that nothing refers to after this time.",
)
@click.option("--log-sessions", is_flag=True, help="Write a line of JSON per session to stderr.")
@blobs_option
@archive_option
@json_option
def command(
    *, processes: int, once: bool, quarantine_days: float, log_sessions: bool, as_json: bool
) -> None:
    """Work, and print a report."""
    location = team_location()
    from clew.store.location import TeamMissingError, translate_errors

    try:
        from clew.server.worker_processes import WorkerRun, run_workers
        from clew.store.postgres.team import prepare_team
    except ImportError as error:
        raise TeamMissingError from error
    from clew.server.worker import WorkerSettings

    with translate_errors(location):
        prepare_team(location)
    settings = WorkerSettings(quarantine_days=quarantine_days)
    run = WorkerRun(
        location=location,
        settings=settings,
        count=processes,
        once=once,
        is_verbose=log_sessions,
    )
    report = run_workers(run, (signal.SIGTERM, signal.SIGINT), lambda: _say_ready(once=once))
    if as_json:
        write_json(report)
    else:
        click.echo(describe_work(report))


def _say_ready(*, once: bool) -> None:
    if not once:
        click.echo("Waiting for sessions (Ctrl-C to stop)", err=True)


def describe_work(report: "WorkerReport") -> str:
    """Describe what workers have done in one line."""
    parts = [f"{plural(report.sessions_derived, 'session')} parsed ({size(report.bytes_read)})"]
    parts += [
        f"{count:,} {word}"
        for count, word in (
            (report.sessions_failed, "failed"),
            (report.sessions_waiting, "postponed"),
            (report.sessions_deleted, "deleted"),
            (report.sessions_digested, "digested"),
            (report.digests_failed, "without a digest"),
        )
        if count
    ]
    return ", ".join(parts)
