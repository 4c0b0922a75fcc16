"""Batch: several calls in one, as the oldest clients had it."""

from typing import Any, Final

import msgspec

from clew.tools.tool import Number, Tool


class Invocation(msgspec.Struct, frozen=True):
    """One of the calls."""

    tool_name: str
    input: Any = None


class BatchInput(msgspec.Struct, frozen=True):
    """The calls, in order."""

    invocations: tuple[Invocation, ...] | str
    description: str = ""


class BatchToolResult(msgspec.Struct, frozen=True):
    """The message that answered one of the calls."""

    key: str = ""
    message: Any = None


class BatchResult(msgspec.Struct, frozen=True, rename="camel"):
    """What the calls gave, in order, as messages of their own."""

    ordered_tool_results: tuple[BatchToolResult, ...]
    normalized_messages: tuple[Any, ...] = ()
    resolved_invocations: Any = None
    total_duration_ms: Number | None = None
    total_tokens: Number | None = None
    total_tool_calls: Number | None = None


BATCH: Final = Tool(names=("Batch",), input=BatchInput, result=BatchResult)
