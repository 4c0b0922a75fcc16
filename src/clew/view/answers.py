"""Answers: words, thinking and calls, in the order of their blocks."""

from collections.abc import Iterator

from clew.analytics import display_name
from clew.conversation import Block, Message, ToolCall
from clew.view.blocks import block_part
from clew.view.calls import make_calls
from clew.view.detail import Detail
from clew.view.page import Piece, Thinking
from clew.view.scope import Scope
from clew.view.slots import CUT_SHORT, is_beside_results

_SYNTHETIC = "synthetic"


def answer_name(message: Message) -> str:
    """Give the name of the model; what the client made up is its own."""
    if message.subtype == _SYNTHETIC:
        return "Claude Code"
    return display_name(message.model or "") or "Answer"


def answer_state(message: Message) -> str:
    """Say what is off with an answer."""
    if message.stop_reason in CUT_SHORT:
        return f"cut short: {message.stop_reason}"
    return "broken off" if message.is_aborted else ""


def answer_body(message: Message, scope: Scope) -> Iterator[Piece]:
    """Show the blocks of an answer as far as the detail goes; calls in a row stand together."""
    calls = _calls(message, scope)
    together: list[ToolCall] = []
    for number, block in enumerate(message.blocks):
        call = calls.get(number)
        if call is not None:
            together.append(call)
            continue
        if together and not _is_blank(block):
            yield make_calls(together, message, scope)
            together.clear()
        yield from _piece(block, message, scope)
    if together:
        yield make_calls(together, message, scope)


def _piece(block: Block, message: Message, scope: Scope) -> Iterator[Piece]:
    if block.kind == "thinking":
        if scope.is_whole:
            yield Thinking(block.text)
    elif block.kind == "tool_result":
        if scope.detail >= Detail.TOOLS and is_beside_results(block, message, scope.index):
            yield from block_part(block)
    else:
        yield from block_part(block)


def _calls(message: Message, scope: Scope) -> dict[int, ToolCall]:
    """Find the call of each block that is one; a use without an id has its row's."""
    if scope.detail < Detail.TOOLS:
        return {}
    own = {call.id: call for call in scope.calls_by_message.get(message.id, ())}
    uses = [(n, block) for n, block in enumerate(message.blocks) if block.kind == "tool_use"]
    named = {n: own.pop(name) for n, b in uses if (name := b.tool_call_id or "") in own}
    for number, block in uses:
        if number not in named:
            nameless = next((call for call in own.values() if call.tool == block.text), None)
            if nameless is not None:
                named[number] = own.pop(nameless.id)
    return named


def _is_blank(block: Block) -> bool:
    return block.kind == "text" and not block.text.strip()
