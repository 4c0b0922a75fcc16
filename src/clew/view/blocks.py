"""Blocks of a message → parts."""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from clew.conversation import Block, Message
from clew.parts import Code, Document, Fold, Image, Output, Part, Prose
from clew.view.labels import field_label

_UNREADABLE: Final = (msgspec.MsgspecError, UnicodeError, RecursionError)


def block_parts(blocks: Iterable[Block]) -> Iterator[Part]:
    """Show blocks in full, without tool calls and their results."""
    for block in blocks:
        yield from block_part(block)


def block_part(block: Block) -> Iterator[Part]:
    """Show a block that is no thinking and no call."""
    match block.kind:
        case "text":
            if block.text.strip():
                yield Prose(block.text)
        case "image" | "document":
            yield _picture(block)
        case "tool_result":
            if block.text:
                yield Output(block.text, "result")
            if block.data:
                yield Fold("Result", (Code(format_json(block.data), "json"),))
        case "tool_use" | "thinking":
            return
        case _:
            raw = format_json(block.data) if block.data else block.text
            yield Fold(field_label(block.text or block.kind), (Code(raw, "json"),))


def variant_parts(message: Message) -> Iterator[Part]:
    """Show what other rows with the same uuid say, each below a title of its own."""
    for variant in message.variants:
        name = ", ".join(filter(None, ("Other version of this entry", variant.model)))
        yield Fold(name, tuple(block_parts(map(_as_text, variant.blocks))))


def _as_text(block: Block) -> Block:
    return Block("text", block.text) if block.kind == "thinking" else block


def format_json(text: str) -> str:
    """Return JSON one member a line; what is none comes back as it is."""
    try:
        return msgspec.json.format(text, indent=2)
    except _UNREADABLE:
        return text


def _picture(block: Block) -> Part:
    kind = block.media_type or ""
    if block.kind == "image":
        return Image(kind, block.data or "", block.text, size_bytes=block.size_bytes)
    return Document(kind, block.text, block.data or "", block.size_bytes)
