"""Line → entries: the only place that decodes a transcript's JSON.

The way most lines go: a look at the bytes guesses the type, that type's struct reads the line in
one pass, and the struct's own `type` confirms the guess. Whatever does not fit goes to `mend`.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import msgspec

from clew.entries.markers import MARKERS
from clew.entries.mend import mend
from clew.entries.model import Entry
from clew.entries.row import NULL
from clew.entries.system import SYSTEM_SUBTYPES, System
from clew.entries.tables import DECODERS, RECORD_TYPES, ROWS
from clew.source import Line

Guess = tuple[str, Callable[[bytes], Any]]

_BAD: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

_KEY: Final = b'"type":"'
_find_type: Final = re.compile(
    _KEY + b"(" + b"|".join(sorted((k.encode() for k in RECORD_TYPES), reverse=True)) + b')"'
).search
_find_subtype: Final = re.compile(rb'"subtype":"([a-z_]+)"').search

_BY_FIRST_TYPE: Final[dict[bytes, Guess]] = {
    kind.encode(): (kind, DECODERS[struct].decode)
    for kind, struct in (*ROWS.items(), *MARKERS.items())
    if kind != "system"
}
_BY_FIRST_TYPE[b"message"] = _BY_FIRST_TYPE[b"assistant"]
_HOT_LETTERS: Final = 4
_HOT: Final = {
    kind[:_HOT_LETTERS]: _BY_FIRST_TYPE[kind]
    for kind in (b"assistant", b"message", b"progress", b"user")
}
_BY_SUBTYPE: Final[dict[bytes, Guess]] = {
    subtype.encode(): ("system", DECODERS[struct].decode)
    for subtype, struct in SYSTEM_SUBTYPES.items()
}


def decode(line: Line) -> list[Entry]:
    """Give a line's entries: one, two that were glued, or none on a blank line. Never raises."""
    raw = line.raw
    guess = _guess(raw)
    if guess is None:
        return mend(line)
    kind, read = guess
    try:
        body = read(raw)
    except _BAD:
        return mend(line)
    if body.type == kind and (kind != "system" or _is_whole(body)):
        return [Entry(line, body)]
    return mend(line)


def decode_all(lines: Iterable[Line]) -> Iterator[Entry]:
    """Decode line after line.

    The few types that nearly all lines have are read here, without a call per line: this loop is
    what a reader of many transcripts waits for.
    """
    find_hot, length = _HOT.get, len(_KEY)
    for line in lines:
        raw = line.raw
        start = raw.find(_KEY) + length
        hot = find_hot(raw[start : start + _HOT_LETTERS])
        if hot is not None:
            try:
                body = hot[1](raw)
            except _BAD:
                yield from mend(line)
                continue
            if body.type == hot[0]:
                yield Entry(line, body)
                continue
        yield from decode(line)


def _guess(raw: bytes) -> Guess | None:
    """Guess a record's type from its bytes, and give the decoder to try.

    The first type on a line is nearly always the record's own, or that of a model's message.
    """
    start = raw.find(_KEY) + len(_KEY)
    guess = _BY_FIRST_TYPE.get(raw[start : raw.find(b'"', start)])
    if guess is not None:
        return guess
    found = _find_type(raw)
    if found is None:
        return None
    return _guess_system(raw) if found[1] == b"system" else _BY_FIRST_TYPE[found[1]]


def _guess_system(raw: bytes) -> Guess | None:
    found = _find_subtype(raw)
    return None if found is None else _BY_SUBTYPE.get(found[1])


def _is_whole(body: object) -> bool:
    """A system row is read by its subtype's struct, and has no `message`: that is flat dialect."""
    if not isinstance(body, System) or body.message is not NULL:
        return False
    return type(body) is SYSTEM_SUBTYPES.get(body.subtype or "")
