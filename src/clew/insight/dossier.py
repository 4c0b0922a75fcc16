"""A commit, range or pull request → the sessions, prompts, tests and cost behind it."""

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from clew.analytics import COMMIT, PULL_REQUEST, Bill, add_bills
from clew.archive import Archive
from clew.conversation import Conversation, Message
from clew.errors import NotFoundError
from clew.insight.blame import RepositoryBlame
from clew.insight.commit_sessions import resolve_reports
from clew.insight.dossier_turns import ChosenWork
from clew.insight.git import NoCommitsError, Repository, RepositoryCommit
from clew.insight.provenance import seconds
from clew.insight.session_work import turns_of_messages
from clew.redact import Redactor, find_names, redact_tree
from clew.store import SessionReport
from clew.view import Dossier, DossierCommit, DossierSession

_PULL: Final = re.compile(
    r"(?:https?://\S{1,500}/pull/|#|PR\s?#?|pr/)([0-9]{1,9})/?", re.IGNORECASE
)
_MERGED: Final = re.compile(r"^Merge pull request #([0-9]+) |\(#([0-9]+)\)$", re.MULTILINE)
_MOST_FILES: Final = 400


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """What a dossier is about."""

    kind: str
    name: str
    url: str = ""
    commits: tuple[RepositoryCommit, ...] = ()
    session_ids: tuple[str, ...] = ()


def make_dossier(archive: Archive, repository: Repository | None, name: str) -> Dossier:
    """Gather what is behind `REV`, `A..B`, or a pull request (`#12`, or its address).

    A pull request needs no repository: sessions link to it.

    Raises:
        NotFoundError: There is no such revision or pull request.
    """
    reports = archive.git_reports()
    target = find_target(repository, name, reports)
    return _Builder(archive, repository, target, reports).build()


def find_target(
    repository: Repository | None, name: str, reports: Sequence[SessionReport]
) -> Target:
    """Find out what a name means."""
    pull = _PULL.fullmatch(name.strip())
    if pull is not None:
        return _find_pull(repository, name.strip(), pull[1], reports)
    if repository is None:
        raise NotFoundError(f"{name!r} needs a git repository with files; use --repo to name one")
    if ".." in name:
        hashes = repository.resolve_range(name)
        return Target(kind="range", name=name, commits=tuple(_read(repository, hashes)))
    return Target(
        kind="commit", name=name, commits=tuple(_read(repository, [repository.resolve(name)]))
    )


def _find_pull(
    repository: Repository | None, name: str, number: str, reports: Iterable[SessionReport]
) -> Target:
    ending = f"/pull/{number}"
    linked = [
        each
        for each in reports
        if each.report.kind == PULL_REQUEST and each.report.url.rstrip("/").endswith(ending)
    ]
    urls = dict.fromkeys(each.report.url for each in linked)
    if name.startswith("http"):
        urls = dict.fromkeys(url for url in urls if url.rstrip("/") == name.rstrip("/"))
    if len(urls) > 1:
        named = ", ".join(list(urls)[:5])
        raise NotFoundError(f"several pull requests have the number {number}: {named}; use one")
    commits = () if repository is None else tuple(_merged_by(repository, number))
    if not urls and not commits:
        raise NotFoundError(f"no session or commit mentions the pull request {name}")
    url = next(iter(urls), name if name.startswith("http") else "")
    sessions = dict.fromkeys(each.session_id for each in linked if each.report.url == url)
    return Target(
        kind=PULL_REQUEST, name=f"#{number}", url=url, commits=commits, session_ids=tuple(sessions)
    )


def _merged_by(repository: Repository, number: str) -> list[RepositoryCommit]:
    """Return the commits of a pull request: those that its merge brought, or its squashed one."""
    try:
        head = repository.resolve("HEAD")
    except NoCommitsError:
        return []
    merges = repository.log("-E", f"--grep=#{number}\\b", head)
    for commit in merges:
        found = _MERGED.search(commit.subject)
        if found is None or number not in found.groups():
            continue
        if len(commit.parents) > 1:
            first, second = commit.parents[:2]
            return repository.log("--topo-order", f"{first}..{second}")
        return [commit]
    return []


def _read(repository: Repository, hashes: Sequence[str]) -> list[RepositoryCommit]:
    return repository.log("--no-walk=unsorted", *hashes) if hashes else []


