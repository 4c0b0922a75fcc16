"""A session as a whole: its transcript in pages, its files as they were written, its totals."""

from typing import Annotated, Final

from litestar import Response, get
from litestar.params import QueryParameter
from litestar.response import Redirect, Stream

from clew.web.api.routes import Number, documented_bytes, json_route
from clew.web.api.schemas import RawFile, RawFileList, SessionStats, TranscriptPage
from clew.web.api.session import (
    choose_file,
    decode_messages,
    download,
    respond_from,
    session_files,
    slice_messages,
)
from clew.web.cache import RAW
from clew.web.params import Id, PageParam
from clew.web.responses import AppRequest, respond_json
from clew.web.session_cache import OpenSession
from clew.web.state import archived_session_of

_SESSION: Final = "/api/sessions/{session_id:str}"
_THINKING: Final = "thinking"
Plain = Annotated[
    bool,
    QueryParameter(description="Send the file itself, never the address of a compressed copy."),
]


@json_route(
    f"{_SESSION}/transcript", "sessionTranscript", "sessions", TranscriptPage, "Messages and calls"
)
def session_transcript(request: AppRequest, session_id: Id, page: PageParam) -> Response[bytes]:
    """Get a session's messages with their blocks and tool calls, in reading order."""

    def make(session: OpenSession, _version: str) -> TranscriptPage:
        whole = session.index.conversation
        _, cursor = page.take(whole.messages)
        decoded = decode_messages(slice_messages(whole, page.start, page.limit))
        return TranscriptPage(
            session_id=whole.session.id,
            title=whole.session.title,
            messages=tuple(decoded["messages"]),
            tool_calls=tuple(decoded["tool_calls"]),
            total=len(whole.messages),
            next_cursor=cursor,
        )

    return respond_from(request, session_id, make)


@json_route(f"{_SESSION}/raw", "raw", "files kept", RawFileList, "Files of a session")
def raw_files(request: AppRequest, session_id: Id) -> Response[bytes]:
    """List a session's files as they were written, each with the address of its download."""
    cache, version = archived_session_of(request, session_id)

    def make() -> RawFileList:
        files = session_files(request, session_id)
        own = f"/api{cache.urls.session(session_id)}/raw"
        return RawFileList(
            session_id=next((file.session_id for file in files if file.session_id), session_id),
            files=tuple(
                RawFile(
                    number=number,
                    path=file.path,
                    kind=file.kind,
                    agent_id=file.agent_id,
                    size_bytes=file.kept_bytes,
                    sha256=cache.archive.file_hash(file),
                    url=f"{own}/{number}",
                )
                for number, file in enumerate(files)
            ),
        )

    return respond_json(request, cache, version, make)


@get(
    f"{_SESSION}/raw/{{number:int}}",
    sync_to_thread=True,
    tags=["files kept"],
    operation_id="rawFile",
    responses=documented_bytes(),
)
def raw_file(
    request: AppRequest, session_id: Id, number: Number, *, plain: Plain = False
) -> Stream | Redirect:
    """Download a file as it was written.

    A file that no longer grows may be in a bucket as one object: the response is then a redirect
    to an address that works for a minute, from which `zstd -d` restores the file.
    """
    cache, _ = archived_session_of(request, session_id)
    file = choose_file(session_files(request, session_id), number)
    cache.note(session_id, RAW)
    url = None if plain else cache.sealed_url(file)
    if url is not None:
        return Redirect(url, status_code=307)
    return download(cache.archive.read_file(file), file.path, file.kept_bytes)


@json_route(f"{_SESSION}/stats", "stats", "sessions", SessionStats, "Totals of a session")
def session_stats(request: AppRequest, session_id: Id) -> Response[bytes]:
    """Get the totals of a session: messages, calls, tokens, cost and time."""
    cache, version = archived_session_of(request, session_id)

    def make() -> SessionStats:
        found = cache.overview(session_id)
        thinking, name = cache.with_session(session_id, version, _count_thinking)
        return SessionStats(
            session_id=name,
            title=found.title,
            messages=found.messages,
            prompts=found.prompts,
            answers=found.answers,
            thinking_blocks=thinking,
            tool_calls=found.tool_calls,
            errors=found.errors,
            agent_runs=found.agent_runs,
            compactions=found.compactions,
            usage=found.usage,
            total_tokens=found.total_tokens,
            cost_usd=found.cost_usd,
            duration_ms=found.duration_ms,
            active_ms=found.active_ms,
            first_prompt=found.first_prompt,
        )

    return respond_json(request, cache, version, make)


def _count_thinking(session: OpenSession) -> tuple[int, str]:
    whole = session.index.conversation
    blocks = (block for message in whole.messages for block in message.blocks)
    return sum(block.kind == _THINKING for block in blocks), whole.session.id
