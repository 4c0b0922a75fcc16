"""The numbers of the blocks that may match a query, the newest first: all found at once."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, Protocol

from clew.search.coverage import COMMON, Coverage, alternatives
from clew.search.filters import SessionFacts, narrows_sessions
from clew.search.index_query import to_query, to_sure_query
from clew.search.language import PROSE, RESULTS, Field, Phrase, Query
from clew.search.narrowing import narrow
from clew.store import Database, IndexAll, IndexQuery, SearchIndex, TextGroup

RANKED: Final = 600
"""So many blocks are ranked; of more, the newest."""
MATCHED: Final = 2500
"""So many of the newest texts a regular expression is tried on first."""
_SESSIONS: Final = 100


class Matches(Protocol):
    """Numbers of blocks to look at; `looked` of the `total` were.

    Of those that are `uncertain` the index cannot tell whether they match. `coverage` says which
    of them have more of the words than others, and come first.
    """

    looked: int
    total: int
    is_common: bool
    coverage: Coverage

    @property
    def uncertain(self) -> Collection[int]:
        """Those of the blocks that were looked at of which the index cannot tell."""

    @property
    def is_counted(self) -> bool:
        """Whether `total` is more than a lower bound."""

    def take(self, many: int) -> list[int]:
        """Return so many more."""


class AllMatches:
    """All blocks of some sessions that may match."""

    def __init__(self, index: SearchIndex, query: Query, sessions: Sequence[SessionFacts]) -> None:
        ids = _matching(index, query)
        self.coverage = _cover(index, query)
        self._source, self.total = _in_time(index.database, query, sessions, ids)
        if self.coverage and self.total > RANKED:
            self._source = iter(self.coverage.most_first(self._source))
        self.uncertain: Collection[int] = _uncertain(index, query, ids or ())
        self.is_common = ids is not None and len(ids) > COMMON
        self.is_counted = True
        self.looked = 0

    def take(self, many: int) -> list[int]:
        """Return so many more."""
        ids = list(islice(self._source, many))
        # Whatever was counted before, there are no more than come.
        self.looked, self.total = self.looked + len(ids), self.total if ids else self.looked
        return ids


def groups_of(query: Query) -> list[TextGroup]:
    """Return the groups of texts that a query searches."""
    groups: tuple[tuple[TextGroup, frozenset[Field]], ...] = (("prose", PROSE), ("result", RESULTS))
    return [name for name, fields in groups if query.fields & fields]


def sure_query(query: Query) -> tuple[bool, IndexQuery | None]:
    """Tell whether the index can be unsure about texts, and what finds those it is sure about."""
    expression = query.expression
    sure = None if expression is None else to_sure_query(expression)
    return expression is not None and sure != to_query(expression), sure


def _matching(index: SearchIndex, query: Query) -> list[int] | None:
    """Return the numbers of all blocks that may match, in order; None if any may."""
    words = [] if query.expression is None else [to_query(query.expression)]
    ids: set[int] = set()
    for group in groups_of(query):
        narrowed = narrow(index, group, query.regexes)
        if narrowed.is_possible and not (words or narrowed.terms):
            return None
        if narrowed.is_possible:
            ids.update(index.find(group, IndexAll((*words, *narrowed.terms))))
        if narrowed.bound is not None and words:
            ids.update(index.find(group, words[0], after=narrowed.bound))
        elif narrowed.bound is not None:
            newer = index.database.rows("search_newer", {"bound": narrowed.bound})
            ids.update(number for (number,) in newer)
    return sorted(ids)


def _cover(index: SearchIndex, query: Query) -> Coverage:
    """Find which blocks have how much of a query; the order of regular expressions stays."""
    found: dict[Phrase, set[int]] = {}
    for phrase in () if query.regexes else alternatives(query.expression):
        blocks: set[int] = set()
        for group in groups_of(query):
            blocks.update(index.find(group, to_query(phrase)))
        if len(blocks) <= COMMON:
            found[phrase] = blocks
    return Coverage(found)


def _uncertain(index: SearchIndex, query: Query, ids: Sequence[int]) -> frozenset[int]:
    """Return those of the blocks that may match of which the index cannot tell."""
    is_unsure, sure = sure_query(query)
    if not is_unsure:
        return frozenset()
    found = frozenset(ids)
    if sure is not None:
        for group in groups_of(query):
            found -= frozenset(index.find(group, sure))
    return found


def _in_time(
    database: Database,
    query: Query,
    sessions: Sequence[SessionFacts],
    ids: Sequence[int] | None,
) -> tuple[Iterator[int], int]:
    """Return the numbers of blocks, newest first if there are many, and how many there are."""
    if not query.fields & (PROSE | RESULTS):
        return iter(()), 0
    if narrows_sessions(query.filters) or ids is None:
        stretches = list(_stretches(database, sessions, ids))
        return _newest_first(stretches, ids), sum(map(len, stretches))
    if len(ids) <= RANKED and not query.regexes:
        # All are looked at, in whatever order.
        return iter(ids), len(ids)
    return _newest_first(_stretches(database, sessions, ids), ids), len(ids)


def _stretches(
    database: Database, sessions: Sequence[SessionFacts], ids: Sequence[int] | None
) -> Iterator[range]:
    """Return the range of each session's blocks: positions in `ids`, or numbers if all match."""
    for start in range(0, len(sessions), _SESSIONS):
        keys = [session.key for session in sessions[start : start + _SESSIONS]]
        for _, first, last in database.rows("search_ranges", {"keys": keys}):
            if first is None:
                continue
            if ids is None:
                yield range(first, last + 1)
            else:
                yield range(bisect_left(ids, first), bisect_right(ids, last))


def _newest_first(stretches: Iterable[range], ids: Sequence[int] | None) -> Iterator[int]:
    for stretch in stretches:
        for place in reversed(stretch):
            yield place if ids is None else ids[place]
