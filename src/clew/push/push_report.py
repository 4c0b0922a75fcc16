"""What a push has done, or would do: for people and for programs."""

from collections.abc import Callable
from typing import TypeAlias

import msgspec


class PushItem(msgspec.Struct, frozen=True, kw_only=True):
    """A file of which something leaves: how many frames, and how many bytes before compression."""

    project: str
    session_id: str
    path: str
    kind: str
    tier: str
    frames: int
    bytes: int


class PushProblem(msgspec.Struct, frozen=True):
    """A file that was not pushed, and why."""

    session_id: str
    path: str
    reason: str


class HeldBack(msgspec.Struct, frozen=True):
    """Sessions of a project that allows something, of which nothing leaves all the same."""

    project: str
    reason: str
    sessions: int


class PushReport(msgspec.Struct, kw_only=True):
    """What a push did; with `is_dry_run`, what it would do, as far as this laptop knows.

    `projects` counts those of which something may leave.
    """

    schema: str = "clew.push/1"
    server: str = ""
    is_dry_run: bool = False
    projects: int = 0
    sessions: int = 0
    sessions_unchanged: int = 0
    files: int = 0
    frames: int = 0
    bytes: int = 0
    packed_bytes: int = 0
    items: list[PushItem] = []
    held_back: list[HeldBack] = []
    problems: list[PushProblem] = []
    notes: list[str] = []
    seconds: float = 0.0

    def add(self, item: PushItem) -> None:
        """Count a file of which something leaves; those of a session come one after another."""
        if not self.items or self.items[-1].session_id != item.session_id:
            self.sessions += 1
        self.items.append(item)
        self.files += 1
        self.frames += item.frames
        self.bytes += item.bytes


class PushProgress(msgspec.Struct, frozen=True):
    """How far a push is."""

    done_bytes: int
    total_bytes: int
    sessions: int


OnPushProgress: TypeAlias = Callable[[PushProgress], None]
