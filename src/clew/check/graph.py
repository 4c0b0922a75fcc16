"""Parent links within a transcript: duplicates, cycles and parents in other files."""

from collections.abc import Mapping

import msgspec

from clew.check.links import LooseEnd, digest
from clew.entries import Entry
from clew.problems import Problem


class LinkNode(msgspec.Struct, frozen=True, gc=False):
    """An entry in the graph, where it is, and a hash of its bytes."""

    parent: str | None
    line: int
    offset: int
    content: int = 0


class Graph:
    """The uuids of one transcript and the links between them."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._logical: dict[str, LinkNode] = {}
        self.nodes: dict[str, LinkNode] = {}

    def add(self, entry: Entry, uuid: str, parent: str | None) -> bool:
        """Add an entry; False when its uuid was there before, and the first one stays."""
        if uuid in self.nodes:
            return False
        self.nodes[uuid] = LinkNode(parent, entry.number, entry.offset, hash(entry.raw))
        return True

    def describe_duplicate(self, entry: Entry, uuid: str) -> str:
        """Describe where the first entry with a uuid is, and whether a later one is the same."""
        first = self.nodes[uuid]
        differs = "" if first.content == hash(entry.raw) else ", with different content"
        return f"as on line {first.line:,}{differs}"

    def add_logical(self, entry: Entry, parent: str) -> None:
        """Add the link that joins what a compaction cut."""
        self._logical.setdefault(parent, LinkNode(parent, entry.number, entry.offset))

    def find_loose(self) -> list[LooseEnd]:
        """List the links whose parent is not in this transcript."""
        return [
            *self._loose(list(self.nodes.values()), "parentUuid"),
            *self._loose(list(self._logical.values()), "logicalParentUuid"),
        ]

    def find_cycle_problems(self) -> list[Problem]:
        """Return one problem for each cycle, at its earliest line."""
        parents = {uuid: node.parent for uuid, node in self.nodes.items()}
        return [self._cycle_problem(cycle) for cycle in find_cycles(parents)]

    def _loose(self, nodes: list[LinkNode], key: str) -> list[LooseEnd]:
        return [
            LooseEnd(
                digest(node.parent),
                Problem("missing_parent", key, self._file, node.line, node.offset),
            )
            for node in nodes
            if node.parent and node.parent not in self.nodes
        ]

    def _cycle_problem(self, cycle: list[str]) -> Problem:
        first = min((self.nodes[uuid] for uuid in cycle), key=lambda node: node.offset)
        text = f"a cycle of {len(cycle)}" if len(cycle) > 1 else "its own parent"
        return Problem("cycle", text, self._file, first.line, first.offset)


def find_cycles(parents: Mapping[str, str | None]) -> list[list[str]]:
    """List the cycles of the links from child to parent, in linear time.

    Each has one parent at most, so that no two cycles share a member.
    """
    walk_of: dict[str, int] = {}
    cycles = []
    for number, start in enumerate(parents):
        path = []
        node: str | None = start
        while node is not None and node in parents and node not in walk_of:
            walk_of[node] = number
            path.append(node)
            node = parents[node]
        # Only a walk that comes back to itself has found a cycle; others end in known ground.
        if node is not None and walk_of.get(node) == number:
            cycles.append(path[path.index(node) :])
    return cycles
