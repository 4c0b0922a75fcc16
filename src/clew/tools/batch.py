"""Batch: several calls in one, as the oldest clients had it."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Fold, Part
from clew.tools.pieces import encoded, facts, options
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


def label(batch: BatchInput, _cwd: str) -> str:
    """Tell what the calls are for, or name their tools."""
    if batch.description or isinstance(batch.invocations, str):
        return batch.description
    return ", ".join(invocation.tool_name for invocation in batch.invocations)


def parts(batch: BatchInput, result: BatchResult | None, call: ToolCall) -> Iterator[Part]:
    """Show each call with its input and its answer."""
    if isinstance(batch.invocations, str):
        yield from options(call)
        return
    yield from options(call, "invocations", "description")
    answers = () if result is None else result.ordered_tool_results
    for number, invocation in enumerate(batch.invocations):
        answer = answers[number].message if number < len(answers) else None
        inner = (*encoded(invocation.input), *encoded(answer))
        yield Fold(invocation.tool_name, inner, is_open=True)
    for answer in answers[len(batch.invocations) :]:
        yield from encoded(answer.message)
    if result is not None:
        yield from facts(("calls", result.total_tool_calls), ("tokens", result.total_tokens))


BATCH: Final = Tool(
    names=("Batch",), input=BatchInput, result=BatchResult, label=label, parts=parts
)
