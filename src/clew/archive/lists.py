"""ArchiveLists: sessions, projects, calls, runs and files, one row each."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from clew.analytics import FilterSet, SessionLabel
from clew.archive.opened import EVERYTHING, LATEST_FIRST, OpenedArchive
from clew.store import (
    AgentRunOverview,
    FileEdit,
    FileOverview,
    FileUse,
    FoundFile,
    HiddenSessions,
    Order,
    ProjectOverview,
    SessionOverview,
    ToolCallOverview,
    ToolStats,
    count_hidden_sessions,
    count_listed,
    filter_values,
    find_matching_sessions,
    list_agent_runs,
    list_file_edits,
    list_file_uses,
    list_files_like,
    list_projects,
    list_sessions,
    list_tool_calls,
    list_tool_stats,
    list_touched_files,
    read_shapes,
)

if TYPE_CHECKING:
    from clew.store import DecidedCall, DecisionCount, FailedCall


class ArchiveLists(OpenedArchive):
    """What can be listed: sessions, projects, calls, runs and files."""

    def sessions(
        self, filters: FilterSet = EVERYTHING, order: Order = LATEST_FIRST
    ) -> Iterator[SessionOverview]:
        """List sessions."""
        return list_sessions(self._reader.database, filters, order)

    def count(
        self,
        what: str,
        filters: FilterSet = EVERYTHING,
        order: Order = LATEST_FIRST,
        path: str | None = None,
    ) -> int:
        """Count what a list has without its limit.

        Args:
            what: `sessions`, `projects`, `tool_calls`, `agent_runs`, `files` or `file_uses`.
            filters: What the listed items must match.
            order: Whether usually hidden items count too.
            path: Of files, count those at a path.
        """
        return count_listed(self._reader.database, what, filters, order, path)

    def hidden_sessions(self, filters: FilterSet = EVERYTHING) -> int:
        """Count the sessions that lists leave out."""
        return self.hidden_counts(filters).total

    def hidden_counts(self, filters: FilterSet = EVERYTHING) -> HiddenSessions:
        """Count the sessions that lists leave out, by reason."""
        return count_hidden_sessions(self._reader.database, filters)

    def matching_sessions(self, filters: FilterSet) -> frozenset[str]:
        """Return the ids of the sessions that match, hidden ones too."""
        return frozenset(find_matching_sessions(self._reader.database, filters).values())

    def filter_values(self, name: str) -> list[str]:
        """Return the values that a filter may be set to, the most used first."""
        return filter_values(self._reader.database, name)

    def session_labels(self, session_ids: Collection[str] | None = None) -> dict[str, SessionLabel]:
        """Return what people know sessions by, by their ids: of all, or of some."""
        found = self._reader.session_labels()
        if session_ids is None:
            return found
        return {name: found[name] for name in session_ids if name in found}

    def shapes(
        self, session_ids: Iterable[str], pieces: int = 24
    ) -> dict[str, list[tuple[int, int, int, int]]]:
        """Return of each session, piece by piece, how much was said, done and went wrong."""
        return read_shapes(self._reader.database, session_ids, pieces)

    def projects(
        self, filters: FilterSet = EVERYTHING, order: Order = LATEST_FIRST
    ) -> Iterator[ProjectOverview]:
        """List projects."""
        return list_projects(self._reader.database, filters, order)

    def tool_calls(
        self, filters: FilterSet = EVERYTHING, order: Order = LATEST_FIRST
    ) -> Iterator[ToolCallOverview]:
        """List tool calls."""
        return list_tool_calls(self._reader.database, filters, order)

    def tool_stats(self, filters: FilterSet = EVERYTHING, limit: int = 100) -> Iterator[ToolStats]:
        """List tools, the one called most first, with how they went."""
        return list_tool_stats(self._reader.database, filters, limit)

    def decisions(self, filters: FilterSet = EVERYTHING) -> "list[DecisionCount]":
        """Count tool calls by who decided about them, and how."""
        from clew.store import count_decisions

        return count_decisions(self._reader.database, filters)

    def decided_calls(self, filters: FilterSet = EVERYTHING) -> "Iterator[DecidedCall]":
        """List the tool calls that waited for a person or were refused, the earliest first."""
        from clew.store import list_decided_calls

        return list_decided_calls(self._reader.database, filters)

    def failed_calls(self, filters: FilterSet = EVERYTHING) -> "Iterator[FailedCall]":
        """List the tool calls that failed or were refused, the earliest first."""
        from clew.store import list_failed_calls

        return list_failed_calls(self._reader.database, filters)

    def agent_runs(
        self, filters: FilterSet = EVERYTHING, order: Order = LATEST_FIRST
    ) -> Iterator[AgentRunOverview]:
        """List agent runs."""
        return list_agent_runs(self._reader.database, filters, order)

    def files(
        self,
        filters: FilterSet = EVERYTHING,
        order: Order = LATEST_FIRST,
        path: str | None = None,
    ) -> Iterator[FileOverview]:
        """List files that were read or changed: all, or those at a path."""
        return list_touched_files(self._reader.database, filters, order, path)

    def find_files(self, words: Sequence[str], limit: int) -> list[FoundFile]:
        """Find files by words of their path, the last edited first."""
        return list_files_like(self._reader.database, words, limit)

    def file_uses(
        self, path: str, filters: FilterSet = EVERYTHING, order: Order = LATEST_FIRST
    ) -> Iterator[FileUse]:
        """List which sessions read or changed the files at a path, or with that end of one."""
        return list_file_uses(self._reader.database, filters, order, path)

    def file_paths(self, path: str) -> list[str]:
        """Return the files that sessions touched at a path, or with that end of one."""
        return sorted({use.path for use in self.file_uses(path)})

    def file_edits(self, path: str, limit: int = 100) -> Iterator[FileEdit]:
        """List the tool calls that changed one file, the latest first."""
        return list_file_edits(self._reader.database, path, limit)
