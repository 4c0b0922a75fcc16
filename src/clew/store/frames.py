"""Bytes ↔ zstd frames with a checksum: the stretches that a blob is made of.

Frames from before they had a checksum are followed by a seal: a frame without content, which zstd
skips, with the hash of all content before it. So a blob proves itself, even without a database.
"""

import hashlib
import struct
import sys
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final

import msgspec

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
    zstd.CompressionParameter.checksum_flag: 1,
}
OLD_HASH_BYTES: Final = 16
"""How long hashes are of frames that have no checksum of their own yet."""

_MAGIC: Final = (0xFD2FB528).to_bytes(4, "little")
_CHECKSUM_BIT: Final = 4
_DESCRIPTOR_AT: Final = 4
# Any of sixteen magic numbers marks a frame that zstd skips; a mark of our own follows it.
_SEAL: Final = struct.Struct("<II8sQ32s")
_SKIPPABLE: Final = 0x184D2A5C
_SEAL_MARK: Final = b"clewseal"


class Frame(msgspec.Struct, frozen=True, array_like=True):
    """One compressed stretch of a file: where it is in the file and in its blob."""

    start_bytes: int
    size_bytes: int
    blob_start: int
    blob_bytes: int
    hash: bytes


class BadFrameError(Exception):
    """A frame cannot be read, or does not match its checksum or its hash."""


class LongFrameError(BadFrameError):
    """A frame has more content than it may have."""


def content_hash(data: bytes) -> bytes:
    """Return the hash by which archived bytes are verified."""
    return hashlib.sha256(data).digest()


def is_hash_of(expected: bytes | None, data: bytes) -> bool:
    """Tell whether bytes have a hash; those of earlier versions are its beginning."""
    if expected is None or len(expected) < OLD_HASH_BYTES:
        return False
    return content_hash(data)[: len(expected)] == expected


def read_pieces(stream: BinaryIO) -> Iterator[bytes]:
    """Read to the end, as much at a time as one frame holds."""
    while piece := stream.read(FRAME_BYTES):
        yield piece


def compress(pieces: Iterable[bytes], start: int, blob_start: int) -> Iterator[tuple[bytes, Frame]]:
    """Compress pieces that follow each other, each into a frame."""
    for piece in pieces:
        packed = zstd.compress(piece, options=_OPTIONS)
        yield packed, Frame(start, len(piece), blob_start, len(packed), content_hash(piece))
        start += len(piece)
        blob_start += len(packed)


def unpack(packed: bytes, frame: Frame) -> bytes:
    """Return a frame's content, verified by its hash.

    Raises:
        BadFrameError: It is not what it was.
    """
    if len(packed) != frame.blob_bytes:
        raise BadFrameError("it is too short")
    try:
        data = zstd.decompress(packed)
    except zstd.ZstdError as error:
        raise BadFrameError(str(error)) from error
    if len(data) != frame.size_bytes or not is_hash_of(frame.hash, data):
        raise BadFrameError("its hash differs")
    return data


def unpack_foreign(packed: bytes) -> bytes:
    """Return the content of a frame that anybody may have made.

    It is not unpacked further than a frame may be long, whatever it says of itself.

    Raises:
        BadFrameError: It is not exactly one frame with content, or has too much of it.
    """
    if not packed.startswith(_MAGIC):
        raise BadFrameError("it does not begin as a zstd frame does")
    decompressor = zstd.ZstdDecompressor(
        options={zstd.DecompressionParameter.window_log_max: _FRAME_BITS}
    )
    try:
        data = decompressor.decompress(packed, max_length=FRAME_BYTES + 1)
    except zstd.ZstdError as error:
        raise BadFrameError(str(error)) from error
    if len(data) > FRAME_BYTES:
        raise LongFrameError
    if not decompressor.eof or decompressor.unused_data:
        raise BadFrameError("it is not exactly one frame")
    if not data:
        raise BadFrameError("it has no content")
    return data


def make_checksum_frame(frames: Iterable[Frame], digest: bytes) -> tuple[bytes, Frame]:
    """Make the frame that goes behind frames without a checksum, given the hash of them all."""
    size = blob_start = 0
    for frame in frames:
        size += frame.size_bytes
        blob_start += frame.blob_bytes
    packed = _SEAL.pack(_SKIPPABLE, _SEAL.size - 8, _SEAL_MARK, size, digest)
    return packed, Frame(size, 0, blob_start, len(packed), content_hash(b""))


class FrameScan:
    """The frames of a blob, found by themselves, each with its content.

    Afterwards `fault` says what is wrong behind the last good one, if anything is.
    """

    def __init__(self, packed: bytes) -> None:
        self._packed = memoryview(packed)
        self._at = 0
        self._size = 0
        self._all = hashlib.sha256()
        self._unsealed: set[int] = set()
        self._found: list[Frame] = []
        self.fault = ""

    def __iter__(self) -> Iterator[bytes]:
        """Return the content of each frame, up to one that is bad."""
        while self._at < len(self._packed):
            try:
                frame, data = self._next()
            except (zstd.ZstdError, BadFrameError) as error:
                self._stop(str(error))
                return
            self._at += frame.blob_bytes
            self._size += frame.size_bytes
            self._found.append(frame)
            yield data

    def frames(self) -> list[Frame]:
        """Return the good ones; those that nothing vouches for have the hash of an earlier time."""
        return [
            msgspec.structs.replace(frame, hash=frame.hash[:OLD_HASH_BYTES])
            if number in self._unsealed
            else frame
            for number, frame in enumerate(self._found)
        ]

    def _next(self) -> tuple[Frame, bytes]:
        rest = self._packed[self._at :]
        size = zstd.get_frame_size(rest)
        packed = rest[:size]
        data = zstd.decompress(packed)
        self._all.update(data)
        frame = Frame(self._size, len(data), self._at, size, content_hash(data))
        if not data:
            self._check_seal(bytes(packed))
        elif not packed[_DESCRIPTOR_AT] & _CHECKSUM_BIT:
            self._unsealed.add(len(self._found))
        return frame, data

    def _check_seal(self, packed: bytes) -> None:
        """Verify all before a seal; what it vouches for needs no other checksum."""
        if len(packed) != _SEAL.size:
            raise BadFrameError("an unknown frame type")
        _, _, mark, size, digest = _SEAL.unpack(packed)
        if mark != _SEAL_MARK or (size, digest) != (self._size, self._all.digest()):
            raise BadFrameError("the checksum of the preceding data differs")
        self._unsealed.clear()

    def _stop(self, reason: str) -> None:
        behind = len(self._packed) - self._at
        self.fault = f"{behind:,} of {len(self._packed):,} bytes are unreadable: {reason}"
