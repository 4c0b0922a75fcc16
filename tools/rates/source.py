"""What rates are measured on: the sessions of a folder, and a git repository if one is given."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from clew.backups import Backup, read_backups
from clew.conversation import Conversation
from clew.sessions import group_sessions, list_files, load_files


class Rate(msgspec.Struct, frozen=True):
    """So many of so many; `required` is the share that must be reached, if there is one."""

    name: str
    part: int
    whole: int
    required: float | None = None

    @property
    def share(self) -> float:
        """The part of the whole; nothing of nothing is all."""
        return self.part / self.whole if self.whole else 1.0

    @property
    def is_reached(self) -> bool:
        """Whether it is as large as it must be."""
        return self.required is None or self.share >= self.required


class RateSource(msgspec.Struct, frozen=True):
    """A folder with roots or projects, and a repository."""

    folder: Path
    repository: Path | None = None

    def conversations(self) -> Iterator[Conversation]:
        """Build the sessions of the folder, root by root."""
        for conversation, _ in self.sessions():
            yield conversation

    def sessions(self) -> Iterator[tuple[Conversation, tuple[Backup, ...]]]:
        """Build the sessions of the folder, with the copies of files that clients made."""
        for root in self.roots():
            files = list_files([root])
            for session in group_sessions(files):
                yield load_files(session, files), read_backups(session)

    def roots(self) -> list[Path]:
        """Return the folders that contain a `projects` folder, or the folder itself."""
        found = sorted(path.parent for path in self.folder.rglob("projects") if path.is_dir())
        return found or [self.folder]
