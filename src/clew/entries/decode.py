"""Line → entries: the only place that decodes a transcript's JSON.

The way most lines go: a look at the bytes guesses the type, that type's struct reads the line in
one pass, and its own `type` confirms the guess. Whatever does not fit goes to `repair_line`.
"""

import re
import string
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import msgspec

from clew.entries.assistant import Assistant
from clew.entries.markers import MARKERS
from clew.entries.model import Entry, entry_on
from clew.entries.progress import ProgressRow
from clew.entries.repair import repair_line
from clew.entries.row import NULL
from clew.entries.salvage import salvage
from clew.entries.system import SYSTEM_SUBTYPES, System
from clew.entries.tables import DECODERS, RECORD_TYPES, ROWS
from clew.entries.user import User
from clew.problems import Problem
from clew.source import Line, Lines

Read = Callable[[bytes], Any]

_BAD: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

_KEY: Final = b'"type":"'
_MESSAGE: Final = b'"message":{"model":'
_find_type: Final = re.compile(
    _KEY + b"(" + b"|".join(sorted((k.encode() for k in RECORD_TYPES), reverse=True)) + b')"'
).search
_find_subtype: Final = re.compile(rb'"subtype":"([a-z_]+)"').search

_BY_FIRST_TYPE: Final[dict[bytes, tuple[str, Read]]] = {
    kind.encode(): (kind, DECODERS[struct].decode)
    for kind, struct in (*ROWS.items(), *MARKERS.items())
    if kind != "system"
}
_BY_FIRST_TYPE[b"message"] = _BY_FIRST_TYPE[b"assistant"]
_BY_SUBTYPE: Final[dict[bytes, tuple[str, Read]]] = {
    subtype.encode(): ("system", DECODERS[struct].decode)
    for subtype, struct in SYSTEM_SUBTYPES.items()
}

_read_answer: Final = DECODERS[Assistant].decode
# Bytes by which the types are known that nearly all lines have: those behind the first `"type":"`,
# and for an answer, whose own type is behind its message, those behind `"message`, which is as
# long. So in the rows of one client, which begin alike, all of them are at the same place.
_SIGN_SIZE: Final = 20
_SIGNS: Final[dict[bytes, Read]] = {
    b'user","message":{"ro': DECODERS[User].decode,
    b'progress","data":{"t': DECODERS[ProgressRow].decode,
    b'progress","data":{"m': DECODERS[ProgressRow].decode,
    b'message","role":"ass': _read_answer,
    **{
        b'":{"model":"claude-' + letter.encode(): _read_answer
        for letter in string.ascii_lowercase + string.digits
    },
}


def decode(line: Line) -> list[Entry]:
    """Return a line's entries: one, two that were glued, or none on a blank line. Never raises."""
    if line.oversize:
        return [_oversized(line)]
    try:
        return [entry_on(line, _read(line.raw))]
    except _BAD:
        return repair_line(line)


def decode_all(lines: Iterable[Line]) -> Iterator[Entry]:
    """Decode line after line."""
    if isinstance(lines, Lines) and not lines.begun:
        return _decode_chunks(lines)
    return (entry for line in lines for entry in decode(line))


def _decode_chunks(lines: Lines) -> Iterator[Entry]:
    """Decode lines with as little as can be beside the decoder: many readers wait for this loop.

    The sign of a line mostly is where that of the last one was, or of the one before.
    """
    file, number, after = lines.file, lines.number - 1, lines.offset
    by_sign = _SIGNS.get
    place = other = slice(_SIGN_SIZE)
    for chunk in lines.chunks:
        ended = chunk.ended
        if chunk.oversize:
            number += 1
            raw = next(iter(chunk.lines))[:-1]
            yield _oversized(Line(raw, file, number, after, ended, chunk.oversize))
            after += chunk.oversize + 1
            continue
        for text in chunk.lines:
            number += 1
            offset = after
            after += len(text)
            read = by_sign(text[place])
            if read is None:
                place, other = other, place
                read = by_sign(text[place])
                if read is None:
                    place, read = _find_sign(text, place)
            try:
                body = read(text)
            except _BAD:
                yield from decode(Line(text[:-1], file, number, offset, ended))
            else:
                yield Entry(body, text, file, number, offset, ended)


def _oversized(line: Line) -> Entry:
    """Return the entry of a line that is too large, with the ids from its beginning."""
    reason = f"a line of {line.oversize:,} bytes, which is too large to read"
    problem = Problem("oversized", reason, line.file, line.number, line.offset)
    entry = entry_on(line, salvage(line.raw, reason))
    return msgspec.structs.replace(entry, problems=(problem,))


def _find_sign(text: bytes, place: slice) -> tuple[slice, Read]:
    """Find the sign of a line and its decoder; without a sign, the position stays."""
    start = text.find(_KEY) + len(_KEY)
    if text.startswith(b"message", start):
        start = text.rfind(_MESSAGE, 0, start) + len(_KEY)
    found = slice(start, start + _SIGN_SIZE)
    read = _SIGNS.get(text[found])
    return (place, _read) if read is None else (found, read)


def _read(raw: bytes) -> Any:
    """Read a record in one pass; where the guess of its type is wrong, raise as a misfit does.

    The first type on a line is nearly always the record's own, or that of a model's message.
    """
    start = raw.find(_KEY) + len(_KEY)
    read = _SIGNS.get(raw[start : start + _SIGN_SIZE])
    if read is not None:
        return read(raw)
    guess = _BY_FIRST_TYPE.get(raw[start : raw.find(b'"', start)]) or _guess(raw)
    if guess is None:
        raise msgspec.ValidationError("a record of no known type")
    kind, read = guess
    body = read(raw)
    if body.type != kind or (kind == "system" and not _is_whole(body)):
        raise msgspec.ValidationError("a record of another type")
    return body


def _guess(raw: bytes) -> tuple[str, Read] | None:
    found = _find_type(raw)
    if found is None:
        return None
    if found[1] != b"system":
        return _BY_FIRST_TYPE[found[1]]
    found = _find_subtype(raw)
    return None if found is None else _BY_SUBTYPE.get(found[1])


def _is_whole(body: object) -> bool:
    """A system row is read by its subtype's struct, and has no `message`: that is flat dialect."""
    if not isinstance(body, System) or body.message is not NULL:
        return False
    return type(body) is SYSTEM_SUBTYPES.get(body.subtype or "")
