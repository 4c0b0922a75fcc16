"""Where the sessions of a team are on their way: what is due, working, waiting and failed, and why.

For `clew admin status`, the admin page and whoever else shows it. There are ids and reasons, and no
content.
"""

import datetime as dt
from typing import Final

import msgspec

from clew.store.postgres.team import TeamDatabase
from clew.store.session_tables import PARSER_VERSION

_MOST_LISTED: Final = 50
_AT_WORK: Final = ("working", "digesting")


class QueuedSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session that is not parsed or has no digest: whose it is, who works on it, and why."""

    member: str
    session_id: str
    state: str
    attempts: int
    worker: str | None
    since: dt.datetime
    reason: str | None


class WorkStatus(msgspec.Struct, frozen=True, kw_only=True):
    """How many sessions there are in each state, and how much waits to be cleaned up.

    `lease_overruns` are claims of workers that have died or hang; others take their sessions.
    `parse_overdue` and `digest_overdue` count what should have been done ten minutes ago.
    """

    parser: int
    sessions: int
    received: int
    due: int
    oldest_due_seconds: float
    working: int
    lease_overruns: int
    waiting: int
    failed: int
    outdated: int
    parse_overdue: int
    summarised: int
    digest_pending: int
    digest_overdue: int
    digest_working: int
    digest_skipped: int
    digest_failed: int
    digest_day_usd: float
    deleted: int
    to_purge: int
    held: int
    lost_frames: int
    uncommitted_frames: int
    doomed_objects: int
    content_bytes: int
    database_bytes: int
    listed: list[QueuedSession]


def read_work_status(team: TeamDatabase, organisation_id: int | None = None) -> WorkStatus:
    """Read the status of all sessions; those that are listed may be of one organisation only."""
    found = team.record("team_metrics", {"parser": PARSER_VERSION}) or {}
    more = team.record("work_counts") or {}
    values = {"organisation_id": organisation_id, "most": _MOST_LISTED}
    listed = [_queued(row) for row in team.records("queued_sessions", values)]
    status = {**found, **more, "parser": PARSER_VERSION, "listed": listed}
    return msgspec.convert(status, WorkStatus)


def _queued(row: dict[str, object]) -> QueuedSession:
    claim = row.pop("claim")
    worker = str(claim).rpartition(":")[0] if claim and row["state"] in _AT_WORK else None
    return msgspec.convert({**row, "worker": worker}, QueuedSession)
