"""A kept file's bytes, as one job holds them: kept frames, then what was just read."""

from collections.abc import Iterator

import msgspec

from clew.source import SourceFile
from clew.store.frames import Frame
from clew.store.protocols import Blobs


class Content(msgspec.Struct, frozen=True):
    """A file's bytes: kept frames, then pieces that were just read and are still in memory."""

    blob: str
    frames: tuple[Frame, ...]
    new: tuple[bytes, ...] = ()

    def read(self, blobs: Blobs) -> Iterator[bytes]:
        """Give the bytes, piece by piece."""
        if self.frames:
            yield from blobs.read(self.blob, self.frames)
        yield from self.new


class Held(msgspec.Struct, frozen=True):
    """A session's file with its bytes."""

    source: SourceFile
    content: Content
