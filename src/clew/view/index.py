"""PageIndex: a conversation's messages in the order of a page, with the lookups of a page."""

from collections import deque
from collections.abc import Iterable
from typing import Final

import msgspec

from clew.analytics import (
    Bill,
    Bills,
    CompactionLoss,
    Recounts,
    bill_all,
    bill_messages,
    find_compaction_losses,
)
from clew.conversation import (
    AgentRun,
    Conversation,
    Epoch,
    Message,
    ProgressNote,
    Thread,
    ToolCall,
    Turn,
)
from clew.digest import SessionDigest
from clew.notes import SessionNote
from clew.tools import LineCounts, Wait, find_waits
from clew.view.progress import ProgressGroup, group_by_call, with_progress

# A branch within a branch, and so on; what forks deeper than anyone follows is read in one go.
_DEEPEST: Final = 8


class Branch(msgspec.Struct, frozen=True):
    """Messages that left a thread together, with the threads they lead to."""

    messages: list[Message]
    thread_ids: frozenset[str]


class PageIndex(msgspec.Struct, frozen=True):
    """A conversation, ready to be shown.

    `spine` is the session's own messages that are always shown: its main thread, and threads that
    share nothing with it. `branches` and `unattached_runs` are keyed by the message they follow, or
    by "" before the first; a branch that forks has branches at its own messages. Progress of calls
    is in `progress_by_call`; other progress is a message like others, and in `progress_messages`.
    `line_counts` are the changes of calls that were shown: to make a diff again takes long;
    `recounts` has those of calls that do not say them.
    `digest` is what a model wrote of the session, if one did. `waits` are the times that calls
    waited for a person. `note` is what the reader added to the session.
    """

    conversation: Conversation
    spine: list[Message]
    branches: dict[str, list[Branch]]
    unattached_runs: dict[str, list[AgentRun]]
    calls: dict[str, ToolCall]
    runs_by_call: dict[str, list[AgentRun]]
    messages_by_run: dict[str, list[Message]]
    epochs: dict[str, Epoch]
    turns: dict[str, Turn]
    recounts: Recounts
    bills: Bills
    turn_bills: dict[int, Bill]
    progress_by_call: dict[str, list[ProgressNote]] = {}
    progress_messages: dict[str, Message] = {}
    line_counts: dict[str, LineCounts] = {}
    digest: SessionDigest | None = None
    waits: dict[str, Wait] = {}
    losses: dict[str, CompactionLoss] = {}
    note: SessionNote | None = None

    def loss_of(self, boundary_id: str) -> CompactionLoss | None:
        """Return what a compaction lost; found out for all of them when one is shown."""
        if not self.losses:
            found = find_compaction_losses(self.conversation)
            self.losses.update({loss.message_id: loss for loss in found})
        return self.losses.get(boundary_id)

    def without_progress(self, messages: Iterable[Message]) -> list[Message]:
        """Return the messages that a transcript has, for counts and beginnings."""
        return [message for message in messages if message.id not in self.progress_messages]


def make_index(
    conversation: Conversation, digest: SessionDigest | None = None, note: SessionNote | None = None
) -> PageIndex:
    """Put a conversation in the order of a page."""
    messages = with_progress(conversation.messages, conversation.progress)
    own = [message for message in messages if message.agent_run_id is None]
    spine, branches = _split(own, _threads_off_the_spine(conversation.threads))
    _split_nested(branches)
    calls = {call.id: call for call in conversation.tool_calls}
    runs_by_call = _group_runs_by_call(conversation.agent_runs, calls)
    bills = bill_messages(conversation)
    return PageIndex(
        conversation=conversation,
        spine=spine,
        branches=branches,
        unattached_runs=_place_unattached(conversation, runs_by_call),
        calls=calls,
        runs_by_call=runs_by_call,
        messages_by_run=_group_by_run(messages),
        epochs={epoch.boundary_id: epoch for epoch in conversation.epochs if epoch.boundary_id},
        turns={turn.prompt_id: turn for turn in conversation.turns},
        recounts=Recounts(conversation),
        bills=bills,
        turn_bills=_bill_turns(conversation.messages, bills),
        progress_by_call=group_by_call(conversation.progress),
        waits=find_waits(conversation),
        progress_messages={m.id: m for m in messages if isinstance(m.content, ProgressGroup)},
        digest=digest,
        note=note,
    )


