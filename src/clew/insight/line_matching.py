"""Lines of commits, what sessions wrote → the author of each line."""

import time
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from clew.insight.attribution import (
    SHORT_LINE,
    CommittedFile,
    LineMatch,
    attribute_lines,
    equal_lines,
)
from clew.insight.blame_model import LineAuthor
from clew.insight.checkouts import folder_of
from clew.insight.file_lines import WORKING_TREE, FileLines
from clew.insight.git import BlamedLine, RepositoryCommit
from clew.insight.provenance import TracedFile, line_key, make_snapshots
from clew.insight.session_work import SessionWork
from clew.store import FileUse

_REVERTS: Final = "This reverts commit "


class LineMatcher:
    """Matches the lines of commits with what sessions wrote."""

    def __init__(
        self,
        lines: FileLines,
        names: Sequence[str],
        works: Sequence[SessionWork],
        uses: Iterable[FileUse],
    ) -> None:
        self._lines = lines
        self._names = list(names)
        self._works = {work.session_id: work for work in works}
        paths = frozenset(use.path for use in uses)
        versions = [version for work in works for version in work.versions]
        calls = {name: facts for work in works for name, facts in work.calls.items()}
        self._snapshots = make_snapshots(versions, paths, calls)
        self._changes: dict[str, _Change] | None = None
        self._commits = {each.hash: each for each in lines.introducers()}

    def authors(self, commit: str, path: str, own: Sequence[BlamedLine]) -> list[LineAuthor]:
        """Return the authors of the lines that a commit introduced in a file of that name.

        `own` are some of these lines, of which git says so.
        """
        names = {path, *(line.previous_filename for line in own if line.previous_filename)}
        if self._is_revert(commit):
            # It may bring back what was written when the file had another name.
            names |= set(self._names)
        snapshots = [each for each in self._snapshots if _is_named(each, names)]
        at = self._commits[commit].committed_at if commit else time.time()
        if not any(each.at < at + 1 for each in snapshots):
            return []
        matches = attribute_lines(self._committed(commit, path, own, float(at)), snapshots)
        return [self._author(index + 1, match) for index, match in sorted(matches.items())]

    def _committed(
        self, commit: str, path: str, own: Sequence[BlamedLine], at: float
    ) -> CommittedFile:
        read = self._lines.read
        before = own[0].previous_filename or path
        if commit == WORKING_TREE:
            texts, parents = self._lines.disk or (), [self._lines.commit]
        else:
            texts, parents = read(commit, path), list(self._commits[commit].parents)
        earlier = [read(parent, name) for parent in parents for name in {path, before}]
        known = {new for text in earlier for _, new in equal_lines(text, texts)}
        # All that is new in the commit, so that what is found holds for later questions too.
        new = set(range(len(texts))) - known
        blamed = frozenset(line.original_number - 1 for line in own)
        return CommittedFile(
            lines=texts,
            introduced=blamed | new,
            blamed=blamed,
            committed_at=at,
            authored_at=self._commits[commit].authored_at if commit else at,
            parents=tuple(filter(None, earlier)),
            is_revert=self._is_revert(commit),
            is_consumed=_Consumption(self, commit, parents).has,
        )

    def _is_revert(self, commit: str) -> bool:
        return bool(commit) and _REVERTS in self._commits[commit].message

    def earlier(self, commit: str) -> "list[_Change]":
        """Return what commits before one changed in the file."""
        repository = self._lines.repository
        if self._changes is None:
            found = repository.changes(self._lines.commit, self._names)
            self._changes = {each.hash: _change(each) for each in found}
        start = self._lines.commit if commit == WORKING_TREE else commit
        names = repository.ancestors(start, self._names, with_itself=commit == WORKING_TREE)
        return [self._changes[name] for name in names if name in self._changes]

    def reverted(self, commit: str) -> frozenset[str]:
        """Return the lines that a commit brings back, as its message says."""
        message = self._commits[commit].message if commit else ""
        at = message.find(_REVERTS)
        name = message[at + len(_REVERTS) :][:64].split(".")[0].strip() if at >= 0 else ""
        known = self._changes or {}
        return known[name].removed if name in known else frozenset()

    def _author(self, line: int, match: LineMatch) -> LineAuthor:
        author = match.author
        facts = self._works[author.session_id].messages.get(author.message_id)
        return LineAuthor(
            line=line,
            evidence=match.evidence,
            session_id=author.session_id,
            message_id=author.message_id,
            tool_call_id=author.call_id,
            agent_run_id=author.agent_run_id,
            turn=facts.turn if facts else None,
            prompt_id=facts.prompt_id if facts else None,
            prompt=facts.prompt if facts else "",
            model=facts.model if facts else None,
            cost_usd=facts.line_cost_usd if facts else None,
            is_told=author.is_told,
        )


class _Change(msgspec.Struct, frozen=True):
    """What a commit changed in a file, by what lines are recognised by."""

    committed_at: int
    added: frozenset[str]
    removed: frozenset[str]


def _change(commit: RepositoryCommit) -> _Change:
    added, removed = (
        frozenset(map(_recognised_by, texts)) for texts in (commit.added, commit.removed)
    )
    return _Change(commit.committed_at, added, removed)


def _recognised_by(text: str) -> str:
    """Return a line without its white space, which a formatter may change; a short one as it is."""
    key = line_key(text)
    return key if len(key) >= SHORT_LINE else text


class _Consumption:
    """Whether commits before one had introduced a line already."""

    def __init__(self, matcher: LineMatcher, commit: str, parents: Sequence[str]) -> None:
        self._matcher, self._commit = matcher, commit
        self._has_parents = bool(parents)
        self._earlier: list[_Change] | None = None
        self._reverted: frozenset[str] = frozenset()

    def has(self, text: str, at: float) -> bool:
        """Return whether a line that was written at a time is in an earlier commit."""
        if not self._has_parents:
            return False
        if self._earlier is None:
            self._earlier = self._matcher.earlier(self._commit)
            self._reverted = self._matcher.reverted(self._commit)
        name = _recognised_by(text)
        if name in self._reverted:
            return False
        return any(name in each.added and each.committed_at + 1 > at for each in self._earlier)


def _is_named(snapshot: TracedFile, names: Iterable[str]) -> bool:
    return any(folder_of(snapshot.path, name) is not None for name in names)
