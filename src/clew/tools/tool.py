"""Tool: what is known of one tool, in one struct."""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import msgspec

from clew.conversation import ToolCall
from clew.parts import Part, Tone

# JSON knows one kind of number, and clients write some whole ones with a fraction.
Number: TypeAlias = int | float
ReadText: TypeAlias = Callable[[Any, str], object | None]
Label: TypeAlias = Callable[[Any, str], str]
Parts: TypeAlias = Callable[[Any, Any, ToolCall], Iterable[Part]]
CallState: TypeAlias = tuple[str, Tone]


class Tool(msgspec.Struct, frozen=True):
    """All that is known of one tool, found by any of its names.

    `read_text` takes the typed input and a result's text, and gives the typed result or None.
    `whole_input` names the field that takes the whole input, where its keys are free.
    `array_result` names the field that takes a result which is an array.
    `json_text` tells that the text of a result is its JSON.
    `label` takes the typed input and the working directory, and tells what the call acts on;
    `label_result` takes the typed result and that, and tells it where the input does not, or
    more of it.
    `parts` takes the typed input, the typed result or None, and the call. It shows the input,
    whether or not it came to a result, and the result; errors are shown by whoever asks.
    `state` takes the typed result, and says in a word or two what became of the call.
    """

    names: tuple[str, ...]
    input: type
    result: type
    parts: Parts
    label: Label | None = None
    label_result: Callable[[Any, str], str] | None = None
    state: Callable[[Any], CallState] | None = None
    read_text: ReadText | None = None
    whole_input: str = ""
    array_result: str = ""
    json_text: bool = False
