"""Step 3: follow parents: threads, forks, the main thread.

Most rows with several children are no fork: parallel tools, hooks, progress, attachments, retries
and late results are siblings, and read in order of time. A fork is where people would say
"another way from here": two prompts that go on from one place, or a prompt that goes back behind
an answer that the model had already given.
"""

import heapq
from collections.abc import Sequence
from typing import Final

import msgspec

from clew.conversation.graph import Forest
from clew.conversation.model import Message, Thread
from clew.conversation.nodes import Node
from clew.conversation.steering import UNDELIVERED
from clew.entries import Assistant, User


class Segment(msgspec.Struct):
    """The rows between two forks, in reading order, and the messages that begin in it.

    `strays` are messages that have rows here too, but begin in another segment.
    """

    index: int
    parent: int | None
    nodes: list[int]
    messages: list[Message]
    strays: list[Message]
    thread_ids: list[str]
    forked_at: str | None = None
    last: tuple[str, int] = ("", 0)


class _Heads(msgspec.Struct, frozen=True, gc=False):
    """What talk comes first below a row: a prompt, an answer, and when the answer came."""

    prompt: bool = False
    answer: str = ""
    interrupted: bool = False


_NO_TALK: Final = _Heads()
_TALKERS: Final = (User, Assistant)


def cut_segments(forest: Forest) -> list[Segment]:
    """Cut a forest at its real forks; a segment is in order of parents, then of time."""
    heads: dict[int, _Heads] = {}
    segments: list[Segment] = []
    starts: list[tuple[list[int], int | None, str | None]] = [
        (group, None, None) for group in reversed(_root_groups(forest))
    ]
    while starts:
        roots, parent, forked_at = starts.pop()
        segment = Segment(len(segments), parent, [], [], [], [], forked_at)
        segments.append(segment)
        branches = _fill(segment, roots, forest, heads)
        starts.extend((group, segment.index, row) for row, group in reversed(branches))
    _share_out(segments, forest.messages)
    return segments


def _share_out(segments: list[Segment], messages: Sequence[Message | None]) -> None:
    """Assign each message to the segment with its first row; others may have more of its rows."""
    begun: dict[str, int] = {}
    for segment in segments:
        for row in segment.nodes:
            message = messages[row]
            if message is None:
                continue
            begins_in = begun.get(message.id)
            if begins_in is None:
                begun[message.id] = segment.index
                segment.messages.append(message)
            elif begins_in != segment.index:
                segment.strays.append(message)


def make_threads(segments: list[Segment]) -> list[Thread]:
    """Make a thread for each last segment; the one written last is the main thread.

    Messages get the ids of their threads.
    """
    inner = {segment.parent for segment in segments}
    leaves = [segment for segment in segments if segment.index not in inner]
    main = max(leaves, key=lambda leaf: leaf.last, default=None)
    threads: list[Thread] = []
    for leaf in leaves:
        path = _path(leaf, segments)
        ids = [message.id for part in path for message in part.messages]
        strays = {message.id for part in path for message in part.strays}
        if strays and not strays.issubset(ids):
            ids = _as_read({*ids, *strays}, segments)
        forked_at = next((part.forked_at for part in reversed(path) if part.forked_at), None)
        thread = Thread(
            id=f"thread-{len(threads)}",
            is_main=leaf is main,
            message_ids=tuple(ids),
            forked_at=forked_at,
        )
        # Rows of progress alone are no thread.
        if ids:
            threads.append(thread)
            for part in path:
                part.thread_ids.append(thread.id)
    _set_thread_ids(segments, threads)
    return threads


def _as_read(ids: set[str], segments: list[Segment]) -> list[str]:
    """Put messages in the order in which they are read."""
    read = (message.id for segment in segments for message in segment.messages)
    return [name for name in read if name in ids]


def _set_thread_ids(segments: list[Segment], threads: list[Thread]) -> None:
    """Set the threads of each message: those of all segments with rows of it."""
    for segment in segments:
        shared = tuple(segment.thread_ids)
        for message in segment.messages:
            message.thread_ids = shared
    for segment in segments:
        for message in segment.strays:
            ids = {*message.thread_ids, *segment.thread_ids}
            message.thread_ids = tuple(thread.id for thread in threads if thread.id in ids)


def _path(leaf: Segment, segments: list[Segment]) -> list[Segment]:
    path = [leaf]
    while (parent := path[-1].parent) is not None:
        path.append(segments[parent])
    path.reverse()
    return path


def _root_groups(forest: Forest) -> list[list[int]]:
    """Prompts without a parent begin threads of their own, once there is talk to leave behind.

    All other roots belong to the first thread, and so does a prompt that was written twice.
    """
    groups: list[list[int]] = []
    by_message: dict[str, list[int]] = {}
    has_talk = False
    for root in forest.roots():
        message = forest.messages[root]
        if message is None or not _is_prompt(message):
            group = groups[0] if groups else []
        elif message.id in by_message:
            group = by_message[message.id]
        else:
            group = by_message[message.id] = groups[0] if groups and not has_talk else []
        if not group:
            groups.append(group)
        group.append(root)
        has_talk = has_talk or _talks(root, forest)
    return groups


