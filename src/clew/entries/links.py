"""What of a tool's result links it to agents, files and tasks, or says how it ended."""

from typing import Final

import msgspec

from clew.entries.blocks import AnyBlock, OtherBlock, TextBlock
from clew.entries.row import NULL, Whole
from clew.entries.salvage import Damage, load


class ResultLinks(msgspec.Struct, frozen=True, gc=False):
    """The fields of a `toolUseResult` object that name something elsewhere, a time, or an end."""

    agent_id: str | None = msgspec.field(default=None, name="agentId")
    teammate_id: str | None = msgspec.field(default=None, name="agent_id")
    run_id: str | None = msgspec.field(default=None, name="runId")
    transcript_dir: str | None = msgspec.field(default=None, name="transcriptDir")
    task_id: str | None = msgspec.field(default=None, name="taskId")
    background_task_id: str | None = msgspec.field(default=None, name="backgroundTaskId")
    shell_id: str | None = msgspec.field(default=None, name="shellId")
    output_file: str | None = msgspec.field(default=None, name="outputFile")
    persisted_output_path: str | None = msgspec.field(default=None, name="persistedOutputPath")
    status: str | None = None
    is_async: bool | None = msgspec.field(default=None, name="isAsync")
    interrupted: bool | None = None
    duration_ms: float | None = msgspec.field(default=None, name="durationMs")
    duration_seconds: float | None = msgspec.field(default=None, name="durationSeconds")
    total_duration_ms: float | None = msgspec.field(default=None, name="totalDurationMs")
    total_tokens: Whole | None = msgspec.field(default=None, name="totalTokens")
    total_tool_use_count: Whole | None = msgspec.field(default=None, name="totalToolUseCount")
    agent_type: str | None = msgspec.field(default=None, name="agentType")
    search_count: Whole | None = msgspec.field(default=None, name="searchCount")
    success: bool | None = None
    error: str | None = None
    is_error: bool | None = msgspec.field(default=None, name="isError")
    was_interrupted: bool | None = msgspec.field(default=None, name="wasInterrupted")
    timed_out_after_ms: float | None = msgspec.field(default=None, name="timedOutAfterMs")


NO_LINKS: Final = ResultLinks()
_links: Final = msgspec.json.Decoder(ResultLinks)
_fields: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_content: Final = msgspec.json.Decoder(str | list[AnyBlock] | None)
_items: Final = msgspec.json.Decoder(list[msgspec.Raw])
_block: Final[msgspec.json.Decoder[AnyBlock]] = msgspec.json.Decoder(AnyBlock)
_BAD: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def result_links(result: msgspec.Raw) -> ResultLinks:
    """Read the links of a `toolUseResult`; one that is no object has none."""
    if result is NULL or bytes(memoryview(result)[:1]) != b"{":
        return NO_LINKS
    try:
        return _links.decode(result)
    except _BAD:
        return _links_one_by_one(result)


def result_blocks(content: msgspec.Raw) -> list[AnyBlock]:
    """Read the content of a tool result: text or blocks, whatever it is."""
    if content is NULL:
        return []
    try:
        read = _content.decode(content)
    except UnicodeDecodeError:
        return _repaired_blocks(content)
    except _BAD:
        return _blocks_one_by_one(content)
    if isinstance(read, str):
        return [TextBlock(text=read)]
    return read or []


def _links_one_by_one(result: msgspec.Raw) -> ResultLinks:
    """Keep the fields that fit, when one does not."""
    try:
        fields = _fields.decode(result)
    except _BAD:
        return NO_LINKS
    kept = b",".join(
        msgspec.json.encode(key) + b":" + bytes(value)
        for key, value in fields.items()
        if _fits(key, value)
    )
    return _links.decode(b"{" + kept + b"}")


def _fits(key: str, value: msgspec.Raw) -> bool:
    try:
        _links.decode(b"{" + msgspec.json.encode(key) + b":" + bytes(value) + b"}")
    except _BAD:
        return False
    return True


def _repaired_blocks(content: msgspec.Raw) -> list[AnyBlock]:
    """Read content that is not UTF-8, which the plain way skips over without a look."""
    try:
        value = load(bytes(content)).value
    except Damage:
        return [OtherBlock(value=content)]
    return result_blocks(msgspec.Raw(msgspec.json.encode(value)))


def _blocks_one_by_one(content: msgspec.Raw) -> list[AnyBlock]:
    try:
        items = _items.decode(content)
    except _BAD:
        return [OtherBlock(value=content)]
    return [_read_block(item) for item in items]


def _read_block(item: msgspec.Raw) -> AnyBlock:
    try:
        return _block.decode(item)
    except _BAD:
        return OtherBlock(value=item)
