"""JSON that is damaged: read tolerantly, or salvage what links it."""

import json
import re
from types import NoneType
from typing import Any, Final

import msgspec

from clew.entries.model import Broken

_BOM: Final = b"\xef\xbb\xbf"
_PADDING: Final = b"\x00 \t\r\n"
_UUID: Final = re.compile(rb'"uuid":"([^"\\]{1,64})"')
_PARENT: Final = re.compile(rb'"parentUuid":"([^"\\]{1,64})"')
_SESSION: Final = re.compile(rb'"sessionId":"([^"\\]{1,64})"')
_TIME: Final = re.compile(rb'"timestamp":"([0-9TZ:.+-]{10,40})"')
_TRAILING: Final = re.compile(r"trailing characters \(byte (\d+)\)")
_REPAIRABLE: Final = re.compile(r"surrogate|hex escape|invalid (?:character|number)")
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
# As many digits of an integer are read by every interpreter, however it is set up.
_MOST_DIGITS: Final = 640
# What can be between the place where a cut value breaks and the cut: half a word or number.
_CUT_WORD: Final = re.compile(r"[\w.+\\-]{0,9}\Z")
_FIRST_WINDOW: Final = 1 << 12
_SHAPES: Final = {
    NoneType: "null",
    bool: "true or false",
    str: "a text",
    list: "a list",
    dict: "an object",
}


class Damage(Exception):  # noqa: N818 (it names the thing, and never leaves this package)
    """These bytes are not JSON; `truncated` when they are the beginning of some."""

    def __init__(self, reason: str, *, truncated: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.truncated = truncated


class Loaded(msgspec.Struct, frozen=True):
    """A JSON value, and what had to be repaired to read it."""

    value: Any
    repaired: str = ""


def trim(raw: bytes) -> tuple[int, int]:
    """Return where the bytes begin and end between a byte order mark, NUL bytes and blanks."""
    start = len(_BOM) if raw.startswith(_BOM) else 0
    start = len(raw) - len(raw[start:].lstrip(_PADDING))
    return start, max(start, len(raw.rstrip(_PADDING)))


def find_end(raw: bytes, start: int, end: int) -> int:
    """Find where the JSON value at `start` ends, `end` at the latest; `Damage` when it does not."""
    try:
        _skip.decode(memoryview(raw)[start:end])
    except msgspec.DecodeError as error:
        reason = str(error)
    except RecursionError:
        raise Damage("nested too deeply") from None
    else:
        return end
    if trailing := _TRAILING.search(reason):
        return start + int(trailing[1]) - 1
    if _REPAIRABLE.search(reason) or _ends_in_escape(raw, start, end):
        return _find_end_tolerantly(raw, start, end, reason)
    raise Damage(reason, truncated="truncated" in reason)


def load(raw: bytes) -> Loaded:
    """Decode JSON, tolerating bad UTF-8, half surrogates, NaN and huge numbers; else `Damage`."""
    try:
        return Loaded(msgspec.json.decode(raw))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        reason = str(error)
    except RecursionError:
        raise Damage("nested too deeply") from None
    return _load_tolerantly(raw, reason)


def shape_of(value: object) -> str:
    """Name the kind of a JSON value without quoting it."""
    return _SHAPES.get(type(value), "a number")


def salvage(raw: bytes, reason: str) -> Broken:
    """Keep what links a broken record to others, as far as it can still be read."""
    parent = _text(_PARENT, raw)
    return Broken(
        reason,
        uuid=_text(_UUID, raw),
        parent_uuid=parent or None,
        session_id=_text(_SESSION, raw),
        timestamp=_text(_TIME, raw),
    )


def _ends_in_escape(raw: bytes, start: int, end: int) -> bool:
    """Half a surrogate pair near the end is called truncated by the decoder."""
    return b"\\u" in raw[max(start, end - 16) : end]


def _find_end_tolerantly(raw: bytes, start: int, end: int, reason: str) -> int:
    """Search a window that grows: the cost depends on where the damage is, not on the line."""
    size = _FIRST_WINDOW
    while True:
        stop = min(start + size, end)
        # One character a byte: places in the text are places in the bytes.
        text = raw[start:stop].decode("latin-1")
        try:
            length = _tolerant.raw_decode(text)[1]
        except json.JSONDecodeError as error:
            truncated = _is_cut(text, error)
        except RecursionError:
            raise Damage("nested too deeply") from None
        else:
            if length < len(text) or stop == end:
                return start + length
            truncated = True
        if not truncated or stop == end:
            raise Damage(reason, truncated=truncated)
        size *= 4


def _is_cut(text: str, error: json.JSONDecodeError) -> bool:
    """Return whether a text is JSON as far as it goes."""
    if error.msg.startswith("Unterminated string"):
        return True
    return error.pos > 0 and _CUT_WORD.match(text, error.pos) is not None


def _load_tolerantly(raw: bytes, reason: str) -> Loaded:
    try:
        value = _tolerant.decode(raw.decode("utf-8", "surrogateescape"))
        return Loaded(_clean(value), _repair(raw))
    except (json.JSONDecodeError, RecursionError):
        raise Damage(reason) from None


def _whole_number(digits: str) -> int | None:
    """Read an integer; one with more digits than anything has is none."""
    return int(digits) if len(digits) <= _MOST_DIGITS else None


_skip: Final = msgspec.json.Decoder(msgspec.Raw)
_tolerant: Final = json.JSONDecoder(strict=False, parse_int=_whole_number)


def _repair(raw: bytes) -> str:
    """Describe what had to be repaired, for the report."""
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        return f"byte {error.start} of the record is not UTF-8"
    return "half a surrogate pair, a control character or a number that is none"


def _clean(value: Any) -> Any:
    """Replace half surrogates, which cannot be encoded again."""
    if isinstance(value, str):
        return _SURROGATES.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_clean(key): _clean(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_clean(inner) for inner in value]
    return value


def _text(pattern: re.Pattern[bytes], raw: bytes) -> str:
    found = pattern.search(raw)
    return found[1].decode("utf-8", "replace") if found else ""