class _Builder:
    """Gathers a dossier session by session."""

    def __init__(
        self,
        archive: Archive,
        repository: Repository | None,
        target: Target,
        reports: Sequence[SessionReport],
    ) -> None:
        self._archive, self._repository, self._target = archive, repository, target
        self._reports = reports
        self._evidence: dict[str, set[str]] = defaultdict(set)
        self._messages: dict[str, set[str]] = defaultdict(set)
        self._turns: dict[str, set[int]] = defaultdict(set)
        self._lines: dict[str, int] = defaultdict(int)
        self._hashes: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        self._segments: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self._left_out = 0
        self._work = archive.work_reports()

    def build(self) -> Dossier:
        """Return the dossier."""
        self._take_pull()
        commits = self._take_commits()
        sessions, bills = [], []
        for name in self._evidence:
            session, bill = self._session(name)
            sessions.append(session)
            bills.append(bill)
        total = add_bills(bills)
        target = self._target
        return Dossier(
            kind=target.kind,
            name=target.name,
            url=target.url,
            repository="" if self._repository is None else str(self._repository.top),
            commits=commits,
            sessions=tuple(sorted(sessions, key=lambda each: each.started_at)),
            cost_usd=total.usd if sessions else None,
            quality=total.quality,
            notes=tuple(self._notes(commits, sessions)),
        )

    def _take_pull(self) -> None:
        """Take the sessions with work on a pull request, as usage counts it."""
        url = self._target.url
        worked = self._archive.sessions_of_pull_request(url) if url else []
        for name in dict.fromkeys((*self._target.session_ids, *worked)):
            self._evidence[name].add("pull_request")

    def _take_commits(self) -> tuple[DossierCommit, ...]:
        if self._repository is None or not self._target.commits:
            return ()
        blame = RepositoryBlame(self._archive, self._repository)
        commits = self._target.commits
        resolved = resolve_reports(self._repository, self._reports, commits, blame.folders)
        found = []
        for commit in commits:
            made = resolved.by_commit.get(commit.hash, [])
            for each in made:
                self._take_report(each, commit)
            found.append(self._take_lines(blame, commit, {each.session_id for each in made}))
        return tuple(found)

    def _take_report(self, each: SessionReport, commit: RepositoryCommit) -> None:
        """Take what a session did since the commit before."""
        self._evidence[each.session_id].add("commit")
        times = [
            other.report.at
            for other in self._reports
            if other.session_id == each.session_id and other.report.kind == COMMIT
        ]
        before = max((at for at in times if at < each.report.at), default="")
        self._segments[each.session_id].append((before, each.report.at))
        if each.report.message_id:
            self._hashes[each.session_id][each.report.message_id].append(commit.hash)

    def _take_lines(
        self, blame: RepositoryBlame, commit: RepositoryCommit, sessions: set[str]
    ) -> DossierCommit:
        """Take the turns that wrote lines of a commit."""
        files = self._repository.changed_paths(commit.hash) if self._repository else {}
        chosen = list(files)[:_MOST_FILES]
        self._left_out += len(files) - len(chosen)
        lines = [line for path in chosen for line in blame.introduced(path, commit.hash)]
        for line in lines:
            if line.session_id is not None:
                self._evidence[line.session_id].add("lines")
                self._lines[line.session_id] += 1
                if line.turn is not None:
                    self._turns[line.session_id].add(line.turn)
        written = [line for line in lines if line.session_id is not None]
        names = {line.session_id or "" for line in written} | sessions
        return DossierCommit(
            hash=commit.hash,
            subject=commit.subject,
            author=commit.author,
            committed_at=dt.datetime.fromtimestamp(commit.committed_at, dt.UTC).strftime(
                "%Y-%m-%dT%H:%M:%SZ"
            ),
            lines=len(lines),
            session_lines=len(written),
            session_ids=tuple(sorted(names)),
            files=tuple(files),
        )

    def _session(self, name: str) -> tuple[DossierSession, Bill]:
        conversation = self._archive.conversation(name)
        turns = turns_of_messages(conversation)
        work = ChosenWork(conversation, self._choose(conversation, turns))
        session = conversation.session
        bill = work.bill
        dossier = DossierSession(
            id=name,
            title=session.title,
            project=session.project,
            branch=session.git_branch,
            started_at=session.started_at,
            ended_at=session.ended_at,
            evidence=tuple(sorted(self._evidence[name])),
            lines=self._lines[name],
            cost_usd=bill.usd,
            quality=bill.quality,
            turns=work.turns(self._hashes[name]),
        )
        return dossier, bill

    def _choose(self, conversation: Conversation, turns: Mapping[str, int]) -> set[str]:
        """Return the messages that led to the change: before a commit, and of turns that wrote it.

        What a turn did for another commit is left out, unless nothing else of it is known.
        """
        name = conversation.session.id
        segments = self._segments[name]
        chosen = {
            message.id
            for message in conversation.messages
            if any(start < message.started_at <= end for start, end in segments)
            or self._is_for_pull(conversation, message)
        }
        left = self._turns[name] - {turns.get(each) for each in chosen}
        last = max((commit.committed_at + 1 for commit in self._target.commits), default=0)
        return chosen | {
            message.id
            for message in conversation.messages
            if turns.get(message.id) in left and seconds(message.started_at) <= last
        }

    def _is_for_pull(self, conversation: Conversation, message: Message) -> bool:
        """Return whether a message was work on the pull request."""
        if not self._target.url:
            return False
        session = conversation.session
        branch = message.git_branch or session.git_branch or ""
        found = self._work.pull_of(session.id, session.project, branch, message.started_at)
        return found is not None and found.url == self._target.url

    def _notes(
        self, commits: Sequence[DossierCommit], sessions: Sequence[DossierSession]
    ) -> Iterable[str]:
        unknown = [each for each in commits if not each.session_ids]
        if not sessions:
            yield "No archived session is known to be behind this change."
        elif unknown:
            of = "commit has" if len(unknown) == 1 else "commits have"
            yield f"{len(unknown)} {of} no known session."
        target = self._target
        if target.kind == "commit" and len(target.commits[0].parents) > 1:
            brought = f"{target.name}^1..{target.name}"
            yield f"This commit is a merge; {brought} has the commits that it brought."
        if self._left_out:
            yield f"{self._left_out} changed files were not compared with sessions."
        if self._repository is not None and self._repository.is_shallow:
            yield "The repository is a shallow clone: older lines cannot be compared."
        if sessions:
            yield "Costs are API-equivalent estimates from public list prices, not a bill."


def redact_dossier(dossier: Dossier) -> Dossier:
    """Mask secrets, names, home paths and addresses."""
    names = find_names({dossier.repository, *(each.project for each in dossier.sessions)})
    authors = list(dict.fromkeys(each.author for each in dossier.commits))
    commits = tuple(
        msgspec.structs.replace(each, author=f"author {authors.index(each.author) + 1}")
        for each in dossier.commits
    )
    known = Redactor({*names, *(word for author in authors for word in author.split())})
    return redact_tree(msgspec.structs.replace(dossier, commits=commits), known)
