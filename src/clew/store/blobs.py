"""Kept bytes: each source file as zstd frames in a folder tree that mirrors the source.

The concatenation of a blob's frames is the file, so `zstd -d` alone gives it back. A frame is
appended and made durable before a row speaks of it; bytes behind the last known frame are the
rest of a write that was cut off, and are overwritten.
"""

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from clew.errors import ClewError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# One frame holds at most this much: larger ones pack better, but a line is unpacked with all that
# stands before it. What repeats is found within the whole of it.
_FRAME_BITS: Final = 22
FRAME_BYTES: Final = 1 << _FRAME_BITS
_OPTIONS: Final[dict[int, int]] = {
    zstd.CompressionParameter.compression_level: 3,
    zstd.CompressionParameter.window_log: _FRAME_BITS,
}
_HASH_BYTES: Final = 16
_PIECE: Final = 1 << 20
# So many frames stay unpacked for whoever reads on in them.
_MOST_OPENED: Final = 4


class Frame(msgspec.Struct, frozen=True):
    """One compressed stretch of a file: where it stands in the file and in its blob."""

    start_bytes: int
    size_bytes: int
    blob_start: int
    blob_bytes: int
    hash: bytes


class DamagedBlobError(ClewError):
    """A kept file does not hold what was put into it."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"the kept copy {name} is damaged ({reason}); restore it from a backup")
        self.name = name


class RefusedBlobError(DamagedBlobError):
    """A kept file is not ours to open."""

    def __init__(self, name: str, reason: str) -> None:
        ClewError.__init__(
            self, f"the kept copy {name} cannot be opened ({reason}); give yourself the right to"
        )
        self.name = name


def content_hash(data: bytes) -> bytes:
    """Give the hash by which kept bytes are proved."""
    return hashlib.sha256(data).digest()[:_HASH_BYTES]


def compress(data: bytes, start: int, blob_start: int) -> Iterator[tuple[bytes, Frame]]:
    """Cut bytes into frames and compress each."""
    for offset in range(0, len(data), FRAME_BYTES):
        piece = data[offset : offset + FRAME_BYTES]
        packed = zstd.compress(piece, options=_OPTIONS)
        yield (
            packed,
            Frame(start + offset, len(piece), blob_start, len(packed), content_hash(piece)),
        )
        blob_start += len(packed)


class _Opened:
    """A frame, unpacked as far as anybody asked: who reads one line often reads its neighbours."""

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


class FolderBlobs:
    """Blobs as files below a folder of our own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._opened: dict[tuple[str, int, int], _Opened] = {}

    def path(self, name: str) -> Path:
        """Give the path of a blob; names come from file names, so they stay below the folder."""
        return self.folder.joinpath(*(_safe(part) for part in name.split("/")))

    def append(self, name: str, at: int, packed: Iterable[bytes]) -> None:
        """Write frames behind the first `at` bytes of a blob.

        Raises:
            RefusedBlobError: It may not be written to.
        """
        descriptor = self._open_for_writing(name)
        try:
            if os.fstat(descriptor).st_size != at:
                os.ftruncate(descriptor, at)
            os.lseek(descriptor, at, os.SEEK_SET)
            for piece in packed:
                _write_all(descriptor, piece)
        finally:
            os.close(descriptor)

    def _open_for_writing(self, name: str) -> int:
        path = self.path(name)
        # Where it matters, bytes are to be written as they are, newlines included.
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        try:
            if not path.parent.is_dir():
                self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            return os.open(path, flags, 0o600)
        except PermissionError as error:
            raise RefusedBlobError(name, error.strerror or "refused") from error

    def sync(self, names: Iterable[str]) -> None:
        """Make blobs durable before a row speaks of them."""
        for name in names:
            # Windows makes nothing durable through what can only be read.
            descriptor = os.open(self.path(name), os.O_RDWR)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def read(self, name: str, frames: Iterable[Frame]) -> Iterator[bytes]:
        """Give a blob's content, frame by frame, each proved by its hash.

        Raises:
            DamagedBlobError: It is not what was kept, not there, or not ours to open.
        """
        with self._open(name) as stream:
            for frame in frames:
                stream.seek(frame.blob_start)
                yield _unpack(name, stream.read(frame.blob_bytes), frame)

    def frames(self, name: str) -> Iterator[tuple[Frame, bytes]]:
        """Find the frames of a blob by themselves, each with its content, up to one that is torn.

        Raises:
            DamagedBlobError: It is not there, or not ours to open.
        """
        with self._open(name) as stream:
            packed = memoryview(stream.read())
        start = blob_start = 0
        while blob_start < len(packed):
            try:
                size = zstd.get_frame_size(packed[blob_start:])
                data = zstd.decompress(packed[blob_start : blob_start + size])
            except zstd.ZstdError:
                return
            yield Frame(start, len(data), blob_start, size, content_hash(data)), data
            start += len(data)
            blob_start += size

    def read_part(self, name: str, frame: Frame, start: int, size: int) -> bytes:
        """Give a stretch of a frame, without what is behind it, and so without its proof."""
        key = (name, frame.blob_start, frame.blob_bytes)
        opened = self._opened.pop(key, None) or _Opened(self._packed(name, frame))
        self._opened[key] = opened
        if len(self._opened) > _MOST_OPENED:
            del self._opened[next(iter(self._opened))]
        try:
            return opened.read(start, start + size)
        except zstd.ZstdError as error:
            raise DamagedBlobError(name, str(error)) from error

    def forget(self) -> None:
        """Let go of frames that were unpacked for whoever reads on in them."""
        self._opened.clear()

    def _packed(self, name: str, frame: Frame) -> bytes:
        with self._open(name) as stream:
            stream.seek(frame.blob_start)
            return stream.read(frame.blob_bytes)

    def _open(self, name: str) -> BinaryIO:
        try:
            return self.path(name).open("rb")
        except PermissionError as error:
            raise RefusedBlobError(name, error.strerror or "refused") from error
        except OSError as error:
            raise DamagedBlobError(name, error.strerror or "not there") from error

    def size(self, name: str) -> int:
        """Give a blob's size on disk; 0 when it is not there."""
        try:
            return self.path(name).stat().st_size
        except OSError:
            return 0


def _unpack(name: str, packed: bytes, frame: Frame) -> bytes:
    if len(packed) != frame.blob_bytes:
        raise DamagedBlobError(name, "it is too short")
    try:
        data = zstd.decompress(packed)
    except zstd.ZstdError as error:
        raise DamagedBlobError(name, str(error)) from error
    if len(data) != frame.size_bytes or content_hash(data) != frame.hash:
        raise DamagedBlobError(name, "its hash differs")
    return data


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view[:_PIECE]) :]


def _safe(part: str) -> str:
    """No part of a name leads out of the folder."""
    return {"": "_", ".": "_.", "..": "_.."}.get(part, part).replace("\0", "_")