def _talks(root: int, forest: Forest) -> bool:
    """Return whether a prompt or an answer is at or below a row."""
    stack = [root]
    while stack:
        row = stack.pop()
        message = forest.messages[row]
        if message is not None and (_is_prompt(message) or message.kind == "answer"):
            return True
        stack.extend(forest.children.get(row, ()))
    return False


def _is_prompt(message: Message) -> bool:
    """Return whether a person said it, and it was not left in the queue."""
    return message.kind == "prompt" and message.subtype != UNDELIVERED


def _fill(
    segment: Segment, roots: list[int], forest: Forest, heads: dict[int, _Heads]
) -> list[tuple[str | None, list[int]]]:
    """Read a segment's rows in order; return the branches that begin where it forks."""
    nodes, messages = forest.nodes, forest.messages
    queue = [(nodes[row].key, row) for row in roots]
    heapq.heapify(queue)
    branches: list[tuple[str | None, list[int]]] = []
    last = segment.last
    while queue:
        key, row = heapq.heappop(queue)
        segment.nodes.append(row)
        # A hook's report or a notice may come late, below a branch that ends there.
        if key > last and messages[row] and isinstance(nodes[row].entry.body, _TALKERS):
            last = key
        on: Sequence[int] = forest.children.get(row, ())
        # One child is no choice.
        if len(on) > 1:
            _find_heads(on, forest, heads)
            on, off = _split(row, on, forest, heads)
            forked_at = _message_at(row, forest) if off else None
            branches.extend((forked_at, group) for group in off)
        for child in on:
            heapq.heappush(queue, (nodes[child].key, child))
    segment.last = last
    return branches


def _message_at(row: int, forest: Forest) -> str | None:
    """Return the message at a row or, where it shows nothing, the nearest one above."""
    current: int | None = row
    while current is not None:
        message = forest.messages[current]
        if message is not None:
            return message.id
        current = forest.parent[current]
    return None


def _split(
    row: int, children: Sequence[int], forest: Forest, heads: dict[int, _Heads]
) -> tuple[Sequence[int], list[list[int]]]:
    """Part a row's children into those that go on here and the branches of a fork."""
    prompts = _distinct([child for child in children if heads[child].prompt], forest.messages)
    rest = [child for child in children if not heads[child].prompt]
    if len(prompts) > 1 or (prompts and _went_back(row, prompts[0][0], rest, forest, heads)):
        talk = [child for child in rest if heads[child].answer]
        aside = [child for child in rest if not heads[child].answer]
        return aside, [talk, *prompts] if talk else prompts
    return children, []


def _distinct(children: list[int], messages: Sequence[Message | None]) -> list[list[int]]:
    """Group prompts that were written down more than once."""
    groups: dict[str | int, list[int]] = {}
    for child in children:
        message = messages[child]
        same = message.id if message is not None and message.kind == "prompt" else child
        groups.setdefault(same, []).append(child)
    return list(groups.values())


def _went_back(
    row: int, prompt: int, rest: list[int], forest: Forest, heads: dict[int, _Heads]
) -> bool:
    """Return whether a prompt goes back behind an answer that was already given."""
    if heads[prompt].interrupted:
        return False
    asked_at = forest.nodes[prompt].time
    own = forest.messages[row]
    for child in rest:
        answered = heads[child].answer
        if answered and answered < asked_at and forest.messages[child] is not own:
            return True
    return False


def _find_heads(rows: Sequence[int], forest: Forest, heads: dict[int, _Heads]) -> None:
    """Find the first messages at or below these rows, and those in between."""
    stack = [row for row in rows if row not in heads]
    while stack:
        row = stack[-1]
        message = forest.messages[row]
        found = None if message is None else _own_head(forest.nodes[row], message)
        if found is None:
            below = forest.children.get(row, ())
            unknown = [child for child in below if child not in heads]
            if unknown:
                stack.extend(unknown)
                continue
            found = _join_heads([heads[child] for child in below], message)
        heads[row] = found
        stack.pop()


def _own_head(node: Node, message: Message) -> _Heads | None:
    """Return the head of a row itself, or that what is below it does not count."""
    if message.kind == "prompt":
        return _Heads(prompt=_is_prompt(message))
    if message.kind == "answer" and message.subtype is None:
        return _Heads(answer=node.time)
    return _NO_TALK if message.kind in ("command", "bash_input", "api_error") else None


def _join_heads(below: list[_Heads], message: Message | None) -> _Heads:
    is_interrupt = message is not None and message.kind == "interrupt"
    if not below and not is_interrupt:
        return _NO_TALK
    if len(below) == 1 and not is_interrupt:
        return below[0]
    return _Heads(
        any(head.prompt for head in below),
        max((head.answer for head in below), default=""),
        is_interrupt or any(head.interrupted for head in below),
    )
