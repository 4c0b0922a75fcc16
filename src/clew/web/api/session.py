"""One session: its conversation, its page in pieces, its messages, its lines, its files."""

import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Final

import msgspec
from litestar import Response, get
from litestar.params import PathParameter, QueryParameter
from litestar.response import Stream

from clew.analytics import file_touches, model_calls
from clew.archive import Archive, Filters
from clew.conversation import Conversation, Message, Place
from clew.errors import NotFoundError, SessionNotFoundError
from clew.render import render_json
from clew.store import Kept, SessionOverview
from clew.view import ViewOptions, make_frame, make_section
from clew.web.answers import Asked, answer, answer_json, answer_list
from clew.web.api.shapes import (
    AgentRunList,
    Facts,
    KeptFile,
    KeptFileList,
    MessageList,
    PageFrame,
    PageSection,
    RawLine,
    RawLineList,
    ToolCallList,
    told,
    told_bytes,
)
from clew.web.asked import MOST, Id, TheCut, require_id
from clew.web.state import session_of, shelf_of

First = Annotated[int | None, QueryParameter(ge=0, description="The number of the first message.")]
Count = Annotated[int | None, QueryParameter(ge=1, le=MOST, description="How many messages.")]
Number = Annotated[int, PathParameter(ge=0, le=1_000_000)]
_SAFE_NAME: Final = re.compile(r"[^A-Za-z0-9._-]")
_JSON_LINES: Final = "application/x-ndjson"
_PLAIN: Final = "text/plain"


@get(
    "/api/sessions/{session_id:str}",
    sync_to_thread=True,
    tags=["sessions"],
    operation_id="session",
    responses=told(SessionOverview, "A session"),
)
def session(request: Asked, session_id: Id) -> Response[bytes]:
    """Give the facts of a session."""
    catalogue = shelf_of(request).catalogue()
    found = catalogue.by_id.get(require_id(session_id))
    if found is None:
        raise SessionNotFoundError(session_id)
    return answer_json(request, shelf_of(request), catalogue.version, lambda: found)


@get(
    "/api/sessions/{session_id:str}/conversation",
    sync_to_thread=True,
    tags=["sessions"],
    operation_id="conversation",
    responses=told(dict[str, Any], "clew.conversation/1"),
)
def conversation(
    request: Asked, session_id: Id, first: First = None, count: Count = None
) -> Response[bytes]:
    """Give a conversation: all of it, or so many messages from one on with their calls."""
    whole, version = _conversation(request, session_id)
    return answer(
        request,
        shelf_of(request),
        version,
        lambda: b"".join(render_json(_cut(whole, first, count))),
    )


@get(
    "/api/sessions/{session_id:str}/page",
    sync_to_thread=True,
    tags=["pages"],
    operation_id="page",
    responses=told(dict[str, Any], "clew.page-frame/1"),
)
def page(request: Asked, session_id: Id) -> Response[bytes]:
    """Give all of a session's page but its sections."""
    shelf, version = session_of(request, session_id)

    def make() -> PageFrame:
        return PageFrame(version=version, frame=make_frame(shelf.index(session_id), ViewOptions()))

    return answer_json(request, shelf, version, make)


@get(
    "/api/sessions/{session_id:str}/page/sections/{number:int}",
    sync_to_thread=True,
    tags=["pages"],
    operation_id="section",
    responses=told(dict[str, Any], "clew.page-section/1"),
)
def section(request: Asked, session_id: Id, number: Number) -> Response[bytes]:
    """Give one section of a session's page."""
    shelf, version = session_of(request, session_id)

    def make() -> PageSection:
        index = shelf.index(session_id)
        sections = make_frame(index, ViewOptions()).sections
        if number >= len(sections):
            raise NotFoundError(f"there is no section {number}: the page has {len(sections)}")
        return PageSection(section=make_section(index, ViewOptions(), number))

    return answer_json(request, shelf, version, make)


