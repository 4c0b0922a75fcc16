"""Content blocks of a result, and the parts that show them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from clew.conversation import Block
from clew.parts import Document, Image, Link, Links, Part
from clew.tools.display.builders import fields, formatted_text, json_code, json_value
from clew.tools.display.unshown_text import part_texts

_PDF: Final = "application/pdf"


class ImageSource(msgspec.Struct, frozen=True):
    """Where an image or a document comes from: its data, or its address."""

    type: str
    media_type: str = ""
    data: str = ""
    url: str = ""


class ResultBlock(msgspec.Struct, frozen=True):
    """One block of a result: text, image, resource, link or tool reference, by `type`."""

    type: str
    text: str = ""
    source: ImageSource | None = None
    tool_name: str = ""
    data: str = ""
    mime_type: str = msgspec.field(default="", name="mimeType")
    uri: str = ""
    name: str = ""
    title: str = ""
    description: str = ""
    resource: Any = None
    citations: Any = None
    annotations: Any = None
    meta: Any = msgspec.field(default=None, name="_meta")


def text_block(text: str) -> ResultBlock:
    """Make a block of text."""
    return ResultBlock("text", text)


class _FoundPage(msgspec.Struct, frozen=True, tag="web_search_result"):
    """A page found by the provider's web search, without its encrypted content."""

    url: str
    title: str = ""
    page_age: str | None = None


def result_parts(blocks: Iterable[ResultBlock]) -> Iterator[Part]:
    """Show the blocks of a typed result, in order."""
    for block in blocks:
        yield from _result_part(block)


def pictures(blocks: Iterable[Block]) -> Iterator[Part]:
    """Show the pictures and documents among a conversation's blocks."""
    for block in blocks:
        data, media_type = block.data or "", block.media_type or ""
        if block.kind == "image":
            yield Image(media_type, data, "" if data else block.text, size_bytes=block.size_bytes)
        elif block.kind == "document":
            yield Document(media_type, block.text, data, block.size_bytes)


def unknown_blocks(blocks: Iterable[Block], parts: Sequence[Part]) -> Iterator[Part]:
    """Show the blocks of unknown types as JSON, unless their text is already shown."""
    unknown = [block.data.encode() for block in blocks if block.kind == "other" and block.data]
    shown = "\n".join(part_texts(parts)) if unknown else ""
    for raw in unknown:
        page = _found_page(raw)
        texts = [*_strings(raw)]
        if page is not None:
            yield Links((Link(page.url, page.title, page.page_age or ""),))
        elif not texts or not all(text in shown for text in texts):
            yield json_code(raw)


def _found_page(raw: bytes) -> _FoundPage | None:
    try:
        return msgspec.json.decode(raw, type=_FoundPage)
    except (ValueError, RecursionError):
        return None


def _result_part(block: ResultBlock) -> Iterator[Part]:
    match block.type:
        case "text":
            yield from formatted_text(block.text)
        case "image":
            source = block.source
            media_type = block.mime_type or (source.media_type if source else "")
            data = block.data or (source.data if source else "")
            yield Image(media_type, data, source.url if source else "")
        case "document":
            source = block.source
            name = block.title or block.name
            yield Document(
                source.media_type if source else _PDF, name, source.data if source else ""
            )
        case "resource_link":
            yield Links((Link(block.uri, block.title or block.name, block.description),))
        case _:
            yield from fields(
                ("Block type", block.type),
                ("Tool", block.tool_name),
                ("URI", block.uri),
                ("Name", block.name or block.title),
                ("Type", block.mime_type),
            )
            yield from formatted_text(block.text)
            yield from json_value(block.resource)


def _strings(raw: bytes) -> Iterator[str]:
    """List all strings in a JSON value, except keys and types."""
    try:
        values = [msgspec.json.decode(raw)]
    except (ValueError, RecursionError):
        yield raw.decode("utf-8", "backslashreplace")
        return
    while values:
        value = values.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            values += (item for key, item in value.items() if key != "type")
        elif isinstance(value, list):
            values += value
