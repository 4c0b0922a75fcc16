"""How far archiving is, for pages that show only what is archived so far."""

import msgspec

from clew.figures import plural


class ArchivingStatus(msgspec.Struct, frozen=True, kw_only=True):
    """How many sessions of a long sync are archived, and how much of its work is done."""

    sessions: int
    total_sessions: int
    percent: int

    @property
    def text(self) -> str:
        """The status in one line."""
        if not self.total_sessions:
            return f"Archiving transcripts ({self.percent} %)"
        total = plural(self.total_sessions, "session")
        return f"Archiving transcripts: {self.sessions:,} of {total} ({self.percent} % of the data)"

    @property
    def coverage(self) -> str:
        """How many sessions a page covers."""
        total = plural(self.total_sessions, "new session")
        are = "is" if self.total_sessions == 1 else "are"
        return f"{self.sessions:,} of {total} {are} archived so far"
