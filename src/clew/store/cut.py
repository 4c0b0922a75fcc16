"""A session's conversation and rows → where to cut it, so that its growth costs only its growth.

A cut is proved, not assumed: what stands behind it is built on its own, and must give exactly the
rows that the whole gave. Where it does not, there is no cut, and the whole is built each time.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from clew.conversation import Conversation, Material, Message, Transcript, TranscriptKind, build
from clew.store.fits import (
    TOLD_ONCE,
    fits,
    is_apart,
    is_sure,
    latest_time,
    reaches_back,
    usual_time,
)
from clew.store.names import pack_prints, past_names, to_prints
from clew.store.past import CUT_TABLES, Cut, part
from clew.store.place import Place, Whole, past_before
from clew.store.queued import past_words
from clew.store.rows import SessionRows
from clew.store.tail import rows_after

# So much stays behind a cut: what comes late mostly answers something recent.
TAIL_BYTES: Final = 128 << 10
# A cut costs another look at the tail. It is made at first sight, after a first growth, and moved
# only where so much stands before it.
FIRST_BYTES: Final = 4 << 20
GROWN_BYTES: Final = 512 << 10
STEP_BYTES: Final = 64 << 10
_TRIES: Final = 4
_NEAR: Final = 8
_NOT_CUT: Final = (TranscriptKind.WORKFLOW, TranscriptKind.JOURNAL)
_UNDELIVERED: Final = "undelivered"
_FRESH_START: Final = "/clear"
_ORDERED: Final = ("message", "block")


def find_cut(whole: Whole, worth: int) -> Cut | None:
    """Find the best place for a cut and prove it; None when there is none.

    A past shorter than `worth` bytes is not worth a cut. The rows of each table are put in order:
    those before the cut, then those behind it.
    """
    if not whole.main.entries or whole.material.workflows:
        return None
    cuts = (_try(whole, number) for number in _places(whole, worth))
    return next((cut for cut in cuts if cut is not None), None)


def main_transcript(material: Material) -> Transcript | None:
    """Give a session's own transcript, when it has one, and all files are plain and apart."""
    transcripts = material.transcripts
    own = [t for t in transcripts if t.kind is TranscriptKind.SESSION]
    are_plain = all(t.kind not in _NOT_CUT for t in transcripts)
    are_apart = len({t.name for t in transcripts}) == len(transcripts)
    return own[0] if len(own) == 1 and are_plain and are_apart else None


def _places(whole: Whole, worth: int) -> list[int]:
    """Give the messages where a session may be cut, the most promising first."""
    end = whole.main.entries[-1].offset
    first = (whole.base.offset if whole.base else 0) + worth
    late: deque[int] = deque()
    for number, message in _candidates(whole):
        offset = message.lines[0].offset
        if offset < first:
            break
        late.appendleft(number)
        if offset <= end - TAIL_BYTES:
            break
    return list(late)[:_TRIES]


def _candidates(whole: Whole) -> Iterator[tuple[int, Message]]:
    """Give prompts and answers at the end of the main thread, the last first."""
    messages = whole.conversation.messages
    unsure = {run.id for run in whole.conversation.agent_runs if not is_sure(run)}
    last: Message | None = None
    for number in range(len(messages) - 1, 0, -1):
        message = messages[number]
        if reaches_back(message) or message.agent_run_id in unsure:
            return
        if message.agent_run_id is not None or not message.lines:
            continue
        last = last or message
        if message.epoch != last.epoch or message.thread_ids != last.thread_ids:
            return
        if _is_talk(message):
            yield number, message


def _is_talk(message: Message) -> bool:
    """Tell whether a fork above a message would not change by what comes below it."""
    is_prompt = message.kind == "prompt" and message.subtype != _UNDELIVERED
    is_answer = message.kind == "answer" and message.subtype is None
    return (is_prompt or is_answer) and not message.retries and len(message.thread_ids) == 1


