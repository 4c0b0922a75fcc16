"""StructuredOutput: the answer as JSON of a shape that the caller asked for."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Part
from clew.tools.pieces import json, words
from clew.tools.tool import Tool


class StructuredOutputInput(msgspec.Struct, frozen=True):
    """The answer; its keys are the caller's."""

    output: Any


class StructuredOutputResult(msgspec.Struct, frozen=True):
    """What the model was told."""

    message: str


def read_text(_arguments: object, text: str) -> StructuredOutputResult:
    """Take the text as the message."""
    return StructuredOutputResult(text)


def parts(_answer: object, result: StructuredOutputResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the answer as JSON."""
    yield json(bytes(call.input))
    if result is not None:
        yield from words(result.message)


STRUCTURED_OUTPUT: Final = Tool(
    names=("StructuredOutput",),
    input=StructuredOutputInput,
    result=StructuredOutputResult,
    parts=parts,
    read_text=read_text,
    whole_input="output",
)
