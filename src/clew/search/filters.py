"""Which sessions and blocks the filters of a query let through."""

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime
from fnmatch import fnmatchcase
from functools import lru_cache

import msgspec

from clew.analytics import Thing, display_name, find_filter, select_paths
from clew.clock import parse_time
from clew.search.language import Condition, Field, Names, Query, QueryFilters


class SessionFacts(msgspec.Struct, frozen=True, gc=False):
    """What search needs to know of a session."""

    key: int
    id: str
    title: str
    title_source: str
    project: str
    models: str
    started_at: str
    ended_at: str
    is_talk: int = 1
    is_hidden: int = 0
    member: str | None = None


class BlockFacts(msgspec.Struct, frozen=True, gc=False):
    """What search needs to know of a block and its message."""

    id: int
    session_key: int
    message_ordinal: int
    ordinal: int
    field: str
    kind: str
    tool_call_id: str | None
    message_id: str
    role: str
    at: str
    agent_run_id: str | None
    model: str | None
    is_error: int


class CallFacts(msgspec.Struct, frozen=True, gc=False):
    """What search needs to know of the tool call and the agent run that a block belongs to."""

    tool: str = ""
    is_error: bool = False
    agent: str = ""


def session_conditions(filters: QueryFilters) -> list[Condition]:
    """Return the conditions that sessions as a whole match or not."""
    return [one for one in filters.conditions if Thing.HIT not in find_filter(one.name).own]


def narrows_sessions(filters: QueryFilters) -> bool:
    """Tell whether some sessions can be left out before a look at their blocks."""
    return bool(
        session_conditions(filters)
        or filters.file
        or filters.wanted("agent")
        or filters.after
        or filters.before
    )


def needs_calls(filters: QueryFilters) -> bool:
    """Tell whether a block's tool call or agent run must be known."""
    return bool(filters.of("tool", "agent")) or filters.is_error is not None


def select_tools(patterns: Collection[str], tools: Iterable[str]) -> list[str]:
    """Return the tools that match any of the patterns."""
    return [tool for tool in tools if any(fits(pattern, tool) for pattern in patterns)]


def concerns_blocks(filters: QueryFilters) -> bool:
    """Tell whether the filters ask for something that a session as a whole does not have."""
    return needs_calls(filters) or bool(filters.of("model"))


def narrows_blocks(filters: QueryFilters) -> bool:
    """Tell whether a block of a session that is let through may be left out nonetheless."""
    return concerns_blocks(filters) or bool(filters.after or filters.before)


def names_errors_once(query: Query) -> bool:
    """Tell whether a failed call is found by its result alone: no words are in its input."""
    return (
        query.filters.is_error is True
        and query.expression is None
        and not query.regexes
        and Field.RESULT in query.fields
    )


def accepts_block(
    filters: QueryFilters, block: BlockFacts, session: SessionFacts, call: CallFacts
) -> bool:
    """Tell whether a block is let through, when its session is."""
    if filters.is_error is not None and filters.is_error != bool(block.is_error or call.is_error):
        return False
    for condition in filters.conditions:
        match condition.name:
            case "agent":
                is_accepted = _passes(condition.values, call.agent, fits)
            case "tool":
                is_accepted = _passes(condition.values, call.tool, fits)
            case "model":
                # What a model said is judged by its name, all else by the models that answered it.
                models = block.model or session.models
                is_accepted = _passes(condition.values, models, _is_model)
            case _:
                is_accepted = True
        if not is_accepted:
            return False
    return not (filters.after or filters.before) or is_between(filters, block.at)


def accepted_paths(names: Names, paths: Collection[str]) -> list[str]:
    """Return the files that are wanted and not unwanted."""
    wanted = set(_named_paths(names.wanted, paths)) if names.wanted else set(paths)
    unwanted = set(_named_paths(names.unwanted, paths))
    return [path for path in paths if path in wanted and path not in unwanted]


def _named_paths(patterns: Iterable[str], paths: Collection[str]) -> Iterator[str]:
    for pattern in patterns:
        yield from select_paths(pattern, paths)


def is_between(filters: QueryFilters, at: str) -> bool:
    """Tell whether a moment lies in the times asked; one that is not known does not."""
    moment = parse_time(at)
    return (
        moment is not None
        and (filters.after is None or moment >= filters.after)
        and (filters.before is None or moment < filters.before)
    )


@lru_cache(maxsize=4096)
def fits(pattern: str, value: str) -> bool:
    """Tell whether a name is as a pattern says, in upper or lower case; no name never is."""
    return bool(value) and fnmatchcase(value.casefold(), pattern.casefold())


def _passes(names: Names, value: str, is_meant: Callable[[str, str], bool]) -> bool:
    return (not names.wanted or any(is_meant(name, value) for name in names.wanted)) and not any(
        is_meant(name, value) for name in names.unwanted
    )


def lasts_into(filters: QueryFilters, session: SessionFacts) -> bool:
    """Tell whether a session may have blocks in the times asked: unknown times may be any."""
    started, ended = _known(session.started_at), _known(session.ended_at)
    if filters.after is not None and ended is not None and ended < filters.after:
        return False
    return filters.before is None or started is None or started < filters.before


def _known(at: str) -> datetime | None:
    return parse_time(at) if at else None


def _is_model(name: str, models: str) -> bool:
    return name.casefold() in _spelled(models)


@lru_cache(maxsize=256)
def _spelled(models: str) -> str:
    """Return all spellings of one model's name, or of a JSON list of names."""
    try:
        names = msgspec.json.decode(models, type=list[str])
    except msgspec.DecodeError:
        names = [models]
    return "\n".join(f"{name}\n{display_name(name)}" for name in names).casefold()
