"""The shapes of answers that hold a list: what is asked for, how many, where to go on."""

from typing import Any

import msgspec
from litestar.openapi.datastructures import ResponseSpec

from clew.analytics import FileTouch, ModelCall
from clew.store import (
    AgentRunOverview,
    FileOverview,
    FileUse,
    ProjectOverview,
    SessionOverview,
    ToolCallOverview,
)
from clew.view import FrameView, SectionView
from clew.web.errors import ErrorAnswer


def told(shape: Any, description: str) -> dict[int, ResponseSpec]:
    """Describe the answers of a route: what it gives, and how it says that it cannot."""
    return {
        200: ResponseSpec(shape, description=description, generate_examples=False),
        400: ResponseSpec(ErrorAnswer, description="Wrong use", generate_examples=False),
        404: ResponseSpec(ErrorAnswer, description="Not there", generate_examples=False),
        503: ResponseSpec(ErrorAnswer, description="Nothing kept yet", generate_examples=False),
    }


def told_bytes() -> dict[int, ResponseSpec]:
    """Describe the answers of a route that gives a file as it is."""
    given = ResponseSpec(
        bytes, description="The file's bytes", generate_examples=False, media_type="*/*"
    )
    return {**told(bytes, ""), 200: given}


class SessionList(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions; `total` is how many match, `hidden` how many more `with_hidden` would list."""

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
    """Which sessions read or changed some files."""

    schema: str = "clew.file-uses/1"
    path: str
    uses: tuple[FileUse, ...]
    next_cursor: str | None = None


class MessageList(msgspec.Struct, frozen=True, kw_only=True):
    """Messages of a conversation, as in its own JSON."""

    schema: str = "clew.messages/1"
    messages: tuple[dict[str, Any], ...]
    total: int
    next_cursor: str | None = None


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What can be counted of a session, at its smallest grain."""

    schema: str = "clew.facts/1"
    model_calls: tuple[ModelCall, ...]
    file_touches: tuple[FileTouch, ...]


class KeptFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that is kept of a session; `number` is its address below `transcripts`."""

    number: int
    path: str
    kind: str
    agent_id: str | None
    size_bytes: int
    is_on_disk: bool


class KeptFileList(msgspec.Struct, frozen=True, kw_only=True):
    """The files that are kept of a session."""

    schema: str = "clew.transcripts/1"
    transcripts: tuple[KeptFile, ...]


class RawLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a transcript as it stands there; bytes that are no text are marked."""

    file: str
    line: int
    offset: int
    text: str


class RawLineList(msgspec.Struct, frozen=True, kw_only=True):
    """The lines that a message comes from."""

    schema: str = "clew.lines/1"
    lines: tuple[RawLine, ...]


class PageFrame(msgspec.Struct, frozen=True, kw_only=True):
    """All of a page but its sections."""

    schema: str = "clew.page-frame/1"
    version: str
    frame: FrameView


class PageSection(msgspec.Struct, frozen=True, kw_only=True):
    """One section of a page."""

    schema: str = "clew.page-section/1"
    section: SectionView


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """How the app is: what it can show, and what troubles it."""

    status: str
    version: str
    archive_version: str
    sessions: int
    is_followed: bool
    trouble: str = ""
