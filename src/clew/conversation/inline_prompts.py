"""What a person adds to a call's result, as when it is allowed with a remark: one row has both."""

from collections.abc import Mapping

import msgspec

from clew.conversation.model import Message
from clew.conversation.nodes import Node, Nodes
from clew.entries import classify_text

_REMARK = "remark"


def find_inline_prompts(nodes: Nodes, of_node: Mapping[str, Message]) -> list[tuple[Node, Message]]:
    """Return a node and a message for the words beside results; they are removed there."""
    found = []
    for name, results in of_node.items():
        if results.kind != "tool_results" or not results.text.strip() or _is_put_in(results):
            continue
        said = classify_text(results.text)
        own = f"{name}:{_REMARK}"
        if said.kind == "prompt" and own not in nodes.by_id:
            found.append((_below(nodes.by_id[name], own), _part(results, own, said.text)))
    return found


def _is_put_in(results: Message) -> bool:
    """Return whether the client says that it wrote the row itself, as with the body of a skill."""
    return results.is_meta or results.source_tool_call_id is not None


def _below(node: Node, name: str) -> Node:
    return Node(
        name, node.entry, node.context, node.order, node.time, node.id, node.transcript, node.key
    )


def _part(results: Message, name: str, words: str) -> Message:
    """Move the words of a message of results to a message of their own."""
    said = tuple(block for block in results.blocks if block.kind != "tool_result")
    results.blocks = tuple(block for block in results.blocks if block.kind == "tool_result")
    results.text = ""
    return msgspec.structs.replace(
        results, id=name, kind="steering", subtype=_REMARK, entry_ids=(name,), blocks=said,
        text=words,
    )  # fmt: skip
