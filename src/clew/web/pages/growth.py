"""Growth: a number for each section of a page, which changes when the section does.

A page that is open asks again for those sections alone whose number is another one.
"""

from collections.abc import Iterator, Sequence
from zlib import crc32

import msgspec

from clew.conversation import Message
from clew.view import Index, Layout, TurnView


def section_words(layout: Layout, turns: Sequence[TurnView]) -> tuple[int, ...]:
    """Sum up what stands in each section: messages, calls and runs as far as they are known.

    Where a turn begins, a line tells what came of all of it, wherever the rest stands.
    """
    words = {place.index: 0 for place in layout.places}
    for section, told in _told(layout):
        if section in words:
            words[section] = crc32(told.encode("utf-8", "replace"), words[section])
    heads = {turn.index: msgspec.json.encode(turn) for turn in turns}
    for place in layout.places:
        if place.is_first:
            words[place.index] = crc32(heads.get(place.turn, b""), words[place.index])
    return tuple(words[place.index] for place in layout.places)


def _told(layout: Layout) -> Iterator[tuple[int, str]]:
    """Give what can change of each thing, with the section that shows it."""
    index = layout.context.index
    homes = _homes(index)
    messages = {message.id: message for message in index.conversation.messages}
    for message in messages.values():
        told = f"{message.id} {len(message.entry_ids)}"
        yield _section(message.id, layout, homes, messages), told
        if message.id in layout.elsewhere:
            yield layout.elsewhere[message.id], told
    for call in index.calls.values():
        told = f"{call.id} {call.status} {call.background_status} {call.ended_at}"
        yield _section(call.message_id, layout, homes, messages), told
    for run in index.conversation.agent_runs:
        told = f"{run.id} {run.status} {run.ended_at}"
        yield _section(homes.get(run.id), layout, homes, messages), told


def _homes(index: Index) -> dict[str, str]:
    """Give for each agent run the message that it hangs on."""
    homes = {
        run.id: index.calls[call_id].message_id
        for call_id, runs in index.runs_by_call.items()
        for run in runs
    }
    homes.update((run.id, place) for place, runs in index.unattached_runs.items() for run in runs)
    return homes


def _section(
    name: str | None, layout: Layout, homes: dict[str, str], messages: dict[str, Message]
) -> int:
    """Give the section of a message: its own, or that of what its run hangs on."""
    seen: set[str] = set()
    while name is not None and name not in layout.sections and name not in seen:
        seen.add(name)
        holder = messages.get(name)
        run = None if holder is None else holder.agent_run_id
        name = None if run is None else homes.get(run)
    return -1 if name is None else layout.sections.get(name, -1)
