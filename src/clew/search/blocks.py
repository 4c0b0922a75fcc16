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
from clew.search.language import PROSE, Field, Query
from clew.search.words import to_match
from clew.store.queries import statement

RANKED: Final = 600
"""So many blocks are ranked; of more, the newest."""
MATCHED: Final = 2500
"""So many texts a regular expression is tried on; of more, the newest."""
_EXAMINED: Final = 12
"""For each block that is wanted so many are looked at, when filters leave some out."""
_CHUNK: Final = 600
_SESSIONS: Final = 100
# What stands in more blocks than this says nothing about any of them.
_TOO_COMMON: Final = 40_000
_WITH_TOOLS: Final = frozenset({Field.INPUT, Field.RESULT})
_NO_CALL: Final = CallFacts()
_numbers: Final = msgspec.json.Decoder(list[int])


class Found(msgspec.Struct, frozen=True):
    """Blocks that passed, how many there are in all, and whether that is known for sure."""

    blocks: list[BlockFacts]
    total: int
    is_exact: bool
    is_sampled: bool
    is_common: bool = False


def find_blocks(
    connection: apsw.Connection, query: Query, sessions: Sequence[SessionFacts]
) -> Found:
    """Find the blocks of some sessions, given newest first, that a query asks for."""
    if not query.fields & {*PROSE, Field.RESULT}:
        return Found([], 0, is_exact=True, is_sampled=False)
    most = MATCHED if query.regexes else RANKED
    ids = None if query.expression is None else _matching(connection, query)
    is_narrowed = narrows_sessions(query.filters)
    if ids is not None and len(ids) <= most and not is_narrowed:
        source, total = iter(ids), len(ids)
    elif ids is not None and not is_narrowed:
        source, total = _newest_first(_stretches(connection, sessions, ids), ids), len(ids)
    else:
        stretches = list(_stretches(connection, sessions, ids))
        source = _newest_first(stretches, ids)
        total = sum(len(stretch) for stretch in stretches)
    found = _examine(_Reader(connection, query, sessions), source, total, most)
    is_common = ids is not None and len(ids) > _TOO_COMMON
    return msgspec.structs.replace(found, is_common=is_common)


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
    if Field.RESULT in query.fields:
        scores.update(connection.execute(statement("search_result_scores"), values))
    best = min(scores.values(), default=0.0)
    return {number: score / best for number, score in scores.items()} if best else {}


def rows_of(
    connection: apsw.Connection, name: str, **lists: Iterable[int | str]
) -> list[tuple[Any, ...]]:
    """Run a statement whose parameters are lists."""
    values = {key: msgspec.json.encode(list(items)).decode() for key, items in lists.items()}
    return connection.execute(statement(name), values).fetchall()


def _matching(connection: apsw.Connection, query: Query) -> list[int]:
    """Give the numbers of all blocks that hold the words, in order."""
    if query.expression is None:
        return []
    values = {"match": to_match(query.expression)}
    ids: list[int] = []
    for name, fields in (("search_prose", PROSE), ("search_results", {Field.RESULT})):
        if query.fields & fields:
            ids += _numbers.decode(next(connection.execute(statement(name), values))[0])
    return sorted(ids)


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
        self.loaded: set[int] = set()
        self.calls: dict[tuple[int, str], CallFacts] = {}
        self.tools: list[str] | None = None
        self.agents: dict[tuple[int, str], str] = {}

    def read(self, ids: Sequence[int]) -> list[BlockFacts]:
        """Give those of the blocks that pass."""
        rows = rows_of(self.connection, "search_blocks", ids=ids, fields=self.fields)
        blocks = [BlockFacts(*row) for row in rows if row[1] in self.sessions]
        if not self.is_narrowed:
            return blocks
        if needs_calls(self.query.filters):
            self._load_calls_of({block.session_key for block in blocks} - self.loaded)
        return [block for block in blocks if self._accepts(block)]

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


def _examine(reader: _Reader, source: Iterator[int], total: int, most: int) -> Found:
    """Look at blocks until enough have passed, or too many were looked at."""
    is_narrowed = _leaves_out(reader.query)
    limit = most * _EXAMINED if is_narrowed else most
    passed: list[BlockFacts] = []
    looked = 0
    while looked < limit and len(passed) < most:
        ids = list(islice(source, min(_CHUNK, limit - looked)))
        if not ids:
            break
        looked += len(ids)
        passed += reader.read(ids)
    is_complete = looked == total
    return Found(
        passed,
        len(passed) if is_narrowed else total,
        is_exact=is_complete or not is_narrowed,
        is_sampled=not is_complete,
    )


def _leaves_out(query: Query) -> bool:
    """Tell whether some of the blocks that hold the words are not wanted."""
    searched = query.fields & PROSE
    return (
        narrows_blocks(query.filters)
        or query.expression is None
        or searched not in (frozenset(), PROSE)
    )
