"""Growth: a number for each section of a page, which changes when the section does.

A page that is open asks again for those sections alone whose number is another one.
"""

from collections import Counter

from clew.conversation import Message
from clew.view import Index, Layout


def section_words(layout: Layout) -> tuple[int, ...]:
    """Count what stands in each section: entries, and calls that came back."""
    index = layout.scope.index
    homes = _homes(index)
    counts: Counter[int] = Counter()
    messages = {message.id: message for message in index.conversation.messages}
    for message in messages.values():
        counts[_section(message, layout, homes, messages)] += 1 + len(message.entry_ids)
    for call in index.calls.values():
        owner = messages.get(call.message_id)
        if owner is not None and call.ended_at:
            counts[_section(owner, layout, homes, messages)] += 1
    return tuple(counts[place.index] for place in layout.places)


def _homes(index: Index) -> dict[str, str]:
    """Give for each agent run the message that it hangs on."""
    homes = {
        run.id: index.calls[call_id].message_id
        for call_id, runs in index.runs_by_call.items()
        for run in runs
    }
    homes.update((run.id, place) for place, runs in index.loose_runs.items() for run in runs)
    return homes


def _section(
    message: Message, layout: Layout, homes: dict[str, str], messages: dict[str, Message]
) -> int:
    """Give the section of a message: its own, or that of what its run hangs on."""
    seen: set[str] = set()
    name: str | None = message.id
    while name is not None and name not in layout.sections and name not in seen:
        seen.add(name)
        holder = messages.get(name)
        run = None if holder is None else holder.agent_run_id
        name = None if run is None else homes.get(run)
    return -1 if name is None else layout.sections.get(name, -1)