@get(
    "/api/sessions/{session_id:str}/messages",
    sync_to_thread=True,
    tags=["messages"],
    operation_id="messages",
    responses=told(MessageList, "Messages"),
)
def messages(request: Asked, session_id: Id, cut: TheCut) -> Response[bytes]:
    """List a session's messages in the order of reading, agent runs' included."""
    whole, version = _conversation(request, session_id)

    def make() -> MessageList:
        _, following = cut.take(whole.messages)
        told = _decode(_cut(whole, cut.start, cut.limit))
        total = len(whole.messages)
        return MessageList(messages=tuple(told["messages"]), total=total, next_cursor=following)

    return answer_json(request, shelf_of(request), version, make)


@get(
    "/api/sessions/{session_id:str}/messages/{message_id:str}",
    sync_to_thread=True,
    tags=["messages"],
    operation_id="message",
    responses=told(dict[str, Any], "A message"),
)
def message(request: Asked, session_id: Id, message_id: Id) -> Response[bytes]:
    """Give one message."""
    whole, version = _conversation(request, session_id)

    def make() -> object:
        number, _ = find_message(whole, message_id)
        return _decode(_cut(whole, number, 1))["messages"][0]

    return answer_json(request, shelf_of(request), version, make)


@get(
    "/api/sessions/{session_id:str}/messages/{message_id:str}/lines",
    sync_to_thread=True,
    tags=["messages"],
    operation_id="messageLines",
    responses=told(RawLineList, "Lines as they stand in the files"),
)
def message_lines(request: Asked, session_id: Id, message_id: Id) -> Response[bytes]:
    """Give the lines of the transcript that a message comes from, as they stand there."""
    whole, version = _conversation(request, session_id)
    shelf = shelf_of(request)
    return answer_json(
        request,
        shelf,
        version,
        lambda: lines_of(shelf.archive, session_id, find_message(whole, message_id)[1].lines),
    )


@get(
    "/api/sessions/{session_id:str}/tool-calls",
    sync_to_thread=True,
    tags=["tool calls"],
    operation_id="sessionToolCalls",
    responses=told(ToolCallList, "Tool calls"),
)
def session_tool_calls(request: Asked, session_id: Id, cut: TheCut) -> Response[bytes]:
    """List a session's tool calls, the latest first."""
    shelf, version = session_of(request, session_id)
    filters, order = Filters(session=session_id), cut.order()
    return answer_list(
        request,
        shelf,
        version,
        cut,
        lambda: shelf.archive.tool_calls(filters, order),
        lambda page, cursor: ToolCallList(tool_calls=page, next_cursor=cursor),
    )


@get(
    "/api/sessions/{session_id:str}/agent-runs",
    sync_to_thread=True,
    tags=["agent runs"],
    operation_id="sessionAgentRuns",
    responses=told(AgentRunList, "Agent runs"),
)
def session_agent_runs(request: Asked, session_id: Id, cut: TheCut) -> Response[bytes]:
    """List a session's agent runs, the latest first, hidden ones too."""
    shelf, version = session_of(request, session_id)
    filters, order = Filters(session=session_id), cut.order(with_hidden=True)
    return answer_list(
        request,
        shelf,
        version,
        cut,
        lambda: shelf.archive.agent_runs(filters, order),
        lambda page, cursor: AgentRunList(agent_runs=page, next_cursor=cursor),
    )


@get(
    "/api/sessions/{session_id:str}/facts",
    sync_to_thread=True,
    tags=["usage"],
    operation_id="facts",
    responses=told(Facts, "Facts"),
)
def facts(request: Asked, session_id: Id) -> Response[bytes]:
    """Give what can be counted of a session: model calls, files read and changed."""
    whole, version = _conversation(request, session_id)

    def make() -> Facts:
        return Facts(
            model_calls=tuple(model_calls(whole)),
            file_touches=tuple(file_touches(whole.tool_calls)),
        )

    return answer_json(request, shelf_of(request), version, make)


