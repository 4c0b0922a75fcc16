"""Slots: the messages of a page in order, each with what is joined to it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from clew.conversation import Block, Message
from clew.view.detail import Detail, level_of
from clew.view.index import PageIndex

SlotKind: TypeAlias = Literal["message", "compaction", "gap", "elsewhere"]

CUT_SHORT: Final = ("max_tokens", "refusal", "model_context_window_exceeded")
_OUTPUTS: Final = ("command_output", "bash_output")
_WITH_CALLS: Final = ("tool_use", "tool_result")
_USUAL_MODE: Final = "default"


class Slot(msgspec.Struct, frozen=True, gc=False):
    """One message in the order of a page.

    An `elsewhere` one is shown elsewhere: a command's output with its command, a summary with its
    compaction, a result with its call. What is attached to it still comes here. With `starts_over`
    it does not continue the message before it. `changes` are settings that are new, such as a mode.
    """

    message: Message
    kind: SlotKind
    level: Detail
    outcome: tuple[Message, ...] = ()
    summary: Message | None = None
    starts_over: bool = False
    changes: tuple[str, ...] = ()


def make_slots(messages: Sequence[Message], index: PageIndex) -> list[Slot]:
    """Put messages in their slots; what belongs together must be among them to be joined."""
    here = {message.id: message for message in messages}
    outcomes = _outcomes(messages, here)
    summaries = _summaries(index, here)
    elsewhere = {joined.id for own in outcomes.values() for joined in own}
    elsewhere.update(message.id for name, message in summaries.items() if message.id != name)
    changes = _changes(messages)
    threads: tuple[str, ...] = ()
    slots = []
    for message in messages:
        name, own = message.id, message.thread_ids
        kind, level = _kind_and_level(message, index, elsewhere)
        starts_over = bool(threads and own) and own != threads and set(threads).isdisjoint(own)
        joined = tuple(outcomes[name]) if name in outcomes else ()
        changed = changes.get(name, ())
        slots.append(Slot(message, kind, level, joined, summaries.get(name), starts_over, changed))
        threads = own or threads
    return slots


def has_more_than_results(message: Message, index: PageIndex) -> bool:
    """Return whether a message of results brings anything that no call shows."""
    if message.variants:
        return True
    return any(is_beside_results(block, message, index) for block in message.blocks)


def is_beside_results(block: Block, message: Message, index: PageIndex) -> bool:
    """Return whether a block is no result, or one that its call does not show."""
    if block.kind != "tool_result":
        return block.kind != "text" or bool(block.text.strip())
    call = index.calls.get(block.tool_call_id or "")
    return call is None or call.result_message_id != message.id


def _kind_and_level(
    message: Message, index: PageIndex, elsewhere: set[str]
) -> tuple[SlotKind, Detail]:
    if message.id in elsewhere:
        return "elsewhere", level_of(message)
    if message.id in index.epochs:
        return "compaction", Detail.PROMPTS
    level = level_of(message)
    if message.kind == "answer":
        return "message", max(level, _answer_level(message))
    if message.kind == "tool_results":
        return ("message" if has_more_than_results(message, index) else "elsewhere"), level
    return ("gap" if message.subtype == "broken" else "message"), level


def _answer_level(message: Message) -> Detail:
    """An answer without words is not part of the talk."""
    if message.is_aborted or message.stop_reason in CUT_SHORT:
        return Detail.TALK
    level = Detail.EVERYTHING
    for block in message.blocks:
        if block.kind in _WITH_CALLS:
            level = Detail.TOOLS
        elif block.kind == "text":
            if block.text and not block.text.isspace():
                return Detail.TALK
        elif block.kind != "thinking":
            return Detail.TALK
    return level


def _outcomes(messages: Iterable[Message], here: Mapping[str, Message]) -> dict[str, list[Message]]:
    found: dict[str, list[Message]] = {}
    for message in messages:
        if message.kind in _OUTPUTS and message.pair_id in here:
            found.setdefault(message.pair_id or "", []).append(message)
    return found


def _summaries(index: PageIndex, here: Mapping[str, Message]) -> dict[str, Message]:
    return {
        name: here[epoch.summary_id]
        for name, epoch in index.epochs.items()
        if name in here and epoch.summary_id in here and epoch.summary_id is not None
    }


def _changes(messages: Iterable[Message]) -> dict[str, tuple[str, ...]]:
    """Find the prompts from which on the client was in another mode, place or version."""
    before: dict[str, str] = {"Permission mode": _USUAL_MODE}
    changes = {}
    for message in messages:
        if message.kind == "prompt" and message.agent_run_id is None:
            found = tuple(_changed(message, before))
            if found:
                changes[message.id] = found
    return changes


def _changed(message: Message, before: dict[str, str]) -> Iterator[str]:
    now = {
        "Permission mode": message.permission_mode,
        "Working directory": message.cwd,
        "Git branch": message.git_branch,
        "Claude Code": message.version,
    }
    for name, value in now.items():
        if value and before.setdefault(name, value) != value:
            before[name] = value
            yield f"{name}: {value}"
