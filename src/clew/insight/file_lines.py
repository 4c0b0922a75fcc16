"""A file in a repository → its lines, with the commits that introduced them."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.errors import UsageError
from clew.insight.attribution import equal_lines
from clew.insight.git import BlamedLine, Repository, RepositoryCommit
from clew.insight.provenance import split_lines

WORKING_TREE: Final = ""
"""In place of a commit: lines that are in none yet."""

_SAMPLE: Final = 8_000


class BinaryFileError(UsageError):
    """A file has no lines."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} is a binary file; blame needs lines of text")


class FileLine(msgspec.Struct, frozen=True):
    """A line, the commit that introduced it, and the one that did but for its white space."""

    text: str
    introduced: BlamedLine
    origin: BlamedLine


class FileLines:
    """The lines of a file with the commits that introduced them."""

    def __init__(self, repository: Repository, path: str, commit: str, *, with_disk: bool) -> None:
        self.repository, self.path, self.commit = repository, path, commit
        self.disk = self._read_disk() if with_disk else None
        is_new = self.disk is not None and not repository.blob_hashes([f"{commit}:{path}"])
        self.blamed = [] if is_new else repository.blame(commit, path)
        self.origins = [] if is_new else repository.blame(commit, path, ignore_whitespace=True)
        self.texts = self.read(commit, path)
        self.is_changed = self.disk is not None and self.disk != self.texts
        self.all = list(self._join())
        self._introducers: dict[str, RepositoryCommit] | None = None

    def read(self, commit: str, path: str) -> tuple[str, ...]:
        """Return the lines of a file in a commit; none where it is not there."""
        name = f"{commit}:{path}"
        content = self.repository.blobs([name]).get(name, b"")
        if b"\0" in content[:_SAMPLE]:
            raise BinaryFileError(self.path)
        return tuple(split_lines(content.decode("utf-8", "replace")))

    def _read_disk(self) -> tuple[str, ...] | None:
        place = self.repository.top / self.path
        try:
            content = place.read_bytes() if place.is_file() and not place.is_symlink() else None
        except OSError:
            return None
        if content is None or b"\0" in content[:_SAMPLE]:
            return None
        return tuple(split_lines(content.decode("utf-8", "replace")))

    def _join(self) -> Iterator[FileLine]:
        if not self.is_changed or self.disk is None:
            for text, *blamed in zip(self.texts, self.blamed, self.origins, strict=False):
                yield FileLine(text, *blamed)
            return
        same = {new: old for old, new in equal_lines(self.texts, self.disk)}
        for at, text in enumerate(self.disk):
            old = same.get(at)
            new = BlamedLine(at + 1, WORKING_TREE, at + 1, self.path, self.commit, self.path)
            if old is None:
                yield FileLine(text, new, new)
            else:
                moved = msgspec.structs.replace(self.blamed[old], number=at + 1)
                yield FileLine(text, moved, self.origins[old])

    def names(self) -> list[str]:
        """Return the names that the file has and had."""
        told = [name for line in self.blamed for name in (line.filename, line.previous_filename)]
        followed = self.repository.file_names(self.commit, self.path)
        return [name for name in dict.fromkeys((self.path, *followed, *told)) if name]

    def commits(self) -> list[str]:
        """Return the commits that introduced lines."""
        return [name for name in dict.fromkeys(commit for commit, _ in self.places()) if name]

    def places(self) -> dict[tuple[str, str], list[BlamedLine]]:
        """Return the lines that commits introduced, by commit and name of the file in it."""
        found: dict[tuple[str, str], list[BlamedLine]] = {}
        for line in self.all:
            for blamed in {line.introduced, line.origin}:
                found.setdefault((blamed.commit, blamed.filename), []).append(blamed)
        return found

    def introducers(self) -> list[RepositoryCommit]:
        """Return what is known of the commits that introduced lines."""
        if self._introducers is None:
            names = self.commits()
            found = self.repository.log("--no-walk=unsorted", *names) if names else []
            self._introducers = {each.hash: each for each in found}
        return list(self._introducers.values())
