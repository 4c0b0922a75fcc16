"""One session: its conversation, its page in pieces, its messages, its lines, its files."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Any, Final, TypeVar

import msgspec
from litestar import Response, get
from litestar.params import QueryParameter
from litestar.response import Stream

from clew.analytics import model_calls, session_touches
from clew.conversation import Conversation, Location, Message
from clew.errors import NotFoundError
from clew.render import render_json
from clew.source import SourceFile
from clew.store import ArchivedFile, SessionOverview
from clew.view import make_section
from clew.web.api.routes import Number, documented_bytes, json_route
from clew.web.api.schemas import (
    DigestAnswer,
    Facts,
    KeptFile,
    KeptFileList,
    MessageList,
    PageFrame,
    PageSection,
    RawLine,
    RawLineList,
)
from clew.web.cache import RAW, READ, ArchiveCache
from clew.web.disk_sessions import read_source
from clew.web.params import MOST, Id, PageParam, require_id
from clew.web.responses import AppRequest, respond, respond_json
from clew.web.session_cache import VIEW, OpenSession
from clew.web.state import archived_session_of, cache_of, session_of

File = TypeVar("File", ArchivedFile, SourceFile)
First = Annotated[int | None, QueryParameter(ge=0, description="Number of the first message.")]
Count = Annotated[int | None, QueryParameter(ge=1, le=MOST, description="Number of messages.")]
_SESSION: Final = "/api/sessions/{session_id:str}"
_SAFE_NAME: Final = re.compile(r"[^A-Za-z0-9._-]")
_JSON_LINES: Final = "application/x-ndjson"
_PLAIN: Final = "text/plain"


@json_route(_SESSION, "session", "sessions", SessionOverview, "A session")
def session(request: AppRequest, session_id: Id) -> Response[bytes]:
    """Get a session's title, times, counts and cost."""
    cache = cache_of(request)
    version = cache.catalogue_version()
    found = cache.overview(require_id(session_id))
    cache.note(session_id, READ)
    return respond_json(request, cache, version, lambda: found)


@json_route(
    f"{_SESSION}/conversation",
    "conversation",
    "sessions",
    dict[str, Any],
    "clew.conversation/1",
)
def conversation(
    request: AppRequest, session_id: Id, first: First = None, count: Count = None
) -> Response[bytes]:
    """Get a conversation: all of it, or some of its messages with their tool calls."""
    cache, version = session_of(request, session_id)

    def make(session: OpenSession) -> bytes:
        part = slice_messages(session.index.conversation, first, count)
        return b"".join(render_json(part, session.digest, session.index.note))

    return respond(request, cache, version, lambda: cache.with_session(session_id, version, make))


@json_route(f"{_SESSION}/digest", "digest", "sessions", DigestAnswer, "A digest or an extract")
def digest(request: AppRequest, session_id: Id) -> Response[bytes]:
    """Get a short account of a session: the digest that a model wrote, else an extract of facts."""

    def make(session: OpenSession, _version: str) -> DigestAnswer:
        return DigestAnswer(digest=session.digest)

    return respond_from(request, session_id, make)


@json_route(f"{_SESSION}/page", "page", "pages", dict[str, Any], "clew.page-frame/1")
def page_frame(request: AppRequest, session_id: Id) -> Response[bytes]:
    """Get a session's page without its sections."""

    def make(session: OpenSession, version: str) -> PageFrame:
        return PageFrame(version=version, frame=session.page.frame)

    return respond_from(request, session_id, make)


@json_route(
    f"{_SESSION}/page/sections/{{number:int}}",
    "section",
    "pages",
    dict[str, Any],
    "clew.page-section/1",
)
def page_section(request: AppRequest, session_id: Id, number: Number) -> Response[bytes]:
    """Get one section of a session's page."""

    def make(session: OpenSession, _version: str) -> PageSection:
        sections = len(session.page.frame.sections)
        if number >= sections:
            raise NotFoundError(f"no section {number}: the page has {sections}")
        return PageSection(section=make_section(session.index, VIEW, number, session.page.layout))

    return respond_from(request, session_id, make)


@json_route(f"{_SESSION}/messages", "messages", "messages", MessageList, "Messages")
def messages(request: AppRequest, session_id: Id, page: PageParam) -> Response[bytes]:
    """List a session's messages in reading order, including those of agent runs."""

    def make(session: OpenSession, _version: str) -> MessageList:
        whole = session.index.conversation
        _, cursor = page.take(whole.messages)
        decoded = decode_messages(slice_messages(whole, page.start, page.limit))
        total = len(whole.messages)
        return MessageList(messages=tuple(decoded["messages"]), total=total, next_cursor=cursor)

    return respond_from(request, session_id, make)


@json_route(
    f"{_SESSION}/messages/{{message_id:str}}", "message", "messages", dict[str, Any], "A message"
)
def message(request: AppRequest, session_id: Id, message_id: Id) -> Response[bytes]:
    """Get one message."""

    def make(session: OpenSession, _version: str) -> object:
        whole = session.index.conversation
        number, _ = find_message(whole, message_id)
        return decode_messages(slice_messages(whole, number, 1))["messages"][0]

    return respond_from(request, session_id, make)


