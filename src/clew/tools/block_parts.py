"""How the blocks of a result show: text, pictures, documents, links, and what nobody knows."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from clew.conversation import Block
from clew.parts import Document, Image, Link, Links, Part
from clew.tools.blocks import ResultBlock
from clew.tools.leftover import texts_of
from clew.tools.pieces import encoded, facts, json, text_of_any_kind

_PDF: Final = "application/pdf"


class _FoundPage(msgspec.Struct, frozen=True, tag="web_search_result"):
    """A page that a search at the provider found, without the content that only it can read."""

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
    """Show the blocks that are kept as JSON, but for those whose words are shown already."""
    kept = [block.data.encode() for block in blocks if block.kind == "other" and block.data]
    shown = "\n".join(texts_of(parts)) if kept else ""
    for raw in kept:
        page = _found_page(raw)
        texts = [*_strings(raw)]
        if page is not None:
            yield Links((Link(page.url, page.title, page.page_age or ""),))
        elif not texts or not all(text in shown for text in texts):
            yield json(raw)


def _found_page(raw: bytes) -> _FoundPage | None:
    try:
        return msgspec.json.decode(raw, type=_FoundPage)
    except (ValueError, RecursionError):
        return None


def _result_part(block: ResultBlock) -> Iterator[Part]:
    match block.type:
        case "text":
            yield from text_of_any_kind(block.text)
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
            yield from facts(
                ("block", block.type),
                ("tool", block.tool_name),
                ("address", block.uri),
                ("name", block.name or block.title),
                ("type", block.mime_type),
            )
            yield from text_of_any_kind(block.text)
            yield from encoded(block.resource)


def _strings(raw: bytes) -> Iterator[str]:
    """Give all strings in a JSON value that are no keys."""
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
