"""The flat dialect: `message` is a string, tool calls and results are rows of their own.

An early description of the format has it so. Mapped here to the shape of every other row. Results
carry no tool id: which call each of them answers is found in the conversation, and then written
into the row with `to_result`.
"""

import re
from typing import Any, Final

import msgspec

from clew.entries.blocks import ToolResultBlock
from clew.entries.row import Row
from clew.entries.system import System
from clew.entries.user import User, UserMessage

FLAT_ID: Final = "flat:"
"""How the ids of flat calls begin, and all of the id that a result has until it is paired."""

_FLAT_KEYS: Final = ("toolName", "toolArguments")
_TALK: Final = ("user", "assistant")
# Of what an assistant's subtype says, only this is not said by the shape of its blocks.
_KEPT_SUBTYPE: Final = "command"
_ERROR: Final = "error"
_RESULT_SUBTYPES: Final = (None, "", _ERROR)
# One word behind the slash, and no second slash: that would be a path.
_COMMAND: Final = re.compile(r"(/[A-Za-z][\w:.-]*)(?:\s+(.*))?", re.DOTALL)


def is_flat(record: dict[str, Any]) -> bool:
    """Return whether a record is of the flat dialect."""
    kind, message = record.get("type"), record.get("message")
    if kind == "compact_system":
        return True
    if kind == "system":
        return isinstance(message, str) or record.get("subtype") == "tool_result"
    if kind not in _TALK or isinstance(message, dict):
        return False
    return isinstance(message, str) or any(key in record for key in _FLAT_KEYS)


def unflatten(record: dict[str, Any]) -> dict[str, Any]:
    """Return the same record in the common shape."""
    kind, message = record.get("type"), record.get("message")
    text = message if isinstance(message, str) else ""
    rest = {key: value for key, value in record.items() if key not in ("message", *_FLAT_KEYS)}
    if kind == "user":
        return {**rest, "message": {"role": "user", "content": _typed(text)}}
    if kind == "assistant":
        return _assistant(rest, record, text)
    if kind == "compact_system":
        return {**rest, "type": "system", "subtype": "conversation_operation", "content": text}
    if record.get("subtype") == "tool_result":
        return _tool_result(rest, text)
    return _system(record, text)


def may_be_result(row: System) -> bool:
    """Return whether a system row is a result if it follows a call: a flat one without subtype."""
    is_flat_row = bytes(memoryview(row.message)[:1]) == b'"'
    return is_flat_row and bool(row.content) and not row.is_meta and row.subtype in _RESULT_SUBTYPES


def to_result(row: System | User, call_id: str) -> User:
    """Return a flat result as the row that answers a call."""
    if isinstance(row, User):
        blocks = [
            msgspec.structs.replace(block, tool_use_id=call_id)
            for block in row.message.content
            if isinstance(block, ToolResultBlock)
        ]
        message = msgspec.structs.replace(row.message, content=blocks)
        return msgspec.structs.replace(row, message=message)
    common = {name: getattr(row, name) for name in Row.__struct_fields__ if name != "type"}
    block = ToolResultBlock(call_id, row.message, True if row.level == _ERROR else row.is_error)
    message = UserMessage("user", [block])
    return User(type="user", message=message, level=row.level, **common)


def _typed(text: str) -> str:
    """Return what a person typed; a slash command in the tags that clients put around one."""
    command = _COMMAND.fullmatch(text.strip())
    if command is None:
        return text
    args = f"\n<command-args>{command[2]}</command-args>" if command[2] else ""
    return f"<command-name>{command[1]}</command-name>{args}"


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
                "id": f"{FLAT_ID}{record.get('uuid') or ''}",
                "name": record.get("toolName", ""),
                "input": record.get("toolArguments"),
            }
        )
    if subtype == _ERROR:
        rest["isApiErrorMessage"] = True
    elif subtype == _KEPT_SUBTYPE:
        rest["subtype"] = subtype
    return {**rest, "message": {"role": "assistant", "content": content}}


def _tool_result(rest: dict[str, Any], text: str) -> dict[str, Any]:
    rest.pop("subtype", None)
    is_error = rest.pop("isError", None)
    result = {
        "type": "tool_result",
        "tool_use_id": FLAT_ID,
        "content": text,
        "is_error": is_error,
    }
    row = {**rest, "type": "user", "message": {"role": "user", "content": [result]}}
    return {**row, **_level(is_error)}


def _system(record: dict[str, Any], text: str) -> dict[str, Any]:
    """Keep `message`, by which `may_be_result` knows the dialect."""
    is_error = record.get("isError") or record.get("subtype") == _ERROR
    return {**record, "content": text, **_level(is_error)}


def _level(is_error: Any) -> dict[str, str]:
    return {"level": _ERROR} if is_error is True else {}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