def _try(whole: Whole, number: int) -> Cut | None:
    entries = whole.main.entries
    offset = whole.conversation.messages[number].lines[0].offset
    index = bisect_left(entries, offset, key=lambda entry: entry.offset)
    first = entries[index]
    # What stands just before is looked at first: a cut is never made within one moment.
    if first.start or latest_time(entries[max(0, index - _NEAR) : index]) >= usual_time(first):
        return None
    running = _runs_behind(whole.conversation, number)
    stretch, behind = _part_material(whole, index, running)
    if not _is_settled(whole, stretch, number):
        return None
    place = Place(whole, index, number, stretch, behind, build(behind))
    past = past_before(place)
    if past is None or not fits(past, behind, place.tail):
        return None
    names, said = pack_prints(to_prints(_names(place))), _said(place)
    if not is_apart(whole.names + names, f"{whole.said}\n{said}", behind, place.tail):
        return None
    counts = _part_rows(whole.rows, rows_after(past, behind, place.tail, whole.rows.session))
    return None if counts is None else Cut(past, names, said, counts)


def _runs_behind(conversation: Conversation, number: int) -> set[str]:
    """Give the agent runs whose messages stand at or behind a message."""
    read = {message.id for message in conversation.messages[number:]}
    calls = {call.id for call in conversation.tool_calls if call.message_id in read}
    runs = {m.agent_run_id for m in conversation.messages[number:] if m.agent_run_id}
    return runs | {run.id for run in conversation.agent_runs if run.tool_call_id in calls}


def _part_material(whole: Whole, index: int, running: set[str]) -> tuple[Material, Material]:
    material, main = whole.material, whole.main
    others = [t for t in material.transcripts if t is not main]
    behind = [t for t in others if (t.agent_id or t.name) in running]
    before = [t for t in others if (t.agent_id or t.name) not in running]
    replace = msgspec.structs.replace
    stretch = replace(main, entries=main.entries[:index])
    rest = replace(main, entries=main.entries[index:])
    metas = {name: meta for name, meta in material.metas.items() if name in running}
    return (
        replace(material, transcripts=(stretch, *before)),
        replace(material, transcripts=(rest, *behind), metas=metas, custom_title=None),
    )


def _is_settled(whole: Whole, stretch: Material, number: int) -> bool:
    """Tell whether what a session is called and begins with no longer changes."""
    others = stretch.transcripts[1:]
    if any(isinstance(entry.body, TOLD_ONCE) for t in others for entry in t.entries):
        return False
    return whole.base is not None or _has_first_prompt(whole.conversation.messages[:number])


def _has_first_prompt(messages: Iterable[Message]) -> bool:
    own = (m for m in messages if m.agent_run_id is None and m.kind == "prompt")
    return any(m.text.strip() not in ("", _FRESH_START) for m in own)


def _names(place: Place) -> set[str | None]:
    """Give the names of all that stands between the last cut and this place."""
    calls = {call.id for call in place.tail.tool_calls}
    names = past_names(place.stretch, place.whole.conversation, place.number, calls)
    names.update(past_words(place.queued, place.whole.conversation.messages[: place.number]))
    return names


def _said(place: Place) -> str:
    """Give all prompts between the last cut and this place."""
    before = place.whole.conversation.messages[: place.number]
    own = (m for m in before if m.agent_run_id is None and m.kind in ("prompt", "steering"))
    return "\n".join(message.text for message in own)


def _part_rows(rows: SessionRows, tail: SessionRows) -> dict[str, int] | None:
    """Put the rows before the cut first, and count them; None when the tail's are not the same."""
    parts: dict[str, list[tuple[Any, ...]]] = {}
    for table in CUT_TABLES:
        before = part(rows.tables[table], tail.tables[table])
        if before is None or (table in _ORDERED and before != rows.tables[table][: len(before)]):
            return None
        parts[table] = before
    if rows.session != tail.session:
        return None
    for table, before in parts.items():
        rows.tables[table] = [*before, *tail.tables[table]]
    return {table: len(before) for table, before in parts.items()}
