"""Blob names and frames ↔ keys of objects.

A blob is a folder of objects. A frame is one of them, named by its position, its size and the hash
of its content, so that whoever has its row needs no listing, and no key has two contents. A sealed
blob is one object of all its frames, below a folder named in the same way; it sorts after the
frames, so that a listing which runs while a blob is sealed finds one or the other.
"""

import errno
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

import msgspec

from clew.store.frames import OLD_HASH_BYTES, Frame

_FRAME: Final = re.compile(r"(\d{12,})-(\d+)-[0-9a-f]{32}").fullmatch
_SEALED: Final = re.compile(r"sealed-(\d+)-[0-9a-f]{32}").fullmatch
_ESCAPE: Final = "~"
_ESCAPED: Final = re.compile(rb"~([0-9A-F]{2})")
# All other characters of ASCII mean something to a URL, a shell or a file system.
_PLAIN: Final = re.compile(r"[\w.-]+").fullmatch
_ODD: Final = re.compile(r"[^\w.-]")
_DOTS: Final = (".", "..")
# S3's own limit, less what is appended to a blob's name.
_MOST_NAME_BYTES: Final = 1024 - 64


class StoredObject(msgspec.Struct, frozen=True):
    """One object of a blob: a frame, or all of them when it is sealed."""

    blob: str
    key: str
    start: int
    size: int
    modified: datetime
    is_sealed: bool = False

    @property
    def end(self) -> int:
        """The position after it."""
        return self.start + self.size


def frame_key(name: str, frame: Frame) -> str:
    """Return the key of a frame; its hash may have been stored in part only."""
    digest = frame.hash[:OLD_HASH_BYTES].hex()
    return f"{encode_name(name)}/{frame.blob_start:012d}-{frame.blob_bytes}-{digest}"


def sealed_key(name: str, frames: Sequence[Frame]) -> str:
    """Return the key of all frames of a blob in one object, which keeps the name of its file."""
    return list(sealed_keys(name, frames))[-1]


def sealed_keys(name: str, frames: Iterable[Frame]) -> Iterator[str]:
    """Return the keys of a blob that was sealed after none, one, two … of its frames."""
    encoded = encode_name(name)
    last = encoded.rpartition("/")[2]
    size = 0
    hashes = hashlib.sha256()
    yield f"{encoded}/sealed-0-{hashes.hexdigest()[:32]}/{last}"
    for frame in frames:
        size += frame.blob_bytes
        hashes.update(frame.hash[:OLD_HASH_BYTES] + frame.blob_bytes.to_bytes(8, "big"))
        yield f"{encoded}/sealed-{size}-{hashes.hexdigest()[:32]}/{last}"


def parse_key(key: str, size: int, modified: datetime) -> StoredObject | None:
    """Read a listed object's key; None for other objects, and for those that were cut off."""
    folder, _, last = key.rpartition("/")
    if found := _FRAME(last):
        start, declared = int(found[1]), int(found[2])
        blob = folder
    else:
        blob, _, part = folder.rpartition("/")
        found = _SEALED(part)
        if found is None:
            return None
        start, declared = 0, int(found[1])
    if declared != size:
        return None
    is_sealed = blob != folder
    return StoredObject(decode_name(blob), key, start, size, modified, is_sealed=is_sealed)


def encode_name(name: str) -> str:
    """Return a blob's name with nothing in it that a URL or a file system takes for its own.

    Raises:
        OSError: It is too long, as on a disk.
    """
    encoded = "/".join(map(_encode_part, name.split("/")))
    if len(encoded.encode()) > _MOST_NAME_BYTES:
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    return encoded


def decode_name(encoded: str) -> str:
    """Return the name that was encoded."""
    if _ESCAPE not in encoded:
        return encoded
    return "/".join(map(_decode_part, encoded.split("/")))


def _encode_part(part: str) -> str:
    if _PLAIN(part) and part not in _DOTS:
        return part
    if part in _DOTS:
        return part.replace(".", "~2E")
    return _ODD.sub(_escape, part) or _ESCAPE


def _escape(found: re.Match[str]) -> str:
    return "".join(f"~{byte:02X}" for byte in found[0].encode("utf-8", "surrogateescape"))


def _decode_part(part: str) -> str:
    if part == _ESCAPE:
        return ""
    raw = _ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()), part.encode())
    return raw.decode("utf-8", "surrogateescape")
