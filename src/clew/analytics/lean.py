"""The few fields of a line that counting needs: all others are passed over while decoding."""

from typing import Final

import msgspec

from clew.entries import Assistant, Usage

BAD: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class LeanMessage(msgspec.Struct, frozen=True, gc=False):
    """Of a model's message, which one it is and what it used."""

    id: str = ""
    model: str = ""
    stop_reason: str | None = None
    usage: Usage | None = None


class LeanRow(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Of an answer's row, who made it and when."""

    type: str
    uuid: str = ""
    timestamp: str = ""
    is_sidechain: bool = False
    session_id: str = ""
    agent_id: str = ""
    attribution_agent: str | None = ""
    message: LeanMessage = LeanMessage()


class LeanPlace(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Of any row, whose it is, where the session works and when it was written."""

    session_id: str = ""
    timestamp: str = ""
    cwd: str | None = ""
    is_sidechain: bool = False


class LeanBranch(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Of any row, the branch it was written on."""

    git_branch: str | None = ""
    is_sidechain: bool = False


class LeanTold(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Of what progress tells, the run and its answer."""

    agent_id: str = ""
    message: LeanRow | None = None


class LeanProgress(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Of a progress row, what it tells and when."""

    data: LeanTold
    timestamp: str = ""


class LeanBlock(msgspec.Struct, frozen=True, gc=False):
    """Of a block, which tool it calls."""

    type: str = ""
    name: str = ""


class LeanContent(msgspec.Struct, frozen=True, gc=False):
    """Of a message, its blocks."""

    content: list[LeanBlock] = []


class LeanTalk(msgspec.Struct, frozen=True, gc=False):
    """Of an answer's row, its blocks."""

    message: LeanContent = LeanContent()


class LeanToldTalk(msgspec.Struct, frozen=True, gc=False):
    """Of what progress tells, the answer's blocks."""

    message: LeanTalk = LeanTalk()


class LeanProgressTalk(msgspec.Struct, frozen=True, gc=False):
    """Of a progress row, the blocks of the answer it tells of."""

    data: LeanToldTalk = LeanToldTalk()


class LeanSearch(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Of a tool's result, how often it searched the web."""

    search_count: int = 0


class LeanResult(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Of a result's row, which answer's row asked for it."""

    tool_use_result: LeanSearch
    parent_uuid: str | None = None
    source_row: str = msgspec.field(default="", name="sourceToolAssistantUUID")


class LeanReport(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Of a result's row, the result, and which answer's row asked for it."""

    tool_use_result: msgspec.Raw = msgspec.Raw()
    parent_uuid: str | None = None
    source_row: str = msgspec.field(default="", name="sourceToolAssistantUUID")


decode_row: Final = msgspec.json.Decoder(LeanRow).decode
decode_place: Final = msgspec.json.Decoder(LeanPlace).decode
decode_branch: Final = msgspec.json.Decoder(LeanBranch).decode
decode_progress: Final = msgspec.json.Decoder(LeanProgress).decode
decode_result: Final = msgspec.json.Decoder(LeanResult).decode
decode_report: Final = msgspec.json.Decoder(LeanReport).decode
decode_talk: Final = msgspec.json.Decoder(LeanTalk).decode
decode_progress_talk: Final = msgspec.json.Decoder(LeanProgressTalk).decode


def compact(raw: bytes) -> bytes:
    """Give a line without spaces between its values; one that is no JSON as it is."""
    try:
        return msgspec.json.encode(msgspec.json.decode(raw))
    except BAD:
        return raw


def to_lean(body: Assistant) -> LeanRow:
    """Give the same fields of an entry that was read the thorough way."""
    message = body.message
    return LeanRow(
        type=body.type,
        uuid=body.uuid,
        timestamp=body.timestamp,
        is_sidechain=body.is_sidechain,
        session_id=body.session_id,
        agent_id=body.agent_id,
        attribution_agent=body.attribution_agent,
        message=LeanMessage(message.id, message.model, message.stop_reason, message.usage),
    )
