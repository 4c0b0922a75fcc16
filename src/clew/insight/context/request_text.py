"""The text of a message as it was sent, for people to read."""

import json
from collections.abc import Mapping
from typing import Any


def message_text(message: Mapping[str, Any]) -> str:
    """Return the text of all blocks of a message."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(map(block_text, content)) if isinstance(content, list) else ""


def block_text(block: Any) -> str:
    """Return the text of a block, or all of another one as JSON."""
    match block:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": "thinking", "thinking": str(text)}:
            return f"[thinking] {text}"
        case {"type": "image" | "document" as kind, "source": {"media_type": str(media)}}:
            return f"[{kind}: {media}]"
        case {"type": "tool_use", "name": name, "input": given}:
            return f"[tool_use {name}] {json.dumps(given, ensure_ascii=False)}"
        case {"type": "tool_result"}:
            return f"[tool_result] {message_text(block)}"
        case _:
            return json.dumps(block, ensure_ascii=False)
