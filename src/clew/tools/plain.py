"""What nobody has a type for, kept as it is.

A tool's name can be any text that a model made up, and a known tool can be called with
anything: both end here, with all they hold.
"""

from typing import Any, Final

import msgspec

from clew.tools.tool import Tool


class PlainInput(msgspec.Struct, frozen=True):
    """An input without a type: its JSON, and why it fits no struct."""

    value: Any
    problem: str = ""


class PlainResult(msgspec.Struct, frozen=True):
    """A result without a type: its JSON if it has any, its text, and why it fits no struct."""

    value: Any
    text: str = ""
    problem: str = ""


PLAIN: Final = Tool(names=(), input=PlainInput, result=PlainResult)


def keep_input(raw: bytes, problem: str = "") -> PlainInput:
    """Keep an input as it is."""
    return PlainInput(_json_or_text(raw), problem)


def keep_result(raw: bytes, text: str, problem: str = "") -> PlainResult:
    """Keep a result as it is; no bytes stand for no JSON."""
    return PlainResult(_json_or_text(raw) if raw else None, text, problem)


def _json_or_text(raw: bytes) -> object:
    try:
        return msgspec.json.decode(raw)
    except (ValueError, RecursionError):
        return raw.decode("utf-8", "backslashreplace")
