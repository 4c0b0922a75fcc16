"""Tool: what is known of one tool, in one struct."""

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

# JSON knows one kind of number, and clients write some whole ones with a fraction.
Number: TypeAlias = int | float

ReadText: TypeAlias = Callable[[Any, str], object | None]


class Tool(msgspec.Struct, frozen=True):
    """All that is known of one tool, found by any of its names.

    `read_text` takes the typed input and a result's text, and gives the typed result or None.
    `whole_input` names the field that takes the whole input, where its keys are free.
    `array_result` names the field that takes a result which is an array.
    `json_text` tells that the text of a result is its JSON.
    `answers_in_text` tells that a string is an ordinary result, not an error.
    """

    names: tuple[str, ...]
    input: type
    result: type
    read_text: ReadText | None = None
    whole_input: str = ""
    array_result: str = ""
    json_text: bool = False
    answers_in_text: bool = False
