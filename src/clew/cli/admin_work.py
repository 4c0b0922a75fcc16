"""`clew admin status`, `retry`, `hold` and `release`: the work of a team server."""

from typing import TYPE_CHECKING, Final

import click

from clew.cli.options import archive_option, json_option
from clew.cli.output import make_console, write_json
from clew.cli.team_archive import blobs_option, opened_team
from clew.cli.text import size, visible
from clew.errors import SessionNotFoundError, UsageError
from clew.figures import plural

if TYPE_CHECKING:
    from clew.server.work_status import QueuedSession, WorkStatus
    from clew.store.postgres.team import TeamDatabase

_STATUS: Final = """\
Show which sessions are due, in work, waiting or failed, and why.

A session is parsed soon after it was pushed. One that fails five times is given up until you retry
it, it grows, or a newer version of clew runs. One that waits is tried again by itself, for example
when its device has sent what is missing. Where digests are switched on (`clew admin digests`), a
parsed session is summarised once it is idle.
"""
_RETRY: Final = """\
Try failed sessions again.

SESSION is an id or its beginning. Use --all for all sessions that failed.
"""
_HOLD: Final = """\
Keep a session from being deleted (legal hold).

Neither its owner nor the retention can delete it until you release it.
"""


class AmbiguousMemberError(UsageError):
    """Several members have pushed a session of this id."""

    def __init__(self, members: list[str]) -> None:
        names = ", ".join(members)
        super().__init__(f"several members have this session: {names}; choose one with --member")


member_option: Final = click.option(
    "--member", metavar="NAME", help="Member whose session it is, if several have one of this id."
)


@click.command("status", help=_STATUS, short_help="Show what is due, in work or failed.")
@blobs_option
@archive_option
@json_option
def status(*, as_json: bool) -> None:
    """Print the status of the queue."""
    with opened_team() as team:
        from clew.server.work_status import read_work_status

        found = read_work_status(team)
    if as_json:
        write_json(found)
    else:
        _print_status(found)


@click.command("retry", help=_RETRY, short_help="Try failed sessions again.")
@click.argument("session", required=False)
@click.option("--all", "is_all", is_flag=True, help="Retry all sessions that failed.")
@member_option
@blobs_option
@archive_option
def retry(*, session: str | None, is_all: bool, member: str | None) -> None:
    """Retry sessions."""
    if is_all == (session is not None):
        raise UsageError("name a session, or use --all")
    with opened_team() as team:
        from clew.server.queue import retry_all, retry_session

        if session is None:
            click.echo(f"{plural(retry_all(team), 'session')} will be tried again")
            return
        owner, session_id = _find(team, session, member)
        is_changed = retry_session(team, owner, session_id)
    state = "will be tried again" if is_changed else "has not failed"
    click.echo(f"{visible(session_id)} {state}")


@click.command("hold", help=_HOLD, short_help="Keep a session from being deleted.")
@click.argument("session")
@member_option
@blobs_option
@archive_option
def hold(*, session: str, member: str | None) -> None:
    """Hold a session."""
    _set_held(session, member, is_held=True)


@click.command("release", help="Let a session be deleted again.")
@click.argument("session")
@member_option
@blobs_option
@archive_option
def release(*, session: str, member: str | None) -> None:
    """Release a session."""
    _set_held(session, member, is_held=False)


def _set_held(session: str, member: str | None, *, is_held: bool) -> None:
    with opened_team() as team:
        from clew.server.holds import set_held

        owner, session_id = _find(team, session, member)
        set_held(team, owner, session_id, is_held=is_held)
    state = "is held" if is_held else "can be deleted"
    click.echo(f"{visible(session_id)} {state}")


def _find(team: "TeamDatabase", prefix: str, member: str | None) -> tuple[int, str]:
    """Return the owner and the id of a session, by its id or the beginning of it."""
    rows = team.records("find_sessions", {"prefix": prefix, "member": member})
    exact = [row for row in rows if row["session_id"] == prefix] or rows
    ids = {str(row["session_id"]) for row in exact}
    if len(ids) != 1:
        raise SessionNotFoundError(prefix, ids)
    if len(exact) > 1:
        raise AmbiguousMemberError([str(row["member"]) for row in exact])
    return int(exact[0]["owner"]), str(exact[0]["session_id"])


def _print_status(found: "WorkStatus") -> None:
    waited = f", the oldest for {found.oldest_due_seconds:,.0f} s" if found.due else ""
    click.echo(f"{plural(found.sessions, 'session')} parsed, {size(found.content_bytes)} pushed")
    click.echo(f"{found.due:,} due{waited}; {found.received:,} received in all")
    click.echo(f"{found.working:,} in work, {found.lease_overruns:,} of dead workers")
    click.echo(f"{found.waiting:,} waiting, {found.failed:,} failed, {found.outdated:,} outdated")
    click.echo(
        f"{found.summarised:,} summarised, {found.digest_pending:,} waiting for a digest, "
        f"{found.digest_working:,} being digested, {found.digest_skipped:,} skipped, "
        f"{found.digest_failed:,} of them failed; ${found.digest_day_usd:.2f} in 24 hours"
    )
    if found.parse_overdue or found.digest_overdue:
        click.echo(
            f"Overdue for ten minutes: {found.parse_overdue:,} to be parsed, "
            f"{found.digest_overdue:,} to be digested"
        )
    click.echo(f"{found.held:,} held, {found.deleted:,} deleted, {found.to_purge:,} to be purged")
    click.echo(
        f"{plural(found.lost_frames, 'frame')} lost, {found.uncommitted_frames:,} uncommitted; "
        f"{plural(found.doomed_objects, 'object')} to be deleted"
    )
    if found.listed:
        click.echo()
        _print_queue(found.listed)


def _print_queue(sessions: "list[QueuedSession]") -> None:
    from clew.cli.table import Column, print_table

    columns: list[Column[QueuedSession]] = [
        Column("session", lambda each: each.session_id[:12]),
        Column("member", lambda each: each.member),
        Column("state", lambda each: each.state),
        Column("attempts", lambda each: str(each.attempts), is_number=True, rank=1),
        Column("since", lambda each: f"{each.since:%Y-%m-%d %H:%M}", rank=2),
        Column("reason", lambda each: each.reason or each.worker or "", takes_rest=True),
    ]
    print_table(columns, sessions, make_console())
