"""A file in a repository, an archive → which prompt wrote each line, with the evidence."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from clew.archive import Archive
from clew.errors import NotFoundError, UsageError
from clew.insight.attribution import WHITESPACE
from clew.insight.blame_model import (
    EXTERNAL,
    NONE,
    BlamedCommit,
    BlameLine,
    FileBlame,
    LineAuthor,
)
from clew.insight.checkouts import Checkouts, folder_of
from clew.insight.file_lines import WORKING_TREE, BinaryFileError, FileLine, FileLines
from clew.insight.git import (
    BlamedLine,
    PathNotInRevisionError,
    Repository,
    RepositoryCommit,
    find_repository,
)
from clew.insight.line_matching import LineMatcher
from clew.insight.line_notes import LineNote, read_notes
from clew.insight.session_work import SessionWork, find_work
from clew.store import FileUse, LineAuthors

# Changes with the rules of attribution, so that what older ones found is found again.
_METHOD: Final = "3"
_authors: Final = msgspec.json.Decoder(list[LineAuthor])


def blame_file(
    archive: Archive, path: Path, revision: str | None = None, *, use_cache: bool = True
) -> FileBlame:
    """Find out who wrote each line of a file, as of a revision or as it is on the disk.

    Raises:
        NotFoundError: There is no such file, revision or repository.
        UsageError: The file has no lines.
        GitMissingError: Git is not installed.
    """
    if path.is_dir():
        raise UsageError(f"{path} is a directory; choose a file")
    repository = find_repository(path)
    return RepositoryBlame(archive, repository, use_cache=use_cache).blame(
        repository.relative(path), revision
    )


class RepositoryBlame:
    """Blames files of one repository; what is known of sessions stays loaded between them."""

    def __init__(self, archive: Archive, repository: Repository, *, use_cache: bool = True) -> None:
        self.repository = repository
        self._archive = archive
        self._use_cache = use_cache
        self._checkouts = Checkouts(archive, repository)
        self._works: dict[str, SessionWork] = {}
        self._versions: dict[str, str] | None = None

    def blame(self, path: str, revision: str | None = None) -> FileBlame:
        """Blame one file, by the name that it has in the repository."""
        commit = self.repository.resolve(revision or "HEAD")
        lines = FileLines(self.repository, path, commit, with_disk=revision is None)
        names = lines.names()
        uses = self._uses(names)
        found = self._find_authors(lines, names, uses)
        commits = {each.hash: each for each in lines.introducers()}
        notes = read_notes(self.repository, commits.values())
        maker = _LineMaker(found, notes, is_known=bool(uses))
        return FileBlame(
            repository=str(self.repository.top),
            path=path,
            revision=commit,
            is_working_tree=lines.is_changed,
            lines=[maker.line(each) for each in lines.all],
            commits={name: _describe(each) for name, each in commits.items()},
            sessions=self._titles(found),
            notes=list(_notes(self.repository, lines, uses)),
        )

    @property
    def folders(self) -> frozenset[str]:
        """The folders that are known to be checkouts of the repository."""
        return self._checkouts.own_folders()

    def introduced(self, path: str, commit: str) -> list[BlameLine]:
        """Return the lines that a commit introduced in a file; none if it has no such lines."""
        try:
            lines = self.blame(path, commit).lines
        except (PathNotInRevisionError, BinaryFileError):
            return []
        return [line for line in lines if line.commit == commit]

    def _uses(self, names: Sequence[str]) -> list[FileUse]:
        """Return the changes of a file by sessions in this repository, wherever it was."""
        own: list[FileUse] = []
        others: dict[str, list[FileUse]] = defaultdict(list)
        for use in self._checkouts.uses(names):
            folders = {folder_of(use.path, name) for name in names} - {None}
            if any(self._checkouts.is_own(str(folder)) for folder in folders):
                own.append(use)
            else:
                others[str(max(folders, key=lambda folder: len(folder or "")))].append(use)
        for folder, some in others.items():
            if self._may_be_copy(folder, has_own=bool(own)) and self._is_copy(folder, some):
                own += some
        return own

    def _may_be_copy(self, folder: str, *, has_own: bool) -> bool:
        """Whether it is worth while to look for proof.

        With changes in the repository itself, only for folders inside or beside it: worktrees
        that are gone.
        """
        top, place = PurePosixPath(self.repository.top.as_posix()), PurePosixPath(folder)
        return not has_own or place.is_relative_to(top) or place.parent == top.parent

    def _is_copy(self, folder: str, uses: Iterable[FileUse]) -> bool:
        """Whether a folder that is not here any more was a checkout of this repository."""
        sessions = {use.session_id for use in uses}
        reports = [each.report for each in self._archive.git_reports(sessions)]
        return self._checkouts.prove(folder, map(self._work, sorted(sessions)), reports)

    def _work(self, session_id: str) -> SessionWork:
        if session_id not in self._works:
            self._works[session_id] = find_work(self._archive.conversation(session_id))
        return self._works[session_id]

    def _find_authors(
        self, lines: FileLines, names: Sequence[str], uses: Sequence[FileUse]
    ) -> dict[tuple[str, int], LineAuthor]:
        """Return the authors by commit and line."""
        if not uses:
            return {}
        writers = self._writers(uses)
        known = self._archive.line_authors(lines.commits()) if self._use_cache else {}
        found: dict[tuple[str, int], LineAuthor] = {}
        new: list[LineAuthors] = []
        matcher: LineMatcher | None = None
        for (commit, path), own in lines.places().items():
            kept = known.get((commit, path))
            if kept is not None and kept.writers == writers:
                authors = _authors.decode(kept.json)
            else:
                matcher = matcher or LineMatcher(lines, names, self._load(uses), uses)
                authors = matcher.authors(commit, path, own)
                if commit != WORKING_TREE:
                    text = msgspec.json.encode(authors).decode()
                    new.append(LineAuthors(commit, path, writers, text))
            found.update({(commit, each.line): each for each in authors})
        if new and self._use_cache:
            self._archive.keep_line_authors(new)
        return found

    def _load(self, uses: Iterable[FileUse]) -> list[SessionWork]:
        return [self._work(name) for name in sorted({use.session_id for use in uses})]

    def _writers(self, uses: Iterable[FileUse]) -> str:
        """Return a text that changes with the sessions that changed a file."""
        if self._versions is None:
            self._versions = self._archive.session_versions()
        parts = sorted({f"{use.path}\0{self._versions.get(use.session_id)}" for use in uses})
        text = "\n".join((_METHOD, *parts))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def _titles(self, found: dict[tuple[str, int], LineAuthor]) -> dict[str, str]:
        names = {author.session_id for author in found.values()}
        labels = self._archive.session_labels(names)
        return {name: labels[name].title for name in sorted(names) if name in labels}


class _LineMaker:
    """Makes lines of what is known of commits and authors."""

    def __init__(
        self,
        found: Mapping[tuple[str, int], LineAuthor],
        notes: Mapping[str, Sequence[LineNote]],
        *,
        is_known: bool,
    ) -> None:
        self._found, self._notes = found, notes
        self._otherwise = EXTERNAL if is_known else NONE

    def line(self, given: FileLine) -> BlameLine:
        """Make a line; who wrote it before its white space changed still wrote it."""
        blamed, origin = given.introduced, given.origin
        line = BlameLine(
            line=blamed.number,
            text=given.text,
            evidence=self._otherwise,
            commit=blamed.commit or None,
            note=self._note(blamed),
            path=blamed.filename,
            original_line=blamed.original_number,
        )
        author = self._found.get((blamed.commit, blamed.original_number))
        before = self._found.get((origin.commit, origin.original_number))
        if author is None and before is not None:
            author = msgspec.structs.replace(before, evidence=WHITESPACE)
        if author is None:
            return line
        fields = msgspec.structs.asdict(author)
        del fields["line"]
        return msgspec.structs.replace(line, **fields)

    def _note(self, blamed: BlamedLine) -> LineNote | None:
        for note in self._notes.get(blamed.commit, ()):
            if note.covers(blamed.filename, blamed.original_number):
                return note
        return None


def _describe(commit: RepositoryCommit) -> BlamedCommit:
    return BlamedCommit(
        hash=commit.hash,
        subject=commit.subject,
        author=commit.author,
        email=commit.email,
        authored_at=commit.authored_at,
        committed_at=commit.committed_at,
    )


def _notes(repository: Repository, lines: FileLines, uses: Sequence[FileUse]) -> Iterable[str]:
    if repository.is_shallow:
        yield "The repository is a shallow clone: lines older than its history have no author."
    if lines.is_changed:
        yield f"{lines.path} has uncommitted changes; --rev HEAD shows the committed file."
    if not uses:
        yield f"No session in the archive is known to have changed {lines.path}."


def choose_lines(blame: FileBlame, first: int, last: int) -> FileBlame:
    """Return the blame of some lines, counted from 1.

    Raises:
        NotFoundError: The file does not have so many.
    """
    if not 1 <= first <= last <= len(blame.lines):
        raise NotFoundError(f"{blame.path} has {len(blame.lines)} lines; choose one of them")
    lines = blame.lines[first - 1 : last]
    commits = {line.commit for line in lines}
    sessions = {line.session_id for line in lines}
    return msgspec.structs.replace(
        blame,
        lines=lines,
        commits={name: each for name, each in blame.commits.items() if name in commits},
        sessions={name: each for name, each in blame.sessions.items() if name in sessions},
    )
