"""Blocks of entries → blocks of messages."""

import base64
import binascii

import msgspec

from clew.conversation.model import Block
from clew.entries import (
    AnyBlock,
    Assistant,
    DocumentBlock,
    ImageBlock,
    McpToolUseBlock,
    OtherBlock,
    RedactedThinkingBlock,
    ServerToolResult,
    ServerToolUseBlock,
    TextBlock,
    ThinkingBlock,
    ToolReferenceBlock,
    ToolResultBlock,
    ToolUseBlock,
    result_blocks,
)


def to_blocks(content: str | list[AnyBlock] | None) -> tuple[Block, ...]:
    """Return a content's blocks; a string is one text block, an empty one none."""
    if isinstance(content, str):
        return (Block("text", content),) if content else ()
    return tuple(to_block(block) for block in content or ())


def to_block(block: AnyBlock) -> Block:
    """Return one block in the conversation's own shape."""
    match block:
        case ToolResultBlock():
            text = joined_text(result_blocks(block.content))
            return Block("tool_result", text, block.tool_use_id)
        case ToolUseBlock():
            caller = block.caller.type if block.caller else None
            return Block("tool_use", block.name, block.id, caller)
        case TextBlock():
            return Block("text", block.text)
        case ThinkingBlock():
            return Block("thinking", block.thinking, signature=block.signature or None)
        case RedactedThinkingBlock():
            return Block("thinking", signature=block.data)
        case ImageBlock() | DocumentBlock():
            return _picture(block)
        case ServerToolUseBlock() | McpToolUseBlock():
            return Block("tool_use", block.name, block.id, "server")
        case ToolReferenceBlock():
            return Block("other", block.tool_name, data=block_json(block))
        case ServerToolResult():
            return Block("tool_result", "", block.tool_use_id, "server", data=block_json(block))
        case OtherBlock():
            return Block("other", block.kind, data=_text(block.value))
        case _:
            return Block("other", str(block.__struct_config__.tag), data=block_json(block))


def joined_text(blocks: list[AnyBlock]) -> str:
    """Join the texts of blocks; a tool that was found counts by its name."""
    if len(blocks) == 1 and isinstance(blocks[0], TextBlock):
        return blocks[0].text
    return "\n".join(
        block.text if isinstance(block, TextBlock) else block.tool_name
        for block in blocks
        if isinstance(block, TextBlock | ToolReferenceBlock)
    )


def _picture(block: ImageBlock | DocumentBlock) -> Block:
    kind = "image" if isinstance(block, ImageBlock) else "document"
    source = block.source
    if source is None:
        return Block(kind)
    text = source.url or ("" if isinstance(block, ImageBlock) else block.title or "")
    return Block(
        kind,
        text,
        media_type=source.media_type or None,
        size_bytes=_decoded_size(source.data),
        data=source.data or None,
    )


def _decoded_size(data: str) -> int:
    """The number of bytes that base64 encodes; text counts as it is."""
    try:
        padding = len(data) - len(data.rstrip("="))
        base64.b64decode(data[-4:], validate=True)
    except (binascii.Error, ValueError):
        return len(data)
    return len(data) * 3 // 4 - padding


def block_json(block: msgspec.Struct) -> str:
    """Return a block as its JSON."""
    return msgspec.json.encode(block).decode()


def _text(value: msgspec.Raw) -> str:
    return bytes(value).decode("utf-8", "replace")


def answer_blocks(body: Assistant) -> list[AnyBlock]:
    """Return the blocks of an answer's fragment; a string is one text block, an empty one none."""
    content = body.message.content
    if isinstance(content, str):
        return [TextBlock(text=content)] if content else []
    return content


def block_identity(block: msgspec.Struct, body: Assistant) -> tuple[object, ...]:
    """Two blocks are one if they have the same content and, if known, the same index."""
    match block:
        case ToolUseBlock():
            return ("tool_use", block.id or (body.uuid, block.name, bytes(block.input)))
        case TextBlock():
            return ("text", block.text, body.api_block_index)
        case ThinkingBlock():
            return ("thinking", block.thinking, block.signature, body.api_block_index)
        case _:
            return (type(block).__name__, msgspec.json.encode(block), body.api_block_index)


def block_identities(body: Assistant) -> list[tuple[object, ...]]:
    """Return what a fragment contains, wherever in the answer it is."""
    return [block_identity(block, body)[:2] for block in answer_blocks(body)]
