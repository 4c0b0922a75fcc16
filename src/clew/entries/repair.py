"""Lines that do not fit: glued, torn, broken, of a new shape or in the flat dialect."""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.entries.flat import is_flat, unflatten
from clew.entries.misfits import drop_misfit
from clew.entries.model import Broken, Entry, Unknown, entry_on
from clew.entries.salvage import Damage, find_end, load, salvage, shape_of, trim
from clew.entries.tables import DECODERS, RECORD_TYPES, is_named, struct_for
from clew.problems import Problem
from clew.source import Line

_PADDING: Final = re.compile(rb"[\x00 \t\r\n]*")
_RECORD_START: Final = re.compile(
    rb'\{"(?:type|parentUuid|logicalParentUuid|sessionId|uuid|summary|isSidechain|messageId)":'
)
# After a value inside another one, the outer one continues.
_GOES_ON: Final = re.compile(rb"[\x00 \t\r\n]*[,}\]]")
_VALUE_PLACE: Final = (b":", b",", b"[")
# Only a record of its own says which session or row it belongs to.
_OWN_KEYS: Final = ("sessionId", "leafUuid", "snapshot")
_TALK: Final = ("user", "assistant")
# A record has few misfits; a line with more is not the record it says it is.
_MOST_MISFITS: Final = 32
# A torn record has few objects open at the tear: as many tries find what is glued behind it.
_MOST_STARTS: Final = 8


class LinePiece(msgspec.Struct, frozen=True, gc=False):
    """A piece of a line: one JSON value, or bytes that are none (then with a reason)."""

    start: int
    end: int
    reason: str = ""
    truncated: bool = False


def repair_line(line: Line) -> list[Entry]:
    """Return the entries of a line that does not decode as it is. Never raises."""
    start, end = trim(line.raw)
    if start == end:
        return _padding_only(line)
    pieces = list(_pieces(line.raw, start, end))
    found = _line_problems(line, pieces)
    whole = len(pieces) == 1
    # Made once: as many copies of a line as it has pieces would take quadratic time.
    bare = entry_on(line, Broken(""))
    entries = []
    for index, piece in enumerate(pieces):
        body, problems = _read(line, piece, at_end=piece.end == end)
        mine = _placed(line, piece, (*(found if index == 0 else ()), *problems))
        span = {} if whole else {"start": piece.start, "end": piece.end}
        entries.append(msgspec.structs.replace(bare, body=body, problems=mine, **span))
    return entries


def _padding_only(line: Line) -> list[Entry]:
    if b"\x00" not in line.raw:
        return []
    reason = f"{len(line.raw)} bytes, all NUL or blank"
    problem = Problem("nul", reason, line.file, line.number, line.offset)
    return [msgspec.structs.replace(entry_on(line, Broken(reason)), problems=(problem,))]


def _line_problems(line: Line, pieces: list[LinePiece]) -> tuple[Problem, ...]:
    found = []
    if len(pieces) > 1:
        found.append(Problem("glued", f"{len(pieces)} pieces on one line"))
    around = line.raw[: pieces[0].start] + line.raw[pieces[-1].end :]
    if b"\x00" in around:
        found.append(Problem("nul", "NUL bytes around the record"))
    return tuple(found)


