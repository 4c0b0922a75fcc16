"""What a sync reports: its progress while it runs, and its counts at the end."""

from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

from clew.errors import ClewError
from clew.figures import plural

_ADVICE: Final = "run `clew sync` for details"


class SyncReport(msgspec.Struct, kw_only=True):
    """What a sync did.

    `entries_decoded` counts the entries that rows were made from. `sessions_deferred` are long
    sessions that still grow: their bytes are archived, and their rows follow. `sessions_busy` are
    left to other syncs, which archive them at this moment. `sessions_newer` have grown, and their
    rows are those of a newer version of clew: only their bytes are archived. `errors` are about
    source files, `faults` about archived ones.
    """

    schema: str = "clew.sync/1"
    roots: list[str] = []
    files_seen: int = 0
    files_new: int = 0
    files_grown: int = 0
    files_rewritten: int = 0
    files_repaired: int = 0
    files_vanished: int = 0
    files_unchanged: int = 0
    bytes_read: int = 0
    bytes_kept: int = 0
    entries_decoded: int = 0
    sessions_written: int = 0
    sessions_deferred: int = 0
    sessions_busy: int = 0
    sessions_newer: int = 0
    sessions_total: int = 0
    rows_written: int = 0
    errors: list[str] = []
    faults: list[str] = []
    seconds: float = 0.0

    @property
    def is_unfinished(self) -> bool:
        """Whether a sync soon afterwards may have something to do."""
        return bool(self.sessions_deferred or self.sessions_busy)

    def warning(self) -> str:
        """Say in one sentence what failed and what to do; "" if nothing did."""
        problems = [*self.errors, *self.faults]
        if not problems:
            return ""
        if len(problems) == 1:
            return f"some files are not archived: {problems[0]}; {_ADVICE}"
        count = f"{problems[0]} and {plural(len(problems) - 1, 'more problem')}"
        return f"some files are not archived: {count}; {_ADVICE}"


class SyncProgress(msgspec.Struct):
    """How far a sync is: what has been read, and what has been committed and can be queried.

    A sync reports it after each session that was read, and after each commit.
    """

    total_bytes: int
    done_bytes: int = 0
    sessions: int = 0
    total_sessions: int = 0
    committed_bytes: int = 0
    committed_sessions: int = 0


OnProgress: TypeAlias = Callable[[SyncProgress], None]


class LargeSyncError(ClewError):
    """A sync has more to do than its caller wants to wait for.

    Of `sessions`, something is not archived yet, and of the `new_sessions` among them, nothing.
    """

    def __init__(self, sessions: int, new_sessions: int, size_bytes: int) -> None:
        self.sessions = sessions
        self.new_sessions = new_sessions
        self.size_bytes = size_bytes
        super().__init__(
            f"{plural(sessions, 'session')} are not archived yet; run `clew sync` to archive them"
        )
