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
    """Parents and children of one context's nodes, each told by its place among `nodes`.

    Places, not ids: a long session has very many, and a list is gone through faster than a table.
    `messages` are those made of the nodes, `foreign` ids that may stand in other contexts.
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
        for place, above in enumerate(self.parent):
            if above is not None:
                self.children.setdefault(above, []).append(place)

    def roots(self) -> list[int]:
        """Give the nodes that hang on nothing, in order."""
        return [place for place, above in enumerate(self.parent) if above is None]

    def _link(self) -> None:
        places = {node.id: place for place, node in enumerate(self.nodes)}
        may_circle = False
        for place, node in enumerate(self.nodes):
            above = _known_parent(place, node, places)
            self.parent.append(above)
            if above is not None:
                # A circle has a row that stands before its parent; few transcripts have one.
                may_circle = may_circle or above > place
            elif place > 0:
                self._note_orphan(place)
        if may_circle:
            self._cut_cycles()

    def _note_orphan(self, place: int) -> None:
        """An orphan's parent is missing, or it never had one although others came before it.

        A later prompt without a parent is none: it is the first prompt, said another way.
        """
        node, message = self.nodes[place], self.messages[place]
        if node.parent and node.parent not in self._foreign:
            self._orphans.append((place, "missing_parent"))
        elif not node.parent and (message is None or message.kind != "prompt"):
            body = node.entry.body
            lost = isinstance(body, Row) and body.logical_parent_uuid
            self._orphans.append((place, "missing_parent" if lost else ""))

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

    def _cut(self, circle: list[int]) -> None:
        first = min(circle, key=lambda place: self.nodes[place].order)
        self.parent[first] = None
        self._note(first, "cycle", f"{len(circle)} rows in a circle")

    def _attach_orphans(self) -> None:
        if not self._orphans:
            return
        groups = _Groups(self.parent)
        for place, kind in self._orphans:
            for earlier in range(place - 1, max(0, place - _FARTHEST) - 1, -1):
                if groups.join(place, earlier):
                    self.parent[place] = earlier
                    break
            if kind:
                self._note(place, kind, "")

    def _note(self, place: int, kind: str, text: str) -> None:
        at = self.nodes[place].place
        self.problems.append(Problem(kind, text, at.file, at.line, at.offset))


def _known_parent(place: int, node: Node, places: Mapping[str, int]) -> int | None:
    above = places.get(node.parent or "")
    if above is not None and above != place:
        return above
    body = node.entry.body
    if not isinstance(body, Row):
        return None
    for candidate in (body.logical_parent_uuid, *_preserved(body)):
        above = places.get(candidate or "")
        if above is not None and above != place:
            return above
    return None


def _preserved(body: Row) -> tuple[str, ...]:
    """Where a compaction's past ends, when the parent it names is not at hand."""
    if not isinstance(body, CompactBoundary) or body.compact_metadata is None:
        return ()
    kept, listed = body.compact_metadata.preserved_segment, body.compact_metadata.preserved_messages
    tail = (kept.tail_uuid, kept.head_uuid) if kept else ()
    return (*tail, *reversed(listed.uuids)) if listed else tail


class _Groups:
    """Which rows already hang together, so that mending makes no circle."""

    def __init__(self, parent: list[int | None]) -> None:
        self._above = [place if above is None else above for place, above in enumerate(parent)]

    def join(self, orphan: int, other: int) -> bool:
        """Hang a root below another row, unless that row is itself below the root."""
        top = self._top(other)
        if top == orphan:
            return False
        self._above[orphan] = top
        return True

    def _top(self, place: int) -> int:
        path = []
        while (above := self._above[place]) != place:
            path.append(place)
            place = above
        for step in path:
            self._above[step] = place
        return place
