"""Nodes → a forest: every node has a parent that exists, or none; no cycles.

Broken links are repaired the same way each time: a cycle is cut at its first row, and a row whose
parent is missing gets the nearest earlier row of its file.
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
    """Parents and children of one context's nodes, each by its index in `nodes`.

    Places, not ids: a long session has very many, and a list is gone through faster than a table.
    `messages` are those made of the nodes, `foreign` ids that may be in other contexts.
    """

    def __init__(
        self, nodes: list[Node], foreign: Container[str], of_node: Mapping[str, Message]
    ) -> None:
        self.nodes = nodes
        self.messages = [of_node.get(node.id) for node in nodes]
        self.parent: list[int | None] = []
        self.children: dict[int, list[int]] = {}
        self.problems: list[Problem] = []
        self._foreign = foreign
        self._orphans: list[tuple[int, str]] = []
        self._link()
        self._attach_orphans()
        for index, above in enumerate(self.parent):
            if above is not None:
                self.children.setdefault(above, []).append(index)

    def roots(self) -> list[int]:
        """Return the nodes without a parent, in order."""
        return [index for index, above in enumerate(self.parent) if above is None]

    def _link(self) -> None:
        indexes = {node.id: index for index, node in enumerate(self.nodes)}
        may_have_cycle = False
        for index, node in enumerate(self.nodes):
            above = _known_parent(index, node, indexes)
            self.parent.append(above)
            if above is not None:
                # A cycle has a row that is before its parent; few transcripts have one.
                may_have_cycle = may_have_cycle or above > index
            elif index > 0:
                self._note_orphan(index)
        if may_have_cycle:
            self._cut_cycles()

    def _note_orphan(self, index: int) -> None:
        """An orphan's parent is missing, or it never had one although others came before it.

        A later prompt without a parent is none: it is the first prompt, said another way.
        """
        node, message = self.nodes[index], self.messages[index]
        if node.parent and node.parent not in self._foreign:
            self._orphans.append((index, "missing_parent"))
        elif not node.parent and (message is None or message.kind != "prompt"):
            body = node.entry.body
            lost = isinstance(body, Row) and body.logical_parent_uuid
            self._orphans.append((index, "missing_parent" if lost else ""))

    def _cut_cycles(self) -> None:
        seen_from: dict[int, int] = {}
        for start in range(len(self.nodes)):
            current: int | None = start
            path = []
            while current is not None and current not in seen_from:
                seen_from[current] = start
                path.append(current)
                current = self.parent[current]
            if current is not None and seen_from[current] == start and current in path:
                self._cut(path[path.index(current) :])

    def _cut(self, cycle: list[int]) -> None:
        first = min(cycle, key=lambda index: self.nodes[index].order)
        self.parent[first] = None
        self._note(first, "cycle", f"{len(cycle)} rows in a circle")

    def _attach_orphans(self) -> None:
        if not self._orphans:
            return
        groups = _Groups(self.parent)
        for index, kind in self._orphans:
            for earlier in range(index - 1, max(0, index - _FARTHEST) - 1, -1):
                if groups.join(index, earlier):
                    self.parent[index] = earlier
                    break
            if kind:
                self._note(index, kind, "")

    def _note(self, index: int, kind: str, text: str) -> None:
        at = self.nodes[index].location
        self.problems.append(Problem(kind, text, at.file, at.line, at.offset))


def _known_parent(index: int, node: Node, indexes: Mapping[str, int]) -> int | None:
    above = indexes.get(node.parent or "")
    if above is not None and above != index:
        return above
    body = node.entry.body
    if not isinstance(body, Row):
        return None
    for candidate in (body.logical_parent_uuid, *_preserved(body)):
        above = indexes.get(candidate or "")
        if above is not None and above != index:
            return above
    return None


def _preserved(body: Row) -> tuple[str, ...]:
    """Where a compaction's past ends, when the parent it names is not available."""
    if not isinstance(body, CompactBoundary) or body.compact_metadata is None:
        return ()
    data = body.compact_metadata
    segment, listed = data.preserved_segment, data.preserved_messages
    tail = (segment.tail_uuid, segment.head_uuid) if segment else ()
    return (*tail, *reversed(listed.uuids)) if listed else tail


class _Groups:
    """Which rows are already connected, so that a repair makes no cycle."""

    def __init__(self, parent: list[int | None]) -> None:
        self._above = [index if above is None else above for index, above in enumerate(parent)]

    def join(self, orphan: int, other: int) -> bool:
        """Hang a root below another row, unless that row is itself below the root."""
        top = self._top(other)
        if top == orphan:
            return False
        self._above[orphan] = top
        return True

    def _top(self, index: int) -> int:
        path = []
        while (above := self._above[index]) != index:
            path.append(index)
            index = above
        for step in path:
            self._above[step] = index
        return index
