"""Model calls, reports of commits → which commit, pull request or branch each call worked for.

A call belongs to the next commit that its own session reports. To a pull request belong the calls
on its branch and, in the sessions that link to it, the calls up to the link. Each call counts once.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Final

from clew.analytics.git_reports import COMMIT, PULL_REQUEST, GitReport
from clew.analytics.sums import WorkCall

# Much else happens on these branches besides a pull request.
_SHARED_BRANCHES: Final = frozenset({"", "HEAD", "main", "master", "develop", "trunk"})


class WorkReports:
    """The commits and pull requests of all sessions; `projects` are those of the sessions."""

    def __init__(
        self, reports: Mapping[str, Sequence[GitReport]], projects: Mapping[str, str]
    ) -> None:
        self._commits = {name: _of_kind(some, COMMIT) for name, some in reports.items()}
        self._pulls = {name: _of_kind(some, PULL_REQUEST) for name, some in reports.items()}
        by_branch: dict[tuple[str, str], list[GitReport]] = defaultdict(list)
        for name, pulls in self._pulls.items():
            for pull in pulls:
                if pull.branch not in _SHARED_BRANCHES:
                    by_branch[projects.get(name, ""), pull.branch].append(pull)
        self._by_branch = {place: _in_order(some) for place, some in by_branch.items()}

    def commit_of(self, session_id: str, at: str) -> GitReport | None:
        """Return the commit that a session made next; None after the last one."""
        return _next(self._commits.get(session_id, ()), at)

    def pull_of(self, session_id: str, project: str, branch: str, at: str) -> GitReport | None:
        """Return the pull request that somebody worked on at a time."""
        of_branch = self._by_branch.get((project, branch), ())
        found = _next(of_branch, at) or (of_branch[-1] if of_branch else None)
        own = self._pulls.get(session_id, ())
        return found or _next(own, at)


def assign_calls(calls: Iterable[WorkCall], reports: WorkReports, by: str) -> dict[str, str]:
    """Set the group of each call; return what groups are called, where they have a name."""
    names: dict[str, str] = {}
    for call in calls:
        if by == "branch":
            call.group = call.call_branch
            continue
        if by == "commit":
            report = reports.commit_of(call.session_id, call.at)
        else:
            report = reports.pull_of(call.session_id, call.project, call.call_branch, call.at)
        if report is not None:
            call.group = key_of(report)
            if report.hash and report.subject:
                names.setdefault(call.group, report.subject)
    return names


def key_of(report: GitReport) -> str:
    """Return what a commit or pull request is known by: its address, its hash, else its subject."""
    return report.url or report.hash or report.subject


def _of_kind(reports: Iterable[GitReport], kind: str) -> list[GitReport]:
    return _in_order(report for report in reports if report.kind == kind)


def _in_order(reports: Iterable[GitReport]) -> list[GitReport]:
    return sorted(reports, key=attrgetter("at"))


def _next(reports: Sequence[GitReport], at: str) -> GitReport | None:
    place = bisect_left(reports, at, key=attrgetter("at"))
    return reports[place] if place < len(reports) else None
