"""Tool: all that clew knows of one tool, in one struct."""

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
    """One tool: how its input and result decode, and how a call is labelled and shown.

    `parts` takes the typed input, the typed result or None, and the call. It shows the input and,
    where there is one, the result. Errors are shown for it.
    `label` takes the typed input and the working directory, and describes the call in one line.
    `label_result` takes the typed result and that label, and returns a better one.
    `state` takes the typed result, and says in a word or two how the call ended.
    `read_text` takes the typed input and the text of a result that is text alone, and returns the
    typed result or None.
    `whole_input` names the field for the whole input, where its keys are free.
    `array_result` names the field for a result that is an array.
    `json_text` means that the text of a result is its JSON.
    `asks_person` means that the tool does nothing but wait for a person's answer.
    `package` is the package that added the tool; clew sets it.
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
    asks_person: bool = False
    package: str = ""
