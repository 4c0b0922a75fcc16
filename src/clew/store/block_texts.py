"""An archived line → the texts of its blocks, as rows and the index have them.

Rows hold the beginning of a long text and where its line stands; here the rest is found again.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from clew.conversation import joined_text, progress_entry, to_block, to_blocks
from clew.entries import (
    AnyBlock,
    Assistant,
    AttachmentRow,
    Entry,
    McpToolUseBlock,
    ProgressRow,
    QueuedCommandAttachment,
    QueueOperation,
    ServerToolResult,
    ServerToolUseBlock,
    System,
    ToolResultBlock,
    ToolUseBlock,
    User,
    attachment_text,
    decode,
    result_blocks,
)
from clew.source import Line


class BlockPlace(msgspec.Struct, frozen=True):
    """What a row has of a block's text, and where the line with all of it stands."""

    text: str
    is_cut: int
    size_bytes: int
    tool_call_id: str | None
    session_key: int
    transcript: int
    offset_bytes: int
    entry_bytes: int


def find_text(texts: Iterable[str], beginning: str, length: int) -> str | None:
    """Return the text that begins so; of several, the one of that length."""
    found = [text for text in texts if text.startswith(beginning)]
    return next((text for text in found if len(text) == length), found[0] if found else None)


def line_texts(raw: bytes) -> Iterator[str]:
    """Return the texts of all blocks that a line holds."""
    for entry in decode(Line(raw, "", 1, 0)):
        yield from entry_texts(entry)


def entry_texts(entry: Entry) -> Iterator[str]:
    """Return the texts of an entry's blocks: of a call its arguments, of a result its words."""
    match entry.body:
        case User(message=message) | Assistant(message=message):
            yield from _content_texts(message.content)
        case System(content=content):
            yield content or ""
        case AttachmentRow(attachment=QueuedCommandAttachment(prompt=content)):
            yield from _content_texts(content)
        case AttachmentRow(attachment=attachment):
            yield attachment_text(attachment)
        case QueueOperation(content=content):
            yield from _content_texts(content)
        case ProgressRow():
            told = progress_entry(entry)
            if told is not None:
                yield from entry_texts(told)
        case _:
            return


def line_inputs(raw: bytes) -> Iterator[tuple[str, bytes]]:
    """Return the id and the input of each tool use in a line."""
    for entry in decode(Line(raw, "", 1, 0)):
        yield from _entry_inputs(entry)


def _entry_inputs(entry: Entry) -> Iterator[tuple[str, bytes]]:
    body = entry.body
    if isinstance(body, Assistant) and not isinstance(body.message.content, str):
        for block in body.message.content:
            if isinstance(block, ToolUseBlock | ServerToolUseBlock | McpToolUseBlock):
                yield block.id, bytes(block.input)
    elif isinstance(body, ProgressRow):
        told = progress_entry(entry)
        if told is not None:
            yield from _entry_inputs(told)


def _content_texts(content: str | list[AnyBlock] | None) -> Iterator[str]:
    if content is None or isinstance(content, str):
        yield from (block.text for block in to_blocks(content))
    else:
        yield from map(_block_text, content)


def _block_text(block: AnyBlock) -> str:
    match block:
        case ToolUseBlock() | ServerToolUseBlock() | McpToolUseBlock():
            return input_text(bytes(block.input))
        case ToolResultBlock() | ServerToolResult():
            return joined_text(result_blocks(block.content))
        case _:
            return to_block(block).text


def input_text(raw: bytes) -> str:
    """A tool's arguments as text: their strings, without the JSON around them."""
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return raw.decode("utf-8", "replace")
    return "\n".join(_strings(value))


def _strings(value: Any) -> Iterator[str]:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            stack.extend(reversed(item.values()))
        elif isinstance(item, list):
            stack.extend(reversed(item))
        elif item is not None and not isinstance(item, bool):
            yield str(item)
