"""Turns that an old client wrote again into the file of a session when it was resumed.

The copies have new uuids and begin at a root of their own; their answers keep their message ids.
"""

from collections.abc import Iterator

import msgspec

from clew.conversation.blocks import to_blocks
from clew.conversation.model import Duplicate
from clew.conversation.nodes import Node, Nodes
from clew.entries import Assistant, ToolResultBlock, User

_Children = dict[str, list[Node]]


class _Twin(msgspec.Struct, frozen=True, gc=False):
    """Two rows that say the same; `above` is what the copy follows, for a root the root itself."""

    original: Node
    copy: Node
    above: Node


def set_aside_copies(nodes: Nodes) -> None:
    """List copied rows as duplicates; what follows a copy follows the row that it repeats."""
    copies: dict[str, Node] = {}
    children: _Children = {}
    for first, *others in _equal_roots(nodes):
        children = children or _children(nodes)
        for other in others:
            found = _copies(first, other, children)
            copies.update(found)
            for name, original in found.items():
                new = [child for child in children.get(name, ()) if child.id not in found]
                children.setdefault(original.id, []).extend(new)
    for name, original in copies.items():
        location = nodes.by_id.pop(name).location
        of = _answer_id(original) or original.id
        nodes.duplicates.append(Duplicate(name, of, location.file, location.line, location.offset))
    for node in nodes.by_id.values() if copies else ():
        if node.parent in copies:
            node.parent = copies[node.parent].id


def _equal_roots(nodes: Nodes) -> Iterator[list[Node]]:
    """Group the prompts without a parent that say the same in one context."""
    roots: dict[object, list[Node]] = {}
    for node in nodes.by_id.values():
        if node.parent is None and isinstance(node.entry.body, User):
            roots.setdefault((node.context, _key(node)), []).append(node)
    return (group for group in roots.values() if len(group) > 1)


def _children(nodes: Nodes) -> _Children:
    """Return what follows each prompt, answer and result, whatever other rows are between."""
    children: _Children = {}
    known: dict[str, Node | None] = {}
    for node in nodes.by_id.values():
        above = _talk_above(node, nodes, known) if _is_talk(node) else None
        if above is not None:
            children.setdefault(above.id, []).append(node)
    return children


def _talk_above(node: Node, nodes: Nodes, known: dict[str, Node | None]) -> Node | None:
    path = []
    above = nodes.by_id.get(node.parent or "")
    while above is not None and not _is_talk(above) and above.id not in known:
        # Noted at once, so that links in a cycle end.
        known[above.id] = None
        path.append(above.id)
        above = nodes.by_id.get(above.parent or "")
    found = above if above is None or _is_talk(above) else known[above.id]
    known.update(dict.fromkeys(path, found))
    return found


def _copies(first: Node, second: Node, children: _Children) -> dict[str, Node]:
    """Return each copy in the chain of the second root with the row of the first that it repeats.

    Equal words alone may have been typed twice: an answer or a result below proves a copy, as does
    the time, since a client writes all copies at one moment.
    """
    twins = _twins(first, second, children)
    proved: set[str] = set()
    for twin in reversed(twins):
        if twin.copy.id in proved or _has_given_id(twin.copy):
            proved.update((twin.copy.id, twin.above.id))
    copies: dict[str, Node] = {}
    for twin in twins:
        is_at_once = twin.above.id in copies and twin.above.time == twin.copy.time
        if twin.copy.id in proved or is_at_once:
            copies[twin.copy.id] = twin.original
    return copies


def _twins(first: Node, second: Node, children: _Children) -> list[_Twin]:
    """Follow two chains for as long as they say the same, parents before children."""
    twins = [_Twin(first, second, second)]
    seen = {second.id}
    for twin in twins:
        options = {_key(child): child for child in reversed(children.get(twin.original.id, []))}
        for child in children.get(twin.copy.id, ()):
            original = options.get(_key(child))
            if original is not None and original is not child and child.id not in seen:
                seen.add(child.id)
                twins.append(_Twin(original, child, twin.copy))
    return twins


def _is_talk(node: Node) -> bool:
    return isinstance(node.entry.body, User | Assistant)


def _has_given_id(node: Node) -> bool:
    """Return whether a row has an id from the server, which a second typing would not repeat."""
    body = node.entry.body
    if isinstance(body, User) and not isinstance(body.message.content, str):
        return any(isinstance(block, ToolResultBlock) for block in body.message.content)
    return bool(_answer_id(node))


def _answer_id(node: Node) -> str:
    body = node.entry.body
    return body.message.id or "" if isinstance(body, Assistant) else ""


def _key(node: Node) -> object:
    """What two rows have in common when one repeats the other."""
    body = node.entry.body
    content = to_blocks(body.message.content) if isinstance(body, User | Assistant) else ()
    return _answer_id(node), content
