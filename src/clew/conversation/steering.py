"""Prompts typed while the model worked that are only in the queue's operations.

`enqueue` carries the words, `remove` hands them to the running turn, `dequeue` makes a user row of
them. Where no other row has the words, the queue is their only record. `popAll` moves them back to
the editor, so they were never sent; what was sent instead, if anything, comes next.
"""

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from datetime import timedelta
from difflib import SequenceMatcher
from typing import Final

import msgspec

from clew.clock import format_time, parse_time
from clew.conversation.blocks import to_blocks
from clew.conversation.model import Location, Message
from clew.conversation.nodes import MAIN, Node, Nodes, entry_id
from clew.entries import Entry, Notification, QueueOperation, classify_text

UNDELIVERED: Final = "undelivered"
_WITHDRAWN: Final = "withdrawn"
_POP_ALL: Final = "popAll"
_HUMAN: Final = ("prompt", "steering", "command", "bash_input", "memory")


class _QueuedText(msgspec.Struct, frozen=True):
    """Words in the queue, where they were typed, and how they left it."""

    transcript: str
    entry: Entry
    order: int
    time: str
    text: str
    left_by: str = ""
    left_at: int = 0


def find_queued(nodes: Nodes, of_node: Mapping[str, Message]) -> list[tuple[Node, Message]]:
    """Return a node and a message for all words that are only in the queue, or left it unsent."""
    queued_texts = _leave_queue(nodes)
    if not queued_texts:
        return []
    messages = {message.id: message for message in of_node.values()}
    own = [m for m in messages.values() if m.agent_run_id is None]
    traces = _Repetitions(nodes, own)
    taken = nodes.by_id.keys() | messages.keys()
    # Words that left by `dequeue` have the first claim: those are meant to become a row.
    claims = sorted(queued_texts, key=lambda words: words.left_by != "dequeue")
    lone = [words for words in claims if _is_withdrawn(words) or _is_only_queued(words, traces)]
    found = [_to_message(words, taken) for words in sorted(lone, key=lambda words: words.order)]
    left_at = {words.order: words.left_at for words in lone if _is_withdrawn(words)}
    if left_at:
        sent = [(nodes.by_id[m.entry_ids[0]].order, m) for m in own]
        _link_withdrawn(found, left_at, sent)
    return found


def _is_withdrawn(words: _QueuedText) -> bool:
    return words.left_by == _POP_ALL and classify_text(words.text).kind == "prompt"


def _is_only_queued(words: _QueuedText, traces: "_Repetitions") -> bool:
    return not _is_launch(words) and not traces.has(words)


def _link_withdrawn(
    found: list[tuple[Node, Message]],
    left_at: Mapping[int, int],
    sent: list[tuple[int, Message]],
) -> None:
    """Name the message that was sent instead of words that went back to the editor."""
    queued = [(node.order, m) for node, m in found if m.subtype != _WITHDRAWN]
    human = sorted(
        ((order, m) for order, m in (*sent, *queued) if m.kind in _HUMAN),
        key=lambda placed: placed[0],
    )
    for node, message in found:
        if message.subtype == _WITHDRAWN:
            after = left_at[node.order]
            following = next((m for order, m in human if order > after), None)
            if following is not None and _is_same_or_edited(message.text, following.text):
                message.pair_id = following.id


def _is_same_or_edited(before: str, after: str) -> bool:
    one, two = before.strip()[:_COMPARED], after.strip()[:_COMPARED]
    if one in two or two in one:
        return bool(one and two)
    matcher = SequenceMatcher(None, one, two, autojunk=False)
    return matcher.quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE


_COMPARED: Final = 1_000
_ALIKE: Final = 0.6


def _leave_queue(nodes: Nodes) -> list[_QueuedText]:
    queue = _Queue()
    files: dict[bytes, str] = {}
    for transcript, entry, order, time in nodes.markers:
        body = entry.body
        # A copy of a transcript repeats its operations: what was typed once is said once.
        if isinstance(body, QueueOperation) and (
            files.setdefault(entry.raw, transcript) == transcript
        ):
            queue.apply(
                body.operation or "", _QueuedText(transcript, entry, order, time, _text(body))
            )
    return queue.end()


class _Queue:
    """The words that wait, and those that left, operation by operation."""

    def __init__(self) -> None:
        self._waiting: deque[_QueuedText] = deque()
        self._left: list[_QueuedText] = []
        self._popped: Counter[str] = Counter()

    def apply(self, operation: str, words: _QueuedText) -> None:
        """Add the next operation; `words` is what it carries."""
        popped, self._popped = self._popped, Counter()
        if operation in ("enqueue", "append"):
            if words.text:
                self._waiting.append(words)
        elif operation == "dequeue" and self._waiting:
            self._leave(self._waiting.popleft(), operation, words.order)
        elif operation == "remove" and (self._waiting or words.text):
            self._leave(_take(self._waiting, words), operation, words.order)
        elif operation in (_POP_ALL, "flush"):
            self._pop_all(operation, words, popped)

    def end(self) -> list[_QueuedText]:
        """Return all words, those that still wait last."""
        return [*self._left, *(_gone(item, "", item.order) for item in self._waiting)]

    def _pop_all(self, operation: str, words: _QueuedText, popped: Counter[str]) -> None:
        """Empty the queue; clients repeat the operation for each of the words that were in it."""
        self._popped = popped
        if popped[words.text] > 0:
            popped[words.text] -= 1
            return
        taken = [*self._waiting] or ([words] if words.text else [])
        self._waiting.clear()
        for item in taken:
            self._leave(item, operation, words.order)
        self._popped.update(item.text for item in taken)
        self._popped[words.text] -= 1

    def _leave(self, words: _QueuedText, operation: str, order: int) -> None:
        self._left.append(_gone(words, operation, order))


