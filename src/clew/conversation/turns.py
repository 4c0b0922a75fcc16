"""Steps 4 and 5: cut threads at compactions into epochs, group messages into turns, pair them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from clew.clock import milliseconds
from clew.conversation.model import Epoch, Message, ToolCall, Turn
from clew.conversation.nodes import Node
from clew.conversation.threads import Segment
from clew.conversation.usage import add_up, usages_of
from clew.entries import CompactBoundary, ConversationOperation, TurnDuration

_CUTS: Final = ("system", "compaction_summary")
_COMPACTED: Final = "conversation_compacted"
_RESTORED: Final = "conversation_restored"
_STARTERS: Final = ("prompt", "command", "bash_input")
_PAIRS: Final = {"command_output": "command", "bash_output": "bash_input"}
# What a turn is made of; all else may also come after the work is done.
_WORK: Final = ("prompt", "steering", "answer", "tool_results", "api_error", "interrupt")
_WORK_NOTES: Final = ("stop_hook_summary",)


def number_epochs(segments: list[Segment], by_id: Mapping[str, Node]) -> list[Epoch]:
    """Number the epochs; a compaction's boundary, its lone summary or its undoing begins one."""
    epochs = [Epoch(index=0)]
    ends: dict[int, int] = {}
    for segment in segments:
        current = 0 if segment.parent is None else ends[segment.parent]
        for message in segment.messages:
            boundary = _boundary(message, epochs[current], by_id)
            if boundary is not None:
                boundary.index = current = len(epochs)
                epochs.append(boundary)
            elif message.kind == "compaction_summary":
                epochs[current].summary_id = message.id
            message.epoch = current
        ends[segment.index] = current
    return epochs


def _boundary(message: Message, current: Epoch, by_id: Mapping[str, Node]) -> Epoch | None:
    if message.kind not in _CUTS or not message.entry_ids:
        return None
    body = by_id[message.entry_ids[0]].entry.body
    if isinstance(body, CompactBoundary):
        data = body.compact_metadata
        return Epoch(
            index=0,
            boundary_id=message.id,
            trigger=(data.trigger or None) if data else None,
            tokens_before=data.pre_tokens if data else None,
            tokens_after=data.post_tokens if data else None,
        )
    is_compacted = current.boundary_id is not None and not current.is_restored
    if isinstance(body, ConversationOperation):
        return _operation(message, body, is_compacted=is_compacted)
    announced = is_compacted and current.summary_id is None
    if message.kind == "compaction_summary" and not announced:
        return Epoch(index=0, boundary_id=message.id, summary_id=message.id)
    return None


def _operation(
    message: Message, body: ConversationOperation, *, is_compacted: bool
) -> Epoch | None:
    """Make an epoch of an operation of the flat dialect that begins one."""
    if body.content == _RESTORED and is_compacted:
        return Epoch(index=0, boundary_id=message.id, is_restored=True)
    if body.content != _COMPACTED:
        return None
    data = body.metadata
    return Epoch(
        index=0,
        boundary_id=message.id,
        kept_messages=data.preserved_messages if data else None,
        total_messages=data.total_messages if data else None,
        compression_ratio=data.compression_ratio if data else None,
    )


def count_compactions(epochs: Sequence[Epoch]) -> int:
    """Count how often the past was replaced."""
    return sum(epoch.boundary_id is not None and not epoch.is_restored for epoch in epochs)


def first_whole_epoch(epochs: Sequence[Epoch]) -> int:
    """Return the epoch before which all messages are compacted, as things are at the end."""
    last = epochs[-1] if epochs else Epoch(index=0)
    return 0 if last.is_restored else last.index


def group_turns(segments: list[Segment]) -> list[Turn]:
    """Begin a turn at each prompt, and at each command or shell input that the model answers."""
    turns: list[Turn] = []
    members: list[list[str]] = []
    ends: dict[int, int | None] = {}
    for segment in segments:
        current = None if segment.parent is None else ends[segment.parent]
        starts = _starts(segment.messages)
        for message in segment.messages:
            if message.kind in _STARTERS and message.id in starts:
                current = len(turns)
                turns.append(Turn(index=current + 1, prompt_id=message.id))
                members.append([])
            if current is not None:
                message.turn = current + 1
                members[current].append(message.id)
        ends[segment.index] = current
    for turn, ids in zip(turns, members, strict=True):
        turn.message_ids = tuple(ids)
    return turns


def _starts(messages: list[Message]) -> set[str]:
    """Look ahead: a command that no answer follows is an aside within its turn."""
    starts = set()
    answered = False
    for message in reversed(messages):
        if message.kind == "answer" and message.subtype is None:
            answered = True
        elif message.kind in _STARTERS:
            if message.kind == "prompt" or answered:
                starts.add(message.id)
            answered = False
    return starts


def finish_turns(
    turns: list[Turn],
    messages: Mapping[str, Message],
    calls: list[ToolCall],
    by_id: Mapping[str, Node],
    uncounted: Collection[int | None] = (),
) -> None:
    """Add up each turn once agent runs have joined it; `uncounted` ones have missing runs."""
    grouped: list[list[Message]] = [[] for _ in turns]
    for message in messages.values():
        if message.turn is not None:
            grouped[message.turn - 1].append(message)
    counts = [0] * len(turns)
    for call in calls:
        caller = messages.get(call.message_id)
        if caller is not None and caller.turn is not None:
            counts[caller.turn - 1] += 1
    for turn, own, count in zip(turns, grouped, counts, strict=True):
        turn.tool_call_count = count
        turn.usage = add_up(usages_of(own, is_complete=turn.index not in uncounted))
        timed = [m for m in own if _takes_time(m, turn.prompt_id)]
        turn.started_at = min((m.started_at for m in timed if m.started_at), default="")
        turn.ended_at = max((m.ended_at for m in timed if m.ended_at), default="")
        turn.duration_ms = _duration(turn, own, by_id)


def _takes_time(message: Message, prompt_id: str) -> bool:
    """Return whether the turn that began with a prompt lasted until this message of it.

    A run in the background may go on for long, and a person may come back after days to leave.
    """
    is_work = message.kind in _WORK or message.subtype in _WORK_NOTES
    return message.id == prompt_id or (is_work and message.agent_run_id is None)


def _duration(turn: Turn, own: list[Message], by_id: Mapping[str, Node]) -> int | None:
    """The client's own measure where it wrote one, else from start to end."""
    measured = [
        body.duration_ms
        for message in own
        if message.subtype == "turn_duration"
        and isinstance(body := by_id[message.entry_ids[0]].entry.body, TurnDuration)
        and body.duration_ms is not None
    ]
    if measured:
        return round(sum(measured))
    start, end = milliseconds(turn.started_at), milliseconds(turn.ended_at)
    return None if start is None or end is None else end - start


def pair_messages(segments: list[Segment]) -> None:
    """Join a command with its output and a shell input with its own, for folding."""
    for segment in segments:
        waiting: dict[str, Message] = {}
        for message in segment.messages:
            if message.kind in _PAIRS.values():
                waiting[message.kind] = message
            elif message.kind in _PAIRS:
                asked = waiting.get(_PAIRS[message.kind])
                if asked is not None:
                    message.pair_id = asked.id
                    asked.pair_id = asked.pair_id or message.id
