"""Which session made an answer that several have, and what depends on it: titles and lineage.

The result depends on the rows alone, not on the order in which sessions were written.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from clew.store.protocols import Database
from clew.store.receipts import mark_stale_digests

# A call gets its own counts back before its maker is found, and a larger copy's afterwards.
_STEPS: Final = (
    "find_shared_answers",
    "lower_calls",
    "resolve_model_calls",
    "raise_calls",
    "add_related_sessions",
    "resolve_missing_runs",
    "resolve_titles",
    "resolve_digest_titles",
    "find_elders",
    "resolve_lineage",
)


def find_related_sessions(database: Database, session_ids: Sequence[str]) -> list[str]:
    """Return the sessions that share an answer with some, or have an old title from them."""
    # Most sessions are new when this is asked, and have no rows that could be related to others.
    known = [row[0] for row in database.rows("known_sessions", {"names": session_ids})]
    if not known:
        return []
    return [str(row[0]) for row in database.rows("related_sessions", {"names": known})]


def resolve_ownership(database: Database, session_ids: Iterable[str]) -> None:
    """Decide between sessions of which some have changed, in a transaction."""
    database.run("begin_ownership")
    database.run_many("add_changed_session", [{"id": name} for name in session_ids])
    for name in _STEPS:
        database.run(name)
    mark_stale_digests(database)
    database.run("end_ownership")
