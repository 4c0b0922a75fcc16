"""Answers: words, thinking and calls, in the order of their blocks."""

from collections.abc import Iterator
from functools import lru_cache

from clew.analytics import display_name
from clew.conversation import Block, Message, ToolCall
from clew.view.blocks import block_part
from clew.view.calls import make_calls
from clew.view.context import PageContext
from clew.view.detail import Detail
from clew.view.page import BodyPart, Thinking
from clew.view.slots import CUT_SHORT, is_beside_results

_SYNTHETIC = "synthetic"

# A session's answers are those of a few models.
_name_of = lru_cache(maxsize=64)(display_name)


def answer_name(message: Message) -> str:
    """Return the name of the model, and its subtype; what the client made up is its own."""
    if message.subtype == _SYNTHETIC:
        return "Claude Code"
    name = _name_of(message.model or "") or "Answer"
    return f"{name}, {message.subtype}" if message.subtype else name


def answer_state(message: Message) -> str:
    """Describe what is wrong with an answer, if anything."""
    if message.stop_reason in CUT_SHORT:
        return f"cut short: {message.stop_reason}"
    return "incomplete" if message.is_aborted else ""


def answer_body(message: Message, context: PageContext) -> Iterator[BodyPart]:
    """Show the blocks of an answer as far as the detail goes; consecutive calls are grouped."""
    calls = _calls(message, context)
    together: list[ToolCall] = []
    for number, block in enumerate(message.blocks):
        call = calls.get(number)
        if call is not None:
            together.append(call)
            continue
        if together and not _is_blank(block):
            yield make_calls(together, message, context)
            together.clear()
        yield from _body_part(block, message, context)
    if together:
        yield make_calls(together, message, context)


def _body_part(block: Block, message: Message, context: PageContext) -> Iterator[BodyPart]:
    if block.kind == "thinking":
        if context.is_whole:
            yield Thinking(block.text)
    elif block.kind == "tool_result":
        if context.detail >= Detail.TOOLS and is_beside_results(block, message, context.index):
            yield from block_part(block)
    else:
        yield from block_part(block)


def _calls(message: Message, context: PageContext) -> dict[int, ToolCall]:
    """Find the call of each block that is one; a use without an id has its row's."""
    made = context.calls_by_message.get(message.id) if context.detail >= Detail.TOOLS else None
    if not made:
        return {}
    own = {call.id: call for call in made}
    found: dict[int, ToolCall] = {}
    nameless: list[tuple[int, Block]] = []
    for number, block in enumerate(message.blocks):
        if block.kind == "tool_use":
            call = own.pop(block.tool_call_id or "", None)
            if call is None:
                nameless.append((number, block))
            else:
                found[number] = call
    for number, block in nameless:
        call = next((call for call in own.values() if call.tool == block.text), None)
        if call is not None:
            found[number] = own.pop(call.id)
    return found


def _is_blank(block: Block) -> bool:
    return block.kind == "text" and not block.text.strip()
