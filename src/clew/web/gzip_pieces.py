"""Compress a page once for all readers, although each response has its own nonce.

A gzip stream may be joined from blocks that were compressed separately. So the pieces around the
nonce are compressed once, and the nonce goes between them uncompressed.
"""

import struct
import zlib
from typing import Final

import msgspec

# A header without name and time, and an empty last block.
_HEADER: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_LAST: Final = b"\x03\x00"
_LEVEL: Final = 5
_RAW_DEFLATE: Final = -15
_MAX_STORED: Final = 0xFFFF


class GzipPieces(msgspec.Struct, frozen=True, gc=False):
    """A text split at a placeholder: as it is, and compressed."""

    plain: tuple[bytes, ...]
    packed: tuple[bytes, ...]


def split_at(text: bytes, placeholder: bytes) -> GzipPieces:
    """Split a text wherever the placeholder occurs in it."""
    plain = tuple(text.split(placeholder))
    return GzipPieces(plain, tuple(map(_deflate, plain)))


def join_plain(pieces: GzipPieces, word: bytes) -> bytes:
    """Return the text with a word in place of the placeholder."""
    return word.join(pieces.plain)


def join_gzipped(pieces: GzipPieces, word: bytes) -> bytes:
    """Return the text with a short word in place of the placeholder, as gzip."""
    whole = join_plain(pieces, word)
    end = struct.pack("<LL", zlib.crc32(whole), len(whole) & 0xFFFFFFFF)
    return b"".join((_HEADER, _stored(word).join(pieces.packed), _LAST, end))


def _deflate(piece: bytes) -> bytes:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW_DEFLATE)
    return packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)


def _stored(word: bytes) -> bytes:
    """Make a block of uncompressed bytes."""
    return struct.pack("<BHH", 0, len(word), len(word) ^ _MAX_STORED) + word
