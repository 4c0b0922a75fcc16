"""Prompts that the client wrote down more than once, as it does with pictures."""

from clew.clock import milliseconds
from clew.conversation.messages import Drafted
from clew.conversation.model import Duplicate, Message
from clew.conversation.nodes import Node, Nodes

_AT_ONCE_MS = 2000


def set_aside_duplicate_prompts(draft: Drafted, nodes: Nodes) -> None:
    """Of prompts with one parent, one content and nearly one time, keep the first."""
    kept: dict[tuple[str | None, object], Message] = {}
    dropped: set[str] = set()
    for message in draft.messages:
        if message.kind != "prompt" or len(message.entry_ids) != 1:
            continue
        node = nodes.by_id[message.entry_ids[0]]
        first = kept.setdefault((node.parent, message.blocks), message)
        if first is not message and _at_once(first, message):
            _set_aside(draft, node, first)
            dropped.add(message.id)
    if dropped:
        draft.messages = [m for m in draft.messages if m.id not in dropped]


def _set_aside(draft: Drafted, node: Node, first: Message) -> None:
    location = node.location
    draft.duplicates.append(
        Duplicate(node.id, first.id, location.file, location.line, location.offset)
    )
    draft.of_node[node.id] = first


def _at_once(first: Message, second: Message) -> bool:
    one, two = milliseconds(first.started_at), milliseconds(second.started_at)
    return one is not None and two is not None and abs(two - one) <= _AT_ONCE_MS
