"""All parts of a tool call: its input, its result, errors, and text for the model alone."""

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
from clew.tools.labels import call_label
from clew.tools.registry import find_tool
from clew.tools.result_text import find_persisted, split_reminders
from clew.tools.test_results import has_failed_tests
from clew.tools.tool import CallState
from clew.tools.tool_errors import ToolError, error_parts, error_state

# Values that mean nothing without the name before them.
_WITHOUT_NAME: Final = ("true", "false", "null", "yes")
_SHORTEST_WORD: Final = 3
_BACKGROUND: Final = "background"
_TESTS_FAILED: Final = "tests failed"


def decode_call(call: ToolCall) -> tuple[object, object]:
    """Decode the input and the result of a call; a pending call has no result."""
    arguments = decode_input(call.tool, bytes(call.input))
    if call.status == "pending":
        return arguments, None
    raw, text = bytes(call.result), call.result_text
    return arguments, decode_result(call.tool, raw, text, arguments, status=call.status)


def call_parts(
    call: ToolCall, arguments: object, result: object, cwd: str = ""
) -> tuple[Part, ...]:
    """Show all of a call's input and result.

    Args:
        call: The call.
        arguments: Its input, from `decode_call`.
        result: Its result, from `decode_call`; None without one.
        cwd: The working directory; paths below it are shown relative to it.
    """
    text = model_text(call)
    body, reminders = split_reminders(text)
    own = (*_tool_parts(call, arguments, result), *_outcome(call, result))
    shown = [*_shorten(own, call, arguments, cwd)]
    others = [block for block in call.result_blocks if block.kind != "text"]
    if others:
        shown += [*_other_blocks(others, shown)]
    shown += _persisted_output(call, text, shown)
    unshown = find_unshown_lines(_without_tags(body), shown)
    if unshown:
        shown.append(Fold("Sent to the model", (Words(unshown),), is_meta=True))
    shown += allowed(call)
    if reminders:
        shown += (Fold("System reminder", (Words(text),), is_meta=True) for text in reminders)
    return tuple(shown)


def call_state(call: ToolCall, arguments: object, result: object) -> CallState:
    """Say in a word or two how a call ended; nothing for a plain success.

    Tests that failed are said to, also where a pipe hid their exit status.
    """
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
    if not words and has_failed_tests(call, arguments):
        return _TESTS_FAILED, "bad"
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
    """Show a call whose input does not fit its tool."""
    yield from untyped_parts(None, None, call)
    if result is not None and not isinstance(result, ToolError | UntypedResult):
        yield from untyped_result_parts(UntypedResult(None, call.result_text))


def _outcome(call: ToolCall, result: object) -> Iterator[Part]:
    """Show how a call of any tool can end: an error, an untyped result, or no result."""
    match result:
        case ToolError():
            yield from error_parts(result, call)
        case UntypedResult() if find_tool(call.tool).result is not UntypedResult:
            yield from untyped_result_parts(result)
        case None:
            if call.progress_text:
                yield Output(call.progress_text)
            yield Note("No result", "warn")
        case _:
            pass


def _other_blocks(blocks: list[Block], shown: list[Part]) -> Iterator[Part]:
    """Show the blocks that are not text, unless other parts already show them."""
    drawn = [] if any(isinstance(part, Image | Document) for part in shown) else [*pictures(blocks)]
    yield from drawn
    yield from unknown_blocks(blocks, [*shown, *drawn])


def _persisted_output(call: ToolCall, text: str, shown: list[Part]) -> Iterator[Part]:
    """Show a long output that the client saved to a file, and the path of that file."""
    is_persisted = find_persisted(text) is not None
    if not is_persisted and call.persisted_path is None:
        return
    full = full_output(call)
    if full and find_unshown_lines(full, shown):
        yield Output(full)
    if is_persisted:
        # The client says it in one line, with the size as people write it.
        yield Note(next((line for line in text.split("\n") if "saved to" in line), "").strip())
    else:
        yield Note(f"Full output saved to: {call.persisted_path}")


def _without_tags(text: str) -> str:
    persisted = find_persisted(text)
    if persisted is not None and persisted.preview:
        return persisted.preview
    return text.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")


def _shorten(parts: Iterable[Part], call: ToolCall, arguments: object, cwd: str) -> Iterator[Part]:
    """Shorten paths, and leave out fields that repeat the call's label."""
    for part in parts:
        match part:
            case Code() | Diff() if part.path:
                yield msgspec.structs.replace(part, path=short_path(part.path, cwd))
            case Fields():
                line = (
                    call_label(call.tool, arguments, None, cwd)
                    if find_tool(call.tool).names
                    else ""
                )
                pairs = tuple([pair for pair in part.pairs if not _is_in_label(pair[1], line, cwd)])
                if pairs:
                    yield Fields(pairs)
            case _:
                yield part


def _is_in_label(value: str, line: str, cwd: str) -> bool:
    if value in _WITHOUT_NAME or len(value) < _SHORTEST_WORD or value.isdecimal():
        return False
    return value in line or short_path(value, cwd) in line
