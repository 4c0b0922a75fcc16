"""The new part of a file → frames: read, hashed and compressed one frame at a time."""

import io
from collections.abc import Iterator
from itertools import chain
from typing import Final

from clew.store.compare import EDGE_BYTES, Edges
from clew.store.frames import Frame, compress, content_hash, read_pieces
from clew.store.protocols import PackedFrame

MAX_HELD_BYTES: Final = 32 << 20
"""Of a larger part nothing stays in memory: whoever needs it reads its frames again."""


class FrameWriter:
    """What a file holds behind `start`.

    The rest is known once all of `packed` was taken: the frames, the size and the edges. `held` has
    the bytes as they were read, or is None when they are too many.
    """

    def __init__(self, stream: io.FileIO, start: int, blob_start: int) -> None:
        stream.seek(start)
        pieces = read_pieces(stream)
        # Read at once: whoever writes wants to know whether there is anything to write.
        first = next(pieces, b"")
        self.is_empty = not first
        self.start = start
        self.size = 0
        self.frames: list[Frame] = []
        self.held: list[bytes] | None = []
        self._pieces = chain([first] if first else [], pieces)
        self._blob_start = blob_start
        self._head = self._tail = b""

    def packed(self) -> Iterator[PackedFrame]:
        """Read on and yield each frame compressed; iterate over it once."""
        for packed, frame in compress(self._read(), self.start, self._blob_start):
            self.frames.append(frame)
            yield packed, frame

    def edges(self, known: Edges | None) -> Edges:
        """Return the edges of the whole file, given those of the part before this one, if any."""
        if known is None or known.head_hash is None:
            return edges_of(self._head, self._tail)
        if self.is_empty:
            return known
        tail = self._tail
        return Edges(known.head_hash, known.head_bytes, content_hash(tail), len(tail))

    def _read(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self._head = self._head or piece[:EDGE_BYTES]
            self._tail = (self._tail + piece[-EDGE_BYTES:])[-EDGE_BYTES:]
            self.size += len(piece)
            if self.size > MAX_HELD_BYTES:
                self.held = None
            if self.held is not None:
                self.held.append(piece)
            yield piece


def edges_of(head: bytes, tail: bytes) -> Edges:
    """Return the edges of a file that begins and ends so."""
    return Edges(content_hash(head), len(head), content_hash(tail), len(tail))
