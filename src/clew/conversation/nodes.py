"""Entries → nodes: which are in the graph, in which run, and which are duplicates.

A node is an entry with an id. The session's own rows are one context, each agent run is another;
rows of side chains that old clients wrote into the session's file are separated into runs here.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from clew.clock import normal_time
from clew.conversation.material import Material, Transcript, TranscriptKind
from clew.conversation.model import Duplicate, Location
from clew.entries import AgentProgress, Broken, Entry, Marker, ProgressRow, Row, Unknown
from clew.problems import Problem

MAIN: Final = ""
_KIND_ORDER: Final = {kind: order for order, kind in enumerate(TranscriptKind)}


class Node(msgspec.Struct, gc=False):
    """An entry in the graph. `order` is its number over all files, read one by one."""

    id: str
    entry: Entry
    context: str
    order: int
    time: str
    parent: str | None
    transcript: str
    key: tuple[str, int] = ("", 0)

    @property
    def location(self) -> Location:
        """Where the entry is."""
        entry = self.entry
        return Location(entry.file, entry.number, entry.offset)


class Nodes(msgspec.Struct):
    """All nodes by id, the bookkeeping entries beside them, and what was found wrong.

    `repeated` are rows with the uuid of an earlier one. `progress_runs` are the runs that have
    no rows of their own, only progress rows of the session.
    """

    by_id: dict[str, Node] = {}
    markers: list[tuple[str, Entry, int, str]] = []
    progress: list[Node] = []
    duplicates: list[Duplicate] = []
    problems: list[Problem] = []
    progress_runs: set[str] = set()
    repeated: list[Node] = []


def collect(material: Material) -> Nodes:
    """Read all transcripts, one after the other."""
    nodes = Nodes({}, [], [], [], [], set(), [])
    order = 0
    for transcript in material.transcripts:
        is_agent = transcript.kind is not TranscriptKind.SESSION
        own = (transcript.agent_id or transcript.name) if is_agent else ""
        time = previous = ""
        for entry in transcript.entries:
            order += 1
            body = entry.body
            time = normal_time(body.timestamp or "") or time
            if entry.problems:
                nodes.problems.extend(entry.problems)
            if isinstance(body, Marker):
                nodes.markers.append((transcript.name, entry, order, time))
            else:
                name = body.uuid or _location_id(transcript.name, entry)
                context = own or _context(body)
                # Where rows have no ids, only the order of lines says what follows what.
                parent = body.parent_uuid or (None if body.uuid else previous or None)
                previous = name
                key = (time, order)
                _add(nodes, Node(name, entry, context, order, time, parent, transcript.name, key))
    _separate_side_chains(nodes)
    return nodes


def arrange(transcripts: Iterable[Transcript]) -> tuple[Transcript, ...]:
    """Return transcripts in the order of reading, whatever order they come in, with unique names.

    The session's come first, the one written last behind the others, then those of agents. Files
    of one name, as copies in two folders are, get numbers, so that no two rows share an id.
    """
    given = list(transcripts)
    counts = Counter((transcript.kind, transcript.name) for transcript in given)

    def rank(transcript: Transcript) -> tuple[int, str, str, tuple[bytes, ...]]:
        kind, name = transcript.kind, transcript.name
        written = _last_time(transcript) if kind is TranscriptKind.SESSION else ""
        has_twin = counts[kind, name] > 1
        content = tuple(entry.raw for entry in transcript.entries) if has_twin else ()
        return _KIND_ORDER[kind], written, name, content

    return tuple(_number_twins(sorted(given, key=rank)))


def _number_twins(transcripts: Iterable[Transcript]) -> Iterator[Transcript]:
    seen: Counter[str] = Counter()
    for transcript in transcripts:
        seen[transcript.name] += 1
        count = seen[transcript.name]
        name = transcript.name if count == 1 else f"{transcript.name}~{count}"
        yield msgspec.structs.replace(transcript, name=name)


def _last_time(transcript: Transcript) -> str:
    times = (normal_time(entry.body.timestamp or "") for entry in reversed(transcript.entries))
    return next((time for time in times if time), "")


def entry_id(transcript: str, entry: Entry) -> str:
    """Return an entry's uuid, or a name made of where it is."""
    body = entry.body
    uuid = body.uuid if isinstance(body, Row | Broken) else ""
    return uuid or _location_id(transcript, entry)


def _location_id(transcript: str, entry: Entry) -> str:
    return f"{transcript}:{entry.offset}"


def _add(nodes: Nodes, node: Node) -> None:
    is_progress = isinstance(node.entry.body, ProgressRow)
    if is_progress:
        nodes.progress.append(node)
    known = nodes.by_id.setdefault(node.id, node)
    if known is node:
        return
    if isinstance(known.entry.body, ProgressRow) and not is_progress:
        # A row of a message is preferred to a progress row.
        del nodes.by_id[node.id]
        nodes.by_id[node.id] = node
        _note_duplicate(nodes, node, known.entry)
    else:
        _note_duplicate(nodes, known, node.entry)
        if not is_progress and known.entry.raw != node.entry.raw:
            nodes.repeated.append(node)


def _note_duplicate(nodes: Nodes, known: Node, entry: Entry) -> None:
    file, number, offset = entry.file, entry.number, entry.offset
    nodes.duplicates.append(Duplicate(known.id, known.id, file, number, offset))
    # A resumed or moved session repeats whole rows in another file: that is how it is meant.
    if known.entry.file == file:
        text = "same content" if known.entry.raw == entry.raw else "different content"
        nodes.problems.append(Problem("duplicate_uuid", text, file, number, offset))


def _context(body: Row | Broken) -> str:
    """Return the run of a session's entry; chains without an id are separated later."""
    if isinstance(body, Row) and body.is_sidechain and not isinstance(body, Unknown):
        return body.agent_id or _SIDE
    return MAIN


_SIDE: Final = "\0side"


def _separate_side_chains(nodes: Nodes) -> None:
    """Move each chain of side rows to a context of its own, named after its first row."""
    side = [node for node in nodes.by_id.values() if node.context == _SIDE]
    roots: dict[str, str] = {}
    for node in side:
        path = []
        current: Node | None = node
        root = ""
        while current is not None and current.context == _SIDE:
            if current.id in roots:
                root = roots[current.id]
                break
            roots[current.id] = current.id
            path.append(current.id)
            root = current.id
            current = nodes.by_id.get(current.parent or "")
        for step in path:
            roots[step] = root
    for node in side:
        node.context = f"inline-{roots[node.id]}"
    if side:
        _join_past_side_chains(nodes, roots)


def _join_past_side_chains(nodes: Nodes, roots: dict[str, str]) -> None:
    """Let what follows a side chain in the session itself follow the row the chain began at."""
    last: str | None = None
    for node in nodes.by_id.values():
        if node.context != MAIN:
            continue
        if node.parent in roots:
            before = nodes.by_id.get(nodes.by_id[roots[node.parent]].parent or "")
            is_known = before is not None and before.context == MAIN and before is not node
            node.parent = before.id if before is not None and is_known else last
        last = node.id


def progress_rows_by_agent(nodes: Nodes) -> dict[str, list[Node]]:
    """Return the progress rows of each agent's run."""
    told: dict[str, list[Node]] = {}
    for node in nodes.progress:
        body = node.entry.body
        if isinstance(body, ProgressRow) and isinstance(body.data, AgentProgress):
            told.setdefault(body.data.agent_id, []).append(node)
    return told
