"""Filter and sort the sessions in memory."""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from litestar.di import NamedDependency
from litestar.params import QueryParameter, SkipValidation

from clew.analytics import FilterSet, find_checkout, given_filters
from clew.clock import format_time
from clew.errors import UsageError
from clew.store import Order, SessionOverview
from clew.web.cache import ArchiveCache, Catalogue
from clew.web.live_sessions import find_waiting
from clew.web.params import Counting, Flag, TheCounting, TheFilters, read_zone
from clew.web.text_query import TextQuery, make_matcher, read_text_query, select_ids

_NO_TIME: Final = ""
_RUNNING: Final = dt.timedelta(minutes=5)
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
    "active": (lambda session: session.active_ms or session.duration_ms, True),
}
SORTS: Final = tuple(_SORTS)


class SessionQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which sessions to list, and in which order.

    `text` is a query: its words must occur in the title, first prompt, description, project,
    branch, id, note or tags. `counting` selects sessions with calls in all of its groups; the
    filters then apply to the calls. `day` selects sessions that ended on it, `repository` those in
    it and its worktrees.
    """

    filters: FilterSet = FilterSet()
    counting: Counting = Counting()
    text: str = ""
    min_cost: float | None = None
    has_errors: bool = False
    is_running: bool = False
    day: str = ""
    repository: str = ""
    with_hidden: bool = False
    sort: str = "when"
    is_reversed: bool = False

    @property
    def zone(self) -> dt.tzinfo:
        """The time zone of days."""
        return read_zone(self.counting.tz)

    def read_text(self, now: dt.datetime | None = None) -> TextQuery:
        """Read the text as a query."""
        return read_text_query(self.text, now or dt.datetime.now(self.zone))


SessionQueryParam: TypeAlias = NamedDependency[SkipValidation[SessionQuery]]


def read_session_query(  # noqa: PLR0913 (the parameters of a request)
    filters: TheFilters,
    counting: TheCounting,
    *,
    text: Annotated[
        str | None,
        QueryParameter(
            max_length=4096,
            description="Words of the title, prompt, project or branch, and filters: `tool:Bash`.",
        ),
    ] = None,
    min_cost: Annotated[float | None, QueryParameter(ge=0)] = None,
    has_errors: Flag = False,
    is_running: Annotated[
        bool, QueryParameter(description="Only sessions that grew in the last five minutes.")
    ] = False,
    day: Annotated[
        str | None,
        QueryParameter(max_length=20, description="Only sessions that ended on this day."),
    ] = None,
    repository: Annotated[
        str | None,
        QueryParameter(
            max_length=4096,
            description="Only sessions in the folder of this path, and in its worktrees.",
        ),
    ] = None,
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
        is_running=is_running,
        day=day or "",
        repository=repository or "",
        with_hidden=with_hidden,
        sort=sort,
        is_reversed=is_reversed,
    )


def find_sessions(
    cache: ArchiveCache, catalogue: Catalogue, query: SessionQuery
) -> tuple[list[SessionOverview], int]:
    """Return the matching sessions in order, and how many more are hidden.

    Raises:
        UsageError: The sort order or the day is invalid.
    """
    text = query.read_text()
    sessions = _selected(cache, catalogue, text, _filtered(cache, catalogue, query))
    words = _all_words(cache, catalogue) if text.expression is not None else {}
    found = filter_sessions(sessions, query, text, words)
    if text.is_waiting is not None:
        waiting = find_waiting(cache, dt.datetime.now(dt.UTC))
        found = [session for session in found if (session.id in waiting) == text.is_waiting]
    # A number of the usage report counts hidden sessions, too.
    if query.with_hidden or query.counting.groups:
        return found, 0
    is_named = query.filters.hidden is not None or bool(text.filters.of("hidden"))
    shown = [s for s in found if s.is_talk and (is_named or not s.is_hidden)]
    return shown, len(found) - len(shown)


def running_since(now: dt.datetime) -> str:
    """Return the moment after which a session that runs has grown."""
    return format_time(now.astimezone(dt.UTC) - _RUNNING)


def _filtered(
    cache: ArchiveCache, catalogue: Catalogue, query: SessionQuery
) -> Iterable[SessionOverview]:
    """Return the sessions that match the filters, or whose calls match and are counted."""
    if query.counting.groups:
        ids = _counted(cache, catalogue, query)
    elif given_filters(query.filters):
        ids = _matching(cache, catalogue, query.filters)
    else:
        return catalogue.sessions
    return (session for session in catalogue.sessions if session.id in ids)


def _matching(cache: ArchiveCache, catalogue: Catalogue, filters: FilterSet) -> frozenset[str]:
    return cache.get_or_make(
        ("matching", filters),
        catalogue.version,
        lambda: cache.archive.matching_sessions(filters),
    )


def _selected(
    cache: ArchiveCache,
    catalogue: Catalogue,
    text: TextQuery,
    sessions: Iterable[SessionOverview],
) -> Iterable[SessionOverview]:
    """Return the sessions that match the filters in a text."""

    def find(name: str, value: str) -> frozenset[str]:
        if name != "file":
            return _matching(cache, catalogue, FilterSet(**{name: value}))
        return cache.get_or_make(
            ("using", value),
            catalogue.version,
            lambda: _using(cache, value),
        )

    wanted, unwanted = select_ids(text.filters, find)
    for name, moment in (("since", text.filters.after), ("until", text.filters.before)):
        if moment is not None:
            ids = _matching(cache, catalogue, FilterSet(**{name: format_time(moment)}))
            wanted = ids if wanted is None else wanted & ids
    if wanted is None and not unwanted:
        return sessions
    return (
        session
        for session in sessions
        if (wanted is None or session.id in wanted) and session.id not in unwanted
    )


def _using(cache: ArchiveCache, path: str) -> frozenset[str]:
    """Return the sessions that touched a file; hidden ones are left out later, if at all."""
    uses = cache.archive.file_uses(path, FilterSet(), Order(with_hidden=True))
    return frozenset(use.session_id for use in uses)


def _counted(cache: ArchiveCache, catalogue: Catalogue, query: SessionQuery) -> frozenset[str]:
    """Return the ids of the sessions behind a number of the usage report."""
    counting = query.counting
    return cache.get_or_make(
        ("counted", query.filters, counting),
        catalogue.version,
        lambda: cache.archive.sessions_in_groups(counting.groups, query.filters, query.zone),
    )


def _all_words(cache: ArchiveCache, catalogue: Catalogue) -> Mapping[str, str]:
    """Return what the words of a query are looked for in, by the ids of sessions."""
    return cache.get_or_make(
        "words of sessions",
        catalogue.version,
        lambda: {session.id: _words_of(session) for session in catalogue.sessions},
    )


def filter_sessions(
    sessions: Iterable[SessionOverview],
    query: SessionQuery,
    text: TextQuery,
    words: Mapping[str, str] | None = None,
) -> list[SessionOverview]:
    """Return the sessions that match all of a query but its filters, in its order.

    `words` are those of all sessions, if they are known already.

    Raises:
        UsageError: The sort order or the day is invalid.
    """
    if query.sort not in _SORTS:
        raise UsageError(f"invalid sort {query.sort!r}; use one of {', '.join(SORTS)}")
    key, is_descending = _SORTS[query.sort]
    tests = list(_tests(query, text, words or {}))
    found = [session for session in sessions if all(test(session) for test in tests)]
    found.sort(key=key, reverse=is_descending != query.is_reversed)
    return found


def _tests(
    query: SessionQuery, text: TextQuery, words: Mapping[str, str]
) -> Iterable[Callable[[SessionOverview], bool]]:
    """Return what sessions must fulfil beside the filters."""
    has_errors = True if query.has_errors else text.filters.is_error
    if has_errors is not None:
        yield lambda session: (session.errors > 0) == has_errors
    if query.min_cost is not None:
        least = query.min_cost
        yield lambda session: (session.cost_usd or 0.0) >= least
    is_running = True if query.is_running else text.is_running
    if is_running is not None:
        start = running_since(dt.datetime.now(dt.UTC))
        yield lambda session: ((session.ended_at or "") >= start) == is_running
    if query.day:
        first, last = _read_day(query.day, query.zone)
        yield lambda session: first <= (session.ended_at or "") < last
    if query.repository:
        wanted = query.repository
        yield lambda session: find_checkout(session.project).repository == wanted
    if text.expression is not None:
        matches = make_matcher(text.expression)
        yield lambda session: matches(words.get(session.id) or _words_of(session))


def _read_day(day: str, zone: dt.tzinfo) -> tuple[str, str]:
    """Return the first moment of a day, and the first one after it."""
    try:
        start = dt.datetime.combine(dt.date.fromisoformat(day), dt.time(), zone)
        end = dt.datetime.combine(start.date() + dt.timedelta(days=1), dt.time(), zone)
        return format_time(start), format_time(end)
    except (ValueError, OverflowError) as error:
        raise UsageError(f"day={day!r} is not a day; write it as 2026-11-14") from error


def _words_of(session: SessionOverview) -> str:
    texts = (session.title, session.first_prompt, session.description, session.project)
    own = (session.note, *session.tags)
    return "\n".join((*texts, *own, session.git_branch or "", session.id)).casefold()
