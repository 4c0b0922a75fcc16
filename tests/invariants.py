"""What holds for every conversation, whatever it was built from."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

import msgspec

from clew.conversation import (
    Conversation,
    Material,
    Message,
    ModelUsage,
    Turn,
    add_up,
    is_inherited,
)
from clew.conversation.nodes import arrange, entry_id
from clew.entries import NULL, Marker, ProgressRow
from clew.problems import PROBLEM_KINDS

_STATUSES: Final = ("pending", "done", "failed", "denied", "interrupted")
_STARTERS: Final = ("prompt", "command", "bash_input")


def check(material: Material, conversation: Conversation) -> None:
    """Assert all invariants of a conversation that was built from this material."""
    _check_coverage(material, conversation)
    _check_messages(conversation)
    _check_parents(conversation)
    _check_threads(conversation)
    _check_calls(conversation)
    _check_runs(conversation)
    _check_turns(conversation)
    _check_epochs(conversation)
    _check_totals(conversation)
    assert {problem.kind for problem in conversation.problems} <= PROBLEM_KINDS.keys()
    assert msgspec.json.decode(encode(conversation))


def encode(conversation: Conversation) -> bytes:
    """Give all of a conversation as bytes, to compare it with another one."""
    return msgspec.json.encode(conversation)


def _check_coverage(material: Material, conversation: Conversation) -> None:
    """Every entry that carries talk is in one place: in a message, among its retries or variants,
    set aside."""
    written: Counter[str] = Counter()
    talk = set()
    for transcript in arrange(material.transcripts):
        for entry in transcript.entries:
            if not isinstance(entry.body, Marker):
                name = entry_id(transcript.name, entry)
                written[name] += 1
                if not isinstance(entry.body, ProgressRow):
                    talk.add(name)
    shown = _shown(conversation)
    aside = Counter(copy.id for copy in conversation.duplicates)
    aside.update(_variants(material, conversation))
    assert [name for name, count in shown.items() if count > 1] == []
    assert [name for name in talk if shown[name] + aside[name] != written[name]] == []
    answers = {message.id for message in conversation.messages}
    known = shown.keys() | aside.keys() | answers
    assert [copy for copy in conversation.duplicates if copy.of not in known] == []


def _shown(conversation: Conversation) -> Counter[str]:
    shown: Counter[str] = Counter()
    for message in conversation.messages:
        shown.update(message.entry_ids)
        shown.update(retry.entry_id for retry in message.retries)
    return shown


def _variants(material: Material, conversation: Conversation) -> Iterator[str]:
    """Give the entries that are listed as variants, each at the line where it stands.

    Copies of a transcript have lines at the same places: the variant has the id of the message.
    """
    names: dict[tuple[str, int, int], list[str]] = {}
    for transcript in arrange(material.transcripts):
        for entry in transcript.entries:
            place = (entry.file, entry.number, entry.offset)
            names.setdefault(place, []).append(entry_id(transcript.name, entry))
    for message in conversation.messages:
        own = {*message.entry_ids, *(retry.entry_id for retry in message.retries)}
        for variant in message.variants:
            assert variant.blocks
            found = names[variant.line.file, variant.line.line, variant.line.offset]
            yield next(name for name in found if name in own)


def _check_messages(conversation: Conversation) -> None:
    messages = conversation.messages
    assert [name for name, count in Counter(m.id for m in messages).items() if count > 1] == []
    for message in messages:
        assert message.entry_ids
        assert message.started_at <= message.ended_at
        # Tries that no answer follows are lines of the message that tells of them.
        tries = 0 if message.role == "assistant" else len(message.retries)
        assert len(message.lines) == len(message.entry_ids) + tries


def _check_parents(conversation: Conversation) -> None:
    """In reading order a parent stands before its child, in the same run and on its thread."""
    whole = _whole(conversation)
    by_id: dict[str, Message] = {}
    for message in conversation.messages:
        if message.parent_id is not None:
            parent = by_id[message.parent_id]
            assert parent.agent_run_id == message.agent_run_id
            threads = set(message.thread_ids)
            assert not threads or threads & set(parent.thread_ids)
            assert message.id not in whole or threads <= set(parent.thread_ids)
        by_id[message.id] = message


def _whole(conversation: Conversation) -> set[str]:
    """Name the messages of one row, which unlike others cannot stand on two branches at once."""
    repeated = {copy.of for copy in conversation.duplicates}
    return {
        message.id
        for message in conversation.messages
        if len(message.entry_ids) == 1 and not message.retries and message.id not in repeated
    }


def _check_threads(conversation: Conversation) -> None:
    own = [message for message in conversation.messages if message.agent_run_id is None]
    position = {message.id: index for index, message in enumerate(conversation.messages)}
    held: dict[str, list[str]] = {message.id: [] for message in conversation.messages}
    for thread in conversation.threads:
        places = [position[name] for name in thread.message_ids]
        assert places
        assert all(before < after for before, after in pairwise(places))
        assert thread.forked_at is None or thread.forked_at in thread.message_ids
        for name in thread.message_ids:
            held[name].append(thread.id)
    assert all(held[message.id] for message in own)
    assert all(list(m.thread_ids) == held[m.id] for m in conversation.messages)
    assert not any(m.thread_ids for m in conversation.messages if m.agent_run_id is not None)
    assert sum(thread.is_main for thread in conversation.threads) == bool(own)
    assert len({thread.id for thread in conversation.threads}) == len(conversation.threads)


def _check_calls(conversation: Conversation) -> None:
    calls, runs = conversation.tool_calls, {run.id: run for run in conversation.agent_runs}
    by_id = {message.id: message for message in conversation.messages}
    ids = {call.id for call in calls}
    assert len(ids) == len(calls)
    for call in calls:
        message = by_id[call.message_id]
        assert call.agent_run_id == message.agent_run_id
        assert any(block.kind == "tool_use" for block in message.blocks)
        assert call.status in _STATUSES
        assert call.ended_at is not None or call.status in ("pending", "interrupted")
        if call.status == "pending":
            assert (call.ended_at, bytes(call.result)) == (None, bytes(NULL))
        assert {call.result_message_id, call.notification_id} <= by_id.keys() | {None}
        assert set(call.follow_up_ids) <= ids
        if call.started_run_id is not None:
            assert runs[call.started_run_id].tool_call_id == call.id


def _check_runs(conversation: Conversation) -> None:
    runs = {run.id: run for run in conversation.agent_runs}
    calls = {call.id: call for call in conversation.tool_calls}
    members: dict[str, list[Message]] = {name: [] for name in runs}
    for message in conversation.messages:
        if message.agent_run_id is not None:
            members[message.agent_run_id].append(message)
    assert len(runs) == len(conversation.agent_runs)
    for run in runs.values():
        own = members[run.id]
        assert list(run.message_ids) == [message.id for message in own]
        assert run.has_transcript or run.status != "missing" or not own
        assert run.usage == _sum(own, is_complete=run.status != "missing")
        assert (run.link is None) == (run.tool_call_id is None)
        above = None if run.tool_call_id is None else calls[run.tool_call_id].agent_run_id
        assert run.parent_run_id == above
        # In a circle, some run would be no deeper than the one above it.
        assert run.depth == (1 if above is None else runs[above].depth + 1)


def _check_turns(conversation: Conversation) -> None:
    by_id = {message.id: message for message in conversation.messages}
    own = [message for message in conversation.messages if message.agent_run_id is None]
    turns = conversation.turns
    assert [turn.index for turn in turns] == [*range(1, len(turns) + 1)]
    members = [name for turn in turns for name in turn.message_ids]
    assert sorted(members) == sorted(m.id for m in own if m.turn is not None)
    inside: dict[int | None, list[Message]] = {turn.index: [] for turn in turns}
    for message in conversation.messages:
        inside.setdefault(message.turn, []).append(message)
    calls = Counter(by_id[call.message_id].turn for call in conversation.tool_calls)
    lost = _turns_with_missing_runs(conversation)
    for turn in turns:
        _check_turn(turn, inside[turn.index], by_id, is_complete=turn.index not in lost)
        assert turn.tool_call_count == calls[turn.index]
    starts = {turn.prompt_id for turn in turns}
    assert all(message.id in starts for message in own if message.kind == "prompt")
    whole = _whole(conversation)
    for thread in conversation.threads:
        begun = [by_id[name].turn is not None for name in thread.message_ids if name in whole]
        assert begun == sorted(begun)


def _turns_with_missing_runs(conversation: Conversation) -> set[int | None]:
    """Give the turns whose sums are lower bounds, since a run that they started is not there."""
    by_id = {message.id: message for message in conversation.messages}
    calls = {call.id: by_id[call.message_id] for call in conversation.tool_calls}
    lost = [run.tool_call_id for run in conversation.agent_runs if run.status == "missing"]
    callers = [calls[name] for name in lost if name is not None]
    return {m.turn for m in callers if m.usage is None or not is_inherited(m.usage.quality)}


def _sum(messages: Iterable[Message], *, is_complete: bool) -> ModelUsage:
    unknown = [] if is_complete else [ModelUsage(quality="lower_bound")]
    return add_up([*(m.usage for m in messages if m.usage), *unknown])


def _check_turn(
    turn: Turn, inside: list[Message], by_id: dict[str, Message], *, is_complete: bool
) -> None:
    assert turn.message_ids[0] == turn.prompt_id
    assert by_id[turn.prompt_id].kind in _STARTERS
    assert all(by_id[name].turn == turn.index for name in turn.message_ids)
    assert turn.usage == _sum(inside, is_complete=is_complete)
    assert turn.started_at <= turn.ended_at


def _check_epochs(conversation: Conversation) -> None:
    by_id = {message.id: message for message in conversation.messages}
    epochs = conversation.epochs
    assert [epoch.index for epoch in epochs] == [*range(len(epochs))]
    assert epochs[0].boundary_id is None
    for epoch in epochs[1:]:
        assert epoch.boundary_id is not None
        assert by_id[epoch.boundary_id].epoch == epoch.index
        assert epoch.summary_id is None or by_id[epoch.summary_id].epoch == epoch.index
    whole = _whole(conversation)
    for thread in conversation.threads:
        numbers = [by_id[name].epoch for name in thread.message_ids if name in whole]
        assert numbers == sorted(numbers)


def _check_totals(conversation: Conversation) -> None:
    messages, totals = conversation.messages, conversation.totals
    own = [message for message in messages if message.agent_run_id is None]
    lost = _turns_with_missing_runs(conversation)
    is_complete = conversation.session.has_transcript and not lost
    assert totals.usage == _sum(messages, is_complete=is_complete)
    assert totals.messages == len(messages)
    assert totals.prompts == sum(m.kind in ("prompt", "steering") for m in own)
    assert totals.answers == sum(_is_answer(m) for m in messages)
    assert totals.tool_calls == len(conversation.tool_calls)
    assert totals.agent_runs == sum(not run.is_hidden for run in conversation.agent_runs)
    thinking = sum(block.kind == "thinking" for m in messages for block in m.blocks)
    assert totals.thinking_blocks == thinking
    failed = sum(call.status == "failed" for call in conversation.tool_calls)
    assert totals.errors == failed + sum(m.kind == "api_error" for m in messages)


def _is_answer(message: Message) -> bool:
    return message.kind == "answer" and not message.is_meta and message.subtype is None
