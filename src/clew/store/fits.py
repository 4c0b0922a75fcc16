"""Whether the end of a session, built on its own, is what it would be behind its past.

Whatever is unusual is refused: the whole is built then.
"""

from collections.abc import Iterable
from typing import Final

from clew.clock import format_time, milliseconds, parse_time
from clew.conversation import AgentRun, Conversation, Material, Message, ToolCall
from clew.entries import (
    AgentName,
    AiTitle,
    ContinuedIn,
    CostState,
    CustomTitle,
    Entry,
    Marker,
    QueueOperation,
    Relocated,
    Row,
    Summary,
    Unknown,
    WorktreeState,
    result_links,
)
from clew.store.names import shares_print, tail_names, to_prints
from clew.store.past import Past
from clew.store.queued import is_spoken, lone_words, queue_operations, spoken_forms

_OUTPUTS: Final = ("command_output", "bash_output")
GUESSED: Final = (None, "prompt", "description")
_QUOTABLE: Final = ("prompt", "steering")
_USUAL_TIME: Final = len("2026-11-15T08:35:38.063Z")
# What one of these says holds for the whole session.
_REFUSED: Final = (Summary, WorktreeState, Relocated, AgentName)
TOLD_ONCE: Final = (*_REFUSED, AiTitle, ContinuedIn, CostState, CustomTitle, QueueOperation)


def fits(past: Past, material: Material, conversation: Conversation) -> bool:
    """Tell whether a tail, built alone, may be what it would be behind its past."""
    main, *others = material.transcripts
    return (
        _is_one_thread(past, conversation)
        and _is_timely(past, main.entries, conversation)
        and all(_is_plain(entry, past) for entry in main.entries)
        and not any(isinstance(e.body, TOLD_ONCE) for t in others for e in t.entries)
        and not any(problem.kind == "orphan_result" for problem in conversation.problems)
        and all(map(is_sure, conversation.agent_runs))
        and not any(_began_before(run, conversation) for run in conversation.agent_runs)
        and not any(_is_doubtful(call, past) for call in conversation.tool_calls)
        and not _repeats_queue(past, main.entries, conversation)
    )


def is_apart(packed: bytes, said: str, material: Material, conversation: Conversation) -> bool:
    """Tell whether a tail shares no name with its past, and none of its queued words stand there.

    `packed` are the prints of the past's names, `said` are its prompts.
    """
    queued = queue_operations(material.transcripts[0].entries)
    lone = lone_words(queued, conversation.messages)
    prompts = [m.text for m in conversation.messages if m.kind in _QUOTABLE]
    if any(_is_quoted(words, said, prompts) for words in lone):
        return False
    return not shares_print(to_prints(tail_names(material, conversation)), packed)


def _is_quoted(words: str, said: str, prompts: list[str]) -> bool:
    """Tell whether a prompt before the cut, or one across it, may repeat words of the queue."""
    lines = words.split("\n")
    ends = ["\n".join(lines[number:]) for number in range(1, len(lines))]
    across = any(prompt.startswith(end) for prompt in prompts for end in ends)
    return across or all(line in said for line in lines)


def usual_time(entry: Entry) -> str:
    """Give an entry's time when it is written as clients do, else nothing."""
    text = entry.body.timestamp or ""
    is_usual = len(text) == _USUAL_TIME and text.endswith("Z")
    return text if is_usual and milliseconds(text) is not None else ""


def latest_time(entries: Iterable[Entry]) -> str:
    """Give the latest time of entries, nothing when none has one."""
    texts = {entry.body.timestamp or "" for entry in entries}
    return max(map(_normal_time, texts), default="")


def _normal_time(text: str) -> str:
    """Times compare as texts when they are written alike, as nearly all are."""
    if len(text) == _USUAL_TIME and text.endswith("Z"):
        return text
    moment = parse_time(text) if text else None
    return "" if moment is None else format_time(moment)


def _is_one_thread(past: Past, conversation: Conversation) -> bool:
    """Tell whether all is one thread of one epoch that begins where the cut is."""
    first = conversation.messages[0] if conversation.messages else None
    return (
        first is not None
        and first.agent_run_id is None
        and bool(first.lines)
        and first.lines[0].offset == past.offset
        and first.lines[0].file == past.path
        and len(conversation.threads) == 1
        and len(conversation.epochs) == 1
        and not any(reaches_back(message) for message in conversation.messages)
    )


def reaches_back(message: Message) -> bool:
    """Tell whether a message might belong to another one before the cut."""
    lone_output = message.kind in _OUTPUTS and message.pair_id is None
    return lone_output or message.kind == "compaction_summary"


def _is_timely(past: Past, entries: tuple[Entry, ...], conversation: Conversation) -> bool:
    """Tell whether nothing in the tail is older than its beginning, nor that than the past."""
    time = usual_time(entries[0])
    session = conversation.session
    return (
        past.time < time == session.started_at and milliseconds(session.ended_at or "") is not None
    )


def _is_plain(entry: Entry, past: Past) -> bool:
    body = entry.body
    if isinstance(body, Marker):
        return not isinstance(body, _REFUSED)
    if not isinstance(body, Row):
        return True
    is_side = body.is_sidechain and not isinstance(body, Unknown)
    return not is_side and (past.is_fork or not body.forked_from)


def is_sure(run: AgentRun) -> bool:
    """Tell whether a run hangs by something that no call elsewhere can outdo, or is hidden."""
    is_plain = run.kind == "agent" and run.has_transcript and run.link not in GUESSED
    return is_plain or run.is_hidden


def _began_before(run: AgentRun, conversation: Conversation) -> bool:
    """Tell whether a run that stands where it began would stand in the past."""
    return run.is_hidden and run.started_at < conversation.session.started_at


def _is_doubtful(call: ToolCall, past: Past) -> bool:
    """Tell whether a call might have started a run that stands in the past."""
    asks = past.has_loose_runs and b'"prompt"' in bytes(call.input)
    links = result_links(call.result)
    return asks or bool(links.teammate_id or links.run_id or links.transcript_dir)


def _repeats_queue(past: Past, entries: tuple[Entry, ...], conversation: Conversation) -> bool:
    """Tell whether words of the queue, there or here, may be taken otherwise than each alone."""
    if _takes_out(past, entries, conversation):
        return True
    if not past.lone:
        return False
    spoken = [message for message in conversation.messages if is_spoken(message)]
    said = "\n".join(form for message in spoken for form in spoken_forms(message))
    has_command = any(message.kind == "command" for message in spoken)
    return any(
        words.rpartition("\n")[2] in said or (has_command and words.startswith("/"))
        for words in past.lone
    )


def _takes_out(past: Past, entries: tuple[Entry, ...], conversation: Conversation) -> bool:
    """Tell whether it matters that the tail takes words out of the queue that wait in the past.

    How words left the queue is told of those that stand there alone, and of commands.
    """
    queued = queue_operations(entries)
    if not past.waiting or all(operation.is_enqueue for operation in queued):
        return False
    words = (*past.waiting, *(operation.text for operation in queued))
    return (
        bool(lone_words(queued, conversation.messages))
        or not set(past.waiting).isdisjoint(past.lone)
        or any(text.startswith("/") for text in words)
    )
