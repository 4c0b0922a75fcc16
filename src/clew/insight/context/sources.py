"""Where the messages of requests come from: blobs, rows, and rows that were sent as one message."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from clew.conversation import Material
from clew.entries import (
    ApiRequestBlob,
    Assistant,
    AttachmentRow,
    Entry,
    User,
    canonical_block,
    hash_message,
    read_message,
    read_sent,
)

# Of more rows in a row, only their beginnings and ends are tried.
_MOST_JOINED: Final = 24


class MessageSource(msgspec.Struct, frozen=True):
    """A message that a request names; it is proved if its own hash is the one it is named by."""

    message: dict[str, Any]
    is_proved: bool


class _Sent(msgspec.Struct, frozen=True):
    """A message of one row, with its blocks as they are hashed."""

    message: dict[str, Any]
    content: list[Any]
    blocks: list[str]


def find_sources(material: Material, wanted: set[str]) -> dict[str, MessageSource]:
    """Find messages by their hashes: those that are proved before those that are not."""
    found: dict[str, MessageSource] = {}
    unproved: dict[str, MessageSource] = {}
    for transcript in material.transcripts:
        _find_blobs(transcript.entries, wanted, found, unproved)
    for transcript in material.transcripts:
        if wanted <= found.keys():
            break
        for name, message in _candidates(transcript.entries):
            if name in wanted and name not in found:
                found[name] = MessageSource(message, is_proved=True)
    return {**unproved, **found}


def _find_blobs(
    entries: Iterable[Entry],
    wanted: set[str],
    found: dict[str, MessageSource],
    unproved: dict[str, MessageSource],
) -> None:
    for entry in entries:
        body = entry.body
        if not isinstance(body, ApiRequestBlob) or body.hash not in wanted:
            continue
        message = read_sent(body.message)
        if message is None:
            continue
        if body.hash in _hashes(message):
            found.setdefault(body.hash, MessageSource(message, is_proved=True))
        else:
            unproved.setdefault(body.hash, MessageSource(message, is_proved=False))


def _candidates(entries: Iterable[Entry]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return what a request may have been made of, by its hash."""
    answers: dict[str, list[Entry]] = {}
    adjacent: list[_Sent] = []
    for entry in entries:
        body = entry.body
        if isinstance(body, User):
            sent = _sent(read_message(entry))
            if sent is not None:
                adjacent.append(sent)
        elif isinstance(body, Assistant):
            answers.setdefault(body.message.id, []).append(entry)
            yield from _joined(adjacent)
            adjacent = []
        elif isinstance(body, AttachmentRow):
            continue
    yield from _joined(adjacent)
    for fragments in answers.values():
        yield from _answer(fragments)


def _joined(adjacent: list[_Sent]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return rows one by one, and those that follow each other as one message."""
    for sent in adjacent:
        for name in _hashes(sent.message):
            yield name, sent.message
    for start, end in _stretches(len(adjacent)):
        rows = adjacent[start:end]
        blocks = [block for sent in rows for block in sent.blocks]
        content = [block for sent in rows for block in sent.content]
        yield hash_message(rows[0].message, blocks), {**rows[0].message, "content": content}


def _stretches(count: int) -> Iterator[tuple[int, int]]:
    """Return which rows may have been joined: at least two, and of many only the outer ones."""
    for start in range(count - 1):
        for end in range(count, start + 1, -1):
            if count <= _MOST_JOINED or start == 0 or end == count:
                yield start, end


def _answer(fragments: list[Entry]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return the fragments of an answer as one message."""
    parts = [sent for entry in _ordered(fragments) if (sent := _sent(read_message(entry)))]
    content = [block for sent in parts for block in sent.content]
    blocks = [block for sent in parts for block in sent.blocks]
    message = {"role": "assistant", "content": content}
    yield hash_message(message, blocks), message


def _ordered(fragments: list[Entry]) -> list[Entry]:
    """Order fragments by the positions that the client wrote, if it wrote any."""
    numbered = [
        (number if e.body.api_block_index is None else e.body.api_block_index, number, e)
        for number, e in enumerate(fragments)
        if isinstance(e.body, Assistant)
    ]
    return [entry for _, _, entry in sorted(numbered, key=lambda one: one[:2])]


def _sent(message: dict[str, Any] | None) -> _Sent | None:
    if message is None:
        return None
    content = message.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return None
    return _Sent(message, content, list(map(canonical_block, content)))


def _hashes(message: dict[str, Any]) -> list[str]:
    """Return the hashes of a message: a string and a block of text are the same."""
    content = message.get("content")
    match content:
        case str():
            block = canonical_block({"type": "text", "text": content})
            return [hash_message(message, None), hash_message(message, [block])]
        case [{"type": "text", "text": str(text), **more}] if not more.keys() - {"cache_control"}:
            whole = hash_message({**message, "content": text}, None)
            return [hash_message(message, map(canonical_block, content)), whole]
        case list():
            return [hash_message(message, map(canonical_block, content))]
        case _:
            return [hash_message(message, None)]
