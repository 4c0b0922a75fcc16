"""Find the section of a message, call or run, so that links stay valid when a page changes."""

from collections.abc import Iterator

from clew.conversation import Message
from clew.view.index import PageIndex
from clew.view.layout import Layout, make_layout
from clew.view.options import ViewOptions


def find_section(
    index: PageIndex, options: ViewOptions, anchor_id: str, layout: Layout | None = None
) -> int | None:
    """Return the section that contains a message, a tool call or an agent run, however nested.

    What the detail leaves out is in the section where it would be. None where the page has
    nothing with that id.

    Args:
        index: The conversation.
        options: How much to show.
        anchor_id: The id of a message, of one of its entries, of a call or of a run.
        layout: The result of `make_layout` for both, where it is cached.

    Raises:
        NotFoundError: The session has no turn with that number.
    """
    laid_out = layout or make_layout(index, options)
    sections = laid_out.sections
    if not anchor_id:
        return None
    if anchor_id in sections:
        return laid_out.elsewhere.get(anchor_id, sections[anchor_id])
    messages = {message.id: message for message in index.conversation.messages}
    messages.update(index.progress_messages)
    for name in _ancestors(anchor_id, messages, index):
        if name in sections:
            return sections[name]
    return None


def _ancestors(anchor_id: str, messages: dict[str, Message], index: PageIndex) -> Iterator[str]:
    """Yield an element and what contains it, from the inside out: call, message, run."""
    name: str | None = anchor_id
    if anchor_id not in messages and anchor_id not in index.calls:
        owners = (m.id for m in messages.values() if anchor_id in m.entry_ids)
        name = next(owners, anchor_id)
    seen: set[str] = set()
    while name is not None and name not in seen:
        seen.add(name)
        yield name
        name = _parent(name, messages, index)


def _parent(name: str, messages: dict[str, Message], index: PageIndex) -> str | None:
    """Return what contains a call, a run, or a message of a run."""
    if name in messages:
        return messages[name].agent_run_id
    if name in index.calls:
        return index.calls[name].message_id
    for call_id, runs in index.runs_by_call.items():
        if any(run.id == name for run in runs):
            return index.calls[call_id].message_id
    return next(
        (place for place, runs in index.unattached_runs.items() if any(r.id == name for r in runs)),
        None,
    )
