"""The archive's size, and what the client will delete soon."""

import datetime as dt
from typing import Final

import msgspec

from clew.clock import format_time
from clew.store.archived_files import load_files
from clew.store.location import Location, database_bytes
from clew.store.protocols import Database

# Claude Code deletes transcripts that nobody wrote to for this long, unless its settings say
# otherwise; settings are not opened.
CLEANUP_DAYS: Final = 30
_SOON: Final = dt.timedelta(days=7)
_SECOND_NS: Final = 1_000_000_000
_NANO: Final = 1_000_000_000


class ExpiringSession(msgspec.Struct, frozen=True):
    """A session whose transcript the client will delete, at its first start after that time."""

    session_id: str
    title: str
    project: str
    deleted_at: str


class ArchiveStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What the archive contains, in numbers; `expiring` comes soonest first.

    `folder` is the address of one that is in a database, and `blobs` where its files are.
    """

    schema: str = "clew.archive/1"
    folder: str
    blobs: str
    sessions: int
    files: int
    source_bytes: int
    kept_bytes: int
    database_bytes: int
    earlier_versions: int
    vanished_files: int
    vanished_bytes: int
    damaged_files: int
    cleanup_days: int
    expiring: list[ExpiringSession]


class RecentUsage(msgspec.Struct, frozen=True):
    """How much there is, and what was used lately; `unpriced_calls` have no known cost."""

    sessions: int
    projects: int
    model_calls: int
    total_tokens: int
    cost_usd: float
    unpriced_calls: int
    quality: str


def read_recent(database: Database, since: dt.datetime) -> RecentUsage:
    """Count all sessions, and what model calls used from a moment on."""
    [[sessions, projects]] = database.rows("count_archive")
    [[calls, tokens, nano, unpriced, quality]] = database.rows(
        "count_calls_since", {"since": format_time(since)}
    )
    return RecentUsage(sessions, projects, calls, tokens, nano / _NANO, unpriced, quality)


def read_status(
    database: Database, location: Location, now: dt.datetime, cleanup_days: int
) -> ArchiveStatus:
    """Count what is archived."""
    kept = list(load_files(database).values())
    gone = [file for file in kept if file.state == "vanished"]
    [[sessions, _]] = database.rows("count_archive")
    [[kept_bytes]] = database.rows("kept_bytes")
    [[damaged]] = database.rows("count_damaged_files")
    return ArchiveStatus(
        folder=location.name,
        blobs=str(location.blobs),
        sessions=sessions,
        files=len(kept),
        source_bytes=sum(file.kept_bytes for file in kept),
        kept_bytes=kept_bytes,
        database_bytes=database_bytes(location),
        earlier_versions=sum(file.generation - 1 for file in kept),
        vanished_files=len(gone),
        vanished_bytes=sum(file.kept_bytes for file in gone),
        damaged_files=damaged,
        cleanup_days=cleanup_days,
        expiring=find_expiring(database, now, cleanup_days),
    )


def find_expiring(database: Database, now: dt.datetime, cleanup_days: int) -> list[ExpiringSession]:
    """Return the sessions that will be deleted within a week, the soonest first."""
    stays = dt.timedelta(days=cleanup_days)
    before = (now + _SOON - stays).timestamp()
    rows = database.rows("expiring_sessions", {"before_ns": round(before * _SECOND_NS)})
    return [
        ExpiringSession(name or "", title, project, format_time(_moment(written) + stays))
        for name, title, project, written in rows
    ]


def _moment(nanoseconds: int) -> dt.datetime:
    return dt.datetime.fromtimestamp(nanoseconds / _SECOND_NS, dt.UTC)
