"""Nodes → a forest: every node has a parent that exists, or none; no circles.

What is broken is mended the same way each time: a circle is cut at its first row, and a row whose
parent is nowhere hangs on the nearest earlier row of its file.
"""

from collections.abc import Container, Mapping
from typing import Final

from clew.conversation.model import Message
from clew.conversation.nodes import Node
from clew.entries import CompactBoundary, Row
from clew.problems import Problem

# How far back to look for a row that is not itself below the orphan.
_FARTHEST: Final = 1000


class Forest:
    """Parents and children of one context's nodes, by id.

    `foreign` are ids that may stand in other contexts, `of_node` the messages made of nodes.
    """

    def __init__(
        self, nodes: list[Node], foreign: Container[str], of_node: Mapping[str, Message]
    ) -> None:
        self.nodes = nodes
        self.of_node = of_node
        self.by_id = {node.id: node for node in nodes}
        self.parent: dict[str, str | None] = {}
        self.problems: list[Problem] = []
        self.foreign = foreign
        self.orphans: list[tuple[Node, str]] = []
        self._link()
        self._mend_orphans()
        self.children: dict[str, list[str]] = {}
        # In the order of the nodes, as parents are.
        for name, above in self.parent.items():
            if above is not None:
                self.children.setdefault(above, []).append(name)

    def roots(self) -> list[Node]:
        """Give the nodes that hang on nothing, in order."""
        return [node for node in self.nodes if self.parent[node.id] is None]

    def _link(self) -> None:
        may_circle = False
        for position, node in enumerate(self.nodes):
            above = self._known_parent(node)
            self.parent[node.id] = above.id if above is not None else None
            if above is not None:
                # A circle has a row that stands before its parent; few transcripts have one.
                may_circle = may_circle or above.order > node.order
            elif position > 0:
                self._note_orphan(node)
        if may_circle:
            self._cut_cycles()

    def _known_parent(self, node: Node) -> Node | None:
        above = self.by_id.get(node.parent or "")
        if above is not None and above is not node:
            return above
        body = node.entry.body
        if not isinstance(body, Row):
            return None
        for candidate in (body.logical_parent_uuid, *_preserved(body)):
            above = self.by_id.get(candidate or "")
            if above is not None and above is not node:
                return above
        return None

    def _note_orphan(self, node: Node) -> None:
        """An orphan's parent is missing, or it never had one although others came before it.

        A later prompt without a parent is none: it is the first prompt, said another way.
        """
        if node.parent and node.parent not in self.foreign:
            self.orphans.append((node, "missing_parent"))
        elif not node.parent and not self._is_prompt(node):
            body = node.entry.body
            lost = isinstance(body, Row) and body.logical_parent_uuid
            self.orphans.append((node, "missing_parent" if lost else ""))

    def _is_prompt(self, node: Node) -> bool:
        message = self.of_node.get(node.id)
        return message is not None and message.kind == "prompt"

    def _cut_cycles(self) -> None:
        state: dict[str, int] = {}
        for number, node in enumerate(self.nodes, start=1):
            current: str | None = node.id
            path = []
            while current is not None and current not in state:
                state[current] = number
                path.append(current)
                current = self.parent[current]
            if current is not None and state[current] == number and current in path:
                self._cut(path[path.index(current) :])

    def _cut(self, circle: list[str]) -> None:
        first = min(circle, key=lambda name: self.by_id[name].order)
        self.parent[first] = None
        place = self.by_id[first].place
        text = f"{len(circle)} rows in a circle"
        self.problems.append(Problem("cycle", text, place.file, place.line, place.offset))

    def _mend_orphans(self) -> None:
        if not self.orphans:
            return
        groups = _Groups(self.parent)
        position = {node.id: index for index, node in enumerate(self.nodes)}
        for node, kind in self.orphans:
            index = position[node.id]
            for earlier in reversed(self.nodes[max(0, index - _FARTHEST) : index]):
                if groups.join(node.id, earlier.id):
                    self.parent[node.id] = earlier.id
                    break
            if kind:
                place = node.place
                self.problems.append(Problem(kind, "", place.file, place.line, place.offset))


def _preserved(body: Row) -> tuple[str, ...]:
    """Where a compaction's past ends, when the parent it names is not at hand."""
    if not isinstance(body, CompactBoundary) or body.compact_metadata is None:
        return ()
    kept, listed = body.compact_metadata.preserved_segment, body.compact_metadata.preserved_messages
    tail = (kept.tail_uuid, kept.head_uuid) if kept else ()
    return (*tail, *reversed(listed.uuids)) if listed else tail


class _Groups:
    """Which rows already hang together, so that mending makes no circle."""

    def __init__(self, parent: dict[str, str | None]) -> None:
        self._above = {name: above or name for name, above in parent.items()}

    def join(self, orphan: str, other: str) -> bool:
        """Hang a root below another row, unless that row is itself below the root."""
        top = self._top(other)
        if top == orphan:
            return False
        self._above[orphan] = top
        return True

    def _top(self, name: str) -> str:
        path = []
        while (above := self._above[name]) != name:
            path.append(name)
            name = above
        for step in path:
            self._above[step] = name
        return name
