"""Rows that share a uuid and say different things.

The first of them is the message. A later one is no copy, since it has words of its own: it is
listed with the message as a variant of it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from clew.conversation.blocks import block_json, to_block, to_blocks
from clew.conversation.model import Block, Duplicate, Location, Message, Variant
from clew.conversation.nodes import Node, Nodes
from clew.entries import (
    AnyBlock,
    Assistant,
    AttachmentRow,
    Entry,
    Row,
    System,
    ToolUseBlock,
    User,
    attachment_text,
    classify,
)
from clew.problems import Problem


def attach_variants(nodes: Nodes, of_node: Mapping[str, Message]) -> None:
    """Move rows that say something else from the duplicates to the message with their uuid."""
    moved: Counter[tuple[str, Location]] = Counter()
    for node in nodes.repeated:
        known, message = nodes.by_id.get(node.id), of_node.get(node.id)
        if known is None or message is None or not _says_other(known.entry, node.entry):
            continue
        location = node.location
        message.variants = (*message.variants, _to_variant(node))
        moved[node.id, location] += 1
        if known.entry.file != location.file:
            where = (location.file, location.line, location.offset)
            nodes.problems.append(Problem("duplicate_uuid", "different content", *where))
    if moved:
        nodes.duplicates[:] = list(_without(nodes.duplicates, moved))


def _without(
    copies: Iterable[Duplicate], moved: Counter[tuple[str, Location]]
) -> Iterator[Duplicate]:
    """Leave out as many copies as were moved: transcripts in two roots have equal locations."""
    for copy in copies:
        name = (copy.id, copy.location)
        if moved[name] > 0:
            moved[name] -= 1
        else:
            yield copy


def _says_other(known: Entry, other: Entry) -> bool:
    words = _words(other)
    return bool(words) and words != _words(known)


def _words(entry: Entry) -> tuple[Block, ...]:
    """Return what a row says; of one that is not understood, nothing can be compared."""
    match entry.body:
        case User(message=message) | Assistant(message=message):
            content = message.content
            if isinstance(content, str):
                return to_blocks(content)
            return tuple(map(_whole_block, content))
        case System(content=content):
            return to_blocks(content)
        case AttachmentRow(attachment=attachment):
            return to_blocks(attachment_text(attachment))
        case _:
            return ()


def _whole_block(block: AnyBlock) -> Block:
    """Keep a call with its input, since no call is made of it."""
    if isinstance(block, ToolUseBlock):
        return Block("other", block.name, block.id, data=block_json(block))
    return to_block(block)


def _to_variant(node: Node) -> Variant:
    body = node.entry.body
    blocks = _words(node.entry)
    answer = body.message if isinstance(body, Assistant) else None
    joined = "\n".join(block.text for block in blocks if block.kind == "text")
    return Variant(
        type=body.type if isinstance(body, Row) else "",
        message_id=(answer.id or None) if answer else None,
        model=(answer.model or None) if answer else None,
        at=node.time,
        text=classify(body).text if isinstance(body, User) else joined,
        blocks=blocks,
        line=node.location,
    )
