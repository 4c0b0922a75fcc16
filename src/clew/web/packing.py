"""Packing: a page packed once for all askers, though each gets a word of its own in it.

A packed stream may be put together from pieces that know nothing of one another. So the pieces
around the word are packed once, and the word goes between them as it is.
"""

import struct
import zlib
from typing import Final

import msgspec

# A header without name and time, and a last block with nothing in it.
_HEADER: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_LAST: Final = b"\x03\x00"
_LEVEL: Final = 5
_WHOLE_WINDOW: Final = -15
_MOST: Final = 0xFFFF


class Pieces(msgspec.Struct, frozen=True, gc=False):
    """A text cut where a word goes, plain and packed."""

    plain: tuple[bytes, ...]
    packed: tuple[bytes, ...]


def cut_at(text: bytes, mark: bytes) -> Pieces:
    """Cut a text wherever a mark stands in it."""
    plain = tuple(text.split(mark))
    return Pieces(plain, tuple(map(_deflate, plain)))


def join_plain(pieces: Pieces, word: bytes) -> bytes:
    """Give the text with a word in its places."""
    return word.join(pieces.plain)


def join_packed(pieces: Pieces, word: bytes) -> bytes:
    """Give the text with a short word in its places, as gzip."""
    whole = join_plain(pieces, word)
    end = struct.pack("<LL", zlib.crc32(whole), len(whole) & 0xFFFFFFFF)
    return b"".join((_HEADER, _stored(word).join(pieces.packed), _LAST, end))


def _deflate(piece: bytes) -> bytes:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WHOLE_WINDOW)
    return packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)


def _stored(word: bytes) -> bytes:
    return struct.pack("<BHH", 0, len(word), len(word) ^ _MOST) + word