@json_route(
    f"{_SESSION}/messages/{{message_id:str}}/lines",
    "messageLines",
    "messages",
    RawLineList,
    "Lines of the transcript",
)
def message_lines(request: AppRequest, session_id: Id, message_id: Id) -> Response[bytes]:
    """Get the unchanged lines of the transcript that a message was read from."""
    cache, version = session_of(request, session_id)

    def find(session: OpenSession) -> tuple[Location, ...]:
        return find_message(session.index.conversation, message_id)[1].lines

    def make() -> RawLineList:
        return read_lines(cache, session_id, cache.with_session(session_id, version, find))

    return respond_json(request, cache, version, make)


@json_route(f"{_SESSION}/facts", "facts", "usage", Facts, "Facts")
def facts(request: AppRequest, session_id: Id) -> Response[bytes]:
    """Get a session's model calls, and the files it read and changed."""

    def make(session: OpenSession, _version: str) -> Facts:
        whole = session.index.conversation
        return Facts(
            model_calls=tuple(model_calls(whole)),
            file_touches=tuple(session_touches(whole)),
        )

    return respond_from(request, session_id, make)


@json_route(
    f"{_SESSION}/transcripts",
    "transcripts",
    "files kept",
    KeptFileList,
    "Archived files of a session",
)
def transcripts(request: AppRequest, session_id: Id) -> Response[bytes]:
    """List a session's archived files: its transcripts and their sidecars."""
    cache, version = archived_session_of(request, session_id)

    def make() -> KeptFileList:
        return KeptFileList(transcripts=tuple(archived_files(request, session_id)))

    return respond_json(request, cache, version, make)


@get(
    f"{_SESSION}/transcripts/{{number:int}}",
    sync_to_thread=True,
    tags=["files kept"],
    operation_id="transcript",
    responses=documented_bytes(),
)
def transcript(request: AppRequest, session_id: Id, number: Number) -> Stream:
    """Download an archived file, unchanged; number 0 is the session's own transcript."""
    cache, _ = session_of(request, session_id)
    cache.note(session_id, RAW)
    if cache.is_archived(session_id):
        file = choose_file(session_files(request, session_id), number)
        return download(cache.archive.read_file(file), file.path, file.kept_bytes)
    found = cache.find_on_disk(session_id)
    source = choose_file(() if found is None else found.files, number)
    return download(read_source(source), source.relative, source.size)


def choose_file(files: Sequence[File], number: int) -> File:
    """Return a file by its number.

    Raises:
        NotFoundError: The session has fewer files.
    """
    if number >= len(files):
        raise NotFoundError(f"no file {number}: the session has {len(files)}")
    return files[number]


def download(content: Iterator[bytes], path: str, size: int) -> Stream:
    """Respond with a file, to be saved under its name."""
    name = _SAFE_NAME.sub("_", path.rpartition("/")[2])
    return Stream(
        content,
        media_type=_JSON_LINES if name.endswith(".jsonl") else _PLAIN,
        headers={
            "content-disposition": f'attachment; filename="{name}"',
            "content-length": str(size),
        },
    )


def read_lines(cache: ArchiveCache, session_id: str, places: Iterable[Location]) -> RawLineList:
    """Read lines of a session's transcripts."""
    lines = (
        RawLine(
            file=place.file,
            line=place.line,
            offset=place.offset,
            text=cache.read_line(session_id, place.file, place.offset),
        )
        for place in places
    )
    return RawLineList(lines=tuple(lines))


def archived_files(request: AppRequest, session_id: str) -> list[KeptFile]:
    """List a session's archived files with their numbers."""
    return [
        KeptFile(
            number=number,
            path=file.path,
            kind=file.kind,
            agent_id=file.agent_id,
            size_bytes=file.kept_bytes,
            is_on_disk=file.state == "present",
        )
        for number, file in enumerate(session_files(request, session_id))
    ]


def find_message(whole: Conversation, message_id: str) -> tuple[int, Message]:
    """Find a message and its position by its id or that of one of its entries.

    Raises:
        NotFoundError: The session has no such message.
    """
    for number, found in enumerate(whole.messages):
        if found.id == message_id or message_id in found.entry_ids:
            return number, found
    raise NotFoundError(f"the session has no message {message_id[:80]!r}")


def session_files(request: AppRequest, session_id: str) -> list[ArchivedFile]:
    """Return the archived files of a session, its own transcript first."""
    cache = cache_of(request)
    cache.session_version(session_id)
    files = cache.archive.session_files(session_id)
    return sorted(files, key=lambda file: (file.kind != "session", file.path, file.root))


def respond_from(
    request: AppRequest, session_id: str, make: Callable[[OpenSession, str], object]
) -> Response[bytes]:
    """Respond with what `make` makes of a session and its version."""
    cache, version = session_of(request, session_id)
    return respond_json(
        request,
        cache,
        version,
        lambda: cache.with_session(session_id, version, lambda session: make(session, version)),
    )


def slice_messages(whole: Conversation, first: int | None, count: int | None) -> Conversation:
    """Return some messages of a conversation, and the calls that they made."""
    if first is None and count is None:
        return whole
    start = first or 0
    chosen = whole.messages[start : len(whole.messages) if count is None else start + count]
    ids = {message.id for message in chosen}
    calls = tuple(call for call in whole.tool_calls if call.message_id in ids)
    return msgspec.structs.replace(whole, messages=chosen, tool_calls=calls)


def decode_messages(part: Conversation) -> dict[str, Any]:
    """Return a part of a conversation as its JSON has it."""
    decoded: dict[str, Any] = msgspec.json.decode(b"".join(render_json(part)))
    return decoded
