"""A tool call opened: what shows of its input, of its result, and of what went wrong."""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from clew.conversation import Block, ToolCall
from clew.parts import Code, Diff, Document, Fields, Fold, Image, Note, Output, Part, Tone, Words
from clew.tools.decode import decode_input, decode_result
from clew.tools.display import (
    allowed,
    find_unshown_lines,
    full_output,
    model_text,
    pictures,
    short_path,
    unknown_blocks,
)
from clew.tools.fallback import UntypedResult, untyped_parts, untyped_result_parts
from clew.tools.labels import label
from clew.tools.registry import find_tool
from clew.tools.result_text import find_persisted, split_reminders
from clew.tools.tool import CallState
from clew.tools.tool_errors import ToolError, error_parts, error_state

# Values that mean nothing without the name before them.
_WITHOUT_NAME: Final = ("true", "false", "null", "yes")
_SHORTEST_WORD: Final = 3
_BACKGROUND: Final = "background"


def decode_call(call: ToolCall) -> tuple[object, object]:
    """Give the typed input and the typed result of a call; one that is pending has no result."""
    arguments = decode_input(call.tool, bytes(call.input))
    if call.status == "pending":
        return arguments, None
    raw, text = bytes(call.result), call.result_text
    return arguments, decode_result(call.tool, raw, text, arguments, status=call.status)


def parts(call: ToolCall, arguments: object, result: object, cwd: str = "") -> tuple[Part, ...]:
    """Show a call opened, all of its input and of its result.

    Args:
        call: The call.
        arguments: What `decode_call` gave for its input.
        result: What `decode_call` gave for its result, None for a call that has none.
        cwd: The working directory, from which the paths of diffs and code are told.
    """
    told = model_text(call)
    body, reminders = split_reminders(told)
    made = (*_tool_parts(call, arguments, result), *_ending(call, result))
    shown = [*_placed(made, call, arguments, cwd)]
    others = [block for block in call.result_blocks if block.kind != "text"]
    if others:
        shown += [*_other_blocks(others, shown)]
    shown += _kept_apart(call, told, shown)
    left = find_unshown_lines(_without_tags(body), shown)
    if left:
        shown.append(Fold("told to the model", (Words(left),), is_meta=True))
    shown += allowed(call)
    if reminders:
        shown += (Fold("system reminder", (Words(text),), is_meta=True) for text in reminders)
    return tuple(shown)


def state(call: ToolCall, _arguments: object, result: object) -> CallState:
    """Say in a word or two how a call stands; nothing where it simply went well."""
    if isinstance(result, ToolError):
        return error_state(result)
    tool = find_tool(call.tool)
    words: str = ""
    tone: Tone = ""
    if tool.state is not None and isinstance(result, tool.result):
        words, tone = tool.state(result)
    if call.status == "failed":
        return (words, tone) if tone == "bad" else ("failed", "bad")
    if call.status != "done":
        return call.status, "warn"
    if words == _BACKGROUND or (not words and call.background_id):
        return _background(call)
    return words, tone


def _background(call: ToolCall) -> CallState:
    if not call.background_status or call.background_status == "completed":
        return _BACKGROUND, ""
    return f"{_BACKGROUND}, {call.background_status}", "warn"


def _tool_parts(call: ToolCall, arguments: object, result: object) -> Iterable[Part]:
    tool = find_tool(call.tool)
    if not isinstance(arguments, tool.input):
        return _untyped(call, result)
    return tool.parts(arguments, result if isinstance(result, tool.result) else None, call)


def _untyped(call: ToolCall, result: object) -> Iterator[Part]:
    """Show a call whose input does not fit its tool: the text of its result says it all."""
    yield from untyped_parts(None, None, call)
    if result is not None and not isinstance(result, ToolError | UntypedResult):
        yield from untyped_result_parts(UntypedResult(None, call.result_text))


def _ending(call: ToolCall, result: object) -> Iterator[Part]:
    """Show what any tool's call may come to."""
    match result:
        case ToolError():
            yield from error_parts(result, call)
        case UntypedResult() if find_tool(call.tool).result is not UntypedResult:
            yield from untyped_result_parts(result)
        case None:
            if call.progress_text:
                yield Output(call.progress_text)
            yield Note("no result", "warn")
        case _:
            pass


def _other_blocks(blocks: list[Block], shown: list[Part]) -> Iterator[Part]:
    """Show the blocks that are no text, but for what the parts show of them."""
    drawn = [] if any(isinstance(part, Image | Document) for part in shown) else [*pictures(blocks)]
    yield from drawn
    yield from unknown_blocks(blocks, [*shown, *drawn])


def _kept_apart(call: ToolCall, told: str, shown: list[Part]) -> Iterator[Part]:
    """Tell where the client kept a long output, and show what stood there."""
    is_persisted = find_persisted(told) is not None
    if not is_persisted and call.persisted_path is None:
        return
    whole = full_output(call)
    if whole and find_unshown_lines(whole, shown):
        yield Output(whole)
    if is_persisted:
        # The client says it in one line, with the size as people write it.
        yield Note(next((line for line in told.split("\n") if "saved to" in line), "").strip())
    else:
        yield Note(f"Full output saved to: {call.persisted_path}")


def _without_tags(text: str) -> str:
    persisted = find_persisted(text)
    if persisted is not None and persisted.preview:
        return persisted.preview
    return text.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")


def _placed(parts: Iterable[Part], call: ToolCall, arguments: object, cwd: str) -> Iterator[Part]:
    """Tell paths from the working directory, and leave out what the call's own line says."""
    for part in parts:
        match part:
            case Code() | Diff() if part.path:
                yield msgspec.structs.replace(part, path=short_path(part.path, cwd))
            case Fields():
                line = label(call.tool, arguments, None, cwd) if find_tool(call.tool).names else ""
                pairs = tuple([pair for pair in part.pairs if not _is_told(pair[1], line, cwd)])
                if pairs:
                    yield Fields(pairs)
            case _:
                yield part


def _is_told(value: str, line: str, cwd: str) -> bool:
    if value in _WITHOUT_NAME or len(value) < _SHORTEST_WORD or value.isdecimal():
        return False
    return value in line or short_path(value, cwd) in line
