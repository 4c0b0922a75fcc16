"""Entries → the names by which they know each other, as small prints.

Two stretches of a session that share no name cannot change each other: no row of the one hangs on
the other, answers it, or says it again. Two names may have one print; that costs time, no truth.
"""

import re
from array import array
from collections.abc import Iterable, Iterator
from typing import Final
from zlib import adler32, crc32

import msgspec

from clew.conversation import Conversation, Material, Message, ToolCall
from clew.entries import (
    AgentProgress,
    Assistant,
    Broken,
    CompactBoundary,
    Entry,
    ForkContextRef,
    Notification,
    ProgressRow,
    Row,
    result_links,
)
from clew.store.queued import queue_operations, tail_words

_ASKING: Final = re.compile(rb'"(?:bash_id|shell_id|task_id|agentId)"')
_LONGEST_ASK: Final = 400
_TEXT_ID: Final = re.compile(r"agentId: ([A-Za-z0-9_-]+)")
_BAD: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class _Asked(msgspec.Struct, frozen=True):
    """The ids by which tools ask for a background task."""

    bash_id: str | None = None
    shell_id: str | None = None
    task_id: str | None = None
    agent_id: str | None = msgspec.field(default=None, name="agentId")


def add_names(names: set[str | None], entries: Iterable[Entry]) -> None:
    """Add the ids that entries have, and those of others that they name."""
    add = names.add
    last: str | None = None
    for entry in entries:
        body = entry.body
        if isinstance(body, Row):
            # Most rows hang on the one before them, whose name is there already.
            if body.parent_uuid != last:
                add(body.parent_uuid)
            last = body.uuid
            add(last)
            if body.logical_parent_uuid:
                add(body.logical_parent_uuid)
            if isinstance(body, Assistant):
                add(body.message.id)
            elif isinstance(body, ProgressRow):
                add(body.parent_tool_use_id)
                if isinstance(body.data, AgentProgress):
                    add(body.data.agent_id)
            elif isinstance(body, CompactBoundary):
                names.update(_preserved(body))
        elif isinstance(body, Broken):
            names.update((body.uuid, body.parent_uuid))
        elif isinstance(body, ForkContextRef):
            add(body.parent_last_uuid)


def call_names(calls: Iterable[ToolCall]) -> Iterator[str | None]:
    """Give the ids of calls, of what they started, and of what they ask for."""
    for call in calls:
        yield call.id
        yield call.background_id
        if len(memoryview(call.input)) < _LONGEST_ASK and _ASKING.search(call.input):
            yield from _asked(bytes(call.input))


def message_names(messages: Iterable[Message]) -> Iterator[str | None]:
    """Give the ids of tasks that notifications tell of."""
    for message in messages:
        if isinstance(message.content, Notification):
            yield message.content.task_id
            yield message.content.tool_use_id


def past_names(
    material: Material, conversation: Conversation, messages: int, tail_calls: set[str]
) -> set[str | None]:
    """Give the names of a stretch of a session: entries, first messages, calls and their runs."""
    before = conversation.messages[:messages]
    names = set(call_names(c for c in conversation.tool_calls if c.id not in tail_calls))
    names.update(message_names(before))
    names.update(run.id for run in conversation.agent_runs if run.tool_call_id not in tail_calls)
    for transcript in material.transcripts:
        add_names(names, transcript.entries)
    if any(problem.kind == "orphan_result" for problem in conversation.problems):
        names.update(block.tool_call_id for message in before for block in message.blocks)
    return names


def tail_names(material: Material, conversation: Conversation) -> set[str | None]:
    """Give all names of a tail, but for the one parent on which its first row hangs."""
    names = set(call_names(conversation.tool_calls))
    for call in conversation.tool_calls:
        links = result_links(call.result)
        names.update((links.agent_id, links.task_id, links.run_id))
        names.update(_TEXT_ID.findall(call.result_text))
    for message in conversation.messages:
        names.update(block.tool_call_id for block in message.blocks)
    names.update(message_names(conversation.messages))
    names.update(run.id for run in conversation.agent_runs)
    main, *others = material.transcripts
    first = main.entries[0].body
    names.update(tail_words(queue_operations(main.entries), conversation.messages))
    add_names(names, main.entries[1:])
    for transcript in others:
        add_names(names, transcript.entries)
    if isinstance(first, Row):
        names.add(first.uuid)
    if isinstance(first, Assistant):
        names.add(first.message.id)
    return names


def to_prints(names: Iterable[str | None]) -> set[int]:
    """Give small numbers that stand for names."""
    raw = (name.encode("utf-8", "replace") for name in names if name)
    return {crc32(name) << 32 | adler32(name) for name in raw}


def pack_prints(prints: Iterable[int]) -> bytes:
    """Give prints as bytes."""
    return array("Q", prints).tobytes()


def shares_print(prints: set[int], packed: bytes) -> bool:
    """Tell whether any of the prints is among packed ones."""
    known = array("Q")
    known.frombytes(packed)
    return not prints.isdisjoint(known)


def _preserved(body: CompactBoundary) -> Iterator[str]:
    data = body.compact_metadata
    if data is not None and data.preserved_segment is not None:
        yield data.preserved_segment.head_uuid
        yield data.preserved_segment.tail_uuid
    if data is not None and data.preserved_messages is not None:
        yield from data.preserved_messages.uuids


def _asked(raw: bytes) -> Iterator[str | None]:
    try:
        asked = msgspec.json.decode(raw, type=_Asked)
    except _BAD:
        return
    yield from (asked.bash_id, asked.shell_id, asked.task_id, asked.agent_id)