def _placed(line: Line, piece: LinePiece, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    offset = line.offset + piece.start
    return tuple(Problem(p.kind, p.text, line.file, line.number, offset) for p in problems)


def _pieces(raw: bytes, start: int, end: int) -> Iterator[LinePiece]:
    while start < end:
        piece = _piece_at(raw, start, end)
        yield piece
        start = _skip_padding(raw, piece.end, end)


def _piece_at(raw: bytes, start: int, end: int) -> LinePiece:
    try:
        after = find_end(raw, start, end)
    except Damage as damage:
        return LinePiece(start, _later_record(raw, start, end), damage.reason, damage.truncated)
    if after < end and not raw.startswith(b"{", start):
        return LinePiece(start, _later_record(raw, start, end), "bytes that are no record")
    return LinePiece(start, after)


def _skip_padding(raw: bytes, start: int, end: int) -> int:
    found = _PADDING.match(raw, start, end)
    return start if found is None else found.end()


def _later_record(raw: bytes, start: int, end: int) -> int:
    """Find where whole records begin behind damaged bytes; `end` when none do."""
    position, tries = start + 1, 0
    while tries < _MOST_STARTS and (found := _RECORD_START.search(raw, position, end)):
        try:
            after = find_end(raw, found.start(), end)
        except Damage:
            position, tries = found.end(), tries + 1
            continue
        if _stands_alone(raw, found.start(), after, end):
            return found.start()
        position = after
    return end


def _stands_alone(raw: bytes, start: int, after: int, end: int) -> bool:
    """Return whether a record is glued, not inside the torn record before it."""
    if _GOES_ON.match(raw, after, end):
        return False
    try:
        value = load(raw[start:after]).value
    except Damage:
        return False
    if not isinstance(value, dict) or _string(value, "type") not in RECORD_TYPES:
        return False
    return not _is_value_place(raw, start) or any(key in value for key in _OWN_KEYS)


def _is_value_place(raw: bytes, start: int) -> bool:
    return raw[max(0, start - 8) : start].rstrip().endswith(_VALUE_PLACE)


def _read(line: Line, piece: LinePiece, *, at_end: bool) -> tuple[Any, tuple[Problem, ...]]:
    raw = line.raw[piece.start : piece.end]
    if piece.reason:
        kind = _broken_kind(piece, at_end=at_end, ended=line.ended)
        return salvage(raw, piece.reason), (Problem(kind, piece.reason),)
    try:
        loaded = load(raw)
    except Damage as damage:
        return salvage(raw, damage.reason), (Problem("broken", damage.reason),)
    problems = (Problem("encoding", loaded.repaired),) if loaded.repaired else ()
    if not isinstance(loaded.value, dict):
        reason = f"{shape_of(loaded.value)}, not a record"
        return Broken(reason), (*problems, Problem("broken", reason))
    body, more = _fit(loaded.value)
    return body, (*problems, *more)


def _broken_kind(piece: LinePiece, *, at_end: bool, ended: bool) -> str:
    if piece.truncated and at_end and not ended:
        return "unfinished"
    return "torn" if piece.truncated or not at_end else "broken"


def _fit(record: dict[str, Any]) -> tuple[Any, tuple[Problem, ...]]:
    """Read a record into its struct, leaving out one misfit after another."""
    if is_flat(record):
        record = unflatten(record)
    kind, subtype = _kind(record)
    problems = []
    if not kind:
        record = {**record, "type": ""}
        problems.append(Problem("missing_field", "a record without a type"))
    elif not is_named(kind, subtype):
        problems.append(Problem("unknown_type", _shown(f"{kind}/{subtype}" if subtype else kind)))
    if kind in _TALK and not isinstance(record.get("message"), dict):
        record = {**record, "message": {}}
        problems.append(Problem("missing_field", f"{kind}: a record without a message"))
    decoder = DECODERS[struct_for(kind, subtype)]
    for _ in range(_MOST_MISFITS):
        try:
            return decoder.decode(msgspec.json.encode(record)), tuple(problems)
        except msgspec.ValidationError as error:
            dropped = drop_misfit(record, str(error))
            if dropped is None:
                break
            record, problem = dropped
            problems.append(problem)
        except RecursionError:
            break
    problems.append(Problem("wrong_shape", f"{_shown(kind)}: a record of an unknown shape"))
    return _bare(record, kind), tuple(problems)


def _bare(record: dict[str, Any], kind: str) -> Unknown:
    """Keep only what links a record, when nothing else of it fits."""
    return Unknown(
        type=kind,
        uuid=_string(record, "uuid"),
        parent_uuid=_string(record, "parentUuid") or None,
        session_id=_string(record, "sessionId"),
        timestamp=_string(record, "timestamp"),
    )


def _kind(record: dict[str, Any]) -> tuple[str, str]:
    return _string(record, "type"), _string(record, "subtype")


def _string(record: dict[str, Any], key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""


def _shown(name: str) -> str:
    """A type's name may be any text: a report shows its beginning."""
    return name[:60]
