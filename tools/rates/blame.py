"""How many committed lines are explained, and whether any is claimed that no session wrote."""

import random
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from clew.archive import Archive, open_archive
from clew.insight import (
    BlameLine,
    RepositoryBlame,
    RepositoryCommit,
    find_repository,
    resolve_reports,
)
from clew.insight.provenance import seconds
from tools.rates.source import Rate, RateSource

_BOT: Final = re.compile(r"\[bot\]|\bbot\b|dependabot|renovate|github-actions", re.IGNORECASE)
_SAMPLE: Final = 150
_SEED: Final = 2026


class _Counts(msgspec.Struct):
    """Lines that were looked at, and those that a session is said to have written."""

    lines: int = 0
    claimed: int = 0

    def add(self, lines: list[BlameLine]) -> None:
        self.lines += len(lines)
        self.claimed += sum(line.session_id is not None for line in lines)


def measure(source: RateSource) -> Iterator[Rate]:
    """Compare the commits of a repository with the sessions of the folder."""
    if source.repository is None:
        return
    with tempfile.TemporaryDirectory() as folder, open_archive(Path(folder)) as archive:
        archive.sync(source.roots())
        yield from _Measurement(archive, source.repository).rates()


class _Measurement:
    def __init__(self, archive: Archive, place: Path) -> None:
        self._archive = archive
        self._repository = find_repository(place)
        self._blame = RepositoryBlame(archive, self._repository)
        self._commits = self._repository.log("--all")
        started = [session.started_at for session in archive.sessions() if session.started_at]
        self._first = seconds(min(started, default=""))

    def rates(self) -> Iterator[Rate]:
        reports = resolve_reports(
            self._repository, self._archive.git_reports(), self._commits, self._blame.folders
        )
        made = set(reports.by_commit)
        by_session = [commit for commit in self._commits if commit.hash in made]
        touched = self._count(by_session, only_touched=True)
        bots = self._count([c for c in self._commits if _BOT.search(f"{c.author} {c.email}")])
        old = self._count([c for c in self._commits if c.committed_at + 1 < self._first])
        random_lines = self._sample()
        found = reports.by_hash + reports.by_subject
        yield Rate("commits that sessions report and the repository has", found, reports.reported)
        yield Rate(
            "lines explained, commits of sessions, files they touched",
            touched.claimed,
            touched.lines,
        )
        yield Rate("random committed lines explained", random_lines.claimed, random_lines.lines)
        yield Rate("lines of bots not claimed", bots.lines - bots.claimed, bots.lines, 1.0)
        yield Rate(
            "lines older than any session not claimed", old.lines - old.claimed, old.lines, 1.0
        )

    def _count(self, commits: list[RepositoryCommit], *, only_touched: bool = False) -> _Counts:
        counts = _Counts()
        for commit in commits:
            for path in self._repository.changed_paths(commit.hash):
                lines = self._blame.introduced(path, commit.hash)
                if not only_touched or any(line.evidence != "none" for line in lines):
                    counts.add(lines)
        return counts

    def _sample(self) -> _Counts:
        """Look at random lines of random commits since the first session."""
        rng, counts = random.Random(_SEED), _Counts()  # noqa: S311 (a sample, not a secret)
        recent = [
            c for c in self._commits if c.committed_at + 1 >= self._first and c.parents[1:] == ()
        ]
        rng.shuffle(recent)
        for commit in recent:
            paths = list(self._repository.changed_paths(commit.hash))
            lines = [line for path in paths for line in self._blame.introduced(path, commit.hash)]
            counts.add(rng.sample(lines, min(len(lines), 5)))
            if counts.lines >= _SAMPLE:
                break
        return counts