def _take(waiting: deque[_QueuedText], words: _QueuedText) -> _QueuedText:
    """Newer clients name the words they remove; older ones remove the first."""
    if not words.text:
        return waiting.popleft()
    for item in waiting:
        if item.text == words.text:
            waiting.remove(item)
            return item
    return words


def _gone(words: _QueuedText, operation: str, order: int) -> _QueuedText:
    return msgspec.structs.replace(words, left_by=operation, left_at=order)


def _text(body: QueueOperation) -> str:
    blocks = to_blocks(body.content)
    return "\n".join(block.text for block in blocks if block.kind == "text").strip()


def _is_launch(words: _QueuedText) -> bool:
    """Return whether the client only notes that a task began, which the task's own call shows."""
    if not words.text.startswith("{"):
        return False
    news = classify_text(words.text).content
    return isinstance(news, Notification) and not news.status


class _RepeatingRow(msgspec.Struct, frozen=True, gc=False):
    """A row that may repeat words of the queue."""

    order: int
    time: str
    text: str

    def may_repeat(self, words: _QueuedText, since: str) -> bool:
        """Return whether it was written when the words were queued or later, not before.

        Queues are sometimes written down behind the rows that came of them, and clocks go back.
        """
        return self.order > words.order or self.time >= since


class _Repetitions:
    """Which queued words are in other rows too."""

    def __init__(self, nodes: Nodes, messages: Iterable[Message]) -> None:
        spoken = [m for m in messages if m.role == "user" or m.kind in _HUMAN]
        self._rows: dict[str, list[_RepeatingRow]] = {}
        self._quotable: list[_RepeatingRow] = []
        self._commands: list[int] = []
        for message in spoken:
            order = nodes.by_id[message.entry_ids[0]].order
            row = _RepeatingRow(order, message.started_at, message.text)
            for form in _forms(message):
                self._rows.setdefault(form, []).append(row)
            if message.kind in ("prompt", "steering"):
                self._quotable.append(row)
            elif message.kind == "command":
                self._commands.append(order)
        self._all = "\n".join(row.text for row in self._quotable)

    def has(self, words: _QueuedText) -> bool:
        """Return whether a row repeats the words; each row matches one enqueue."""
        since = _just_before(words.time)
        rows = self._rows.get(words.text, [])
        for place, row in enumerate(rows):
            if row.may_repeat(words, since):
                del rows[place]
                return True
        if words.text.startswith("/"):
            return any(order > words.left_at for order in self._commands)
        if len(words.text) <= _SHORTEST_QUOTE or words.text not in self._all:
            return False
        return any(
            words.text in row.text and row.may_repeat(words, since) for row in self._quotable
        )


_SHORTEST_QUOTE: Final = 8
# A row may name the moment of the keystroke, a little before the queue's own record of it.
_LEAD: Final = timedelta(seconds=1)


def _just_before(time: str) -> str:
    """Return the time from which a row may repeat words that were queued at a time."""
    moment = parse_time(time) if time else None
    try:
        return "" if moment is None else format_time(moment - _LEAD)
    except OverflowError:
        return ""


def _forms(message: Message) -> set[str]:
    """Return the texts under which a message may have waited in the queue."""
    whole = "\n".join(block.text for block in message.blocks if block.kind == "text").strip()
    return {form for form in (whole, message.text.strip()) if form}


def _to_message(words: _QueuedText, taken: set[str]) -> tuple[Node, Message]:
    name = entry_id(words.transcript, words.entry)
    name = f"{name}:queued" if name in taken else name
    node = Node(
        name, words.entry, MAIN, words.order, words.time, None, words.transcript,
        (words.time, words.order),
    )  # fmt: skip
    queued_texts = classify_text(words.text)
    kind, subtype = queued_texts.kind, queued_texts.subtype or None
    if _is_withdrawn(words):
        kind, subtype = "unsent", _WITHDRAWN
    elif kind == "prompt":
        handed_over = words.left_by in ("remove", "flush")
        kind, subtype = ("steering", words.left_by) if handed_over else ("prompt", UNDELIVERED)
    entry, body = words.entry, words.entry.body
    message = Message(
        id=name,
        kind=kind,
        role="user",
        subtype=subtype,
        entry_ids=(name,),
        lines=(Location(entry.file, entry.number, entry.offset),),
        started_at=words.time,
        ended_at=words.time,
        blocks=to_blocks(body.content) if isinstance(body, QueueOperation) else (),
        text=queued_texts.text,
        content=queued_texts.content,
    )
    return node, message
