"""The blocks that a query asks for, the newest first and no more than can be ranked at once."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

import apsw
import msgspec

from clew.search.filters import (
    BlockFacts,
    CallFacts,
    SessionFacts,
    accepts_block,
    meant_tools,
    narrows_blocks,
    narrows_sessions,
    needs_calls,
)
from clew.search.index_query import sure_match, to_match
from clew.search.language import PROSE, RESULTS, Field, Query
from clew.search.narrowing import narrow
from clew.store.queries import statement

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
_numbers: Final = msgspec.json.Decoder(list[int])


class Blocks:
    """The blocks of some sessions, given newest first, that may hold a query's words.

    `looked` is how many of the `total` were looked at, whether they passed its filters or not.
    Of those that are `uncertain` the index cannot tell whether they match.
    """

    def __init__(
        self, connection: apsw.Connection, query: Query, sessions: Sequence[SessionFacts]
    ) -> None:
        ids = _matching(connection, query)
        self._source, self.total = _in_time(connection, query, sessions, ids)
        self._reader = _Reader(connection, query, sessions)
        self.uncertain = _uncertain(connection, query, ids or ())
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
        """Look at so many more, and give those of them that pass."""
        ids = list(islice(self._source, many))
        # Whatever was counted before, there are no more than come.
        self.looked, self.total = self.looked + len(ids), self.total if ids else self.looked
        return self._reader.read(ids) if ids else []

    def next_window(self) -> list[BlockFacts]:
        """Give the next blocks that pass: as many as are ranked at once, or fewer if few do."""
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
    connection: apsw.Connection, query: Query, blocks: Iterable[BlockFacts]
) -> dict[int, float]:
    """Give how well blocks answer, by their numbers: 1 is the best of them."""
    if query.expression is None:
        return {}
    ids = msgspec.json.encode([block.id for block in blocks]).decode()
    values = {"match": to_match(query.expression), "ids": ids}
    scores: dict[int, float] = {}
    if query.fields & PROSE:
        scores.update(connection.execute(statement("search_prose_scores"), values))
    if query.fields & RESULTS:
        scores.update(connection.execute(statement("search_result_scores"), values))
    best = min(scores.values(), default=0.0)
    return {number: score / best for number, score in scores.items()} if best else {}


def rows_of(
    connection: apsw.Connection, name: str, **lists: Iterable[int | str]
) -> list[tuple[Any, ...]]:
    """Run a statement whose parameters are lists."""
    values = {key: msgspec.json.encode(list(items)).decode() for key, items in lists.items()}
    return connection.execute(statement(name), values).fetchall()


def _matching(connection: apsw.Connection, query: Query) -> list[int] | None:
    """Give the numbers of all blocks that may be wanted, in order; None when any may."""
    words = [] if query.expression is None else [to_match(query.expression)]
    ids: set[int] = set()
    for table in _tables(query):
        told = narrow(connection, f"{table}_text", query.regexes)
        if told.is_possible and not (words or told.terms):
            return None
        if told.is_possible:
            match = " AND ".join([*words, *told.terms])
            ids.update(_ask(connection, f"search_{table}", {"match": match}))
        if told.bound is not None:
            name = f"search_{table}_newer" if words else "search_newer"
            ids.update(_ask(connection, name, {"match": "".join(words), "bound": told.bound}))
    return sorted(ids)


def _uncertain(connection: apsw.Connection, query: Query, ids: Sequence[int]) -> frozenset[int]:
    """Give those of the blocks that may match, of which the index cannot tell that they do."""
    expression = query.expression
    sure = None if expression is None else sure_match(expression)
    if expression is None or sure == to_match(expression):
        return frozenset()
    found = frozenset(ids)
    if sure is not None:
        for table in _tables(query):
            found -= frozenset(_ask(connection, f"search_{table}", {"match": sure}))
    return found


def _tables(query: Query) -> list[str]:
    tables = (("prose", PROSE), ("result", RESULTS))
    return [name for name, fields in tables if query.fields & fields]


def _ask(connection: apsw.Connection, name: str, values: dict[str, Any]) -> list[int]:
    return _numbers.decode(next(connection.execute(statement(name), values))[0])


def _in_time(
    connection: apsw.Connection,
    query: Query,
    sessions: Sequence[SessionFacts],
    ids: Sequence[int] | None,
) -> tuple[Iterator[int], int]:
    """Give the numbers of blocks, the newest first where there are many, and how many there are."""
    if not query.fields & (PROSE | RESULTS):
        return iter(()), 0
    if narrows_sessions(query.filters) or ids is None:
        stretches = list(_stretches(connection, sessions, ids))
        return _newest_first(stretches, ids), sum(map(len, stretches))
    if len(ids) <= RANKED and not query.regexes:
        # All are looked at, in whatever order.
        return iter(ids), len(ids)
    return _newest_first(_stretches(connection, sessions, ids), ids), len(ids)


def _stretches(
    connection: apsw.Connection, sessions: Sequence[SessionFacts], ids: Sequence[int] | None
) -> Iterator[range]:
    """Give for each session where its blocks stand: in `ids`, or as numbers when all are asked."""
    for start in range(0, len(sessions), _SESSIONS):
        keys = [session.key for session in sessions[start : start + _SESSIONS]]
        for _, first, last in rows_of(connection, "search_ranges", keys=keys):
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

    def __init__(
        self, connection: apsw.Connection, query: Query, sessions: Iterable[SessionFacts]
    ) -> None:
        self.connection = connection
        self.query = query
        self.sessions = {session.key: session for session in sessions}
        self.fields = query.fields & _WITH_TOOLS if query.filters.tool.wanted else query.fields
        self.is_narrowed = narrows_blocks(query.filters)
        self.texts = 0
        self.loaded: set[int] = set()
        self.calls: dict[tuple[int, str], CallFacts] = {}
        self.tools: list[str] | None = None
        self.agents: dict[tuple[int, str], str] = {}

    def read(self, ids: Sequence[int]) -> list[BlockFacts]:
        """Give those of the blocks that pass."""
        rows = rows_of(self.connection, "search_blocks", ids=ids, fields=self.fields)
        self.texts += len(rows)
        blocks = [BlockFacts(*row) for row in rows if row[1] in self.sessions]
        if not self.is_narrowed:
            return blocks
        if needs_calls(self.query.filters):
            self._load_calls_of({block.session_key for block in blocks} - self.loaded)
        return [block for block in blocks if self._accepts(block)]

    def count(self, ids: Sequence[int]) -> int:
        """Count those of the blocks that are texts in the fields that are searched."""
        return int(rows_of(self.connection, "search_count", ids=ids, fields=self.fields)[0][0])

    def _accepts(self, block: BlockFacts) -> bool:
        call_id, run_id = block.tool_call_id, block.agent_run_id
        if not run_id and self.query.filters.agent.wanted:
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
        if filters.tool or filters.is_error is not None:
            rows = rows_of(self.connection, "search_calls", keys=keys, tools=self._tools())
            for key, call_id, tool, is_error in rows:
                self.calls[key, call_id] = CallFacts(tool, bool(is_error))
        if filters.agent:
            for key, run_id, agent in rows_of(self.connection, "search_runs", keys=keys):
                self.agents[key, run_id] = agent

    def _tools(self) -> list[str]:
        if self.tools is None:
            tools = [str(row[0]) for row in rows_of(self.connection, "search_tools")]
            self.tools = meant_tools(self.query.filters.tool, tools)
        return self.tools
