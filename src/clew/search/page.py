"""One page of hits, filled from the best to the worst."""

from clew.search.ranking import Candidate


class HitPage:
    """What was found up to the end of a page and a little further.

    `found` counts all hits so far, those before the page too; `unverified` are candidates behind
    the page that may be hits. `is_done` says that there is nothing more to look at.
    """

    def __init__(self, offset: int, limit: int) -> None:
        self.offset = offset
        self.limit = limit
        self.hits: list[Candidate] = []
        self.found = 0
        self.unverified = 0
        self.is_done = False

    @property
    def has_hits(self) -> bool:
        """Whether there is a hit on this page, or behind it."""
        return self.found > self.offset

    @property
    def is_full(self) -> bool:
        """Whether the page is full and a hit behind it is known."""
        return self.found > self.offset + self.limit

    @property
    def next_offset(self) -> int | None:
        """Where the next page begins; None when there surely is none."""
        end = self.offset + len(self.hits)
        if self.found > end or (self.hits and (self.unverified or not self.is_done)):
            return end
        return None

    def skip(self, many: int) -> bool:
        """Count hits that come before the page, if all of them do."""
        if self.found + many > self.offset:
            return False
        self.found += many
        return True

    def add(self, candidate: Candidate) -> None:
        """Count a hit, and keep it if it is one of the page."""
        self.found += 1
        if self.has_hits and len(self.hits) < self.limit:
            self.hits.append(candidate)
