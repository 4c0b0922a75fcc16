"""Slots → items: messages, compactions, forks, gaps and runs, in their order."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from clew.conversation import Message
from clew.parts import Note, Part, Tone
from clew.view.answers import answer_body, answer_name, answer_state
from clew.view.blocks import block_parts, variant_parts
from clew.view.context import PageContext
from clew.view.describe import describe, describe_retry
from clew.view.detail import Detail
from clew.view.forks import make_beginning, make_fork
from clew.view.gaps import broken_line, gaps_before, sources_of
from clew.view.page import BodyPart, CompactionView, Item, MessageView
from clew.view.runs import make_runs
from clew.view.slots import Slot, make_slots
from clew.view.usage import describe_cache_miss, message_usage

_PLAIN_ANSWER: Final = ("answer",)
# Its text is no more than the name of what was done.
_OPERATION: Final = "conversation_operation"


def make_nested_items(messages: Sequence[Message], context: PageContext) -> tuple[Item, ...]:
    """Make the items of a run or a branch."""
    return tuple(make_items(make_slots(messages, context.index), context))


def make_items(slots: Iterable[Slot], context: PageContext) -> Iterator[Item]:
    """Make items of slots, with the runs and branches that come after each."""
    detail, index = context.detail, context.index
    for slot in slots:
        message = slot.message
        if slot.starts_over:
            yield make_beginning(message)
        if context.gap_problems:
            yield from gaps_before(message, context)
        if is_shown(slot, detail):
            yield make_item(slot, context)
        if message.id in index.unattached_runs or message.id in index.branches:
            yield from make_after(message.id, context)


def make_after(place: str, context: PageContext) -> Iterator[Item]:
    """Make the runs and branches that come after a message, or before the first one."""
    yield from make_runs(context.index.unattached_runs.get(place, ()), context)
    if context.options.turn is None:
        yield from make_fork(place, context)


def is_shown(slot: Slot, detail: Detail) -> bool:
    """Return whether a slot has an item at a detail."""
    return slot.kind != "elsewhere" and slot.level <= detail


def make_item(slot: Slot, context: PageContext) -> Item:
    """Make what a slot shows."""
    match slot.kind:
        case "compaction":
            return _compaction(slot, context)
        case "gap":
            return broken_line(slot.message)
        case _:
            return _message(slot, context)


def _compaction(slot: Slot, context: PageContext) -> CompactionView:
    boundary = slot.message
    epoch = context.index.epochs[boundary.id]
    parts: list[Part] = []
    if slot.summary is not None and context.detail >= Detail.TOOLS:
        parts.extend(block_parts(slot.summary.blocks))
    is_wordy = boundary is not slot.summary and boundary.subtype != _OPERATION
    if context.is_whole and is_wordy and boundary.text.strip():
        parts.append(Note(boundary.text))
    is_open = context.detail >= Detail.TOOLS and not epoch.is_restored
    return CompactionView(
        id=boundary.id,
        epoch=epoch.index,
        trigger=epoch.trigger or "",
        at=boundary.started_at,
        tokens_before=epoch.tokens_before,
        tokens_after=epoch.tokens_after,
        summary_id=epoch.summary_id or "",
        summary=tuple(parts),
        kept_messages=epoch.kept_messages,
        total_messages=epoch.total_messages,
        compression_ratio=epoch.compression_ratio,
        is_restored=epoch.is_restored,
        loss=context.index.loss_of(boundary.id) if is_open else None,
    )


def _message(slot: Slot, context: PageContext) -> MessageView:
    message = slot.message
    if message.kind == "answer":
        return _answer(message, slot, context)
    description = describe(message, context)
    begun = _begun(message, context) if message.kind == "api_error" else ()
    changes = [Note(change) for change in slot.changes] if context.is_whole else []
    joined = [Slot(other, "message", slot.level) for other in slot.outcome]
    return MessageView(
        id=message.id,
        kind=message.kind,
        subtype=message.subtype or "",
        classes=_classes(message),
        level=slot.level,
        who=description.who,
        title=description.title,
        state=description.state or _fate(message),
        tone=description.tone,
        color=description.color,
        turn=message.turn,
        epoch=message.epoch,
        started_at=message.started_at,
        ended_at=message.ended_at,
        model=message.model or "",
        retries=tuple(map(describe_retry, message.retries)),
        body=(*changes, *description.body, *begun, *variant_parts(message)),
        outcome=tuple(_message(other, context) for other in joined),
        sources=sources_of(message),
        sent_id=(message.pair_id or "") if message.kind == "unsent" else "",
    )


def _answer(message: Message, slot: Slot, context: PageContext) -> MessageView:
    # Python takes up to fifteen keywords the short way.
    view = MessageView(
        id=message.id,
        kind=message.kind,
        subtype=message.subtype or "",
        classes=_classes(message),
        level=slot.level,
        who=answer_name(message),
        turn=message.turn,
        epoch=message.epoch,
        started_at=message.started_at,
        ended_at=message.ended_at,
        model=message.model or "",
        spent=message_usage(message, context.index.bills),
        body=(*answer_body(message, context), *variant_parts(message)),
        sources=sources_of(message),
    )
    if message.cache_miss is not None and context.is_whole:
        view = msgspec.structs.replace(view, cache_miss=describe_cache_miss(message.cache_miss))
    state, retries = answer_state(message), tuple(map(describe_retry, message.retries))
    if not (state or retries or message.is_deleted):
        return view
    tone: Tone = "warn" if state else ""
    state = state or _fate(message)
    return msgspec.structs.replace(view, state=state, tone=tone, retries=retries)


def _begun(message: Message, context: PageContext) -> Iterator[BodyPart]:
    """Show what an answer had begun to do before it became an error."""
    blocks = tuple(block for block in message.blocks if block.kind != "text")
    return answer_body(msgspec.structs.replace(message, blocks=blocks), context)


def _fate(message: Message) -> str:
    return "deleted" if message.is_deleted else ""


def _classes(message: Message) -> tuple[str, ...]:
    if message.kind == "answer" and message.level is None and message.agent_run_id is None:
        return _PLAIN_ANSWER
    classes = [message.kind]
    if message.kind == "api_error" or message.level == "error":
        classes.append("error")
    if message.level and message.kind == "system":
        classes.append(f"system-{message.level}")
    if message.agent_run_id is not None:
        classes.append("agent-run")
    return tuple(classes)
