"""A checksum for each section of a session's page, which changes when the section does.

An open page reloads only the sections whose checksum has changed.
"""

from collections.abc import Iterator, Sequence
from zlib import crc32

import msgspec

from clew.conversation import Message
from clew.view import Layout, PageIndex, TurnView


def section_checksums(layout: Layout, turns: Sequence[TurnView]) -> tuple[int, ...]:
    """Compute the checksum of the messages, calls and runs of each section.

    The first section of a turn has the turn's totals, which other sections may change.
    """
    sums = {place.index: 0 for place in layout.places}
    for section, state in _states(layout):
        if section in sums:
            sums[section] = crc32(state.encode("utf-8", "replace"), sums[section])
    heads = {turn.index: msgspec.json.encode(turn) for turn in turns}
    for place in layout.places:
        if place.is_first:
            sums[place.index] = crc32(heads.get(place.turn, b""), sums[place.index])
    return tuple(sums[place.index] for place in layout.places)


def _states(layout: Layout) -> Iterator[tuple[int, str]]:
    """Give what can change of each message, call and run, with the section that shows it."""
    index = layout.context.index
    homes = _homes(index)
    messages = {message.id: message for message in index.conversation.messages}
    for message in messages.values():
        state = f"{message.id} {len(message.entry_ids)}"
        yield _section(message.id, layout, homes, messages), state
        if message.id in layout.elsewhere:
            yield layout.elsewhere[message.id], state
    for call in index.calls.values():
        state = f"{call.id} {call.status} {call.background_status} {call.ended_at}"
        yield _section(call.message_id, layout, homes, messages), state
    for run in index.conversation.agent_runs:
        state = f"{run.id} {run.status} {run.ended_at}"
        yield _section(homes.get(run.id), layout, homes, messages), state


def _homes(index: PageIndex) -> dict[str, str]:
    """Give for each agent run the message that it hangs on."""
    homes = {
        run.id: index.calls[call_id].message_id
        for call_id, runs in index.runs_by_call.items()
        for run in runs
    }
    homes.update((run.id, name) for name, runs in index.unattached_runs.items() for run in runs)
    return homes


def _section(
    name: str | None, layout: Layout, homes: dict[str, str], messages: dict[str, Message]
) -> int:
    """Find the section of a message: its own, or that of the message its run hangs on."""
    seen: set[str] = set()
    while name is not None and name not in layout.sections and name not in seen:
        seen.add(name)
        message = messages.get(name)
        run = None if message is None else message.agent_run_id
        name = None if run is None else homes.get(run)
    return -1 if name is None else layout.sections.get(name, -1)
