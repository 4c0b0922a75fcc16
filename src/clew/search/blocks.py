"""The blocks that a query asks for, the newest first and no more than can be ranked at once."""

from collections.abc import Iterable, Sequence
from typing import Final

from clew.search.filters import (
    BlockFacts,
    CallFacts,
    SessionFacts,
    accepts_block,
    names_errors_once,
    narrows_blocks,
    needs_calls,
    select_tools,
)
from clew.search.index_query import to_query
from clew.search.language import Field, Query
from clew.search.matches import RANKED, Matches, groups_of
from clew.search.sessions import Sessions
from clew.store import Database, SearchIndex

_EXAMINED: Final = 12
"""For each block that is wanted so many are looked at, when filters leave some out."""
_LEAST_CHUNK: Final = 100
_COUNTED: Final = 20_000
_WITH_TOOLS: Final = frozenset({Field.INPUT, Field.RESULT})
_NO_CALL: Final = CallFacts()


class Blocks:
    """The blocks that may match and pass the filters."""

    def __init__(
        self, database: Database, query: Query, sessions: Sessions, matches: Matches
    ) -> None:
        self.matches = matches
        self._reader = _Reader(database, query, sessions)

    @property
    def is_done(self) -> bool:
        """Whether all were looked at."""
        return self.matches.looked >= self.matches.total

    @property
    def searched(self) -> int:
        """How many of those that were looked at are texts in the fields that are searched."""
        return self._reader.texts

    def next(self, many: int) -> list[BlockFacts]:
        """Look at so many more, and return those of them that pass."""
        ids = self.matches.take(many)
        return self._reader.read(ids) if ids else []

    def next_window(self) -> list[BlockFacts]:
        """Return the next blocks that pass: as many as are ranked at once, or fewer if few do."""
        passed: list[BlockFacts] = []
        matches = self.matches
        end = matches.looked + RANKED * _EXAMINED
        while matches.looked < min(end, matches.total) and len(passed) < RANKED:
            passed += self.next(min(RANKED, max(RANKED - len(passed), _LEAST_CHUNK)))
        return passed

    def count_all(self) -> int | None:
        """Count the texts, if they are all known; none can be looked at any more."""
        if not self.matches.is_counted:
            return None
        count = self.searched
        while ids := self.matches.take(_COUNTED):
            count += self._reader.count(ids)
        return count


def relevance_of(
    index: SearchIndex, query: Query, blocks: Iterable[BlockFacts]
) -> dict[int, float]:
    """Return how well blocks match, by their numbers: 1 is the best of them."""
    if query.expression is None:
        return {}
    wanted, ids = to_query(query.expression), [block.id for block in blocks]
    scores: dict[int, float] = {}
    for group in groups_of(query):
        scores.update(index.scores(group, wanted, ids))
    best = max(scores.values(), default=0.0)
    return {number: score / best for number, score in scores.items()} if best else {}


class _Reader:
    """Loads blocks and keeps those that a query lets through."""

    def __init__(self, database: Database, query: Query, sessions: Sessions) -> None:
        self.database = database
        self.query = query
        self.sessions = sessions
        self.fields = query.fields & _WITH_TOOLS if query.filters.wanted("tool") else query.fields
        self.is_narrowed = narrows_blocks(query.filters)
        self.leaves_inputs = names_errors_once(query)
        self.texts = 0
        self.loaded: set[int] = set()
        self.calls: dict[tuple[int, str], CallFacts] = {}
        self.tools: list[str] | None = None
        self.agents: dict[tuple[int, str], str] = {}

    def read(self, ids: Sequence[int]) -> list[BlockFacts]:
        """Return those of the blocks that pass."""
        rows = list(self.database.rows("search_blocks", {"ids": ids, "fields": self.fields}))
        self.texts += len(rows)
        known = self.sessions.of({row[1] for row in rows})
        blocks = [BlockFacts(*row) for row in rows if row[1] in known]
        if not self.is_narrowed:
            return blocks
        if needs_calls(self.query.filters):
            self._load_calls_of({block.session_key for block in blocks} - self.loaded)
        return [block for block in blocks if self._accepts(block, known[block.session_key])]

    def count(self, ids: Sequence[int]) -> int:
        """Count those of the blocks that are texts in the fields that are searched."""
        values = {"ids": ids, "fields": self.fields}
        return int(next(self.database.rows("search_count", values))[0])

    def _accepts(self, block: BlockFacts, session: SessionFacts) -> bool:
        call_id, run_id = block.tool_call_id, block.agent_run_id
        if not run_id and self.query.filters.wanted("agent"):
            # Most blocks stand outside of any run.
            return False
        if self.leaves_inputs and block.field == Field.INPUT:
            return False
        call = self.calls.get((block.session_key, call_id), _NO_CALL) if call_id else _NO_CALL
        if run_id:
            agent = self.agents.get((block.session_key, run_id)) or run_id
            call = CallFacts(call.tool, call.is_error, agent)
        return accepts_block(self.query.filters, block, session, call)

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
            names = [one.values for one in self.query.filters.of("tool")]
            patterns = [name for own in names for name in (*own.wanted, *own.unwanted)]
            rows = self.database.rows("search_tools") if patterns else ()
            self.tools = select_tools(patterns, [str(row[0]) for row in rows])
        return self.tools
