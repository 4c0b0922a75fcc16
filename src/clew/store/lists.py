"""Lists over the rows: sessions, projects, tool calls, agent runs, files."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from clew.analytics import FilterSet
from clew.clock import milliseconds
from clew.conversation import MISSING
from clew.store.filters import choose_paths, decode_names, filter_parameters
from clew.store.overviews import (
    AgentRunOverview,
    FileEdit,
    FileOverview,
    FileUse,
    FoundFile,
    ProjectOverview,
    SessionOverview,
    Tally,
    ToolCallOverview,
    ToolStats,
)
from clew.store.protocols import Database, Parameters

# The first of each is the default: the latest first. All others put the most first, names by
# the alphabet.
SORTS: Final[dict[str, tuple[str, ...]]] = {
    "sessions": ("when", "title", "messages", "calls", "tokens", "cost", "duration"),
    "projects": ("when", "name", "sessions", "calls", "tokens", "cost", "duration"),
    "tool_calls": ("when", "name", "duration", "size"),
    "agent_runs": ("when", "name", "messages", "tokens", "cost"),
    "files": ("when", "name", "sessions", "changes", "lines"),
}
_ALL: Final = 1 << 62
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]")
_NANO: Final = 1_000_000_000
_PRESENT: Final = "present"


class Order(msgspec.Struct, frozen=True):
    """What comes first, how many at most, and whether what is usually left out comes too.

    Left out are sessions in which nobody said anything or that the reader has hidden, and agents'
    warm-ups and suggestions.
    """

    sort: str = "when"
    limit: int | None = None
    with_hidden: bool = False


class HiddenSessions(msgspec.Struct, frozen=True):
    """How many sessions lists leave out: `silent` ones, and those that the reader has hidden."""

    silent: int = 0
    put_away: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.silent + self.put_away


class _FileSummary(msgspec.Struct):
    """What is archived of a session's files."""

    path: str = ""
    size_bytes: int = 0
    is_on_disk: bool = False


def list_sessions(
    database: Database, filters: FilterSet, order: Order
) -> Iterator[SessionOverview]:
    """List sessions."""
    return (session for _, session in list_keyed_sessions(database, filters, order))


def list_keyed_sessions(
    database: Database, filters: FilterSet, order: Order, owners: Sequence[int] | None = None
) -> Iterator[tuple[int, SessionOverview]]:
    """List sessions, each with its key in the database: all, or those of some owners."""
    parameters = _parameters(database, filters, order)
    if owners is not None:
        parameters["member"] = list(owners)
    rows = list(database.records("list_sessions", parameters))
    keys = {"keys": [row["key"] for row in rows]}
    tools = _grouped(database, "tools_of_sessions", keys)
    agents = _grouped(database, "agents_of_sessions", keys)
    unpriced = _grouped(database, "unpriced_models_of_sessions", keys)
    kept = _file_summaries(database, keys)
    for row in rows:
        key = row.pop("key")
        session = SessionOverview(
            **_with_tally(row),
            tools=tuple(tools.get(key, ())),
            agents=tuple(agents.get(key, ())),
            unpriced_models=tuple(unpriced.get(key, ())),
            **msgspec.structs.asdict(kept.get(key, _FileSummary())),
        )
        yield key, session


def count_listed(
    database: Database, what: str, filters: FilterSet, order: Order, path: str | None = None
) -> int:
    """Count what a list has without its limit; `what` is a key of `SORTS`, or `file_uses`."""
    parameters = _parameters(database, filters, order, path)
    (count,) = next(database.rows(f"count_{what}", parameters))
    return int(count)


def count_hidden_sessions(database: Database, filters: FilterSet) -> HiddenSessions:
    """Count the sessions that a list leaves out."""
    parameters = _parameters(database, filters, Order(with_hidden=True))
    silent, put_away = next(database.rows("count_hidden_sessions", parameters))
    return HiddenSessions(int(silent), int(put_away))


def list_projects(
    database: Database, filters: FilterSet, order: Order
) -> Iterator[ProjectOverview]:
    """List projects."""
    for row in database.rows("list_projects", _parameters(database, filters, order)):
        yield ProjectOverview(*row)


def list_tool_calls(
    database: Database, filters: FilterSet, order: Order
) -> Iterator[ToolCallOverview]:
    """List tool calls."""
    for row in database.rows("list_tool_calls", _parameters(database, filters, order)):
        yield ToolCallOverview(*row)


def list_agent_runs(
    database: Database, filters: FilterSet, order: Order
) -> Iterator[AgentRunOverview]:
    """List agent runs."""
    for row in database.records("list_agent_runs", _parameters(database, filters, order)):
        row["models"] = tuple(decode_names(row["models"]))
        row["is_hidden"] = bool(row["is_hidden"])
        taken = _between(row["started_at"], row["ended_at"])
        is_missing = row["status"] == MISSING and row["reported_duration_ms"] is not None
        duration = row["reported_duration_ms"] if is_missing else taken
        yield AgentRunOverview(duration_ms=duration, **row)


