"""Long sessions that still grow: bytes are archived at once, rows derived when they pause.

Deriving a session takes about as long as it is. One of a hundred megabytes that grows by a line
every second would keep a processor busy, so whoever follows sessions lets such a one come to rest.
"""

import datetime as dt
from typing import Final

from clew.clock import format_time
from clew.store.protocols import Database

LONG_BYTES: Final = 20 << 20
DEFERRED_PAUSE: Final = 2.0
"""After so many seconds without growth rows are derived; whoever deferred them syncs again then."""
LONGEST_DELAY: Final = dt.timedelta(seconds=30)


class Deferral:
    """Which sessions may wait for their rows at a given moment."""

    def __init__(self, database: Database, now: dt.datetime) -> None:
        self.stale: dict[str, str] = dict(database.rows("stale_sessions"))
        self._latest = format_time(now - LONGEST_DELAY)
        self._pause_ns = int(
            (now - dt.timedelta(seconds=DEFERRED_PAUSE)).timestamp() * 1_000_000_000
        )

    def may_defer(self, session_id: str, size_bytes: int, written_ns: int) -> bool:
        """Tell whether a session is long, was written to just now, and has not waited for long."""
        since = self.stale.get(session_id)
        return (
            size_bytes > LONG_BYTES
            and written_ns > self._pause_ns
            and (since is None or since > self._latest)
        )


def mark_stale(database: Database, session_id: str, now: str) -> None:
    """Remember that more is archived of a session than its rows know."""
    database.run("add_stale_session", {"session": session_id, "now": now})


def unmark_stale(database: Database, session_id: str) -> None:
    """Remember that a session's rows are made from all archived bytes of it."""
    database.run("delete_stale_session", {"session": session_id})
