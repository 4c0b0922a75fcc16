"""How many characters a message adds to each part of the context.

Positions in a vector are those of `PARTS`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from clew.analytics import PARTS
from clew.conversation import Block, Message, ToolCall

Vector: TypeAlias = tuple[int, ...]

NAMES: Final = tuple(PARTS)
NOTHING: Final[Vector] = (0,) * len(NAMES)
_READERS: Final = ("Read", "NotebookRead")
_SPOKEN: Final = ("prompt", "steering", "command", "bash_input", "memory", "interrupt")
_UNSENT: Final = ("system", "api_error", "unsent", "unknown", "hook")
# A picture takes some 1,500 tokens, whatever its bytes; a token has some four characters.
_PICTURE: Final = 6_000
_SUMMARY: Final = "This session is being continued from a previous conversation"
_REMINDER: Final = "<system-reminder>"


def add(one: Vector, other: Vector) -> Vector:
    """Add what two messages have."""
    return tuple(map(int.__add__, one, other))


def vector(**characters: int) -> Vector:
    """Make a vector of some parts."""
    return tuple(characters.get(name, 0) for name in NAMES)


def part_of_result(tool: str) -> str:
    """Return the part that a tool's results belong to."""
    return "files" if tool in _READERS else "results"


def measure_message(message: Message, calls: Mapping[str, ToolCall]) -> Vector:
    """Measure a message of a conversation."""
    if message.kind in _UNSENT or (message.is_transcript_only and not _is_summary(message)):
        return NOTHING
    found: dict[str, int] = {}
    for block in message.blocks:
        part, size = _measure_block(block, message, calls)
        found[part] = found.get(part, 0) + size
    if not message.blocks and message.text:
        found[_spoken_part(message)] = len(message.text)
    return vector(**found)


def _is_summary(message: Message) -> bool:
    return message.kind == "compaction_summary"


def _measure_block(
    block: Block, message: Message, calls: Mapping[str, ToolCall]
) -> tuple[str, int]:
    call = calls.get(block.tool_call_id or "")
    match block.kind:
        case "tool_use":
            size = len(bytes(call.input)) if call is not None else 0
            return "answers", len(block.text) + size
        case "tool_result":
            pictures = _count_pictures(() if call is None else call.result_blocks)
            part = part_of_result("" if call is None else call.tool)
            return part, len(block.text) + _PICTURE * pictures
        case "thinking":
            return "thinking", len(block.text) or len(block.signature or "")
        case "image" | "document":
            return _spoken_part(message), _PICTURE
        case _:
            return _spoken_part(message), len(block.text)


def _count_pictures(blocks: Iterable[Block]) -> int:
    return sum(block.kind in ("image", "document") for block in blocks)


def _spoken_part(message: Message) -> str:
    if message.role == "assistant":
        return "answers"
    if _is_summary(message):
        return "summary"
    return "prompts" if message.kind in _SPOKEN and not message.is_meta else "injected"


def measure_sent(message: Mapping[str, Any], tools: Mapping[str, str]) -> Vector:
    """Measure a message as it was sent; `tools` are the names of tools by the ids of calls."""
    role, content = message.get("role"), message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    found: dict[str, int] = {}
    for block in blocks if isinstance(blocks, list) else ():
        if isinstance(block, dict):
            part, size = _measure_sent_block(block, str(role), tools)
            found[part] = found.get(part, 0) + size
    return vector(**found)


def _measure_sent_block(
    block: Mapping[str, Any], role: str, tools: Mapping[str, str]
) -> tuple[str, int]:
    match block:
        case {"type": "tool_result"}:
            tool = tools.get(str(block.get("tool_use_id")), "")
            return part_of_result(tool), _size(block.get("content"))
        case {"type": "tool_use" | "server_tool_use" | "mcp_tool_use"}:
            return "answers", _size(block.get("input")) + len(str(block.get("name", "")))
        case {"type": "thinking" | "redacted_thinking"}:
            texts = (block.get("thinking"), block.get("signature"), block.get("data"))
            return "thinking", next((len(t) for t in texts if isinstance(t, str) and t), 0)
        case {"type": "image" | "document"}:
            return "prompts", _PICTURE
        case {"type": "text", "text": str(text)}:
            return _part_of_text(text, role), len(text)
        case _:
            return "injected", _size(dict(block))


def _part_of_text(text: str, role: str) -> str:
    if role == "assistant":
        return "answers"
    if role == "system":
        return "system"
    if text.startswith(_SUMMARY):
        return "summary"
    return "injected" if text.lstrip().startswith(_REMINDER) else "prompts"


def _size(value: Any) -> int:
    """Count the characters of a value, however it is nested."""
    match value:
        case str():
            return len(value)
        case {"type": "image" | "document"}:
            return _PICTURE
        case dict():
            return sum(len(str(name)) + 4 + _size(inner) for name, inner in value.items())
        case list():
            return sum(map(_size, value))
        case None:
            return 0
        case _:
            return len(str(value))
