"""Files as they were found, and what went wrong while looking for them."""

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from clew.source.kinds import FileKind

LATEST: Final = "latest"
"""Names the session written to last, in place of an id."""


class SourceFile(msgspec.Struct, frozen=True):
    """One regular file, as it was when it was listed.

    `relative` is its path below the requested one, with forward slashes. The ids come from the
    path (see `ClassifiedPath`). All of them are text (see `to_text`), only `path` opens the file.
    """

    path: Path
    relative: str
    kind: FileKind
    session_id: str | None
    agent_id: str | None
    workflow_id: str | None
    project_folder: str | None
    size: int
    mtime_ns: int
    inode: int
    device: int


class SourceProblemKind(StrEnum):
    """What may go wrong while looking for files."""

    UNREADABLE = "unreadable"
    NOT_REGULAR = "not_regular"
    LINK_OUTSIDE = "link_outside"


class SourceProblem(msgspec.Struct, frozen=True):
    """A file or folder that was skipped, and why."""

    path: Path
    kind: SourceProblemKind
    text: str


class Discovery(msgspec.Struct, frozen=True):
    """The files below a path, in the order of the relative paths."""

    files: list[SourceFile]
    problems: list[SourceProblem]


def by_session(files: Iterable[SourceFile]) -> dict[str, list[SourceFile]]:
    """Group files by session id, in the order given.

    Files whose path names no session are left out: flat agent files, prompt history, plans.
    """
    groups: dict[str, list[SourceFile]] = {}
    for file in files:
        if file.session_id is not None:
            groups.setdefault(file.session_id, []).append(file)
    return groups
