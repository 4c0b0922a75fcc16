"""Calls as tests open them."""

from typing import Any

import msgspec

from clew.conversation import Block, ToolCall
from clew.parts import Fold, Part
from clew.tools import call_parts, call_state, decode_call


def call_of(
    tool: str, arguments: object, result: object = None, text: str = "", **fields: Any
) -> ToolCall:
    """Make a call that is done; a result of None stands for one without JSON."""
    return ToolCall(
        id="call",
        tool=tool,
        message_id="message",
        input=msgspec.Raw(msgspec.json.encode(arguments)),
        result=msgspec.Raw(msgspec.json.encode(result)),
        result_text=text,
        **{"status": "done", "result_blocks": (Block("text", text),) if text else (), **fields},
    )


def opened(
    tool: str, arguments: object, result: object = None, text: str = "", **fields: Any
) -> list[Part]:
    """Open a call; what only the model was told is left out."""
    shown = open_call(call_of(tool, arguments, result, text, **fields))
    return [part for part in shown if not (isinstance(part, Fold) and part.is_meta)]


def open_call(call: ToolCall, cwd: str = "") -> tuple[Part, ...]:
    """Open a call with all that it shows."""
    return call_parts(call, *decode_call(call), cwd)


def state_of(
    tool: str, arguments: object, result: object = None, text: str = "", **fields: Any
) -> tuple[str, str]:
    """Tell how a call stands."""
    call = call_of(tool, arguments, result, text, **fields)
    return call_state(call, *decode_call(call))
