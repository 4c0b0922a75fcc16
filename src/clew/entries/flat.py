"""The flat dialect: `message` is a string, tool calls and results are rows of their own.

An early description of the format has it so. Mapped here to the shape of every other row, so that
nothing downstream knows of it. Results carry no tool id: they answer the row they hang on.
"""

from typing import Any, Final

_FLAT_KEYS: Final = ("toolName", "toolArguments")
_TALK: Final = ("user", "assistant")


def is_flat(record: dict[str, Any]) -> bool:
    """Tell whether a record is of the flat dialect."""
    kind, message = record.get("type"), record.get("message")
    if kind == "compact_system":
        return True
    if kind == "system":
        return isinstance(message, str) or record.get("subtype") == "tool_result"
    if kind not in _TALK or isinstance(message, dict):
        return False
    return isinstance(message, str) or any(key in record for key in _FLAT_KEYS)


def unflatten(record: dict[str, Any]) -> dict[str, Any]:
    """Give the same record in the common shape."""
    kind, message = record.get("type"), record.get("message")
    text = message if isinstance(message, str) else ""
    rest = {key: value for key, value in record.items() if key not in ("message", *_FLAT_KEYS)}
    if kind == "user":
        return {**rest, "message": {"role": "user", "content": text}}
    if kind == "assistant":
        return _assistant(rest, record, text)
    if kind == "compact_system":
        return {**rest, "type": "system", "subtype": "conversation_operation", "content": text}
    if record.get("subtype") == "tool_result":
        return _tool_result(rest, text)
    return {**rest, "content": text}


def _assistant(rest: dict[str, Any], record: dict[str, Any], text: str) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    subtype = rest.pop("subtype", "")
    if text:
        block = {"type": "thinking", "thinking": text} if subtype == "thinking" else _text(text)
        content.append(block)
    if "toolName" in record or "toolArguments" in record:
        content.append(
            {
                "type": "tool_use",
                "id": f"flat:{record.get('uuid', '')}",
                "name": record.get("toolName", ""),
                "input": record.get("toolArguments"),
            }
        )
    if subtype == "error":
        rest["isApiErrorMessage"] = True
    message_id = f"flat:{record.get('uuid', '')}"
    return {**rest, "message": {"id": message_id, "role": "assistant", "content": content}}


def _tool_result(rest: dict[str, Any], text: str) -> dict[str, Any]:
    rest.pop("subtype", None)
    result = {
        "type": "tool_result",
        "tool_use_id": f"flat:{rest.get('parentUuid') or ''}",
        "content": text,
        "is_error": bool(rest.pop("isError", False)),
    }
    return {**rest, "type": "user", "message": {"role": "user", "content": [result]}}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
