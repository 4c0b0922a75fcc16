"""Cache breaks in the rows, with what they cost at the prices of today's table."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from clew.analytics import (
    CacheBreak,
    CountedBreak,
    FilterSet,
    Pricer,
    accepts_calls,
    cost_of_break,
)
from clew.conversation import ModelUsage
from clew.store.filters import filter_parameters
from clew.store.protocols import Database

_SESSION: Final = 4
_BREAK: Final = 15


def read_cache_breaks(database: Database, filters: FilterSet) -> Iterator[CountedBreak]:
    """Return the cache breaks whose model calls match, each counted once."""
    pricer = Pricer()
    for row in database.rows("cache_breaks", filter_parameters(database, filters)):
        found, usage = _cache_break(row[_SESSION:_BREAK]), ModelUsage(*row[_BREAK:])
        session_id, project, branch, agent = row[:_SESSION]
        cost = cost_of_break(found, usage, pricer)
        counted = CountedBreak(session_id, project, branch, agent, found, cost)
        if accepts_calls(filters, counted.as_call):
            yield counted


def _cache_break(row: Sequence[Any]) -> CacheBreak:
    message_id, run, at, model, cause, source, pause, tokens, fresh, short, long = row
    return CacheBreak(
        message_id=message_id,
        agent_run_id=run,
        at=at,
        model=model,
        cause=cause,
        source=source,
        pause_ms=pause,
        tokens=tokens,
        input_tokens=fresh,
        cache_write_5m_tokens=short,
        cache_write_1h_tokens=long,
    )
