"""Content blocks inside a result."""

from typing import Any

import msgspec


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
