"""The few fields of a line that counting needs: all others are skipped while decoding."""

from typing import Final

import msgspec

from clew.entries import Assistant, Usage

BAD: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class MessageFields(msgspec.Struct, frozen=True, gc=False):
    """Of a model's message, which one it is and what it used."""

    id: str = ""
    model: str = ""
    stop_reason: str | None = None
    usage: Usage | None = None


class AnswerFields(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Of an answer's row, who made it and when."""

    type: str
    uuid: str = ""
    timestamp: str = ""
    is_sidechain: bool = False
    session_id: str = ""
    agent_id: str = ""
    attribution_agent: str | None = ""
    message: MessageFields = MessageFields()


class LocationFields(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Of any row, whose it is, where the session works and when it was written."""

    session_id: str = ""
    timestamp: str = ""
    cwd: str | None = ""
    is_sidechain: bool = False


class RunProgressFields(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Of the data of progress, the run and its answer."""

    agent_id: str = ""
    message: AnswerFields | None = None


class ProgressFields(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Of a progress row, its data and time."""

    data: RunProgressFields
    timestamp: str = ""


class BlockFields(msgspec.Struct, frozen=True, gc=False):
    """Of a block, which tool it calls."""

    type: str = ""
    name: str = ""


class ContentFields(msgspec.Struct, frozen=True, gc=False):
    """Of a message, its blocks."""

    content: list[BlockFields] = []


class AnswerBlocks(msgspec.Struct, frozen=True, gc=False):
    """Of an answer's row, its blocks."""

    message: ContentFields = ContentFields()


class RunProgressBlocks(msgspec.Struct, frozen=True, gc=False):
    """Of the data of progress, the answer's blocks."""

    message: AnswerBlocks = AnswerBlocks()


class ProgressBlocks(msgspec.Struct, frozen=True, gc=False):
    """Of a progress row, the blocks of the answer in it."""

    data: RunProgressBlocks = RunProgressBlocks()


class SearchFields(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Of a tool's result, how often it searched the web."""

    search_count: int = 0


class SearchResultFields(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Of a result's row, which answer's row requested it."""

    tool_use_result: SearchFields
    parent_uuid: str | None = None
    source_row: str = msgspec.field(default="", name="sourceToolAssistantUUID")


class RunResultFields(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Of a result's row, the result, and which answer's row requested it."""

    tool_use_result: msgspec.Raw = msgspec.Raw()
    parent_uuid: str | None = None
    source_row: str = msgspec.field(default="", name="sourceToolAssistantUUID")


decode_answer: Final = msgspec.json.Decoder(AnswerFields).decode
decode_location: Final = msgspec.json.Decoder(LocationFields).decode
decode_progress: Final = msgspec.json.Decoder(ProgressFields).decode
decode_search_result: Final = msgspec.json.Decoder(SearchResultFields).decode
decode_run_result: Final = msgspec.json.Decoder(RunResultFields).decode
decode_blocks: Final = msgspec.json.Decoder(AnswerBlocks).decode
decode_progress_blocks: Final = msgspec.json.Decoder(ProgressBlocks).decode


def compact(raw: bytes) -> bytes:
    """Return a line without spaces between its values; one that is no JSON as it is."""
    try:
        return msgspec.json.encode(msgspec.json.decode(raw))
    except BAD:
        return raw


def answer_fields(body: Assistant) -> AnswerFields:
    """Return the same fields of an entry that was read the thorough way."""
    message = body.message
    return AnswerFields(
        type=body.type,
        uuid=body.uuid,
        timestamp=body.timestamp,
        is_sidechain=body.is_sidechain,
        session_id=body.session_id,
        agent_id=body.agent_id,
        attribution_agent=body.attribution_agent,
        message=MessageFields(message.id, message.model, message.stop_reason, message.usage),
    )
