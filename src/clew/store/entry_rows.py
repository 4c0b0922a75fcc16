"""Entries → rows: where each is, what it is called, and when it was written."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Final, TypeAlias

import msgspec

from clew.conversation import Material, Transcript, TranscriptKind, session_claim
from clew.entries import (
    AttachmentRow,
    Broken,
    Marker,
    ProgressRow,
    Row,
    Summary,
    System,
    attachment_kind,
    progress_kind,
)

_UUID_LENGTH: Final = 36
_UUID_BYTES: Final = 16

Rows: TypeAlias = list[tuple[Any, ...]]
# The id, type, subtype, time and version of an entry.
Told: TypeAlias = tuple[bytes | str | None, str, str, str, str]


class EntryRows(msgspec.Struct):
    """The rows of entries; `sizes` are the lengths of the entries of each path, by offset."""

    rows: Rows
    sizes: dict[str, dict[int, int]]


def entry_rows(numbered: Iterable[tuple[int, Transcript]]) -> EntryRows:
    """Return the rows of all entries of some transcripts."""
    found = EntryRows([], {})
    add = found.rows.append
    for number, transcript in numbered:
        # Copies in two roots go by one path.
        sizes = found.sizes.setdefault(transcript.path, {})
        for entry in transcript.entries:
            start, end, body = entry.start, entry.end, entry.body
            offset = entry.line_offset + start
            # The length of an entry's own bytes, without a copy of them.
            size = sizes[offset] = (end if end >= 0 else len(entry.text) + end) - start
            add((number, entry.number, offset, size, *_teller(type(body))(body)))
    return found


def old_title_rows(material: Material) -> Rows:
    """Return the old titles of sessions, wherever these are."""
    bodies = [entry.body for t in material.transcripts for entry in t.entries]
    titles = [body for body in bodies if type(body) is Summary]
    return [(short_id(t.leaf_uuid), t.summary, number) for number, t in enumerate(titles)]


def claim_of(material: Material) -> str:
    """Return a session's claim on its answers, as the column `claim` has it."""
    bodies = (
        entry.body
        for transcript in material.transcripts
        if transcript.kind is TranscriptKind.SESSION
        for entry in transcript.entries
    )
    return session_claim(material.session_id, bodies).text


def short_id(uuid: str) -> bytes | str:
    """A UUID as its 16 bytes; any other id as it is."""
    try:
        packed = bytes.fromhex(uuid.replace("-", "")) if len(uuid) == _UUID_LENGTH else b""
    except ValueError:
        return uuid
    return packed if len(packed) == _UUID_BYTES else uuid


@cache
def _teller(kind: type) -> Callable[[Any], Told]:
    """Return the function for a kind of body: one lookup is faster than a match for each body."""
    return next(tell for base, tell in _TELLERS if issubclass(kind, base))


def _row(body: Row, subtype: str = "") -> Told:
    uuid = short_id(body.uuid) if body.uuid else None
    return uuid, body.type, subtype, body.timestamp or "", body.version


def _system(body: System) -> Told:
    return _row(body, body.subtype or "")


def _attachment(body: AttachmentRow) -> Told:
    return _row(body, attachment_kind(body.attachment))


def _progress(body: ProgressRow) -> Told:
    return _row(body, progress_kind(body.data))


def _marker(body: Marker) -> Told:
    return None, body.type, "", body.timestamp or "", ""


def _broken(body: Broken) -> Told:
    return short_id(body.uuid) if body.uuid else None, "broken", "", body.timestamp or "", ""


_TELLERS: Final[tuple[tuple[type, Callable[[Any], Told]], ...]] = (
    (System, _system),
    (AttachmentRow, _attachment),
    (ProgressRow, _progress),
    (Row, _row),
    (Marker, _marker),
    (Broken, _broken),
)
