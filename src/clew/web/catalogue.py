"""Choosing among all sessions: filters, words and order, over what is at hand in memory."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from litestar.di import NamedDependency
from litestar.params import QueryParameter, SkipValidation

from clew.analytics import Filters, matches, matches_model, matches_project
from clew.errors import UsageError
from clew.store import SessionOverview
from clew.web.asked import Counting, Flag, TheCounting, TheFilters, Word, read_zone
from clew.web.shelf import Catalogue, Shelf

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


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """Which sessions are asked for, and in which order.

    `text` is looked for in titles, first prompts, projects and branches, each of its words.
    `counting` asks for sessions with calls in all of its groups; then filters are about calls.
    """

    filters: Filters = Filters()
    counting: Counting = Counting()
    text: str = ""
    min_cost: float | None = None
    has_errors: bool = False
    with_hidden: bool = False
    sort: str = "when"
    is_reversed: bool = False


TheChoice: TypeAlias = NamedDependency[SkipValidation[Choice]]


def read_choice(
    filters: TheFilters,
    counting: TheCounting,
    *,
    text: Word = None,
    min_cost: Annotated[float | None, QueryParameter(ge=0)] = None,
    has_errors: Flag = False,
    with_hidden: Flag = False,
    sort: Annotated[str, QueryParameter(description=f"One of {', '.join(SORTS)}.")] = "when",
    is_reversed: Flag = False,
) -> Choice:
    """Read which sessions are asked for."""
    return Choice(
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
    shelf: Shelf, catalogue: Catalogue, choice: Choice
) -> tuple[list[SessionOverview], int]:
    """Give the sessions that are meant, in the order that is asked for, and how many are hidden.

    Raises:
        UsageError: There is no such order.
    """
    if choice.counting.groups:
        return _find_counted(shelf, catalogue, choice), 0
    found = choose_sessions(catalogue.sessions, msgspec.structs.replace(choice, with_hidden=True))
    shown = found if choice.with_hidden else [session for session in found if session.is_talk]
    return shown, len(found) - len(shown)


def _find_counted(shelf: Shelf, catalogue: Catalogue, choice: Choice) -> list[SessionOverview]:
    """Give the sessions that a number of the usage counts."""
    counting = choice.counting
    zone = read_zone(counting.tz)
    ids = shelf.share(
        ("counted", choice.filters, counting),
        catalogue.version,
        lambda: shelf.archive.sessions_in_groups(counting.groups, choice.filters, zone),
    )
    # What was counted is decided; nothing is left out that a number has in it.
    rest = msgspec.structs.replace(choice, filters=Filters(), with_hidden=True)
    return choose_sessions((session for session in catalogue.sessions if session.id in ids), rest)


def choose_sessions(sessions: Iterable[SessionOverview], choice: Choice) -> list[SessionOverview]:
    """Give the sessions that are meant, all but those of a number, in the order asked for.

    Raises:
        UsageError: There is no such order.
    """
    if choice.sort not in _SORTS:
        raise UsageError(f"there is no order {choice.sort!r}; it is one of {', '.join(SORTS)}")
    key, is_falling = _SORTS[choice.sort]
    words = choice.text.casefold().split()
    found = [s for s in sessions if _is_meant(s, choice) and _says(s, words)]
    found.sort(key=key, reverse=is_falling != choice.is_reversed)
    return found


def _is_meant(session: SessionOverview, choice: Choice) -> bool:
    filters = choice.filters
    return (
        (choice.with_hidden or session.is_talk)
        and (not choice.has_errors or session.errors > 0)
        and (choice.min_cost is None or (session.cost_usd or 0.0) >= choice.min_cost)
        and session.id.startswith(filters.session or "")
        and (filters.since is None or (session.ended_at or _NO_TIME) >= filters.since)
        and (filters.until is None or (session.started_at or _NO_TIME) < filters.until)
        and matches_project(filters.project, session.project)
        and matches(filters.branch, [session.git_branch or ""])
        and matches_model(filters.model, session.models)
        and matches(filters.tool, session.tools)
        and matches(filters.agent, session.agents)
    )


def _says(session: SessionOverview, words: list[str]) -> bool:
    if not words:
        return True
    told = (session.title, session.first_prompt, session.project, session.git_branch or "")
    text = "\n".join((*told, session.id)).casefold()
    return all(word in text for word in words)
