"""The blocks that a query asks for, the newest first and no more than can be ranked at once."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from clew.search.filters import (
    BlockFacts,
    CallFacts,
    SessionFacts,
    accepts_block,
    narrows_blocks,
    narrows_sessions,
    needs_calls,
    select_tools,
)
from clew.search.index_query import to_query, to_sure_query
from clew.search.language import PROSE, RESULTS, Field, Query
from clew.search.narrowing import narrow
from clew.store import Database, IndexAll, SearchIndex, TextGroup

RANKED: Final = 600
"""So many blocks are ranked; of more, the newest."""
_EXAMINED: Final = 12
"""For each block that is wanted so many are looked at, when filters leave some out."""
_LEAST_CHUNK: Final = 100
_COUNTED: Final = 20_000
_SESSIONS: Final = 100
# What stands in more blocks than this says nothing about any of them.
_TOO_COMMON: Final = 40_000
_WITH_TOOLS: Final = frozenset({Field.INPUT, Field.RESULT})
_NO_CALL: Final = CallFacts()


class Blocks:
    """The blocks of some sessions, given newest first, that may hold a query's words.

    `looked` is how many of the `total` were looked at, whether they passed its filters or not.
    Of those that are `uncertain` the index cannot tell whether they match.
    """

    def __init__(self, index: SearchIndex, query: Query, sessions: Sequence[SessionFacts]) -> None:
        database = index.database
        ids = _matching(index, query)
        self._source, self.total = _in_time(database, query, sessions, ids)
        self._reader = _Reader(database, query, sessions)
        self.uncertain = _uncertain(index, query, ids or ())
        self.is_common = ids is not None and len(ids) > _TOO_COMMON
        self.looked = 0

    @property
    def is_done(self) -> bool:
        """Whether all were looked at."""
        return self.looked >= self.total

    @property
    def searched(self) -> int:
        """How many of those that were looked at are texts in the fields that are searched."""
        return self._reader.texts

    def next(self, many: int) -> list[BlockFacts]:
        """Look at so many more, and return those of them that pass."""
        ids = list(islice(self._source, many))
        # Whatever was counted before, there are no more than come.
        self.looked, self.total = self.looked + len(ids), self.total if ids else self.looked
        return self._reader.read(ids) if ids else []

    def next_window(self) -> list[BlockFacts]:
        """Return the next blocks that pass: as many as are ranked at once, or fewer if few do."""
        passed: list[BlockFacts] = []
        end = self.looked + RANKED * _EXAMINED
        while self.looked < min(end, self.total) and len(passed) < RANKED:
            passed += self.next(min(RANKED, max(RANKED - len(passed), _LEAST_CHUNK)))
        return passed

    def count_rest(self) -> int:
        """Count the texts that were not looked at; none of them can be looked at any more."""
        rest = 0
        while ids := list(islice(self._source, _COUNTED)):
            rest += self._reader.count(ids)
        return rest


def relevance_of(
    index: SearchIndex, query: Query, blocks: Iterable[BlockFacts]
) -> dict[int, float]:
    """Return how well blocks match, by their numbers: 1 is the best of them."""
    if query.expression is None:
        return {}
    wanted, ids = to_query(query.expression), [block.id for block in blocks]
    scores: dict[int, float] = {}
    for group in _groups(query):
        scores.update(index.scores(group, wanted, ids))
    best = max(scores.values(), default=0.0)
    return {number: score / best for number, score in scores.items()} if best else {}


def _matching(index: SearchIndex, query: Query) -> list[int] | None:
    """Return the numbers of all blocks that may match, in order; None if any may."""
    words = [] if query.expression is None else [to_query(query.expression)]
    ids: set[int] = set()
    for group in _groups(query):
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


def _uncertain(index: SearchIndex, query: Query, ids: Sequence[int]) -> frozenset[int]:
    """Return those of the blocks that may match of which the index cannot tell."""
    expression = query.expression
    sure = None if expression is None else to_sure_query(expression)
    if expression is None or sure == to_query(expression):
        return frozenset()
    found = frozenset(ids)
    if sure is not None:
        for group in _groups(query):
            found -= frozenset(index.find(group, sure))
    return found


def _groups(query: Query) -> list[TextGroup]:
    groups: tuple[tuple[TextGroup, frozenset[Field]], ...] = (("prose", PROSE), ("result", RESULTS))
    return [name for name, fields in groups if query.fields & fields]


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


class _Reader:
    """Loads blocks and keeps those that a query lets through."""

    def __init__(self, database: Database, query: Query, sessions: Iterable[SessionFacts]) -> None:
        self.database = database
        self.query = query
        self.sessions = {session.key: session for session in sessions}
        self.fields = query.fields & _WITH_TOOLS if query.filters.wanted("tool") else query.fields
        self.is_narrowed = narrows_blocks(query.filters)
        self.texts = 0
        self.loaded: set[int] = set()
        self.calls: dict[tuple[int, str], CallFacts] = {}
        self.tools: list[str] | None = None
        self.agents: dict[tuple[int, str], str] = {}

    def read(self, ids: Sequence[int]) -> list[BlockFacts]:
        """Return those of the blocks that pass."""
        rows = list(self.database.rows("search_blocks", {"ids": ids, "fields": self.fields}))
        self.texts += len(rows)
        blocks = [BlockFacts(*row) for row in rows if row[1] in self.sessions]
        if not self.is_narrowed:
            return blocks
        if needs_calls(self.query.filters):
            self._load_calls_of({block.session_key for block in blocks} - self.loaded)
        return [block for block in blocks if self._accepts(block)]

    def count(self, ids: Sequence[int]) -> int:
        """Count those of the blocks that are texts in the fields that are searched."""
        values = {"ids": ids, "fields": self.fields}
        return int(next(self.database.rows("search_count", values))[0])

    def _accepts(self, block: BlockFacts) -> bool:
        call_id, run_id = block.tool_call_id, block.agent_run_id
        if not run_id and self.query.filters.wanted("agent"):
            # Most blocks stand outside of any run.
            return False
        call = self.calls.get((block.session_key, call_id), _NO_CALL) if call_id else _NO_CALL
        if run_id:
            agent = self.agents.get((block.session_key, run_id)) or run_id
            call = CallFacts(call.tool, call.is_error, agent)
        return accepts_block(self.query.filters, block, self.sessions[block.session_key], call)

    def _load_calls_of(self, keys: set[int]) -> None:
        """Read what the filters speak of in whole sessions, which is faster than one by one."""
        self.loaded |= keys
        filters = self.query.filters
        if filters.of("tool") or filters.is_error is not None:
            rows = self.database.rows("search_calls", {"keys": keys, "tools": self._tools()})
            for key, call_id, tool, is_error in rows:
                self.calls[key, call_id] = CallFacts(tool, bool(is_error))
        if filters.of("agent"):
            for key, run_id, agent in self.database.rows("search_runs", {"keys": keys}):
                self.agents[key, run_id] = agent

    def _tools(self) -> list[str]:
        if self.tools is None:
            tools = [str(row[0]) for row in self.database.rows("search_tools")]
            names = [one.values for one in self.query.filters.of("tool")]
            patterns = [name for own in names for name in (*own.wanted, *own.unwanted)]
            self.tools = select_tools(patterns, tools)
        return self.tools
