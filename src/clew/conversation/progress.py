"""Progress that no message and no call contains: hooks that ran, and waiting for a task."""

from collections.abc import Iterable, Iterator

from clew.conversation.model import Message, ProgressNote, ToolCall
from clew.conversation.nodes import Node, Nodes
from clew.entries import HookProgress, ProgressRow, WaitingForTask


def note_progress(
    nodes: Nodes, calls: Iterable[ToolCall], of_node: dict[str, Message]
) -> tuple[ProgressNote, ...]:
    """List hooks and waits, each with its call or the message it follows, in order of rows."""
    known = {call.id for call in calls}
    found = [node for node in nodes.progress if nodes.by_id.get(node.id) is node]
    is_anchored = any(_call_id(node) not in known for node in found)
    previous = _previous_messages(nodes, of_node) if is_anchored else {}
    return tuple(_notes(found, known, previous))


def _notes(
    progress: Iterable[Node], known: set[str], previous: dict[str, Message | None]
) -> Iterator[ProgressNote]:
    for node in progress:
        body = node.entry.body
        if not isinstance(body, ProgressRow) or not isinstance(
            body.data, HookProgress | WaitingForTask
        ):
            continue
        call_id = _call_id(node)
        message = previous.get(node.id)
        yield ProgressNote(
            id=node.id,
            data=body.data,
            agent_run_id=node.context or None,
            tool_call_id=call_id if call_id in known else None,
            message_id=message.id if call_id not in known and message is not None else None,
            at=node.time,
            place=node.location,
        )


def _call_id(node: Node) -> str:
    body = node.entry.body
    return (body.parent_tool_use_id or "") if isinstance(body, ProgressRow) else ""


def _previous_messages(nodes: Nodes, of_node: dict[str, Message]) -> dict[str, Message | None]:
    """Find for each row without a message the one above it, else the last one written before it."""
    above: dict[str, Message | None] = {}
    latest: dict[str, Message] = {}
    for node in nodes.by_id.values():
        own = of_node.get(node.id)
        if own is None:
            parent = node.parent or ""
            inherited = of_node.get(parent) or above.get(parent)
            is_here = inherited is not None and inherited.agent_run_id == (node.context or None)
            above[node.id] = inherited if is_here else latest.get(node.context)
        else:
            latest[node.context] = own
    return above
