"""Raw JSON of a call → typed input and typed result."""

from functools import cache
from typing import Any, Final

import msgspec

from clew.tools.fallback import UntypedInput, UntypedResult, untyped_input, untyped_result
from clew.tools.registry import find_tool
from clew.tools.result_text import split_reminders, without_reminders
from clew.tools.tool import Tool
from clew.tools.tool_errors import read_error

_DONE: Final = "done"
_REMINDERS: Final = "reminders"


def decode_input(name: str, raw: bytes) -> object:
    """Decode the input of a tool use; one that fits no struct stays untyped.

    Models write some numbers and booleans as strings, which are converted.
    """
    tool = find_tool(name)
    if tool.input is UntypedInput:
        return untyped_input(raw)
    try:
        if tool.whole_input:
            return msgspec.convert({tool.whole_input: msgspec.json.decode(raw)}, tool.input)
        return _decode(raw, tool.input, strict=False)
    except _errors(tool) as error:
        return untyped_input(raw, str(error))


def decode_result(
    name: str, raw: bytes, text: str, arguments: object, *, status: str = _DONE
) -> object:
    """Decode the result of a call: its tool's struct, a `ToolError` or an `UntypedResult`.

    Args:
        name: The tool's name.
        raw: JSON of `toolUseResult`; empty or `null` where there is none. The result's own
            blocks replace it where a tool answers in blocks (MCP tools, ToolSearch).
        text: The text of the result's content.
        arguments: The input, from `decode_input`.
        status: The status of the call.
    """
    result = _decode_any(find_tool(name), raw.strip(), text, arguments, status)
    return _with_reminders(result, text)


def _decode_any(tool: Tool, json: bytes, text: str, arguments: object, status: str) -> object:
    if json in (b"", b"null"):
        if status != _DONE:
            return read_error(text, status=status)
        return _read_text(tool, text, arguments) or untyped_result(b"", text)
    if json.startswith(b'"'):
        return _decode_string(tool, json, text, arguments, status)
    if tool.result is UntypedResult:
        return untyped_result(json, text)
    if tool.package and json.startswith(b"[") and not tool.array_result:
        # Clients write the result of an MCP tool as blocks, which say no more than their text.
        return _read_text(tool, text, arguments) or untyped_result(json, text)
    try:
        return _decode_result(tool, json)
    except _errors(tool) as error:
        return untyped_result(json, text, str(error))


def _with_reminders(result: object, text: str) -> object:
    """Add the reminders below a result's text, where its type has a field for them."""
    if isinstance(result, msgspec.Struct) and _REMINDERS in result.__struct_fields__:
        reminders = split_reminders(text)[1]
        if reminders:
            return msgspec.structs.replace(result, **{_REMINDERS: reminders})
    return result


def _decode_string(tool: Tool, json: bytes, text: str, arguments: object, status: str) -> object:
    try:
        string = msgspec.json.decode(json, type=str)
    except _errors(tool) as error:
        return untyped_result(json, text, str(error))
    if status != _DONE:
        return read_error(text, string, status)
    return _read_text(tool, string, arguments) or untyped_result(json, text)


def _read_text(tool: Tool, text: str, arguments: object) -> object | None:
    if tool.json_text:
        try:
            return _decode_result(tool, without_reminders(text).encode())
        except _errors(tool):
            return None
    if tool.read_text is None or not isinstance(arguments, tool.input):
        return None
    return tool.read_text(arguments, without_reminders(text))


def _decode_result(tool: Tool, json: bytes) -> object:
    if tool.array_result and json.startswith(b"["):
        return msgspec.convert({tool.array_result: msgspec.json.decode(json)}, tool.result)
    return _decode(json, tool.result, strict=True)


def _decode(json: bytes, struct: type, *, strict: bool) -> object:
    try:
        return _decoder(struct, strict=strict).decode(json)
    except msgspec.ValidationError:
        # A field that may be absent may as well be null.
        value = _without_nulls(msgspec.json.decode(json))
        return msgspec.convert(value, struct, strict=strict)


def _errors(tool: Tool) -> tuple[type[Exception], ...]:
    """Name the errors to expect of bad data; the structs of a plug-in may raise others."""
    return (Exception,) if tool.package else (ValueError, RecursionError)


@cache
def _decoder(struct: type, *, strict: bool) -> msgspec.json.Decoder[object]:
    return msgspec.json.Decoder(struct, strict=strict)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    return value
