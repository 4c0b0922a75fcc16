"""What the server tells the follower, and what the follower reports, as lines of JSON."""

import msgspec

from clew.store import ArchiveAddress


class FollowerSettings(msgspec.Struct, frozen=True):
    """What to follow, and where the archive is; by default, all roots of this machine."""

    archive: ArchiveAddress | None = None
    roots: tuple[str, ...] = ()


class Change(msgspec.Struct, frozen=True):
    """What a sync changed: the archive's version, the sessions that grew, or what went wrong."""

    version: str = ""
    sessions: tuple[str, ...] = ()
    trouble: str = ""


class Archiving(msgspec.Struct, frozen=True, kw_only=True):
    """How far a long sync is: sessions and bytes that are archived, of all it has to archive."""

    sessions: int
    total_sessions: int
    bytes: int
    total_bytes: int

    @property
    def percent(self) -> int:
        """How much of it is done; 100 only when all of it is."""
        return 100 * self.bytes // self.total_bytes if self.total_bytes else 100


class FollowerReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """What has changed, how far a long sync is, and whether a sync has just ended."""

    change: Change | None = None
    archiving: Archiving | None = None
    is_synced: bool = False
