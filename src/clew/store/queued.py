"""Words that waited in the queue → what a session's past and its tail must know of each other's.

An enqueue claims a row with the same words; where there is none, the queue itself is their only
record. A tail may claim and be claimed on its own as long as neither side lacks a row.
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from clew.conversation import Message, to_blocks
from clew.entries import Entry, QueueOperation

_INTO: Final = ("enqueue", "append")
_SPOKEN: Final = ("prompt", "steering", "command", "bash_input", "memory")


class Operation(msgspec.Struct, frozen=True, gc=False):
    """One operation on the queue: where it stands, what it does, and its words."""

    offset: int
    kind: str
    text: str

    @property
    def is_enqueue(self) -> bool:
        """Whether it puts words into the queue."""
        return self.kind in _INTO


def queue_operations(entries: Iterable[Entry]) -> list[Operation]:
    """Give what entries do to the queue."""
    return [
        Operation(entry.offset, entry.body.operation or "", _text(entry.body))
        for entry in entries
        if isinstance(entry.body, QueueOperation)
    ]


def _text(body: QueueOperation) -> str:
    if isinstance(body.content, str):
        return body.content.strip()
    blocks = to_blocks(body.content)
    return "\n".join(block.text for block in blocks if block.kind == "text").strip()


def follow_queue(
    operations: Iterable[Operation], before: tuple[str, ...] = ()
) -> tuple[Counter[str], tuple[str, ...]]:
    """Give how often words were said by way of the queue, and which are left in it."""
    claims: Counter[str] = Counter()
    waiting = deque(before)
    for operation in operations:
        kind, text = operation.kind, operation.text
        if operation.is_enqueue:
            if text:
                claims[text] += 1
                waiting.append(text)
        elif kind == "dequeue" or (kind == "remove" and not text):
            if waiting:
                waiting.popleft()
        elif kind == "remove" and text in waiting:
            waiting.remove(text)
        elif kind in ("remove", "popAll", "flush"):
            if text and (kind == "remove" or not waiting):
                claims[text] += 1
            if kind != "remove":
                waiting.clear()
    return claims, tuple(waiting)


def lone_words(operations: Iterable[Operation], messages: Iterable[Message]) -> list[str]:
    """Give the words of messages that stand in the queue alone."""
    texts = {operation.offset: operation.text for operation in operations}
    if not texts:
        return []
    places = (m.lines[0].offset for m in messages if m.lines and not m.agent_run_id)
    return [texts[place] for place in places if place in texts]


def is_spoken(message: Message) -> bool:
    """Tell whether a message may be what once waited in the queue."""
    return message.agent_run_id is None and (message.role == "user" or message.kind in _SPOKEN)


def spoken_forms(message: Message) -> set[str]:
    """Give the texts under which a message may have waited in the queue."""
    whole = "\n".join(block.text for block in message.blocks if block.kind == "text").strip()
    return {form for form in (whole, message.text.strip()) if form}


def past_words(operations: list[Operation], messages: Iterable[Message]) -> Iterator[str]:
    """Give names for what a past claims, for what it claims in vain, and for what it says."""
    claims, _ = follow_queue(operations)
    forms = _forms(operations, messages)
    yield from (f"claim: {text}" for text in claims)
    yield from (f"lacks: {text}" for text, count in claims.items() if count > forms[text])
    yield from (f"says: {text}" for text in forms)


def tail_words(operations: list[Operation], messages: Iterable[Message]) -> Iterator[str]:
    """Give the names that must not be among those of its past.

    What a tail claims in vain, no past may claim or say; what it claims or says, no past may lack.
    """
    claims, _ = follow_queue(operations)
    forms = _forms(operations, messages)
    vain = [text for text, count in claims.items() if count > forms[text]]
    yield from (f"claim: {text}" for text in vain)
    yield from (f"says: {text}" for text in vain)
    yield from (f"lacks: {text}" for text in {*claims, *forms})


def _forms(operations: list[Operation], messages: Iterable[Message]) -> Counter[str]:
    """Count the texts of rows; messages that stand in the queue alone are none."""
    places = {operation.offset for operation in operations}
    forms: Counter[str] = Counter()
    for message in messages:
        is_lone = bool(message.lines) and message.lines[0].offset in places
        if is_spoken(message) and not is_lone:
            forms.update(spoken_forms(message))
    return forms
