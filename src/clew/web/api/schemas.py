"""The JSON bodies of API responses."""

from typing import Any

import msgspec

from clew.analytics import FileTouch, ModelCall
from clew.digest import SessionDigest
from clew.search import Results
from clew.store import (
    AgentRunOverview,
    FileOverview,
    FileUse,
    ProjectOverview,
    SessionOverview,
    Tally,
    ToolCallOverview,
)
from clew.view import FrameView, SectionView
from clew.web.follower_messages import Archiving


class SessionList(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions; `total` counts all that match, `hidden` those that `with_hidden` would add."""

    schema: str = "clew.sessions/1"
    sessions: tuple[SessionOverview, ...]
    total: int
    hidden: int = 0
    next_cursor: str | None = None


class ProjectList(msgspec.Struct, frozen=True, kw_only=True):
    """Projects."""

    schema: str = "clew.projects/1"
    projects: tuple[ProjectOverview, ...]
    next_cursor: str | None = None


class ToolCallList(msgspec.Struct, frozen=True, kw_only=True):
    """Tool calls."""

    schema: str = "clew.tool-calls/1"
    tool_calls: tuple[ToolCallOverview, ...]
    next_cursor: str | None = None


class AgentRunList(msgspec.Struct, frozen=True, kw_only=True):
    """Agent runs."""

    schema: str = "clew.agent-runs/1"
    agent_runs: tuple[AgentRunOverview, ...]
    next_cursor: str | None = None


class FileList(msgspec.Struct, frozen=True, kw_only=True):
    """Files that were read or changed."""

    schema: str = "clew.files/1"
    files: tuple[FileOverview, ...]
    next_cursor: str | None = None


class FileUseList(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions that read or changed some files."""

    schema: str = "clew.file-uses/1"
    path: str
    uses: tuple[FileUse, ...]
    next_cursor: str | None = None


class HitList(Results, frozen=True, kw_only=True):
    """A page of hits, and the cursor of the next page; none after the last."""

    next_cursor: str | None = None


class MessageList(msgspec.Struct, frozen=True, kw_only=True):
    """Messages, as in the JSON of a conversation."""

    schema: str = "clew.messages/1"
    messages: tuple[dict[str, Any], ...]
    total: int
    next_cursor: str | None = None


class TranscriptPage(msgspec.Struct, frozen=True, kw_only=True):
    """Messages with their blocks, and the tool calls that they made; `total` counts messages."""

    schema: str = "clew.transcript/1"
    session_id: str
    title: str
    messages: tuple[dict[str, Any], ...]
    tool_calls: tuple[dict[str, Any], ...]
    total: int
    next_cursor: str | None = None


class RawFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a session as it was written; `url` is where to download it.

    `sha256` is that of the whole file, if it is known without reading it.
    """

    number: int
    path: str
    kind: str
    agent_id: str | None
    size_bytes: int
    sha256: str | None
    url: str


class RawFileList(msgspec.Struct, frozen=True, kw_only=True):
    """All files of a session, its own transcript first."""

    schema: str = "clew.raw/1"
    session_id: str
    files: tuple[RawFile, ...]


class SessionStats(msgspec.Struct, frozen=True, kw_only=True):
    """The totals of a session."""

    schema: str = "clew.stats/1"
    session_id: str
    title: str
    messages: int
    prompts: int
    answers: int
    thinking_blocks: int
    tool_calls: int
    errors: int
    agent_runs: int
    compactions: int
    usage: Tally
    total_tokens: int
    cost_usd: float | None
    duration_ms: int
    active_ms: int
    first_prompt: str


class DigestAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A short account of a session; its `model` is `extract` if no model wrote it."""

    schema: str = "clew.digest/1"
    digest: SessionDigest


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """Model calls and file accesses of a session."""

    schema: str = "clew.facts/1"
    model_calls: tuple[ModelCall, ...]
    file_touches: tuple[FileTouch, ...]


class KeptFile(msgspec.Struct, frozen=True, kw_only=True):
    """An archived file of a session; `number` is its address below `transcripts`."""

    number: int
    path: str
    kind: str
    agent_id: str | None
    size_bytes: int
    is_on_disk: bool


class KeptFileList(msgspec.Struct, frozen=True, kw_only=True):
    """The archived files of a session."""

    schema: str = "clew.transcripts/1"
    transcripts: tuple[KeptFile, ...]


class RawLine(msgspec.Struct, frozen=True, kw_only=True):
    """An unchanged line of a transcript; bytes that are not UTF-8 are marked."""

    file: str
    line: int
    offset: int
    text: str


class RawLineList(msgspec.Struct, frozen=True, kw_only=True):
    """The lines that a message was read from."""

    schema: str = "clew.lines/1"
    lines: tuple[RawLine, ...]


class PageFrame(msgspec.Struct, frozen=True, kw_only=True):
    """A page without its sections."""

    schema: str = "clew.page-frame/1"
    version: str
    frame: FrameView


class PageSection(msgspec.Struct, frozen=True, kw_only=True):
    """One section of a page."""

    schema: str = "clew.page-section/1"
    section: SectionView


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the app; `trouble` says what is wrong, if anything is.

    `is_synced` is false until the first sync has ended; `archiving` says how far a long sync is.
    """

    status: str
    version: str
    archive_version: str
    sessions: int
    is_followed: bool
    trouble: str = ""
    is_synced: bool = True
    archiving: Archiving | None = None
