"""ArchiveCounts: tokens and cost, and the git work that they led to."""

import datetime as dt
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from clew.analytics import (
    HOUR,
    TOOL_GROUPS,
    WORK_GROUPS,
    FilterSet,
    UsageGroup,
    UsageOverview,
    UsageReport,
    bucket_letters,
    counts_whole_sessions,
    hours_of,
    make_overview,
    narrows_calls,
    sessions_in_groups,
    summarise,
)
from clew.archive.opened import EVERYTHING, OpenedArchive
from clew.store import RecentUsage, find_tool_sessions, read_recent

if TYPE_CHECKING:
    from clew.analytics import CacheReport, GitReport, WorkReports
    from clew.store import DigestUsage, LineAuthors, SessionReport


class ArchiveCounts(OpenedArchive):
    """Tokens and cost, by what one asks for, and the git work that they led to."""

    def usage(
        self, filters: FilterSet = EVERYTHING, by: str = "day", zone: dt.tzinfo = dt.UTC
    ) -> UsageReport:
        """Count tokens and cost, by one of `clew.analytics.GROUPS` or `WORK_GROUPS`."""
        if by in WORK_GROUPS:
            return self._usage_of_work(filters, by, zone)
        sums = self._reader.counted_calls(filters, bucket_letters(zone))
        hours = self._hours(filters) if by == "block" else ()
        return summarise(sums, by, zone, filters, self._client_costs(filters), hours)

    def _usage_of_work(self, filters: FilterSet, by: str, zone: dt.tzinfo) -> UsageReport:
        """Count by commit, pull request or branch: what calls led to, as sessions report it."""
        from clew.analytics import assign_calls

        calls = self._reader.calls_by_branch(filters)
        names = assign_calls(calls, self.work_reports(), by)
        missing = self._reader.missing_calls(filters)
        costs = self._client_costs(filters)
        report = summarise([*calls, *missing], by, zone, filters, costs)
        for row in report.rows:
            row.label = names.get(row.key, msgspec.UNSET)
        return report

    def usage_overview(
        self,
        filters: FilterSet = EVERYTHING,
        zone: dt.tzinfo = dt.UTC,
        before: FilterSet | None = None,
    ) -> UsageOverview:
        """Count one period by every group; `before` is the period to compare it with."""
        letters = bucket_letters(zone)
        sums = self._reader.counted_calls(filters, letters)
        earlier = None if before is None else self._reader.counted_calls(before, letters)
        costs = self._client_costs(filters)
        return make_overview(sums, zone, filters, costs, earlier, self._hours(filters))

    def usage_of_sessions(
        self, session_ids: Collection[str], zone: dt.tzinfo = dt.UTC
    ) -> UsageOverview:
        """Count some sessions by every group, as if there were no others."""
        sums = self._reader.counted_calls(EVERYTHING, bucket_letters(zone))
        costs = self._reader.client_costs()
        return make_overview(
            [calls for calls in sums if calls.session_id in session_ids],
            zone,
            EVERYTHING,
            {name: cost for name, cost in costs.items() if name in session_ids},
        )

    def _client_costs(self, filters: FilterSet) -> dict[str, float]:
        """Return the client's own totals, which are of whole sessions, if those are counted."""
        return self._reader.client_costs() if counts_whole_sessions(filters) else {}

    def _hours(self, filters: FilterSet) -> set[str]:
        """Return the hours of all calls, where counting leaves some out: blocks depend on them."""
        if not narrows_calls(filters):
            return set()
        return hours_of(self._reader.counted_calls(EVERYTHING, HOUR))

    def sessions_in_groups(
        self,
        groups: Sequence[UsageGroup],
        filters: FilterSet = EVERYTHING,
        zone: dt.tzinfo = dt.UTC,
    ) -> frozenset[str]:
        """Return the ids of the sessions that a number of the usage counts, by its groups."""
        reader = self._reader
        tools = [group for group in groups if group.by in TOOL_GROUPS]
        found = [
            find_tool_sessions(reader.database, filters, group.key, group.by) for group in tools
        ]
        if len(tools) < len(groups):
            sums = reader.counted_calls(filters, bucket_letters(zone))
            found.append(sessions_in_groups(sums, groups, zone, filters))
        return frozenset.intersection(*found) if found else frozenset()

    def answer_costs(self, message_ids: Iterable[str]) -> dict[str, int]:
        """Return what answers cost in nano-dollars, by their ids; unpriced ones cost 0."""
        from clew.store import costs_of_messages

        return costs_of_messages(self._reader.database, message_ids)

    def recent(self, since: dt.datetime) -> RecentUsage:
        """Count all sessions, and what model calls used from a moment on."""
        return read_recent(self._reader.database, since)

    def cache_usage(
        self, filters: FilterSet = EVERYTHING, zone: dt.tzinfo = dt.UTC
    ) -> "CacheReport":
        """Count what cache breaks cost, by cause, project and week."""
        from clew.analytics import summarise_breaks
        from clew.store import read_cache_breaks

        cost = self.usage(filters, "model", zone).totals.cost_usd
        return summarise_breaks(read_cache_breaks(self._reader.database, filters), zone, cost)

    def digest_usage(self, filters: FilterSet = EVERYTHING) -> "list[DigestUsage]":
        """Count what digests cost in a period, by model; no other total contains it."""
        from clew.store import read_digest_usage

        return read_digest_usage(self._reader.database, filters.since, filters.until)

    def work_reports(self) -> "WorkReports":
        """Return which commits and pull requests the work of all sessions led to."""
        from clew.analytics import WorkReports

        found = self.git_reports()
        reports: dict[str, list[GitReport]] = {each.session_id: [] for each in found}
        for each in found:
            reports[each.session_id].append(each.report)
        return WorkReports(reports, {each.session_id: each.project for each in found})

    def sessions_of_pull_request(self, url: str) -> list[str]:
        """Return the ids of the sessions with work on a pull request."""
        from clew.analytics import assign_calls

        calls = self._reader.calls_by_branch(EVERYTHING)
        assign_calls(calls, self.work_reports(), "pr")
        return list(dict.fromkeys(call.session_id for call in calls if call.group == url))

    def git_reports(self, session_ids: Collection[str] | None = None) -> "list[SessionReport]":
        """List the commits and pull requests that all sessions report, or some of them."""
        from clew.store import read_git_reports

        return read_git_reports(self._reader.database, session_ids)

    def line_authors(self, commits: Iterable[str]) -> "dict[tuple[str, str], LineAuthors]":
        """Return what is known of who wrote the lines of commits, by commit and path."""
        from clew.store import read_line_authors

        return read_line_authors(self._reader.database, commits)

    def keep_line_authors(self, found: "Iterable[LineAuthors]") -> bool:
        """Keep who wrote the lines of commits; return whether the archive can be written."""
        from clew.store import keep_line_authors

        return keep_line_authors(self.location, found)
