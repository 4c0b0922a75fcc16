"""The pieces that messages are made of."""

import base64
from typing import Any, Final

Block = dict[str, Any]

# The smallest picture: one transparent pixel.
PIXEL: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def text(words: str) -> Block:
    """Make a block of text."""
    return {"type": "text", "text": words}


def thinking(words: str = "", signature: str | None = None) -> Block:
    """Make a thinking block; newer models leave its words out. The builder signs it."""
    return {"type": "thinking", "thinking": words, "signature": signature}


def tool_use(tool: str, arguments: dict[str, Any], call_id: str | None = None) -> Block:
    """Make a tool use without a result; the builder gives it an id."""
    return {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}


def image(data: bytes = PIXEL, media_type: str = "image/png") -> Block:
    """Make a picture."""
    return {"type": "image", "source": _base64(data, media_type)}


def document(data: bytes, media_type: str = "application/pdf") -> Block:
    """Make a document."""
    return {"type": "document", "source": _base64(data, media_type)}


def as_blocks(content: tuple[str | Block, ...]) -> list[Block]:
    """Read bare strings as text."""
    return [text(piece) if isinstance(piece, str) else piece for piece in content]


def _base64(data: bytes, media_type: str) -> Block:
    return {"type": "base64", "media_type": media_type, "data": base64.b64encode(data).decode()}
