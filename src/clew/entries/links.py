"""What of a tool's result links it to agents, files and tasks, or says how it ended."""

from typing import Any, Final

import msgspec

from clew.entries.blocks import AnyBlock, OtherBlock, TextBlock
from clew.entries.row import NULL, Whole
from clew.entries.salvage import Damage, load, shape_of


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
    """Read the content of a tool result, whatever it is.

    Clients write text, blocks or null. Anything else is read as the text of its JSON.
    """
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


def odd_content(content: msgspec.Raw) -> str:
    """Name the shape of a tool result's content that no client writes; empty for the usual ones."""
    try:
        _content.decode(content)
    except _BAD:
        return _odd_shape(content)
    return ""


def _odd_shape(content: msgspec.Raw) -> str:
    try:
        value = load(bytes(content)).value
    except Damage:
        return ""
    if not isinstance(value, list):
        return "" if value is None or isinstance(value, str) else shape_of(value)
    odd = next((item for item in value if not _is_block(item)), value)
    return "" if odd is value else f"a list with {shape_of(odd)} in it"


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
        items = [content]
    return [_read_block(item) for item in items]


def _read_block(item: msgspec.Raw) -> AnyBlock:
    try:
        return _block.decode(item)
    except _BAD:
        return _unread_block(item)


def _unread_block(item: msgspec.Raw) -> AnyBlock:
    """Read a block of an unknown kind; what is no block at all becomes text."""
    try:
        value = load(bytes(item)).value
    except Damage:
        return OtherBlock(value=item)
    if _is_block(value):
        return OtherBlock(value=item)
    is_text = isinstance(value, str)
    return TextBlock(text=value if is_text else bytes(item).decode("utf-8", "replace"))


def _is_block(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str)
