"""`clew admin verify` and `clew admin replay`: what to run after a restore."""

import click

from clew.cli.options import archive_option, json_option
from clew.cli.output import write_json
from clew.cli.team_archive import blobs_option, opened_team, team_location
from clew.cli.text import visible
from clew.figures import plural

_DAMAGED = 4


@click.command("verify")
@blobs_option
@archive_option
@json_option
def verify(*, as_json: bool) -> None:
    """Verify that all bytes are there that the database speaks of.

    Reads every archived file and every frame that waits for a worker. What is damaged or missing is
    repaired by workers from the frames that there are; frames that are nowhere are sent again by
    the next push of their device. Exits with 4 if it found something.
    """
    from clew.server.verify_team import verify_team

    with opened_team():
        report = verify_team(team_location())
    if as_json:
        write_json({"schema": "clew.admin.verify/1", "whole": report.is_whole, "report": report})
    else:
        what = f"{plural(report.files, 'file')} of {plural(report.members, 'member')}"
        click.echo(f"Verified {what}, and {plural(report.uploads, 'frame')} that wait for a worker")
        for fault in report.damaged:
            click.echo(f"clew: {visible(fault)}", err=True)
        if report.sessions_redone:
            click.echo(f"Workers repair {plural(report.sessions_redone, 'session')}")
        if report.frames_lost:
            click.echo(f"Devices will send {plural(report.frames_lost, 'frame')} again")
    if not report.is_whole:
        raise click.exceptions.Exit(_DAMAGED)


@click.command("replay")
@blobs_option
@archive_option
@json_option
def replay(*, as_json: bool) -> None:
    """Delete again what was deleted after a backup was made.

    Every deletion is also recorded beside the files. Run this after a restore, before the server
    starts: sessions that the backup still has are deleted again, and cannot be pushed.
    """
    from clew.server.deletion import replay_deletions

    with opened_team():
        count = replay_deletions(team_location())
    if as_json:
        write_json({"schema": "clew.admin.replay/1", "sessions": count})
    else:
        click.echo(f"Deleted {plural(count, 'session')} again")