def list_touched_files(
    database: Database, filters: FilterSet, order: Order, path: str | None = None
) -> Iterator[FileOverview]:
    """List the files that were read or changed, or of those the ones at a path."""
    parameters = _parameters(database, filters, order, path)
    for row in database.rows("list_files", parameters):
        yield FileOverview(*row)


def list_files_like(database: Database, words: Sequence[str], most: int) -> list[FoundFile]:
    """List the files that have all words in their path, the last edited first.

    Files that only hidden sessions touched are left out.
    """
    # Databases know no case of most letters; what is found by the others is looked at again.
    patterns = [f"%{_NOT_ASCII.sub('%', word)}%" for word in words]
    rows = database.rows("files_like", {"patterns": patterns, "most": most})
    found = (FoundFile(*row) for row in rows)
    folded = [word.casefold() for word in words]
    return [file for file in found if all(word in file.path.casefold() for word in folded)]


def list_file_uses(
    database: Database, filters: FilterSet, order: Order, path: str | None = None
) -> Iterator[FileUse]:
    """List which sessions read or changed the files at a path."""
    parameters = _parameters(database, filters, order, path)
    for row in database.rows("list_file_uses", parameters):
        yield FileUse(*row)


def list_file_edits(database: Database, path: str, limit: int) -> Iterator[FileEdit]:
    """List the tool calls that changed one file, the latest first."""
    for row in database.rows("changes_of_file", {"path": path, "limit": limit}):
        yield FileEdit(*row)


def read_shapes(
    database: Database, session_ids: Iterable[str], pieces: int
) -> dict[str, list[tuple[int, int, int, int]]]:
    """Return of each session how much was said, done and went wrong: piece, talk, tools, errors."""
    found: dict[str, list[tuple[int, int, int, int]]] = {}
    for name, *shape in database.rows(
        "shapes_of_sessions", {"sessions": list(session_ids), "pieces": pieces}
    ):
        place, talk, tools, errors = shape
        found.setdefault(name, []).append((min(place, pieces - 1), talk, tools, errors))
    return found


def list_tool_stats(database: Database, filters: FilterSet, limit: int) -> Iterator[ToolStats]:
    """List tools, the one called most first."""
    order = Order(limit=limit, with_hidden=True)
    for row in database.rows("tool_stats", _parameters(database, filters, order)):
        yield ToolStats(*row)


def find_tool_sessions(
    database: Database, filters: FilterSet, tool: str, how: str
) -> frozenset[str]:
    """Return the sessions with calls that `list_tool_stats` counts: all, `failed` or `denied`."""
    parameters = _parameters(database, filters, Order(with_hidden=True))
    asked = {**parameters, "called": tool, "how": how}
    return frozenset(str(row[0]) for row in database.rows("tool_sessions", asked))


def _parameters(
    database: Database, filters: FilterSet, order: Order, path: str | None = None
) -> dict[str, Any]:
    return {
        **filter_parameters(database, filters),
        "paths": None if path is None else choose_paths(database, path),
        "sort": order.sort,
        "limit": _ALL if order.limit is None else order.limit,
        "with_hidden": int(order.with_hidden),
    }


def _grouped(database: Database, name: str, keys: Parameters) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for key, value in database.rows(name, keys):
        found.setdefault(key, []).append(value)
    return found


def _file_summaries(database: Database, keys: Parameters) -> dict[int, _FileSummary]:
    found: dict[int, _FileSummary] = {}
    for key, root, path, size, state in database.rows("files_of_sessions", keys):
        if key not in found:
            found[key] = _FileSummary(str(Path(root, path)), is_on_disk=state == _PRESENT)
        found[key].size_bytes += size
    return found


def _with_tally(row: dict[str, Any]) -> dict[str, Any]:
    """Put the counts of tokens into a struct of their own, and read the lists of names."""
    nano = row.pop("cost_nano_usd")
    cost = None if nano is None else nano / _NANO
    row.pop("unpriced_calls")
    counts = {name: row.pop(name) for name in Tally.__struct_fields__ if name in row}
    row["has_transcript"] = bool(row["has_transcript"])
    row["is_digest_stale"] = bool(row["is_digest_stale"])
    row["is_starred"], row["is_hidden"] = bool(row["is_starred"]), bool(row["is_hidden"])
    row["tags"] = tuple(decode_names(row["tags"]))
    row["member"] = row["member"] or msgspec.UNSET
    return {
        **row,
        "versions": tuple(decode_names(row["versions"])),
        "models": tuple(decode_names(row["models"])),
        "is_talk": bool(row["is_talk"]),
        "usage": Tally(**counts, cost_usd=cost),
        "cost_usd": cost,
    }


def _between(start: str | None, end: str | None) -> int | None:
    began, ended = milliseconds(start or ""), milliseconds(end or "")
    return None if began is None or ended is None else ended - began