def calls_of(message: Message, index: PageIndex) -> list[ToolCall]:
    """Return the tool calls of an answer, in the order of its blocks."""
    ids = (block.tool_call_id for block in message.blocks if block.kind == "tool_use")
    found = (index.calls.get(call_id or "") for call_id in ids)
    return [call for call in found if call is not None and call.message_id == message.id]


def _split(
    messages: Iterable[Message], aside: frozenset[str]
) -> tuple[list[Message], dict[str, list[Branch]]]:
    """Part messages into those that go on and the branches that leave them, on `aside` threads."""
    spine: list[Message] = []
    branches: dict[str, list[Branch]] = {}
    current: Branch | None = None
    on_spine: set[str] = set()
    for message in messages:
        threads = frozenset(message.thread_ids)
        if not threads or threads - aside:
            spine.append(message)
            on_spine.add(message.id)
            current = None
        elif current is not None and threads <= current.thread_ids:
            current.messages.append(message)
        else:
            current = Branch([message], threads)
            parent = message.parent_id or ""
            place = parent if parent in on_spine else spine[-1].id if spine else ""
            branches.setdefault(place, []).append(current)
    return spine, branches


def _split_nested(branches: dict[str, list[Branch]]) -> None:
    """Part branches that fork again: each goes on with the thread that was written last."""
    waiting = deque((branch, 1) for own in branches.values() for branch in own)
    while waiting:
        branch, depth = waiting.popleft()
        aside = branch.thread_ids - {_last_thread(branch)}
        if not aside or depth >= _DEEPEST:
            continue
        trunk, inner = _split(branch.messages, aside)
        branch.messages[:] = trunk
        for place, own in inner.items():
            branches.setdefault(place, []).extend(own)
            waiting.extend((further, depth + 1) for further in own)


def _last_thread(branch: Branch) -> str:
    last: dict[str, tuple[str, int]] = {}
    for number, message in enumerate(branch.messages):
        for thread in branch.thread_ids.intersection(message.thread_ids):
            last[thread] = max(last.get(thread, ("", 0)), (message.ended_at, number))
    return max(last, key=last.__getitem__)


def _threads_off_the_spine(threads: Iterable[Thread]) -> frozenset[str]:
    """Return the threads that leave the main one; those that never met it belong to the spine."""
    known = list(threads)
    main = next((thread for thread in known if thread.is_main), None)
    if main is None:
        return frozenset()
    start = main.message_ids[:1]
    return frozenset(t.id for t in known if t is not main and t.message_ids[:1] == start)


def _group_runs_by_call(
    runs: Iterable[AgentRun], calls: dict[str, ToolCall]
) -> dict[str, list[AgentRun]]:
    runs_by_call: dict[str, list[AgentRun]] = {}
    for run in sorted(runs, key=lambda run: (run.started_at, run.id)):
        call = calls.get(run.tool_call_id or "")
        # A run that claims a call of its own would be looked for inside itself.
        if call is not None and call.agent_run_id != run.id:
            runs_by_call.setdefault(call.id, []).append(run)
    return runs_by_call


def _place_unattached(
    conversation: Conversation, runs_by_call: dict[str, list[AgentRun]]
) -> dict[str, list[AgentRun]]:
    """Find where runs that hang on no call come in the order of reading."""
    attached = {run.id for runs in runs_by_call.values() for run in runs}
    waiting = {run.id: run for run in conversation.agent_runs if run.id not in attached}
    loose: dict[str, list[AgentRun]] = {}
    place = ""
    for message in conversation.messages:
        if message.agent_run_id is None:
            place = message.id
        elif message.agent_run_id in waiting:
            loose.setdefault(place, []).append(waiting.pop(message.agent_run_id))
    if waiting:
        loose.setdefault(place, []).extend(waiting.values())
    return loose


def _group_by_run(messages: Iterable[Message]) -> dict[str, list[Message]]:
    grouped: dict[str, list[Message]] = {}
    for message in messages:
        if message.agent_run_id is not None:
            grouped.setdefault(message.agent_run_id, []).append(message)
    return grouped


def _bill_turns(messages: Iterable[Message], bills: Bills) -> dict[int, Bill]:
    grouped: dict[int, list[Message]] = {}
    for message in messages:
        if message.turn is not None:
            grouped.setdefault(message.turn, []).append(message)
    return {turn: bill_all(own, bills) for turn, own in grouped.items()}
