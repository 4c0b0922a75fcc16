"""Which folders of sessions are checkouts of a repository: its worktrees, and copies elsewhere.

A repository may have been moved, or cloned on another machine, after a session worked on it.
Another folder counts only with proof: a commit that the session reports is in the repository, or
two different texts of files that it had are. A repository may begin as others do, with the files of
a template, so that the texts of its first commit prove nothing; nor does a folder count that is a
repository of its own with another history.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final

from clew.analytics import COMMIT, GitReport
from clew.archive import Archive, FilterSet, Order
from clew.insight.git import GitFailedError, NoRepositoryError, Repository, find_repository
from clew.insight.session_work import SessionWork
from clew.store import FileUse

_PROOFS: Final = 2
# A shorter text may be the same anywhere.
_SHORT_TEXT: Final = 20
_MOST_USES: Final = 2_000


class Checkouts:
    """The folders that are checkouts of a repository, as far as they have been asked for."""

    def __init__(self, archive: Archive, repository: Repository) -> None:
        self._archive = archive
        self._repository = repository
        self._known: dict[str, bool] = dict.fromkeys(_own_folders(repository), True)

    def uses(self, names: Iterable[str]) -> list[FileUse]:
        """Return the changes of a file by sessions, in folders that may be checkouts.

        `names` are those that the file has and had, as the repository names them. The folders of
        the repository itself come first; only without any change there, others count.
        """
        order = Order(limit=_MOST_USES, with_hidden=True)
        found: dict[tuple[str, str], FileUse] = {}
        for name in names:
            for use in self._archive.file_uses(name, FilterSet(), order):
                if use.changes and folder_of(use.path, name) is not None:
                    found[use.session_id, use.path] = use
        return list(found.values())

    def own_folders(self) -> frozenset[str]:
        """Return the folders that are known to be checkouts."""
        return frozenset(folder for folder, is_own in self._known.items() if is_own)

    def is_own(self, folder: str) -> bool:
        """Whether a folder is known to be a checkout."""
        return self._known.get(folder, False)

    def prove(
        self, folder: str, works: Iterable[SessionWork], reports: Iterable[GitReport]
    ) -> bool:
        """Decide about a folder by what sessions had and did there."""
        if folder not in self._known:
            self._known[folder] = not self._is_unrelated(folder) and (
                self._has_commit(reports) or self._has_texts(folder, works)
            )
        return self._known[folder]

    def _is_unrelated(self, folder: str) -> bool:
        """Whether a folder belongs to another repository that shares no history with this one."""
        if not Path(folder).is_dir():
            return False
        try:
            other = find_repository(Path(folder))
        except NoRepositoryError:
            return False
        except GitFailedError:
            return True
        return other.common != self._repository.common and not other.roots() & self._roots

    def _has_commit(self, reports: Iterable[GitReport]) -> bool:
        hashes = [report.hash for report in reports if report.kind == COMMIT and report.hash]
        return bool(hashes and self._repository.known_hashes(hashes))

    def _has_texts(self, folder: str, works: Iterable[SessionWork]) -> bool:
        texts = {
            text
            for work in works
            for version in work.versions
            if _is_below(version.path, folder)
            for text in (version.before.text, version.after.text)
            if text is not None and len(text) >= _SHORT_TEXT
        }
        found = self._repository.known_blobs(map(_blob_hash, texts))
        return len(found) >= _PROOFS and len(found - self._first_blobs) >= _PROOFS

    @cached_property
    def _roots(self) -> frozenset[str]:
        return self._repository.roots()

    @cached_property
    def _first_blobs(self) -> frozenset[str]:
        """The files that the repository began with."""
        return frozenset().union(*map(self._repository.tree_blobs, self._roots))


def folder_of(path: str, name: str) -> str | None:
    """Return the folder in which a path has a name; None where it ends otherwise."""
    whole = path.replace("\\", "/")
    return whole[: -len(name) - 1] if whole.endswith(f"/{name}") else None


def _own_folders(repository: Repository) -> Iterator[str]:
    for place in {repository.top, *repository.worktrees()}:
        yield place.as_posix()
        yield os.path.realpath(place)
        yield from _other_spellings(place)


def _other_spellings(place: Path) -> Iterator[str]:
    """On some systems, temporary folders have two names."""
    text = place.as_posix()
    if text.startswith("/private/"):
        yield text.removeprefix("/private")
    elif text.startswith(("/tmp/", "/var/")):  # noqa: S108 (a name to compare, not to write to)
        yield f"/private{text}"


def _is_below(path: str, folder: str) -> bool:
    return PurePosixPath(path.replace("\\", "/")).is_relative_to(folder)


def _blob_hash(text: str) -> str:
    """Return the name that git gives to a file's content."""
    content = text.encode("utf-8", "surrogatepass")
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
