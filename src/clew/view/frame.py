"""The frame: all of a page but its messages."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import msgspec

from clew.analytics import context_tokens, stated_windows, window_of
from clew.conversation import Message, ToolCall
from clew.parts import Tone
from clew.tools import decode_input, has_failed_tests
from clew.view.detail import Detail
from clew.view.filter_counts import count_contents, count_kinds
from clew.view.gaps import problem_note
from clew.view.header import make_header, make_run_header
from clew.view.items import is_shown
from clew.view.layout import Layout
from clew.view.outline import make_turns
from clew.view.page import FrameView, Mark
from clew.view.slots import Slot

_MOST: Final = 5
_CALL: Final = 64
_LOUD: Final[dict[str, Tone]] = {"error": "bad", "warning": "warn"}


def frame_of(layout: Layout) -> FrameView:
    """Make the frame of a page that is laid out."""
    context = layout.context
    conversation = context.index.conversation
    run = next((run for run in conversation.agent_runs if run.id == layout.run_id), None)
    contents, tools = count_contents(layout)
    return FrameView(
        header=make_header(context.index) if run is None else make_run_header(run, context),
        detail=context.detail.label,
        turns=() if run is not None else make_turns(layout),
        sections=layout.places,
        marks=tuple(_marks(layout)),
        kinds=count_kinds(layout),
        contents=contents,
        tools=tools,
        problems=tuple(map(problem_note, conversation.problems)),
    )


def _marks(layout: Layout) -> Iterator[Mark]:
    detail = layout.context.detail
    measure = _measure_fullness(layout)
    for place in layout.places:
        for slot in layout.slots_of(place.index):
            if is_shown(slot, detail):
                calls = layout.context.calls_by_message.get(slot.message.id)
                mark = _mark(slot, calls or (), place.index)
                used = measure(slot.message) if slot.message.usage is not None else 0
                yield msgspec.structs.replace(mark, fullness=used) if used else mark


def _measure_fullness(layout: Layout) -> Callable[[Message], int]:
    """Return what says how full the context was when a message was written, in percent."""
    conversation = layout.context.index.conversation
    stated = stated_windows(conversation.cost_state)
    largest = max(
        (
            context_tokens(message.usage)
            for message in conversation.messages
            if message.usage is not None and (message.agent_run_id or "") == layout.run_id
        ),
        default=0,
    )

    def measure(message: Message) -> int:
        if message.usage is None or message.model is None:
            return 0
        window, _ = window_of(message.model, stated, largest)
        return min(100 * context_tokens(message.usage) // window, 100)

    return measure


def _mark(slot: Slot, calls: Sequence[ToolCall], section: int) -> Mark:
    message = slot.message
    length = len(message.text) + _CALL * len(calls)
    has_failed = any(map(_has_failed, calls))
    tone = "bad" if has_failed else _tone(slot)
    return Mark(message.id, _kind(slot), tone, slot.level, section, _weigh(length))


def _has_failed(call: ToolCall) -> bool:
    return call.is_error or has_failed_tests(call, decode_input(call.tool, bytes(call.input)))


def _weigh(length: int) -> int:
    """Weigh a text by its length: one for a line, and one more for each fourfold."""
    return min(max((length.bit_length() - 5) // 2, 1), _MOST)


def _kind(slot: Slot) -> str:
    kind = slot.message.kind
    if slot.kind != "message":
        return slot.kind
    if kind == "answer" and slot.level >= Detail.TOOLS:
        return "tool" if slot.level is Detail.TOOLS else "thinking"
    return "error" if kind == "api_error" else kind


def _tone(slot: Slot) -> Tone:
    message = slot.message
    if slot.kind == "gap" or message.kind == "api_error":
        return "bad"
    if slot.kind == "compaction" or message.kind == "interrupt":
        return "warn"
    return _LOUD.get(message.level or "", "")
