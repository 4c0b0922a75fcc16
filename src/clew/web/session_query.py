"""Filter and sort the sessions in memory."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from litestar.di import NamedDependency
from litestar.params import QueryParameter, SkipValidation

from clew.analytics import FilterSet, given_filters
from clew.errors import UsageError
from clew.store import SessionOverview
from clew.web.cache import ArchiveCache, Catalogue
from clew.web.params import Counting, Flag, TheCounting, TheFilters, Word, read_zone

_NO_TIME: Final = ""
_SORTS: Final[dict[str, tuple[Callable[[SessionOverview], Any], bool]]] = {
    "when": (lambda session: session.ended_at or _NO_TIME, True),
    "started": (lambda session: session.started_at or _NO_TIME, True),
    "title": (lambda session: session.title.casefold(), False),
    "project": (lambda session: (session.project.casefold(), session.title.casefold()), False),
    "messages": (lambda session: session.messages, True),
    "calls": (lambda session: session.tool_calls, True),
    "errors": (lambda session: session.errors, True),
    "tokens": (lambda session: session.total_tokens, True),
    "cost": (lambda session: session.cost_usd or 0.0, True),
    "duration": (lambda session: session.duration_ms, True),
}
SORTS: Final = tuple(_SORTS)


class SessionQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which sessions to list, and in which order.

    Each word of `text` must occur in the title, first prompt, project, branch or id. `counting`
    selects sessions with calls in all of its groups; the filters then apply to the calls.
    """

    filters: FilterSet = FilterSet()
    counting: Counting = Counting()
    text: str = ""
    min_cost: float | None = None
    has_errors: bool = False
    with_hidden: bool = False
    sort: str = "when"
    is_reversed: bool = False


SessionQueryParam: TypeAlias = NamedDependency[SkipValidation[SessionQuery]]


def read_session_query(
    filters: TheFilters,
    counting: TheCounting,
    *,
    text: Word = None,
    min_cost: Annotated[float | None, QueryParameter(ge=0)] = None,
    has_errors: Flag = False,
    with_hidden: Flag = False,
    sort: Annotated[str, QueryParameter(description=f"One of {', '.join(SORTS)}.")] = "when",
    is_reversed: Flag = False,
) -> SessionQuery:
    """Read which sessions to list."""
    return SessionQuery(
        filters=filters,
        counting=counting,
        text=text or "",
        min_cost=min_cost,
        has_errors=has_errors,
        with_hidden=with_hidden,
        sort=sort,
        is_reversed=is_reversed,
    )


def find_sessions(
    cache: ArchiveCache, catalogue: Catalogue, query: SessionQuery
) -> tuple[list[SessionOverview], int]:
    """Return the matching sessions in order, and how many more are hidden.

    Raises:
        UsageError: The sort order is invalid.
    """
    found = filter_sessions(_filtered(cache, catalogue, query), query)
    # A number of the usage report counts hidden sessions, too.
    if query.with_hidden or query.counting.groups:
        return found, 0
    shown = [session for session in found if session.is_talk]
    return shown, len(found) - len(shown)


def _filtered(
    cache: ArchiveCache, catalogue: Catalogue, query: SessionQuery
) -> Iterable[SessionOverview]:
    """Return the sessions that match the filters, or whose calls match and are counted."""
    if query.counting.groups:
        ids = _counted(cache, catalogue, query)
    elif given_filters(query.filters):
        ids = cache.get_or_make(
            ("matching", query.filters),
            catalogue.version,
            lambda: cache.archive.matching_sessions(query.filters),
        )
    else:
        return catalogue.sessions
    return (session for session in catalogue.sessions if session.id in ids)


def _counted(cache: ArchiveCache, catalogue: Catalogue, query: SessionQuery) -> frozenset[str]:
    """Return the ids of the sessions behind a number of the usage report."""
    counting = query.counting
    zone = read_zone(counting.tz)
    return cache.get_or_make(
        ("counted", query.filters, counting),
        catalogue.version,
        lambda: cache.archive.sessions_in_groups(counting.groups, query.filters, zone),
    )


def filter_sessions(
    sessions: Iterable[SessionOverview], query: SessionQuery
) -> list[SessionOverview]:
    """Return the sessions that match all of a query but its filters, in its order.

    Raises:
        UsageError: The sort order is invalid.
    """
    if query.sort not in _SORTS:
        raise UsageError(f"invalid sort {query.sort!r}; use one of {', '.join(SORTS)}")
    key, is_descending = _SORTS[query.sort]
    words = query.text.casefold().split()
    found = [s for s in sessions if _matches(s, query) and _contains(s, words)]
    found.sort(key=key, reverse=is_descending != query.is_reversed)
    return found


def _matches(session: SessionOverview, query: SessionQuery) -> bool:
    return (not query.has_errors or session.errors > 0) and (
        query.min_cost is None or (session.cost_usd or 0.0) >= query.min_cost
    )


def _contains(session: SessionOverview, words: list[str]) -> bool:
    if not words:
        return True
    texts = (session.title, session.first_prompt, session.project, session.git_branch or "")
    text = "\n".join((*texts, session.id)).casefold()
    return all(word in text for word in words)
