"""Reports of sessions, a repository → which session made which commit.

By the hash that git printed. A commit made quietly, or whose hash is gone because it was amended
or rebased, is found by its subject: among commits of this repository that were authored while the
command may have run. A time alone proves nothing, and is never enough.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from clew.analytics import COMMIT
from clew.insight.git import Repository, RepositoryCommit
from clew.insight.provenance import seconds
from clew.store import SessionReport

# Hooks before a commit may take a while; the times of commits are whole seconds.
_LONGEST: Final = 1_800
_EARLIEST: Final = -2


class ResolvedReports(msgspec.Struct, frozen=True):
    """The reports on each commit by its hash, and how many there were of it at all.

    `reported` counts the reports that could be of this repository.
    """

    by_commit: dict[str, list[SessionReport]]
    reported: int
    by_hash: int
    by_subject: int


def resolve_reports(
    repository: Repository,
    reports: Iterable[SessionReport],
    commits: Sequence[RepositoryCommit],
    folders: frozenset[str],
) -> ResolvedReports:
    """Find the commits that reports are about; `folders` are known checkouts of the repository."""
    made = [each for each in reports if each.report.kind == COMMIT]
    known = repository.known_hashes(each.report.hash for each in made if each.report.hash)
    own = {each.project for each in made if each.report.hash in known} | folders
    here = [each for each in made if each.project in own or each.report.hash in known]
    subjects: dict[str, list[RepositoryCommit]] = defaultdict(list)
    for commit in commits:
        subjects[commit.subject].append(commit)
    found: dict[str, list[SessionReport]] = defaultdict(list)
    by_hash = by_subject = 0
    for each in here:
        full = known.get(each.report.hash)
        if full is None:
            full = _by_subject(each, subjects.get(each.report.subject, ()))
            by_subject += full is not None
        else:
            by_hash += 1
        if full is not None:
            found[full].append(each)
    return ResolvedReports(dict(found), len(here), by_hash, by_subject)


def _by_subject(report: SessionReport, commits: Sequence[RepositoryCommit]) -> str | None:
    """Return the commit with a report's subject that was authored while its call may have run."""
    if not report.report.subject:
        return None
    at = seconds(report.report.at)
    delays = {commit.hash: commit.authored_at - at for commit in commits}
    fitting = [name for name, delay in delays.items() if _EARLIEST <= delay <= _LONGEST]
    return min(fitting, key=lambda name: abs(delays[name]), default=None)
