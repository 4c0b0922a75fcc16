"""Slots → items: messages, compactions, forks, gaps and runs, in their order."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from clew.conversation import Message
from clew.parts import Note, Part, Tone
from clew.view.answers import answer_body, answer_name, answer_state
from clew.view.blocks import block_parts, variant_parts
from clew.view.detail import Detail
from clew.view.forks import make_beginning, make_fork
from clew.view.gaps import broken_line, holes_before, sources_of
from clew.view.page import CompactionView, Item, MessageView, Piece
from clew.view.runs import make_runs
from clew.view.scope import Scope
from clew.view.slots import Slot, make_slots
from clew.view.spending import spent_on_message, tell_cache_miss
from clew.view.told import tell, tell_retry

_PLAIN_ANSWER: Final = ("answer",)
# Its text is no more than the name of what was done.
_OPERATION: Final = "conversation_operation"


def make_all(messages: Sequence[Message], scope: Scope) -> tuple[Item, ...]:
    """Make items of messages that stand together: a run's or a branch's."""
    return tuple(make_items(make_slots(messages, scope.index), scope))


def make_items(slots: Iterable[Slot], scope: Scope) -> Iterator[Item]:
    """Make items of slots, with the runs and branches that come after each."""
    detail, index = scope.detail, scope.index
    for slot in slots:
        message = slot.message
        if slot.starts_over:
            yield make_beginning(message)
        if scope.faults:
            yield from holes_before(message, scope)
        if is_shown(slot, detail):
            yield make_item(slot, scope)
        if message.id in index.loose_runs or message.id in index.branches:
            yield from make_after(message.id, scope)


def make_after(place: str, scope: Scope) -> Iterator[Item]:
    """Make the runs and branches that come after a message, or before the first one."""
    yield from make_runs(scope.index.loose_runs.get(place, ()), scope)
    if scope.options.turn is None:
        yield from make_fork(place, scope)


def is_shown(slot: Slot, detail: Detail) -> bool:
    """Tell whether a slot has an item at a detail."""
    return slot.kind != "passed" and slot.level <= detail


def make_item(slot: Slot, scope: Scope) -> Item:
    """Make what a slot shows."""
    match slot.kind:
        case "compaction":
            return _compaction(slot, scope)
        case "gap":
            return broken_line(slot.message)
        case _:
            return _message(slot, scope)


def _compaction(slot: Slot, scope: Scope) -> CompactionView:
    boundary = slot.message
    epoch = scope.index.epochs[boundary.id]
    parts: list[Part] = []
    if slot.summary is not None and scope.detail >= Detail.TOOLS:
        parts.extend(block_parts(slot.summary.blocks))
    is_wordy = boundary is not slot.summary and boundary.subtype != _OPERATION
    if scope.is_whole and is_wordy and boundary.text.strip():
        parts.append(Note(boundary.text))
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
    )


def _message(slot: Slot, scope: Scope) -> MessageView:
    message = slot.message
    if message.kind == "answer":
        return _answer(message, slot, scope)
    told = tell(message, scope)
    begun = _begun(message, scope) if message.kind == "api_error" else ()
    changes = [Note(change) for change in slot.changes] if scope.is_whole else []
    joined = [Slot(other, "message", slot.level) for other in slot.outcome]
    return MessageView(
        id=message.id,
        kind=message.kind,
        subtype=message.subtype or "",
        classes=_classes(message),
        level=slot.level,
        who=told.who,
        title=told.title,
        state=told.state or _fate(message),
        tone=told.tone,
        color=told.color,
        turn=message.turn,
        epoch=message.epoch,
        started_at=message.started_at,
        ended_at=message.ended_at,
        model=message.model or "",
        retries=tuple(map(tell_retry, message.retries)),
        body=(*changes, *told.body, *begun, *variant_parts(message)),
        outcome=tuple(_message(other, scope) for other in joined),
        sources=sources_of(message),
        sent_id=(message.pair_id or "") if message.kind == "unsent" else "",
    )


def _answer(message: Message, slot: Slot, scope: Scope) -> MessageView:
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
        spent=spent_on_message(message, scope.index.bills),
        body=(*answer_body(message, scope), *variant_parts(message)),
        sources=sources_of(message),
    )
    if message.cache_miss is not None and scope.is_whole:
        view = msgspec.structs.replace(view, cache_miss=tell_cache_miss(message.cache_miss))
    state, retries = answer_state(message), tuple(map(tell_retry, message.retries))
    if not (state or retries or message.is_deleted):
        return view
    tone: Tone = "warn" if state else ""
    state = state or _fate(message)
    return msgspec.structs.replace(view, state=state, tone=tone, retries=retries)


def _begun(message: Message, scope: Scope) -> Iterator[Piece]:
    """Show what an answer had begun to do before it became an error."""
    blocks = tuple(block for block in message.blocks if block.kind != "text")
    return answer_body(msgspec.structs.replace(message, blocks=blocks), scope)


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
