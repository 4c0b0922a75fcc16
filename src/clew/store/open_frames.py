"""Frames that stay decompressed for the next read: readers of one line often read the next."""

import sys
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from clew.store.frames import BadFrameError, Frame

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_MOST_OPENED: Final = 4
_LoadPacked: TypeAlias = Callable[[str, Frame], bytes]


class OpenFrames:
    """The frames of blobs that were read last, each decompressed as far as needed."""

    def __init__(self, load: _LoadPacked) -> None:
        self._load = load
        self._opened: dict[tuple[str, int, int], _OpenFrame] = {}

    def read_range(self, name: str, frames: Iterable[Frame], start: int, size: int) -> bytes:
        """Return a part of a blob's content, decompressing no more than needed, not verified.

        Raises:
            BadFrameError: A frame cannot be decompressed.
        """
        pieces = []
        for frame in frames:
            first = max(start, frame.start_bytes)
            last = min(start + size, frame.start_bytes + frame.size_bytes)
            if first < last:
                offset = first - frame.start_bytes
                pieces.append(self._read_part(name, frame, offset, last - first))
        return b"".join(pieces)

    def clear(self) -> None:
        """Free the memory."""
        self._opened.clear()

    def _read_part(self, name: str, frame: Frame, start: int, size: int) -> bytes:
        """Return a part of a frame, not verified, since that takes the whole frame."""
        key = (name, frame.blob_start, frame.blob_bytes)
        opened = self._opened.pop(key, None) or _OpenFrame(self._load(name, frame))
        self._opened[key] = opened
        if len(self._opened) > _MOST_OPENED:
            del self._opened[next(iter(self._opened))]
        try:
            return opened.read(start, start + size)
        except zstd.ZstdError as error:
            raise BadFrameError(str(error)) from error


class _OpenFrame:
    """A frame, decompressed as far as needed."""

    def __init__(self, packed: bytes) -> None:
        self._packed = packed
        self._unpacker = zstd.ZstdDecompressor()
        self._data = bytearray()

    def read(self, start: int, end: int) -> bytes:
        missing = end - len(self._data)
        if missing > 0:
            self._data += self._unpacker.decompress(self._packed, max_length=missing)
            self._packed = b""
        return bytes(self._data[start:end])