@get(
    "/api/sessions/{session_id:str}/transcripts",
    sync_to_thread=True,
    tags=["files kept"],
    operation_id="transcripts",
    responses=told(KeptFileList, "Files kept of a session"),
)
def transcripts(request: Asked, session_id: Id) -> Response[bytes]:
    """List the files that are kept of a session: transcripts, and what stands beside them."""
    shelf, version = session_of(request, session_id)

    def make() -> KeptFileList:
        return KeptFileList(transcripts=tuple(kept_files(request, session_id)))

    return answer_json(request, shelf, version, make)


@get(
    "/api/sessions/{session_id:str}/transcripts/{number:int}",
    sync_to_thread=True,
    tags=["files kept"],
    operation_id="transcript",
    responses=told_bytes(),
)
def transcript(request: Asked, session_id: Id, number: Number) -> Stream:
    """Give a kept file byte for byte; number 0 is the session's own transcript."""
    kept = _kept(request, require_id(session_id))
    if number >= len(kept):
        raise NotFoundError(f"there is no file {number}: {len(kept)} are kept of the session")
    file = kept[number]
    name = _SAFE_NAME.sub("_", file.path.rpartition("/")[2])
    return Stream(
        _content(request, file),
        media_type=_JSON_LINES if name.endswith(".jsonl") else _PLAIN,
        headers={
            "content-disposition": f'attachment; filename="{name}"',
            "content-length": str(file.kept_bytes),
        },
    )


def lines_of(archive: Archive, session_id: str, places: Iterable[Place]) -> RawLineList:
    """Read lines of a session's transcripts."""
    lines = (
        RawLine(
            file=place.file,
            line=place.line,
            offset=place.offset,
            text=archive.read_line(session_id, place.file, place.offset),
        )
        for place in places
    )
    return RawLineList(lines=tuple(lines))


def kept_files(request: Asked, session_id: str) -> list[KeptFile]:
    """Name the files that are kept of a session, with their numbers."""
    return [_told(number, file) for number, file in enumerate(_kept(request, session_id))]


def _content(request: Asked, file: Kept) -> Iterator[bytes]:
    return shelf_of(request).archive.read_file(file)


def _kept(request: Asked, session_id: str) -> list[Kept]:
    """Give the files kept of a session, its own transcript first."""
    shelf = shelf_of(request)
    shelf.session_version(session_id)
    kept = shelf.archive.session_files(session_id)
    return sorted(kept, key=lambda file: (file.kind != "session", file.path, file.root))


def _told(number: int, file: Kept) -> KeptFile:
    return KeptFile(
        number=number,
        path=file.path,
        kind=file.kind,
        agent_id=file.agent_id,
        size_bytes=file.kept_bytes,
        is_on_disk=file.state == "present",
    )


def _conversation(request: Asked, session_id: str) -> tuple[Conversation, str]:
    shelf, version = session_of(request, session_id)
    return shelf.index(session_id).conversation, version


def _cut(whole: Conversation, first: int | None, count: int | None) -> Conversation:
    """Give a stretch of a conversation: its messages, and the calls that they made."""
    if first is None and count is None:
        return whole
    start = first or 0
    chosen = whole.messages[start : len(whole.messages) if count is None else start + count]
    ids = {message.id for message in chosen}
    calls = tuple(call for call in whole.tool_calls if call.message_id in ids)
    return msgspec.structs.replace(whole, messages=chosen, tool_calls=calls)


def find_message(whole: Conversation, message_id: str) -> tuple[int, Message]:
    """Find a message and its position by its id or that of one of its entries.

    Raises:
        NotFoundError: The session has no such message.
    """
    for number, found in enumerate(whole.messages):
        if found.id == message_id or message_id in found.entry_ids:
            return number, found
    raise NotFoundError(f"the session has no message {message_id[:80]!r}")


def _decode(cut: Conversation) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.json.decode(b"".join(render_json(cut)))
    return told
