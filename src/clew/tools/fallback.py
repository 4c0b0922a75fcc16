"""The fallback for calls without a type: unknown tools, and inputs that fit no struct.

A model can make up any name and any arguments, so all of their JSON is shown.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Fold, Part
from clew.tools.display import formatted_text, input_fields, json_value, short_path
from clew.tools.result_text import without_reminders
from clew.tools.tool import Tool

_SHORT_ARGUMENT: Final = 200
# The argument that most likely says what a call is about, in order of preference.
_MAIN_ARGUMENTS: Final = (
    "query",
    "url",
    "path",
    "file_path",
    "command",
    "title",
    "name",
    "element",
    "text",
    "id",
)


class UntypedInput(msgspec.Struct, frozen=True):
    """An input without a type: its JSON, and why it fits no struct."""

    value: Any
    problem: str = ""


class UntypedResult(msgspec.Struct, frozen=True):
    """A result without a type: its JSON if it has any, its text, and why it fits no struct."""

    value: Any
    text: str = ""
    problem: str = ""


def untyped_input(raw: bytes, problem: str = "") -> UntypedInput:
    """Decode an input as plain JSON."""
    return UntypedInput(_json_or_text(raw), problem)


def untyped_result(raw: bytes, text: str, problem: str = "") -> UntypedResult:
    """Decode a result as plain JSON; no bytes mean no JSON."""
    return UntypedResult(_json_or_text(raw) if raw else None, text, problem)


def untyped_label(plain: UntypedInput, cwd: str) -> str:
    """Return the main argument."""
    return short_path(main_argument(plain.value), cwd)


def main_argument(value: object) -> str:
    """Return the argument that most likely says what a call is about, else the first short text."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        return ""
    texts = {key: text for key, text in value.items() if isinstance(text, str) and text.strip()}
    preferred = [texts[name] for name in _MAIN_ARGUMENTS if name in texts]
    short = [text for text in texts.values() if len(text) <= _SHORT_ARGUMENT]
    return next(iter((*preferred, *short)), "")


def untyped_parts(_plain: object, result: UntypedResult | None, call: ToolCall) -> Iterator[Part]:
    """Show all of the input and all of the result."""
    yield from input_fields(call)
    if result is not None:
        yield from untyped_result_parts(result)


def untyped_result_parts(result: UntypedResult) -> Iterator[Part]:
    """Show the text, or the JSON where there is none; JSON beside a text is folded."""
    text = without_reminders(result.text)
    yield from formatted_text(text)
    if isinstance(result.value, str):
        if not text:
            yield from formatted_text(result.value)
    elif result.value is not None:
        json = tuple(json_value(result.value))
        yield from (Fold("Result as JSON", json),) if text else json


def _json_or_text(raw: bytes) -> object:
    try:
        return msgspec.json.decode(raw)
    except (ValueError, RecursionError):
        return raw.decode("utf-8", "backslashreplace")


FALLBACK: Final = Tool(
    names=(), input=UntypedInput, result=UntypedResult, label=untyped_label, parts=untyped_parts
)
