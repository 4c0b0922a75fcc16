"""The numbers of the blocks that may match a query, found in steps, the newest first.

A look at the latest sessions tells whether a word is common. Its blocks may be millions, so they
are found session by session, the latest first, and only as far as somebody looks. What only few
blocks have is found at once.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Final

from clew.search.coverage import Coverage, alternatives
from clew.search.fetched_sessions import FetchedSessions, KeyPage
from clew.search.filters import narrows_sessions
from clew.search.index_query import to_query
from clew.search.language import Phrase, Query
from clew.search.matches import MATCHED, RANKED, groups_of, sure_query
from clew.search.narrowing import narrow
from clew.store import IndexAll, IndexQuery, SearchIndex, StepIndex, TextGroup

_FEW: Final = 10_000
"""So many blocks that match are found at once."""
_COMMON: Final = 100
"""What so many blocks of the latest sessions have is common."""


class StepMatches:
    """The blocks that may match; `total` is a lower bound until the last was taken."""

    def __init__(
        self, index: SearchIndex, steps: StepIndex, query: Query, sessions: FetchedSessions
    ) -> None:
        self._index = steps
        self._database = index.database
        self._query = query
        self._sessions = sessions
        self._ahead = MATCHED + 1 if query.regexes else 1
        self._is_unsure, self._sure = sure_query(query)
        self.uncertain: set[int] = set()
        self.is_common = False
        self.coverage = Coverage()
        self.is_counted = False
        self.looked = 0
        self._next: deque[int] = deque()
        self._source = self._find(_wanted(index, query))
        self._look_ahead()

    def take(self, many: int) -> list[int]:
        """Return so many more."""
        self._next.extend(islice(self._source, max(0, many - len(self._next))))
        ids = [self._next.popleft() for _ in range(min(many, len(self._next)))]
        self.looked += len(ids)
        self._look_ahead()
        if self._is_unsure:
            self.uncertain.update(set(ids).difference(self._find_sure(ids)))
        return ids

    def _look_ahead(self) -> None:
        self._next.extend(islice(self._source, max(0, self._ahead - len(self._next))))
        self.total = self.looked + len(self._next)

    def _find(self, wanted: dict[TextGroup, IndexQuery] | None) -> Iterator[int]:
        if wanted is None:
            return self._all_blocks()
        if not wanted:
            return iter(())
        pages = self._sessions.newest_first()
        latest = next(pages)
        if not self._query.regexes and (either := alternatives(self._query.expression)):
            return self._most_first(wanted, either, latest, pages)
        return self._newest_first(wanted, latest, pages)

    def _newest_first(
        self, wanted: dict[TextGroup, IndexQuery], latest: KeyPage, pages: Iterator[KeyPage]
    ) -> Iterator[int]:
        found = self._find_in(wanted, latest.keys)
        if latest.is_last:
            return iter(found)
        if len(found) < _COMMON and (few := self._find_few(wanted)) is not None:
            return iter(self._in_order(few))
        rest = (self._find_in(wanted, page.keys) for page in pages)
        return chain(found, chain.from_iterable(rest))

    def _most_first(
        self,
        wanted: dict[TextGroup, IndexQuery],
        either: list[Phrase],
        latest: KeyPage,
        pages: Iterator[KeyPage],
    ) -> Iterator[int]:
        """Return what has rare words first, those with the most of them before others."""
        queries = {one: dict.fromkeys(wanted, to_query(one)) for one in either}
        found = {one: self._find_rare(query, latest) for one, query in queries.items()}
        rare = {one: blocks for one, blocks in found.items() if blocks is not None}
        best = self._check(wanted, set[int]().union(*rare.values()))
        common = {
            one: self._check(queries[one], best) for one, blocks in found.items() if blocks is None
        }
        self.coverage = Coverage(rare, common)
        first = self.coverage.most_first(self._in_order(best))
        others = self._newest_first(wanted, latest, pages)
        return chain(first, (number for number in others if number not in best))

    def _find_rare(self, wanted: dict[TextGroup, IndexQuery], latest: KeyPage) -> set[int] | None:
        """Return all blocks that have a word; None if it is common."""
        found = self._find_in(wanted, latest.keys)
        if latest.is_last:
            return set(found)
        return self._find_few(wanted) if len(found) < _COMMON else None

    def _check(self, wanted: dict[TextGroup, IndexQuery], blocks: set[int]) -> set[int]:
        """Return those of some blocks that have what is wanted."""
        found: set[int] = set()
        for group, query in wanted.items():
            found.update(self._index.find_in_blocks(group, query, list(blocks)))
        return found

    def _find_few(self, wanted: dict[TextGroup, IndexQuery]) -> set[int] | None:
        found: set[int] = set()
        for group, query in wanted.items():
            some = self._index.find_few(group, query, _FEW - len(found))
            if some is None:
                return None
            found.update(some)
        return found

    def _find_in(self, wanted: dict[TextGroup, IndexQuery], keys: list[int]) -> list[int]:
        found: set[int] = set()
        for group, query in wanted.items():
            found.update(self._index.find_in_sessions(group, query, keys))
        return self._by_session(found, keys)

    def _in_order(self, found: set[int]) -> list[int]:
        """Sort blocks by their sessions, unless all are looked at, in whatever order."""
        query = self._query
        if len(found) <= RANKED and not query.regexes and not narrows_sessions(query.filters):
            return sorted(found)
        keys = self._sessions.sort({self._index.session_key(block) for block in found})
        return self._by_session(found, keys)

    def _by_session(self, found: Iterable[int], keys: list[int]) -> list[int]:
        places = {key: place for place, key in enumerate(keys)}
        key_of = self._index.session_key
        known = [block for block in found if key_of(block) in places]
        return sorted(known, key=lambda block: (places[key_of(block)], -block))

    def _all_blocks(self) -> Iterator[int]:
        for page in self._sessions.newest_first():
            rows = self._database.rows("search_ranges", {"keys": page.keys})
            ranges = {key: range(first, last + 1) for key, first, last in rows if first is not None}
            for key in page.keys:
                yield from reversed(ranges.get(key, range(0)))

    def _find_sure(self, ids: list[int]) -> set[int]:
        found: set[int] = set()
        if self._sure is not None and ids:
            for group in groups_of(self._query):
                found.update(self._index.find_in_blocks(group, self._sure, ids))
        return found


def _wanted(index: SearchIndex, query: Query) -> dict[TextGroup, IndexQuery] | None:
    """Return what the blocks of each group must have; None if any block may match."""
    words = [] if query.expression is None else [to_query(query.expression)]
    wanted: dict[TextGroup, IndexQuery] = {}
    for group in groups_of(query):
        narrowed = narrow(index, group, query.regexes)
        if narrowed.is_possible and not (words or narrowed.terms):
            return None
        if narrowed.is_possible:
            wanted[group] = IndexAll((*words, *narrowed.terms))
    return wanted
