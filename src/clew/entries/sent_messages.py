"""Messages as they were sent to a model, and the hashes that requests name them by."""

import json
import re
from collections.abc import Iterable
from hashlib import sha256
from json.encoder import encode_basestring
from typing import Any, Final, Self

import msgspec

from clew.entries.markers import ApiRequest, ApiRequestShape
from clew.entries.model import Entry
from clew.entries.row import NULL

_LONE: Final = re.compile("[\ud800-\udfff]")
_CACHE_CONTROL: Final = "cache_control"


class _Holder(msgspec.Struct, frozen=True):
    message: msgspec.Raw = NULL


class _Shape(msgspec.Struct, frozen=True):
    system: msgspec.Raw = NULL
    tools: msgspec.Raw = NULL


_holder: Final = msgspec.json.Decoder(_Holder)
_tail: Final = msgspec.json.Decoder(list[str])
_shape: Final = msgspec.json.Decoder(_Shape)
_params: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


class _CacheControl(msgspec.Struct, frozen=True):
    path: list[Any] = []


_cache_controls: Final = msgspec.json.Decoder(list[_CacheControl])


class _Number(float):
    """A fraction that remembers how it was written: hashes depend on it."""

    __slots__ = ("text",)

    def __new__(cls, text: str) -> Self:
        """Read a number, and keep its text."""
        number = super().__new__(cls, text)
        number.text = text
        return number

    text: str


def read_message(entry: Entry) -> dict[str, Any] | None:
    """Return the message of a row as it was written, whatever is in it; None if it has none."""
    try:
        return read_sent(_holder.decode(entry.raw).message)
    except msgspec.MsgspecError:
        return None


def read_sent(raw: msgspec.Raw) -> dict[str, Any] | None:
    """Return a message with its numbers as they were written; None if it is no object."""
    try:
        found = json.loads(bytes(raw), parse_float=_Number)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def read_tail(request: ApiRequest) -> list[str] | None:
    """Return the hashes of the messages that a request adds; None if they cannot be read."""
    try:
        return _tail.decode(request.tail)
    except msgspec.MsgspecError:
        return None


def read_shape(row: ApiRequestShape) -> tuple[bytes, bytes]:
    """Return the system prompt and the tools of requests, as JSON."""
    try:
        shape = _shape.decode(row.shape)
    except msgspec.MsgspecError:
        return b"", b""
    return bytes(shape.system), bytes(shape.tools)


def read_params(request: ApiRequest) -> dict[str, bytes]:
    """Return the parameters of a request, each as JSON."""
    try:
        return {name: bytes(value) for name, value in _params.decode(request.params).items()}
    except msgspec.MsgspecError:
        return {}


def read_cache_places(request: ApiRequest) -> list[int]:
    """Return the positions of the messages in which a part ends that the API caches."""
    try:
        places = [mark.path for mark in _cache_controls.decode(request.cache_control)]
    except msgspec.MsgspecError:
        return []
    return [
        place[1]
        for place in places
        if len(place) > 1 and place[0] == "messages" and isinstance(place[1], int)
    ]


def is_null(raw: msgspec.Raw) -> bool:
    """Return whether a value is missing, null, or an empty list or object."""
    return bytes(raw).strip() in (b"", b"null", b"[]", b"{}", b"false", b"0")


def canonical(value: Any) -> str:
    """Write a value as clients do before they hash it: keys sorted, nothing between tokens."""
    match value:
        case str():
            text = encode_basestring(value)
            return text if text.isascii() else _LONE.sub(_escape, text)
        case dict():
            items = sorted(value.items())
            return "{" + ",".join(f"{canonical(k)}:{canonical(v)}" for k, v in items) + "}"
        case list():
            return "[" + ",".join(map(canonical, value)) + "]"
        case _Number():
            return value.text
        case _:
            return json.dumps(value)


def canonical_block(block: Any) -> str:
    """Write a block of a message; where it ends a part that is cached is not part of it."""
    if isinstance(block, dict) and _CACHE_CONTROL in block:
        block = {name: value for name, value in block.items() if name != _CACHE_CONTROL}
    return canonical(block)


def hash_message(message: dict[str, Any], blocks: Iterable[str] | None) -> str:
    """Return the hash of a message with these blocks, or with its content as it is."""
    content = canonical(message.get("content")) if blocks is None else f"[{','.join(blocks)}]"
    rest = {name: canonical(value) for name, value in message.items() if name != "content"}
    items = sorted({**rest, "content": content}.items())
    text = "{" + ",".join(f"{canonical(name)}:{value}" for name, value in items) + "}"
    return sha256(text.encode()).hexdigest()


def _escape(lone: re.Match[str]) -> str:
    return f"\\u{ord(lone[0]):04x}"
