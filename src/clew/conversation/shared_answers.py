"""Answers that are in the files of several contexts: whose they are, and which rows repeat them.

A file of an agent that starts with its parent's context repeats the parent's last answer. Some
files, of suggestion agents above all, contain rows of the session that its own file lacks.
"""

from collections.abc import Iterable, Mapping

import msgspec

from clew.conversation.blocks import block_identities
from clew.conversation.nodes import MAIN, Node, Nodes
from clew.entries import Assistant


class SharedAnswers(msgspec.Struct):
    """The owner of each answer that is in several contexts, and the rows that only repeat it.

    Both are by the answer's name; an owner is the name of a context.
    """

    owners: dict[str, str] = {}
    copies: dict[str, list[Node]] = {}

    def is_copy(self, node: Node, name: str) -> bool:
        """Return whether a fragment of an answer repeats what another context has said."""
        return self.owners.get(name, node.context) != node.context


def share_answers(nodes: Nodes, names: Mapping[str, str]) -> SharedAnswers:
    """Find the answers that several contexts contain, and move rows to the context that owns them.

    A row belongs to the main thread when a row of it is below, or when the main thread has the
    answer that it is a fragment of. Other answers belong to the context that had them first.
    """
    shared = _share(nodes, names)
    if _take_parents(nodes):
        shared = _share(nodes, names)
    return shared


def _share(nodes: Nodes, names: Mapping[str, str]) -> SharedAnswers:
    shared = SharedAnswers({}, {})
    for name, fragments in _in_several(nodes, names).items():
        shared.owners[name] = min(fragments, key=_claim).context
        shared.copies[name] = _gather(nodes, fragments, shared.owners[name])
    return shared


def _take_parents(nodes: Nodes) -> bool:
    """Move what is above the rows of the session's own files to the main thread, if any."""
    has_moved = False
    own = [node for node in nodes.by_id.values() if node.context == MAIN]
    files = {node.transcript for node in own}
    for node in own:
        above = nodes.by_id.get(node.parent or "")
        # Side chains that old clients wrote into the session's own file are runs nevertheless.
        while above is not None and above.context != MAIN and above.transcript not in files:
            above.context, has_moved = MAIN, True
            above = nodes.by_id.get(above.parent or "")
    return has_moved


def _in_several(nodes: Nodes, names: Mapping[str, str]) -> dict[str, list[Node]]:
    """Return the fragments of answers that are in several contexts."""
    first: dict[str, str] = {}
    several = {
        name
        for fragment, name in names.items()
        if first.setdefault(name, context := nodes.by_id[fragment].context) != context
    }
    found: dict[str, list[Node]] = {}
    if several:
        for fragment, name in names.items():
            if name in several:
                found.setdefault(name, []).append(nodes.by_id[fragment])
    return found


def _claim(node: Node) -> tuple[bool, tuple[str, int]]:
    return node.context != MAIN, node.key


def _gather(nodes: Nodes, fragments: Iterable[Node], owner: str) -> list[Node]:
    """Move fragments that say something new to the owner's; return those that repeat it."""
    held: set[tuple[object, ...]] = set()
    last, others = "", []
    for node in fragments:
        if node.context == owner:
            held.update(_identities(node))
            last = node.id
        else:
            others.append(node)
    copies = []
    for node in others:
        if held.issuperset(_identities(node)):
            copies.append(node)
            continue
        held.update(_identities(node))
        above = nodes.by_id.get(node.parent or "")
        if above is None or above.context != owner:
            # Its parent in the other file is a copy of what it follows here.
            node.parent = last
        node.context, last = owner, node.id
    return copies


def _identities(node: Node) -> list[tuple[object, ...]]:
    body = node.entry.body
    return block_identities(body) if isinstance(body, Assistant) else []
