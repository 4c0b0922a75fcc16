"""What a replay gives: the versions of each file, and how sure each of them is."""

from enum import StrEnum

import msgspec


class Certainty(StrEnum):
    """How sure a file's text is."""

    EXACT = "exact"
    TOLD = "told"
    STALE = "stale"
    UNKNOWN = "unknown"


class Cause(msgspec.Struct, frozen=True, gc=False):
    """What may have changed a file without saying how.

    `kind` is command, agent, tool, hook, user, rewind, call or session; `text` says what it was:
    a command, the name of a hook. Its `call_id` is that of the call it belongs to.
    """

    kind: str
    text: str = ""
    call_id: str | None = None
    message_id: str | None = None
    session_id: str = ""
    at: str = ""


class FileState(msgspec.Struct, frozen=True, gc=False):
    """A file at one moment.

    `text` is the last known text; None where none is known, or where the file does not exist.
    Lines end with a line feed, as clients record them, whatever the file itself has. `exists` is
    None where nothing says so. `since` is what made a stale file stale.
    """

    state: Certainty = Certainty.UNKNOWN
    text: str | None = None
    exists: bool | None = None
    since: Cause | None = None

    @property
    def is_known(self) -> bool:
        """Whether something is known of the file: its text, or that it does not exist."""
        return self.text is not None or self.exists is False


UNKNOWN = FileState()


class Version(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A file as one call found it and left it.

    `action` is read, create, edit, write, delete or shell: what a command is said to have changed;
    or backup: a copy that the client made, which no call and no message belongs to.
    `expected` is what the replay had of the file before the call, and `before` what the call found:
    with `is_shown`, its result has that text, otherwise both are the same. `order` counts the steps
    of a session: two versions and causes of one session compare by it.
    """

    path: str
    action: str
    tool: str
    session_id: str
    message_id: str
    call_id: str
    agent_run_id: str | None = None
    turn: int | None = None
    at: str = ""
    order: int = 0
    is_inherited: bool = False
    is_shown: bool = False
    expected: FileState = UNKNOWN
    before: FileState = UNKNOWN
    after: FileState = UNKNOWN

    @property
    def is_change(self) -> bool:
        """Whether the call changed the file, as far as is known."""
        return self.action not in ("read", "backup")


class Disturbance(msgspec.Struct, frozen=True, gc=False):
    """A moment from which on files may have changed.

    `paths` are the files it concerns; empty, it concerns all. With `is_told`, the client looked
    for changes below the folders `paths`: files there are as it said, others may have changed.
    """

    order: int
    cause: Cause
    paths: tuple[str, ...] = ()
    is_told: bool = False


class SessionReplay(msgspec.Struct, frozen=True, kw_only=True):
    """All versions of all files of a session, in order, and what may have changed files besides.

    `steps` are the first steps of messages and calls, by id: what was known of a file when they
    began is what the steps before that left.
    """

    session_id: str
    project: str = ""
    cwd: str = ""
    started_at: str = ""
    ended_at: str = ""
    versions: tuple[Version, ...] = ()
    disturbances: tuple[Disturbance, ...] = ()
    steps: dict[str, int] = {}


class FileHistory(msgspec.Struct, frozen=True, kw_only=True):
    """The versions of one file through one session or several, in order of time."""

    path: str
    versions: tuple[Version, ...] = ()

    @property
    def changes(self) -> list[Version]:
        """The versions that calls made."""
        return [version for version in self.versions if version.is_change]
