"""PNG files with the same bytes everywhere: `zlib` packs differently from one build to the next."""

import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Final

_LONGEST: Final = 258
_SHORTEST: Final = 3
# The first length of each code from 257 on; all but the last have extra bits for those between.
_LENGTHS: Final = (
    *(3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31),
    *(35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258),
)
_END: Final = 256

Bits = Iterator[tuple[int, int]]


def encode_png(rows: Sequence[bytearray], palette: bytes) -> bytes:
    """Make a picture from rows of one byte a pixel, each the number of a colour."""
    width, height = len(rows[0]), len(rows)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    packed = _pack(b"".join(b"\0" + row for row in rows), width + 1)
    chunks = ((b"IHDR", header), (b"PLTE", palette), (b"IDAT", packed), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _pack(data: bytes, stride: int) -> bytes:
    """Deflate with the fixed codes; what repeats is a run, or equal to the row above."""
    number = place = 0
    for value, length in _symbols(data, stride):
        number |= value << place
        place += length
    packed = number.to_bytes((place + 7) // 8, "little")
    return b"\x78\x01" + packed + struct.pack(">I", zlib.adler32(data))


def _symbols(data: bytes, stride: int) -> Bits:
    yield 0b011, 3  # the last block, with fixed codes
    at = 0
    while at < len(data):
        length, distance = max((_repeats(data, at, back), back) for back in (1, stride))
        if length < _SHORTEST:
            yield _code(data[at])
            at += 1
            continue
        yield from _length(length)
        yield from _distance(distance)
        at += length
    yield _code(_END)


def _repeats(data: bytes, at: int, back: int) -> int:
    """Count the bytes that equal those `back` bytes before."""
    count = 0
    while at >= back and at + count < len(data) and count < _LONGEST:
        if data[at + count] != data[at + count - back]:
            break
        count += 1
    return count


def _length(length: int) -> Bits:
    index = max(index for index, first in enumerate(_LENGTHS) if first <= length)
    yield _code(257 + index)
    if _LENGTHS[index] != _LONGEST:
        yield length - _LENGTHS[index], max(0, index // 4 - 1)


def _distance(distance: int) -> Bits:
    """Give a distance: its two highest bits choose a code, the others follow as they are."""
    code, extra, first = distance - 1, 0, distance - 1
    if distance > 4:  # noqa: PLR2004 - shorter ones have a code each
        extra = (distance - 1).bit_length() - 2
        half = (distance - 1) >> extra & 1
        code, first = 2 * (extra + 1) + half, (2 + half) << extra
    yield _reversed(code, 5), 5
    yield distance - 1 - first, extra


def _code(symbol: int) -> tuple[int, int]:
    """Give the fixed code of a literal or a length, and how many bits it takes."""
    for first, code, length in ((280, 0b11000000, 8), (256, 0, 7), (144, 0b110010000, 9)):
        if symbol >= first:
            return _reversed(code + symbol - first, length), length
    return _reversed(0b00110000 + symbol, 8), 8


def _reversed(value: int, length: int) -> int:
    return int(f"{value:0{length}b}"[::-1], 2)
